/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_ring.c - public cases about points, ties, names, hashes and ends of
 * the ring. Each is tested as the kind of fault that it is: the instance
 * reported, and wherever else it could occur.
 */
#include "core/hash.h"
#include "harness_rows.h"

enum { MANY = 100000 };

/* First word of a key's MD5, little-endian: the key hash of ketama160. */
static uint32_t
k_of(const char *key)
{
    uint8_t digest[16];

    cwi_md5(key, strlen(key), digest);
    return cwi_load32le(digest);
}

static cw_map *
ketama(const char *fleet)
{
    return map_of_spec(fleet, "compat=ketama160");
}

static const char *
at(const cw_map *map, uint64_t position)
{
    return owner_name_at(map, position);
}

/* Same owners by name for key0 .. key(n-1). */
static unsigned
differ(const cw_map *a, const cw_map *b, uint64_t n)
{
    unsigned differences = 0;

    for (uint64_t i = 0; i < n; i++) {
        struct key key = key_numbered("key", i);

        differences += !same_node(a, owner_of(a, key.data, key.len), b,
                                  owner_of(b, key.data, key.len));
    }
    return differences;
}

/* ---- B01: two points of one value -------------------------------------- */

/* Remove the nodes in the order given; after each step the map must be the
 * one that a fresh fleet gives. */
static void
remove_one_by_one(const char *const *names, size_t n, const size_t *order)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_placement *p = placement_of("compat=ketama160");
    unsigned gone = 0;

    for (size_t i = 0; i < n; i++)
        fleet_add(fleet, names[i], CW_WEIGHT_ONE);
    for (size_t step = 0; step < n; step++) {
        cw_fleet *fresh = cw_fleet_new(NULL);
        cw_map *a, *b;

        CHECK_OK(cw_fleet_remove(fleet, names[order[step]],
                                 strlen(names[order[step]]), NULL));
        gone |= 1u << order[step];
        for (size_t i = 0; i < n; i++)
            if (!(gone & 1u << i))
                fleet_add(fresh, names[i], CW_WEIGHT_ONE);
        a = map_of(fleet, p);
        b = map_of(fresh, p);
        CHECK(cw_map_points(a) == 160 * (n - step - 1), "%" PRIu64 " points",
              cw_map_points(a));
        CHECK(cw_map_fingerprint(a) == cw_map_fingerprint(b), "step %zu",
              step);
        if (step + 1 < n)
            CHECK(differ(a, b, 2000) == 0, "step %zu", step);
        cw_map_unref(a);
        cw_map_unref(b);
        cw_fleet_free(fresh);
    }
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

