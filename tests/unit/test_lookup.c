/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lookup.c - owners, preference lists and replica sets on rings small
 * enough to ask every position, and against the reference on larger ones.
 */
#include "harness.h"
#include "ref/ref_ring.h"

static const struct {
    const char *what;
    uint64_t    position;
    const char *owner, *second, *third;
} worked[] = {
    /* A 5 42 71, B 18 55 88, C 30 63 95 on a ring of 100 */
    { "first position",          0,  "A", "B", "C" },
    { "on the first point",      5,  "A", "B", "C" },
    { "after the first point",   6,  "B", "C", "A" },
    { "between two points",      47, "B", "C", "A" },
    { "on a point",              42, "A", "B", "C" },
    { "just past a point",       43, "B", "C", "A" },
    { "on the last point",       95, "C", "A", "B" },
    { "past the last: wraps",    96, "A", "B", "C" },
    { "last position: wraps",    99, "A", "B", "C" },
};

static cw_map *
worked_ring(void)
{
    static const uint64_t at[3][3] = {
        { 5, 42, 71 }, { 18, 55, 88 }, { 30, 63, 95 }
    };
    cw_fleet *fleet = fleet_of("C,A,B");
    cw_placement *p = placement_of("size=100");
    cw_map *map;

    for (int i = 0; i < 3; i++)
        CHECK_OK(cw_fleet_set_positions(fleet, &"ABC"[i], 1, at[i], 3, NULL));
    map = map_of(fleet, p);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

static void
the_worked_ring_of_the_text_books(void **state)
{
    cw_map *map = worked_ring();
    uint32_t out[4];

    (void)state;
    CHECK(cw_map_top(map) == 99, "top %" PRIu64, cw_map_top(map));
    for (size_t i = 0; i < COUNT(worked); i++) {
        uint64_t at = worked[i].position;

        CHECK(strcmp(owner_name_at(map, at), worked[i].owner) == 0,
              "%s: %s", worked[i].what, owner_name_at(map, at));
        CHECK(cw_map_order_position(map, at, out, 4) == 3, "%s",
              worked[i].what);
        CHECK(strcmp(node_name(map, out[0]), worked[i].owner) == 0 &&
              strcmp(node_name(map, out[1]), worked[i].second) == 0 &&
              strcmp(node_name(map, out[2]), worked[i].third) == 0,
              "%s: order %s %s %s", worked[i].what, node_name(map, out[0]),
              node_name(map, out[1]), node_name(map, out[2]));
    }
    out[0] = 7;
    CHECK(cw_map_owner_position(map, 100, out) == CW_EINVAL, "position 100");
    CHECK(cw_map_owner_position(map, UINT64_MAX, out) == CW_EINVAL, "2^64-1");
    CHECK(out[0] == 7, "out touched");
    CHECK(cw_map_order_position(map, 100, out, 4) == 0, "order at 100");
    cw_map_unref(map);
}

/* ---- explicit rings of every small size -------------------------------- */

static cw_fleet *
explicit_fleet(struct rng *rng, uint64_t size, uint32_t nodes)
{
    cw_fleet *fleet = cw_fleet_new(NULL);

    for (uint32_t i = 0; i < nodes; i++) {
        struct key name = key_numbered("n", rng_below(rng, 1000));
        uint64_t at[8];
        uint32_t count = 1 + (uint32_t)rng_below(rng, COUNT(at));

        for (uint32_t k = 0; k < count; k++)
            at[k] = rng_below(rng, size);   /* repeats are meant */
        if (cw_fleet_add(fleet, name.data, name.len,
                         rng_below(rng, 8) == 0 && i > 0 ? 0 : CW_WEIGHT_ONE,
                         NULL) != CW_OK)
            continue;
        CHECK_OK(cw_fleet_set_positions(fleet, name.data, name.len, at, count,
                                        NULL));
        if (rng_below(rng, 2)) {
            char zone = (char)('x' + (char)rng_below(rng, 3));

            CHECK_OK(cw_fleet_set_zone(fleet, name.data, name.len, &zone, 1,
                                       NULL));
        }
    }
    return fleet;
}

/* out[] of the library names the same nodes as want[] of the reference. */
static void
same_list(const char *what, const cw_map *map, const uint32_t *out,
          uint32_t n, const struct ref_ring *ring, const uint32_t *want,
          uint32_t want_n)
{
    CHECK(n == want_n, "%s: %" PRIu32 " nodes, not %" PRIu32, what, n, want_n);
    for (uint32_t i = 0; i < n; i++)
        CHECK(strcmp(node_name(map, out[i]), ring->nodes[want[i]].name) == 0,
              "%s, number %" PRIu32 ": %s, not %s", what, i,
              node_name(map, out[i]), ring->nodes[want[i]].name);
}

static void
position_agrees(const cw_map *map, const struct ref_ring *ring, uint64_t at)
{
    uint32_t out[16], want[16];
    char what[64];

    (void)snprintf(what, sizeof what, "position %" PRIu64 " of %" PRIu64, at,
                   ring->top + 1);
    CHECK(strcmp(owner_name_at(map, at),
                 ring->nodes[ref_owner(ring, at)].name) == 0, "%s: %s, not %s",
          what, owner_name_at(map, at), ring->nodes[ref_owner(ring, at)].name);
    same_list(what, map, out, cw_map_order_position(map, at, out, 16), ring,
              want, ref_order(ring, at, want));
}

static void
every_position_of_small_rings(void **state)
{
    struct rng rng = { test_seed() };

    (void)state;
    for (int round = 0; round < 150; round++) {
        uint64_t size = 2 + rng_below(&rng, round < 50 ? 9 : 120);
        cw_fleet *fleet = explicit_fleet(&rng, size,
                                         1 + (uint32_t)rng_below(&rng, 9));
        struct ref_ring *ring = ref_ring_new(fleet, "xxh3", 160, size - 1);
        char options[40];
        cw_placement *p;
        cw_map *map;

        (void)snprintf(options, sizeof options, "size=%" PRIu64, size);
        p = placement_of(options);
        map = map_of(fleet, p);
        CHECK(cw_map_points(map) == ring->point_count, "%" PRIu64
              " points, not %zu", cw_map_points(map), ring->point_count);
        for (uint64_t at = 0; at < size; at++)
            position_agrees(map, ring, at);
        cw_map_unref(map);
        cw_placement_free(p);
        ref_ring_free(ring);
        cw_fleet_free(fleet);
    }
}

static void
the_ends_of_the_largest_rings(void **state)
{
    static const uint64_t at[] = { 0, UINT64_MAX, UINT64_MAX - 1, 1 };
    static const char *const sizes[] = {
        "size=18446744073709551616", "size=18446744073709551615"
    };

    (void)state;
    for (uint64_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < COUNT(at); i++) {
            for (size_t j = 0; j < COUNT(at); j++) {
                uint64_t top = UINT64_MAX - s;
                uint64_t pa = at[i] - (at[i] > 1 ? s : 0);
                uint64_t pb = at[j] - (at[j] > 1 ? s : 0);
                cw_fleet *fleet = fleet_of("b,a");
                cw_placement *p = placement_of(sizes[s]);
                struct ref_ring *ring;
                cw_map *map;

                CHECK_OK(cw_fleet_set_positions(fleet, "a", 1, &pa, 1, NULL));
                CHECK_OK(cw_fleet_set_positions(fleet, "b", 1, &pb, 1, NULL));
                ring = ref_ring_new(fleet, "xxh3", 160, top);
                map = map_of(fleet, p);
                CHECK(cw_map_top(map) == top, "top %" PRIu64, cw_map_top(map));
                for (size_t k = 0; k < COUNT(at); k++)
                    position_agrees(map, ring, at[k] - (at[k] > 1 ? s : 0));
                position_agrees(map, ring, UINT64_C(1) << 63);
                cw_map_unref(map);
                ref_ring_free(ring);
                cw_placement_free(p);
                cw_fleet_free(fleet);
            }
        }
    }
}

