/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_sha2.c - SHA-256 and SHA-512 (FIPS 180-4), for programs whose points
 * are cut out of them.
 *
 * SHA-256's constants are the high halves of SHA-512's: both are fractional
 * parts of the same roots of primes.
 */
#include "compat/compat_hashes.h"

#include <string.h>

/* Cube roots of the first 80 primes. */
static const uint64_t sha2_k[80] = {
    UINT64_C(0x428a2f98d728ae22), UINT64_C(0x7137449123ef65cd),
    UINT64_C(0xb5c0fbcfec4d3b2f), UINT64_C(0xe9b5dba58189dbbc),
    UINT64_C(0x3956c25bf348b538), UINT64_C(0x59f111f1b605d019),
    UINT64_C(0x923f82a4af194f9b), UINT64_C(0xab1c5ed5da6d8118),
    UINT64_C(0xd807aa98a3030242), UINT64_C(0x12835b0145706fbe),
    UINT64_C(0x243185be4ee4b28c), UINT64_C(0x550c7dc3d5ffb4e2),
    UINT64_C(0x72be5d74f27b896f), UINT64_C(0x80deb1fe3b1696b1),
    UINT64_C(0x9bdc06a725c71235), UINT64_C(0xc19bf174cf692694),
    UINT64_C(0xe49b69c19ef14ad2), UINT64_C(0xefbe4786384f25e3),
    UINT64_C(0x0fc19dc68b8cd5b5), UINT64_C(0x240ca1cc77ac9c65),
    UINT64_C(0x2de92c6f592b0275), UINT64_C(0x4a7484aa6ea6e483),
    UINT64_C(0x5cb0a9dcbd41fbd4), UINT64_C(0x76f988da831153b5),
    UINT64_C(0x983e5152ee66dfab), UINT64_C(0xa831c66d2db43210),
    UINT64_C(0xb00327c898fb213f), UINT64_C(0xbf597fc7beef0ee4),
    UINT64_C(0xc6e00bf33da88fc2), UINT64_C(0xd5a79147930aa725),
    UINT64_C(0x06ca6351e003826f), UINT64_C(0x142929670a0e6e70),
    UINT64_C(0x27b70a8546d22ffc), UINT64_C(0x2e1b21385c26c926),
    UINT64_C(0x4d2c6dfc5ac42aed), UINT64_C(0x53380d139d95b3df),
    UINT64_C(0x650a73548baf63de), UINT64_C(0x766a0abb3c77b2a8),
    UINT64_C(0x81c2c92e47edaee6), UINT64_C(0x92722c851482353b),
    UINT64_C(0xa2bfe8a14cf10364), UINT64_C(0xa81a664bbc423001),
    UINT64_C(0xc24b8b70d0f89791), UINT64_C(0xc76c51a30654be30),
    UINT64_C(0xd192e819d6ef5218), UINT64_C(0xd69906245565a910),
    UINT64_C(0xf40e35855771202a), UINT64_C(0x106aa07032bbd1b8),
    UINT64_C(0x19a4c116b8d2d0c8), UINT64_C(0x1e376c085141ab53),
    UINT64_C(0x2748774cdf8eeb99), UINT64_C(0x34b0bcb5e19b48a8),
    UINT64_C(0x391c0cb3c5c95a63), UINT64_C(0x4ed8aa4ae3418acb),
    UINT64_C(0x5b9cca4f7763e373), UINT64_C(0x682e6ff3d6b2b8a3),
    UINT64_C(0x748f82ee5defb2fc), UINT64_C(0x78a5636f43172f60),
    UINT64_C(0x84c87814a1f0ab72), UINT64_C(0x8cc702081a6439ec),
    UINT64_C(0x90befffa23631e28), UINT64_C(0xa4506cebde82bde9),
    UINT64_C(0xbef9a3f7b2c67915), UINT64_C(0xc67178f2e372532b),
    UINT64_C(0xca273eceea26619c), UINT64_C(0xd186b8c721c0c207),
    UINT64_C(0xeada7dd6cde0eb1e), UINT64_C(0xf57d4f7fee6ed178),
    UINT64_C(0x06f067aa72176fba), UINT64_C(0x0a637dc5a2c898a6),
    UINT64_C(0x113f9804bef90dae), UINT64_C(0x1b710b35131c471b),
    UINT64_C(0x28db77f523047d84), UINT64_C(0x32caab7b40c72493),
    UINT64_C(0x3c9ebe0a15c9bebc), UINT64_C(0x431d67c49c100d4c),
    UINT64_C(0x4cc5d4becb3e42b6), UINT64_C(0x597f299cfc657e2a),
    UINT64_C(0x5fcb6fab3ad6faec), UINT64_C(0x6c44198c4a475817),
};

/* Square roots of the first 8 primes. */
static const uint64_t sha2_start[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
    UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
    UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
    UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179),
};

