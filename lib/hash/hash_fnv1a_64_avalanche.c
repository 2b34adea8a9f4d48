/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_fnv1a_64_avalanche.c - FNV-1a, 64 bits, then the finaliser of
 * splitmix64: the last bytes of a key reach the high bits, which a ring
 * orders by.
 */
#include "../core/hash.h"
#include "hash_fnv.h"

static uint64_t
fnv1a_64_avalanche_hash(const void *data, size_t len,
                         const struct cwi_hash_key *key)
{
    (void)key;
    return cwi_mix64(cwi_fnv1a_64_of(data, len));
}

const struct cwi_hash_ops cwi_hash_fnv1a_64_avalanche = {
    .name    = "fnv1a_64_avalanche",
    .summary = "FNV-1a, 64 bits, with an avalanche step",
    .source  = CWI_FNV_SOURCE "; the finaliser of splitmix64",
    .bits    = 64,
    .hash    = fnv1a_64_avalanche_hash,
};
