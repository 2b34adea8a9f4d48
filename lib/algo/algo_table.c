/* SPDX-License-Identifier: Apache-2.0 */
/* algo_table.c - the only reader of algo_rows.h. */
#include <string.h>

#include "algo/algo_rows.h"
#include "core/algo.h"

#define DECLARE(id) extern const struct cwi_algo_ops cwi_algo_##id;
#define ENTRY(id)   &cwi_algo_##id,

CWI_ALGO_ROWS(DECLARE)

static const struct cwi_algo_ops *const table[] = { CWI_ALGO_ROWS(ENTRY) };

unsigned
cwi_algo_count(void)
{
    return sizeof table / sizeof table[0];
}

const struct cwi_algo_ops *
cwi_algo_at(unsigned i)
{
    return table[i];
}

const struct cwi_algo_ops *
cwi_algo_find(const char *name, size_t len)
{
    for (unsigned i = 0; i < cwi_algo_count(); i++) {
        if (strlen(table[i]->name) == len &&
            memcmp(table[i]->name, name, len) == 0)
            return table[i];
    }
    return NULL;
}
