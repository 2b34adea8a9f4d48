/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_map.c - building maps: what is refused, how nodes are numbered, what
 * the fingerprint counts, and that check() finds a broken map.
 */
#include "core/core.h"
#include "harness.h"

/* ---- refusals ---------------------------------------------------------- */

static const struct {
    const char *what;
    const char *fleet;
    const char *options;
    uint64_t    position;   /* of node a; UINT64_MAX: none                  */
    cw_status   want;
    const char *text;
} refusals[] = {
    { "unequal weights for jump", "a,b=2", "algorithm=jump", UINT64_MAX,
      CW_EINVAL, "jump" },
    { "unequal weights for modulo", "a,b=2", "algorithm=modulo", UINT64_MAX,
      CW_EINVAL, "modulo" },
    { "a position outside the ring", "a,b", "size=100", 100, CW_EINVAL,
      "\"a\"" },
    { "positions where there are none", "a,b", "algorithm=modulo", 5,
      CW_EINVAL, "\"a\"" },
    { "positions for a program's placement", "a,b", "compat=ketama160", 5,
      CW_EINVAL, "\"a\"" },
    { "2^31 points and one", "big=1000000,a=0.5", "points=2148", UINT64_MAX,
      CW_ELIMIT, "\"big\"" },
    { "a thousand times too many", "a,b=1000000", "points=1000000",
      UINT64_MAX, CW_ELIMIT, "\"b\"" },
};

static void
what_breaks_a_rule_is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        cw_fleet *fleet = fleet_of(refusals[i].fleet);
        cw_placement *p = placement_of(refusals[i].options);
        cw_map *map = NULL;
        cw_error err = { CW_OK, "" };
        cw_status status;

        if (refusals[i].position != UINT64_MAX)
            CHECK_OK(cw_fleet_set_positions(fleet, "a", 1,
                                            &refusals[i].position, 1, NULL));
        status = cw_map_build(fleet, p, &map, &err);
        CHECK(status == refusals[i].want && err.status == status, "%s: %s",
              refusals[i].what, cw_status_text(status));
        CHECK(strstr(err.text, refusals[i].text) != NULL, "%s: '%s'",
              refusals[i].what, err.text);
        CHECK(map == NULL, "%s: out touched", refusals[i].what);
        CHECK(cw_map_build(fleet, p, &map, NULL) == status, "without err");
        cw_placement_free(p);
        cw_fleet_free(fleet);
    }
}

static void
nodes_of_one_label_cannot_be_told_apart(void **state)
{
    static const char *const rows[] = {
        "algorithm=ring", "algorithm=rendezvous"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        cw_fleet *fleet = fleet_of("a,b");
        cw_placement *p = placement_of(rows[i]);
        cw_map *map = NULL;
        cw_error err = { CW_OK, "" };
        cw_status status;

        CHECK_OK(cw_fleet_set_label(fleet, "b", 1, "a", 1, NULL));
        status = cw_map_build(fleet, p, &map, &err);
        CHECK(status == CW_EINVAL && err.text[0] != '\0' && map == NULL,
              "%s: %s", rows[i], cw_status_text(status));
        cw_placement_free(p);
        cw_fleet_free(fleet);
    }
}

/* ---- empty maps -------------------------------------------------------- */

