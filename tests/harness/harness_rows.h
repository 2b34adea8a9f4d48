/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness_rows.h - properties run over every row of the algorithm and compat
 * tables, on fleets drawn from a printed seed. A test knows no row by name: a
 * new row is covered the day it is added.
 */
#ifndef CW_TEST_ROWS_H
#define CW_TEST_ROWS_H

#include "harness.h"

enum { FLEETS = 200, KEYS = 60 };

/* A fleet and a placement that suits it. */
struct draw {
    cw_table      table;
    unsigned      number;
    cw_row        row;
    struct rng    rng;          /* for what the property draws itself       */
    cw_fleet     *fleet;        /* at least one node of weight above 0      */
    cw_placement *placement;
    char          what[160];    /* row, round and seed, for messages        */
};

/*
 * Call `property` with FLEETS draws for each row whose traits, masked, equal
 * `want`. Rows are counted and printed; none at all fails unless may_be_none.
 */
void for_rows(unsigned mask, unsigned want, int may_be_none,
              void (*property)(struct draw *d));

/* The same with one draw a row and a count that the property returns: how
 * many counter-examples it found. */
void for_rows_once(unsigned mask, unsigned want,
                   void (*property)(struct draw *d));

/* A fleet that fits the row: at most `most` nodes, random names, zones, and
 * weights where the row takes them. */
cw_fleet *draw_fleet(struct rng *rng, cw_table table, const cw_row *row,
                     uint32_t most);

/* A name that is not in the fleet. */
struct key draw_name(struct rng *rng, cw_table table, const cw_fleet *fleet);

/* A weight above 0 that the row takes beside those of the fleet. */
uint64_t draw_weight(struct rng *rng, const cw_row *row,
                     const cw_fleet *fleet);

/* A weight of "one" of which the row takes up to ten; the nearest weight to
 * one that it takes. */
uint64_t weight_unit(const cw_row *row);
uint64_t other_weight(const cw_row *row, uint64_t weight);

/*
 * Names with one point in common under some rule, so that the list decides:
 * fnv1a("n512789#0") is fnv1a("n749192#0"); the next four are of public
 * reports and of tests/golden/ties; the others were found by comparing the
 * points of 40,000 nodes, a pair or more for each row that has none of those.
 */
enum { TIED_PAIRS = 16 };

extern const char *const tied_pairs[TIED_PAIRS][2];

/* Points or scores of 64 bits: nobody finds two equal ones. */
int ties_hidden(const cw_placement *p);

/* A node of weight above 0. */
cw_node draw_node(struct rng *rng, const cw_fleet *fleet);

uint32_t active_nodes(const cw_fleet *fleet);

#endif
