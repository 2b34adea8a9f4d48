/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_algo_rendezvous.c - the row "rendezvous" against the plain script that
 * wrote tests/golden/rendezvous, and what it promises.
 */
#include "algo_rig.h"
#include "algo/draw.h"


static const char *const options[] = { "algorithm", "rendezvous", NULL };

#define NODES_MAX 64u
#define LINE_MAX_ 4096u

/* Compare every line of one golden file; returns how many there were. */
static unsigned
check_golden(const char *file)
{
    char      path[512], line[LINE_MAX_], name[128];
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_map   *map = NULL;
    unsigned  lines = 0;
    FILE     *f;

    snprintf(path, sizeof(path), "%s/golden/rendezvous/%s", CW_TEST_DIR, file);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fleet);
    while (fgets(line, sizeof(line), f) != NULL) {
        unsigned long long value;
        uint32_t           out[NODES_MAX], n, i;
        char              *at;

        if (sscanf(line, "node %127s %llu", name, &value) == 2) {
            assert_int_equal(cw_fleet_add(fleet, name, strlen(name), value,
                                          NULL), CW_OK);
            continue;
        }
        if (map == NULL)
            map = rig_map(fleet, options);
        value = strtoull(line, &at, 10);
        n = cw_map_order_hash(map, value, out, NODES_MAX);
        assert_int_equal(rig_find(map, value), out[0]);
        for (i = 0; i < n; i++) {
            size_t len = strcspn(at + 1, ",\n");

            assert_int_equal(len, strlen(rig_name(map, out[i])));
            assert_memory_equal(at + 1, rig_name(map, out[i]), len);
            at += 1 + len;
        }
        assert_int_equal(*at, '\n');
        lines++;
    }
    fclose(f);
    cw_map_unref(map);
    return lines;
}

static void
golden_orders(void **state)
{
    (void)state;
    assert_int_equal(check_golden("equal.tsv"), 305);
    assert_int_equal(check_golden("weights.tsv"), 305);
    assert_int_equal(check_golden("all-different.tsv"), 100);
    assert_int_equal(check_golden("one.tsv"), 5);
}

static void
long_orders(void **state)
{
    cw_map *map = rig_map(rig_numbered(1500, 7), options);

    (void)state;
    rig_check_orders(map, 5);
    cw_map_unref(map);
    map = rig_map(rig_numbered(33, 1), options);
    rig_check_orders(map, 100);
    cw_map_unref(map);
}

/* Case B27: every node gets its share, none all of it. */
static void
shares_follow_weights(void **state)
{
    (void)state;
    rig_check_shares(options, 200000);
}

static void
only_the_changed_node_moves(void **state)
{
    cw_fleet        *fleet = rig_numbered(20, 4);
    cw_map          *old = rig_map(cw_fleet_copy(fleet), options);
    cw_map          *map;
    struct rig_moves m;

    (void)state;
    assert_int_equal(cw_fleet_set_weight(fleet, "node-7", 6, 6 * CW_WEIGHT_ONE,
                                         NULL), CW_OK);
    map = rig_map(cw_fleet_copy(fleet), options);
    m = rig_compare(old, map, "node-7", 50000);
    assert_int_equal(m.strange, 0);
    assert_true(m.moved > 1000);
    cw_map_unref(map);
    assert_int_equal(cw_fleet_remove(fleet, "node-7", 6, NULL), CW_OK);
    map = rig_map(cw_fleet_copy(fleet), options);
    m = rig_compare(old, map, "node-7", 50000);
    assert_int_equal(m.strange, 0);
    cw_map_unref(map);
    cw_map_unref(old);
    cw_fleet_free(fleet);
}

/* A hash of 32 bits spreads as well: its high half is 0, the draw's is not. */
static void
short_hashes(void **state)
{
    static const char *const fnv[] = { "algorithm", "rendezvous", "hash",
                                       "fnv1a_32", NULL };
    cw_map  *map = rig_map(rig_numbered(10, 1), fnv);
    unsigned got[10] = { 0 }, i;
    char     key[32];

    (void)state;
    for (i = 0; i < 50000; i++) {
        int      len = snprintf(key, sizeof(key), "key:%u", i);
        uint32_t owner = 0;

        assert_int_equal(cw_map_owner(map, key, (size_t)len, &owner), CW_OK);
        got[owner]++;
    }
    for (i = 0; i < 10; i++)
        assert_in_range(got[i], 4660, 5340);
    cw_map_unref(map);
}

