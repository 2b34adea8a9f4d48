/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_live.c - a live map after each of many changes answers as the map of
 * the same fleet built afresh.
 */
#include "harness_rows.h"

#include "clockwise/clockwise_live.h"
#include "core/core.h"
#include "core/points_table.h"

static int
same_name(const cw_node *a, const cw_node *b)
{
    return a->name_len == b->name_len &&
           memcmp(a->name, b->name, a->name_len) == 0 &&
           a->weight == b->weight && a->state == b->state;
}

/* Node i of the reader's map is node k of the snapshot. */
static void
check_node(const cw_live_reader *r, uint32_t i, const cw_map *map, uint32_t k,
           const char *what, unsigned step)
{
    cw_node a, b;

    cw_live_node(r, i, &a);
    cw_map_node(map, k, &b);
    CHECK(same_name(&a, &b), "%s, %u: %.*s, not %.*s", what, step,
          (int)a.name_len, a.name, (int)b.name_len, b.name);
}

/* Every arc: the tables are equal on the whole ring. */
static void
check_arcs(const cw_live_reader *r, const cw_map *map, const char *what,
           unsigned step)
{
    uint64_t cursor[2] = { 0, 0 }, last[2], from = 0;
    uint32_t owner[2];
    const cw_map *live = r->map;

    if (map->active == 0 || !(map->p.algo->traits & CW_TRAIT_ARCS) ||
        map->p.algo->find != cwi_points_find)
        return;
    do {
        cwi_points_arc(live->state, &cursor[0], from, &last[0], &owner[0]);
        cwi_points_arc(map->state, &cursor[1], from, &last[1], &owner[1]);
        CHECK(last[0] == last[1], "%s, %u: arcs end apart", what, step);
        check_node(r, owner[0], map, owner[1], what, step);
        from = last[0] + 1;
    } while (last[0] != map->top);
}

/* What the reader uses answers as the map does. */
static void
check_copy(const cw_live_reader *r, const cw_map *map, const char *what,
           unsigned step)
{
    struct cwi_node *v;
    struct cwi_nodes nodes;
    const char *broken;
    uint32_t a, b, la[8], lb[8], n;

    CHECK(cw_live_count(r) == cw_map_count(map), "%s, %u: count", what, step);
    CHECK(r->map->points == map->points && r->map->active == map->active &&
          r->map->total_weight == map->total_weight &&
          r->map->zones == map->zones, "%s, %u: sums", what, step);
    for (uint32_t i = 0; i < map->count; i++) {
        cw_node node;

        cw_live_node(r, i, &node);
        a = cw_map_find(map, node.name, node.name_len);
        CHECK(a != CW_NONE && r->map->nodes[i].points == map->nodes[a].points,
              "%s, %u: points of %.*s", what, step, (int)node.name_len,
              node.name);
    }
    for (uint64_t i = 0; i < 60; i++) {
        struct key key = key_numbered("key", i);
        cw_status st = cw_map_owner(map, key.data, key.len, &a);

        CHECK(cw_live_owner(r, key.data, key.len, &b) == st, "%s, %u", what,
              step);
        if (st != CW_OK)
            continue;
        check_node(r, b, map, a, what, step);
        n = cw_map_order(map, key.data, key.len, la, 8);
        CHECK(cw_live_order(r, key.data, key.len, lb, 8) == n, "%s, %u: list",
              what, step);
        for (uint32_t k = 0; k < n; k++)
            check_node(r, lb[k], map, la[k], what, step);
    }
    check_arcs(r, map, what, step);
    if (map->active && r->map->p.algo->check) {
        v = must_alloc((r->map->count + 1u) * sizeof *v);
        cwi_map_nodes(r->map, v, &nodes);
        broken = r->map->p.algo->check(r->map->state, &nodes);
        CHECK(broken == NULL, "%s, %u: not true: %s", what, step, broken);
        free(v);
    }
}

/* Both copies, where the change was one in place; the second one not always,
 * so that some changes find it settled and others do not. */
