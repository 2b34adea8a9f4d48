/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists.c - preference lists, replica sets, batches, names and fingerprints,
 * for every row there is.
 */
#include "harness_rows.h"

static int
has(const uint32_t *list, uint32_t n, uint32_t node)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == node)
            return 1;
    return 0;
}

/* The replica set, worked out from the preference list by the rule. */
static uint32_t
by_the_rule(const cw_map *map, const uint32_t *order, uint32_t all,
            uint32_t *out, uint32_t r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < all && n < r; i++) {
        cw_node a, b;
        int taken = 0;

        cw_map_node(map, order[i], &a);
        for (uint32_t j = 0; j < n; j++) {
            cw_map_node(map, out[j], &b);
            taken |= a.zone_len > 0 && a.zone_len == b.zone_len &&
                     memcmp(a.zone, b.zone, a.zone_len) == 0;
        }
        if (!taken)
            out[n++] = order[i];
    }
    for (uint32_t i = 0; i < all && n < r; i++)
        if (!has(out, n, order[i]))
            out[n++] = order[i];
    return n;
}

static void
list_of_key(const struct draw *d, const cw_map *map, uint32_t active,
            const struct key *key)
{
    uint32_t order[16], part[16], want[16];
    uint32_t n = cw_map_order(map, key->data, key->len, order, 16);

    CHECK(n == active, "%s: %" PRIu32 " of %" PRIu32 " nodes", d->what, n,
          active);
    for (uint32_t i = 0; i < n; i++) {
        cw_node node;

        CHECK(order[i] < cw_map_count(map) && !has(order, i, order[i]),
              "%s: number %" PRIu32 " repeats", d->what, i);
        cw_map_node(map, order[i], &node);
        CHECK(node.weight > 0, "%s: a node of weight 0 in a list", d->what);
    }
    CHECK(order[0] == owner_of(map, key->data, key->len),
          "%s: the first is not the owner", d->what);
    for (uint32_t k = 1; k <= n; k++) {
        CHECK(cw_map_order(map, key->data, key->len, part, k) == k &&
              memcmp(part, order, k * sizeof *part) == 0,
              "%s: the first %" PRIu32 " of the list differ", d->what, k);
        CHECK(cw_map_replicas(map, key->data, key->len, part, k) ==
              by_the_rule(map, order, n, want, k) &&
              memcmp(part, want, k * sizeof *part) == 0,
              "%s: %" PRIu32 " replicas are not by the rule", d->what, k);
    }
}

static void
same_by_hash_and_position(const struct draw *d, const cw_map *map,
                          const struct key *key)
{
    uint32_t a[16], b[16], owner = CW_NONE;
    uint32_t n = cw_map_order(map, key->data, key->len, a, 16);
    uint64_t hash = 0;

    if (cw_map_hash(map, key->data, key->len, &hash) == CW_ENOTSUP) {
        CHECK(cw_map_owner_hash(map, 0, &owner) == CW_ENOTSUP,
              "%s: an owner of a hash, but no hash", d->what);
        return;
    }
    CHECK_OK(cw_map_owner_hash(map, hash, &owner));
    CHECK(owner == a[0], "%s: owner of the hash", d->what);
    CHECK(cw_map_order_hash(map, hash, b, 16) == n &&
          memcmp(a, b, n * sizeof *a) == 0, "%s: list of the hash", d->what);
    CHECK(cw_map_position(map, hash) <= cw_map_top(map),
          "%s: a position above the top", d->what);
    if (!(d->row.traits & CW_TRAIT_ARCS)) {
        CHECK(cw_map_owner_position(map, 0, &owner) == CW_ENOTSUP,
              "%s: positions without arcs", d->what);
        return;
    }
    CHECK_OK(cw_map_owner_position(map, cw_map_position(map, hash), &owner));
    CHECK(owner == a[0], "%s: owner of the position", d->what);
    CHECK(cw_map_order_position(map, cw_map_position(map, hash), b, 16) == n &&
          memcmp(a, b, n * sizeof *a) == 0, "%s: list of the position",
          d->what);
}

