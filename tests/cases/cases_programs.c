/* SPDX-License-Identifier: Apache-2.0 */
/* cases_programs.c - public cases about placements of deployed programs. */
#include "harness.h"

static void
owner_is(const char *nodes, const char *options, const char *key,
         const char *want)
{
    cw_map *map = map_of_spec(nodes, options);
    const char *owner = owner_name(map, key, strlen(key));

    CHECK(strcmp(owner, want) == 0, "%s: %s -> %s, not %s", options, key,
          owner, want);
    cw_map_unref(map);
}

/* Signed bytes: the variant is named and the same on every processor. */
static void
case_B04_twemproxy(void **state)
{
    const char *nodes = "10.0.0.1:11311,10.0.0.2:11311,10.0.0.3:11311";

    (void)state;
    owner_is(nodes, "compat=twemproxy-ketama;char=unsigned",
             "\xe6\x9c\xac", "10.0.0.1:11311");
    owner_is(nodes, "compat=twemproxy-ketama;char=signed",
             "\xe6\x9c\xac", "10.0.0.2:11311");
}

/* A hash of 15 bits sends everything to one node, exactly. */
static void
case_B05(void **state)
{
    static const unsigned want[4] = { 24681, 26138, 25148, 24033 };
    const char *nodes = "server1,server2,server3,server4";
    cw_map *narrow = map_of_spec(nodes, "compat=twemproxy-ketama;hash=crc32");
    cw_map *wide = map_of_spec(nodes, "compat=twemproxy-ketama;hash=crc32a");
    unsigned one = 0, count[4] = { 0 };
    cw_shares *s = NULL;

    (void)state;
    for (uint64_t k = 0; k < 100000; k++) {
        struct key key = key_numbered("key-", k);

        one += strcmp(owner_name(narrow, key.data, key.len), "server3") == 0;
        count[owner_of(wide, key.data, key.len)]++;
    }
    CHECK(one == 100000, "%u keys on server3", one);
    CHECK_OK(cw_shares_new(narrow, &s));
    CHECK(s->part[2] == 1.0 && cw_map_top(narrow) == 0x7fff, "share %g",
          s->part[2]);
    cw_shares_free(s);
    for (int i = 0; i < 4; i++)
        CHECK(count[i] == want[i], "server%d: %u", i + 1, count[i]);
    cw_map_unref(narrow);
    cw_map_unref(wide);
}

/* The default port is left out; 10.0.0.1 is 10.0.0.1:11211. */
static void
case_B09(void **state)
{
    const char *nodes = "10.0.0.1:11211,10.0.0.2:11211,10.0.0.3:11211";

    (void)state;
    owner_is(nodes, "compat=libmemcached-ketama-weighted", "foo",
             "10.0.0.2:11211");
    owner_is(nodes, "compat=libmemcached-ketama-weighted", "session:42",
             "10.0.0.2:11211");
    owner_is(nodes, "compat=libketama", "foo", "10.0.0.3:11211");
    owner_is("10.0.0.1,10.0.0.2,10.0.0.3",
             "compat=libmemcached-ketama-weighted", "foo", "10.0.0.2");
}

/* One server of weight 2 turns another scheme on. */
static void
case_B41(void **state)
{
    cw_map *map = map_of_spec("a,b,c", "compat=libmemcached-consistent");

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        CHECK(cw_map_node_points(map, i) == 100, "node %" PRIu32, i);
    cw_map_unref(map);
    map = map_of_spec("a,b,c=2", "compat=libmemcached-consistent");
    CHECK(cw_map_node_points(map, 0) == 120 &&
          cw_map_node_points(map, 1) == 120 &&
          cw_map_node_points(map, 2) == 240, "after");
    cw_map_unref(map);
}

/* Three label styles of one fleet. */
static void
case_B42(void **state)
{
    const char *nodes = "10.0.0.1:11211,10.0.0.2:11211,10.0.0.3:11211";

    (void)state;
    owner_is(nodes, "compat=libmemcached-ketama-spy-weighted", "foo",
             "10.0.0.3:11211");
    owner_is(nodes, "compat=libmemcached-ketama-spy-weighted", "session:42",
             "10.0.0.1:11211");
}

/* crc32 in full and its 15 bits. */
static void
case_B44(void **state)
{
    cw_map *full = map_of_spec("a,b", "compat=twemproxy-modula;hash=crc32a");
    cw_map *part = map_of_spec("a,b", "compat=twemproxy-modula;hash=crc32");
    uint64_t hash = 0;

    (void)state;
    CHECK_OK(cw_map_hash(full, "foo", 3, &hash));
    CHECK(hash == 2356372769, "%" PRIu64, hash);
    CHECK_OK(cw_map_hash(part, "foo", 3, &hash));
    CHECK(hash == 3187, "%" PRIu64, hash);
    CHECK_OK(cw_map_hash(full, "session:42", 10, &hash));
    CHECK(hash == 2721985228, "%" PRIu64, hash);
    CHECK_OK(cw_map_hash(part, "session:42", 10, &hash));
    CHECK(hash == 8766, "%" PRIu64, hash);
    cw_map_unref(full);
    cw_map_unref(part);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_B04_twemproxy), TEST(case_B05),
        TEST(case_B09), TEST(case_B41), TEST(case_B42), TEST(case_B44),
    };

    return cmocka_run_group_tests_name("cases_programs", tests, NULL, NULL);
}
