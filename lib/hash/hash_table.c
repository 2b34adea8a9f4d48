/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_table.c - the table of hash functions: the only reader of hash_rows.h.
 */
#include <string.h>

#include "../core/hash.h"
#include "hash_rows.h"

#define DECLARE(id) extern const struct cwi_hash_ops cwi_hash_##id;
#define ENTRY(id)   &cwi_hash_##id,

CW_HASH_ROWS(DECLARE)

static const struct cwi_hash_ops *const hash_table[] = { CW_HASH_ROWS(ENTRY) };

#define HASH_COUNT (sizeof hash_table / sizeof hash_table[0])

unsigned
cwi_hash_count(void)
{
    return (unsigned)HASH_COUNT;
}

const struct cwi_hash_ops *
cwi_hash_at(unsigned i)
{
    return i < HASH_COUNT ? hash_table[i] : NULL;
}

const struct cwi_hash_ops *
cwi_hash_find(const char *name, size_t len)
{
    for (size_t i = 0; i < HASH_COUNT; i++) {
        const char *have = hash_table[i]->name;

        /* The length first: a name may hold NUL bytes or lack the last one. */
        if (strlen(have) == len && memcmp(have, name, len) == 0)
            return hash_table[i];
    }
    return NULL;
}