static void
batches_equal_single_calls(const struct draw *d, const cw_map *map,
                           const struct key *keys, size_t n)
{
    cw_key many[KEYS];
    uint64_t hashes[KEYS];
    uint32_t out[KEYS];
    int hashed = 1;

    for (size_t i = 0; i < n; i++) {
        many[i].data = keys[i].data;
        many[i].len = keys[i].len;
        hashed &= cw_map_hash(map, keys[i].data, keys[i].len, &hashes[i]) ==
                  CW_OK;
    }
    for (size_t part = 0; part <= n; part += 1 + part / 2) {
        memset(out, 0xff, sizeof out);
        CHECK_OK(cw_map_owner_many(map, many, part, out));
        for (size_t i = 0; i < n; i++)
            CHECK(out[i] == (i < part ? owner_of(map, keys[i].data,
                                                 keys[i].len) : UINT32_MAX),
                  "%s: key %zu of a batch of %zu", d->what, i, part);
        if (!hashed)
            continue;
        memset(out, 0xff, sizeof out);
        CHECK_OK(cw_map_owner_hash_many(map, hashes, part, out));
        for (size_t i = 0; i < n; i++)
            CHECK(out[i] == (i < part ? owner_of(map, keys[i].data,
                                                 keys[i].len) : UINT32_MAX),
                  "%s: hash %zu of a batch of %zu", d->what, i, part);
    }
}

static void
lists_of_every_row(struct draw *d)
{
    cw_map *map = map_of(d->fleet, d->placement);
    struct key keys[KEYS];

    for (int k = 0; k < KEYS; k++) {
        keys[k] = key_random(&d->rng);
        list_of_key(d, map, active_nodes(d->fleet), &keys[k]);
        same_by_hash_and_position(d, map, &keys[k]);
    }
    batches_equal_single_calls(d, map, keys, KEYS);
    cw_map_unref(map);
}

static void
lists_and_batches(void **state)
{
    (void)state;
    for_rows(0, 0, 0, lists_of_every_row);
}

/* ---- what decides placement, and what does not ------------------------- */

static int
same_answers(const struct draw *d, const cw_map *a, const cw_map *b)
{
    struct rng rng = d->rng;

    for (int k = 0; k < KEYS; k++) {
        struct key key = key_random(&rng);
        uint32_t x[16], y[16];
        uint32_t n = cw_map_order(a, key.data, key.len, x, 16);

        if (cw_map_order(b, key.data, key.len, y, 16) != n)
            return 0;
        for (uint32_t i = 0; i < n; i++)
            if (!same_node(a, x[i], b, y[i]))
                return 0;
        n = cw_map_replicas(a, key.data, key.len, x, 3);
        if (cw_map_replicas(b, key.data, key.len, y, 3) != n)
            return 0;
        for (uint32_t i = 0; i < n; i++)
            if (!same_node(a, x[i], b, y[i]))
                return 0;
    }
    return 1;
}

enum edit { STATE, ADDRESS, ZONE, LABEL, RENAME, WEIGHT, ADD, REMOVE, EDITS };

static const char *const edits[] = {
    "state", "address", "zone", "label", "rename", "weight", "add", "remove"
};