static void
an_empty_map_of_every_row_answers_eempty(void **state)
{
    static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };
    static const char *const fleets[] = { "", "a=0", "a=0,b=0,c=0" };

    (void)state;
    for (size_t t = 0; t < COUNT(tables) * COUNT(fleets); t++) {
        cw_row row;
        cw_placement *p;

        for (unsigned i = 0; (p = placement_of_row(tables[t % 2], i, &row));
             i++) {
            cw_fleet *fleet = fleet_of(fleets[t / 2]);
            cw_map *map = map_of(fleet, p);
            cw_key key = { "k", 1 };
            uint64_t hash = 5;
            uint32_t out[4] = { 77, 77, 77, 77 };

            CHECK(cw_map_owner(map, "k", 1, out) == CW_EEMPTY, "%s",
                  row.name);
            CHECK(cw_map_owner_hash(map, 0, out) != CW_OK, "%s", row.name);
            CHECK(cw_map_owner_position(map, 0, out) != CW_OK, "%s",
                  row.name);
            CHECK(cw_map_owner_many(map, &key, 1, out) == CW_EEMPTY, "%s",
                  row.name);
            CHECK(cw_map_owner_hash_many(map, &hash, 1, out) != CW_OK, "%s",
                  row.name);
            CHECK(cw_map_order(map, "k", 1, out, 4) == 0, "%s", row.name);
            CHECK(cw_map_order_hash(map, 5, out, 4) == 0, "%s", row.name);
            CHECK(cw_map_order_position(map, 5, out, 4) == 0, "%s", row.name);
            CHECK(cw_map_replicas(map, "k", 1, out, 4) == 0, "%s", row.name);
            CHECK(out[0] == 77 && out[3] == 77, "%s: out touched", row.name);
            CHECK(cw_map_points(map) == 0, "%s: %" PRIu64 " points", row.name,
                  cw_map_points(map));
            CHECK(cw_map_count(map) == cw_fleet_count(fleet), "%s", row.name);
            cw_map_unref(map);
            cw_fleet_free(fleet);
            cw_placement_free(p);
        }
    }
}

/* ---- numbering and reading --------------------------------------------- */

static void
nodes_are_numbered_by_label_or_as_listed(void **state)
{
    cw_map *ring = map_of_spec("m,c,x,a,aa", "algorithm=ring");
    cw_map *modulo = map_of_spec("m,c,x,a,aa", "algorithm=modulo");
    static const char *const sorted[] = { "a", "aa", "c", "m", "x" };
    static const char *const listed[] = { "m", "c", "x", "a", "aa" };

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(strcmp(node_name(ring, i), sorted[i]) == 0, "ring %" PRIu32
              " is %s", i, node_name(ring, i));
        CHECK(strcmp(node_name(modulo, i), listed[i]) == 0, "modulo %" PRIu32
              " is %s", i, node_name(modulo, i));
        CHECK(cw_map_find(modulo, listed[i], strlen(listed[i])) == i,
              "%s is not %" PRIu32, listed[i], i);
        CHECK(cw_map_find(ring, sorted[i], strlen(sorted[i])) == i,
              "%s is not %" PRIu32, sorted[i], i);
    }
    CHECK(cw_map_find(ring, "b", 1) == CW_NONE, "b");
    CHECK(cw_map_find(ring, "aaa", 3) == CW_NONE, "aaa");
    CHECK(cw_map_find(ring, "", 0) == CW_NONE, "an empty name");
    CHECK(cw_map_find(ring, "a\0", 2) == CW_NONE, "a NUL");
    cw_map_unref(ring);
    cw_map_unref(modulo);
}

static void
a_map_repeats_all_that_the_fleet_says(void **state)
{
    cw_fleet *fleet = fleet_of("b=2@z1,a=0.5,c=0@z1,\xc3\xa9");
    cw_map *map;
    cw_node want, got;

    (void)state;
    CHECK_OK(cw_fleet_set_address(fleet, "a", 1, "1.2.3.4:5", 9, NULL));
    CHECK_OK(cw_fleet_set_label(fleet, "a", 1, "zz", 2, NULL));
    CHECK_OK(cw_fleet_set_state(fleet, "b", 1, CW_DRAIN, NULL));
    CHECK_OK(cw_fleet_set_positions(fleet, "b", 1,
                                    (const uint64_t[]){ 1, 9 }, 2, NULL));
    map = map_of(fleet, NULL);
    for (uint32_t i = 0; i < cw_fleet_count(fleet); i++) {
        uint32_t j;

        cw_fleet_node(fleet, i, &want);
        j = cw_map_find(map, want.name, want.name_len);
        CHECK(j != CW_NONE, "%s is not there", want.name);
        cw_map_node(map, j, &got);
        CHECK(strcmp(got.name, want.name) == 0 &&
              strcmp(got.label, want.label) == 0 &&
              strcmp(got.address, want.address) == 0 &&
              strcmp(got.zone, want.zone) == 0 &&
              got.name_len == want.name_len &&
              got.label_len == want.label_len &&
              got.address_len == want.address_len &&
              got.zone_len == want.zone_len &&
              got.weight == want.weight && got.state == want.state &&
              got.positions == want.positions, "%s differs", want.name);
    }
    CHECK(cw_map_node_points(map, cw_map_find(map, "b", 1)) == 2, "b");
    CHECK(cw_map_node_points(map, cw_map_find(map, "a", 1)) == 80, "a");
    CHECK(cw_map_node_points(map, cw_map_find(map, "c", 1)) == 0, "c");
    CHECK(cw_map_points(map) == 2 + 80 + 0 + 160, "%" PRIu64 " in all",
          cw_map_points(map));
    CHECK(cw_map_bytes(map) > 242 * 12, "%zu bytes", cw_map_bytes(map));
    cw_map_unref(map);
    cw_fleet_free(fleet);
}

