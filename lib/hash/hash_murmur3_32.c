/* SPDX-License-Identifier: Apache-2.0 */
/* hash_murmur3_32.c - MurmurHash3_x86_32, seed 0. */
#include "../core/hash.h"
#include "hash_fmix.h"

static inline uint32_t
rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

/* What a word of input becomes before it enters the state. */
static inline uint32_t
murmur3_32_word(uint32_t k)
{
    return rotl32(k * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

static uint64_t
murmur3_32_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    const uint8_t *p = data;
    uint32_t h = 0;             /* the seed */
    uint32_t tail = 0;
    size_t left = len;

    (void)key;
    for (; left >= 4; left -= 4, p += 4) {
        h ^= murmur3_32_word(cwi_load32le(p));
        h = rotl32(h, 13) * 5 + UINT32_C(0xe6546b64);
    }
    while (left > 0)
        tail = tail << 8 | p[--left];
    h ^= murmur3_32_word(tail);

    /* The definition counts bytes in 32 bits. */
    return cwi_fmix32(h ^ (uint32_t)len);
}

const struct cwi_hash_ops cwi_hash_murmur3_32 = {
    .name    = "murmur3_32",
    .summary = "MurmurHash3 x86_32, seed 0",
    .source  = "MurmurHash3.cpp of SMHasher (Austin Appleby)",
    .bits    = 32,
    .hash    = murmur3_32_hash,
};