/* One edit of the drawn fleet; 0 when it cannot be made. */
static int
make_edit(struct draw *d, enum edit edit)
{
    cw_fleet *f = d->fleet;
    cw_node node = draw_node(&d->rng, f);
    struct key fresh = draw_name(&d->rng, d->table, f);
    const char *name = node.name;
    size_t len = node.name_len;

    switch (edit) {
    case STATE:
        CHECK_OK(cw_fleet_set_state(f, name, len, CW_DOWN, NULL));
        return 1;
    case ADDRESS:
        CHECK_OK(cw_fleet_set_address(f, name, len, fresh.data, fresh.len,
                                      NULL));
        return 1;
    case ZONE:
        CHECK_OK(cw_fleet_set_zone(f, name, len, "another", 7, NULL));
        return 1;
    case LABEL:
        CHECK_OK(cw_fleet_set_label(f, name, len, fresh.data, fresh.len,
                                    NULL));
        return 1;
    case RENAME:
        CHECK_OK(cw_fleet_rename(f, name, len, fresh.data, fresh.len, NULL));
        return 1;
    case WEIGHT:
        if (!(d->row.traits & CW_TRAIT_WEIGHTED))
            return 0;
        CHECK_OK(cw_fleet_set_weight(f, name, len,
                                     other_weight(&d->row, node.weight),
                                     NULL));
        return 1;
    case ADD:
        CHECK_OK(cw_fleet_add(f, fresh.data, fresh.len,
                              draw_weight(&d->rng, &d->row, f), NULL));
        return 1;
    default:
        if (active_nodes(f) < 2)
            return 0;
        CHECK_OK(cw_fleet_remove(f, name, len, NULL));
        return 1;
    }
}

static void
fingerprint_follows_the_inputs(struct draw *d)
{
    enum edit edit = (enum edit)rng_below(&d->rng, EDITS);
    cw_map *a = map_of(d->fleet, d->placement), *b;
    int same;

    if (!make_edit(d, edit)) {
        cw_map_unref(a);
        return;
    }
    b = map_of(d->fleet, d->placement);
    same = cw_map_fingerprint(a) == cw_map_fingerprint(b);
    CHECK(same == (edit == STATE || edit == ADDRESS),
          "%s: %s: the fingerprint %s", d->what, edits[edit],
          same ? "stayed" : "changed");
    CHECK(!same || same_answers(d, a, b),
          "%s: %s: one fingerprint, two answers", d->what, edits[edit]);
    cw_map_unref(a);
    cw_map_unref(b);
}

static void
fingerprints(void **state)
{
    (void)state;
    for_rows(0, 0, 0, fingerprint_follows_the_inputs);
}

/* Two builds of one fleet are one map, also in memory that was used before. */
static void
two_builds_are_equal(struct draw *d)
{
    cw_fleet *copy = cw_fleet_copy(d->fleet);
    cw_map *a = map_of(d->fleet, d->placement);
    cw_map *b = map_of(copy, d->placement);

    CHECK(cw_map_fingerprint(a) == cw_map_fingerprint(b) &&
          cw_map_bytes(a) == cw_map_bytes(b), "%s: two builds", d->what);
    CHECK(same_answers(d, a, b), "%s: two builds, two answers", d->what);
    cw_map_unref(a);
    cw_map_unref(b);
    cw_fleet_free(copy);
}

static void
builds(void **state)
{
    (void)state;
    for_rows(0, 0, 0, two_builds_are_equal);
}

/* A renamed node keeps its keys: replacing a machine moves nothing. */
static void
rename_moves_no_key(struct draw *d)
{
    cw_map *a = map_of(d->fleet, d->placement), *b;
    cw_node node = draw_node(&d->rng, d->fleet);
    uint32_t old = cw_map_find(a, node.name, node.name_len);
    struct key fresh = draw_name(&d->rng, d->table, d->fleet);
    uint32_t new;

    CHECK_OK(cw_fleet_rename(d->fleet, node.name, node.name_len, fresh.data,
                             fresh.len, NULL));
    b = map_of(d->fleet, d->placement);
    new = cw_map_find(b, fresh.data, fresh.len);
    for (int k = 0; k < KEYS; k++) {
        struct key key = key_random(&d->rng);
        uint32_t x = owner_of(a, key.data, key.len);
        uint32_t y = owner_of(b, key.data, key.len);

        CHECK(x == old ? y == new : same_node(a, x, b, y), "%s: key %d",
              d->what, k);
    }
    cw_map_unref(a);
    cw_map_unref(b);
}

