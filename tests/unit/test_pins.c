/* SPDX-License-Identifier: Apache-2.0 */
/* test_pins.c - pins: which one holds, lists, fingerprints, shares. */
#include "algo_rig.h"

#include "clockwise/clockwise_live.h"
#include "clockwise/clockwise_pins.h"

/* Nodes a, b, c, and x, y of weight 0. */
static const struct rig_node abc[] = {
    { "a", 1000000 }, { "b", 1000000 }, { "c", 1000000 }, { "x", 0 },
    { "y", 0 }
};

/* The map of a fleet with pins, both given back; rows: "jump". */
static cw_map *
pinned_map(cw_fleet *fleet, const char *row, const char *size, cw_pins *pins)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_map       *map = NULL;
    cw_error      err;

    assert_non_null(p);
    /* Pins outlive the choice of a row. */
    cw_placement_pin(p, pins);
    cw_pins_free(pins);
    assert_int_equal(cw_placement_set(p, "algorithm", row, NULL), CW_OK);
    if (size != NULL)
        assert_int_equal(cw_placement_set(p, "size", size, NULL), CW_OK);
    if (cw_map_build(fleet, p, &map, &err) != CW_OK ||
        cw_map_check(map, &err) != CW_OK)
        fail_msg("%s", err.text);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

