/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_md5.c - MD5. Broken as a signature, and kept because every ketama
 * places by it.
 *
 * A step waits for the one before, so its time is that of the longest chain
 * from b to the new b. G is therefore a sum of two terms that share no bit,
 * of which only one waits for b, and H takes b in last.
 */
#include <string.h>

#include "md5_pad.h"

#define F(b, c, d) ((((c) ^ (d)) & (b)) ^ (d))
#define G(b, c, d) ((~(d) & (c)) + ((d) & (b)))
#define H(b, c, d) (((c) ^ (d)) ^ (b))
#define I(b, c, d) ((~(d) | (b)) ^ (c))

/*
 * Keeps the sum of what is known before b apart from what waits for b. Left
 * alone, clang adds the constant after f(), gcc adds it together with f() in
 * one instruction of two cycles where the word is known to be 0: one cycle
 * more in these steps of the chain.
 */
#if defined(__GNUC__) || defined(__clang__)
#define SETTLE(x) __asm__("" : "+r"(x))
#else
#define SETTLE(x) (void)(x)
#endif

#define STEP(f, a, b, c, d, word, add, turn)                 \
    do {                                                     \
        (a) += w[word] + UINT32_C(add);                      \
        SETTLE(a);                                           \
        (a) += f(b, c, d);                                   \
        (a) = ((a) << (turn) | (a) >> (32 - (turn))) + (b);  \
    } while (0)

