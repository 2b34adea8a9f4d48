/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_members.c - public cases of membership, as far as they are properties
 * of the library: who gives to a joining node, zones, a node's number of
 * points, the fingerprint.
 */
#include "harness.h"

static const char *const minimal[] = {
    "algorithm=ring", "compat=ketama160", "algorithm=rendezvous"
};

/* ---- B78: who gives, and who is gone ----------------------------------- */

static void
case_B78(void **state)
{
    (void)state;
    for (size_t r = 0; r < COUNT(minimal); r++) {
        cw_map *four = map_of_spec("a,b,c,d", minimal[r]);
        cw_map *five = map_of_spec("a,b,c,d,e", minimal[r]);
        cw_diff *d = NULL;

        CHECK_OK(cw_diff_new(four, five, &d));
        for (uint32_t i = 0; i < d->node_count; i++) {
            const cw_diff_node *n = &d->nodes[i];

            if (n->old_index == CW_NONE)
                CHECK(n->took > 0.1 && n->took < 0.3, "%s: e took %g",
                      minimal[r], n->took);
            else
                CHECK(n->gave > 0.015 && n->gave < 0.12 && n->took == 0.0,
                      "%s: %s gave %g: not from all alike", minimal[r],
                      n->node.name, n->gave);
        }
        cw_diff_free(d);
        cw_map_unref(four);
        cw_map_unref(five);
    }
}

/*
 * 32 partitions: slots with the tightest cap. Four nodes have 8 each; a fifth
 * leaves none above 7, so each of the four gives. (7/7/6/6/6 with 6 moves
 * would need to know who had what: slots depend on the present nodes alone.)
 */
static void
case_B78_partitions(void **state)
{
    static const char *const placement =
        "algorithm=slots;slots=32;cap=fixed;slack=0";
    static const char *const fifth[] = {
        "e", "a0", "node-5", "10.0.0.5:11211", "zz", "b1"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(fifth); i++) {
        char spec[64];
        cw_map *four = map_of_spec("a,b,c,d", placement), *five;
        cw_diff *d = NULL;

        snprintf(spec, sizeof spec, "a,b,c,d,%s", fifth[i]);
        five = map_of_spec(spec, placement);
        CHECK_OK(cw_diff_new(four, five, &d));
        for (uint32_t k = 0; k < d->node_count; k++) {
            const cw_diff_node *n = &d->nodes[k];

            CHECK(n->new_share * 32 <= 7.0, "%s: %s has %g", fifth[i],
                  n->node.name, n->new_share * 32);
            if (n->old_index != CW_NONE)
                CHECK(n->old_share * 32 == 8.0 && n->gave * 32 >= 1.0,
                      "%s: %s had %g and gave %g", fifth[i], n->node.name,
                      n->old_share * 32, n->gave * 32);
        }
        CHECK(d->moved * 32 <= 10.0, "%s: %g moves", fifth[i],
              d->moved * 32);
        cw_diff_free(d);
        cw_map_unref(four);
        cw_map_unref(five);
    }
}

/* A device that is removed, or empty, before the first map is in no list. */
static void
case_B78_removed_before_the_first_map(void **state)
{
    (void)state;
    for (size_t r = 0; r < COUNT(minimal); r++) {
        cw_fleet *fleet = fleet_of("d1,d2,d3,d4");
        cw_placement *p = placement_of(minimal[r]);
        cw_shares *s = NULL;
        cw_map *map;

        CHECK_OK(cw_fleet_remove(fleet, "d2", 2, NULL));
        CHECK_OK(cw_fleet_set_weight(fleet, "d4", 2, 0, NULL));
        map = map_of(fleet, p);
        CHECK(cw_map_find(map, "d2", 2) == CW_NONE, "d2 is there");
        CHECK_OK(cw_shares_new(map, &s));
        CHECK(s->part[cw_map_find(map, "d4", 2)] == 0.0, "d4 has a share");
        for (uint64_t k = 0; k < 2000; k++) {
            struct key key = key_numbered("key", k);
            uint32_t out[4];
            uint32_t n = cw_map_order(map, key.data, key.len, out, 4);

            CHECK(n == 2, "%s: %" PRIu32 " nodes", minimal[r], n);
            for (uint32_t i = 0; i < n; i++)
                CHECK(strcmp(node_name(map, out[i]), "d4") != 0, "d4");
        }
        cw_shares_free(s);
        cw_map_unref(map);
        cw_placement_free(p);
        cw_fleet_free(fleet);
    }
}

