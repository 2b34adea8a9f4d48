/* SPDX-License-Identifier: Apache-2.0 */
/*
 * movement.c - a change moves only what the changed node gains or loses
 * (CW_TRAIT_MINIMAL), a node that comes back finds its keys
 * (CW_TRAIT_RESTORES); rows that do not claim it are caught doing otherwise.
 */
#include "harness_rows.h"

enum change { ADD, REMOVE, RAISE, LOWER, CHANGES };

static const char *const titles[] = { "add", "remove", "raise", "lower" };

/* What was done, and to whom. */
struct done {
    enum change change;
    struct key  name;
};

static struct key
name_of(const cw_node *node)
{
    struct key name;

    memset(&name, 0, sizeof name);
    memcpy(name.data, node->name, node->name_len);
    name.len = node->name_len;
    return name;
}

static int
is_node(const cw_map *map, uint32_t i, const struct key *name)
{
    cw_node node;

    cw_map_node(map, i, &node);
    return node.name_len == name->len &&
           memcmp(node.name, name->data, name->len) == 0;
}

/* A step up or down from a weight, as the row takes it. */
static uint64_t
step(struct draw *d, uint64_t below)
{
    if (d->row.traits & CW_TRAIT_WHOLE)
        return CW_WEIGHT_ONE *
               (1 + rng_below(&d->rng, below / CW_WEIGHT_ONE));
    return 1 + rng_below(&d->rng, below);
}

/* One change to the drawn fleet that its row allows. */
static struct done
change_one(struct draw *d)
{
    struct done done = { ADD, { "", 0 } };
    int weighted = (d->row.traits & CW_TRAIT_WEIGHTED) != 0;
    cw_node node;

    done.change = (enum change)rng_below(&d->rng, weighted ? CHANGES : RAISE);
    if (done.change == REMOVE && active_nodes(d->fleet) < 2)
        done.change = ADD;
    node = draw_node(&d->rng, d->fleet);
    done.name = name_of(&node);
    if (done.change == LOWER &&
        node.weight <= (d->row.traits & CW_TRAIT_WHOLE ? CW_WEIGHT_ONE : 1))
        done.change = RAISE;
    switch (done.change) {
    case ADD:
        done.name = draw_name(&d->rng, d->table, d->fleet);
        CHECK_OK(cw_fleet_add(d->fleet, done.name.data, done.name.len,
                              draw_weight(&d->rng, &d->row, d->fleet), NULL));
        break;
    case REMOVE:
        CHECK_OK(cw_fleet_remove(d->fleet, done.name.data, done.name.len,
                                 NULL));
        break;
    case RAISE:
        CHECK_OK(cw_fleet_set_weight(d->fleet, done.name.data, done.name.len,
                                     node.weight + step(d, 2 * CW_WEIGHT_ONE),
                                     NULL));
        break;
    default:
        CHECK_OK(cw_fleet_set_weight(d->fleet, done.name.data, done.name.len,
                                     node.weight - step(d, node.weight - 1),
                                     NULL));
        break;
    }
    return done;
}

/* May a key go from the one to the other by this change? */
static int
allowed(const struct done *done, const cw_map *old, uint32_t from,
        const cw_map *new, uint32_t to)
{
    if (done->change == ADD || done->change == RAISE)
        return is_node(new, to, &done->name);
    return is_node(old, from, &done->name);
}

/* Exact where there are arcs: not one position too many. */
static void
no_excess_churn(const struct draw *d, const struct done *done,
                const cw_map *old, const cw_map *new)
{
    cw_diff *diff = NULL;

    CHECK_OK(cw_diff_new(old, new, &diff));
    CHECK(diff->basis == CW_EXACT, "%s: basis %d", d->what, (int)diff->basis);
    CHECK(diff->excess_churn == 0.0, "%s: %s: excess churn %g", d->what,
          titles[done->change], diff->excess_churn);
    for (uint32_t i = 0; i < diff->flow_count; i++) {
        const cw_flow *f = &diff->flows[i];

        CHECK(allowed(done, old, diff->nodes[f->from].old_index, new,
                      diff->nodes[f->to].new_index), "%s: %s: a flow of %g",
              d->what, titles[done->change], f->part);
    }
    cw_diff_free(diff);
}

