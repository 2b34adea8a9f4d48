/* SPDX-License-Identifier: Apache-2.0 */
/* test_pins.c - pins: which one holds, lists, fingerprints, shares. */
#include "algo_rig.h"

#include "clockwise/clockwise_pins.h"

static const char *const ring[] = { "algorithm", "ring", NULL };

/* Nodes a, b, c, and x, y of weight 0. */
static cw_map *
abc_map(void)
{
    static const struct rig_node list[] = {
        { "a", 1000000 }, { "b", 1000000 }, { "c", 1000000 }, { "x", 0 },
        { "y", 0 }
    };

    return rig_map(rig_fleet(list, 5), ring);
}

typedef cw_status add_fn(cw_pins *, const void *, size_t, const cw_key *,
                         uint32_t, cw_error *);

/* One letter a node: "xy". */
static cw_status
pin(cw_pins *pins, add_fn *add, const char *text, const char *nodes)
{
    cw_key   key[CW_PIN_NODES];
    uint32_t n = 0;

    for (; nodes[n] != '\0'; n++)
        key[n] = (cw_key){ nodes + n, 1 };
    return add(pins, text, strlen(text), key, n, NULL);
}

static const char *
owner(const cw_pins *pins, const cw_map *map, const char *key)
{
    uint32_t node = CW_NONE;

    assert_int_equal(cw_pins_owner(pins, map, key, strlen(key), &node),
                     CW_OK);
    return rig_name(map, node);
}

/* The list of a key, a letter a node. */
static const char *
list_of(const cw_pins *pins, const cw_map *map, const char *key, uint32_t n)
{
    static char text[9];
    uint32_t    out[8], len, i;

    len = cw_pins_order(pins, map, key, strlen(key), out, n);
    assert_true(len <= n);
    for (i = 0; i < len; i++)
        text[i] = *rig_name(map, out[i]);
    text[len] = '\0';
    return text;
}

/* Case B36. */
static void
lists_of_overridden_keys(void **state)
{
    cw_map  *map = abc_map();
    cw_pins *pins = cw_pins_new(NULL);
    uint32_t plain[3], n, i;
    char     rest[4] = "", expected[8];

    (void)state;
    assert_non_null(pins);
    assert_int_equal(pin(pins, cw_pins_key, "vip", "xy"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_key, "vip2", "a"), CW_OK);
    n = cw_map_order(map, "vip", 3, plain, 3);
    assert_int_equal(n, 3);
    for (i = 0; i < 3; i++)
        rest[i] = *rig_name(map, plain[i]);
    assert_string_equal(list_of(pins, map, "vip", 2), "xy");
    snprintf(expected, sizeof(expected), "xy%s", rest);
    assert_string_equal(list_of(pins, map, "vip", 5), expected);
    assert_string_equal(list_of(pins, map, "vip", 6), expected);
    assert_string_equal(list_of(pins, map, "vip", 1), "x");
    assert_string_equal(list_of(pins, map, "vip", 0), "");
    for (i = 1; i <= 4; i++) {
        const char *list = list_of(pins, map, "vip2", i);

        assert_int_equal(list[0], 'a');
        assert_null(strchr(list + 1, 'a'));
        assert_int_equal(strlen(list), i < 3 ? i : 3);
    }
    cw_pins_free(pins);
    cw_map_unref(map);
}

static void
the_narrowest_holds(void **state)
{
    cw_map  *map = abc_map();
    cw_pins *pins = cw_pins_new(NULL);
    uint64_t hash;
    uint32_t node;
    cw_key   name = { "c", 1 };

    (void)state;
    assert_int_equal(pin(pins, cw_pins_prefix, "user:", "a"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "user:1", "b"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "user:12", "z"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "user:0", "y"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "u", "x"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_key, "user:12", "c"), CW_OK);
    assert_string_equal(owner(pins, map, "user:12"), "c");
    /* "user:12" pins to no node of the map: the next shorter one does. */
    assert_string_equal(owner(pins, map, "user:123"), "b");
    assert_string_equal(owner(pins, map, "user:1"), "b");
    assert_string_equal(owner(pins, map, "user:0"), "y");
    assert_string_equal(owner(pins, map, "user:3"), "a");
    assert_string_equal(owner(pins, map, "user"), "x");
    assert_string_equal(owner(pins, map, "u"), "x");
    assert_int_equal(cw_map_owner(map, "v", 1, &node), CW_OK);
    assert_string_equal(owner(pins, map, "v"), rig_name(map, node));
    assert_int_equal(cw_map_owner(map, "", 0, &node), CW_OK);
    assert_string_equal(owner(pins, map, ""), rig_name(map, node));
    /* A range of the one position of "v". */
    assert_int_equal(cw_map_hash(map, "v", 1, &hash), CW_OK);
    assert_int_equal(cw_pins_range(pins, hash, hash, &name, 1, NULL), CW_OK);
    assert_string_equal(owner(pins, map, "v"), "c");
    assert_string_equal(owner(pins, map, "u"), "x");
    assert_int_equal(cw_pins_count(pins), 7);
    cw_pins_free(pins);
    cw_map_unref(map);
}