/* ---- computed rings against the reference ------------------------------ */

static const struct {
    const char *options, *hash;
    uint64_t    points;
} rings[] = {
    { "", "xxh3", 160 },
    { "points=1", "xxh3", 1 },
    { "points=7;hash=xxh64", "xxh64", 7 },
    { "points=20;hash=fnv1a_64", "fnv1a_64", 20 },
    { "points=20;hash=fnv1a_32", "fnv1a_32", 20 },
};

static void
key_agrees(const cw_map *map, const struct ref_ring *ring, const char *hash,
           const struct key *key)
{
    uint64_t at = ref_hash(hash, key->data, key->len), got = 0;
    uint32_t out[16], want[16];

    CHECK_OK(cw_map_hash(map, key->data, key->len, &got));
    CHECK(got == at && cw_map_position(map, got) == at, "hash %" PRIu64, got);
    CHECK(strcmp(owner_name(map, key->data, key->len),
                 ring->nodes[ref_owner(ring, at)].name) == 0, "%s: %s, not %s",
          key->data, owner_name(map, key->data, key->len),
          ring->nodes[ref_owner(ring, at)].name);
    same_list("order", map, out,
              cw_map_order(map, key->data, key->len, out, 16), ring, want,
              ref_order(ring, at, want));
    same_list("order of the hash", map, out,
              cw_map_order_hash(map, at, out, 16), ring, want,
              ref_order(ring, at, want));
    for (uint32_t r = 0; r < 10; r++)
        same_list("replicas", map, out,
                  cw_map_replicas(map, key->data, key->len, out, r), ring,
                  want, ref_replicas(ring, at, want, r));
}

