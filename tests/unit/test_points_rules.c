/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_points_rules.c - sorted points on a ring, whatever structure holds them:
 * order, ties, search, arcs, counts, and what check() notices.
 */
#include "core/points.h"
#include "harness.h"

struct ring {
    void    *state;
    uint64_t n;
};

static struct ring
build(const struct cwi_point *points, uint64_t n, uint32_t nodes,
      uint64_t top)
{
    struct cwi_plan plan = { 0, 0, 0, 0 };
    struct ring ring = { NULL, n };
    void *scratch;

    CHECK_OK(cwi_points_plan(n, nodes, &plan));
    ring.state = aligned_alloc(64, (plan.state + 63) / 64 * 64);
    CHECK(ring.state != NULL, "no memory");
    memset(ring.state, 0, plan.state);
    scratch = must_alloc(plan.scratch);
    memset(scratch, 0xaa, plan.scratch);
    for (uint64_t i = 0; i < n; i++)
        cwi_points_raw(scratch)[i] = points[i];
    cwi_points_build(ring.state, scratch, n, nodes, top);
    free(scratch);
    return ring;
}

static const struct cwi_point three[] = { { 20, 1 }, { 10, 0 }, { 30, 2 } };

static const struct {
    const char *what;
    uint64_t    n;      /* how many of the three points are in use */
    uint64_t    at;
    uint32_t    want;
} cases[] = {
    { "below the first point",  3, 0, 0 },
    { "exactly on a point",     3, 20, 1 },
    { "between two points",     3, 21, 2 },
    { "on the last point",      3, 30, 2 },
    { "past the last: wraps",   3, 31, 0 },
    { "largest position: wraps", 3, UINT64_MAX, 0 },
    { "two points",             2, 15, 1 },
    { "one point takes all",    1, 0, 1 },
    { "one point, past it",     1, 21, 1 },
    { "one point, on it",       1, 20, 1 },
};

static void
find_is_the_first_point_at_or_after(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ring ring = build(three, cases[i].n, 3, UINT64_MAX);
        uint32_t got = cwi_points_find(ring.state, cases[i].at);

        CHECK(got == cases[i].want, "%s: node %" PRIu32, cases[i].what, got);
        CHECK(cwi_points_total(ring.state) == cases[i].n, "%s: total",
              cases[i].what);
        free(ring.state);
    }
}

static void
equal_positions_are_all_kept_and_the_first_given_wins(void **state)
{
    static const struct cwi_point same[] = {
        { 50, 3 }, { 50, 1 }, { 50, 3 }, { 50, 0 }, { 50, 2 }
    };
    struct ring ring = build(same, COUNT(same), 4, 99);
    uint64_t counts[4] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < COUNT(same); i++)
        CHECK(cwi_points_at(ring.state, i).node == same[i].node &&
              cwi_points_at(ring.state, i).at == 50, "point %" PRIu64, i);
    for (uint64_t at = 0; at < 100; at++)
        CHECK(cwi_points_find(ring.state, at) == 3, "position %" PRIu64, at);
    cwi_points_count(ring.state, counts);
    CHECK(counts[0] == 1 && counts[1] == 1 && counts[2] == 1 &&
          counts[3] == 2, "counts");
    free(ring.state);
}

/* Sizes around powers of two, positions crowded so that many are equal. */
static void
any_number_of_points_is_sorted_stably_and_found(void **state)
{
    struct rng rng = { test_seed() };

    (void)state;
    for (uint64_t n = 1; n <= 70; n++) {
        struct cwi_point points[70];
        uint64_t range = n % 3 == 0 ? 40 : n % 3 == 1 ? 5000 : UINT64_MAX;
        struct ring ring;

        for (uint64_t i = 0; i < n; i++)
            points[i] = (struct cwi_point){ rng_below(&rng, range),
                                            (uint32_t)i };
        ring = build(points, n, (uint32_t)n, UINT64_MAX);
        for (uint64_t i = 1; i < n; i++) {
            struct cwi_point a = cwi_points_at(ring.state, i - 1);
            struct cwi_point b = cwi_points_at(ring.state, i);

            CHECK(a.at < b.at || (a.at == b.at && a.node < b.node),
                  "n %" PRIu64 ": points %" PRIu64 " and the next", n, i - 1);
            CHECK(points[b.node].at == b.at, "a point changed its node");
        }
        for (int k = 0; k < 100; k++) {
            uint64_t at = k < 50 ? points[rng_below(&rng, n)].at +
                          rng_below(&rng, 3) - 1 : rng_below(&rng, range);
            uint32_t got = cwi_points_find(ring.state, at);
            uint32_t best = 0;

            for (uint32_t i = 1; i < n; i++)
                if (points[i].at - at < points[best].at - at)
                    best = i;
            CHECK(got == best, "n %" PRIu64 ", position %" PRIu64 ": %" PRIu32
                  ", not %" PRIu32, n, at, got, best);
        }
        free(ring.state);
    }
}

