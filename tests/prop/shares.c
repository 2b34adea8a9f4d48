/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.c - CW_TRAIT_ARCS: arcs tile the ring, shares are their sum and what
 * keys show; CW_TRAIT_WEIGHTED: shares follow weights; CW_TRAIT_BALANCED.
 */
#include <math.h>

#include "harness_rows.h"

__extension__ typedef unsigned __int128 u128;

static u128
wide(cw_u128 n)
{
    return (u128)n.hi << 64 | n.lo;
}

/* ---- arcs -------------------------------------------------------------- */

struct tiles {
    const struct draw *d;
    const cw_map      *map;
    uint64_t           next;
    uint32_t           before;
    unsigned           count;
    u128               owned[16];
};

static int
one_tile(void *context, const cw_arc *arc)
{
    struct tiles *t = context;
    uint64_t middle = arc->first + (arc->last - arc->first) / 2;
    const uint64_t probes[] = { arc->first, middle, arc->last };

    CHECK(arc->first == t->next && arc->first <= arc->last,
          "%s: an arc begins at %" PRIu64 ", not %" PRIu64, t->d->what,
          arc->first, t->next);
    CHECK(arc->from == arc->to && (t->count == 0 || arc->to != t->before),
          "%s: an arc is cut in two", t->d->what);
    for (size_t i = 0; i < COUNT(probes); i++) {
        uint32_t owner = CW_NONE;

        CHECK_OK(cw_map_owner_position(t->map, probes[i], &owner));
        CHECK(owner == arc->to, "%s: position %" PRIu64 " is of node %" PRIu32
              ", its arc of %" PRIu32, t->d->what, probes[i], owner, arc->to);
    }
    t->owned[arc->to] += (u128)(arc->last - arc->first) + 1;
    t->next = arc->last + 1;
    t->before = arc->to;
    t->count++;
    return 0;
}

static void
arcs_are_the_shares(struct draw *d)
{
    cw_map *map = map_of(d->fleet, d->placement);
    struct tiles tiles = { .d = d, .map = map };
    cw_shares *s = NULL;
    u128 sum = 0;
    double parts = 0;

    CHECK_OK(cw_map_arcs(map, one_tile, &tiles, NULL));
    CHECK(tiles.next == cw_map_top(map) + 1, "%s: the arcs end at %" PRIu64,
          d->what, tiles.next);
    CHECK_OK(cw_shares_new(map, &s));
    CHECK(s->basis == CW_EXACT, "%s: basis %d", d->what, (int)s->basis);
    CHECK(wide(s->size) == (u128)cw_map_top(map) + 1, "%s: size", d->what);
    for (uint32_t i = 0; i < s->count; i++) {
        CHECK(wide(s->num[i]) == tiles.owned[i], "%s: share of node %" PRIu32,
              d->what, i);
        sum += wide(s->num[i]);
        parts += s->part[i];
    }
    CHECK(sum == wide(s->size), "%s: shares do not add up", d->what);
    CHECK(fabs(parts - 1.0) < 1e-9, "%s: parts add up to %.12f", d->what,
          parts);
    cw_shares_free(s);
    cw_map_unref(map);
}

static void
rows_with_arcs(void **state)
{
    (void)state;
    for_rows(CW_TRAIT_ARCS, CW_TRAIT_ARCS, 0, arcs_are_the_shares);
}

static int
no_tile(void *context, const cw_arc *arc)
{
    (void)context;
    (void)arc;
    return 0;
}

/* A hash and the one after it have different owners: no stretch has one. */
static void
neighbours_differ(struct draw *d)
{
    cw_fleet *fleet = fleet_of("10.0.0.1:11211,10.0.0.2:11211,"
                               "10.0.0.3:11211,10.0.0.4:11211");
    cw_placement *p = placement_of_row(d->table, d->number, &d->row);
    cw_map *map = map_of(fleet, p);
    unsigned differ = 0, asked = 0;

    CHECK(cw_map_arcs(map, no_tile, NULL, NULL) == CW_ENOTSUP, "%s: arcs",
          d->what);
    for (int i = 0; i < 2000; i++) {
        uint64_t hash = rng_next(&d->rng) >> 33;
        uint32_t a = 0, b = 0;

        if (cw_map_owner_hash(map, hash, &a) != CW_OK)
            break;
        CHECK_OK(cw_map_owner_hash(map, hash + 1, &b));
        asked++;
        differ += a != b;
    }
    CHECK(asked == 0 || differ > asked / 10, "%s claims no arcs, but only %u "
          "of %u neighbours differ", d->row.name, differ, asked);
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

static void
rows_without_arcs(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_ARCS, 0, neighbours_differ);
}