static void
only_the_changed_node_gains_or_loses(struct draw *d)
{
    cw_map *old = map_of(d->fleet, d->placement), *new;
    struct done done = change_one(d);

    new = map_of(d->fleet, d->placement);
    for (int k = 0; k < KEYS; k++) {
        struct key key = key_random(&d->rng);
        uint32_t from = owner_of(old, key.data, key.len);
        uint32_t to = owner_of(new, key.data, key.len);

        CHECK(same_node(old, from, new, to) ||
              allowed(&done, old, from, new, to), "%s: %s: key %d moves from %"
              PRIu32 " to %" PRIu32, d->what, titles[done.change], k, from,
              to);
    }
    if (d->row.traits & CW_TRAIT_ARCS)
        no_excess_churn(d, &done, old, new);
    cw_map_unref(old);
    cw_map_unref(new);
}

static void
minimal_rows(void **state)
{
    (void)state;
    for_rows(CW_TRAIT_MINIMAL, CW_TRAIT_MINIMAL, 0,
             only_the_changed_node_gains_or_loses);
}

/* The difference of two maps without arcs is sampled, and costs more. */
static void
a_sampled_difference_has_no_churn(struct draw *d)
{
    cw_map *old = map_of(d->fleet, d->placement), *new;
    struct done done = change_one(d);
    cw_diff *diff = NULL;

    new = map_of(d->fleet, d->placement);
    CHECK_OK(cw_diff_new(old, new, &diff));
    CHECK(diff->excess_churn == 0.0, "%s: %s: excess churn %g", d->what,
          titles[done.change], diff->excess_churn);
    cw_diff_free(diff);
    cw_map_unref(old);
    cw_map_unref(new);
}

static void
minimal_rows_without_arcs(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_MINIMAL | CW_TRAIT_ARCS, CW_TRAIT_MINIMAL,
                  a_sampled_difference_has_no_churn);
}

/* ---- coming back ------------------------------------------------------- */

/* Keys whose owner is another after the node was removed and added again. */
static unsigned
lost_by_return(cw_fleet *fleet, const cw_placement *placement,
               const struct key *name, uint64_t keys)
{
    cw_map *old = map_of(fleet, placement), *new;
    unsigned lost = 0;
    cw_node node;
    uint64_t weight;
    char zone[8] = "";
    size_t zone_len;

    CHECK_OK(cw_fleet_find(fleet, name->data, name->len, &node));
    weight = node.weight;
    zone_len = node.zone_len;
    memcpy(zone, node.zone, zone_len);
    CHECK_OK(cw_fleet_remove(fleet, name->data, name->len, NULL));
    CHECK_OK(cw_fleet_add(fleet, name->data, name->len, weight, NULL));
    CHECK_OK(cw_fleet_set_zone(fleet, name->data, name->len, zone, zone_len,
                               NULL));
    new = map_of(fleet, placement);
    for (uint64_t k = 0; k < keys; k++) {
        struct key key = key_numbered("key", k);

        lost += !same_node(old, owner_of(old, key.data, key.len), new,
                           owner_of(new, key.data, key.len));
    }
    cw_map_unref(old);
    cw_map_unref(new);
    return lost;
}

static void
a_node_that_returns_finds_its_keys(struct draw *d)
{
    cw_node node = draw_node(&d->rng, d->fleet);
    struct key name = name_of(&node);
    unsigned lost = lost_by_return(d->fleet, d->placement, &name, KEYS);

    CHECK(lost == 0, "%s: %u of %d keys are elsewhere", d->what, lost, KEYS);
}

static void
restoring_rows(void **state)
{
    (void)state;
    for_rows(CW_TRAIT_RESTORES, CW_TRAIT_RESTORES, 0,
             a_node_that_returns_finds_its_keys);
}

/* ---- siblings ---------------------------------------------------------- */

/* A row whose bound seldom binds shows it with the tightest one. */
static cw_placement *
tight_placement(const struct draw *d)
{
    cw_placement *p = placement_of_row(d->table, d->number,
                                       &(cw_row){ .name = "" });

    if (cw_placement_set(p, "cap", "fixed", NULL) == CW_OK)
        CHECK_OK(cw_placement_set(p, "slack", "0", NULL));
    return p;
}

