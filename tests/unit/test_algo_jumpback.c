/* SPDX-License-Identifier: Apache-2.0 */
/* test_algo_jumpback.c - the row "jumpback": even, and only up as it grows. */
#include "algo_rig.h"

#include <math.h>

static const char *const options[] = { "algorithm", "jumpback", NULL };

static void
even_shares(void **state)
{
    static const uint32_t sizes[] = { 1, 2, 3, 7, 8, 9, 100, 129 };
    unsigned              s, i;

    (void)state;
    for (s = 0; s < 8; s++) {
        uint32_t n = sizes[s];
        cw_map  *map = rig_map(rig_numbered(n, 1), options);
        unsigned got[129] = { 0 };
        double   fair = 200000.0 / n, chi = 0;

        for (i = 0; i < 200000; i++)
            got[rig_find(map, rig_hash(i))]++;
        for (i = 0; i < n; i++)
            chi += (got[i] - fair) * (got[i] - fair) / fair;
        /* Mean n - 1, deviation sqrt(2 (n - 1)); fixed keys, so no chance. */
        assert_true(chi < n - 1 + 5 * sqrt(2.0 * n));
        cw_map_unref(map);
    }
}

/* From n to n + 1 a key stays or goes to the new bucket; so over any step. */
static void
keys_only_jump_to_the_new_bucket(void **state)
{
    enum { KEYS = 20000 };
    static uint32_t before[KEYS];
    uint32_t        n, i;

    (void)state;
    for (n = 1; n <= 140; n++) {
        cw_map  *map = rig_map(rig_numbered(n, 1), options);
        unsigned moved = 0;

        for (i = 0; i < KEYS; i++) {
            uint32_t owner = rig_find(map, rig_hash(i));

            if (n > 1 && owner != before[i]) {
                assert_int_equal(owner, n - 1);
                moved++;
            }
            before[i] = owner;
        }
        if (n > 1)
            assert_true(fabs(moved - (double)KEYS / n) <
                        6 * sqrt((double)KEYS / n));
        cw_map_unref(map);
    }
}

static void
orders(void **state)
{
    cw_map *map = rig_map(rig_numbered(300, 1), options);

    (void)state;
    rig_check_orders(map, 50);
    cw_map_unref(map);
}

/* docs/formats/jumpback.md */
static void
vectors(void **state)
{
    static const uint64_t hashes[] = { 0, 1, 2, 42, UINT64_MAX };
    static const uint32_t of_10[] = { 7, 5, 0, 3, 7 };
    static const uint32_t of_1000[] = { 313, 492, 990, 166, 288 };
    cw_map               *ten = rig_map(rig_numbered(10, 1), options);
    cw_map               *more = rig_map(rig_numbered(1000, 1), options);
    unsigned              i;

    (void)state;
    for (i = 0; i < 5; i++) {
        assert_int_equal(rig_find(ten, hashes[i]), of_10[i]);
        assert_int_equal(rig_find(more, hashes[i]), of_1000[i]);
    }
    cw_map_unref(ten);
    cw_map_unref(more);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_shares),
        cmocka_unit_test(keys_only_jump_to_the_new_bucket),
        cmocka_unit_test(orders),
        cmocka_unit_test(vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