static void
equal_labels_refused(void **state)
{
    static const struct rig_node list[] = { { "a", 1000000 }, { "b", 5 },
                                            { "c", 7 } };
    cw_fleet                    *fleet = rig_fleet(list, 3);
    cw_map                      *map = NULL;
    cw_error                     err;

    (void)state;
    assert_int_equal(cw_fleet_set_label(fleet, "c", 1, "a", 1, NULL), CW_OK);
    assert_int_equal(rig_try(fleet, options, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "\"a\""));
    assert_non_null(strstr(err.text, "\"c\""));
    assert_null(map);
    /* A node without weight draws nothing, so its label does not matter. */
    assert_int_equal(cw_fleet_set_weight(fleet, "c", 1, 0, NULL), CW_OK);
    cw_map_unref(rig_map(fleet, options));
}

/* The fast way and the plain one, and what they are defined to be; some
 * nodes are there twice, so that their draws are equal. */
static void
best_draws(void **state)
{
    enum { MOST = 77 };
    uint32_t low[MOST], high[MOST], n, i;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        struct cwi_draw d = cwi_draw_for(rig_hash(round));
        uint32_t best = 0;

        n = 1 + round % MOST;
        for (i = 0; i < n; i++) {
            uint64_t id = cwi_mix64(round * UINT64_C(1000) +
                                    (round % 3 ? i : i % (1 + n / 2)));

            low[i] = (uint32_t)id;
            high[i] = (uint32_t)(id >> 32);
        }
        for (i = 1; i < n; i++) {
            uint32_t x = cwi_draw_upper(d, low[i], high[i]);
            uint32_t y = cwi_draw_upper(d, low[best], high[best]);

            if (x > y || (x == y && cwi_draw_lower(d, low[i], high[i]) >
                                    cwi_draw_lower(d, low[best], high[best])))
                best = i;
        }
        assert_int_equal(cwi_draw_best(d, low, high, n), best);
        assert_int_equal(cwi_draw_best_c(d, low, high, n), best);
    }
}

/* Upper halves that are equal, lower ones that are not: found by search. */
static void
equal_upper_halves(void **state)
{
    struct cwi_draw d = cwi_draw_for(1);
    uint32_t low[9], high[9], i, most = 0;

    (void)state;
    for (i = 0; i < 9; i++) {
        low[i] = i + 1;
        high[i] = 7 * i;
        if (cwi_draw_upper(d, low[i], high[i]) >
            cwi_draw_upper(d, low[most], high[most]))
            most = i;
    }
    /* The sum before the last multiplication is that of the highest. */
    i = most == 3 ? 4 : 3;
    low[i] = low[most] + 100;
    high[i] = 0;
    high[i] = ((cwi_draw_upper(d, low[most], high[most]) -
                cwi_draw_upper(d, low[i], 0)) * UINT32_C(0x469e0db1) +
               (uint32_t)(d.mixed >> 32)) ^ (uint32_t)(d.mixed >> 32);
    assert_int_equal(cwi_draw_upper(d, low[i], high[i]),
                     cwi_draw_upper(d, low[most], high[most]));
    if (cwi_draw_lower(d, low[i], high[i]) >
        cwi_draw_lower(d, low[most], high[most]))
        most = i;
    assert_int_equal(cwi_draw_best(d, low, high, 9), most);
    assert_int_equal(cwi_draw_best_c(d, low, high, 9), most);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_orders),
        cmocka_unit_test(long_orders),
        cmocka_unit_test(shares_follow_weights),
        cmocka_unit_test(only_the_changed_node_moves),
        cmocka_unit_test(short_hashes),
        cmocka_unit_test(best_draws),
        cmocka_unit_test(equal_upper_halves),
        cmocka_unit_test(equal_labels_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