static cw_map *
abc_map(cw_pins *pins)
{
    return pinned_map(rig_fleet(abc, 5), "ring", NULL, pins);
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
owner(const cw_map *map, const char *key)
{
    cw_key   k = { key, strlen(key) };
    uint32_t node = CW_NONE, same = CW_NONE;

    assert_int_equal(cw_map_owner(map, key, k.len, &node), CW_OK);
    assert_int_equal(cw_map_owner_many(map, &k, 1, &same), CW_OK);
    assert_int_equal(node, same);
    assert_int_equal(cw_map_order(map, key, k.len, &same, 1), 1);
    assert_int_equal(node, same);
    assert_int_equal(cw_map_replicas(map, key, k.len, &same, 1), 1);
    assert_int_equal(node, same);
    return rig_name(map, node);
}

/* The list of a key, a letter a node. */
static const char *
list_of(const cw_map *map, const char *key, uint32_t n)
{
    static char text[9];
    uint32_t    out[8], len, i;

    len = cw_map_order(map, key, strlen(key), out, n);
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
    cw_map  *bare = abc_map(NULL), *map;
    cw_pins *pins = cw_pins_new(NULL);
    uint32_t plain[3], n, i;
    char     rest[4] = "", expected[8];

    (void)state;
    assert_non_null(pins);
    assert_int_equal(pin(pins, cw_pins_key, "vip", "xy"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_key, "vip2", "a"), CW_OK);
    map = abc_map(pins);
    n = cw_map_order(bare, "vip", 3, plain, 3);
    assert_int_equal(n, 3);
    for (i = 0; i < 3; i++)
        rest[i] = *rig_name(map, plain[i]);
    assert_string_equal(list_of(map, "vip", 2), "xy");
    snprintf(expected, sizeof(expected), "xy%s", rest);
    assert_string_equal(list_of(map, "vip", 5), expected);
    assert_string_equal(list_of(map, "vip", 6), expected);
    assert_string_equal(list_of(map, "vip", 1), "x");
    assert_string_equal(list_of(map, "vip", 0), "");
    for (i = 1; i <= 4; i++) {
        const char *list = list_of(map, "vip2", i);

        assert_int_equal(list[0], 'a');
        assert_null(strchr(list + 1, 'a'));
        assert_int_equal(strlen(list), i < 3 ? i : 3);
    }
    cw_map_unref(bare);
    cw_map_unref(map);
}

static void
the_narrowest_holds(void **state)
{
    cw_map  *bare = abc_map(NULL), *map;
    cw_pins *pins = cw_pins_new(NULL);
    uint64_t hash;
    uint32_t node;
    cw_key   name = { "c", 1 };
    cw_pin   which;

    (void)state;
    assert_int_equal(pin(pins, cw_pins_prefix, "user:", "a"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "user:1", "b"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "user:12", "z"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "user:0", "y"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_prefix, "u", "x"), CW_OK);
    assert_int_equal(pin(pins, cw_pins_key, "user:12", "c"), CW_OK);
    /* A range of the one position of "v". */
    assert_int_equal(cw_map_hash(bare, "v", 1, &hash), CW_OK);
    assert_int_equal(cw_pins_range(pins, hash, hash, &name, 1, NULL), CW_OK);
    assert_int_equal(cw_pins_count(pins), 7);
    map = abc_map(pins);
    assert_ptr_equal(cw_map_pins(map), pins);
    assert_string_equal(owner(map, "user:12"), "c");
    /* "user:12" pins to no node of the map: the next shorter one does. */
    assert_string_equal(owner(map, "user:123"), "b");
    assert_string_equal(owner(map, "user:1"), "b");
    assert_string_equal(owner(map, "user:0"), "y");
    assert_string_equal(owner(map, "user:3"), "a");
    assert_string_equal(owner(map, "user"), "x");
    assert_string_equal(owner(map, "u"), "x");
    assert_string_equal(owner(map, "v"), "c");
    assert_int_equal(cw_map_owner_hash(map, hash, &node), CW_OK);
    assert_string_equal(rig_name(map, node), "c");
    assert_int_equal(cw_map_owner_hash_many(map, &hash, 1, &node), CW_OK);
    assert_string_equal(rig_name(map, node), "c");
    assert_string_equal(owner(map, "w"), owner(bare, "w"));
    assert_string_equal(owner(map, ""), owner(bare, ""));
    /* Which one it is. */
    assert_int_equal(cw_map_pin(map, "user:123", 8, &which), CW_OK);
    assert_int_equal(which.kind, CW_PIN_PREFIX);
    assert_int_equal(which.text.len, 6);
    assert_memory_equal(which.text.data, "user:1", 6);
    assert_int_equal(which.count, 1);
    assert_memory_equal(which.nodes[0].data, "b", 1);
    assert_int_equal(cw_map_pin(map, "user:12", 7, &which), CW_OK);
    assert_int_equal(which.kind, CW_PIN_KEY);
    assert_int_equal(cw_map_pin(map, "v", 1, &which), CW_OK);
    assert_int_equal(which.kind, CW_PIN_RANGE);
    assert_true(which.first == hash && which.last == hash);
    assert_int_equal(cw_map_pin(map, "w", 1, &which), CW_ENOENT);
    assert_int_equal(cw_map_pin(bare, "v", 1, &which), CW_ENOENT);
    cw_map_unref(bare);
    cw_map_unref(map);
}

/* Many prefixes against looking at each of them. */
static void
longest_prefix_of_many(void **state)
{
    cw_map  *bare = abc_map(NULL), *map;
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
    map = abc_map(pins);
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
        assert_int_equal(cw_map_owner(bare, key, 7, &node), CW_OK);
        assert_string_equal(owner(map, key),
                            best < n ? prefix[best] + 6
                                     : rig_name(bare, node));
    }
    cw_map_unref(bare);
    cw_map_unref(map);
}

/* ---- ranges on the worked ring ----------------------------------------- */

/* 100 positions: A at 5, 42, 71; B at 18, 55, 88; C at 30, 63, 95. */
static cw_fleet *
worked_fleet(void)
{
    static const uint64_t at[3][3] = {
        { 5, 42, 71 }, { 18, 55, 88 }, { 30, 63, 95 }
    };
    static const struct rig_node list[] = {
        { "A", 1000000 }, { "B", 1000000 }, { "C", 1000000 }
    };
    cw_fleet *fleet = rig_fleet(list, 3);
    unsigned  i;

    for (i = 0; i < 3; i++)
        assert_int_equal(cw_fleet_set_positions(fleet, list[i].name, 1, at[i],
                                                3, NULL), CW_OK);
    return fleet;
}

