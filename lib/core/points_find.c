/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_find.c - owners of positions, one or many at once, by the fastest
 * way of the processor and the table.
 */
#include "core/points_find.h"

/*
 * Lines are asked for so many positions before they are read, so that the
 * misses overlap: as many as a batch has as a rule, and more than the buffers
 * of current processors keep busy.
 */
#define AHEAD 64u

/* Tables up to so many bytes stay in the second-level cache, where asking
 * first costs more than it saves. */
#define PREFETCH_FROM (UINT64_C(1) << 18)

static inline void
ask(const struct cwi_table *t, uint64_t at)
{
    __builtin_prefetch(cwi_lines(t) +
                       (uint64_t)(((cwi_u128)at * t->mult) >> 64));
}

#define FIND_ONE(try, i)                                                \
    do {                                                                \
        if (CWI_UNLIKELY(!try(t, at[i], &out[i])))                      \
            out[i] = cwi_points_exact(t, at[i]);                        \
    } while (0)

#define FIND_MANY(try)                                                  \
    do {                                                                \
        size_t i;                                                       \
                                                                        \
        if (t->buckets * (uint64_t)sizeof(struct cwi_line) >            \
            PREFETCH_FROM) {                                            \
            for (i = 0; i < n && i < AHEAD; i++)                        \
                ask(t, at[i]);                                          \
            for (i = 0; n > AHEAD && i < n - AHEAD; i++) {              \
                ask(t, at[i + AHEAD]);                                  \
                FIND_ONE(try, i);                                       \
            }                                                           \
        } else {                                                        \
            i = 0;                                                      \
        }                                                               \
        for (; i < n; i++)                                              \
            FIND_ONE(try, i);                                           \
    } while (0)

static void
many_c(const struct cwi_table *t, const uint64_t *at, size_t n, uint32_t *out)
{
    if (t->mode == CWI_TABLE_NARROW)
        FIND_MANY(cwi_try_c);
    else
        FIND_MANY(cwi_try_wide_c);
}

#ifdef CWI_X86
static void
many_sse2(const struct cwi_table *t, const uint64_t *at, size_t n,
          uint32_t *out)
{
    if (t->mode == CWI_TABLE_NARROW)
        FIND_MANY(cwi_try_sse2);
    else
        FIND_MANY(cwi_try_wide_sse2);
}

static CWI_AVX2 void
many_avx2(const struct cwi_table *t, const uint64_t *at, size_t n,
          uint32_t *out)
{
    if (t->mode == CWI_TABLE_NARROW)
        FIND_MANY(cwi_try_avx2);
    else
        FIND_MANY(cwi_try_wide_avx2);
}

static CWI_AVX2 int
try_avx2(const struct cwi_table *t, uint64_t at, uint32_t *owner)
{
    return t->mode == CWI_TABLE_NARROW ? cwi_try_avx2(t, at, owner)
                                       : cwi_try_wide_avx2(t, at, owner);
}
#endif

uint32_t
cwi_points_find(const void *state, uint64_t at)
{
    const struct cwi_table *t = state;
    int narrow = t->mode == CWI_TABLE_NARROW, known;
    uint32_t owner;

    if (t->mode == CWI_TABLE_PLAIN || at > t->top)
        return cwi_points_exact(t, at);
#ifdef CWI_X86
    if (t->isa == CWI_ISA_AVX2)
        known = try_avx2(t, at, &owner);
    else if (t->isa == CWI_ISA_SSE2)
        known = narrow ? cwi_try_sse2(t, at, &owner)
                       : cwi_try_wide_sse2(t, at, &owner);
    else
#endif
        known = narrow ? cwi_try_c(t, at, &owner)
                       : cwi_try_wide_c(t, at, &owner);
    return known ? owner : cwi_points_exact(t, at);
}

void
cwi_points_find_many(const void *state, const uint64_t *at, size_t n,
                     uint32_t *out)
{
    const struct cwi_table *t = state;
    size_t i;

    if (t->mode == CWI_TABLE_PLAIN) {
        for (i = 0; i < n; i++)
            out[i] = cwi_points_exact(t, at[i]);
        return;
    }
#ifdef CWI_X86
    if (t->isa == CWI_ISA_AVX2) {
        many_avx2(t, at, n, out);
        return;
    }
    if (t->isa == CWI_ISA_SSE2) {
        many_sse2(t, at, n, out);
        return;
    }
#endif
    many_c(t, at, n, out);
}

enum cwi_isa
cwi_isa_best(void)
{
#ifdef CWI_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt"))
        return CWI_ISA_AVX2;
    return CWI_ISA_SSE2;
#else
    return CWI_ISA_C;
#endif
}

int
cwi_points_use(void *state, enum cwi_isa isa)
{
    struct cwi_table *t = state;

    if (isa > cwi_isa_best())
        return 0;
    t->isa = (uint8_t)isa;
    return 1;
}