static unsigned
foreign_moves(const struct draw *d, int remove_first)
{
    /* So many that some share a branch of a tree. */
    enum { NODES = 199 };
    cw_fleet *fleet = fleet_of("");
    cw_placement *p = tight_placement(d);
    struct done done = { remove_first ? REMOVE : ADD,
                         key_numbered("10.0.0.1:1121", 1) };
    unsigned foreign = 0;
    cw_map *old, *new;
    char name[24];

    for (unsigned i = 1; i <= NODES; i++) {
        snprintf(name, sizeof name, "10.0.0.%u:11211", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    old = map_of(fleet, p);
    if (remove_first) {
        CHECK_OK(cw_fleet_remove(fleet, done.name.data, done.name.len, NULL));
    } else {
        done.name = key_numbered("10.0.0.200:1121", 1);
        CHECK_OK(cw_fleet_add(fleet, done.name.data, done.name.len,
                              CW_WEIGHT_ONE, NULL));
    }
    new = map_of(fleet, p);
    for (uint64_t k = 0; k < 20000; k++) {
        struct key key = key_numbered("key", k);
        uint32_t from = owner_of(old, key.data, key.len);
        uint32_t to = owner_of(new, key.data, key.len);

        foreign += !same_node(old, from, new, to) &&
                   !allowed(&done, old, from, new, to);
    }
    cw_map_unref(old);
    cw_map_unref(new);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return foreign;
}

/* Points that are a share of the whole need unequal weights to show it. */
static unsigned
foreign_moves_by_weight(const struct draw *d)
{
    cw_fleet *fleet = fleet_of("10.0.0.1:11211=3,10.0.0.2:11211,"
                               "10.0.0.3:11211=2,10.0.0.4:11211=7");
    cw_placement *p = tight_placement(d);
    struct done done = { RAISE, key_numbered("10.0.0.3:1121", 1) };
    unsigned foreign = 0;
    cw_map *old, *new;

    if (d->row.traits & CW_TRAIT_WEIGHTED) {
        for (uint32_t i = 0; i < cw_fleet_count(fleet); i++) {
            cw_node node;

            cw_fleet_node(fleet, i, &node);
            CHECK_OK(cw_fleet_set_weight(fleet, node.name, node.name_len,
                                         node.weight / CW_WEIGHT_ONE *
                                             weight_unit(&d->row), NULL));
        }
        old = map_of(fleet, p);
        CHECK_OK(cw_fleet_set_weight(fleet, done.name.data, done.name.len,
                                     5 * weight_unit(&d->row), NULL));
        new = map_of(fleet, p);
        for (uint64_t k = 0; k < 20000; k++) {
            struct key key = key_numbered("key", k);
            uint32_t from = owner_of(old, key.data, key.len);
            uint32_t to = owner_of(new, key.data, key.len);

            foreign += !same_node(old, from, new, to) &&
                       !allowed(&done, old, from, new, to);
        }
        cw_map_unref(old);
        cw_map_unref(new);
    }
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return foreign;
}

static void
some_change_moves_foreign_keys(struct draw *d)
{
    unsigned n = foreign_moves(d, 1) + foreign_moves(d, 0) +
                 foreign_moves_by_weight(d);

    CHECK(n > 0, "%s claims less than it holds: no key moved between nodes "
          "that did not change", d->row.name);
}

static void
rows_that_are_not_minimal(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_MINIMAL, 0, some_change_moves_foreign_keys);
}

/* Keys lost when the first of two nodes leaves and comes back. */
static unsigned
lost_by_first(const cw_placement *p, const char *first, const char *nodes)
{
    cw_fleet *fleet = fleet_of(nodes);
    struct key name;
    unsigned n;

    memset(&name, 0, sizeof name);
    name.len = strlen(first);
    memcpy(name.data, first, name.len);
    n = lost_by_return(fleet, p, &name, 20000);
    cw_fleet_free(fleet);
    return n;
}

static void
some_return_loses_keys(struct draw *d)
{
    unsigned n = 0;
    int hidden = 0;

    for (int points = 0; points < 2 && n == 0; points++) {
        cw_placement *p = placement_of_row(d->table, d->number, &d->row);

        if (points)
            (void)cw_placement_set(p, "points", "1", NULL);
        n = lost_by_first(p, "10.0.0.1:11211",
                          "10.0.0.1:11211,10.0.0.2:11211,10.0.0.3:11211");
        for (size_t i = 0; i < TIED_PAIRS && n == 0; i++) {
            char nodes[128];

            (void)snprintf(nodes, sizeof nodes, "%s,%s", tied_pairs[i][0],
                           tied_pairs[i][1]);
            n = lost_by_first(p, tied_pairs[i][0], nodes);
        }
        hidden = ties_hidden(p);
        cw_placement_free(p);
    }
    CHECK(n > 0 || hidden, "%s: no key is lost by a return", d->row.name);
}

static void
rows_that_do_not_restore(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_RESTORES, 0, some_return_loses_keys);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(minimal_rows),
        TEST(minimal_rows_without_arcs),
        TEST(restoring_rows),
        TEST(rows_that_are_not_minimal),
        TEST(rows_that_do_not_restore),
    };

    return cmocka_run_group_tests_name("movement", tests, NULL, NULL);
}
