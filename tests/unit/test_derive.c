/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_derive.c - a derived map is the map that is built afresh, to the last
 * byte behind its header.
 */
#include "harness_rows.h"

#include "core/compat.h"
#include "core/core.h"

static void
check_equal(const cw_map *derived, const cw_map *fresh, const char *what,
            unsigned step)
{
    const char *a = (const char *)(derived + 1), *end;
    const char *b = (const char *)(fresh + 1);
    size_t state_a = (size_t)((const char *)derived->state - a);
    size_t state_b = (size_t)((const char *)fresh->state - b);
    cw_error err = { CW_OK, "" };

    CHECK(cw_map_check(derived, &err) == CW_OK, "%s, %u: %s", what, step,
          err.text);
    CHECK(derived->bytes == fresh->bytes && derived->top == fresh->top &&
          derived->points == fresh->points &&
          derived->fingerprint == fresh->fingerprint,
          "%s, %u: header", what, step);
    /* Nodes and texts, then the state; between them only alignment. */
    end = a + (state_a < state_b ? state_a : state_b);
    CHECK(memcmp(a, b, (size_t)(end - a) & ~(size_t)63) == 0,
          "%s, %u: nodes", what, step);
    a += state_a;
    b += state_b;
    end = (const char *)derived + derived->bytes - 64;
    CHECK(memcmp(a, b, (size_t)(end - a)) == 0, "%s, %u: state", what, step);
}

/* A step of change at random: one node, sometimes a few. */
static void
change(cw_fleet *fleet, struct rng *rng, unsigned *next)
{
    static const uint64_t at[] = { 3, 40, 41, 77 };
    unsigned n = rng_below(rng, 4) ? 1 : 7;

    while (n-- > 0) {
        uint32_t count = cw_fleet_count(fleet);
        cw_node node;
        char name[24];

        if (count)
            cw_fleet_node(fleet, (uint32_t)rng_below(rng, count), &node);
        switch (count ? rng_below(rng, 6) : 0) {
        case 0:
        case 1:
            snprintf(name, sizeof name, "node-%u", (*next)++ * 7919u % 1000u);
            cw_fleet_add(fleet, name, strlen(name),
                         CW_WEIGHT_ONE * (1 + rng_below(rng, 3)), NULL);
            break;
        case 2:
            cw_fleet_remove(fleet, node.name, node.name_len, NULL);
            break;
        case 3:
            cw_fleet_set_weight(fleet, node.name, node.name_len,
                                CW_WEIGHT_ONE / 2 * rng_below(rng, 4), NULL);
            break;
        case 4:
            cw_fleet_set_address(fleet, node.name, node.name_len, "x", 1,
                                 NULL);
            break;
        default:
            cw_fleet_set_positions(fleet, node.name, node.name_len, at,
                                   (uint32_t)rng_below(rng, 5), NULL);
        }
    }
}

/* The same as the row takes it; nodes that have a point in common, too. */
static void
change_row(cw_fleet *fleet, struct rng *rng, const cw_row *row)
{
    unsigned n = rng_below(rng, 4) ? 1 : 4;
    struct key name;
    const char *tied;
    cw_node node;

    while (n-- > 0) {
        node = draw_node(rng, fleet);
        name = draw_name(rng, CW_TABLE_COMPAT, fleet);
        tied = tied_pairs[rng_below(rng, TIED_PAIRS)][rng_below(rng, 2)];
        switch (rng_below(rng, 6)) {
        case 0:
            cw_fleet_add(fleet, name.data, name.len,
                         draw_weight(rng, row, fleet), NULL);
            break;
        case 1:
            cw_fleet_add(fleet, tied, strlen(tied),
                         draw_weight(rng, row, fleet), NULL);
            break;
        case 2:
            /* Its last node would be the one that was drawn. */
            if (active_nodes(fleet) > 1)
                cw_fleet_remove(fleet, node.name, node.name_len, NULL);
            break;
        case 3:
            cw_fleet_set_weight(fleet, node.name, node.name_len,
                                active_nodes(fleet) > 1 && rng_below(rng, 2)
                                    ? 0 : draw_weight(rng, row, fleet),
                                NULL);
            break;
        case 4:
            /* It is listed last from now on. */
            name.len = node.name_len < sizeof name.data ? node.name_len : 0;
            memcpy(name.data, node.name, name.len);
            if (active_nodes(fleet) > 1 && name.len &&
                cw_fleet_remove(fleet, name.data, name.len, NULL) == CW_OK)
                cw_fleet_add(fleet, name.data, name.len,
                             draw_weight(rng, row, fleet), NULL);
            break;
        default:
            cw_fleet_set_address(fleet, node.name, node.name_len, "x", 1,
                                 NULL);
        }
    }
}

