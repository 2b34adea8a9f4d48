/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_points_million.c - a ring of a million nodes, by samples: its points
 * are too many for a second, sorted copy, so they are made twice and each
 * sample keeps the nearest.
 *
 * 10 points a node, 1 under a sanitizer. CW_TEST_POINTS=100 is for a machine
 * with 5 GB to spare and takes ten times as long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/points_table.h"

/* A seeded sequence: splitmix64. */
static uint64_t
next_random(uint64_t *seed)
{
    return cwi_mix64(*seed += UINT64_C(0x9e3779b97f4a7c15));
}

static void *
zeroed(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);

    assert_non_null(p);
    memset(p, 0, size);
    return p;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POINTS_EACH 1
#else
#define POINTS_EACH 10
#endif

enum { MILLION = 1000000, SAMPLES = 20000 };

struct sample {
    uint64_t at;
    uint64_t next;      /* the first point at or after it, and whose        */
    uint32_t node;
    int      found;
};

static int
by_sample(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

/* A point, which is the next one of the sample before it, if of any. */
static void
meet(struct sample *sample, uint64_t at, uint32_t node)
{
    struct sample *s = sample;
    size_t n = SAMPLES;

    while (n > 1) {
        s += s[n / 2].at <= at ? n / 2 : 0;
        n -= n / 2;
    }
    if (s->at > at || (s->found && s->next <= at))
        return;
    s->next = at;
    s->node = node;
    s->found = 1;
}

/* Random samples; the first of all points is that of sample 0 at position 0,
 * which those without a point up to the end have, too. */
static struct sample *
samples_of(size_t n)
{
    struct sample *sample = zeroed(SAMPLES * sizeof(*sample));
    uint64_t seed = 5, x = 1;
    size_t i;

    for (i = 1; i < SAMPLES; i++)
        sample[i].at = next_random(&seed);
    qsort(sample, SAMPLES, sizeof(*sample), by_sample);
    for (i = 0; i < n; i++)
        meet(sample, next_random(&x), (uint32_t)(i % MILLION));
    for (i = SAMPLES; i-- > 0;) {
        if (!sample[i].found)
            sample[i].node = sample[i + 1 < SAMPLES ? i + 1 : 0].node;
    }
    return sample;
}

static void
a_million_nodes(void **unused)
{
    const char *given = getenv("CW_TEST_POINTS");
    size_t each = given ? strtoul(given, NULL, 10) : POINTS_EACH, i;
    size_t n = each * MILLION;
    struct sample *sample = samples_of(n);
    struct cwi_point *raw;
    struct cwi_plan plan;
    void *state, *scratch;
    uint64_t x = 1;
    unsigned isa;

    (void)unused;
    assert_int_equal(cwi_points_plan(n, MILLION, &plan), CW_OK);
    state = zeroed(plan.state);
    scratch = zeroed(plan.scratch);
    raw = cwi_points_raw(scratch);
    for (i = 0; i < n; i++) {
        raw[i].at = next_random(&x);
        raw[i].node = (uint32_t)(i % MILLION);
    }
    cwi_points_build(state, scratch, n, MILLION, UINT64_MAX);
    free(scratch);
    for (isa = CWI_ISA_C; isa <= CWI_ISA_AVX2; isa++) {
        if (!cwi_points_use(state, (enum cwi_isa)isa))
            continue;
        for (i = 0; i < SAMPLES; i++)
            assert_int_equal(cwi_points_find(state, sample[i].at),
                             sample[i].node);
    }
    free(state);
    free(sample);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
