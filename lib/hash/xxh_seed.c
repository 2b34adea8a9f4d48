/* SPDX-License-Identifier: Apache-2.0 */
/* xxh_seed.c - XXH32, XXH64 and XXH3 with a seed, for the programs that give
 * one. */
#include "../core/hash.h"
#include "hash_xxh3_inline.h"

uint32_t
cwi_xxh32_seed(const void *data, size_t len, uint32_t seed)
{
    return XXH32(len > 0 ? data : "", len, seed);
}

uint64_t
cwi_xxh64_seed(const void *data, size_t len, uint64_t seed)
{
    return XXH64(len > 0 ? data : "", len, seed);
}

uint64_t
cwi_xxh3_seed(const void *data, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(len > 0 ? data : "", len, seed);
}