static void
check_live(cw_live *live, cw_live_reader *r, const char *what, unsigned step)
{
    cw_map *map = NULL;
    const cw_map *copy;

    cw_live_quiescent(r);
    CHECK_OK(cw_live_snapshot(live, &map, NULL));
    check_copy(r, map, what, step);
    if (step % 8 == 7) {
        copy = r->map;
        CHECK_OK(cw_live_settle(live));
        cw_live_quiescent(r);
        if (r->map != copy)
            check_copy(r, map, what, step);
    }
    cw_map_unref(map);
}

static void
change(cw_live *live, struct rng *rng, unsigned *next)
{
    const cw_fleet *fleet = cw_live_fleet(live);
    uint32_t count = cw_fleet_count(fleet);
    cw_error err = { CW_OK, "" };
    cw_status st = CW_OK;
    cw_node node;
    char name[64];

    if (count)
        cw_fleet_node(fleet, (uint32_t)rng_below(rng, count), &node);
    switch (count ? rng_below(rng, 8) : 0) {
    case 0: case 1: case 2:
        snprintf(name, sizeof name, "node-%u", (*next)++);
        st = cw_live_add(live, name, strlen(name),
                         CW_WEIGHT_ONE / 2 * (1 + rng_below(rng, 4)), &err);
        break;
    case 3: case 4: case 5:
        memcpy(name, node.name, node.name_len);
        st = cw_live_remove(live, name, node.name_len, &err);
        break;
    case 6:
        st = cw_live_set_weight(live, node.name, node.name_len,
                                CW_WEIGHT_ONE / 2 * rng_below(rng, 5), &err);
        break;
    default:
        st = cw_live_set_state(live, node.name, node.name_len,
                               (cw_state)rng_below(rng, 3), &err);
    }
    CHECK(st == CW_OK, "%s", err.text);
}

/* The same as the row takes it; nodes that have a point in common, too. One
 * that is refused is refused by the build as well. */
static void
change_row(cw_live *live, struct rng *rng, const cw_row *row)
{
    const cw_fleet *fleet = cw_live_fleet(live);
    struct key name = draw_name(rng, CW_TABLE_COMPAT, fleet);
    const char *tied = tied_pairs[rng_below(rng, TIED_PAIRS)]
                                 [rng_below(rng, 2)];
    cw_node node = draw_node(rng, fleet);
    int more = active_nodes(fleet) > 1;
    uint64_t weight = draw_weight(rng, row, fleet);

    switch (rng_below(rng, 10)) {
    case 0: case 1:
        cw_live_add(live, name.data, name.len, weight, NULL);
        break;
    case 2: case 3:
        cw_live_add(live, tied, strlen(tied), weight, NULL);
        break;
    case 4: case 5:
        memcpy(name.data, node.name, node.name_len);
        if (more)
            cw_live_remove(live, name.data, node.name_len, NULL);
        break;
    case 6: case 7: case 8:
        cw_fleet_node(fleet,
                      (uint32_t)rng_below(rng, cw_fleet_count(fleet)), &node);
        cw_live_set_weight(live, node.name, node.name_len,
                           more && rng_below(rng, 2) ? 0 : weight, NULL);
        break;
    default:
        cw_live_set_state(live, node.name, node.name_len,
                          (cw_state)rng_below(rng, 3), NULL);
    }
}

/* Can it be changed in place? Points that crowd, as those of a weak hash do,
 * have no lines. */
static int
can_patch(const cw_map *map)
{
    return map->rule.ring != NULL && !map->rule.by_place &&
           ((const struct cwi_table *)map->state)->mode != CWI_TABLE_PLAIN;
}

/* Change the live map and compare it; row: as that one takes it. Returns how
 * many changes were made in place; *can: could they be at first? */