/* ---- B82: copies in one zone ------------------------------------------- */

static char
zone_of(const cw_map *map, uint32_t node)
{
    cw_node n;

    cw_map_node(map, node, &n);
    return n.zone[0];
}

/* The copy of a key in a zone, CW_NONE when there is none. */
static uint32_t
copy_in(const cw_map *map, const uint32_t *set, uint32_t n, char zone)
{
    for (uint32_t i = 0; i < n; i++)
        if (zone_of(map, set[i]) == zone)
            return set[i];
    return CW_NONE;
}

static void
case_B82(void **state)
{
    static const char six[] = "a1@A,a2@A,b1@B,b2@B,c1@C,c2@C";
    static const char seven[] = "a1@A,a2@A,b1@B,b2@B,c1@C,c2@C,a3@A";

    (void)state;
    for (size_t r = 0; r < COUNT(minimal); r++) {
        cw_map *old = map_of_spec(six, minimal[r]);
        cw_map *new = map_of_spec(seven, minimal[r]);

        for (uint64_t k = 0; k < 10000; k++) {
            struct key key = key_numbered("key", k);
            uint32_t a[3], b[3];

            CHECK(cw_map_replicas(old, key.data, key.len, a, 3) == 3 &&
                  cw_map_replicas(new, key.data, key.len, b, 3) == 3,
                  "%s: three copies", minimal[r]);
            for (const char *zone = "ABC"; *zone != '\0'; zone++) {
                uint32_t x = copy_in(old, a, 3, *zone);
                uint32_t y = copy_in(new, b, 3, *zone);

                CHECK(x != CW_NONE && y != CW_NONE, "%s: %s has no copy in "
                      "zone %c", minimal[r], key.data, *zone);
                CHECK(*zone == 'A' ? strcmp(node_name(new, y), "a3") == 0 ||
                      same_node(old, x, new, y) : same_node(old, x, new, y),
                      "%s: a3 moved the copy of %s in zone %c", minimal[r],
                      key.data, *zone);
            }
        }
        cw_map_unref(old);
        cw_map_unref(new);
    }
}

/* Fewer zones than copies: one each, then the rest; every row. */
static void
case_B82_two_zones(void **state)
{
    static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };

    (void)state;
    for (size_t t = 0; t < COUNT(tables); t++) {
        cw_placement *p;
        cw_row row;

        for (unsigned i = 0; (p = placement_of_row(tables[t], i, &row)); i++) {
            cw_fleet *fleet = fleet_of(
                "10.0.0.1:11211@A,10.0.0.2:11211@A,10.0.0.3:11211@B,"
                "10.0.0.4:11211@B");
            cw_map *map = map_of(fleet, p);

            for (uint64_t k = 0; k < 2000; k++) {
                struct key key = key_numbered("key", k);
                uint32_t set[3];

                CHECK(cw_map_replicas(map, key.data, key.len, set, 3) == 3,
                      "%s: three copies", row.name);
                CHECK(set[0] != set[1] && set[1] != set[2] &&
                      set[0] != set[2], "%s: a node twice", row.name);
                CHECK(zone_of(map, set[0]) != zone_of(map, set[1]),
                      "%s: the first two of %s share a zone", row.name,
                      key.data);
            }
            cw_map_unref(map);
            cw_fleet_free(fleet);
            cw_placement_free(p);
        }
    }
}

/* ---- B83: another number of points ------------------------------------- */

static void
only_n1_gives_or_takes(const cw_map *old, const cw_map *new, int grows)
{
    for (uint64_t k = 0; k < 20000; k++) {
        struct key key = key_numbered("key", k);
        const char *from = owner_name(old, key.data, key.len);
        const char *to = owner_name(new, key.data, key.len);

        CHECK(strcmp(from, to) == 0 ||
              strcmp(grows ? to : from, "n1") == 0, "%s: %s to %s", key.data,
              from, to);
    }
}

