/* SPDX-License-Identifier: Apache-2.0 */
/* hash_fnv1_32.c - FNV-1, 32 bits. */
#include "../core/hash.h"
#include "hash_fnv.h"

static uint64_t
fnv1_32_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    (void)key;
    return cwi_fnv1_32_of(data, len);
}

const struct cwi_hash_ops cwi_hash_fnv1_32 = {
    .name    = "fnv1_32",
    .summary = "FNV-1, 32 bits, bytes unsigned",
    .source  = CWI_FNV_SOURCE,
    .bits    = 32,
    .traits  = CWI_HASH_WEAK,
    .hash    = fnv1_32_hash,
};