/* Many prefixes against looking at each of them. */
static void
longest_prefix_of_many(void **state)
{
    cw_map  *map = abc_map();
    cw_pins *pins = cw_pins_new(NULL);
    char     prefix[200][8];
    unsigned n = 0, i, k;

    (void)state;
    for (i = 0; i < 400 && n < 200; i++) {
        uint64_t h = rig_hash(i);
        unsigned len = 1 + (unsigned)(h % 5);
        char     nodes[2] = { (char)('a' + h % 3), '\0' };

        for (k = 0; k < len; k++)
            prefix[n][k] = (char)('0' + (h >> (8 + 2 * k)) % 3);
        prefix[n][len] = '\0';
        if (pin(pins, cw_pins_prefix, prefix[n], nodes) == CW_OK)
            memcpy(prefix[n++] + 6, nodes, 2);
    }
    assert_true(n > 50);
    for (i = 0; i < 2000; i++) {
        char     key[8];
        unsigned best = n;
        uint32_t node;

        for (k = 0; k < 7; k++)
            key[k] = (char)('0' + (rig_hash(i + 5000) >> 3 * k) % 3);
        key[7] = '\0';
        for (k = 0; k < n; k++)
            if (strncmp(key, prefix[k], strlen(prefix[k])) == 0 &&
                (best == n || strlen(prefix[k]) > strlen(prefix[best])))
                best = k;
        assert_int_equal(cw_map_owner(map, key, 7, &node), CW_OK);
        assert_string_equal(owner(pins, map, key),
                            best < n ? prefix[best] + 6
                                     : rig_name(map, node));
    }
    cw_pins_free(pins);
    cw_map_unref(map);
}

/* ---- ranges on the worked ring ----------------------------------------- */

/* 100 positions: A at 5, 42, 71; B at 18, 55, 88; C at 30, 63, 95. */
static cw_map *
worked_ring(void)
{
    static const uint64_t at[3][3] = {
        { 5, 42, 71 }, { 18, 55, 88 }, { 30, 63, 95 }
    };
    static const char *const hundred[] = { "algorithm", "ring", "size", "100",
                                           NULL };
    static const struct rig_node list[] = {
        { "A", 1000000 }, { "B", 1000000 }, { "C", 1000000 }
    };
    cw_fleet *fleet = rig_fleet(list, 3);
    unsigned  i;

    for (i = 0; i < 3; i++)
        assert_int_equal(cw_fleet_set_positions(fleet, list[i].name, 1, at[i],
                                                3, NULL), CW_OK);
    return rig_map(fleet, hundred);
}

static void
a_range_moves_itself_only(void **state)
{
    cw_map  *map = worked_ring();
    cw_pins *pins = cw_pins_new(NULL);
    cw_key   a = { "A", 1 };
    cw_u128  num[3], moved;
    uint64_t before[3] = { 0 }, at;
    uint32_t node, i;

    (void)state;
    for (at = 0; at < 100; at++) {
        assert_int_equal(cw_map_owner_position(map, at, &node), CW_OK);
        before[node]++;
    }
    assert_int_equal(cw_pins_shares(pins, map, num, &moved), CW_OK);
    for (i = 0; i < 3; i++)
        assert_int_equal(num[i].lo, before[i]);
    assert_int_equal(moved.lo, 0);
    /* (42, 50] is B's; pinned to A it moves, and nothing else. */
    assert_int_equal(cw_pins_range(pins, 43, 50, &a, 1, NULL), CW_OK);
    assert_int_equal(cw_pins_shares(pins, map, num, &moved), CW_OK);
    assert_int_equal(moved.lo, 8);
    assert_int_equal(num[0].lo, before[0] + 8);
    assert_int_equal(num[1].lo, before[1] - 8);
    assert_int_equal(num[2].lo, before[2]);
    /* A range over several arcs counts what is not A's. */
    assert_int_equal(cw_pins_range(pins, 0, 20, &a, 1, NULL), CW_OK);
    assert_int_equal(cw_pins_shares(pins, map, num, &moved), CW_OK);
    for (i = 0, at = 0; at <= 20; at++) {
        assert_int_equal(cw_map_owner_position(map, at, &node), CW_OK);
        i += node != 0;
    }
    assert_int_equal(moved.lo, 8 + i);
    for (at = 0; at < 3000; at++) {
        char     key[16];
        int      len = snprintf(key, sizeof(key), "k%u", (unsigned)at);
        uint32_t is;
        uint64_t hash, p;

        assert_int_equal(cw_map_hash(map, key, (size_t)len, &hash), CW_OK);
        p = cw_map_position(map, hash);
        assert_int_equal(cw_map_owner(map, key, (size_t)len, &node), CW_OK);
        assert_int_equal(cw_pins_owner(pins, map, key, (size_t)len, &is),
                         CW_OK);
        assert_int_equal(is, (p >= 43 && p <= 50) || p <= 20 ? 0 : node);
    }
    cw_pins_free(pins);
    cw_map_unref(map);
}