static uint64_t
run_changes(const cw_fleet *fleet, const cw_placement *p, const cw_row *row,
            const char *what, unsigned steps, int *can)
{
    struct rng rng = { test_seed() };
    cw_live *live = NULL;
    cw_live_reader r;
    uint64_t patched, built;
    unsigned next = 0;

    CHECK_OK(cw_live_new(fleet, p, 2, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    check_live(live, &r, what, 0);
    *can = can_patch(r.map);
    for (unsigned step = 1; step <= steps; step++) {
        if (row)
            change_row(live, &rng, row);
        else
            change(live, &rng, &next);
        check_live(live, &r, what, step);
    }
    cw_live_counts(live, &patched, &built);
    CHECK(row || patched + built == steps, "%u changes counted",
          (unsigned)(patched + built));
    cw_live_leave(&r);
    cw_live_free(live);
    return patched;
}

static void
run(const char *options, const char *spec, unsigned nodes, unsigned steps,
    unsigned patched_at_least)
{
    cw_placement *p = placement_of(options);
    cw_fleet *fleet = fleet_of(spec);
    uint64_t patched;
    char name[24];
    int can;

    for (unsigned i = 0; i < nodes; i++) {
        snprintf(name, sizeof name, "old-%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    patched = run_changes(fleet, p, NULL, options, steps, &can);
    CHECK(patched >= patched_at_least, "%s: %u patched", options,
          (unsigned)patched);
    cw_fleet_free(fleet);
    cw_placement_free(p);
}

static cw_fleet *
equal_nodes(struct rng *rng, unsigned n)
{
    cw_fleet *fleet = cw_fleet_new(NULL);

    while (n-- > 0) {
        struct key name = draw_name(rng, CW_TABLE_COMPAT, fleet);

        CHECK_OK(cw_fleet_add(fleet, name.data, name.len, CW_WEIGHT_ONE,
                              NULL));
    }
    return fleet;
}

/* Changes of 60 equal nodes; CW_NONE where none can be made in place. */
static uint64_t
run_row(const cw_placement *p, const cw_row *row, const char *what)
{
    struct rng rng = { test_seed() };
    cw_fleet *fleet = equal_nodes(&rng, 60);
    uint64_t patched;
    int can;

    patched = run_changes(fleet, p, row, what, 60, &can);
    cw_fleet_free(fleet);
    return can ? patched : CW_NONE;
}

static void
every_row(void **state)
{
    unsigned rows = 0;
    cw_placement *p;
    cw_row row;

    (void)state;
    for (unsigned i = 0; (p = placement_of_row(CW_TABLE_COMPAT, i, &row)) !=
                         NULL; i++) {
        uint64_t patched = p->p.algo->patch ? run_row(p, &row, row.name)
                                            : CW_NONE;

        if (patched != CW_NONE) {
            CHECK(patched >= 25 || !(row.traits & CW_TRAIT_MINIMAL),
                  "%s: %u of 60 in place", row.name, (unsigned)patched);
            print_message("    %-36s %u of 60 in place\n", row.name,
                          (unsigned)patched);
            rows++;
        }
        cw_placement_free(p);
    }
    CHECK(rows >= 25, "%u rows", rows);
}

/* Searches, orders of ties and shares of the weight that are options. */
static void
rows_with_options(void **state)
{
    static const struct {
        const char *options;
        unsigned    least;      /* in place                                 */
    } all[] = {
        { "compat=custom-ring;bits=16", 25 },
        { "compat=custom-ring;search=after;bits=16", 25 },
        { "compat=custom-ring;search=nearest", 0 },
        { "compat=jedis;names=yes", 25 },
        { "compat=jedis;names=no", 0 },
        { "compat=groupcache;points=1000", 25 },
        { "compat=spymemcached-ketama;weights=off", 25 },
        { "compat=libmemcached-ketama;sort-hosts=yes;hash=crc;weights=off",
          25 },
        { "compat=libmemcached-ketama;hash=crc;weights=off", 25 },
        { "compat=xmemcached-ketama;hash=crc", 0 },
        { "compat=memcached-proxy-ring;omode=ketama", 25 },
        /* points are dealt in another order than nodes are numbered in */
        { "compat=grpc-ring-hash;min-ring-size=3", 0 },
        { "compat=grpc-ring-hash;min-ring-size=8", 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        cw_placement *p = placement_of(all[i].options);
        cw_row row = { 0 };
        uint64_t patched;

        row.name = p->p.algo->name;
        row.traits = p->p.algo->traits;
        patched = run_row(p, &row, all[i].options);
        print_message("    %-36s %d of 60 in place\n", all[i].options,
                      (int)patched);
        CHECK(patched >= all[i].least, "%s: %u of 60 in place",
              all[i].options, (unsigned)patched);
        cw_placement_free(p);
    }
}

static void
changes_at_random(void **state)
{
    (void)state;
    run("", "", 100, 300, 200);
    run("", "", 0, 200, 0);
    run("points=20", "", 300, 300, 200);
    run("hash=fnv1a_64", "", 100, 60, 20);
    run("hash=crc32;points=500", "", 100, 60, 20);
    /* full of equal positions */
    run("size=40000;points=50", "", 100, 200, 100);
    run("size=97", "", 20, 60, 0);
    run("algorithm=rendezvous", "", 10, 40, 0);
    run("points=4", "", 66000, 6, 3);       /* 32-bit owners */
    run("points=40", "a@x,b@x,c@y", 20, 60, 10);
    run("points=40", "a@x,b@x,c@y,d@y,e@y,f@z,g@z,h@z,i@x,j@z", 0, 80, 10);
    run("compat=ketama160", "", 100, 300, 200);
}

/* Nodes have shares of the total weight, which are rounded to the same number
 * of points in most of these fleets: with equal weights a node that is added
 * or removed often leaves the others as they are. */
static void
shares_that_stay(void **state)
{
    static const char *const all[] = {
        "compat=libketama", "compat=libmemcached-ketama-weighted",
        "compat=twemproxy-ketama", "compat=npm-hashring",
        "compat=uhashring-ketama", "compat=envoy-ring-hash"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        cw_placement *p = placement_of(all[i]);
        struct rng rng = { test_seed() };
        cw_fleet *fleet = equal_nodes(&rng, 60);
        cw_live *live = NULL;
        cw_live_reader r;
        uint64_t patched, built;

        CHECK_OK(cw_live_new(fleet, p, 1, &live, NULL));
        CHECK_OK(cw_live_join(live, &r));
        for (unsigned step = 0; step < 20; step++) {
            struct key name = draw_name(&rng, CW_TABLE_COMPAT,
                                        cw_live_fleet(live));

            CHECK_OK(cw_live_add(live, name.data, name.len, CW_WEIGHT_ONE,
                                 NULL));
            check_live(live, &r, all[i], step);
            if (step % 4 == 0)
                CHECK_OK(cw_live_remove(live, name.data, name.len, NULL));
            check_live(live, &r, all[i], step);
        }
        cw_live_counts(live, &patched, &built);
        print_message("    %-36s %u of 25 in place\n", all[i],
                      (unsigned)patched);
        CHECK(patched >= 10, "%s: %u of 25 in place", all[i],
              (unsigned)patched);
        cw_live_leave(&r);
        cw_live_free(live);
        cw_fleet_free(fleet);
        cw_placement_free(p);
    }
}

/* On a ring full of equal positions the node that is listed first owns them,
 * whatever numbers nodes get when others leave, and when it comes back. */
static void
ties_by_the_list(void **state)
{
    cw_placement *p = placement_of("compat=libmemcached-ketama;hash=crc;"
                                   "weights=off");
    struct rng rng = { test_seed() };
    cw_fleet *fleet = equal_nodes(&rng, 70);
    uint64_t patched, built;
    cw_live *live = NULL;
    cw_live_reader r;
    cw_node node;

    (void)state;
    CHECK_OK(cw_live_new(fleet, p, 1, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    for (unsigned step = 0; step < 10; step++) {
        cw_fleet_node(fleet, 5 * step, &node);
        CHECK_OK(cw_live_remove(live, node.name, node.name_len, NULL));
        cw_live_quiescent(&r);
        cw_fleet_node(fleet, 69 - step, &node);
        for (unsigned k = 0; k < 2; k++) {
            CHECK_OK(cw_live_set_weight(live, node.name, node.name_len,
                                        k * CW_WEIGHT_ONE, NULL));
            check_live(live, &r, "ties", step);
        }
    }
    cw_live_counts(live, &patched, &built);
    CHECK(patched >= 20, "%u of 30 in place", (unsigned)patched);
    cw_live_leave(&r);
    cw_live_free(live);
    cw_fleet_free(fleet);
    cw_placement_free(p);
}

/* A change that is made in place is one that the row allows. */
static void
refused(void **state)
{
    static const struct {
        const char *options;
        const char *name;
        uint64_t    weight;
    } all[] = {
        { "compat=nginx-consistent", "10.9.9.9:11211", CW_WEIGHT_ONE / 2 },
        { "compat=cassandra", "10.9.9.9:11211", CW_WEIGHT_ONE * 2 },
        { "compat=libketama", "a-name-of-more-than-22-bytes:11211",
          CW_WEIGHT_ONE },
        { "compat=twemproxy-ketama", "10.9.9.9:11211",
          CW_WEIGHT_ONE * 3 / 2 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        cw_placement *p = placement_of(all[i].options);
        struct rng rng = { test_seed() };
        cw_fleet *fleet = equal_nodes(&rng, 60);
        cw_error err = { CW_OK, "" };
        cw_live *live = NULL;
        cw_live_reader r;

        CHECK_OK(cw_live_new(fleet, p, 1, &live, NULL));
        CHECK_OK(cw_live_join(live, &r));
        CHECK(cw_live_add(live, all[i].name, strlen(all[i].name),
                          all[i].weight, &err) == CW_EINVAL && err.text[0],
              "%s: %s", all[i].options, err.text);
        check_live(live, &r, all[i].options, 0);
        cw_live_leave(&r);
        cw_live_free(live);
        cw_fleet_free(fleet);
        cw_placement_free(p);
    }
}

/* Nodes whose weight is too small for a point are last in every list. */
static void
nodes_without_points(void **state)
{
    cw_placement *p = placement_of("compat=npm-ketama");
    struct rng rng = { test_seed() };
    cw_fleet *fleet = equal_nodes(&rng, 30);
    uint32_t a[40], b[40], n;
    cw_live *live = NULL;
    cw_map *map = NULL;
    cw_live_reader r;
    cw_node node;

    (void)state;
    fleet_add(fleet, "none", 1);
    fleet_add(fleet, "other", 2);
    CHECK_OK(cw_live_new(fleet, p, 1, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    for (unsigned step = 0; step < 20; step++) {
        cw_fleet_node(fleet, step, &node);
        CHECK_OK(cw_live_remove(live, node.name, node.name_len, NULL));
        cw_live_quiescent(&r);
        CHECK_OK(cw_live_snapshot(live, &map, NULL));
        n = cw_map_order(map, "k", 1, a, 40);
        CHECK(cw_live_order(&r, "k", 1, b, 40) == n, "%u: length", step);
        for (uint32_t k = 0; k < n; k++)
            check_node(&r, b[k], map, a[k], "without points", step);
        cw_map_unref(map);
    }
    cw_live_leave(&r);
    cw_live_free(live);
    cw_fleet_free(fleet);
    cw_placement_free(p);
}

/* Zones whose nodes leave one by one, and replicas meanwhile. */
static void
zones_stay_told_apart(void **state)
{
    struct rng rng = { test_seed() };
    cw_fleet *fleet = fleet_of("");
    cw_live *live = NULL;
    cw_live_reader r;
    uint64_t patched, built;
    char name[24], zone[8];

    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "n%u", i);
        snprintf(zone, sizeof zone, "z%u", i % 7);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
        if (i % 5)
            CHECK_OK(cw_fleet_set_zone(fleet, name, strlen(name), zone,
                                       strlen(zone), NULL));
    }
    CHECK_OK(cw_live_new(fleet, NULL, 1, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    for (unsigned step = 0; step < 100; step++) {
        uint32_t count = cw_fleet_count(cw_live_fleet(live)), a[4], b[4], n;
        cw_map *map = NULL;
        cw_node node;

        cw_fleet_node(cw_live_fleet(live), (uint32_t)rng_below(&rng, count),
                      &node);
        memcpy(name, node.name, node.name_len);
        if (step % 2)
            CHECK_OK(cw_live_remove(live, name, node.name_len, NULL));
        else
            CHECK_OK(cw_live_set_weight(live, name, node.name_len,
                                        node.weight ? 0 : CW_WEIGHT_ONE,
                                        NULL));
        check_live(live, &r, "zones", step);
        CHECK_OK(cw_live_snapshot(live, &map, NULL));
        for (uint64_t i = 0; i < 100; i++) {
            struct key key = key_numbered("key", i);

            n = cw_map_replicas(map, key.data, key.len, a, 4);
            CHECK(cw_live_replicas(&r, key.data, key.len, b, 4) == n,
                  "step %u: replicas", step);
            for (uint32_t k = 0; k < n; k++)
                check_node(&r, b[k], map, a[k], "replicas", step);
        }
        cw_map_unref(map);
    }
    cw_live_counts(live, &patched, &built);
    CHECK(patched > 60, "only %u of 100 in place", (unsigned)patched);
    cw_live_leave(&r);
    cw_live_free(live);
    cw_fleet_free(fleet);
}

/* A label of its own; one that another node has is refused as ever. */
static void
labels(void **state)
{
    cw_fleet *fleet = fleet_of("");
    cw_live *live = NULL;
    cw_live_reader r;
    uint64_t patched, built;
    char name[24];

    (void)state;
    for (unsigned i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "n%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    CHECK_OK(cw_fleet_set_label(fleet, "n7", 2, "seven", 5, NULL));
    CHECK_OK(cw_live_new(fleet, NULL, 1, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    CHECK(cw_live_add(live, "seven", 5, CW_WEIGHT_ONE, NULL) == CW_EINVAL,
          "a label that is taken");
    check_live(live, &r, "labels", 0);
    CHECK_OK(cw_live_add(live, "seven", 5, 0, NULL));
    check_live(live, &r, "labels", 1);
    CHECK(cw_live_set_weight(live, "seven", 5, CW_WEIGHT_ONE, NULL) ==
          CW_EINVAL, "a label that is taken");
    check_live(live, &r, "labels", 2);
    CHECK_OK(cw_live_set_weight(live, "n7", 2, 0, NULL));
    cw_live_quiescent(&r);
    CHECK_OK(cw_live_set_weight(live, "seven", 5, CW_WEIGHT_ONE, NULL));
    check_live(live, &r, "labels", 3);
    CHECK_OK(cw_live_remove(live, "n3", 2, NULL));
    check_live(live, &r, "labels", 4);
    cw_live_counts(live, &patched, &built);
    CHECK(patched >= 4, "%u in place", (unsigned)patched);
    cw_live_leave(&r);
    cw_live_free(live);
    cw_fleet_free(fleet);
}

/* Each key is pinned to a node that comes or goes, by its name. */
static void
pins(void **state)
{
    cw_placement *p = placement_of("points=20");
    cw_fleet *fleet = fleet_of("");
    cw_pins *pins = cw_pins_new(NULL);
    char name[24];
    int can;

    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        struct key key = key_numbered("key", i);
        cw_key node = { name, 0 };

        snprintf(name, sizeof name, "old-%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
        if (i % 2)
            snprintf(name, sizeof name, "node-%u", i / 2);
        node.len = strlen(name);
        CHECK_OK(cw_pins_key(pins, key.data, key.len, &node, 1, NULL));
    }
    cw_placement_pin(p, pins);
    CHECK(run_changes(fleet, p, NULL, "pins", 100, &can) >= 50,
          "changes of a pinned fleet are made in place");
    cw_pins_free(pins);
    cw_fleet_free(fleet);
    cw_placement_free(p);
}

/* A fleet that stays as large while its nodes change: segments drift apart,
 * lines spill and come back. */
static void
a_long_life(void **state)
{
    cw_live *live = NULL;
    cw_live_reader r;
    cw_fleet *fleet = fleet_of("");
    uint64_t patched, built;
    char name[24];

    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "n%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    CHECK_OK(cw_live_new(fleet, NULL, 1, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "n%u", i + 200);
        CHECK_OK(cw_live_add(live, name, strlen(name), CW_WEIGHT_ONE, NULL));
        cw_live_quiescent(&r);
        snprintf(name, sizeof name, "n%u", i);
        CHECK_OK(cw_live_remove(live, name, strlen(name), NULL));
        cw_live_quiescent(&r);
        if (i % 100 == 99)
            check_live(live, &r, "long life", i);
    }
    cw_live_counts(live, &patched, &built);
    CHECK(built < 60, "%u of 6000 changes were built", (unsigned)built);
    cw_live_leave(&r);
    cw_live_free(live);
    cw_fleet_free(fleet);
}

static void
a_reader_holds_its_copy(void **state)
{
    cw_fleet *fleet = fleet_of("a,b,c");
    cw_live *live = NULL;
    cw_live_reader r, s;
    cw_error err = { CW_OK, "" };

    (void)state;
    CHECK_OK(cw_live_new(fleet, NULL, 1, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    CHECK(cw_live_join(live, &s) == CW_ELIMIT, "a second reader");
    CHECK_OK(cw_live_add(live, "d", 1, CW_WEIGHT_ONE, NULL));
    CHECK(cw_live_count(&r) == 3, "sees the change too early");
    CHECK(cw_live_add(live, "e", 1, CW_WEIGHT_ONE, &err) == CW_EBUSY,
          "the reader's copy was written");
    CHECK(err.status == CW_EBUSY && err.text[0], "no text");
    CHECK(cw_live_settle(live) == CW_EBUSY, "settled");
    CHECK(cw_fleet_count(cw_live_fleet(live)) == 4, "a failed change stays");
    cw_live_quiescent(&r);
    CHECK(cw_live_count(&r) == 4, "does not see the change");
    CHECK_OK(cw_live_settle(live));
    cw_live_quiescent(&r);
    CHECK_OK(cw_live_add(live, "e", 1, CW_WEIGHT_ONE, NULL));
    cw_live_leave(&r);
    CHECK_OK(cw_live_remove(live, "a", 1, NULL));
    CHECK_OK(cw_live_join(live, &s));
    CHECK(cw_live_count(&s) == 4, "%u nodes", cw_live_count(&s));
    CHECK_OK(cw_live_replace(live, fleet, NULL));
    cw_live_quiescent(&s);
    check_live(live, &s, "replaced", 0);
    cw_live_leave(&s);
    cw_live_free(live);
    cw_live_free(NULL);
    cw_fleet_free(fleet);
}

static void
readers_go_back_when_settled(void **state)
{
    cw_fleet *fleet = fleet_of("a,b,c,d,e,f,g,h,i,j");
    cw_live *live = NULL;
    cw_live_reader r;
    const cw_map *first, *second;

    (void)state;
    CHECK_OK(cw_live_new(fleet, NULL, 1, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    first = r.map;
    for (unsigned i = 0; i < 9; i++) {
        CHECK_OK(i % 2 ? cw_live_remove(live, "new", 3, NULL)
                       : cw_live_add(live, "new", 3, CW_WEIGHT_ONE, NULL));
        cw_live_quiescent(&r);
        second = r.map;
        CHECK(second != first, "%u: not a second copy", i);
        CHECK_OK(cw_live_settle(live));
        CHECK(cw_live_set_state(live, "a", 1, CW_DOWN, NULL) == CW_EBUSY,
              "%u: the reader's copy was written", i);
        CHECK_OK(cw_live_settle(live));     /* nothing is left to do */
        cw_live_quiescent(&r);
        CHECK(r.map == first, "%u: not back", i);
        check_live(live, &r, "back", i);
        CHECK(r.map == first, "%u: away without a change", i);
    }
    cw_live_leave(&r);
    cw_live_free(live);
    cw_fleet_free(fleet);
}

static void
errors_change_nothing(void **state)
{
    cw_fleet *fleet = fleet_of("a,b");
    cw_live *live = NULL;
    cw_live_reader r;

    (void)state;
    CHECK(cw_live_new(fleet, NULL, 0, &live, NULL) == CW_EINVAL, "0 readers");
    CHECK(cw_live_new(fleet, NULL, 65537, &live, NULL) == CW_EINVAL, "many");
    CHECK_OK(cw_live_new(fleet, NULL, 4, &live, NULL));
    CHECK_OK(cw_live_join(live, &r));
    CHECK(cw_live_add(live, "a", 1, CW_WEIGHT_ONE, NULL) == CW_EEXIST, "a");
    CHECK(cw_live_add(live, "", 0, CW_WEIGHT_ONE, NULL) == CW_EINVAL, "''");
    CHECK(cw_live_add(live, "z", 1, CW_WEIGHT_MAX + 1, NULL) == CW_EINVAL,
          "weight");
    CHECK(cw_live_remove(live, "z", 1, NULL) == CW_ENOENT, "z");
    CHECK(cw_live_set_weight(live, "z", 1, 1, NULL) == CW_ENOENT, "z");
    CHECK(cw_live_set_weight(live, "a", 1, CW_WEIGHT_MAX + 1, NULL) ==
          CW_EINVAL, "weight");
    CHECK(cw_live_set_state(live, "a", 1, (cw_state)7, NULL) == CW_EINVAL,
          "state");
    for (char n = 'p'; n <= 'z'; n++)
        CHECK_OK(cw_fleet_add(fleet, &n, 1, CW_WEIGHT_MAX, NULL));
    for (char n = 'A'; n <= 'F'; n++)
        CHECK_OK(cw_fleet_add(fleet, &n, 1, CW_WEIGHT_MAX, NULL));
    CHECK(cw_live_replace(live, fleet, NULL) == CW_ELIMIT, "too many points");
    CHECK(cw_fleet_count(cw_live_fleet(live)) == 2, "half replaced");
    check_live(live, &r, "errors", 0);
    cw_live_leave(&r);
    cw_live_free(live);
    cw_fleet_free(fleet);
}

static cw_status
live_once(struct failing *f, void *context)
{
    cw_fleet *fleet = cw_fleet_new(&f->allocator);
    cw_live *live = NULL;
    cw_status st = fleet ? CW_OK : CW_ENOMEM;
    uint32_t count = 24;

    for (const char *n = "abcefghijklmnopqrstuvwxy"; *n && st == CW_OK; n++)
        st = cw_fleet_add(fleet, n, 1, CW_WEIGHT_ONE, NULL);
    if (st == CW_OK)
        st = cw_live_new(fleet, context, 1, &live, NULL);
    if (st == CW_OK) {
        st = cw_live_add(live, "d", 1, CW_WEIGHT_ONE, NULL);
        count += st == CW_OK;
        CHECK(cw_fleet_count(cw_live_fleet(live)) == count, "after add");
    }
    if (st == CW_OK) {
        st = cw_live_remove(live, "a", 1, NULL);
        count -= st == CW_OK;
        CHECK(cw_fleet_count(cw_live_fleet(live)) == count, "after remove");
    }
    if (st == CW_OK)
        st = cw_live_set_weight(live, "b", 1, CW_WEIGHT_ONE * 3, NULL);
    cw_live_free(live);
    cw_fleet_free(fleet);
    return st;
}

static void
every_allocation_may_fail(void **state)
{
    static const char *const all[] = {
        "", "compat=ketama160", "compat=libmemcached-ketama"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        cw_placement *p = placement_of(all[i]);

        CHECK(every_allocation_fails("cw_live", live_once, p) > 20, "few");
        cw_placement_free(p);
    }
}

static void
memory(void **state)
{
    cw_fleet *fleet = fleet_of("");
    cw_live *live = NULL;
    cw_map *map = NULL;
    char name[24];
    double points = 160000;

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "node-%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    CHECK_OK(cw_map_build(fleet, NULL, &map, NULL));
    CHECK((double)cw_map_bytes(map) / points <= 19, "map: %.2f bytes a point",
          (double)cw_map_bytes(map) / points);
    CHECK_OK(cw_live_new(fleet, NULL, 2, &live, NULL));
    CHECK((double)cw_live_bytes(live) / points <= 38,
          "live: %.2f bytes a point", (double)cw_live_bytes(live) / points);
    cw_map_unref(map);
    cw_live_free(live);
    cw_fleet_free(fleet);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(changes_at_random),
        TEST(every_row),
        TEST(rows_with_options),
        TEST(shares_that_stay),
        TEST(ties_by_the_list),
        TEST(refused),
        TEST(nodes_without_points),
        TEST(zones_stay_told_apart),
        TEST(labels),
        TEST(pins),
        TEST(a_long_life),
        TEST(a_reader_holds_its_copy),
        TEST(readers_go_back_when_settled),
        TEST(errors_change_nothing),
        TEST(every_allocation_may_fail),
        TEST(memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
