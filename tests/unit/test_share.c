/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_share.c - shares and balance: worked by hand, and against the
 * reference; arcs of a map.
 */
#include <math.h>

#include "harness.h"
#include "ref/ref_ring.h"

static ref_u128
wide(cw_u128 n)
{
    return (ref_u128)n.hi << 64 | n.lo;
}

static int
near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b) + 1e-300);
}

static cw_map *
explicit_map(const char *spec, const char *options, size_t nodes,
             const char *const *names, const uint64_t *const *at,
             const uint32_t *counts)
{
    cw_fleet *fleet = fleet_of(spec);
    cw_placement *p = placement_of(options);
    cw_map *map;

    for (size_t i = 0; i < nodes; i++)
        CHECK_OK(cw_fleet_set_positions(fleet, names[i], strlen(names[i]),
                                        at[i], counts[i], NULL));
    map = map_of(fleet, p);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

/* A 5 42 71 = 10 + 12 + 8, B 18 55 88 = 13 + 13 + 17, C 30 63 95 = 12 + 8 + 7
 * of 100. */
static void
the_worked_ring_of_the_text_books(void **state)
{
    static const uint64_t a[] = { 5, 42, 71 }, b[] = { 18, 55, 88 },
                          c[] = { 30, 63, 95 };
    static const uint64_t *const at[] = { a, b, c };
    static const char *const names[] = { "A", "B", "C" };
    static const uint32_t counts[] = { 3, 3, 3 };
    static const uint64_t want[] = { 30, 43, 27 };
    cw_map *map = explicit_map("A,B,C", "size=100", 3, names, at, counts);
    cw_shares *s = NULL;
    double mean = 0, square = 0;

    (void)state;
    CHECK_OK(cw_shares_new(map, &s));
    CHECK(s->count == 3 && s->basis == CW_EXACT && wide(s->size) == 100,
          "count, basis or size");
    for (int i = 0; i < 3; i++) {
        double ratio = (double)want[i] / 100.0 * 3.0;

        CHECK(wide(s->num[i]) == want[i], "%s: %" PRIu64, names[i],
              s->num[i].lo);
        CHECK(near(s->part[i], (double)want[i] / 100.0), "%s: part", names[i]);
        CHECK(near(s->fair[i], 1.0 / 3.0), "%s: fair", names[i]);
        mean += ratio / 3.0;
        square += ratio * ratio / 3.0;
    }
    CHECK(near(s->balance.max_avg, 1.29), "max %g", s->balance.max_avg);
    CHECK(near(s->balance.min_avg, 0.81), "min %g", s->balance.min_avg);
    CHECK(fabs(s->balance.cv - sqrt(square - mean * mean)) < 1e-9, "cv %g",
          s->balance.cv);
    cw_shares_free(s);
    cw_shares_free(NULL);
    cw_map_unref(map);
}

static void
weights_count_in_fair_shares_and_balance(void **state)
{
    static const uint64_t a[] = { 24 }, b[] = { 99 };
    static const uint64_t *const at[] = { a, b };
    static const char *const names[] = { "A", "B" };
    static const uint32_t counts[] = { 1, 1 };
    /* A owns 25 of 100 with 1/4 of the weight: just what is fair. */
    cw_map *map = explicit_map("A,B=3,Z=0", "size=100", 2, names, at, counts);
    cw_shares *s = NULL;

    (void)state;
    CHECK_OK(cw_shares_new(map, &s));
    CHECK(wide(s->num[0]) == 25 && wide(s->num[1]) == 75 &&
          wide(s->num[2]) == 0, "num");
    CHECK(near(s->fair[0], 0.25) && near(s->fair[1], 0.75), "fair");
    CHECK(s->fair[2] == 0.0 && s->part[2] == 0.0, "weight 0 has a share");
    CHECK(near(s->balance.max_avg, 1.0) && near(s->balance.min_avg, 1.0) &&
          fabs(s->balance.cv) < 1e-9, "balance %g %g %g", s->balance.max_avg,
          s->balance.min_avg, s->balance.cv);
    cw_shares_free(s);
    cw_map_unref(map);
}

static void
one_node_owns_a_ring_of_two_to_the_64(void **state)
{
    cw_map *map = map_of_spec("only", "");
    cw_shares *s = NULL;

    (void)state;
    CHECK_OK(cw_shares_new(map, &s));
    CHECK(s->size.hi == 1 && s->size.lo == 0, "size");
    CHECK(s->num[0].hi == 1 && s->num[0].lo == 0, "num");
    CHECK(s->part[0] == 1.0 && s->fair[0] == 1.0, "part, fair");
    CHECK(s->balance.max_avg == 1.0 && s->balance.min_avg == 1.0 &&
          s->balance.cv == 0.0, "balance");
    cw_shares_free(s);
    cw_map_unref(map);
}

static void
an_empty_map_has_no_shares(void **state)
{
    cw_map *map = map_of_spec("a=0,b=0", "");
    cw_shares *s = NULL;

    (void)state;
    CHECK_OK(cw_shares_new(map, &s));
    CHECK(s->count == 2, "count %" PRIu32, s->count);
    for (int i = 0; i < 2; i++)
        CHECK(wide(s->num[i]) == 0 && s->part[i] == 0.0 && s->fair[i] == 0.0,
              "node %d", i);
    CHECK(s->balance.max_avg == 0.0 && s->balance.min_avg == 0.0 &&
          s->balance.cv == 0.0, "balance");
    cw_shares_free(s);
    cw_map_unref(map);
}

static const struct {
    const char *options, *hash;
    uint64_t    points, top;
} rings[] = {
    { "points=9", "xxh3", 9, 0 },
    { "points=9;hash=fnv1a_64", "fnv1a_64", 9, 0 },
    { "points=9;hash=fnv1a_32", "fnv1a_32", 9, 0 },
};

static void
shares_equal_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rings); i++) {
        cw_fleet *fleet = fleet_of("d,a,c=2.5,b=0.4,z=0,q=11");
        cw_placement *p = placement_of(rings[i].options);
        cw_map *map = map_of(fleet, p);
        struct ref_ring *ring = ref_ring_new(fleet, rings[i].hash,
                                             rings[i].points, rings[i].top);
        ref_u128 want[8], sum = 0;
        cw_shares *s = NULL;

        ref_shares(ring, want);
        CHECK_OK(cw_shares_new(map, &s));
        CHECK(s->basis == CW_EXACT, "basis");
        CHECK(wide(s->size) == (ref_u128)ring->top + 1, "size");
        for (uint32_t k = 0; k < ring->node_count; k++) {
            uint32_t j = cw_map_find(map, ring->nodes[k].name,
                                     ring->nodes[k].name_len);

            CHECK(wide(s->num[j]) == want[k], "%s: %s: %" PRIu64 ", not %"
                  PRIu64, rings[i].options, ring->nodes[k].name,
                  s->num[j].lo, (uint64_t)want[k]);
            sum += wide(s->num[j]);
        }
        CHECK(sum == wide(s->size), "%s: shares do not add up",
              rings[i].options);
        cw_shares_free(s);
        ref_ring_free(ring);
        cw_map_unref(map);
        cw_placement_free(p);
        cw_fleet_free(fleet);
    }
}

