/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the order of the list never matters where a row claims
 * CW_TRAIT_ORDER_FREE, and does where it does not.
 */
#include "harness_rows.h"

static void
shuffling_changes_nothing(struct draw *d)
{
    cw_fleet *other = fleet_shuffled(d->fleet, &d->rng);
    cw_map *a = map_of(d->fleet, d->placement);
    cw_map *b = map_of(other, d->placement);

    CHECK(cw_map_fingerprint(a) == cw_map_fingerprint(b),
          "%s: the fingerprint changed", d->what);
    CHECK(cw_map_bytes(a) == cw_map_bytes(b) &&
          cw_map_points(a) == cw_map_points(b), "%s: size", d->what);
    for (uint32_t i = 0; i < cw_map_count(a); i++)
        CHECK(same_node(a, i, b, i), "%s: node %" PRIu32, d->what, i);
    for (int k = 0; k < KEYS; k++) {
        struct key key = key_random(&d->rng);
        uint32_t x[10], y[10];
        uint32_t n = cw_map_order(a, key.data, key.len, x, 10);

        CHECK(cw_map_order(b, key.data, key.len, y, 10) == n &&
              memcmp(x, y, n * sizeof *x) == 0, "%s: key %d", d->what, k);
        CHECK(owner_of(a, key.data, key.len) == owner_of(b, key.data,
                                                         key.len),
              "%s: owner of key %d", d->what, k);
    }
    cw_map_unref(a);
    cw_map_unref(b);
    cw_fleet_free(other);
}

static void
order_free_rows(void **state)
{
    (void)state;
    for_rows(CW_TRAIT_ORDER_FREE, CW_TRAIT_ORDER_FREE, 0,
             shuffling_changes_nothing);
}

/* ---- siblings ---------------------------------------------------------- */

static cw_map *
pair_map(const cw_placement *placement, const char *first, const char *second)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_map *map;

    fleet_add(fleet, first, CW_WEIGHT_ONE);
    fleet_add(fleet, second, CW_WEIGHT_ONE);
    map = map_of(fleet, placement);
    cw_fleet_free(fleet);
    return map;
}

/* Keys whose owner depends on which of the two is listed first. */
static unsigned
differences(const cw_placement *placement, const char *const pair[2])
{
    cw_map *a = pair_map(placement, pair[0], pair[1]);
    cw_map *b = pair_map(placement, pair[1], pair[0]);
    unsigned n = 0;

    for (uint64_t k = 0; k < 20000; k++) {
        struct key key = key_numbered("key", k);

        n += !same_node(a, owner_of(a, key.data, key.len), b,
                        owner_of(b, key.data, key.len));
    }
    CHECK(cw_map_fingerprint(a) != cw_map_fingerprint(b),
          "the fingerprint of a row that needs the order leaves it out");
    cw_map_unref(a);
    cw_map_unref(b);
    return n;
}

static void
some_fleet_shows_the_order(struct draw *d)
{
    static const char *const plain[2] = { "10.0.0.1:11211", "10.0.0.2:11211" };
    unsigned n = 0;
    int hidden = 0;

    for (int points = 0; points < 2 && n == 0; points++) {
        cw_placement *p = placement_of_row(d->table, d->number, &d->row);

        if (points)
            (void)cw_placement_set(p, "points", "1", NULL);
        n = differences(p, plain);
        for (size_t i = 0; i < TIED_PAIRS && n == 0; i++)
            n = differences(p, tied_pairs[i]);
        hidden = ties_hidden(p);
        cw_placement_free(p);
    }
    CHECK(n > 0 || hidden, "%s: no key depends on the order", d->row.name);
}

static void
rows_that_need_the_order(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_ORDER_FREE, 0, some_fleet_shows_the_order);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(order_free_rows),
        TEST(rows_that_need_the_order),
    };

    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
