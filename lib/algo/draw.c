/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw.c - the highest draw of many nodes. With AVX2 eight at a time, each
 * lane on its own; what two equal draws would decide is left to the plain
 * way, which is taken once in a few million look-ups.
 */
#include "draw.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DRAW_AVX2 1
#include <immintrin.h>

#define AVX2  __attribute__((target("avx2")))
#define LANES 8u
#endif

uint32_t
cwi_draw_best_c(struct cwi_draw d, const uint32_t *id_low,
                const uint32_t *id_high, uint32_t n)
{
    uint32_t best = 0, most = cwi_draw_upper(d, id_low[0], id_high[0]);

    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = cwi_draw_upper(d, id_low[i], id_high[i]);

        if (x < most)
            continue;
        if (x == most && cwi_draw_lower(d, id_low[i], id_high[i]) <=
                         cwi_draw_lower(d, id_low[best], id_high[best]))
            continue;
        best = i;
        most = x;
    }
    return best;
}

#ifdef DRAW_AVX2
static inline AVX2 __m256i
load(const uint32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* cwi_draw_upper() of eight nodes. */
static inline AVX2 __m256i
eight(__m256i low, __m256i high, __m256i id_low, __m256i id_high)
{
    __m256i x = _mm256_mullo_epi32(_mm256_xor_si256(low, id_low),
                                   _mm256_set1_epi32((int)CWI_DRAW_1));

    x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 15));
    x = _mm256_add_epi32(x, _mm256_xor_si256(high, id_high));
    return _mm256_mullo_epi32(x, _mm256_set1_epi32((int)CWI_DRAW_2));
}

/* What each lane has found. */
struct lanes {
    __m256i most;       /* its highest draw                                 */
    __m256i best;       /* whose that is                                    */
    __m256i equal;      /* not 0: another one was as high at that time      */
};

static inline AVX2 void
take(struct lanes *l, __m256i x, __m256i at)
{
    __m256i more = _mm256_max_epu32(x, l->most);

    l->equal = _mm256_or_si256(l->equal, _mm256_cmpeq_epi32(x, l->most));
    l->best = _mm256_blendv_epi8(at, l->best,
                                 _mm256_cmpeq_epi32(more, l->most));
    l->most = more;
}

/* The best of all lanes, or n when equal draws must be told apart. */
static inline AVX2 uint32_t
best_lane(const struct lanes *l, uint32_t n)
{
    __m256i top = _mm256_max_epu32(
        l->most, _mm256_permute2x128_si256(l->most, l->most, 1));
    uint32_t index[LANES];
    unsigned mask;

    top = _mm256_max_epu32(top, _mm256_shuffle_epi32(top, 0x4e));
    top = _mm256_max_epu32(top, _mm256_shuffle_epi32(top, 0xb1));
    mask = (unsigned)_mm256_movemask_ps(
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(l->most, top)));
    if ((mask & (mask - 1)) != 0 || !_mm256_testz_si256(l->equal, l->equal))
        return n;
    _mm256_storeu_si256((__m256i *)(void *)index, l->best);
    return index[__builtin_ctz(mask)];
}

/* The best of n >= LANES nodes, or n. */
static AVX2 uint32_t
best_avx2(struct cwi_draw d, const uint32_t *id_low, const uint32_t *id_high,
          uint32_t n)
{
    static const uint32_t last[2 * LANES] = {   /* ones from LANES on       */
        0, 0, 0, 0, 0, 0, 0, 0, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u
    };
    const __m256i low = _mm256_set1_epi32((int)(uint32_t)d.mixed);
    const __m256i high = _mm256_set1_epi32((int)(d.mixed >> 32));
    const __m256i step = _mm256_set1_epi32(LANES);
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), x;
    struct lanes l = { _mm256_setzero_si256(), at, _mm256_setzero_si256() };
    uint32_t i;

    for (i = 0; i + LANES <= n; i += LANES) {
        take(&l, eight(low, high, load(id_low + i), load(id_high + i)), at);
        at = _mm256_add_epi32(at, step);
    }
    if (i < n) {        /* the last eight once more, without those before i */
        i = n - LANES;
        x = eight(low, high, load(id_low + i), load(id_high + i));
        at = _mm256_add_epi32(_mm256_set1_epi32((int)i),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        take(&l, _mm256_and_si256(x, load(last + n % LANES)), at);
    }
    return best_lane(&l, n);
}
#endif

uint32_t
cwi_draw_best(struct cwi_draw d, const uint32_t *id_low,
              const uint32_t *id_high, uint32_t n)
{
#ifdef DRAW_AVX2
    if (n >= LANES && __builtin_cpu_supports("avx2")) {
        uint32_t best = best_avx2(d, id_low, id_high, n);

        if (best < n)
            return best;
    }
#endif
    return cwi_draw_best_c(d, id_low, id_high, n);
}
