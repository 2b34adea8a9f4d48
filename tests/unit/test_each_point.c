/* SPDX-License-Identifier: Apache-2.0 */
/* test_each_point.c - the points of a map, in order, each with its owner. */
#include "harness.h"

struct visit {
    const cw_map *map;
    uint64_t      last;         /* position of the one before               */
    uint64_t      seen;
    uint64_t      per_node[8];
    uint64_t      stop_after;
};

static int
visit(void *context, uint64_t position, uint32_t node)
{
    struct visit *v = context;
    uint32_t owner = CW_NONE;

    CHECK(v->seen == 0 || position >= v->last, "points out of order");
    CHECK(node < cw_map_count(v->map) && node < COUNT(v->per_node), "node");
    if (v->seen == 0 || position > v->last) {
        CHECK_OK(cw_map_owner_position(v->map, position, &owner));
        CHECK(owner == node, "a point belongs to another node");
    }
    v->last = position;
    v->per_node[node]++;
    return ++v->seen == v->stop_after ? 7 : 0;
}

/* Every row with points in the open: as many as it counts, node by node. */
static void
every_row(void **state)
{
    static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };
    static const char *const option[] = { "algorithm", "compat" };
    unsigned open = 0, closed = 0;
    cw_row row;

    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        for (unsigned i = 0; cw_table_row(tables[t], i, &row) == CW_OK; i++) {
            cw_placement *p = cw_placement_new(NULL);
            cw_fleet *fleet = fleet_of("a,b,c");
            struct visit v = { NULL, 0, 0, { 0 }, 0 };
            cw_map *map = NULL;

            CHECK_OK(cw_placement_set(p, option[t], row.name, NULL));
            if (cw_map_build(fleet, p, &map, NULL) == CW_OK) {
                v.map = map;
                if (cw_map_each_point(map, visit, &v, NULL) == CW_OK) {
                    CHECK(v.seen == cw_map_points(map), "%s", row.name);
                    for (uint32_t n = 0; n < cw_map_count(map); n++)
                        CHECK(v.per_node[n] == cw_map_node_points(map, n),
                              "%s: points of node %u", row.name, n);
                    open++;
                } else {
                    closed++;
                }
            }
            cw_map_unref(map);
            cw_fleet_free(fleet);
            cw_placement_free(p);
        }
    }
    CHECK(open >= 2 && closed >= 1, "%u open, %u closed", open, closed);
}

static void
can_be_stopped_and_may_be_empty(void **state)
{
    cw_fleet *fleet = fleet_of("a,b,c"), *none = fleet_of("");
    cw_map *map = map_of(fleet, NULL), *empty = map_of(none, NULL);
    struct visit v = { map, 0, 0, { 0 }, 5 };
    int stopped = -1;

    (void)state;
    CHECK_OK(cw_map_each_point(map, visit, &v, &stopped));
    CHECK(stopped == 7 && v.seen == 5, "not stopped");
    CHECK_OK(cw_map_each_point(empty, visit, &v, &stopped));
    CHECK(stopped == 0 && v.seen == 5, "an empty map has points");
    cw_map_unref(map);
    cw_map_unref(empty);
    cw_fleet_free(fleet);
    cw_fleet_free(none);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_row),
        TEST(can_be_stopped_and_may_be_empty),
    };

    return cmocka_run_group_tests_name("each_point", tests, NULL, NULL);
}