/* ---- the rest ---------------------------------------------------------- */

static void
fingerprints(void **state)
{
    cw_map  *map = abc_map();
    cw_pins *one = cw_pins_new(NULL), *two = cw_pins_new(NULL);
    uint64_t empty;

    (void)state;
    assert_int_equal(cw_pins_fingerprint(one, map), cw_map_fingerprint(map));
    assert_int_equal(pin(one, cw_pins_key, "k", "a"), CW_OK);
    empty = cw_pins_fingerprint(one, map);
    assert_int_not_equal(empty, cw_map_fingerprint(map));
    assert_int_equal(pin(one, cw_pins_key, "j", "ab"), CW_OK);
    assert_int_equal(pin(two, cw_pins_key, "j", "ab"), CW_OK);
    assert_int_not_equal(cw_pins_fingerprint(two, map), empty);
    assert_int_equal(pin(two, cw_pins_key, "k", "a"), CW_OK);
    assert_int_equal(cw_pins_fingerprint(one, map),
                     cw_pins_fingerprint(two, map));
    assert_int_equal(pin(one, cw_pins_prefix, "k", "a"), CW_OK);
    assert_int_equal(pin(two, cw_pins_prefix, "k", "b"), CW_OK);
    assert_int_not_equal(cw_pins_fingerprint(one, map),
                         cw_pins_fingerprint(two, map));
    cw_pins_free(one);
    cw_pins_free(two);
    cw_map_unref(map);
}

static void
refusals(void **state)
{
    cw_pins *pins = cw_pins_new(NULL);
    cw_key   a = { "a", 1 }, none = { "", 0 };
    cw_error err;

    (void)state;
    assert_int_equal(cw_pins_prefix(pins, "", 0, &a, 1, &err), CW_EINVAL);
    assert_int_equal(cw_pins_key(pins, "k", 1, &a, 0, &err), CW_EINVAL);
    assert_int_equal(cw_pins_key(pins, "k", 1, &none, 1, &err), CW_EINVAL);
    assert_int_equal(cw_pins_range(pins, 5, 4, &a, 1, &err), CW_EINVAL);
    assert_int_equal(cw_pins_count(pins), 0);
    assert_int_equal(cw_pins_key(pins, "k", 1, &a, 1, &err), CW_OK);
    assert_int_equal(cw_pins_key(pins, "k", 1, &a, 1, &err), CW_EEXIST);
    assert_non_null(strstr(err.text, "\"k\""));
    assert_int_equal(cw_pins_range(pins, 10, 20, &a, 1, &err), CW_OK);
    assert_int_equal(cw_pins_range(pins, 20, 30, &a, 1, &err), CW_EEXIST);
    assert_int_equal(cw_pins_range(pins, 0, 10, &a, 1, &err), CW_EEXIST);
    assert_int_equal(cw_pins_range(pins, 0, 90, &a, 1, &err), CW_EEXIST);
    assert_int_equal(cw_pins_range(pins, 0, 9, &a, 1, &err), CW_OK);
    assert_int_equal(cw_pins_range(pins, 21, 30, &a, 1, &err), CW_OK);
    assert_int_equal(cw_pins_count(pins), 4);
    cw_pins_free(pins);
    cw_pins_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_overridden_keys),
        cmocka_unit_test(the_narrowest_holds),
        cmocka_unit_test(longest_prefix_of_many),
        cmocka_unit_test(a_range_moves_itself_only),
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