static void
case_B83(void **state)
{
    /* 160 points per unit of weight: 64, 128, 32 of n1. */
    cw_map *m64 = map_of_spec("n1=0.4,n2,n3", "algorithm=ring");
    cw_map *m128 = map_of_spec("n1=0.8,n2,n3", "algorithm=ring");
    cw_map *m32 = map_of_spec("n1=0.2,n2,n3", "algorithm=ring");

    (void)state;
    CHECK(cw_map_node_points(m64, 0) == 64 &&
          cw_map_node_points(m128, 0) == 128 &&
          cw_map_node_points(m32, 0) == 32, "points of n1");
    only_n1_gives_or_takes(m64, m128, 1);
    only_n1_gives_or_takes(m128, m64, 0);
    only_n1_gives_or_takes(m64, m32, 0);
    cw_map_unref(m64);
    cw_map_unref(m128);
    cw_map_unref(m32);
}

/* The same with stored positions: the first 64 stay. */
static void
case_B83_stored_positions(void **state)
{
    struct rng rng = { test_seed() };
    uint64_t at[128];
    cw_fleet *fleet = fleet_of("n1,n2,n3");
    cw_map *maps[3];
    static const uint32_t counts[] = { 64, 128, 32 };

    (void)state;
    for (size_t i = 0; i < COUNT(at); i++)
        at[i] = rng_next(&rng);
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(cw_fleet_set_positions(fleet, "n1", 2, at, counts[i], NULL));
        maps[i] = map_of(fleet, NULL);
        CHECK(cw_map_node_points(maps[i], 0) == counts[i], "points");
        for (uint32_t k = 0; k < counts[i]; k++)
            CHECK(strcmp(owner_name_at(maps[i], at[k]), "n1") == 0,
                  "position %" PRIu32 " of %" PRIu32, k, counts[i]);
    }
    only_n1_gives_or_takes(maps[0], maps[1], 1);
    only_n1_gives_or_takes(maps[1], maps[2], 0);
    for (size_t i = 0; i < 3; i++)
        cw_map_unref(maps[i]);
    cw_fleet_free(fleet);
}

/* ---- B86: what the fingerprint counts ---------------------------------- */

static uint64_t
print_of(const char *fleet)
{
    cw_map *map = map_of_spec(fleet, "");
    uint64_t fingerprint = cw_map_fingerprint(map);

    cw_map_unref(map);
    return fingerprint;
}

static void
case_B86(void **state)
{
    cw_fleet *suspect = fleet_of("a,b,c");
    cw_map *map;

    (void)state;
    CHECK(print_of("a,b,c") == print_of("c,b,a"), "order");
    CHECK_OK(cw_fleet_set_state(suspect, "b", 1, CW_DOWN, NULL));
    map = map_of(suspect, NULL);
    CHECK(cw_map_fingerprint(map) == print_of("a,b,c"), "a state");
    cw_map_unref(map);
    CHECK_OK(cw_fleet_set_address(suspect, "b", 1, "10.9.9.9:1", 10, NULL));
    map = map_of(suspect, NULL);
    CHECK(cw_map_fingerprint(map) == print_of("a,b,c"), "an address");
    cw_map_unref(map);
    CHECK(print_of("a,b=2,c") != print_of("a,b,c"), "a weight");
    CHECK(print_of("a,b") != print_of("a"), "a node of two");
    CHECK(print_of("a,b") != print_of("b"), "the other node of two");
    CHECK(print_of("ab,c") != print_of("a,bc"), "bounds of names");
    CHECK(print_of("a") != print_of(""), "the last node");
    cw_fleet_free(suspect);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_B78), TEST(case_B78_partitions),
        TEST(case_B78_removed_before_the_first_map),
        TEST(case_B82), TEST(case_B82_two_zones), TEST(case_B83),
        TEST(case_B83_stored_positions), TEST(case_B86),
    };

    return cmocka_run_group_tests_name("cases_members", tests, NULL, NULL);
}
