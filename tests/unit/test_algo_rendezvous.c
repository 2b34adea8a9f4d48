/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_algo_rendezvous.c - the row "rendezvous" against the plain script that
 * wrote tests/golden/rendezvous, and what it promises.
 */
#include "algo_rig.h"

#include <math.h>

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
    enum { KEYS = 200000 };
    cw_map  *map = rig_map(rig_numbered(100, 5), options);
    unsigned got[100] = { 0 };
    uint64_t i;

    (void)state;
    for (i = 0; i < KEYS; i++)
        got[rig_find(map, rig_hash(i))]++;
    for (i = 0; i < 100; i++) {
        cw_node node;
        double  fair;

        cw_map_node(map, (uint32_t)i, &node);
        fair = KEYS * (double)node.weight / 300e6;
        assert_true(fabs(got[i] - fair) < 5 * sqrt(fair));
    }
    cw_map_unref(map);
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
        uint32_t owner;

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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_orders),
        cmocka_unit_test(long_orders),
        cmocka_unit_test(shares_follow_weights),
        cmocka_unit_test(only_the_changed_node_moves),
        cmocka_unit_test(short_hashes),
        cmocka_unit_test(equal_labels_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