static cw_map *
worked_ring(const uint64_t (*ranges)[2], unsigned n, const char *node)
{
    cw_pins *pins = cw_pins_new(NULL);
    cw_key   name = { node, 1 };
    unsigned i;

    for (i = 0; i < n; i++)
        assert_int_equal(cw_pins_range(pins, ranges[i][0], ranges[i][1],
                                       &name, 1, NULL), CW_OK);
    return pinned_map(worked_fleet(), "ring", "100", pins);
}

static int
remember_arc(void *context, const cw_arc *arc)
{
    cw_arc **next = context;

    *(*next)++ = *arc;
    return 0;
}

/* (42, 50] is B's; pinned to A it moves, and nothing else. */
static void
a_range_moves_itself_only(void **state)
{
    static const uint64_t range[][2] = { { 43, 50 } };
    cw_map  *bare = worked_ring(NULL, 0, "A");
    cw_map  *map = worked_ring(range, 1, "A");
    cw_arc   arcs[40], *next = arcs;
    cw_diff *diff;

    (void)state;
    assert_int_equal(cw_diff_new(bare, map, &diff), CW_OK);
    assert_int_equal(diff->basis, CW_EXACT);
    assert_int_equal(diff->moved_num.lo, 8);
    assert_int_equal(diff->flow_count, 1);
    assert_string_equal(rig_name(bare, diff->flows[0].from), "B");
    assert_string_equal(rig_name(map, diff->flows[0].to), "A");
    /* It was asked for. */
    assert_true(diff->excess_churn == 0 && diff->ideal == 0);
    cw_diff_free(diff);
    assert_int_equal(cw_diff_arcs(bare, map, remember_arc, &next, NULL),
                     CW_OK);
    assert_int_equal(next - arcs, 1);
    assert_true(arcs[0].first == 43 && arcs[0].last == 50);
    /* A's arc and the pinned part of B's are one stretch of A's. */
    next = arcs;
    assert_int_equal(cw_map_arcs(map, remember_arc, &next, NULL), CW_OK);
    assert_int_equal(next - arcs, 10);
    assert_true(arcs[3].first == 31 && arcs[3].last == 50);
    assert_true(arcs[4].first == 51 && arcs[4].last == 55);
    cw_map_unref(bare);
    cw_map_unref(map);
}

/* Ranges over several arcs, at both ends of the ring, next to each other:
 * shares, arcs and owners against counting positions. */
static void
ranges_against_counting(void **state)
{
    static const uint64_t ranges[][2] = {
        { 0, 20 }, { 21, 21 }, { 43, 50 }, { 55, 56 }, { 71, 71 }, { 99, 99 }
    };
    cw_map    *bare = worked_ring(NULL, 0, "C");
    cw_map    *map = worked_ring(ranges, 6, "C");
    uint64_t   count[3] = { 0 }, moved = 0, at;
    cw_shares *shares;
    cw_diff   *diff;
    uint32_t   was, is, list[3], i;

    (void)state;
    for (at = 0; at < 100; at++) {
        int inside = 0;

        for (i = 0; i < 6; i++)
            inside |= at >= ranges[i][0] && at <= ranges[i][1];
        assert_int_equal(cw_map_owner_position(bare, at, &was), CW_OK);
        assert_int_equal(cw_map_owner_position(map, at, &is), CW_OK);
        assert_int_equal(is, inside ? 2 : was);
        assert_int_equal(cw_map_order_position(map, at, list, 3), 3);
        assert_int_equal(list[0], is);
        assert_int_equal(list[0] + list[1] + list[2], 3);
        count[is]++;
        moved += is != was;
    }
    assert_int_equal(cw_shares_new(map, &shares), CW_OK);
    assert_int_equal(shares->basis, CW_EXACT);
    for (i = 0; i < 3; i++)
        assert_int_equal(shares->num[i].lo, count[i]);
    cw_shares_free(shares);
    assert_int_equal(cw_diff_new(bare, map, &diff), CW_OK);
    assert_int_equal(diff->moved_num.lo, moved);
    cw_diff_free(diff);
    cw_map_unref(bare);
    cw_map_unref(map);
}