/* row: its own changes; NULL: those of "ring". */
static void
run_changes(cw_fleet *fleet, const cw_placement *p, const cw_row *row,
            const char *what, unsigned steps)
{
    struct rng rng = { test_seed() };
    cw_map *map = map_of(fleet, p), *derived, *fresh;
    unsigned next = 0;

    for (unsigned step = 0; step < steps; step++) {
        cw_error err = { CW_OK, "" };
        cw_status st;

        if (row)
            change_row(fleet, &rng, row);
        else
            change(fleet, &rng, &next);
        st = cw_map_build(fleet, p, &fresh, &err);
        CHECK(cw_map_derive(map, fleet, &derived, NULL) == st, "%s: %s",
              what, err.text);
        if (st != CW_OK)
            continue;       /* such a fleet the row refuses both ways */
        check_equal(derived, fresh, what, step);
        cw_map_unref(fresh);
        cw_map_unref(map);
        map = derived;
    }
    cw_map_unref(map);
}

static void
run(const char *options, unsigned nodes, unsigned steps)
{
    cw_placement *p = placement_of(options);
    cw_fleet *fleet = cw_fleet_new(NULL);
    char name[24];

    for (unsigned i = 0; i < nodes; i++) {
        snprintf(name, sizeof name, "old-%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    run_changes(fleet, p, NULL, options, steps);
    cw_fleet_free(fleet);
    cw_placement_free(p);
}

/* A fleet of equal nodes, as every row takes it. */
static cw_fleet *
plain_fleet(unsigned nodes)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    struct rng rng = { test_seed() };

    while (nodes-- > 0) {
        struct key name = draw_name(&rng, CW_TABLE_COMPAT, fleet);

        CHECK_OK(cw_fleet_add(fleet, name.data, name.len, CW_WEIGHT_ONE,
                              NULL));
    }
    return fleet;
}

static void
every_row(void **state)
{
    static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };

    (void)state;
    for (size_t t = 0; t < COUNT(tables); t++) {
        cw_placement *p;
        cw_row row;

        for (unsigned i = 0; (p = placement_of_row(tables[t], i, &row)) !=
                             NULL; i++) {
            cw_fleet *fleet = plain_fleet(30);

            if (p->p.algo->patch)
                run_changes(fleet, p, &row, row.name, 40);
            cw_fleet_free(fleet);
            cw_placement_free(p);
        }
    }
}

/* Searches, orders of ties and shares of the weight that are options. */
static void
rows_with_options(void **state)
{
    static const char *const all[] = {
        "compat=custom-ring;bits=16", "compat=custom-ring;search=after",
        "compat=custom-ring;search=after;bits=16",
        "compat=custom-ring;search=nearest",
        "compat=custom-ring;search=previous;bits=16",
        "compat=jedis;names=yes", "compat=groupcache;points=2000",
        "compat=spymemcached-ketama;weights=off",
        "compat=libmemcached-ketama;sort-hosts=yes;hash=crc",
        "compat=libmemcached-ketama;hash=crc;weights=off",
        "compat=xmemcached-ketama;hash=crc",
        "compat=twemproxy-ketama;hash=crc16",
        "compat=memcached-proxy-ring;omode=ketama",
        "compat=uhashring-ketama;replicas=3",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        cw_placement *p = placement_of(all[i]);
        cw_fleet *fleet = plain_fleet(30);
        cw_row row = { 0 };

        row.name = p->p.algo->name;
        row.traits = p->p.algo->traits;
        run_changes(fleet, p, &row, all[i], 60);
        cw_fleet_free(fleet);
        cw_placement_free(p);
    }
}

