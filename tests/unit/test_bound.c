/* SPDX-License-Identifier: Apache-2.0 */
/* test_bound.c - bounded load: caps, who is passed, counters, threads. */
#include "algo_rig.h"

#include <pthread.h>

#include "clockwise/clockwise_bound.h"
#include "clockwise/clockwise_pins.h"

static const char *const ring150[] = { "algorithm", "ring", "points", "150",
                                       NULL };

#define KEYS 100000u

/* key-0 .. key-(n-1), in memory that lives as long as the test. */
static cw_key *
keys_numbered(size_t n)
{
    static char text[KEYS][16];
    static cw_key key[KEYS];
    size_t        i;

    for (i = 0; i < n; i++) {
        key[i].data = text[i];
        key[i].len = (size_t)snprintf(text[i], sizeof(text[i]), "key-%zu", i);
    }
    return key;
}

static uint64_t
ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Each key goes to the first node of its list that had room when it came. */
static void
assign_is_first_with_room(void **state)
{
    static uint32_t out[KEYS];
    cw_map         *map = rig_map(rig_numbered(10, 3), ring150);
    cw_key         *key = keys_numbered(20000);
    uint32_t        load[10] = { 0 }, list[10], i;
    size_t          passed, k, counted = 0;
    unsigned        j;

    (void)state;
    assert_int_equal(cw_bound_assign(map, 110, key, 20000, out, &passed,
                                     NULL), CW_OK);
    for (k = 0; k < 20000; k++) {
        cw_node node;

        assert_int_equal(cw_map_order(map, key[k].data, key[k].len, list, 10),
                         10);
        for (j = 0; j < 10; j++) {
            cw_map_node(map, list[j], &node);
            if (load[list[j]] < ceil_div(22000 * node.weight, 19000000))
                break;
        }
        assert_true(j < 10);
        assert_int_equal(out[k], list[j]);
        load[list[j]]++;
        counted += j > 0;
    }
    assert_int_equal(counted, passed);
    assert_true(passed > 0);
    for (i = 0; i < 10; i++)
        assert_true(load[i] > 0);
    cw_map_unref(map);
}

/* On a fair ring a loose bound passes nothing over, a tight one a few. */
static void
where_it_binds(void **state)
{
    static uint32_t out[KEYS];
    cw_map         *map = rig_map(rig_numbered(10, 1), ring150);
    cw_key         *key = keys_numbered(KEYS);
    size_t          passed;

    (void)state;
    assert_int_equal(cw_bound_assign(map, 125, key, KEYS, out, &passed, NULL),
                     CW_OK);
    assert_int_equal(passed, 0);
    assert_int_equal(cw_bound_assign(map, 105, key, KEYS, out, &passed, NULL),
                     CW_OK);
    assert_int_equal(passed, 1427);     /* 1.4 % of the keys */
    assert_int_equal(cw_bound_assign(map, 0, key, KEYS, out, &passed, NULL),
                     CW_OK);
    assert_int_equal(passed, 0);
    cw_map_unref(map);
}

/* All keys alike: without a bound one node has all, with it none has more
 * than its part of what is in flight. */
static void
one_hot_key(void **state)
{
    cw_map   *map = rig_map(rig_numbered(10, 2), ring150);
    cw_bound *bound = NULL;
    uint32_t  node, i, m, sum = 0;

    (void)state;
    assert_int_equal(cw_bound_new(map, 150, NULL, &bound, NULL), CW_OK);
    for (m = 0; m < 3000; m++) {
        cw_node n;

        assert_int_equal(cw_bound_take(bound, "hot", 3, &node), CW_OK);
        cw_map_node(map, node, &n);
        assert_true(cw_bound_load(bound, node) <=
                    ceil_div(150 * (uint64_t)(m + 1) * n.weight, 1500000000));
    }
    assert_int_equal(cw_bound_total(bound), 3000);
    assert_in_range(cw_bound_passed(bound), 2000, 3000);
    for (i = 0; i < 10; i++) {
        while (cw_bound_load(bound, i) > 0) {
            assert_int_equal(cw_bound_release(bound, i), CW_OK);
            sum++;
        }
        assert_int_equal(cw_bound_release(bound, i), CW_EINVAL);
    }
    assert_int_equal(sum, 3000);
    assert_int_equal(cw_bound_total(bound), 0);
    assert_int_equal(cw_bound_release(bound, 10), CW_EINVAL);
    /* Alone in flight a key is with its owner. */
    assert_int_equal(cw_bound_take_hash(bound, 7, &node), CW_OK);
    assert_int_equal(node, rig_find(map, 7));
    cw_bound_free(bound);
    cw_map_unref(map);
}

static void
refusals(void **state)
{
    cw_map   *map = rig_map(rig_numbered(3, 1), ring150);
    cw_map   *empty = rig_map(rig_numbered(0, 1), ring150);
    cw_bound *bound = NULL;
    cw_error  err;
    uint32_t  node = 77;

    (void)state;
    assert_int_equal(cw_bound_new(map, 100, NULL, &bound, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "101"));
    assert_null(bound);
    assert_int_equal(cw_bound_new(empty, 125, NULL, &bound, &err), CW_OK);
    assert_int_equal(cw_bound_take(bound, "a", 1, &node), CW_EEMPTY);
    assert_int_equal(node, 77);
    assert_int_equal(cw_bound_total(bound), 0);
    cw_bound_free(bound);
    cw_bound_free(NULL);
    assert_int_equal(cw_bound_assign(empty, 125, NULL, 0, NULL, NULL, &err),
                     CW_EEMPTY);
    cw_map_unref(map);
    cw_map_unref(empty);
}