/* A row without arcs says what its weights say, and adds up all the same. */
static void
expected_shares_add_up(void **state)
{
    static const char *const fleets[] = {
        "a,b,c", "a,b,c,d,e,f,g", "a", "a=0.1,b=0.2,c=0.3,d=1000000,e=0"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(fleets); i++) {
        cw_map *map = map_of_spec(fleets[i], "algorithm=rendezvous");
        cw_shares *s = NULL;
        ref_u128 sum = 0;
        double parts = 0;

        CHECK_OK(cw_shares_new(map, &s));
        CHECK(s->basis == CW_EXPECTED, "%s: basis %d", fleets[i],
              (int)s->basis);
        for (uint32_t k = 0; k < s->count; k++) {
            sum += wide(s->num[k]);
            parts += s->part[k];
            CHECK(fabs(s->part[k] - s->fair[k]) < 1e-9, "%s: node %" PRIu32,
                  fleets[i], k);
        }
        CHECK(sum == wide(s->size), "%s: shares do not add up", fleets[i]);
        CHECK(fabs(parts - 1.0) < 1e-9, "%s: parts %g", fleets[i], parts);
        cw_shares_free(s);
        cw_map_unref(map);
    }
}

/* ---- arcs -------------------------------------------------------------- */

struct visit {
    const cw_map *map;
    uint64_t      next;     /* first position not yet seen                  */
    uint32_t      owner;    /* of the arc before                            */
    int           arcs, stop_after;
};

