/* SPDX-License-Identifier: Apache-2.0 */
/* test_algo_stable_jump.c - the row "stable-jump": any node may leave. */
#include "algo_rig.h"

#include "core/jump.h"

static const char *const options[] = { "algorithm", "stable-jump", NULL };
static const char *const ten[] = { "algorithm", "stable-jump", "buckets", "10",
                                   NULL };

/* Nodes named "a" + i with label i, for the bits of `present`. */
static cw_fleet *
labelled(unsigned present)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    unsigned  i;

    assert_non_null(fleet);
    for (i = 16; i-- > 0;) {
        char name[2] = { (char)('a' + i), 0 }, label[8];

        if (!(present >> i & 1))
            continue;
        snprintf(label, sizeof(label), "%u", i);
        assert_int_equal(cw_fleet_add(fleet, name, 1, CW_WEIGHT_ONE, NULL),
                         CW_OK);
        assert_int_equal(cw_fleet_set_label(fleet, name, 1, label,
                                            strlen(label), NULL), CW_OK);
    }
    return fleet;
}

static void
without_holes_it_is_jump(void **state)
{
    cw_map  *map = rig_map(labelled(0x3ff), options);
    unsigned i;

    (void)state;
    for (i = 0; i < 20000; i++)
        assert_int_equal(*rig_owner(map, rig_hash(i)),
                         'a' + (int)cwi_jump(rig_hash(i), 10));
    rig_check_orders(map, 100);
    cw_map_unref(map);
}

/* Each way through sets of nodes: a step moves only the changed node's. */
static void
only_the_changed_node_moves(void **state)
{
    static const unsigned sets[] = {
        0x3ff, 0x3f7, 0x377, 0x177, 0x1f7, 0x0f7, 0x0f6, 0x2f6, 0x3f6, 0x3f7,
        0x3ff
    };
    unsigned s;

    (void)state;
    for (s = 0; s + 1 < sizeof(sets) / sizeof(*sets); s++) {
        unsigned         bit = sets[s] ^ sets[s + 1];
        char             changed[2] = { 'a', 0 };
        cw_map          *a = rig_map(labelled(sets[s]), ten);
        cw_map          *b = rig_map(labelled(sets[s + 1]), ten);
        struct rig_moves m;

        while (bit >>= 1)
            changed[0]++;
        m = rig_compare(a, b, changed, 20000);
        assert_int_equal(m.strange, 0);
        assert_in_range(m.moved, 1500, 4000);
        cw_map_unref(a);
        cw_map_unref(b);
    }
}

static void
next_of_the_list_takes_over(void **state)
{
    cw_map  *a = rig_map(labelled(0x2fb), ten);
    cw_map  *b = rig_map(labelled(0x2eb), ten);
    unsigned h;

    (void)state;
    for (h = 0; h < 20000; h++) {
        uint32_t list[2];

        assert_int_equal(cw_map_order_hash(a, rig_hash(h), list, 2), 2);
        assert_string_equal(
            rig_name(a, list[strcmp(rig_name(a, list[0]), "e") == 0]),
            rig_owner(b, rig_hash(h)));
    }
    cw_map_unref(a);
    cw_map_unref(b);
}

/* One node in 16 million buckets is still found. */
static void
nearly_all_holes(void **state)
{
    static const char *const many[] = { "algorithm", "stable-jump", "buckets",
                                        "1000000", NULL };
    cw_map                  *map = rig_map(labelled(0x14), many);

    (void)state;
    rig_check_orders(map, 3);
    cw_map_unref(map);
}

static void
other_labels(void **state)
{
    static const char *const three[] = { "algorithm", "stable-jump", "buckets",
                                         "3", NULL };
    cw_fleet                *fleet = labelled(0xf);
    cw_map                  *map = NULL;
    cw_error                 err;

    (void)state;
    assert_int_equal(rig_try(fleet, three, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "3 are fewer than the 4"));
    cw_fleet_free(fleet);
    /* "01" is no number: all are numbered in the order of their labels. */
    fleet = labelled(0x6);
    assert_int_equal(cw_fleet_set_label(fleet, "c", 1, "01", 2, NULL), CW_OK);
    map = rig_map(fleet, options);
    assert_int_equal(*rig_owner(map, 0), cwi_jump(0, 2) == 0 ? 'c' : 'b');
    cw_map_unref(map);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_holes_it_is_jump),
        cmocka_unit_test(only_the_changed_node_moves),
        cmocka_unit_test(next_of_the_list_takes_over),
        cmocka_unit_test(nearly_all_holes),
        cmocka_unit_test(other_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
