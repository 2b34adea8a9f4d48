/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_fnv1a_32_avalanche.c - FNV-1a, 32 bits, then MurmurHash3's fmix32:
 * the last bytes of a key reach the high bits, which a ring orders by.
 */
#include "../core/hash.h"
#include "hash_fmix.h"
#include "hash_fnv.h"

static uint64_t
fnv1a_32_avalanche_hash(const void *data, size_t len,
                         const struct cwi_hash_key *key)
{
    (void)key;
    return cwi_fmix32(cwi_fnv1a_32_of(data, len));
}

const struct cwi_hash_ops cwi_hash_fnv1a_32_avalanche = {
    .name    = "fnv1a_32_avalanche",
    .summary = "FNV-1a, 32 bits, with an avalanche step",
    .source  = CWI_FNV_SOURCE "; MurmurHash3's fmix32",
    .bits    = 32,
    .hash    = fnv1a_32_avalanche_hash,
};
