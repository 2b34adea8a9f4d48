/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_find.h - the look-up in a line, once for each instruction set, to
 * be inlined where it is needed. The answers are equal.
 *
 * A line is compared as it lies: `above` has a bit (a pair of bits with
 * AVX2) for each fraction below that of the position, `same` for an equal
 * one. The lane of `meta` is among them: in a spilled line it is below or
 * equal to any fraction, so one test finds all that must go the exact way.
 * About 1 position in 4,000 does.
 */
#ifndef CWI_POINTS_FIND_H
#define CWI_POINTS_FIND_H

#include "core/points_table.h"

#define CWI_UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline uint32_t
cwi_find_c(const struct cwi_table *t, uint64_t at)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    const struct cwi_line *line = cwi_lines(t) + b;
    unsigned k = 0, same = 0, i;

    for (i = 0; i < CWI_LINE_SLOTS; i++) {
        k += line->frac[i] < f;
        same |= line->frac[i] == f;
    }
    if (CWI_UNLIKELY(same | (line->meta == CWI_META_SPILL)))
        return cwi_points_exact(t, at);
    return line->owner[k];
}

static inline uint32_t
cwi_find_wide_c(const struct cwi_table *t, uint64_t at)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    const struct cwi_line_wide *line = cwi_lines_wide(t) + b;
    unsigned k = 0, same = 0, i;

    for (i = 0; i < CWI_LINE_WIDE; i++) {
        k += line->frac[i] < f;
        same |= line->frac[i] == f;
    }
    if (CWI_UNLIKELY(same | (line->meta == CWI_META_SPILL)))
        return cwi_points_exact(t, at);
    return line->owner[k];
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CWI_X86 1
#include <immintrin.h>

#define CWI_AVX2 __attribute__((target("avx2,popcnt")))

/* The line of a position and its fraction in every lane. Positions above
 * `top` do not come here: callers keep to the ring. */
static inline uint64_t
cwi_line_at(const struct cwi_table *t, uint64_t at, uint16_t *frac)
{
    cwi_u128 product = (cwi_u128)at * t->mult;

    *frac = (uint16_t)(((uint64_t)product ^ UINT64_C(1) << 63) >> 48);
    return (uint64_t)(product >> 64);
}

/* Bits of lanes in a mask of 16 bits, and the number of those set when they
 * are the lowest ones. */
static inline uint32_t
cwi_low_bits(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(~mask);
}

static inline uint32_t
cwi_find_sse2(const struct cwi_table *t, uint64_t at)
{
    uint16_t f;
    const struct cwi_line *line = cwi_lines(t) + cwi_line_at(t, at, &f);
    const __m128i *v = (const __m128i *)line;
    __m128i x = _mm_set1_epi16((short)f);
    __m128i lo = _mm_load_si128(v), hi = _mm_load_si128(v + 1);
    __m128i eq = _mm_or_si128(_mm_cmpeq_epi16(x, lo), _mm_cmpeq_epi16(x, hi));
    uint32_t same = (uint32_t)_mm_movemask_epi8(eq);
    uint32_t above = (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_cmpgt_epi16(x, lo), _mm_cmpgt_epi16(x, hi)));

    if (CWI_UNLIKELY(same | above >> 15))
        return cwi_points_exact(t, at);
    return line->owner[cwi_low_bits(above)];
}

static inline uint32_t
cwi_find_wide_sse2(const struct cwi_table *t, uint64_t at)
{
    uint16_t f;
    const struct cwi_line_wide *line =
        cwi_lines_wide(t) + cwi_line_at(t, at, &f);
    const __m128i *v = (const __m128i *)line;
    __m128i x = _mm_set1_epi16((short)f);
    __m128i lo = _mm_load_si128(v), hi = _mm_load_si128(v + 1);
    uint32_t same = (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_cmpeq_epi16(x, lo), _mm_cmpeq_epi16(x, hi)));
    uint32_t above = (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm_cmpgt_epi16(x, lo), _mm_cmpgt_epi16(x, hi)));

    if (CWI_UNLIKELY((same & 0x3ffu) | (above & 0x200u)))
        return cwi_points_exact(t, at);
    return line->owner[cwi_low_bits(above & 0x1ffu)];
}

static inline CWI_AVX2 uint32_t
cwi_find_avx2(const struct cwi_table *t, uint64_t at)
{
    uint16_t f;
    const struct cwi_line *line = cwi_lines(t) + cwi_line_at(t, at, &f);
    __m256i x = _mm256_set1_epi16((short)f);
    __m256i v = _mm256_load_si256((const __m256i *)line);
    uint32_t same = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi16(x, v));
    uint32_t above = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi16(x, v));

    if (CWI_UNLIKELY(same | above >> 30))
        return cwi_points_exact(t, at);
    /* Two bits a lane and two bytes an owner: the count is the offset. */
    return *(const uint16_t *)((const char *)line->owner +
                               __builtin_popcount(above));
}

static inline CWI_AVX2 uint32_t
cwi_find_wide_avx2(const struct cwi_table *t, uint64_t at)
{
    uint16_t f;
    const struct cwi_line_wide *line =
        cwi_lines_wide(t) + cwi_line_at(t, at, &f);
    __m256i x = _mm256_set1_epi16((short)f);
    __m256i v = _mm256_load_si256((const __m256i *)line);
    uint32_t same = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi16(x, v));
    uint32_t above = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi16(x, v));

    if (CWI_UNLIKELY((same & 0xfffffu) | (above & 0xc0000u)))
        return cwi_points_exact(t, at);
    return *(const uint32_t *)((const char *)line->owner +
                               __builtin_popcount(above & 0x3ffffu) * 2);
}
#endif

#endif