/* ---- what keys show ---------------------------------------------------- */

enum { SAMPLE = 20000 };

/* 16-byte random keys, hashed by a good or a bad hash: chi-square per node
 * within six standard errors of the share. */
static void
keys_show_the_shares(struct draw *d)
{
    cw_fleet *fleet = draw_fleet(&d->rng, d->table, &d->row, 8);
    cw_placement *p = placement_of_row(d->table, d->number, &d->row);
    cw_map *map = map_of(fleet, p);
    unsigned counts[16] = { 0 };
    cw_shares *s = NULL;

    for (int k = 0; k < SAMPLE; k++) {
        uint64_t key[2] = { rng_next(&d->rng), rng_next(&d->rng) };
        unsigned char text[32];

        for (size_t i = 0; i < sizeof text; i++)    /* letters: any program */
            text[i] = (unsigned char)('a' + (key[i / 16] >> 4 * (i % 16) &
                                             15));
        counts[owner_of(map, text, sizeof text)]++;
    }
    CHECK_OK(cw_shares_new(map, &s));
    for (uint32_t i = 0; i < s->count; i++) {
        double want = s->part[i] * SAMPLE;
        double sd = sqrt(want * (1.0 - s->part[i]));

        CHECK(fabs((double)counts[i] - want) <= 6.0 * sd + 1.0,
              "%s: node %" PRIu32 " got %u keys, %.0f expected", d->what, i,
              counts[i], want);
    }
    cw_shares_free(s);
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

static void
observed_shares(void **state)
{
    (void)state;
    for_rows_once(0, 0, keys_show_the_shares);
}

/* ---- weights ----------------------------------------------------------- */

enum { TRIALS = 60, NODES = 4 };

/* Parts of four nodes of weights 1, 2, 3, 4 in one fleet drawn anew, behind up
 * to `before` nodes of weight 0. */
static void
parts_of_weights(struct draw *d, const cw_placement *p, uint64_t before,
                 double *part)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    uint64_t base = rng_next(&d->rng) >> 20;
    struct key names[NODES];
    unsigned counts[64] = { 0 };
    cw_shares *s = NULL;
    cw_map *map;

    for (uint64_t i = rng_below(&d->rng, before + 1); i > 0; i--) {
        struct key name = draw_name(&d->rng, CW_TABLE_COMPAT, fleet);

        CHECK_OK(cw_fleet_add(fleet, name.data, name.len, 0, NULL));
    }
    for (uint32_t i = 0; i < NODES; i++) {
        names[i] = draw_name(&d->rng, CW_TABLE_COMPAT, fleet);
        CHECK_OK(cw_fleet_add(fleet, names[i].data, names[i].len,
                              (i + 1) * weight_unit(&d->row), NULL));
    }
    map = map_of(fleet, p);
    CHECK_OK(cw_shares_new(map, &s));
    for (uint32_t k = 0; s->basis == CW_EXPECTED && k < 3000; k++) {
        struct key key = key_numbered("key", base + k);

        counts[owner_of(map, key.data, key.len)]++;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t node = cw_map_find(map, names[i].data, names[i].len);

        part[i] = s->basis == CW_EXPECTED ? counts[node] / 3000.0 :
                  s->part[node];
    }
    cw_shares_free(s);
    cw_map_unref(map);
    cw_fleet_free(fleet);
}

/* Sums over TRIALS fleets. */
static void
draw_parts(struct draw *d, const cw_placement *p, uint64_t before,
           double *sum, double *squares)
{
    memset(sum, 0, NODES * sizeof *sum);
    memset(squares, 0, NODES * sizeof *squares);
    for (int t = 0; t < TRIALS; t++) {
        double part[NODES];

        parts_of_weights(d, p, before, part);
        for (int i = 0; i < NODES; i++) {
            sum[i] += part[i];
            squares[i] += part[i] * part[i];
        }
    }
}

