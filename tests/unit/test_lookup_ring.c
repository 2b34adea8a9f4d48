/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lookup_ring.c - every way to ask a map for an owner gives the answer of
 * the general way: key and hash, one and many, all rows, all instruction
 * sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "core/points_table.h"

#define MANY 200u

/* Keys of all lengths around the bounds that hashes have. */
static cw_key keys[MANY];
static uint64_t hashes[MANY];

static void
make_keys(void)
{
    static uint8_t bytes[MANY][300];
    uint64_t seed = 5;
    unsigned i, k;

    for (i = 0; i < MANY; i++) {
        for (k = 0; k < sizeof(bytes[i]); k++)
            bytes[i][k] = (uint8_t)cwi_mix64(seed++);
        keys[i].data = bytes[i];
        keys[i].len = i < 40 ? i : i % 2 ? 16 : i * 300u / MANY;
        hashes[i] = i < 4 ? i * (UINT64_MAX / 3) : cwi_mix64(seed++);
    }
}

static void
check_map(const cw_map *map, const char *what)
{
    uint32_t want[MANY], got[MANY], one;
    unsigned i, n;

    for (i = 0; i < MANY; i++) {
        want[i] = cwi_pick_key(map, keys[i].data, keys[i].len);
        assert_int_not_equal(want[i], CW_NONE);
        assert_int_equal(cw_map_pick(map, keys[i].data, keys[i].len),
                         want[i]);
        assert_int_equal(cw_map_owner(map, keys[i].data, keys[i].len, &one),
                         CW_OK);
        if (one != want[i])
            fail_msg("%s: key %u: node %u, want %u", what, i, one, want[i]);
    }
    for (n = 0; n <= MANY; n += n < 70 ? 1 : 65) {
        memset(got, 0xff, sizeof(got));
        assert_int_equal(cw_map_owner_many(map, keys, n, got), CW_OK);
        assert_memory_equal(got, want, n * sizeof(*got));
    }
    for (i = 0; i < MANY; i++) {
        want[i] = cwi_pick_hash(map, hashes[i]);
        assert_int_equal(cw_map_pick_hash(map, hashes[i]), want[i]);
        if (want[i] == CW_NONE) {
            assert_null(map->p.algo->find);
            assert_int_equal(cw_map_owner_hash(map, hashes[i], &one),
                             CW_ENOTSUP);
            return;
        }
        assert_int_equal(cw_map_owner_hash(map, hashes[i], &one), CW_OK);
        if (one != want[i])
            fail_msg("%s: hash %u: node %u, want %u", what, i, one, want[i]);
    }
    for (n = 0; n <= MANY; n += n < 70 ? 1 : 65) {
        memset(got, 0xff, sizeof(got));
        assert_int_equal(cw_map_owner_hash_many(map, hashes, n, got), CW_OK);
        assert_memory_equal(got, want, n * sizeof(*got));
    }
    /* Three nodes have a way of their own. */
    for (i = 0; i < MANY; i++) {
        n = cw_map_order_hash(map, hashes[i], want, 4);
        n = n < 3 ? n : 3;
        assert_int_equal(cw_map_order_hash(map, hashes[i], got, 3), n);
        assert_memory_equal(got, want, n * sizeof(*got));
        n = cw_map_order(map, keys[i].data, keys[i].len, want, 4);
        n = n < 3 ? n : 3;
        assert_int_equal(cw_map_order(map, keys[i].data, keys[i].len, got, 3),
                         n);
        assert_memory_equal(got, want, n * sizeof(*got));
    }
}

static cw_map *
build(uint32_t nodes, const char *const *options)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_placement *p = cw_placement_new(NULL);
    cw_map *map = NULL;
    cw_error err = { CW_OK, "" };
    char name[32];
    uint32_t i;

    for (; options[0] != NULL; options += 2) {
        if (cw_placement_set(p, options[0], options[1], &err) != CW_OK)
            fail_msg("%s", err.text);
    }
    for (i = 0; i < nodes; i++) {
        int len = snprintf(name, sizeof(name), "10.0.%u.%u:11211", i / 256,
                           i % 256);

        assert_int_equal(cw_fleet_add(fleet, name, (size_t)len,
                                      CW_WEIGHT_ONE, &err), CW_OK);
    }
    if (cw_map_build(fleet, p, &map, &err) != CW_OK) {
        print_message("[   NOTE   ] not built: %s\n", err.text);
        map = NULL;
    }
    cw_fleet_free(fleet);
    cw_placement_free(p);
    return map;
}

/* With each instruction set, where the row is ring-shaped. */
static void
check_all(uint32_t nodes, const char *const *options)
{
    cw_map *map = build(nodes, options);
    void *state;
    unsigned isa;

    if (map == NULL)
        return;
    check_map(map, map->p.algo->name);
    if (map->p.algo->find == cwi_points_find) {
        state = (void *)(uintptr_t)map->state;
        for (isa = CWI_ISA_C; isa <= CWI_ISA_AVX2; isa++) {
            if (!cwi_points_use(state, (enum cwi_isa)isa))
                continue;
            cwi_lookup_choose(map);
            check_map(map, map->p.algo->name);
        }
    }
    cw_map_unref(map);
}

static void
rings(void **unused)
{
    static const char *const options[][7] = {
        { NULL },
        { "points", "1", NULL },
        { "hash", "fnv1a_64", NULL },
        { "hash", "crc32", NULL },
        { "size", "1000000", NULL },
        { "size", "4294967296", "hash", "murmur3_32", NULL },
        { "size", "2", NULL },
        { "hash", "siphash", "hash-key", "000102030405060708090a0b0c0d0e0f",
          NULL },
    };
    unsigned i;

    (void)unused;
    for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        check_all(1, options[i]);
        check_all(3, options[i]);
        check_all(100, options[i]);
    }
}

static void
wide_ring(void **unused)
{
    static const char *const options[] = { "points", "2", NULL };

    (void)unused;
    check_all(65536, options);
}

/* Every row of both tables, with its defaults. */
static void
all_rows(void **unused)
{
    static const char *const words[] = { "algorithm", "compat" };
    const char *options[3] = { NULL, NULL, NULL };
    unsigned table, i;
    cw_row row;

    (void)unused;
    for (table = 0; table < 2; table++) {
        for (i = 0; cw_table_row((cw_table)table, i, &row) == CW_OK; i++) {
            options[0] = words[table];
            options[1] = row.name;
            check_all(7, options);
        }
    }
}

static void
empty(void **unused)
{
    static const char *const options[] = { NULL };
    cw_map *map = build(0, options);
    uint32_t out = 77;

    (void)unused;
    assert_int_equal(cw_map_owner(map, "a", 1, &out), CW_EEMPTY);
    assert_int_equal(cw_map_owner_hash(map, 5, &out), CW_EEMPTY);
    assert_int_equal(cw_map_owner_many(map, keys, 1, &out), CW_EEMPTY);
    assert_int_equal(cw_map_owner_hash_many(map, hashes, 1, &out), CW_EEMPTY);
    assert_int_equal(cw_map_owner_many(map, keys, 0, &out), CW_OK);
    assert_int_equal(out, 77);
    cw_map_unref(map);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),
        cmocka_unit_test(wide_ring),
        cmocka_unit_test(all_rows),
        cmocka_unit_test(empty),
    };

    make_keys();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