/* A row without arcs: what is expected adds up and is what keys say. */
static void
ranges_without_arcs(void **state)
{
    cw_pins   *pins = cw_pins_new(NULL);
    cw_key     x = { "x", 1 };
    cw_shares *shares;
    cw_diff   *diff;
    cw_map    *bare, *map;
    uint64_t   sum = 0;
    unsigned   i, on_x = 0;

    (void)state;
    assert_int_equal(cw_pins_range(pins, UINT64_C(1) << 62,
                                   (UINT64_C(1) << 63) - 1, &x, 1, NULL),
                     CW_OK);
    bare = pinned_map(rig_fleet(abc, 5), "rendezvous", NULL, NULL);
    map = pinned_map(rig_fleet(abc, 5), "rendezvous", NULL, pins);
    assert_int_equal(cw_shares_new(map, &shares), CW_OK);
    assert_int_equal(shares->basis, CW_EXPECTED);
    for (i = 0; i < 5; i++)
        sum += shares->num[i].lo;
    assert_int_equal(sum, 0);                   /* 2^64 */
    assert_true(shares->part[3] == 0.25 && shares->part[4] == 0);
    cw_shares_free(shares);
    for (i = 0; i < 20000; i++)
        on_x += rig_find(map, rig_hash(i)) == 3;
    assert_true(on_x > 4700 && on_x < 5300);
    assert_int_equal(cw_diff_new(bare, map, &diff), CW_OK);
    assert_int_equal(diff->basis, CW_SAMPLED);
    assert_true(diff->moved > 0.24 && diff->moved < 0.26);
    assert_true(diff->excess_churn == 0);
    cw_diff_free(diff);
    cw_map_unref(bare);
    cw_map_unref(map);
}

/* ---- the rest ---------------------------------------------------------- */

static uint64_t
print_of(const char *const (*list)[3], unsigned n)
{
    cw_pins *pins = cw_pins_new(NULL);
    cw_map  *map;
    uint64_t fingerprint;
    unsigned i;

    for (i = 0; i < n; i++)
        assert_int_equal(pin(pins, list[i][0][0] == 'k' ? cw_pins_key
                             : cw_pins_prefix, list[i][1], list[i][2]),
                         CW_OK);
    map = abc_map(pins);
    fingerprint = cw_map_fingerprint(map);
    cw_map_unref(map);
    return fingerprint;
}

static void
fingerprints(void **state)
{
    static const char *const one[][3] = { { "k", "k", "a" },
                                          { "k", "j", "ab" },
                                          { "p", "k", "a" } };
    static const char *const two[][3] = { { "p", "k", "b" },
                                          { "k", "j", "ab" },
                                          { "k", "k", "a" } };
    static const char *const turned[][3] = { { "k", "j", "ab" },
                                             { "k", "k", "a" } };
    cw_map *bare = abc_map(NULL);

    (void)state;
    /* No pins: that of a map which knows of none. */
    assert_int_equal(print_of(one, 0), cw_map_fingerprint(bare));
    assert_int_not_equal(print_of(one, 1), print_of(one, 0));
    assert_int_not_equal(print_of(one, 2), print_of(one, 1));
    assert_int_equal(print_of(one, 2), print_of(turned, 2));
    assert_int_not_equal(print_of(one, 3), print_of(two, 3));
    cw_map_unref(bare);
}

