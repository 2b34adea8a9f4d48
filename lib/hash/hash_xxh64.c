/* SPDX-License-Identifier: Apache-2.0 */
/* hash_xxh64.c - XXH64, seed 0. */
#include "../core/hash.h"
#include "hash_xxh3_inline.h"

static uint64_t
xxh64_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    (void)key;
    /* XXH64 computes data + len before it looks at len. */
    return XXH64(len > 0 ? data : "", len, 0);
}

const struct cwi_hash_ops cwi_hash_xxh64 = {
    .name    = "xxh64",
    .summary = "XXH64, seed 0",
    .source  = "xxHash (Yann Collet), doc/xxhash_spec.md",
    .bits    = 64,
    .hash    = xxh64_hash,
};