/* Four steps, after which the words of the state are in their places again. */
#define QUAD(f, w0, k0, w1, k1, w2, k2, w3, k3)    \
    do {                                           \
        STEP(f, a, b, c, d, w0, k0, TURN_##f##_0); \
        STEP(f, d, a, b, c, w1, k1, TURN_##f##_1); \
        STEP(f, c, d, a, b, w2, k2, TURN_##f##_2); \
        STEP(f, b, c, d, a, w3, k3, TURN_##f##_3); \
    } while (0)

enum {
    TURN_F_0 = 7, TURN_F_1 = 12, TURN_F_2 = 17, TURN_F_3 = 22,
    TURN_G_0 = 5, TURN_G_1 = 9,  TURN_G_2 = 14, TURN_G_3 = 20,
    TURN_H_0 = 4, TURN_H_1 = 11, TURN_H_2 = 16, TURN_H_3 = 23,
    TURN_I_0 = 6, TURN_I_1 = 10, TURN_I_2 = 15, TURN_I_3 = 21
};

struct md5_state {
    uint32_t a, b, c, d;
};

static const struct md5_state begin = {
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476
};

/* CWI_SMALL, for a module that travels: one copy of the steps. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(CWI_SMALL)
#define ALWAYS_INLINE __attribute__((always_inline))
#else
#define ALWAYS_INLINE
#endif

/* All steps. Inlined, so that those that a caller does not need and words
 * that it knows to be 0 cost nothing. */
static inline ALWAYS_INLINE struct md5_state
md5_steps(struct md5_state s, const uint32_t w[16])
{
    uint32_t a = s.a, b = s.b, c = s.c, d = s.d;

    QUAD(F,  0, 0xd76aa478,  1, 0xe8c7b756,
             2, 0x242070db,  3, 0xc1bdceee);
    QUAD(F,  4, 0xf57c0faf,  5, 0x4787c62a,
             6, 0xa8304613,  7, 0xfd469501);
    QUAD(F,  8, 0x698098d8,  9, 0x8b44f7af,
            10, 0xffff5bb1, 11, 0x895cd7be);
    QUAD(F, 12, 0x6b901122, 13, 0xfd987193,
            14, 0xa679438e, 15, 0x49b40821);
    QUAD(G,  1, 0xf61e2562,  6, 0xc040b340,
            11, 0x265e5a51,  0, 0xe9b6c7aa);
    QUAD(G,  5, 0xd62f105d, 10, 0x02441453,
            15, 0xd8a1e681,  4, 0xe7d3fbc8);
    QUAD(G,  9, 0x21e1cde6, 14, 0xc33707d6,
             3, 0xf4d50d87,  8, 0x455a14ed);
    QUAD(G, 13, 0xa9e3e905,  2, 0xfcefa3f8,
             7, 0x676f02d9, 12, 0x8d2a4c8a);
    QUAD(H,  5, 0xfffa3942,  8, 0x8771f681,
            11, 0x6d9d6122, 14, 0xfde5380c);
    QUAD(H,  1, 0xa4beea44,  4, 0x4bdecfa9,
             7, 0xf6bb4b60, 10, 0xbebfbc70);
    QUAD(H, 13, 0x289b7ec6,  0, 0xeaa127fa,
             3, 0xd4ef3085,  6, 0x04881d05);
    QUAD(H,  9, 0xd9d4d039, 12, 0xe6db99e5,
            15, 0x1fa27cf8,  2, 0xc4ac5665);
    QUAD(I,  0, 0xf4292244,  7, 0x432aff97,
            14, 0xab9423a7,  5, 0xfc93a039);
    QUAD(I, 12, 0x655b59c3,  3, 0x8f0ccc92,
            10, 0xffeff47d,  1, 0x85845dd1);
    QUAD(I,  8, 0x6fa87e4f, 15, 0xfe2ce6e0,
             6, 0xa3014314, 13, 0x4e0811a1);
    QUAD(I,  4, 0xf7537e82, 11, 0xbd3af235,
             2, 0x2ad7d2bb,  9, 0xeb86d391);

    return (struct md5_state){ s.a + a, s.b + b, s.c + c, s.d + d };
}

static struct md5_state
md5_block(struct md5_state s, const uint8_t *block)
{
    uint32_t w[16];

    for (unsigned i = 0; i < 16; i++)
        w[i] = cwi_load32le(block + 4 * i);
    return md5_steps(s, w);
}

/* A text of at most CWI_MD5_SHORT bytes. */
static inline ALWAYS_INLINE struct md5_state
md5_short(const void *data, size_t len)
{
    uint64_t half[4];
    uint32_t w[16];

    cwi_md5_pad(data, len, half);
    for (unsigned i = 0; i < 4; i++) {
        SETTLE(half[i]);        /* else gcc 12 cuts them up in a vector */
        w[2 * i] = (uint32_t)half[i];
        w[2 * i + 1] = (uint32_t)(half[i] >> 32);
    }
    w[8] = w[9] = w[10] = w[11] = w[12] = w[13] = w[15] = 0;
    w[14] = (uint32_t)len << 3;
    return md5_steps(begin, w);
}

static inline void
store32le(uint8_t *p, uint32_t x)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (8 * i));
}

static struct md5_state
md5(const void *data, size_t len)
{
    struct md5_state s = begin;
    const uint8_t *p = data;
    uint64_t bits = (uint64_t)len << 3;
    uint8_t last[64] = { 0 };
    size_t left = len;

    for (; left >= 64; left -= 64, p += 64)
        s = md5_block(s, p);
    if (left > 0)
        memcpy(last, p, left);
    last[left] = 0x80;
    if (left >= 56) {
        s = md5_block(s, last);
        memset(last, 0, sizeof last);
    }
    store32le(last + 56, (uint32_t)bits);
    store32le(last + 60, (uint32_t)(bits >> 32));
    return md5_block(s, last);
}

void
cwi_md5(const void *data, size_t len, uint8_t out[16])
{
    struct md5_state s = md5(data, len);

    store32le(out, s.a);
    store32le(out + 4, s.b);
    store32le(out + 8, s.c);
    store32le(out + 12, s.d);
}

uint32_t
cwi_md5_le(const void *data, size_t len)
{
    return len <= CWI_MD5_SHORT ? md5_short(data, len).a : md5(data, len).a;
}

static uint64_t
md5_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    struct md5_state s = md5(data, len);

    (void)key;
    return (uint64_t)s.a | (uint64_t)s.b << 32;
}

const struct cwi_hash_ops cwi_hash_md5 = {
    .name       = "md5",
    .summary    = "MD5; value: the first 8 bytes, little-endian",
    .source     = "RFC 1321",
    .bits       = 64,
    .hash       = md5_hash,
    .digest_len = 16,
    .digest     = cwi_md5,
};
