/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_rig.h - one map of one row from a list of nodes, and what holds for
 * every preference list: for the unit tests of lib/algo.
 */
#ifndef ALGO_RIG_H
#define ALGO_RIG_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clockwise/clockwise.h"
#include "core/algo.h"

#ifndef CW_TEST_DIR
#error "define CW_TEST_DIR as the absolute path of tests/, in quotes"
#endif

struct rig_node {
    const char *name;
    uint64_t    weight;     /* millionths                                   */
};

/* A fleet of n nodes in that order. */
static inline cw_fleet *
rig_fleet(const struct rig_node *list, uint32_t n)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_error  err;
    uint32_t  i;

    assert_non_null(fleet);
    for (i = 0; i < n; i++)
        if (cw_fleet_add(fleet, list[i].name, strlen(list[i].name),
                         list[i].weight, &err) != CW_OK)
            fail_msg("%s", err.text);
    return fleet;
}

/* node-0 .. node-(n-1); weight of node i is 1 + i mod `weights`. */
static inline cw_fleet *
rig_numbered(uint32_t n, uint32_t weights)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    char      name[32];
    uint32_t  i;

    assert_non_null(fleet);
    for (i = 0; i < n; i++) {
        int len = snprintf(name, sizeof(name), "node-%u", i);

        assert_int_equal(cw_fleet_add(fleet, name, (size_t)len,
                                      (1 + i % weights) * CW_WEIGHT_ONE,
                                      NULL), CW_OK);
    }
    return fleet;
}

/* Build; options are pairs of name and value, ended by NULL. */
static inline cw_status
rig_try(const cw_fleet *fleet, const char *const *options, cw_map **map,
        cw_error *err)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_status     status = CW_OK;

    assert_non_null(p);
    for (; *options != NULL && status == CW_OK; options += 2)
        status = cw_placement_set(p, options[0], options[1], err);
    if (status == CW_OK)
        status = cw_map_build(fleet, p, map, err);
    cw_placement_free(p);
    return status;
}

/* A map that must build and be sound; frees the fleet. */
static inline cw_map *
rig_map(cw_fleet *fleet, const char *const *options)
{
    cw_map  *map = NULL;
    cw_error err;

    if (rig_try(fleet, options, &map, &err) != CW_OK)
        fail_msg("%s", err.text);
    if (cw_map_check(map, &err) != CW_OK)
        fail_msg("%s", err.text);
    cw_fleet_free(fleet);
    return map;
}

/* The name of node number i. */
static inline const char *
rig_name(const cw_map *map, uint32_t i)
{
    cw_node node;

    assert_true(i < cw_map_count(map));
    cw_map_node(map, i, &node);
    return node.name;
}

static inline uint32_t
rig_find(const cw_map *map, uint64_t hash)
{
    uint32_t owner = CW_NONE;

    assert_int_equal(cw_map_owner_hash(map, hash, &owner), CW_OK);
    return owner;
}

static inline const char *
rig_owner(const cw_map *map, uint64_t hash)
{
    return rig_name(map, rig_find(map, hash));
}

/* A stream of well mixed hashes: number i. */
static inline uint64_t
rig_hash(uint64_t i)
{
    return cwi_mix64((i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* 100 nodes of weight 1 to 5: each has its part of so many hashes, within
 * five standard deviations. */
static inline void
rig_check_shares(const char *const *options, unsigned keys)
{
    cw_map  *map = rig_map(rig_numbered(100, 5), options);
    unsigned got[100] = { 0 };
    uint64_t i;

    for (i = 0; i < keys; i++)
        got[rig_find(map, rig_hash(i))]++;
    for (i = 0; i < 100; i++) {
        cw_node node;
        double  fair;

        cw_map_node(map, (uint32_t)i, &node);
        fair = keys * (double)node.weight / 300e6;
        assert_true(fabs(got[i] - fair) < 5 * sqrt(fair));
    }
    cw_map_unref(map);
}

/* For the hashes 0 .. count - 1: the list begins with the owner, has every
 * node of weight > 0 just once, and each shorter list is its beginning. */
static inline void
rig_check_orders(const cw_map *map, unsigned count)
{
    uint32_t  n = cw_map_count(map), active = 0, i, len, k;
    uint32_t *all = calloc(n + 1, sizeof(*all));
    uint32_t *some = calloc(n + 1, sizeof(*some));
    uint8_t  *met = calloc(n + 1, 1);
    cw_node   node;
    unsigned  h;

    assert_true(all != NULL && some != NULL && met != NULL);
    for (i = 0; i < n; i++) {
        cw_map_node(map, i, &node);
        active += node.weight > 0;
    }
    for (h = 0; h < count; h++) {
        uint64_t hash = rig_hash(h);

        memset(met, 0, n + 1);
        len = cw_map_order_hash(map, hash, all, n + 1);
        assert_int_equal(len, active);
        assert_int_equal(all[0], rig_find(map, hash));
        for (i = 0; i < len; i++) {
            cw_map_node(map, all[i], &node);
            assert_true(node.weight > 0);
            assert_false(met[all[i]]);
            met[all[i]] = 1;
        }
        for (k = 0; k <= len; k += 1 + k / 2) {
            assert_int_equal(cw_map_order_hash(map, hash, some, k), k);
            assert_memory_equal(some, all, k * sizeof(*all));
        }
    }
    free(all);
    free(some);
    free(met);
}

/*
 * Between two maps, over `count` hashes: how many owners differ by name, and
 * how many of these are neither from nor to the node `changed`.
 */
struct rig_moves {
    unsigned moved;
    unsigned strange;
};

static inline struct rig_moves
rig_compare(const cw_map *a, const cw_map *b, const char *changed,
            unsigned count)
{
    struct rig_moves m = { 0, 0 };
    unsigned         h;

    for (h = 0; h < count; h++) {
        const char *x = rig_owner(a, rig_hash(h));
        const char *y = rig_owner(b, rig_hash(h));

        if (strcmp(x, y) == 0)
            continue;
        m.moved++;
        m.strange += strcmp(x, changed) != 0 && strcmp(y, changed) != 0;
    }
    return m;
}

#endif