/* ---- threads ----------------------------------------------------------- */

/* Pinned keys stay, also where no cap allows one, in whatever order they come;
 * the other keys keep to the caps. */
static void
pins_stay(void **state)
{
    static uint32_t out[2000];
    const cw_key    outside = { "out", 3 }, n0 = { "n0", 2 };
    cw_fleet       *fleet = cw_fleet_new(NULL);
    cw_placement   *p = cw_placement_new(NULL);
    cw_pins        *pins = cw_pins_new(NULL);
    cw_key         *key = keys_numbered(2000);
    cw_map         *map = NULL;
    cw_bound       *bound = NULL;
    uint32_t        load[4] = { 0 }, list[2], node, i;
    size_t          passed;

    (void)state;
    assert_int_equal(cw_fleet_add(fleet, "n0", 2, CW_WEIGHT_ONE, NULL), 0);
    assert_int_equal(cw_fleet_add(fleet, "n1", 2, CW_WEIGHT_ONE, NULL), 0);
    assert_int_equal(cw_fleet_add(fleet, "n2", 2, CW_WEIGHT_ONE, NULL), 0);
    assert_int_equal(cw_fleet_add(fleet, "out", 3, 0, NULL), 0);
    /* 1 + 10 + 100 + 1,000 keys of the 2,000 begin with it. */
    assert_int_equal(cw_pins_prefix(pins, "key-1", 5, &n0, 1, NULL), 0);
    assert_int_equal(cw_pins_key(pins, "key-7", 5, &outside, 1, NULL), 0);
    assert_int_equal(cw_pins_range(pins, 0, 9, &outside, 1, NULL), 0);
    cw_placement_pin(p, pins);
    assert_int_equal(cw_map_build(fleet, p, &map, NULL), 0);

    assert_int_equal(cw_bound_assign(map, 125, key, 2000, out, &passed, NULL),
                     CW_OK);
    for (i = 0; i < 2000; i++) {
        assert_int_equal(cw_map_owner(map, key[i].data, key[i].len, &node),
                         CW_OK);
        if (i == 7 || strncmp(key[i].data, "key-1", 5) == 0)
            assert_int_equal(out[i], node);
        load[out[i]]++;
    }
    assert_int_equal(load[cw_map_find(map, "n0", 2)], 1111);
    assert_int_equal(load[cw_map_find(map, "out", 3)], 1);
    assert_in_range(load[cw_map_find(map, "n1", 2)], 300, 834);
    assert_in_range(load[cw_map_find(map, "n2", 2)], 300, 834);
    assert_in_range(passed, 200, 400);      /* what the ring gives to n0 */

    assert_int_equal(cw_bound_new(map, 101, NULL, &bound, NULL), CW_OK);
    for (i = 0; i < 50; i++) {
        assert_int_equal(cw_bound_take(bound, "key-7", 5, &list[0]), CW_OK);
        assert_int_equal(list[0], cw_map_find(map, "out", 3));
        assert_int_equal(cw_bound_take_hash(bound, 3, &list[1]), CW_OK);
        assert_int_equal(list[1], list[0]);
        assert_int_equal(cw_bound_cap(bound, list[0]), 0);
    }
    assert_int_equal(cw_bound_passed(bound), 0);
    assert_int_equal(cw_bound_total(bound), 100);
    cw_bound_free(bound);
    cw_map_unref(map);
    cw_pins_free(pins);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

#define THREADS 4u

static void *
take_and_release(void *context)
{
    cw_bound *bound = context;
    uint32_t  held[64], i, round;

    for (round = 0; round < 300; round++) {
        for (i = 0; i < 64; i++)
            if (cw_bound_take_hash(bound, rig_hash(round * 64 + i),
                                   &held[i]) != CW_OK)
                return bound;
        for (i = 0; i < 64; i++)
            if (cw_bound_release(bound, held[i]) != CW_OK)
                return bound;
    }
    return NULL;
}

static void
counters_of_threads(void **state)
{
    cw_map   *map = rig_map(rig_numbered(5, 1), ring150);
    cw_bound *bound = NULL;
    pthread_t thread[THREADS];
    uint32_t  i;

    (void)state;
    assert_int_equal(cw_bound_new(map, 101, NULL, &bound, NULL), CW_OK);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_and_release,
                                        bound), 0);
    for (i = 0; i < THREADS; i++) {
        void *failed = bound;

        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(cw_bound_total(bound), 0);
    for (i = 0; i < 5; i++)
        assert_int_equal(cw_bound_load(bound, i), 0);
    cw_bound_free(bound);
    cw_map_unref(map);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assign_is_first_with_room),
        cmocka_unit_test(where_it_binds),
        cmocka_unit_test(one_hot_key),
        cmocka_unit_test(pins_stay),
        cmocka_unit_test(refusals),
        cmocka_unit_test(counters_of_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