/* Names in place of numbers: a pinned node that leaves, others that come. */
static void
changes_keep_the_pins(void **state)
{
    cw_pins  *pins = cw_pins_new(NULL);
    cw_fleet *fleet = rig_fleet(abc, 5);
    cw_map   *map, *less, *back;
    uint32_t  two[2];
    size_t    size;
    void     *image;

    (void)state;
    assert_int_equal(pin(pins, cw_pins_key, "vip", "bc"), CW_OK);
    map = abc_map(pins);
    assert_int_equal(cw_fleet_remove(fleet, "b", 1, NULL), CW_OK);
    assert_int_equal(cw_map_derive(map, fleet, &less, NULL), CW_OK);
    assert_string_equal(owner(map, "vip"), "b");
    assert_string_equal(owner(less, "vip"), "c");
    assert_int_not_equal(cw_map_fingerprint(map), cw_map_fingerprint(less));
    /* Zones: x has none, so it is one of its own; a second one is found. */
    assert_int_equal(cw_map_replicas(map, "vip", 3, two, 2), 2);
    assert_string_equal(rig_name(map, two[1]), "c");
    size = cw_map_image_size(map);
    image = malloc(size);
    assert_int_equal(cw_map_save(map, image, size, NULL), CW_OK);
    assert_int_equal(cw_map_load(image, size, NULL, &back, NULL), CW_OK);
    assert_int_equal(cw_map_fingerprint(map), cw_map_fingerprint(back));
    assert_string_equal(owner(back, "vip"), "b");
    free(image);
    cw_fleet_free(fleet);
    cw_map_unref(map);
    cw_map_unref(less);
    cw_map_unref(back);
}

static void
live_maps_have_them(void **state)
{
    cw_pins       *pins = cw_pins_new(NULL);
    cw_placement  *p = cw_placement_new(NULL);
    cw_fleet      *fleet = rig_fleet(abc, 5);
    cw_live       *live;
    cw_live_reader reader;
    cw_node        node;
    uint32_t       i = CW_NONE;

    (void)state;
    assert_int_equal(pin(pins, cw_pins_key, "vip", "zc"), CW_OK);
    cw_placement_pin(p, pins);
    cw_pins_free(pins);
    assert_int_equal(cw_live_new(fleet, p, 1, &live, NULL), CW_OK);
    cw_placement_free(p);
    assert_int_equal(cw_live_join(live, &reader), CW_OK);
    assert_int_equal(cw_live_owner(&reader, "vip", 3, &i), CW_OK);
    cw_live_node(&reader, i, &node);
    assert_string_equal(node.name, "c");
    assert_int_equal(cw_live_add(live, "z", 1, CW_WEIGHT_ONE, NULL), CW_OK);
    cw_live_quiescent(&reader);
    assert_int_equal(cw_live_owner(&reader, "vip", 3, &i), CW_OK);
    cw_live_node(&reader, i, &node);
    assert_string_equal(node.name, "z");
    cw_live_leave(&reader);
    cw_live_free(live);
    cw_fleet_free(fleet);
}

/* Positions 10 .. 30 on a ring of 20, and where there are none. */
static void
refused_ranges(cw_pins *pins)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_fleet     *fleet = rig_fleet(abc, 5);
    cw_key        a = { "a", 1 };
    cw_map       *map;
    cw_error      err;

    cw_placement_pin(p, pins);
    assert_int_equal(cw_pins_key(pins, "l", 1, &a, 1, &err), CW_EINVAL);
    assert_int_equal(cw_placement_set(p, "size", "20", NULL), CW_OK);
    assert_int_equal(cw_placement_set(p, "points", "1", NULL), CW_OK);
    assert_int_equal(cw_map_build(fleet, p, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "at most 19"));
    assert_int_equal(cw_placement_set(p, "compat", "xmemcached-election", NULL),
                     CW_OK);
    assert_int_equal(cw_map_build(fleet, p, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "no position"));
    cw_placement_pin(p, NULL);
    assert_int_equal(cw_map_build(fleet, p, &map, &err), CW_OK);
    assert_null(cw_map_pins(map));
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
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
    refused_ranges(pins);
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
        cmocka_unit_test(ranges_against_counting),
        cmocka_unit_test(ranges_without_arcs),
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(changes_keep_the_pins),
        cmocka_unit_test(live_maps_have_them),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
