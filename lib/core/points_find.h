/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_find.h - the look-up in a line, once for each instruction set, to
 * be inlined where it is needed. The answers are equal.
 *
 * A line is compared as it lies: the fractions below that of the position
 * are the first k. Where fraction k is equal the line cannot tell, nor where
 * the lane of `meta` is below (behind what a crowded line holds, or one of
 * the 15 largest fractions): cwi_try_WAY() returns 0 for about 1 position in
 * 800, and the caller calls cwi_points_exact(), as its last act where it
 * can, so that the usual way needs no stack.
 */
#ifndef CWI_POINTS_FIND_H
#define CWI_POINTS_FIND_H

#include "core/points_table.h"

#define CWI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Fraction k of a line; `meta`, the next lane, where k is their number. */
static inline int16_t
cwi_lane(const void *line, unsigned k)
{
    return ((const int16_t *)line)[k];
}

/* The line of a position and how many of its fractions are below. 0: the line
 * cannot tell. */
static inline int
cwi_place_c(const struct cwi_table *t, uint64_t at,
            const struct cwi_line **line, uint32_t *k)
{
    int16_t f;
    unsigned i;

    *line = cwi_lines(t) + cwi_locate(t, at, &f);
    for (*k = 0, i = 0; i < CWI_LINE_SLOTS; i++)
        *k += (*line)->frac[i] < f;
    return !CWI_UNLIKELY(f > (*line)->meta || cwi_lane(*line, *k) == f);
}

static inline int
cwi_try_c(const struct cwi_table *t, uint64_t at, uint32_t *owner)
{
    const struct cwi_line *line;
    uint32_t k;

    if (!cwi_place_c(t, at, &line, &k))
        return 0;
    *owner = line->owner[k];
    return 1;
}

static inline int
cwi_try_wide_c(const struct cwi_table *t, uint64_t at, uint32_t *owner)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    const struct cwi_line_wide *line = cwi_lines_wide(t) + b;
    unsigned k = 0, i;

    for (i = 0; i < CWI_LINE_WIDE; i++)
        k += line->frac[i] < f;
    if (CWI_UNLIKELY(f > line->meta || cwi_lane(line, k) == f))
        return 0;
    *owner = line->owner[k];
    return 1;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CWI_X86 1
#include <immintrin.h>

#define CWI_AVX2 __attribute__((target("avx2,bmi2,popcnt")))

/* The line of a position, and its fraction as stored. Positions above `top`
 * do not come here: callers keep to the ring. The lines are behind a header
 * of their size, which an instruction adds for nothing where it loads. */
static inline const void *
cwi_line_at(const struct cwi_table *t, uint64_t at, uint32_t *frac)
{
    cwi_u128 product = (cwi_u128)at * t->mult;
    uintptr_t before = (uintptr_t)t + (uintptr_t)(product >> 64) * 64;

    *frac = (uint32_t)((uint64_t)product >> 49);
    return (const void *)(before + sizeof(*t));
}

/* The same by one instruction, which leaves its results where they are
 * wanted: of a product in 128 bits gcc 12 moves both halves about first. */
static inline uintptr_t
cwi_line_bmi2(const struct cwi_table *t, uint64_t at, uint32_t *frac)
{
    uint64_t low, high;

    __asm__("mulx %3, %0, %1"
            : "=r"(low), "=r"(high)
            : "d"(at), "rm"(t->mult));
    *frac = (uint32_t)(low >> 49);
    return (uintptr_t)t + (high << 6) + sizeof(*t);
}

/* Bits of lanes in a mask of 16 bits, and the number of those set when they
 * are the lowest ones. */
static inline uint32_t
cwi_low_bits(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(~mask);
}

static inline int
cwi_try_sse2(const struct cwi_table *t, uint64_t at, uint32_t *owner)
{
    uint32_t f, above, k;
    const struct cwi_line *line = cwi_line_at(t, at, &f);
    const __m128i *v = (const __m128i *)line;
    __m128i x = _mm_set1_epi16((short)f);

    above = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(
        _mm_cmpgt_epi16(x, v[0]), _mm_cmpgt_epi16(x, v[1])));
    k = cwi_low_bits(above);
    if (CWI_UNLIKELY(above >> 15 || (uint16_t)cwi_lane(line, k) == (uint16_t)f))
        return 0;
    *owner = line->owner[k];
    return 1;
}

static inline int
cwi_try_wide_sse2(const struct cwi_table *t, uint64_t at, uint32_t *owner)
{
    uint32_t f, above, k;
    const struct cwi_line_wide *line = cwi_line_at(t, at, &f);
    const __m128i *v = (const __m128i *)line;
    __m128i x = _mm_set1_epi16((short)f);

    above = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(
        _mm_cmpgt_epi16(x, v[0]), _mm_cmpgt_epi16(x, v[1])));
    k = cwi_low_bits(above & 0x1ffu);
    if (CWI_UNLIKELY(above & 0x200u ||
                     (uint16_t)cwi_lane(line, k) == (uint16_t)f))
        return 0;
    *owner = line->owner[k];
    return 1;
}

