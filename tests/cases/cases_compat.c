/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_compat.c - public cases that are stated in placements of deployed
 * programs: what these do, and what ours do instead.
 */
#include "harness.h"

static const char weighted[] = "compat=libmemcached-ketama-weighted";
static const char twemproxy[] = "compat=twemproxy-ketama;hash=md5";

/* 10.0.0.1 .. 10.0.0.n, all of weight 1. */
static cw_map *
equal_servers(uint64_t n, const char *options)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_placement *p = placement_of(options);
    cw_map *map;

    for (uint64_t i = 1; i <= n; i++) {
        struct key name = key_numbered("10.0.0.", i);

        fleet_add(fleet, name.data, CW_WEIGHT_ONE);
    }
    map = map_of(fleet, p);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

/* ---- B06: points per server in float32 --------------------------------- */

/* n with which a float32 share of the total falls just short of 40 digests. */
static int
is_short(uint64_t n)
{
    static const uint64_t sizes[] = { 25, 47, 50, 55, 61, 71, 94, 100 };

    for (size_t i = 0; i < COUNT(sizes); i++)
        if (sizes[i] == n)
            return 1;
    return 0;
}

static void
case_B06(void **state)
{
    static const char *const programs[] = { weighted, twemproxy };
    static const char *const own[] = { "algorithm=ring", "compat=ketama160" };
    cw_map *exact = equal_servers(25, "compat=ketama160");
    cw_map *rounded = equal_servers(25, weighted);
    unsigned differ = 0;

    (void)state;
    for (uint64_t n = 1; n <= 100; n++) {
        for (size_t i = 0; i < COUNT(programs); i++) {
            cw_map *map = equal_servers(n, programs[i]);
            uint64_t want = is_short(n) ? 156 : 160;

            CHECK(cw_map_points(map) == n * want, "%s, %" PRIu64 " servers: %"
                  PRIu64 " points, not %" PRIu64 " each", programs[i], n,
                  cw_map_points(map), want);
            cw_map_unref(map);
        }
        for (size_t i = 0; i < COUNT(own); i++) {
            cw_map *map = equal_servers(n, own[i]);

            CHECK(cw_map_points(map) == n * 160, "%s, %" PRIu64 " servers: %"
                  PRIu64 " points", own[i], n, cw_map_points(map));
            cw_map_unref(map);
        }
    }
    CHECK(strcmp(owner_name(exact, "key14", 5), "10.0.0.17") == 0, "%s",
          owner_name(exact, "key14", 5));
    CHECK(strcmp(owner_name(rounded, "key14", 5), "10.0.0.14") == 0, "%s",
          owner_name(rounded, "key14", 5));
    for (uint64_t k = 0; k < 100000; k++) {
        struct key key = key_numbered("key", k);

        differ += strcmp(owner_name(exact, key.data, key.len),
                         owner_name(rounded, key.data, key.len)) != 0;
    }
    CHECK((differ + 50) / 100 == 26, "%u of 100000 keys differ", differ);
    cw_map_unref(exact);
    cw_map_unref(rounded);
}

/* ---- B02: the place in the list breaks ties ---------------------------- */

static void
case_B02_libmemcached(void **state)
{
    cw_map *a = map_of_spec("node601,node1174", weighted);
    cw_map *b = map_of_spec("node1174,node601", weighted);

    (void)state;
    CHECK(strcmp(owner_name(a, "k9", 2), "node601") == 0, "first order: %s",
          owner_name(a, "k9", 2));
    CHECK(strcmp(owner_name(b, "k9", 2), "node1174") == 0, "second order: %s",
          owner_name(b, "k9", 2));
    CHECK(cw_map_fingerprint(a) != cw_map_fingerprint(b),
          "two placements, one fingerprint");
    cw_map_unref(a);
    cw_map_unref(b);
}

/* ---- B07: points as a share of the total ------------------------------- */

