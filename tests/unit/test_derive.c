/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_derive.c - a derived map is the map that is built afresh, to the last
 * byte behind its header.
 */
#include "harness.h"

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

static void
run(const char *options, unsigned nodes, unsigned steps)
{
    struct rng rng = { test_seed() };
    cw_placement *p = placement_of(options);
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_map *map = NULL, *derived, *fresh;
    unsigned next = 0;
    char name[24];

    for (unsigned i = 0; i < nodes; i++) {
        snprintf(name, sizeof name, "old-%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    map = map_of(fleet, p);
    for (unsigned step = 0; step < steps; step++) {
        cw_error err = { CW_OK, "" };
        cw_status st;

        change(fleet, &rng, &next);
        st = cw_map_build(fleet, p, &fresh, &err);
        CHECK(cw_map_derive(map, fleet, &derived, NULL) == st, "%s: %s",
              options, err.text);
        if (st != CW_OK)
            continue;       /* such a fleet the row refuses both ways */
        check_equal(derived, fresh, options, step);
        cw_map_unref(fresh);
        cw_map_unref(map);
        map = derived;
    }
    cw_map_unref(map);
    cw_fleet_free(fleet);
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
    struct pair pair = { map_of_spec("a,b,c", ""), fleet_of("a,c,d") };

    (void)state;
    CHECK(every_allocation_fails("cw_map_derive", derive_once, &pair) > 5,
          "few failures");
    cw_map_unref(pair.map);
    cw_fleet_free(pair.fleet);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(random_changes),
        TEST(wide_owners),
        TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