static void
arcs_tile_the_ring(void **state)
{
    static const struct cwi_point points[] = {
        { 0, 0 }, { 5, 1 }, { 5, 2 }, { 7, 1 }, { 99, 2 }, { 200, 3 }
    };
    struct ring ring = build(points, COUNT(points), 4, 99);
    uint64_t cursor = 0, from = 0, last = 0;
    uint32_t owner = 9;

    (void)state;
    for (int i = 0; i < 20; i++) {
        cwi_points_arc(ring.state, &cursor, from, &last, &owner);
        CHECK(last >= from && last <= 99, "%" PRIu64 "..%" PRIu64, from, last);
        for (uint64_t at = from; at <= last; at++)
            CHECK(cwi_points_find(ring.state, at) == owner, "position %"
                  PRIu64, at);
        if (last == 99)
            break;
        from = last + 1;
    }
    CHECK(last == 99, "no end");
    free(ring.state);
}

/* A point above the top owns what lies below it: programs have such. */
static void
a_point_above_the_top_owns_the_rest(void **state)
{
    static const struct cwi_point points[] = { { 10, 0 }, { 150, 1 } };
    struct ring ring = build(points, 2, 2, 99);
    uint64_t cursor = 0, last = 0;
    uint32_t owner = 9;

    (void)state;
    CHECK(cwi_points_find(ring.state, 11) == 1, "position 11");
    CHECK(cwi_points_find(ring.state, 99) == 1, "position 99");
    cwi_points_arc(ring.state, &cursor, 0, &last, &owner);
    CHECK(last == 10 && owner == 0, "first arc ends at %" PRIu64, last);
    cwi_points_arc(ring.state, &cursor, 11, &last, &owner);
    CHECK(last == 99 && owner == 1, "second arc ends at %" PRIu64, last);
    free(ring.state);
}

static void
check_notices_nodes_that_do_not_fit(void **state)
{
    struct cwi_node v[3];
    struct cwi_nodes nodes = { v, 3, 3, 3 };
    struct ring ring = build(three, 3, 3, UINT64_MAX);

    (void)state;
    memset(v, 0, sizeof v);
    for (int i = 0; i < 3; i++)
        v[i].weight = 1;
    CHECK(cwi_points_check(ring.state, &nodes) == NULL, "a sound ring: %s",
          cwi_points_check(ring.state, &nodes));
    nodes.n = 2;
    CHECK(cwi_points_check(ring.state, &nodes) != NULL, "a node too few");
    nodes.n = 3;
    v[1].weight = 0;
    CHECK(cwi_points_check(ring.state, &nodes) != NULL, "weight 0, a point");
    free(ring.state);
}

static void
sizes_that_fit_no_memory_are_refused(void **state)
{
    struct cwi_plan plan = { 1, 2, 3, 4 };

    (void)state;
    CHECK(cwi_points_plan(SIZE_MAX / 4, 1, &plan) == CW_ELIMIT, "SIZE_MAX/4");
    CHECK(cwi_points_plan(UINT64_MAX, 1, &plan) == CW_ELIMIT, "2^64-1");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(find_is_the_first_point_at_or_after),
        TEST(equal_positions_are_all_kept_and_the_first_given_wins),
        TEST(any_number_of_points_is_sorted_stably_and_found),
        TEST(arcs_tile_the_ring),
        TEST(a_point_above_the_top_owns_the_rest),
        TEST(check_notices_nodes_that_do_not_fit),
        TEST(sizes_that_fit_no_memory_are_refused),
    };

    return cmocka_run_group_tests_name("points_rules", tests, NULL, NULL);
}
