/* SPDX-License-Identifier: Apache-2.0 */
/*
 * md5_lanes.c - MD5 of many short texts at once, sixteen by sixteen. With
 * AVX2 in two vectors of eight lanes, whose steps alternate, because a step
 * waits for the one before it; with AVX-512 in one of sixteen, whose steps
 * are shorter. The digests are those of hash_md5.c.
 */
#include <string.h>

#include "md5_pad.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define LANES_X86 1
#endif

#define LANES   16u
#define BLOCK   64u
#define LONGEST 55u         /* bytes that fit one block with their padding  */

static void
one_by_one(const struct cwi_text_ref *text, size_t n, uint32_t (*out)[4])
{
    uint8_t digest[16];

    for (size_t i = 0; i < n; i++) {
        cwi_md5(text[i].data, text[i].len, digest);
        for (unsigned k = 0; k < 4; k++)
            out[i][k] = cwi_load32le(digest + 4 * k);
    }
}

#ifdef LANES_X86
#include <immintrin.h>

#define AVX2   __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx2,avx512f")))
#define INLINE __attribute__((always_inline))

static const uint32_t begin[4] = {
    UINT32_C(0x67452301), UINT32_C(0xefcdab89), UINT32_C(0x98badcfe),
    UINT32_C(0x10325476)
};

/* The constants of the steps. */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee,
    0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
    0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
    0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
    0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
    0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
    0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039,
    0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391
};