static inline uint32_t
rotr32(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static inline uint64_t
rotr64(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

/* n bytes, n <= 8, big-endian. */
static uint64_t
load_be(const uint8_t *p, unsigned n)
{
    uint64_t x = 0;

    for (unsigned i = 0; i < n; i++)
        x = x << 8 | p[i];
    return x;
}

static void
store_be(uint8_t *p, uint64_t x, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(x >> (8 * (n - 1 - i)));
}

/* Variable number n of round k: not the values move on but their names, so
 * that eight rounds keep them in registers. */
#define V(n) v[((n) - k) & 7u]

static void
sha256_block(uint32_t h[8], const uint8_t *p)
{
    uint32_t w[64], v[8];

    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)load_be(p + 4 * i, 4);
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (rotr32(a, 7) ^ rotr32(a, 18) ^ a >> 3) +
               w[i - 7] + (rotr32(b, 17) ^ rotr32(b, 19) ^ b >> 10);
    }
    memcpy(v, h, sizeof v);
    for (unsigned i = 0; i < 64; i += 8) {
        for (unsigned k = 0; k < 8; k++) {
            uint32_t a = V(0), e = V(4), t;

            t = V(7) + (rotr32(e, 6) ^ rotr32(e, 11) ^ rotr32(e, 25)) +
                (V(6) ^ (e & (V(5) ^ V(6)))) +
                (uint32_t)(sha2_k[i + k] >> 32) + w[i + k];
            V(3) += t;
            V(7) = t + (rotr32(a, 2) ^ rotr32(a, 13) ^ rotr32(a, 22)) +
                   ((a & V(1)) | (V(2) & (a | V(1))));
        }
    }
    for (unsigned i = 0; i < 8; i++)
        h[i] += v[i];
}

static void
sha512_block(uint64_t h[8], const uint8_t *p)
{
    uint64_t w[80], v[8];

    for (unsigned i = 0; i < 16; i++)
        w[i] = load_be(p + 8 * i, 8);
    for (unsigned i = 16; i < 80; i++) {
        uint64_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (rotr64(a, 1) ^ rotr64(a, 8) ^ a >> 7) +
               w[i - 7] + (rotr64(b, 19) ^ rotr64(b, 61) ^ b >> 6);
    }
    memcpy(v, h, sizeof v);
    for (unsigned i = 0; i < 80; i += 8) {
        for (unsigned k = 0; k < 8; k++) {
            uint64_t a = V(0), e = V(4), t;

            t = V(7) + (rotr64(e, 14) ^ rotr64(e, 18) ^ rotr64(e, 41)) +
                (V(6) ^ (e & (V(5) ^ V(6)))) + sha2_k[i + k] + w[i + k];
            V(3) += t;
            V(7) = t + (rotr64(a, 28) ^ rotr64(a, 34) ^ rotr64(a, 39)) +
                   ((a & V(1)) | (V(2) & (a | V(1))));
        }
    }
    for (unsigned i = 0; i < 8; i++)
        h[i] += v[i];
}

/*
 * The end of a message of len bytes, of which `left` (less than a block) are
 * not hashed yet: they, a bit, zeros and the length in bits, in one or two
 * blocks. Returns the bytes to hash.
 */
static size_t
sha2_last(uint8_t *last, const uint8_t *p, size_t left, size_t len,
          size_t block)
{
    size_t n = left + 1 + block / 8 <= block ? block : 2 * block;

    memset(last, 0, n);
    if (left > 0)
        memcpy(last, p, left);
    last[left] = 0x80;
    store_be(last + n - 8, (uint64_t)len << 3, 8);
    if (block == 128)
        store_be(last + n - 16, (uint64_t)len >> 61, 8);
    return n;
}

void
cwi_sha256(const uint8_t *p, size_t len, uint8_t out[32])
{
    uint32_t h[8];
    uint8_t last[128];
    size_t left = len, n;

    for (unsigned i = 0; i < 8; i++)
        h[i] = (uint32_t)(sha2_start[i] >> 32);
    for (; left >= 64; left -= 64, p += 64)
        sha256_block(h, p);
    n = sha2_last(last, p, left, len, 64);
    for (size_t at = 0; at < n; at += 64)
        sha256_block(h, last + at);
    for (unsigned i = 0; i < 8; i++)
        store_be(out + 4 * i, h[i], 4);
}

void
cwi_sha512(const uint8_t *p, size_t len, uint8_t out[64])
{
    uint64_t h[8];
    uint8_t last[256];
    size_t left = len, n;

    memcpy(h, sha2_start, sizeof h);
    for (; left >= 128; left -= 128, p += 128)
        sha512_block(h, p);
    n = sha2_last(last, p, left, len, 128);
    for (size_t at = 0; at < n; at += 128)
        sha512_block(h, last + at);
    for (unsigned i = 0; i < 8; i++)
        store_be(out + 8 * i, h[i], 8);
}