static void
points_follow_the_weight_to_the_nearest_whole(void **state)
{
    static const struct {
        uint64_t weight, points, want;
    } cases[] = {
        { 1000000, 160, 160 }, { 2000000, 160, 320 }, { 1, 160, 1 },
        { 0, 160, 0 }, { 3125, 160, 1 }, { 9374, 160, 1 }, { 9375, 160, 2 },
        { 500000, 1, 1 }, { 1499999, 1, 1 }, { 1500000, 1, 2 },
        { 1000000, 100, 100 }, { 333333, 100, 33 }, { 335000, 100, 34 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char options[40];
        cw_fleet *fleet = fleet_of("other");
        cw_placement *p;
        cw_map *map;
        uint64_t got;

        (void)snprintf(options, sizeof options, "points=%" PRIu64,
                       cases[i].points);
        p = placement_of(options);
        fleet_add(fleet, "n", cases[i].weight);
        map = map_of(fleet, p);
        got = cw_map_node_points(map, cw_map_find(map, "n", 1));
        CHECK(got == cases[i].want, "weight %" PRIu64 " * %" PRIu64
              " points: %" PRIu64, cases[i].weight, cases[i].points, got);
        cw_map_unref(map);
        cw_placement_free(p);
        cw_fleet_free(fleet);
    }
}

static void
the_row_tells_how_the_map_was_built(void **state)
{
    cw_map *a = map_of_spec("a", "algorithm=jump");
    cw_map *b = map_of_spec("a", "compat=ketama160");
    cw_row row;

    (void)state;
    cw_map_row(a, &row);
    CHECK(strcmp(row.name, "jump") == 0, "%s", row.name);
    cw_map_row(b, &row);
    CHECK(strcmp(row.name, "ketama160") == 0, "%s", row.name);
    CHECK(row.traits & CW_TRAIT_ARCS, "ketama160 without arcs");
    CHECK(cw_map_top(b) == UINT32_MAX, "top %" PRIu64, cw_map_top(b));
    cw_map_unref(a);
    cw_map_unref(b);
}

/* ---- fingerprint ------------------------------------------------------- */

static uint64_t
print_of(const char *fleet, const char *options)
{
    cw_map *map = map_of_spec(fleet, options);
    uint64_t fingerprint = cw_map_fingerprint(map);

    cw_map_unref(map);
    return fingerprint;
}

static const struct {
    const char *what;
    const char *fleet_a, *options_a, *fleet_b, *options_b;
    int         same;
} prints[] = {
    { "nothing", "a,b", "", "a,b", "", 1 },
    { "order of the list", "a,b,c", "", "c,a,b", "", 1 },
    { "order, for rendezvous", "a,b,c", "algorithm=rendezvous", "c,b,a",
      "algorithm=rendezvous", 1 },
    { "order, for modulo", "a,b", "algorithm=modulo", "b,a",
      "algorithm=modulo", 0 },
    { "order, for jump", "a,b", "algorithm=jump", "b,a", "algorithm=jump",
      0 },
    { "a node of weight 0", "a,b", "", "a,b,c=0", "", 1 },
    { "a weight", "a,b", "", "a,b=2", "", 0 },
    { "a weight by the least step", "a,b", "", "a,b=1.000001", "", 0 },
    { "a weight that rounds to the same points", "a,b=0.5", "points=1",
      "a,b=1", "points=1", 0 },
    { "a zone", "a,b", "", "a,b@z", "", 0 },
    { "another zone", "a,b@y", "", "a,b@z", "", 0 },
    { "a node more", "a,b", "", "a,b,c", "", 0 },
    { "bytes moved from name to name", "ab,c", "", "a,bc", "", 0 },
    { "bytes moved from name to zone", "ab@c", "", "a@bc", "", 0 },
    { "points", "a,b", "points=160", "a,b", "points=161", 0 },
    { "hash", "a,b", "hash=xxh3", "a,b", "hash=xxh64", 0 },
    { "hash key", "a,b",
      "hash=siphash;hash-key=00000000000000000000000000000001", "a,b",
      "hash=siphash;hash-key=00000000000000000000000000000002", 0 },
    { "row", "a,b", "algorithm=modulo", "a,b", "algorithm=jump", 0 },
    { "two-node fleet loses one", "a,b", "", "a", "", 0 },
    { "the only node is another", "a", "", "b", "", 0 },
};

static void
fingerprint_changes_just_with_the_placement(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(prints); i++) {
        uint64_t a = print_of(prints[i].fleet_a, prints[i].options_a);
        uint64_t b = print_of(prints[i].fleet_b, prints[i].options_b);

        CHECK((a == b) == prints[i].same, "%s: %016" PRIx64 " and %016" PRIx64,
              prints[i].what, a, b);
    }
}

