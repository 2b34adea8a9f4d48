/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases_process.c - public cases in which two processes, or two objects of
 * one, gave different answers for the same fleet.
 *
 * Run with --owners it prints one line a row: its name, the fingerprint and a
 * digest of the owners of key0..key99999. The test runs itself so, and
 * compares.
 */
#include "harness.h"

enum { MANY = 100000, LINE = 128, LINES = 128 };

static const char *own_path;

/* FNV-1a over the owners' names of all keys. */
static uint64_t
digest_of(const cw_map *map)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (uint64_t k = 0; k < MANY; k++) {
        struct key key = key_numbered("key", k);

        for (const char *c = owner_name(map, key.data, key.len); *c; c++)
            h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
    }
    return h;
}

/* Memory is filled with `dirt` before the library sees it. */
static unsigned char dirt;

static void *
dirty_alloc(void *context, size_t size)
{
    void *memory = must_alloc(size);

    (void)context;
    memset(memory, dirt, size);
    return memory;
}

static void
plain_free(void *context, void *memory)
{
    (void)context;
    free(memory);
}

/* The line of one row; 0 past the end of the table. */
static int
row_line(cw_table table, unsigned i, char *line)
{
    static const cw_allocator allocator = { dirty_alloc, plain_free, NULL };
    cw_fleet *fleet = cw_fleet_new(&allocator);
    cw_row row = { .name = NULL };
    cw_placement *p = placement_of_row(table, i, &row);
    cw_map *map;

    if (p != NULL) {
        fleet_add(fleet, "10.0.0.1:11211", CW_WEIGHT_ONE);
        fleet_add(fleet, "10.0.0.2:11211", CW_WEIGHT_ONE);
        fleet_add(fleet, "10.0.0.3:11211", CW_WEIGHT_ONE);
        map = map_of(fleet, p);
        (void)snprintf(line, LINE, "%s %016" PRIx64 " %016" PRIx64 "\n",
                       row.name, cw_map_fingerprint(map), digest_of(map));
        cw_map_unref(map);
        cw_placement_free(p);
    }
    cw_fleet_free(fleet);
    return p != NULL;
}

/* All rows' lines, from this process; how many. */
static unsigned
own_lines(unsigned char fill, char lines[LINES][LINE])
{
    static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };
    unsigned n = 0;

    dirt = fill;
    for (size_t t = 0; t < COUNT(tables); t++)
        for (unsigned i = 0; row_line(tables[t], i, lines[n]); i++)
            CHECK(++n < LINES, "more rows than this test holds");
    return n;
}

static void
case_B32(void **state)
{
    static char first[LINES][LINE], second[LINES][LINE];
    unsigned n = own_lines(0xaa, first);
    char command[1024], line[LINE];
    FILE *child;

    (void)state;
    CHECK(n >= 10, "only %u rows", n);
    CHECK(own_lines(0x55, second) == n, "two numbers of rows");
    for (unsigned i = 0; i < n; i++)
        CHECK(strcmp(first[i], second[i]) == 0, "first %s, then %s", first[i],
              second[i]);
    (void)snprintf(command, sizeof command, "'%s' --owners", own_path);
    child = popen(command, "r");
    CHECK(child != NULL, "cannot run %s", command);
    for (unsigned i = 0; i < n; i++)
        CHECK(fgets(line, sizeof line, child) != NULL &&
              strcmp(line, first[i]) == 0, "another process: %s, here: %s",
              line, first[i]);
    CHECK(fgets(line, sizeof line, child) == NULL, "more: %s", line);
    CHECK(pclose(child) == 0, "%s failed", command);
}

/* ---- B79: two members hold one position -------------------------------- */

static cw_map *
shared_position(const char *fleet_spec)
{
    static const struct {
        const char *name;
        uint64_t    at[2];
    } nodes[] = { { "A", { 100, 200 } }, { "B", { 200, 300 } } };
    cw_fleet *fleet = fleet_of(fleet_spec);
    cw_placement *p = placement_of("size=1000");
    cw_map *map;

    for (size_t i = 0; i < 2; i++) {
        cw_node node;

        if (cw_fleet_find(fleet, nodes[i].name, 1, &node) == CW_OK)
            CHECK_OK(cw_fleet_set_positions(fleet, nodes[i].name, 1,
                                            nodes[i].at, 2, NULL));
    }
    map = map_of(fleet, p);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

static void
case_B79(void **state)
{
    static const char *const orders[] = { "A,B", "B,A" };
    static const struct {
        uint64_t    at;
        const char *both, *without_a, *without_b;
    } cases[] = {
        { 150, "A", "B", "A" }, { 200, "A", "B", "A" },
        { 201, "B", "B", "A" }, { 300, "B", "B", "A" },
        { 301, "A", "B", "A" }, { 100, "A", "B", "A" },
    };
    cw_map *a = shared_position("A"), *b = shared_position("B");

    (void)state;
    for (size_t o = 0; o < COUNT(orders); o++) {
        cw_map *map = shared_position(orders[o]);

        CHECK(cw_map_points(map) == 4, "a point was dropped");
        for (int round = 0; round < 1000; round++)
            for (size_t i = 0; i < COUNT(cases); i++)
                CHECK(strcmp(owner_name_at(map, cases[i].at), cases[i].both)
                      == 0, "position %" PRIu64 ": %s", cases[i].at,
                      owner_name_at(map, cases[i].at));
        cw_map_unref(map);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK(strcmp(owner_name_at(b, cases[i].at), cases[i].without_a) == 0,
              "A removed, position %" PRIu64, cases[i].at);
        CHECK(strcmp(owner_name_at(a, cases[i].at), cases[i].without_b) == 0,
              "B removed, position %" PRIu64, cases[i].at);
    }
    cw_map_unref(a);
    cw_map_unref(b);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { TEST(case_B32), TEST(case_B79) };

    own_path = argv[0];
    if (argc == 2 && strcmp(argv[1], "--owners") == 0) {
        static char lines[LINES][LINE];
        unsigned n = own_lines(0, lines);

        for (unsigned i = 0; i < n; i++)
            (void)fputs(lines[i], stdout);
        return 0;
    }
    return cmocka_run_group_tests_name("cases_process", tests, NULL, NULL);
}