/* Four steps, after which the words of the state are in their places again. */
#define QUAD(step, f, n, w0, w1, w2, w3)                                   \
    step(f, a, b, c, d, w0, n, TURN_##f##_0);                              \
    step(f, d, a, b, c, w1, (n) + 1, TURN_##f##_1);                        \
    step(f, c, d, a, b, w2, (n) + 2, TURN_##f##_2);                        \
    step(f, b, c, d, a, w3, (n) + 3, TURN_##f##_3);

/* All steps, by STEP of one of the two widths. */
#define ROUNDS(step)                                                       \
    QUAD(step, F, 0, 0, 1, 2, 3)                                           \
    QUAD(step, F, 4, 4, 5, 6, 7)                                           \
    QUAD(step, F, 8, 8, 9, 10, 11)                                         \
    QUAD(step, F, 12, 12, 13, 14, 15)                                      \
    QUAD(step, G, 16, 1, 6, 11, 0)                                         \
    QUAD(step, G, 20, 5, 10, 15, 4)                                        \
    QUAD(step, G, 24, 9, 14, 3, 8)                                         \
    QUAD(step, G, 28, 13, 2, 7, 12)                                        \
    QUAD(step, H, 32, 5, 8, 11, 14)                                        \
    QUAD(step, H, 36, 1, 4, 7, 10)                                         \
    QUAD(step, H, 40, 13, 0, 3, 6)                                         \
    QUAD(step, H, 44, 9, 12, 15, 2)                                        \
    QUAD(step, I, 48, 0, 7, 14, 5)                                         \
    QUAD(step, I, 52, 12, 3, 10, 1)                                        \
    QUAD(step, I, 56, 8, 15, 6, 13)                                        \
    QUAD(step, I, 60, 4, 11, 2, 9)

enum {
    TURN_F_0 = 7, TURN_F_1 = 12, TURN_F_2 = 17, TURN_F_3 = 22,
    TURN_G_0 = 5, TURN_G_1 = 9,  TURN_G_2 = 14, TURN_G_3 = 20,
    TURN_H_0 = 4, TURN_H_1 = 11, TURN_H_2 = 16, TURN_H_3 = 23,
    TURN_I_0 = 6, TURN_I_1 = 10, TURN_I_2 = 15, TURN_I_3 = 21
};

struct half {
    __m256i a, b, c, d;
};

/* Word j of lane i, at rows[i] + j, becomes lane i of w[j], j = 0 .. 7. */
static inline INLINE AVX2 void
transpose(const uint8_t *rows, size_t row, __m256i *w)
{
    __m256i r[8], t[8];

    for (unsigned i = 0; i < 8; i++)
        r[i] = _mm256_load_si256((const __m256i *)(const void *)
                                 (rows + i * row));
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

/* ---- AVX2 -------------------------------------------------------------- */

#define ADD(x, y) _mm256_add_epi32(x, y)
#define TURN(x, s)                                                         \
    ((s) == 16 ? _mm256_shuffle_epi8(x, swap)                              \
               : _mm256_or_si256(_mm256_slli_epi32(x, s),                  \
                                 _mm256_srli_epi32(x, 32 - (s))))

#define F_8(b, c, d) \
    _mm256_xor_si256(_mm256_and_si256(_mm256_xor_si256(c, d), b), d)
#define G_8(b, c, d) \
    ADD(_mm256_andnot_si256(d, c), _mm256_and_si256(d, b))
#define H_8(b, c, d) _mm256_xor_si256(_mm256_xor_si256(c, d), b)
#define I_8(b, c, d) \
    _mm256_xor_si256(_mm256_or_si256(_mm256_xor_si256(d, ones), b), c)

/* Keeps the sum of what is known before b apart from what waits for b, as in
 * hash_md5.c. */
#define SETTLE(x) __asm__("" : "+x"(x))

/* Bytes of the halves of each word in turned places, highest first. */
#define SWAP 13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2

/* One step of both halves. In a block of short texts the words 8 to 13 and
 * 15 are 0. */
#define STEP_8(f, a, b, c, d, word, n, s)                                  \
    do {                                                                   \
        __m256i add = _mm256_set1_epi32((int)sine[n]);                     \
                                                                           \
        if (!(short_texts && (word) > 7 && (word) != 14)) {                \
            x.a = ADD(x.a, w[0][word]);                                    \
            y.a = ADD(y.a, w[1][word]);                                    \
        }                                                                  \
        x.a = ADD(x.a, add);                                               \
        y.a = ADD(y.a, add);                                               \
        SETTLE(x.a);                                                       \
        SETTLE(y.a);                                                       \
        x.a = ADD(x.a, f##_8(x.b, x.c, x.d));                              \
        y.a = ADD(y.a, f##_8(y.b, y.c, y.d));                              \
        x.a = ADD(TURN(x.a, s), x.b);                                      \
        y.a = ADD(TURN(y.a, s), y.b);                                      \
    } while (0)

/* The states of eight lanes, each as four words in a row. */
static inline INLINE AVX2 void
put_states(struct half s, uint32_t (*out)[4])
{
    const __m256i *in[4] = { &s.a, &s.b, &s.c, &s.d };
    __m256i sum[4], t[4], r[4];

    for (unsigned i = 0; i < 4; i++)
        sum[i] = ADD(*in[i], _mm256_set1_epi32((int)begin[i]));
    t[0] = _mm256_unpacklo_epi32(sum[0], sum[1]);
    t[1] = _mm256_unpacklo_epi32(sum[2], sum[3]);
    t[2] = _mm256_unpackhi_epi32(sum[0], sum[1]);
    t[3] = _mm256_unpackhi_epi32(sum[2], sum[3]);
    r[0] = _mm256_unpacklo_epi64(t[0], t[1]);
    r[1] = _mm256_unpackhi_epi64(t[0], t[1]);
    r[2] = _mm256_unpacklo_epi64(t[2], t[3]);
    r[3] = _mm256_unpackhi_epi64(t[2], t[3]);
    for (unsigned i = 0; i < 4; i++) {
        _mm_storeu_si128((__m128i *)(void *)out[i],
                         _mm256_castsi256_si128(r[i]));
        _mm_storeu_si128((__m128i *)(void *)out[i + 4],
                         _mm256_extracti128_si256(r[i], 1));
    }
}

/* From words to sixteen states. */
static inline INLINE AVX2 void
steps_8(const int short_texts, __m256i (*w)[16], uint32_t (*out)[4])
{
    const __m256i ones = _mm256_set1_epi32(-1);
    const __m256i swap = _mm256_set_epi8(SWAP, SWAP);
    const uint32_t *sine = sines;
    struct half x, y;

    /* Not known to be constants, they are read as eight copies at once. */
    __asm__("" : "+r"(sine));
    x.a = y.a = _mm256_set1_epi32((int)begin[0]);
    x.b = y.b = _mm256_set1_epi32((int)begin[1]);
    x.c = y.c = _mm256_set1_epi32((int)begin[2]);
    x.d = y.d = _mm256_set1_epi32((int)begin[3]);
    ROUNDS(STEP_8)
    put_states(x, out);
    put_states(y, out + LANES / 2);
}

/* ---- AVX-512 ----------------------------------------------------------- */

/* Functions of three bits as tables: bit 4 b + 2 c + d. */
enum {
    F_BITS = 0xca, G_BITS = 0xe4, H_BITS = 0x96, I_BITS = 0x39
};

#define STEP_16(f, a, b, c, d, word, n, s)                                 \
    do {                                                                   \
        a = _mm512_add_epi32(a, _mm512_set1_epi32((int)sine[n]));          \
        if (!(short_texts && (word) > 7 && (word) != 14))                  \
            a = _mm512_add_epi32(a, in[word]);                             \
        SETTLE_16(a);                                                      \
        a = _mm512_add_epi32(a, _mm512_ternarylogic_epi32(b, c, d,         \
                                                          f##_BITS));      \
        a = _mm512_add_epi32(_mm512_rol_epi32(a, s), b);                   \
    } while (0)
#define SETTLE_16(x) __asm__("" : "+v"(x))

static inline INLINE AVX512 void
steps_16(const int short_texts, __m256i (*w)[16], uint32_t (*out)[4])
{
    const uint32_t *sine = sines;
    __m512i a = _mm512_set1_epi32((int)begin[0]);
    __m512i b = _mm512_set1_epi32((int)begin[1]);
    __m512i c = _mm512_set1_epi32((int)begin[2]);
    __m512i d = _mm512_set1_epi32((int)begin[3]);
    __m512i in[16];
    struct half x, y;

    __asm__("" : "+r"(sine));
    for (unsigned i = 0; i < 16; i++) {
        if (!(short_texts && i > 7 && i != 14))
            in[i] = _mm512_inserti64x4(_mm512_castsi256_si512(w[0][i]),
                                       w[1][i], 1);
    }
    ROUNDS(STEP_16)
    x.a = _mm512_castsi512_si256(a);
    x.b = _mm512_castsi512_si256(b);
    x.c = _mm512_castsi512_si256(c);
    x.d = _mm512_castsi512_si256(d);
    y.a = _mm512_extracti64x4_epi64(a, 1);
    y.b = _mm512_extracti64x4_epi64(b, 1);
    y.c = _mm512_extracti64x4_epi64(c, 1);
    y.d = _mm512_extracti64x4_epi64(d, 1);
    put_states(x, out);
    put_states(y, out + LANES / 2);
}

/* ---- texts ------------------------------------------------------------- */

static inline AVX2 __m128i
load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* cwi_md5_pad(), for 16 bytes and more in vectors: what follows the first 16
 * is the end of the last 16, moved to the front. */
static inline INLINE AVX2 void
pad_short(const struct cwi_text_ref *t, uint64_t *row)
{
    static const uint8_t take[32] = {   /* for _mm_shuffle_epi8             */
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        128, 128, 128, 128, 128, 128, 128, 128,
        128, 128, 128, 128, 128, 128, 128, 128
    };
    static const uint8_t bit[31] = { [15] = 0x80 };
    const uint8_t *p = t->data;
    __m128i rest;

    if (t->len < 16) {
        cwi_md5_pad(p, t->len, row);
        return;
    }
    rest = _mm_shuffle_epi8(load(p + t->len - 16), load(take + 32 - t->len));
    rest = _mm_or_si128(rest, load(bit + 31 - t->len));
    _mm256_store_si256((__m256i *)(void *)row,
                       _mm256_set_m128i(rest, load(p)));
}

/* Words of sixteen texts of at most CWI_MD5_SHORT bytes. */
static inline INLINE AVX2 void
words_short(const struct cwi_text_ref *text, __m256i (*w)[16])
{
    _Alignas(32) uint64_t rows[LANES][BLOCK / 16];
    _Alignas(32) uint32_t bits[LANES];

    for (unsigned i = 0; i < LANES; i++) {
        pad_short(&text[i], rows[i]);
        bits[i] = (uint32_t)text[i].len << 3;
    }
    for (unsigned i = 0; i < 2; i++) {
        transpose((const uint8_t *)rows[i * 8], BLOCK / 2, w[i]);
        w[i][14] = _mm256_load_si256((const __m256i *)(const void *)
                                     (bits + i * 8));
    }
}

/* A text with its padding, in a block of zeros. */
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

/* Words of sixteen texts of at most LONGEST bytes. */
static inline INLINE AVX2 void
words_long(const struct cwi_text_ref *text, __m256i (*w)[16])
{
    _Alignas(32) uint8_t blocks[LANES * BLOCK];

    for (unsigned i = 0; i < LANES; i++)
        pad(blocks + i * BLOCK, &text[i]);
    for (unsigned i = 0; i < 2; i++) {
        transpose(blocks + i * 8 * BLOCK, BLOCK, w[i]);
        transpose(blocks + i * 8 * BLOCK + BLOCK / 2, BLOCK, w[i] + 8);
    }
}

/* Sixteen texts, short ones or not. */
#define SIXTEEN(name, attribute, steps)                                    \
    static attribute void                                                  \
    name##_short(const struct cwi_text_ref *text, uint32_t (*out)[4])      \
    {                                                                      \
        __m256i w[2][16];                                                  \
                                                                           \
        words_short(text, w);                                              \
        steps(1, w, out);                                                  \
    }                                                                      \
                                                                           \
    static attribute void                                                  \
    name##_long(const struct cwi_text_ref *text, uint32_t (*out)[4])       \
    {                                                                      \
        __m256i w[2][16];                                                  \
                                                                           \
        words_long(text, w);                                               \
        steps(0, w, out);                                                  \
    }

SIXTEEN(avx2, AVX2, steps_8)
SIXTEEN(avx512, AVX512, steps_16)

typedef void sixteen_fn(const struct cwi_text_ref *text, uint32_t (*out)[4]);

/* By way; then for long and for short texts. */
static sixteen_fn *const sixteen[][2] = {
    { avx2_long, avx2_short },
    { avx512_long, avx512_short }
};

/* The next texts, up to sixteen; fewer than three, and long ones, are as
 * fast one by one. */
static void
some(sixteen_fn *const *fn, const struct cwi_text_ref *text, size_t n,
     uint32_t (*out)[4])
{
    struct cwi_text_ref all[LANES] = { { NULL, 0 } };
    uint32_t words[LANES][4];
    size_t longest = 0;

    for (size_t i = 0; i < n; i++)
        longest = text[i].len > longest ? text[i].len : longest;
    if (n < 3 || longest > LONGEST) {
        one_by_one(text, n, out);
    } else if (n == LANES) {
        fn[longest <= CWI_MD5_SHORT](text, out);
    } else {                    /* the lanes left over do no harm */
        memcpy(all, text, n * sizeof *text);
        fn[longest <= CWI_MD5_SHORT](all, words);
        memcpy(out, words, n * sizeof *out);
    }
}
#endif

enum cwi_md5_way
cwi_md5_best(void)
{
#ifdef LANES_X86
    if (__builtin_cpu_supports("avx512f"))
        return CWI_MD5_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return CWI_MD5_AVX2;
#endif
    return CWI_MD5_C;
}

void
cwi_md5_by(enum cwi_md5_way way, const struct cwi_text_ref *text, size_t n,
           uint32_t (*out)[4])
{
#ifdef LANES_X86
    if (way != CWI_MD5_C) {
        for (size_t i = 0; i < n; i += LANES)
            some(sixteen[way - CWI_MD5_AVX2], text + i,
                 n - i < LANES ? n - i : LANES, out + i);
        return;
    }
#endif
    (void)way;
    one_by_one(text, n, out);
}

void
cwi_md5_many(const struct cwi_text_ref *text, size_t n, uint32_t (*out)[4])
{
    cwi_md5_by(cwi_md5_best(), text, n, out);
}