static void
fingerprint_of_what_only_calls_can_say(void **state)
{
    cw_fleet *fleet = fleet_of("a,b@z");
    cw_map *map = map_of(fleet, NULL);
    uint64_t first = cw_map_fingerprint(map);

    (void)state;
    cw_map_unref(map);
#define STEP(same, what, call)                                          \
    do {                                                                \
        CHECK_OK(call);                                                 \
        map = map_of(fleet, NULL);                                      \
        CHECK((cw_map_fingerprint(map) == first) == (same), what);      \
        cw_map_unref(map);                                              \
    } while (0)
    STEP(1, "address", cw_fleet_set_address(fleet, "a", 1, "x", 1, NULL));
    STEP(1, "down", cw_fleet_set_state(fleet, "a", 1, CW_DOWN, NULL));
    STEP(1, "drain", cw_fleet_set_state(fleet, "a", 1, CW_DRAIN, NULL));
    STEP(0, "label", cw_fleet_set_label(fleet, "a", 1, "l", 1, NULL));
    STEP(1, "label back", cw_fleet_set_label(fleet, "a", 1, "a", 1, NULL));
    STEP(0, "positions", cw_fleet_set_positions(fleet, "a", 1,
                             (const uint64_t[]){ 5 }, 1, NULL));
    STEP(1, "positions back", cw_fleet_set_positions(fleet, "a", 1, NULL, 0,
                                                     NULL));
    STEP(0, "name", cw_fleet_rename(fleet, "a", 1, "c", 1, NULL));
    STEP(1, "name back", cw_fleet_rename(fleet, "c", 1, "a", 1, NULL));
#undef STEP
    cw_fleet_free(fleet);
}

/* Another machine must find these numbers: a change of either is a break of
 * the promise of one major version. */
static void
fingerprints_of_this_major_version(void **state)
{
    struct tsv tsv;

    (void)state;
    tsv_read(&tsv, "tests/golden/fingerprint.tsv", 1);
    CHECK(tsv.count >= 5, "only %zu lines", tsv.count);
    for (size_t i = 0; i < tsv.count; i++) {
        const struct tsv_line *line = &tsv.lines[i];
        uint64_t want, got;

        CHECK(line->count == 3, "line %u", line->number);
        want = strtoull(line->field[2], NULL, 16);
        got = print_of(line->field[0], line->field[1]);
        CHECK(got == want, "%s %s: %016" PRIx64 ", not %016" PRIx64,
              line->field[0], line->field[1], got, want);
    }
    tsv_free(&tsv);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_breaks_a_rule_is_refused_by_name),
        TEST(nodes_of_one_label_cannot_be_told_apart),
        TEST(an_empty_map_of_every_row_answers_eempty),
        TEST(nodes_are_numbered_by_label_or_as_listed),
        TEST(a_map_repeats_all_that_the_fleet_says),
        TEST(points_follow_the_weight_to_the_nearest_whole),
        TEST(the_row_tells_how_the_map_was_built),
        TEST(fingerprint_changes_just_with_the_placement),
        TEST(fingerprint_of_what_only_calls_can_say),
        TEST(fingerprints_of_this_major_version),
    };

    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
