/* SPDX-License-Identifier: Apache-2.0 */
/* hash_xxh3.c - XXH3, 64 bits, seed 0: the default hash. */
#include "../core/hash.h"
#include "hash_xxh3_inline.h"

uint64_t
cwi_xxh3(const void *data, size_t len)
{
    return cwi_xxh3_inline(data, len);
}

static uint64_t
xxh3_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    (void)key;
    return cwi_xxh3_inline(data, len);
}

const struct cwi_hash_ops cwi_hash_xxh3 = {
    .name    = "xxh3",
    .summary = "XXH3, 64 bits, seed 0 (the default)",
    .source  = "xxHash 0.8 (Yann Collet)",
    .bits    = 64,
    .hash    = xxh3_hash,
};