/* The line of a position and how many of its fractions are below, twice: two
 * bits a lane and two bytes a fraction and owner, so that the number of bits
 * is the offset of both. 0: the line cannot tell. */
static inline CWI_AVX2 int
cwi_place_avx2(const struct cwi_table *t, uint64_t at, const char **line,
               uint64_t *offset)
{
    uint32_t f, above;
    __m256i x;

    *line = (const char *)cwi_line_bmi2(t, at, &f);
    x = _mm256_broadcastw_epi16(_mm_cvtsi32_si128((int)f));
    above = (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpgt_epi16(x, *(const __m256i *)*line));
    if (CWI_UNLIKELY((int32_t)above < 0))
        return 0;
    *offset = (uint32_t)__builtin_popcount(above);
    return !CWI_UNLIKELY(*(const uint16_t *)(*line + *offset) == (uint16_t)f);
}

static inline CWI_AVX2 int
cwi_try_avx2(const struct cwi_table *t, uint64_t at, uint32_t *owner)
{
    const char *line;
    uint64_t k;

    if (!cwi_place_avx2(t, at, &line, &k))
        return 0;
    *owner = *(const uint16_t *)(line + offsetof(struct cwi_line, owner) + k);
    return 1;
}

static inline CWI_AVX2 int
cwi_try_wide_avx2(const struct cwi_table *t, uint64_t at, uint32_t *owner)
{
    uint32_t f, above;
    uint64_t k;
    const char *line = (const char *)cwi_line_bmi2(t, at, &f);
    __m256i x = _mm256_broadcastw_epi16(_mm_cvtsi32_si128((int)f));

    above = (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpgt_epi16(x, *(const __m256i *)line));
    k = (uint64_t)__builtin_popcountll(above & 0x3ffffu);
    if (CWI_UNLIKELY(above & 0x80000u ||
                     *(const uint16_t *)(line + k) == (uint16_t)f))
        return 0;
    *owner = *(const uint32_t *)(line +
                                 offsetof(struct cwi_line_wide, owner) +
                                 2 * k);
    return 1;
}
#endif

/* How many fractions of a line are below f. */
static inline unsigned
cwi_rank(const int16_t *frac, unsigned slots, int16_t f)
{
    unsigned k = 0, i;

#ifdef CWI_X86
    const __m128i *v = (const __m128i *)(const void *)frac;
    __m128i x = _mm_set1_epi16(f);
    uint32_t above = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(
        _mm_cmpgt_epi16(x, v[0]), _mm_cmpgt_epi16(x, v[1])));

    (void)i;
    k = cwi_low_bits(above & ((1u << slots) - 1));
#else
    for (i = 0; i < slots; i++)
        k += frac[i] < f;
#endif
    return k;
}

/* ---- three nodes ------------------------------------------------------- */

/*
 * The first three nodes from point k of a narrow line, by the points of that
 * line and the next; 0 when these cannot tell. Nobody foresees where a line
 * ends, so no branch asks for it: the place to read is computed, and that it
 * was a point's is found out at last. owner[count] is that of the next line's
 * first point, too. A crowded line counts as one of more points than are
 * looked at. Of a ring of 2^64 positions alone: on a small one the lines may
 * end before their part of the table does.
 */
static inline uint32_t
cwi_three_from(const struct cwi_table *t, const struct cwi_line *line,
               uint64_t k, uint32_t *out)
{
    const uint16_t *owner = line->owner + k;
    uint64_t count = (uint64_t)(INT16_MAX - line->meta);
    uint64_t jump = sizeof(*line) / sizeof(*owner) - count;
    uint32_t a = owner[0], b, c;

    if (CWI_UNLIKELY((uintptr_t)(line + 1) == (uintptr_t)cwi_start(t)))
        return 0;
    if (CWI_UNLIKELY(cwi_crowded(line) && k + 3 > CWI_CROWDED))
        return 0;
    b = owner[1 + (jump & (0u - (uint64_t)(k + 1 > count)))];
    c = owner[2 + (jump & (0u - (uint64_t)(k + 2 > count)))];
    out[0] = a;
    out[1] = b;
    out[2] = c;
    if (CWI_UNLIKELY((int64_t)(k + 2 - count) > INT16_MAX - line[1].meta))
        return 0;
    if (CWI_UNLIKELY(a == b) || CWI_UNLIKELY(a == c) || CWI_UNLIKELY(b == c))
        return 0;
    return 3;
}

static inline uint32_t
cwi_three_any(const struct cwi_table *t, uint64_t at, uint32_t *out)
{
    const struct cwi_line *line;
    uint32_t k;

    return cwi_place_c(t, at, &line, &k) ? cwi_three_from(t, line, k, out)
                                         : 0;
}

#ifdef CWI_X86
static inline CWI_AVX2 uint32_t
cwi_three_avx2(const struct cwi_table *t, uint64_t at, uint32_t *out)
{
    const char *line;
    uint64_t k;

    if (!cwi_place_avx2(t, at, &line, &k))
        return 0;
    return cwi_three_from(t, (const struct cwi_line *)line, k / 2, out);
}
#endif

#endif
