/* SPDX-License-Identifier: Apache-2.0 */
/* hash_fnv1a_64.c - FNV-1a, 64 bits. */
#include "../core/hash.h"
#include "hash_fnv.h"

uint64_t
cwi_fnv1a_64(const void *data, size_t len)
{
    return cwi_fnv1a_64_of(data, len);
}

static uint64_t
fnv1a_64_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    (void)key;
    return cwi_fnv1a_64(data, len);
}

const struct cwi_hash_ops cwi_hash_fnv1a_64 = {
    .name    = "fnv1a_64",
    .summary = "FNV-1a, 64 bits, bytes unsigned",
    .source  = CWI_FNV_SOURCE,
    .bits    = 64,
    .traits  = CWI_HASH_WEAK,
    .hash    = fnv1a_64_hash,
};