/* ---- it is derived, not built ------------------------------------------ */

static const struct cwi_algo_ops *counted;
static unsigned builds;

static void
counting_build(const struct cwi_algo_ops *self, void *state, void *scratch,
               const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    builds++;
    counted->build(counted, state, scratch, nodes, p);
}

/* Add 20 equal nodes one by one: how many of the maps were built? CW_NONE
 * for a ring that cannot be derived. */
static unsigned
builds_of_20(const cw_placement *p, int compat)
{
    struct cwi_compat_ops row;
    cw_fleet *fleet = plain_fleet(40);
    cw_map *map = map_of(fleet, p), *derived;
    struct rng rng = { test_seed() + 1 };
    int can = map->rule.ring != NULL;

    counted = p->p.algo;
    memset(&row, 0, sizeof row);
    memcpy(&row, counted, compat ? sizeof row : sizeof row.algo);
    row.algo.build = counting_build;
    builds = 0;
    for (unsigned i = 0; i < 20; i++) {
        struct key name = draw_name(&rng, CW_TABLE_COMPAT, fleet);

        CHECK_OK(cw_fleet_add(fleet, name.data, name.len, CW_WEIGHT_ONE,
                              NULL));
        map->p.algo = &row.algo;
        CHECK_OK(cw_map_derive(map, fleet, &derived, NULL));
        cw_map_unref(map);
        map = derived;
    }
    cw_map_unref(map);
    cw_fleet_free(fleet);
    return can ? builds : CW_NONE;
}

/* Each row whose nodes have points of their own, wherever they are added;
 * the share of a weight is rounded to the same number most of the time. */
static void
built_rarely(void **state)
{
    unsigned rows = 0;
    cw_placement *p;
    cw_row row;

    (void)state;
    for (unsigned i = 0; (p = placement_of_row(CW_TABLE_COMPAT, i, &row)) !=
                         NULL; i++) {
        unsigned built = p->p.algo->patch ? builds_of_20(p, 1) : CW_NONE;

        if (built != CW_NONE) {
            CHECK(built <= (row.traits & CW_TRAIT_MINIMAL ? 0u : 12u),
                  "%s: %u of 20 built", row.name, built);
            rows++;
        }
        cw_placement_free(p);
    }
    print_message("    %u compat rows\n", rows);
    CHECK(rows >= 25, "%u rows", rows);
    p = placement_of("");
    CHECK(builds_of_20(p, 0) == 0, "ring: built");
    cw_placement_free(p);
}

static void
random_changes(void **state)
{
    (void)state;
    run("", 0, 150);
    run("", 100, 60);
    run("points=3", 10, 300);
    run("hash=fnv1a_64", 20, 60);
    run("hash=crc32;points=1000", 30, 60);
    /* small rings, full of equal positions */
    run("size=1000;points=50", 30, 100);
    run("size=78", 30, 100);
    run("algorithm=rendezvous", 10, 30);
}

static void
wide_owners(void **state)
{
    (void)state;
    run("points=2", 65530, 6);
}

struct pair {
    cw_map   *map;
    cw_fleet *fleet;
};

static cw_status
derive_once(struct failing *f, void *context)
{
    struct pair *pair = context;
    cw_allocator kept = pair->fleet->alloc;
    cw_map *derived = NULL;
    cw_status st;

    pair->fleet->alloc = f->allocator;
    st = cw_map_derive(pair->map, pair->fleet, &derived, NULL);
    pair->fleet->alloc = kept;
    cw_map_unref(derived);
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
        struct pair pair = { map_of_spec("a,b,c", all[i]),
                             fleet_of("a,c,d") };

        CHECK(every_allocation_fails("cw_map_derive", derive_once, &pair) > 5,
              "few failures");
        cw_map_unref(pair.map);
        cw_fleet_free(pair.fleet);
    }
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(random_changes),
        TEST(every_row),
        TEST(rows_with_options),
        TEST(built_rarely),
        TEST(wide_owners),
        TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
