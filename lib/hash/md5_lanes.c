/* SPDX-License-Identifier: Apache-2.0 */
/*
 * md5_lanes.c - MD5 of many short texts at once: sixteen in two vectors of
 * eight lanes, whose steps alternate, because a step of one waits for the
 * step before it. The digests are those of hash_md5.c.
 */
#include <string.h>

#include "../core/hash.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define LANES_AVX2 1
#endif

#define LANES     16u
#define BLOCK     64u
#define SHORT_MAX 55u       /* bytes that fit one block with their padding  */

void
cwi_md5_many_c(const struct cwi_text_ref *text, size_t n, uint32_t (*out)[4])
{
    uint8_t digest[16];

    for (size_t i = 0; i < n; i++) {
        cwi_md5(text[i].data, text[i].len, digest);
        for (unsigned k = 0; k < 4; k++)
            out[i][k] = cwi_load32le(digest + 4 * k);
    }
}

#ifdef LANES_AVX2
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

#define ADD(x, y) _mm256_add_epi32(x, y)
#define TURN(x, s) \
    _mm256_or_si256(_mm256_slli_epi32(x, s), _mm256_srli_epi32(x, 32 - (s)))

#define F(b, c, d) \
    _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(c, d), b), d)
#define G(b, c, d) \
    ADD(_mm256_andnot_si256(d, c), _mm256_and_si256(d, b))
#define H(b, c, d) _mm256_xor_si256(_mm256_xor_si256(c, d), b)
#define I(b, c, d) \
    _mm256_xor_si256(_mm256_or_si256(_mm256_xor_si256(d, ones), b), c)

/* One step of both halves. */
#define STEP(f, a, b, c, d, word, k, s)                                    \
    do {                                                                   \
        __m256i add = _mm256_set1_epi32((int)UINT32_C(k));                 \
                                                                           \
        x.a = ADD(ADD(x.a, ADD(w[0][word], add)), f(x.b, x.c, x.d));       \
        y.a = ADD(ADD(y.a, ADD(w[1][word], add)), f(y.b, y.c, y.d));       \
        x.a = ADD(TURN(x.a, s), x.b);                                      \
        y.a = ADD(TURN(y.a, s), y.b);                                      \
    } while (0)

struct half {
    __m256i a, b, c, d;
};

