/* SPDX-License-Identifier: Apache-2.0 */
/* test_algo_skeleton.c - the row "skeleton" against tests/ref/skeleton.py, and
 * what its page says of shares and movement. */
#include "algo_rig.h"

static const char *const options[] = { "algorithm", "skeleton", NULL };

/* docs/formats/skeleton.md */
static void
vectors(void **state)
{
    static const uint64_t hashes[] = { 0, 1, 2, 42, UINT64_MAX };
    static const char *const of_10[] = {
        "node-8", "node-7", "node-7", "node-4", "node-5"
    };
    static const char *const of_300[] = {
        "node-38", "node-26", "node-116", "node-4",
        "node-223"
    };
    cw_map  *ten = rig_map(rig_numbered(10, 5), options);
    cw_map  *more = rig_map(rig_numbered(300, 5), options);
    unsigned i;

    (void)state;
    for (i = 0; i < 5; i++) {
        assert_string_equal(rig_name(ten, rig_find(ten, hashes[i])),
                            of_10[i]);
        assert_string_equal(rig_name(more, rig_find(more, hashes[i])),
                            of_300[i]);
    }
    cw_map_unref(ten);
    cw_map_unref(more);
}

static void
orders(void **state)
{
    cw_map *map = rig_map(rig_numbered(1500, 7), options);

    (void)state;
    rig_check_orders(map, 20);
    cw_map_unref(map);
    map = rig_map(rig_numbered(1, 1), options);
    rig_check_orders(map, 5);
    cw_map_unref(map);
}

static void
shares_follow_weights(void **state)
{
    (void)state;
    rig_check_shares(options, 400000);
}

/* Of 1,000 nodes one joins: keys go to its branches, and some of them on to
 * others there; nothing moves out of a branch that it did not join. */
static void
a_few_times_the_share_moves(void **state)
{
    enum { KEYS = 300000 };
    cw_map  *old = rig_map(rig_numbered(1000, 1), options);
    cw_map  *map = rig_map(rig_numbered(1001, 1), options);
    unsigned moved = 0, gained = 0, i;

    (void)state;
    for (i = 0; i < KEYS; i++) {
        const char *before = rig_name(old, rig_find(old, rig_hash(i)));
        const char *after = rig_name(map, rig_find(map, rig_hash(i)));

        moved += strcmp(before, after) != 0;
        gained += strcmp(after, "node-1000") == 0;
    }
    assert_true(fabs(gained - KEYS / 1001.0) < 6 * sqrt(KEYS / 1001.0));
    assert_true(moved >= gained && moved < 3 * gained);
    cw_map_unref(old);
    cw_map_unref(map);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(orders),
        cmocka_unit_test(shares_follow_weights),
        cmocka_unit_test(a_few_times_the_share_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
