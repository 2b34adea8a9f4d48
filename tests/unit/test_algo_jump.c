/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_algo_jump.c - the row "jump": the paper's function in integers, and
 * its order.
 */
#include "algo_rig.h"

#include "core/jump.h"

/* The function as printed in the paper, doubles and all. */
static int32_t
paper_jump(uint64_t key, int32_t num_buckets)
{
    int64_t b = -1, j = 0;

    while (j < num_buckets) {
        b = j;
        key = key * 2862933555777941757ULL + 1;
        j = (int64_t)((double)(b + 1) * ((double)(1LL << 31) /
                                         (double)((key >> 33) + 1)));
    }
    return (int32_t)b;
}

static void
same_as_doubles(void **state)
{
    unsigned i;

    (void)state;
    for (i = 0; i < 3000000; i++) {
        uint64_t key = rig_hash(i);
        int32_t  n = (int32_t)(cwi_mix64(key) >> (33 + i % 31)) | 1;

        assert_int_equal(cwi_jump(key, (uint32_t)n), paper_jump(key, n));
    }
}

/* The key that a step of the generator turns into x. */
static uint64_t
step_back(uint64_t x)
{
    uint64_t a = UINT64_C(2862933555777941757), inverse = a;
    int      i;

    for (i = 0; i < 6; i++)
        inverse *= 2 - a * inverse;
    return (x - 1) * inverse;
}

static void
check_draws(uint64_t draw)
{
    static const int32_t sizes[] = { 2, 3, 1000, 1048576, INT32_MAX };
    uint64_t             key = step_back((draw - 1) << 33 | (draw & 0xff));
    unsigned             i, back;

    for (back = 0; back < 3; back++, key = step_back(key))
        for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
            assert_int_equal(cwi_jump(key, (uint32_t)sizes[i]),
                             paper_jump(key, sizes[i]));
}

/* Draws near powers of two and their quotients; then those where the exact
 * quotient is whole and the double expression falls short of it. */
static void
where_rounding_tells(void **state)
{
    uint64_t d, e;

    (void)state;
    for (d = 2; d < (UINT64_C(1) << 31); d += 1 + d / 2048)
        for (e = d - 1; e <= d + 1; e++)
            check_draws(e);
    for (d = 3; d < 4000; d += 2)
        for (e = d; e < (UINT64_C(1) << 31); e *= 2)
            check_draws(e);
    check_draws(UINT64_C(1) << 31);
}

static void
check_next(uint64_t b1, uint64_t d)
{
    double next;

    if (b1 < 1 || b1 >> 31 || d < 1 || d > UINT64_C(1) << 31)
        return;
    next = (double)b1 * ((double)(1LL << 31) / (double)d);
    assert_int_equal(cwi_jump_next((uint32_t)b1, (uint32_t)d),
                     (uint64_t)next);
}

/* Draws where the quotient is close to a whole number: by rising distances
 * that integers alone tell, or not. */
static void
close_to_whole(void **state)
{
    (void)state;
    /* A little above a whole number, where doubles fall short of it; below. */
    check_next(1909693852, 2045567351);
    check_next(426815057, 517100967);
    for (uint64_t i = 0; i < 400000; i++) {
        uint64_t r = rig_hash(i), b1 = 1 + ((r >> 34) >> i % 30);
        uint64_t q = b1 + cwi_mix64(r) % (b1 << i / 30 % 12);
        uint64_t d = (b1 << 31) / q;

        for (uint64_t k = 0; k < 4; k++) {
            check_next(b1, d - k);
            check_next(b1, d + k);
        }
    }
}

/* Case B26: reference values. */
static void
reference_values(void **state)
{
    static const uint32_t first[8] = { 0, 6, 6, 8, 1, 4, 9, 0 };
    unsigned              i;

    (void)state;
    assert_int_equal(cwi_jump(1, 1), 0);
    assert_int_equal(cwi_jump(42, 57), 43);
    assert_int_equal(cwi_jump(0xDEAD10CC, 1), 0);
    assert_int_equal(cwi_jump(0xDEAD10CC, 666), 361);
    assert_int_equal(cwi_jump(256, 1024), 520);
    for (i = 0; i < 8; i++)
        assert_int_equal(cwi_jump(i, 10), first[i]);
}

static const char *const jump_options[] = { "algorithm", "jump", NULL };

static void
order_of_nodes(void **state)
{
    static const struct rig_node list[] = {
        { "d", 2000000 }, { "a", 2000000 }, { "off", 0 }, { "c", 2000000 },
        { "b", 2000000 }, { "e", 2000000 }
    };
    static const char *const name[] = { "d", "a", "c", "b", "e" };
    cw_map                  *map;
    uint32_t                 n;

    (void)state;
    for (n = 1; n <= 6; n++) {
        map = rig_map(rig_fleet(list, n), jump_options);
        rig_check_orders(map, 300);
        cw_map_unref(map);
    }
    map = rig_map(rig_fleet(list, 6), jump_options);
    /* The node without weight is no bucket. */
    for (n = 0; n < 1000; n++)
        assert_string_equal(rig_owner(map, n), name[cwi_jump(n, 5)]);
    cw_map_unref(map);
    map = rig_map(rig_numbered(300, 1), jump_options);
    rig_check_orders(map, 50);
    cw_map_unref(map);
}

static void
last_node_comes_without_strange_moves(void **state)
{
    cw_map          *nine = rig_map(rig_numbered(9, 1), jump_options);
    cw_map          *ten = rig_map(rig_numbered(10, 1), jump_options);
    struct rig_moves m = rig_compare(nine, ten, "node-9", 100000);

    (void)state;
    assert_int_equal(m.strange, 0);
    assert_in_range(m.moved, 9600, 10400);
    cw_map_unref(nine);
    cw_map_unref(ten);
}

static void
unequal_weights_refused(void **state)
{
    static const struct rig_node list[] = { { "a", 1000000 }, { "b", 5 } };
    cw_fleet                    *fleet = rig_fleet(list, 2);
    cw_map                      *map = NULL;
    cw_error                     err;

    (void)state;
    assert_int_equal(rig_try(fleet, jump_options, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "weight"));
    assert_null(map);
    cw_fleet_free(fleet);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_doubles),
        cmocka_unit_test(where_rounding_tells),
        cmocka_unit_test(close_to_whole),
        cmocka_unit_test(reference_values),
        cmocka_unit_test(order_of_nodes),
        cmocka_unit_test(last_node_comes_without_strange_moves),
        cmocka_unit_test(unequal_weights_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