/* Word j of lane i, at rows[i] + j, becomes lane i of w[j], j = 0 .. 7. */
static AVX2 void
transpose(const uint8_t *rows, __m256i *w)
{
    __m256i r[8], t[8];

    for (unsigned i = 0; i < 8; i++)
        r[i] = _mm256_load_si256((const __m256i *)(const void *)
                                 (rows + i * BLOCK));
    for (unsigned i = 0; i < 4; i++) {
        t[2 * i] = _mm256_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        r[4 * i] = _mm256_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 1] = _mm256_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 2] = _mm256_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        r[4 * i + 3] = _mm256_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        w[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        w[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
}

/* Sixteen padded blocks, one behind the other, to sixteen states. */
static AVX2 void
sixteen(const uint8_t *blocks, uint32_t (*out)[4])
{
    const __m256i ones = _mm256_set1_epi32(-1);
    struct half x, y;
    __m256i w[2][16];
    uint32_t word[4][LANES];

    for (unsigned i = 0; i < 2; i++) {
        transpose(blocks + i * 8 * BLOCK, w[i]);
        transpose(blocks + i * 8 * BLOCK + BLOCK / 2, w[i] + 8);
    }
    x.a = y.a = _mm256_set1_epi32(0x67452301);
    x.b = y.b = _mm256_set1_epi32((int)UINT32_C(0xefcdab89));
    x.c = y.c = _mm256_set1_epi32((int)UINT32_C(0x98badcfe));
    x.d = y.d = _mm256_set1_epi32(0x10325476);
    STEP(F, a, b, c, d, 0, 0xd76aa478, 7);
    STEP(F, d, a, b, c, 1, 0xe8c7b756, 12);
    STEP(F, c, d, a, b, 2, 0x242070db, 17);
    STEP(F, b, c, d, a, 3, 0xc1bdceee, 22);
    STEP(F, a, b, c, d, 4, 0xf57c0faf, 7);
    STEP(F, d, a, b, c, 5, 0x4787c62a, 12);
    STEP(F, c, d, a, b, 6, 0xa8304613, 17);
    STEP(F, b, c, d, a, 7, 0xfd469501, 22);
    STEP(F, a, b, c, d, 8, 0x698098d8, 7);
    STEP(F, d, a, b, c, 9, 0x8b44f7af, 12);
    STEP(F, c, d, a, b, 10, 0xffff5bb1, 17);
    STEP(F, b, c, d, a, 11, 0x895cd7be, 22);
    STEP(F, a, b, c, d, 12, 0x6b901122, 7);
    STEP(F, d, a, b, c, 13, 0xfd987193, 12);
    STEP(F, c, d, a, b, 14, 0xa679438e, 17);
    STEP(F, b, c, d, a, 15, 0x49b40821, 22);
    STEP(G, a, b, c, d, 1, 0xf61e2562, 5);
    STEP(G, d, a, b, c, 6, 0xc040b340, 9);
    STEP(G, c, d, a, b, 11, 0x265e5a51, 14);
    STEP(G, b, c, d, a, 0, 0xe9b6c7aa, 20);
    STEP(G, a, b, c, d, 5, 0xd62f105d, 5);
    STEP(G, d, a, b, c, 10, 0x02441453, 9);
    STEP(G, c, d, a, b, 15, 0xd8a1e681, 14);
    STEP(G, b, c, d, a, 4, 0xe7d3fbc8, 20);
    STEP(G, a, b, c, d, 9, 0x21e1cde6, 5);
    STEP(G, d, a, b, c, 14, 0xc33707d6, 9);
    STEP(G, c, d, a, b, 3, 0xf4d50d87, 14);
    STEP(G, b, c, d, a, 8, 0x455a14ed, 20);
    STEP(G, a, b, c, d, 13, 0xa9e3e905, 5);
    STEP(G, d, a, b, c, 2, 0xfcefa3f8, 9);
    STEP(G, c, d, a, b, 7, 0x676f02d9, 14);
    STEP(G, b, c, d, a, 12, 0x8d2a4c8a, 20);
    STEP(H, a, b, c, d, 5, 0xfffa3942, 4);
    STEP(H, d, a, b, c, 8, 0x8771f681, 11);
    STEP(H, c, d, a, b, 11, 0x6d9d6122, 16);
    STEP(H, b, c, d, a, 14, 0xfde5380c, 23);
    STEP(H, a, b, c, d, 1, 0xa4beea44, 4);
    STEP(H, d, a, b, c, 4, 0x4bdecfa9, 11);
    STEP(H, c, d, a, b, 7, 0xf6bb4b60, 16);
    STEP(H, b, c, d, a, 10, 0xbebfbc70, 23);
    STEP(H, a, b, c, d, 13, 0x289b7ec6, 4);
    STEP(H, d, a, b, c, 0, 0xeaa127fa, 11);
    STEP(H, c, d, a, b, 3, 0xd4ef3085, 16);
    STEP(H, b, c, d, a, 6, 0x04881d05, 23);
    STEP(H, a, b, c, d, 9, 0xd9d4d039, 4);
    STEP(H, d, a, b, c, 12, 0xe6db99e5, 11);
    STEP(H, c, d, a, b, 15, 0x1fa27cf8, 16);
    STEP(H, b, c, d, a, 2, 0xc4ac5665, 23);
    STEP(I, a, b, c, d, 0, 0xf4292244, 6);
    STEP(I, d, a, b, c, 7, 0x432aff97, 10);
    STEP(I, c, d, a, b, 14, 0xab9423a7, 15);
    STEP(I, b, c, d, a, 5, 0xfc93a039, 21);
    STEP(I, a, b, c, d, 12, 0x655b59c3, 6);
    STEP(I, d, a, b, c, 3, 0x8f0ccc92, 10);
    STEP(I, c, d, a, b, 10, 0xffeff47d, 15);
    STEP(I, b, c, d, a, 1, 0x85845dd1, 21);
    STEP(I, a, b, c, d, 8, 0x6fa87e4f, 6);
    STEP(I, d, a, b, c, 15, 0xfe2ce6e0, 10);
    STEP(I, c, d, a, b, 6, 0xa3014314, 15);
    STEP(I, b, c, d, a, 13, 0x4e0811a1, 21);
    STEP(I, a, b, c, d, 4, 0xf7537e82, 6);
    STEP(I, d, a, b, c, 11, 0xbd3af235, 10);
    STEP(I, c, d, a, b, 2, 0x2ad7d2bb, 15);
    STEP(I, b, c, d, a, 9, 0xeb86d391, 21);
    x.a = ADD(x.a, _mm256_set1_epi32(0x67452301));
    y.a = ADD(y.a, _mm256_set1_epi32(0x67452301));
    x.b = ADD(x.b, _mm256_set1_epi32((int)UINT32_C(0xefcdab89)));
    y.b = ADD(y.b, _mm256_set1_epi32((int)UINT32_C(0xefcdab89)));
    x.c = ADD(x.c, _mm256_set1_epi32((int)UINT32_C(0x98badcfe)));
    y.c = ADD(y.c, _mm256_set1_epi32((int)UINT32_C(0x98badcfe)));
    x.d = ADD(x.d, _mm256_set1_epi32(0x10325476));
    y.d = ADD(y.d, _mm256_set1_epi32(0x10325476));
    _mm256_storeu_si256((__m256i *)(void *)&word[0][0], x.a);
    _mm256_storeu_si256((__m256i *)(void *)&word[0][8], y.a);
    _mm256_storeu_si256((__m256i *)(void *)&word[1][0], x.b);
    _mm256_storeu_si256((__m256i *)(void *)&word[1][8], y.b);
    _mm256_storeu_si256((__m256i *)(void *)&word[2][0], x.c);
    _mm256_storeu_si256((__m256i *)(void *)&word[2][8], y.c);
    _mm256_storeu_si256((__m256i *)(void *)&word[3][0], x.d);
    _mm256_storeu_si256((__m256i *)(void *)&word[3][8], y.d);
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned k = 0; k < 4; k++)
            out[i][k] = word[k][i];
    }
}