static int
check_arc(void *context, const cw_arc *arc)
{
    struct visit *v = context;
    uint32_t owner = CW_NONE;

    CHECK(arc->first == v->next && arc->last >= arc->first, "arc %" PRIu64
          "..%" PRIu64 " after %" PRIu64, arc->first, arc->last, v->next);
    CHECK(arc->from == arc->to, "from %" PRIu32 " to %" PRIu32, arc->from,
          arc->to);
    CHECK(v->arcs == 0 || arc->from != v->owner, "two arcs of one owner");
    CHECK_OK(cw_map_owner_position(v->map, arc->first, &owner));
    CHECK(owner == arc->from, "owner of the first position");
    CHECK_OK(cw_map_owner_position(v->map, arc->last, &owner));
    CHECK(owner == arc->from, "owner of the last position");
    v->next = arc->last + 1;
    v->owner = arc->from;
    return ++v->arcs == v->stop_after ? 42 : 0;
}

static void
arcs_tile_the_ring_and_stop_when_told(void **state)
{
    static const char *const options[] = {
        "", "points=1", "hash=fnv1a_32;points=3", "compat=ketama160",
        "algorithm=modulo"
    };
    unsigned with_arcs = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(options); i++) {
        cw_map *map = map_of_spec("a,b,c,d", options[i]);
        struct visit v = { map, 0, CW_NONE, 0, -1 };
        int stopped = 7;
        cw_row row;

        cw_map_row(map, &row);
        if (!(row.traits & CW_TRAIT_ARCS)) {
            CHECK(cw_map_arcs(map, check_arc, &v, NULL) == CW_ENOTSUP,
                  "%s: arcs", row.name);
            cw_map_unref(map);
            continue;
        }
        with_arcs++;
        CHECK_OK(cw_map_arcs(map, check_arc, &v, &stopped));
        CHECK(stopped == 0, "stopped %d", stopped);
        CHECK(v.next == cw_map_top(map) + 1, "%s: ends at %" PRIu64,
              options[i], v.next);
        v = (struct visit){ map, 0, CW_NONE, 0, 2 };
        CHECK_OK(cw_map_arcs(map, check_arc, &v, &stopped));
        CHECK(stopped == 42 && v.arcs == 2, "stopped %d after %d", stopped,
              v.arcs);
        CHECK_OK(cw_map_arcs(map, check_arc, &(struct visit){ map, 0, CW_NONE,
                                                              0, -1 }, NULL));
        cw_map_unref(map);
    }
    CHECK(with_arcs >= 4, "only %u rows had arcs", with_arcs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_worked_ring_of_the_text_books),
        TEST(weights_count_in_fair_shares_and_balance),
        TEST(one_node_owns_a_ring_of_two_to_the_64),
        TEST(an_empty_map_has_no_shares),
        TEST(shares_equal_the_reference),
        TEST(expected_shares_add_up),
        TEST(arcs_tile_the_ring_and_stop_when_told),
    };

    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