static void
renames(void **state)
{
    (void)state;
    for_rows(0, 0, 0, rename_moves_no_key);
}

/* A node of weight 0 owns nothing and, in a row of ours, changes nothing; a
 * program counts every server that it lists. */
static void
weight_0_owns_nothing(struct draw *d)
{
    struct key fresh = draw_name(&d->rng, d->table, d->fleet);
    cw_map *a = map_of(d->fleet, d->placement), *b;

    CHECK_OK(cw_fleet_add(d->fleet, fresh.data, fresh.len, 0, NULL));
    b = map_of(d->fleet, d->placement);
    CHECK(same_answers(d, a, b), "%s: answers changed", d->what);
    CHECK(d->table == CW_TABLE_COMPAT ||
          cw_map_fingerprint(a) == cw_map_fingerprint(b),
          "%s: the fingerprint changed", d->what);
    cw_map_unref(a);
    cw_map_unref(b);
}

static void
weights_of_0(void **state)
{
    (void)state;
    for_rows(CW_TRAIT_MINIMAL | CW_TRAIT_ORDER_FREE,
             CW_TRAIT_MINIMAL | CW_TRAIT_ORDER_FREE, 0,
             weight_0_owns_nothing);
}

/* ---- positions --------------------------------------------------------- */

static void
positions_are_refused(struct draw *d)
{
    cw_map *map = NULL;
    cw_error err = { CW_OK, "" };
    cw_node node = draw_node(&d->rng, d->fleet);

    CHECK_OK(cw_fleet_set_positions(d->fleet, node.name, node.name_len,
                                    (const uint64_t[]){ 1 }, 1, NULL));
    CHECK(cw_map_build(d->fleet, d->placement, &map, &err) == CW_EINVAL &&
          strstr(err.text, "positions") != NULL && map == NULL,
          "%s: positions are taken: '%s'", d->what, err.text);
}

static void
positions_are_taken(struct draw *d)
{
    cw_node node = draw_node(&d->rng, d->fleet);
    cw_map *map = map_of(d->fleet, d->placement);
    uint64_t at = rng_below(&d->rng, cw_map_top(map) < UINT32_MAX ?
                            cw_map_top(map) : UINT32_MAX);
    cw_error err = { CW_OK, "" };

    cw_map_unref(map);
    CHECK_OK(cw_fleet_set_positions(d->fleet, node.name, node.name_len, &at,
                                    1, NULL));
    if (d->table == CW_TABLE_COMPAT &&
        cw_map_build(d->fleet, d->placement, &map, &err) != CW_OK) {
        /* Partitions and slots must all be given. */
        CHECK(err.status == CW_EINVAL && (strstr(err.text, "claimed") ||
                                          strstr(err.text, "slot") ||
                                          strstr(err.text, "partition")),
              "%s: '%s'", d->what, err.text);
        return;
    }
    if (d->table == CW_TABLE_COMPAT)
        cw_map_unref(map);
    map = map_of(d->fleet, d->placement);
    CHECK(cw_map_node_points(map, cw_map_find(map, node.name, node.name_len))
          == 1, "%s: not one point", d->what);
    CHECK(strcmp(owner_name_at(map, at), node.name) == 0,
          "%s: the node does not own its position", d->what);
    cw_map_unref(map);
}

static void
positions(void **state)
{
    (void)state;
    for_rows(CW_TRAIT_POSITIONS, CW_TRAIT_POSITIONS, 0, positions_are_taken);
    for_rows_once(CW_TRAIT_POSITIONS, 0, positions_are_refused);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_and_batches),
        TEST(fingerprints),
        TEST(builds),
        TEST(renames),
        TEST(weights_of_0),
        TEST(positions),
    };

    return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
