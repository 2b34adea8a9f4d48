/* SPDX-License-Identifier: Apache-2.0 */
/* compat_table.c - the only reader of compat_rows.h. */
#include <string.h>

#include "compat/compat_rows.h"
#include "core/compat.h"

#define DECLARE(id) extern const struct cwi_compat_ops cwi_compat_##id;
#define ENTRY(id)   &cwi_compat_##id,

CWI_COMPAT_ROWS(DECLARE)

static const struct cwi_compat_ops *const table[] = { CWI_COMPAT_ROWS(ENTRY) };

unsigned
cwi_compat_count(void)
{
    return sizeof table / sizeof table[0];
}

const struct cwi_algo_ops *
cwi_compat_at(unsigned i)
{
    return &table[i]->algo;
}

const struct cwi_algo_ops *
cwi_compat_find(const char *name, size_t len)
{
    for (unsigned i = 0; i < cwi_compat_count(); i++) {
        const struct cwi_algo_ops *row = &table[i]->algo;

        if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
            return row;
    }
    return NULL;
}
