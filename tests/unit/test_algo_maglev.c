/* SPDX-License-Identifier: Apache-2.0 */
/* test_algo_maglev.c - the row "maglev": the paper's table, turns, promises. */
#include "algo_rig.h"

#include "algo/maglev.h"

static const char *const options[] = { "algorithm", "maglev", NULL };

/* The table of these nodes in this order, as digits; 9 means left out. */
static void
assert_table(const int order[3], const char *expected)
{
    static const uint32_t offset[] = { 3, 0, 3 }, skip[] = { 4, 2, 1 };
    struct maglev_node    node[3];
    uint16_t              table[7];
    uint32_t              n = 0, i;

    memset(node, 0, sizeof(node));
    for (i = 0; i < 3; i++) {
        if (order[i] == 9)
            continue;
        node[n].weight = 1;
        node[n].offset = offset[order[i]];
        node[n].skip = skip[order[i]];
        node[n].number = (uint16_t)order[i];
        n++;
    }
    cwi_maglev_fill(node, n, 7, table);
    for (i = 0; i < 7; i++)
        assert_int_equal(table[i], expected[i] - '0');
}

/* Table 1 of the paper, and case B18: what the order of turns does. */
static void
paper_table(void **state)
{
    (void)state;
    assert_table((const int[]){ 0, 1, 2 }, "1010220");
    assert_table((const int[]){ 0, 2, 9 }, "0000222");
    assert_table((const int[]){ 2, 1, 0 }, "1012022");
    assert_table((const int[]){ 1, 2, 0 }, "1012021");
}

static void
order_of_list_does_not_matter(void **state)
{
    static const struct rig_node one[] = {
        { "b0", 1000000 }, { "b1", 3000000 }, { "b2", 2000000 }
    };
    static const struct rig_node two[] = {
        { "b2", 2000000 }, { "b0", 1000000 }, { "b1", 3000000 }
    };
    cw_map  *a = rig_map(rig_fleet(one, 3), options);
    cw_map  *b = rig_map(rig_fleet(two, 3), options);
    unsigned i;

    (void)state;
    for (i = 0; i < 20000; i++)
        assert_string_equal(rig_owner(a, rig_hash(i)),
                            rig_owner(b, rig_hash(i)));
    assert_int_equal(cw_map_fingerprint(a), cw_map_fingerprint(b));
    cw_map_unref(a);
    cw_map_unref(b);
}

/* Turns in proportion to weight: within two entries of the share. */
static void
shares_follow_weights(void **state)
{
    cw_map    *map = rig_map(rig_numbered(30, 4), options);
    cw_shares *shares;
    uint32_t   i;

    (void)state;
    assert_int_equal(cw_shares_new(map, &shares), CW_OK);
    assert_int_equal(shares->basis, CW_EXACT);
    for (i = 0; i < 30; i++) {
        double off = (shares->part[i] - shares->fair[i]) * 65537;

        assert_true(off > -2 && off < 2);
    }
    cw_shares_free(shares);
    rig_check_orders(map, 100);
    cw_map_unref(map);
}

/* A position's arc is the one its slot was cut to: both ends, all slots. */
static int
check_arc(void *context, const cw_arc *arc)
{
    const cw_map *map = context;

    assert_int_equal(rig_find(map, arc->first), arc->to);
    assert_int_equal(rig_find(map, arc->last), arc->to);
    if (arc->last != UINT64_MAX)
        assert_int_not_equal(rig_find(map, arc->last + 1), arc->to);
    return 0;
}

static void
arcs_are_slots(void **state)
{
    static const char *const small[] = { "algorithm", "maglev", "size", "251",
                                         NULL };
    static const char *const prime3[] = { "algorithm", "maglev", "size", "3",
                                          "hash", "crc32", NULL };
    cw_map *map = rig_map(rig_numbered(7, 3), small);

    (void)state;
    assert_int_equal(cw_map_arcs(map, check_arc, map, NULL), CW_OK);
    cw_map_unref(map);
    map = rig_map(rig_numbered(3, 1), prime3);
    assert_int_equal(cw_map_top(map), UINT32_MAX);
    assert_int_equal(rig_find(map, 0), rig_find(map, 0x55555555));
    assert_int_not_equal(rig_find(map, 0x55555555), rig_find(map, 0x55555556));
    assert_int_equal(rig_find(map, 0xaaaaaaab), rig_find(map, 0xffffffff));
    cw_map_unref(map);
}

static void
refusals(void **state)
{
    static const char *const even[] = { "algorithm", "maglev", "size", "65536",
                                        NULL };
    static const char *const tiny[] = { "algorithm", "maglev", "size", "7",
                                        NULL };
    cw_fleet                *fleet = rig_numbered(8, 1);
    cw_map                  *map = NULL;
    cw_error                 err;

    (void)state;
    assert_int_equal(rig_try(fleet, even, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "65537"));
    assert_int_equal(rig_try(fleet, tiny, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "8 nodes"));
    cw_fleet_free(fleet);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_table),
        cmocka_unit_test(order_of_list_does_not_matter),
        cmocka_unit_test(shares_follow_weights),
        cmocka_unit_test(arcs_are_slots),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