static void
case_B01(void **state)
{
    static const char *const pair[] = { "node601", "node1174" };
    static const char *const triple[] = {
        "172.31.1.0", "172.31.1.125", "172.31.1.202"
    };
    static const size_t orders[6][3] = {
        { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
        { 2, 1, 0 }
    };
    cw_map *map = ketama("node601,node1174");

    (void)state;
    CHECK(cw_map_points(map) == 320, "%" PRIu64 " points",
          cw_map_points(map));
    /* The shared point, and what lies around it: node1174 is the lower. */
    CHECK(strcmp(at(map, 2608162388u), "node1174") == 0, "shared point");
    cw_map_unref(map);
    map = ketama("node601");
    CHECK(strcmp(at(map, 2608162388u), "node601") == 0, "alone");
    cw_map_unref(map);

    map = ketama("172.31.1.0,172.31.1.125,172.31.1.202");
    CHECK(cw_map_points(map) == 480, "%" PRIu64 " points",
          cw_map_points(map));
    cw_map_unref(map);
    map = ketama("172.31.1.0,172.31.1.125");
    CHECK(cw_map_points(map) == 320, "%" PRIu64 " points",
          cw_map_points(map));
    CHECK(k_of("k355") == 1008332826u, "K(k355)");
    CHECK(strcmp(at(map, 1008332826u), "172.31.1.125") == 0, "%s",
          at(map, 1008332826u));
    CHECK(strcmp(owner_name(map, "k355", 4), "172.31.1.125") == 0, "k355");
    cw_map_unref(map);

    for (size_t i = 0; i < 2; i++)
        remove_one_by_one(pair, 2, orders[i * 2]);
    for (size_t i = 0; i < 6; i++)
        remove_one_by_one(triple, 3, orders[i]);
}

/* The same kind on rings of few positions, where points meet all the time:
 * nodes come and go, and the map is always that of a fresh fleet. */
static void
case_B01_crowded(void **state)
{
    struct rng rng = { test_seed() };
    cw_fleet *fleet = fleet_of("n0");
    cw_placement *p = placement_of("size=64;points=40");

    (void)state;
    for (int step = 0; step < 200; step++) {
        struct key name = key_numbered("n", 1 + rng_below(&rng, 9));
        cw_fleet *fresh = cw_fleet_new(NULL);
        cw_map *a, *b;

        if (cw_fleet_remove(fleet, name.data, name.len, NULL) == CW_ENOENT)
            fleet_add(fleet, name.data, CW_WEIGHT_ONE);
        for (uint64_t i = 0; i < 10; i++) {
            struct key other = key_numbered("n", i);

            if (cw_fleet_find(fleet, other.data, other.len,
                              &(cw_node){ 0 }) == CW_OK)
                fleet_add(fresh, other.data, CW_WEIGHT_ONE);
        }
        a = map_of(fleet, p);
        b = map_of(fresh, p);
        CHECK(cw_map_points(a) == 40 * (uint64_t)cw_fleet_count(fleet),
              "step %d: %" PRIu64 " points", step, cw_map_points(a));
        for (uint64_t i = 0; i < 64; i++)
            CHECK(strcmp(at(a, i), at(b, i)) == 0, "step %d, position %"
                  PRIu64, step, i);
        cw_map_unref(a);
        cw_map_unref(b);
        cw_fleet_free(fresh);
    }
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

/* ---- B02: the order of the list ---------------------------------------- */

static void
case_B02(void **state)
{
    static const char *const own[] = {
        "compat=ketama160", "algorithm=ring", "algorithm=ring;points=1",
        "algorithm=rendezvous"
    };
    cw_map *a = ketama("node601,node1174"), *b = ketama("node1174,node601");

    (void)state;
    CHECK(k_of("k9") == 2605465427u, "K(k9)");
    CHECK(strcmp(owner_name(a, "k9", 2), "node1174") == 0, "%s",
          owner_name(a, "k9", 2));
    CHECK(strcmp(owner_name(b, "k9", 2), "node1174") == 0, "%s",
          owner_name(b, "k9", 2));
    CHECK(strcmp(at(a, 2552975672u), at(b, 2552975672u)) == 0, "before it");
    cw_map_unref(a);
    cw_map_unref(b);
    for (size_t i = 0; i < COUNT(own); i++) {
        a = map_of_spec("node601,node1174", own[i]);
        b = map_of_spec("node1174,node601", own[i]);
        CHECK(differ(a, b, MANY) == 0, "%s: %u keys differ", own[i],
              differ(a, b, MANY));
        cw_map_unref(a);
        cw_map_unref(b);
    }
}

/* ---- B03: long names --------------------------------------------------- */

#define LONG                                                                  \
    "cache-prod-eu-west-1-availability-zone-a-rack-0042-shard-000000000"

static void
case_B03(void **state)
{
    static const struct {
        const char *key, *node;
    } keys[] = {
        { "foo", LONG "2" }, { "bar", LONG "1" }, { "baz", LONG "1" },
        { "qux", LONG "2" },
    };
    cw_map *map = ketama(LONG "1," LONG "2");
    unsigned first = 0;

    (void)state;
    CHECK(cw_map_points(map) == 320, "%" PRIu64 " points",
          cw_map_points(map));
    for (size_t i = 0; i < COUNT(keys); i++)
        CHECK(strcmp(owner_name(map, keys[i].key, strlen(keys[i].key)),
                     keys[i].node) == 0, "%s -> %s", keys[i].key,
              owner_name(map, keys[i].key, strlen(keys[i].key)));
    for (uint64_t i = 0; i < 10000; i++) {
        struct key key = key_numbered("key", i);

        first += strcmp(owner_name(map, key.data, key.len), LONG "1") == 0;
    }
    CHECK(first == 5569, "%u/%u", first, 10000 - first);
    cw_map_unref(map);
}

/* Every row, around every length at which somebody cut: two names that
 * differ in their last byte alone share no key space. A program that cuts
 * refuses them instead. */
/* Does row i of table spread no keys, because people enter where they are? */
static int
placed_by_hand(cw_table table, unsigned i)
{
    cw_row_option option;

    for (unsigned j = 0; cw_table_row_option(table, i, j, &option) == CW_OK;
         j++)
        if (strcmp(option.name, "default") == 0)
            return 1;
    return 0;
}

static void
case_B03_every_row(void **state)
{
    static const size_t lens[] = { 63, 64, 65, 85, 86, 87, 255, 256, 1000 };
    static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };

    (void)state;
    for (size_t t = 0; t < COUNT(tables) * COUNT(lens); t++) {
        size_t len = lens[t / 2];
        cw_placement *p;
        cw_row row;

        for (unsigned i = 0; (p = placement_of_row(tables[t % 2], i, &row));
             i++) {
            static char name[1001];
            cw_fleet *fleet = cw_fleet_new(NULL);
            unsigned counts[2] = { 0, 0 };
            cw_map *map;

            memset(name, 'x', sizeof name);
            for (char c = '1'; c <= '2'; c++) {
                name[len - 1] = c;
                CHECK_OK(cw_fleet_add(fleet, name, len, CW_WEIGHT_ONE, NULL));
            }
            if (tables[t % 2] == CW_TABLE_COMPAT) {
                cw_error err = { CW_OK, "" };

                if (cw_map_build(fleet, p, &map, &err) != CW_OK) {
                    CHECK(err.status == CW_EINVAL &&
                          strstr(err.text, "bytes") != NULL, "%s: '%s'",
                          row.name, err.text);
                    cw_fleet_free(fleet);
                    cw_placement_free(p);
                    continue;
                }
                cw_map_unref(map);
            }
            map = map_of(fleet, p);
            for (uint64_t k = 0; k < 4000; k++) {
                struct key key = key_numbered("key", k);

                counts[owner_of(map, key.data, key.len)]++;
            }
            CHECK((counts[0] > 0 && counts[1] > 0) ||
                  placed_by_hand(tables[t % 2], i), "%s, %zu bytes: %u/%u",
                  row.name, len, counts[0], counts[1]);
            cw_map_unref(map);
            cw_fleet_free(fleet);
            cw_placement_free(p);
        }
    }
}

/* ---- B04: bytes of 128 and more ---------------------------------------- */

static void
case_B04(void **state)
{
    static const struct {
        const char *key;
        uint32_t    hash;
        const char *owner;  /* NULL: the case does not say */
    } keys[] = {
        { "a", 2248273036u, NULL },
        { "\xe4\xb8\xad", 1737097940u, NULL },
        { "\xe6\x9c\xac", 1953828425u, "10.0.0.1:11311" },
    };
    cw_map *map = ketama("10.0.0.1:11311,10.0.0.2:11311,10.0.0.3:11311");

    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++) {
        uint32_t low = (uint32_t)cwi_fnv1a_64(keys[i].key,
                                              strlen(keys[i].key));

        CHECK(low == keys[i].hash, "key %zu: %" PRIu32, i, low);
        if (keys[i].owner != NULL)
            CHECK(strcmp(at(map, low), keys[i].owner) == 0, "key %zu: %s", i,
                  at(map, low));
    }
    /* What a signed char gives is another server. */
    CHECK(strcmp(at(map, 500826953u), "10.0.0.2:11311") == 0, "signed: %s",
          at(map, 500826953u));
    cw_map_unref(map);
}