static void
case_B07_proportional(void **state)
{
    cw_map *old = map_of_spec("10.0.0.1,10.0.0.2,10.0.0.3=2", weighted);
    cw_map *new = map_of_spec("10.0.0.1,10.0.0.2,10.0.0.3=2,10.0.0.4=4",
                              weighted);
    static const uint64_t points[] = { 80, 80, 160, 320 };
    unsigned moved = 0, foreign = 0;

    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        CHECK(cw_map_node_points(new, i) == points[i], "node %" PRIu32 ": %"
              PRIu64 " points", i, cw_map_node_points(new, i));
    for (uint64_t k = 0; k < 100000; k++) {
        struct key key = key_numbered("key", k);
        const char *from = owner_name(old, key.data, key.len);
        const char *to = owner_name(new, key.data, key.len);

        moved += strcmp(from, to) != 0;
        foreign += strcmp(from, to) != 0 && strcmp(to, "10.0.0.4") != 0;
    }
    CHECK((moved + 50) / 100 == 555, "%u of 100000 move", moved);
    CHECK((foreign + 50) / 100 == 55, "%u move between untouched nodes",
          foreign);
    cw_map_unref(old);
    cw_map_unref(new);
}

/* ---- B13, B14: slots --------------------------------------------------- */

static void
case_B13_B14_slots(void **state)
{
    static const struct {
        const char *key;
        size_t      len;
        uint64_t    slot;
    } keys[] = {
        { "a", 1, 15495 }, { "a\0b", 3, 8383 }, { "a\0c", 3, 12446 },
        { "foo{}{bar}", 10, 8363 }, { "{}{x}", 5, 3257 },
        { "foo{{bar}}zap", 13, 4015 }, { "foo{bar}{zap}", 13, 5061 },
        { "A}B{C", 5, 7939 }, { "}{abc", 5, 15680 }, { "{abc", 4, 444 },
        { "{}abc", 5, 5980 }, { "{}", 2, 15257 }, { "", 0, 0 },
        { "{user1000}.following", 20, 3443 },
        { "a{'1':{'i32':1}}", 16, 5540 },
    };
    cw_map *map = map_of_spec("a,b,c", "compat=redis-cluster");

    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++) {
        uint64_t hash = 0;

        CHECK_OK(cw_map_hash(map, keys[i].key, keys[i].len, &hash));
        CHECK(cw_map_position(map, hash) == keys[i].slot, "key %zu: slot %"
              PRIu64 ", not %" PRIu64, i, cw_map_position(map, hash),
              keys[i].slot);
    }
    cw_map_unref(map);
}

/* ---- B18: a table that depends on the order ---------------------------- */

static void
case_B18(void **state)
{
    static const char *const orders[] = {
        "B0,B1,B2", "B2,B1,B0", "B1,B2,B0", "B0,B2,B1", "B1,B0,B2", "B2,B0,B1"
    };
    static const char *const rows[] = {
        "algorithm=maglev", "compat=envoy-maglev"
    };

    (void)state;
    for (size_t r = 0; r < COUNT(rows); r++) {
        cw_map *first = map_of_spec(orders[0], rows[r]);

        for (size_t i = 1; i < COUNT(orders); i++) {
            cw_map *map = map_of_spec(orders[i], rows[r]);

            CHECK(cw_map_fingerprint(map) == cw_map_fingerprint(first),
                  "%s, %s: fingerprint", rows[r], orders[i]);
            for (uint64_t k = 0; k < 20000; k++) {
                struct key key = key_numbered("key", k);

                CHECK(strcmp(owner_name(map, key.data, key.len),
                             owner_name(first, key.data, key.len)) == 0,
                      "%s, %s: %s", rows[r], orders[i], key.data);
            }
            cw_map_unref(map);
        }
        cw_map_unref(first);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_B06), TEST(case_B02_libmemcached),
        TEST(case_B07_proportional), TEST(case_B13_B14_slots), TEST(case_B18),
    };

    return cmocka_run_group_tests_name("cases_compat", tests, NULL, NULL);
}
