/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_sha1.c - SHA-1. Broken as a signature, and kept because deployed
 * programs place by it.
 */
#include <string.h>

#include "../core/hash.h"

static inline uint32_t
rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static inline uint32_t
load32be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           (uint32_t)p[3];
}

static inline void
store32be(uint8_t *p, uint32_t x)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (24 - 8 * i));
}

/* Word t >= 16 of the schedule, in the place of word t - 16. */
static inline uint32_t
sha1_next(uint32_t w[16], unsigned t)
{
    uint32_t x = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^
                 w[t & 15];

    return w[t & 15] = rotl32(x, 1);
}

#define CHOOSE   (v[3] ^ (v[1] & (v[2] ^ v[3])))
#define PARITY   (v[1] ^ v[2] ^ v[3])
#define MAJORITY ((v[1] & v[2]) + (v[3] & (v[1] ^ v[2])))

#define STEP(f, k, word)                                                      \
    do {                                                                      \
        uint32_t next = rotl32(v[0], 5) + (f) + v[4] + UINT32_C(k) + (word);  \
                                                                              \
        v[4] = v[3];                                                          \
        v[3] = v[2];                                                          \
        v[2] = rotl32(v[1], 30);                                              \
        v[1] = v[0];                                                          \
        v[0] = next;                                                          \
    } while (0)

static void
sha1_block(uint32_t state[5], const uint8_t *block)
{
    uint32_t v[5], w[16];
    unsigned t;

    memcpy(v, state, sizeof v);
    for (t = 0; t < 16; t++)
        w[t] = load32be(block + 4 * t);
    for (t = 0; t < 16; t++)
        STEP(CHOOSE, 0x5a827999, w[t]);
    for (; t < 20; t++)
        STEP(CHOOSE, 0x5a827999, sha1_next(w, t));
    for (; t < 40; t++)
        STEP(PARITY, 0x6ed9eba1, sha1_next(w, t));
    for (; t < 60; t++)
        STEP(MAJORITY, 0x8f1bbcdc, sha1_next(w, t));
    for (; t < 80; t++)
        STEP(PARITY, 0xca62c1d6, sha1_next(w, t));
    for (t = 0; t < 5; t++)
        state[t] += v[t];
}

void
cwi_sha1(const void *data, size_t len, uint8_t out[20])
{
    uint32_t state[5] = {
        0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0
    };
    const uint8_t *p = data;
    uint64_t bits = (uint64_t)len << 3;
    uint8_t last[128] = { 0 };
    size_t left = len;
    size_t used;

    for (; left >= 64; left -= 64, p += 64)
        sha1_block(state, p);
    if (left > 0)
        memcpy(last, p, left);
    last[left] = 0x80;
    used = left < 56 ? 64 : 128;
    store32be(last + used - 8, (uint32_t)(bits >> 32));
    store32be(last + used - 4, (uint32_t)bits);
    sha1_block(state, last);
    if (used == 128)
        sha1_block(state, last + 64);
    for (unsigned i = 0; i < 5; i++)
        store32be(out + 4 * i, state[i]);
}

static uint64_t
sha1_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    uint8_t out[20];

    (void)key;
    cwi_sha1(data, len, out);
    return (uint64_t)load32be(out) << 32 | load32be(out + 4);
}

const struct cwi_hash_ops cwi_hash_sha1 = {
    .name       = "sha1",
    .summary    = "SHA-1; value: the first 8 bytes, big-endian",
    .source     = "FIPS 180-4, RFC 3174",
    .bits       = 64,
    .hash       = sha1_hash,
    .digest_len = 20,
    .digest     = cwi_sha1,
};