/* A short text with its padding, in a block of zeros. */
static void
pad(uint8_t *block, const struct cwi_text_ref *t)
{
    memset(block, 0, BLOCK);
    if (t->len)
        memcpy(block, t->data, t->len);
    block[t->len] = 0x80;
    block[56] = (uint8_t)(t->len << 3);
    block[57] = (uint8_t)(t->len >> 5);
}

/* Short texts gather until there are sixteen; fewer than that, and long
 * ones, are as fast one by one. */
static void
many_avx2(const struct cwi_text_ref *text, size_t n, uint32_t (*out)[4])
{
    _Alignas(32) uint8_t blocks[LANES * BLOCK];
    uint32_t words[LANES][4];
    size_t where[LANES];
    unsigned got = 0;

    for (size_t i = 0; i < n; i++) {
        if (text[i].len > SHORT_MAX) {
            cwi_md5_many_c(&text[i], 1, &out[i]);
            continue;
        }
        pad(blocks + got * BLOCK, &text[i]);
        where[got++] = i;
        if (got == LANES) {
            sixteen(blocks, words);
            for (unsigned k = 0; k < LANES; k++)
                memcpy(out[where[k]], words[k], sizeof words[k]);
            got = 0;
        }
    }
    if (got > 2) {
        sixteen(blocks, words);         /* the lanes left over do no harm */
        for (unsigned k = 0; k < got; k++)
            memcpy(out[where[k]], words[k], sizeof words[k]);
        got = 0;
    }
    for (unsigned k = 0; k < got; k++)
        cwi_md5_many_c(&text[where[k]], 1, &out[where[k]]);
}
#endif

void
cwi_md5_many(const struct cwi_text_ref *text, size_t n, uint32_t (*out)[4])
{
#ifdef LANES_AVX2
    if (__builtin_cpu_supports("avx2")) {
        many_avx2(text, n, out);
        return;
    }
#endif
    cwi_md5_many_c(text, n, out);
}