static void
computed_rings_equal_the_reference(void **state)
{
    struct rng rng = { test_seed() };
    cw_fleet *fleet = fleet_of(
        "a@x,b=2@x,c=0.25@y,d=0@y,e=1.5,f=0.000001,g=3@z,h@x");

    (void)state;
    CHECK_OK(cw_fleet_set_label(fleet, "e", 1, "other\0label", 11, NULL));
    for (size_t i = 0; i < COUNT(rings); i++) {
        struct ref_ring *ring = ref_ring_new(fleet, rings[i].hash,
                                             rings[i].points, 0);
        cw_placement *p = placement_of(rings[i].options);
        cw_map *map = map_of(fleet, p);

        CHECK(cw_map_top(map) == ring->top, "top %" PRIu64, cw_map_top(map));
        CHECK(cw_map_points(map) == ring->point_count, "%" PRIu64
              " points, not %zu", cw_map_points(map), ring->point_count);
        for (uint64_t k = 0; k < 120; k++) {
            struct key key = k % 2 ? key_random(&rng) :
                             key_numbered("key", k);

            key_agrees(map, ring, rings[i].hash, &key);
        }
        for (uint64_t k = 0; k < 200; k++) {
            /* On a point, and a step to either side of it. */
            uint64_t at = ring->points[rng_below(&rng, ring->point_count)].at;

            position_agrees(map, ring, at);
            position_agrees(map, ring, at == ring->top ? 0 : at + 1);
            position_agrees(map, ring, at == 0 ? ring->top : at - 1);
        }
        position_agrees(map, ring, 0);
        position_agrees(map, ring, ring->top);
        cw_map_unref(map);
        cw_placement_free(p);
        ref_ring_free(ring);
    }
    cw_fleet_free(fleet);
}

/* ---- what a row cannot answer ------------------------------------------ */

static void
questions_that_a_row_cannot_answer(void **state)
{
    cw_map *map = map_of_spec("a,b,c", "algorithm=rendezvous");
    uint32_t out = 7;

    (void)state;
    CHECK(cw_map_owner_position(map, 0, &out) == CW_ENOTSUP, "a position");
    CHECK(cw_map_order_position(map, 0, &out, 1) == 0, "order of a position");
    CHECK(out == 7, "out touched");
    cw_map_unref(map);
}

static void
an_empty_key_and_a_key_with_nul_are_keys(void **state)
{
    cw_map *map = map_of_spec("a,b,c,d,e,f,g", "");
    uint64_t h[4];

    (void)state;
    (void)owner_of(map, "", 0);
    (void)owner_of(map, NULL, 0);
    CHECK(owner_of(map, "", 0) == owner_of(map, NULL, 0), "two empty keys");
    CHECK_OK(cw_map_hash(map, "a", 1, &h[0]));
    CHECK_OK(cw_map_hash(map, "a\0b", 3, &h[1]));
    CHECK_OK(cw_map_hash(map, "a\0c", 3, &h[2]));
    CHECK_OK(cw_map_hash(map, "", 0, &h[3]));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            CHECK(h[i] != h[j], "keys %d and %d hash alike", i, j);
    cw_map_unref(map);
}

static void
lists_shorter_and_longer_than_the_fleet(void **state)
{
    cw_map *map = map_of_spec("a,b=0,c@z,d@z", "");
    uint32_t out[6];

    (void)state;
    for (uint32_t n = 0; n <= 6; n++) {
        for (int i = 0; i < 6; i++)
            out[i] = 99;
        CHECK(cw_map_order(map, "k", 1, out, n) == (n < 3 ? n : 3), "order %"
              PRIu32, n);
        for (uint32_t i = n < 3 ? n : 3; i < 6; i++)
            CHECK(out[i] == 99, "order %" PRIu32 " wrote number %" PRIu32, n,
                  i);
        for (int i = 0; i < 6; i++)
            out[i] = 99;
        CHECK(cw_map_replicas(map, "k", 1, out, n) == (n < 3 ? n : 3),
              "replicas %" PRIu32, n);
        for (uint32_t i = n < 3 ? n : 3; i < 6; i++)
            CHECK(out[i] == 99, "replicas %" PRIu32 " wrote %" PRIu32, n, i);
    }
    cw_map_unref(map);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_worked_ring_of_the_text_books),
        TEST(every_position_of_small_rings),
        TEST(the_ends_of_the_largest_rings),
        TEST(computed_rings_equal_the_reference),
        TEST(questions_that_a_row_cannot_answer),
        TEST(an_empty_key_and_a_key_with_nul_are_keys),
        TEST(lists_shorter_and_longer_than_the_fleet),
    };

    return cmocka_run_group_tests_name("lookup", tests, NULL, NULL);
}
