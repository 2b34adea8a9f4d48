/* SPDX-License-Identifier: Apache-2.0 */
/* test_sketch.c - what the sketches promise: the bound on a heavy hitter's
 * count, the error of distinct counts, and that merging two is as good as one
 * of both streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/evidence/sketch.h"
#include "cli/plan/census.h"
#include "harness.h"

enum { KEYS = 60000, STREAM = 600000 };

static uint64_t counts[KEYS];

/* Few keys often, most rarely: key i about as often as 1 / (i + 1). */
static unsigned
draw(struct rng *rng)
{
    unsigned bits = (unsigned)(rng_next(rng) % 16);

    return (unsigned)(rng_next(rng) % (UINT64_C(1) << bits)) % KEYS;
}

static uint64_t
name(unsigned i, char key[32])
{
    snprintf(key, 32, "key:%u", i);
    return sketch_hash(key, strlen(key));
}

static void
add(struct top *t, unsigned i)
{
    char key[32];
    uint64_t hash = name(i, key);

    top_add(t, hash, key, strlen(key), i, 1, 10);
    counts[i]++;
}

/* Never too high; too low by t->error at most, which is in its bound; and no
 * key that came more often than that is missing. */
static void
check_bound(const struct top *t)
{
    size_t n, i, len;
    const struct top_slot **list = top_sorted(t, &n);
    uint64_t *found = calloc(KEYS, sizeof *found);

    assert_non_null(found);
    assert_true(t->error <= 2 * t->requests / TOP_SLOTS);
    for (i = 0; i < n; i++) {
        unsigned k = list[i]->node;
        const char *key = top_key(t, list[i], &len);
        char want[32];

        name(k, want);
        assert_int_equal(len, strlen(want));
        assert_memory_equal(key, want, len);
        assert_true(list[i]->requests <= counts[k]);
        assert_true(list[i]->requests + t->error >= counts[k]);
        if (i > 0)
            assert_true(list[i - 1]->requests >= list[i]->requests);
        found[k] = 1;
    }
    for (i = 0; i < KEYS; i++)
        if (counts[i] > t->error)
            assert_int_equal(found[i], 1);
    free(found);
    mem_free(list);
}

static void
heavy_hitters(void **state)
{
    struct top t;
    struct rng random = { 1 };
    unsigned i;

    (void)state;
    memset(counts, 0, sizeof counts);
    top_init(&t);
    for (i = 0; i < STREAM; i++)
        add(&t, draw(&random));
    assert_int_equal(t.requests, STREAM);
    assert_true(t.error > 0);           /* the table was full, so it counts */
    check_bound(&t);
    top_free(&t);
}

/* A stream made to purge: every key once, one key every other time. */
static void
heavy_hitter_among_singles(void **state)
{
    struct top t;
    unsigned i;

    (void)state;
    memset(counts, 0, sizeof counts);
    top_init(&t);
    for (i = 1; i < KEYS; i++) {
        add(&t, i);
        add(&t, 0);
    }
    check_bound(&t);
    top_free(&t);
}

static void
heavy_hitters_merged(void **state)
{
    struct top a, b;
    struct rng random = { 2 };
    unsigned i;

    (void)state;
    memset(counts, 0, sizeof counts);
    top_init(&a);
    top_init(&b);
    for (i = 0; i < STREAM; i++)
        add(i % 3 ? &a : &b, draw(&random));
    top_merge(&a, &b);
    assert_int_equal(a.requests, STREAM);
    check_bound(&a);
    top_free(&a);
    top_free(&b);
}

/* Within four standard errors of 1.04 / sqrt(registers). */
static void
distinct_keys(void **state)
{
    static const unsigned sizes[] = { 1, 10, 100, 1000, 5000, 20000, 300000 };
    struct distinct d, halves[2], merged;
    char key[32];
    size_t s;
    unsigned i;

    (void)state;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double n = sizes[s], got;

        memset(&d, 0, sizeof d);
        memset(halves, 0, sizeof halves);
        for (i = 0; i < sizes[s]; i++) {
            uint64_t hash = name(i, key);

            distinct_add(&d, hash);
            distinct_add(&d, hash);             /* again is nothing new */
            distinct_add(&halves[i & 1], hash);
            if (i % 5 == 0)                     /* some are in both */
                distinct_add(&halves[~i & 1], hash);
        }
        got = distinct_count(&d);
        assert_true(got > n * (1 - 4 * 0.01625) - 1);
        assert_true(got < n * (1 + 4 * 0.01625) + 1);
        merged = halves[0];
        distinct_merge(&merged, &halves[1]);
        assert_memory_equal(&merged, &d, sizeof d);     /* of the union */
    }
    memset(&d, 0, sizeof d);
    assert_true(distinct_count(&d) < 0.5);
}

/* A key's hash reads every byte, and no byte behind it. */
static void
hash_of_keys(void **state)
{
    char key[40], other[40];
    size_t len, i;

    (void)state;
    memset(key, 'a', sizeof key);
    for (len = 0; len < 34; len++) {
        memcpy(other, key, sizeof key);
        memset(other + len, 'z', sizeof other - len);
        assert_int_equal(sketch_hash(key, len), sketch_hash(other, len));
        assert_int_not_equal(sketch_hash(key, len), sketch_hash(key, len + 1));
        for (i = 0; i < len; i++) {
            memcpy(other, key, sizeof key);
            other[i] = 'b';
            assert_int_not_equal(sketch_hash(key, len),
                                 sketch_hash(other, len));
        }
    }
}

/* Exact while the keys fit; then a sample whose totals are near. */
static void
census(void **state)
{
    const unsigned many = 3 * CENSUS_KEYS;
    const struct census_key *k;
    struct census c;
    uint64_t keys = 0, requests = 0;
    size_t at = 0;
    unsigned i, round;
    char key[32];

    (void)state;
    census_init(&c);
    for (round = 0; round < 2; round++)
        for (i = 0; i < 1000; i++) {
            struct census_key add = { name(i, key), i, 7, i % 3, i % 5 };

            assert_int_equal(census_add(&c, &add), round == 0);
        }
    assert_int_equal(c.level, 0);
    while ((k = census_next(&c, &at)) != NULL) {
        keys++;
        requests += k->requests;
        assert_int_equal(k->bytes, 7);
    }
    assert_int_equal(keys, 1000);
    assert_int_equal(requests, 2 * 999 * 1000 / 2);
    for (; i < many; i++) {
        struct census_key add = { name(i, key), 1, 0, 0, 0 };

        census_add(&c, &add);
    }
    assert_true(c.level > 0 && c.used <= CENSUS_KEYS);
    assert_true((double)c.used * (double)(1u << c.level) > 0.98 * many);
    assert_true((double)c.used * (double)(1u << c.level) < 1.02 * many);
    census_free(&c);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_hitters),
        cmocka_unit_test(heavy_hitter_among_singles),
        cmocka_unit_test(heavy_hitters_merged),
        cmocka_unit_test(distinct_keys),
        cmocka_unit_test(hash_of_keys),
        cmocka_unit_test(census)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