static double
standard_error(double sum, double squares)
{
    double variance = squares / TRIALS - sum / TRIALS * sum / TRIALS;

    return sqrt(variance > 0 ? variance / TRIALS : 0);
}

/* The mean over many fleets meets the weight within six standard errors, as
 * the fleets themselves show them, and one per cent for rules that round. */
static void
shares_follow_weights(struct draw *d)
{
    cw_placement *p = placement_of_row(d->table, d->number, &d->row);
    double sum[NODES], squares[NODES];

    (void)cw_placement_set(p, "slots", "4096", NULL);
    draw_parts(d, p, 0, sum, squares);
    /* A row that knows nodes by their place gives every such fleet the same
     * points: with others before them they are elsewhere. */
    if (standard_error(sum[0], squares[0]) < 1e-6)
        draw_parts(d, p, 40, sum, squares);
    for (int i = 0; i < NODES; i++) {
        double mean = sum[i] / TRIALS, want = (i + 1) / 10.0;
        double error = standard_error(sum[i], squares[i]);

        CHECK(fabs(mean - want) <= 6.0 * error + 0.01,
              "%s: weight %d has %.4f of the keys, %.1f is fair (+- %.4f)",
              d->what, i + 1, mean, want, error);
        CHECK(error < 0.02, "%s: shares of weight %d scatter by %.4f: the "
              "test says nothing", d->what, i + 1, error);
    }
    cw_placement_free(p);
}

static void
weighted_rows(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_WEIGHTED, CW_TRAIT_WEIGHTED,
                  shares_follow_weights);
}

/* Either such a fleet is refused by name, or its weights are not met. */
static void
unequal_weights_are_refused(struct draw *d)
{
    cw_fleet *fleet = fleet_of("10.0.0.1:11211,10.0.0.2:11211=5");
    cw_placement *p = placement_of_row(d->table, d->number, &d->row);
    cw_error err = { CW_OK, "" };
    cw_map *map = NULL;

    if (cw_map_build(fleet, p, &map, &err) == CW_OK) {
        cw_shares *s = NULL;

        CHECK_OK(cw_shares_new(map, &s));
        CHECK(fabs(s->part[0] - s->part[1]) < 0.01,
              "%s: shares %.3f and %.3f of a row without weights", d->what,
              s->part[0], s->part[1]);
        cw_shares_free(s);
        cw_map_unref(map);
    } else {
        CHECK(err.status == CW_EINVAL && map == NULL &&
              strstr(err.text, d->row.name) != NULL &&
              strstr(err.text, "10.0.0.2:11211") != NULL, "%s: '%s'", d->what,
              err.text);
    }
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

static void
rows_without_weights(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_WEIGHTED, 0, unequal_weights_are_refused);
}

/* No row may give a node more than a tenth above its fair share and still
 * call itself balanced. */
static void
shares_are_within_a_tenth(struct draw *d)
{
    cw_placement *p = placement_of_row(d->table, d->number, &d->row);

    for (int i = 0; i < 10; i++) {
        cw_fleet *fleet = draw_fleet(&d->rng, d->table, &d->row, 10);
        cw_map *map = map_of(fleet, p);
        cw_shares *s = NULL;

        CHECK_OK(cw_shares_new(map, &s));
        CHECK(s->balance.max_avg <= 1.1, "%s: max/avg %.4f", d->what,
              s->balance.max_avg);
        cw_shares_free(s);
        cw_map_unref(map);
        cw_fleet_free(fleet);
    }
    cw_placement_free(p);
}

static void
balanced_rows(void **state)
{
    (void)state;
    for_rows_once(CW_TRAIT_BALANCED, CW_TRAIT_BALANCED,
                  shares_are_within_a_tenth);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_with_arcs),
        TEST(rows_without_arcs),
        TEST(observed_shares),
        TEST(weighted_rows),
        TEST(rows_without_weights),
        TEST(balanced_rows),
    };

    return cmocka_run_group_tests_name("shares", tests, NULL, NULL);
}