/* ---- B08: ends of the ring --------------------------------------------- */

static void
case_B08(void **state)
{
    static const struct {
        uint32_t    hash;
        const char *owner;
    } hashes[] = {
        { 0, "alpha" }, { 8391929u, "alpha" }, { 8391930u, "beta" },
        { 36616967u, "beta" }, { 4290928610u, "gamma" },
        { 4294218021u, "gamma" }, { 4294218022u, "alpha" },
        { 4294967295u, "alpha" },
    };
    cw_map *map = ketama("alpha,beta,gamma");
    cw_map *one = map_of_spec("only", "compat=textbook-fnv1a;points=1");

    (void)state;
    for (size_t i = 0; i < COUNT(hashes); i++) {
        uint32_t out = 9;

        CHECK(strcmp(at(map, hashes[i].hash), hashes[i].owner) == 0,
              "%" PRIu32 ": %s", hashes[i].hash, at(map, hashes[i].hash));
        CHECK_OK(cw_map_owner_hash(map, hashes[i].hash, &out));
        CHECK(strcmp(node_name(map, out), hashes[i].owner) == 0, "hash %"
              PRIu32, hashes[i].hash);
        CHECK(strcmp(at(one, hashes[i].hash), "only") == 0, "one point");
        CHECK(cw_map_order_position(one, hashes[i].hash, &out, 1) == 1,
              "one point, a list");
    }
    cw_map_unref(map);
    cw_map_unref(one);
}

