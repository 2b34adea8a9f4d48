/* SPDX-License-Identifier: Apache-2.0 */
/* hash_murmur3_128.c - MurmurHash3_x64_128, seed 0. */
#include "../core/hash.h"

#define MURMUR_C1 UINT64_C(0x87c37b91114253d5)
#define MURMUR_C2 UINT64_C(0x4cf5ad432745937f)

struct murmur3_state {
    uint64_t h1, h2;
};

static inline uint64_t
rotl64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline uint64_t
fmix64(uint64_t h)
{
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ (h >> 33);
}

/* What the two words of a block become before they enter the state. */
static inline uint64_t
first_word(uint64_t k)
{
    return rotl64(k * MURMUR_C1, 31) * MURMUR_C2;
}

static inline uint64_t
second_word(uint64_t k)
{
    return rotl64(k * MURMUR_C2, 33) * MURMUR_C1;
}

/* n < 8 bytes, little-endian. */
static inline uint64_t
load_tail(const uint8_t *p, size_t n)
{
    uint64_t k = 0;

    while (n > 0)
        k = k << 8 | p[--n];
    return k;
}

static struct murmur3_state
murmur3_128(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t h1 = 0, h2 = 0;    /* the seed */
    size_t left = len;

    for (; left >= 16; left -= 16, p += 16) {
        h1 ^= first_word(cwi_load64le(p));
        h1 = (rotl64(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= second_word(cwi_load64le(p + 8));
        h2 = (rotl64(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left >= 8) {
        h1 ^= first_word(cwi_load64le(p));
        h2 ^= second_word(load_tail(p + 8, left - 8));
    } else {
        h1 ^= first_word(load_tail(p, left));
    }
    h1 ^= len;
    h2 ^= len;
    h1 += h2;
    h2 += h1;
    h1 = fmix64(h1);
    h2 = fmix64(h2);
    h1 += h2;
    h2 += h1;
    return (struct murmur3_state){ h1, h2 };
}

static uint64_t
murmur3_128_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    (void)key;
    return murmur3_128(data, len).h1;
}

static void
murmur3_128_digest(const void *data, size_t len, uint8_t *out)
{
    struct murmur3_state s = murmur3_128(data, len);

    for (unsigned i = 0; i < 8; i++) {
        out[i] = (uint8_t)(s.h1 >> (8 * i));
        out[8 + i] = (uint8_t)(s.h2 >> (8 * i));
    }
}

const struct cwi_hash_ops cwi_hash_murmur3_128 = {
    .name       = "murmur3_128",
    .summary    = "MurmurHash3 x64_128, seed 0; value: the first 8 bytes",
    .source     = "MurmurHash3.cpp of SMHasher (Austin Appleby)",
    .bits       = 64,
    .hash       = murmur3_128_hash,
    .digest_len = 16,
    .digest     = murmur3_128_digest,
};