/* ---- B14: a key with NUL ----------------------------------------------- */

static void
case_B14_every_hash(void **state)
{
    static const struct cwi_hash_key secret = { 1, 2 };

    (void)state;
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *h = cwi_hash_at(i);
        uint64_t a = h->hash("a", 1, &secret);
        uint64_t b = h->hash("a\0b", 3, &secret);
        uint64_t c = h->hash("a\0c", 3, &secret);

        CHECK(a != b && b != c && a != c, "%s stops at a NUL", h->name);
    }
}

static void
keys_behind_a_nul_spread(struct draw *d)
{
    cw_fleet *fleet = fleet_of("10.0.0.1:11211,10.0.0.2:11211,"
                               "10.0.0.3:11211");
    cw_placement *p = placement_of_row(d->table, d->number, &d->row);
    cw_map *map = map_of(fleet, p);
    unsigned counts[3] = { 0 };

    for (unsigned i = 0; i < 3000; i++) {
        char key[8] = { 'a', 0, (char)('a' + (char)(i % 16)),
                        (char)('a' + (char)(i / 16 % 16)),
                        (char)('a' + (char)(i / 256)), 'x', 'y', 'z' };

        counts[owner_of(map, key, sizeof key)]++;
    }
    CHECK((counts[0] > 0 && counts[1] > 0 && counts[2] > 0) ||
          placed_by_hand(d->table, d->number),
          "%s: %u/%u/%u of keys that begin with a, NUL", d->row.name,
          counts[0], counts[1], counts[2]);
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

static void
case_B14(void **state)
{
    (void)state;
    for_rows_once(0, 0, keys_behind_a_nul_spread);
}

/* ---- B34: few points --------------------------------------------------- */

/* Points: first word of md5(name-i). */
static cw_map *
first_words(uint32_t points)
{
    static const char *const names[] = { "s1", "s2" };
    cw_fleet *fleet = fleet_of("s1,s2");
    cw_placement *p = placement_of("size=4294967296");
    cw_map *map;

    for (size_t n = 0; n < 2; n++) {
        uint64_t positions[160];

        for (uint32_t i = 0; i < points; i++) {
            char label[24];

            (void)snprintf(label, sizeof label, "%s-%" PRIu32, names[n], i);
            positions[i] = k_of(label);
        }
        CHECK_OK(cw_fleet_set_positions(fleet, names[n], 2, positions, points,
                                        NULL));
    }
    map = map_of(fleet, p);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

static void
case_B34(void **state)
{
    static const struct {
        uint32_t points;
        unsigned per_mille;
    } cases[] = { { 1, 260 }, { 3, 719 }, { 40, 482 }, { 160, 558 } };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        cw_map *map = first_words(cases[i].points);
        cw_shares *s = NULL;
        unsigned first = 0;

        for (uint64_t k = 0; k < MANY; k++) {
            struct key key = key_numbered("key", k);

            first += strcmp(at(map, k_of(key.data)), "s1") == 0;
        }
        CHECK((first + 50) / 100 == cases[i].per_mille, "%" PRIu32
              " points: %u of %d", cases[i].points, first, MANY);
        CHECK_OK(cw_shares_new(map, &s));
        CHECK(s->part[0] * 1000 > cases[i].per_mille - 6 &&
              s->part[0] * 1000 < cases[i].per_mille + 6, "%" PRIu32
              " points: exact share %.4f", cases[i].points, s->part[0]);
        CHECK(s->balance.min_avg < 1.0 && s->balance.max_avg > 1.0,
              "balance");
        cw_shares_free(s);
        cw_map_unref(map);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_B01), TEST(case_B01_crowded), TEST(case_B02),
        TEST(case_B03), TEST(case_B03_every_row), TEST(case_B04),
        TEST(case_B08), TEST(case_B14), TEST(case_B14_every_hash),
        TEST(case_B34),
    };

    return cmocka_run_group_tests_name("cases_ring", tests, NULL, NULL);
}
