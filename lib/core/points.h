/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.h - sorted points on a ring and their look-up, for "ring" and every
 * ring-shaped compat row.
 *
 * The owner of a position is the node of the first point at or after it,
 * going round past the last one. Equal positions are all kept; the one given
 * first to cwi_points_build() wins.
 */
#ifndef CWI_POINTS_H
#define CWI_POINTS_H

#include "core/algo.h"

/* A point as a row hands it over. */
struct cwi_point {
    uint64_t at;        /* position, may lie above top: it is kept then and
                           owns what lies below it                          */
    uint32_t node;
};

/* Bytes of state and of scratch for n points, 1 <= n <= CWI_POINTS_MAX, of
 * `nodes` nodes. CW_ELIMIT when they do not fit a size_t. */
cw_status cwi_points_plan(uint64_t n, uint32_t nodes, struct cwi_plan *out);

/* Where a row puts its n points before cwi_points_build(): in scratch. */
struct cwi_point *cwi_points_raw(void *scratch);

/* Sort the n raw points in scratch into state, of which the first
 * sizeof(struct cwi_table) bytes are zero. top: largest position that is
 * looked up; shares count positions 0 .. top. */
void cwi_points_build(void *state, void *scratch, uint64_t n, uint32_t nodes,
                      uint64_t top);

/* All points in rising order, to out; let cwi_points_build() fill a state once
 * more. For rows with another search or tie rule. */
void cwi_points_all(const void *state, struct cwi_point *out);
void cwi_points_again(void *state);

/*
 * The state that the row's build makes for `nodes` with counts[i] points
 * each, from that of an older map of the same rule; scratch is the row's.
 * order: room for 2 * nodes->n numbers. text: CWI_TEXT_ROOM() of the longest
 * label. 0: it is to be built, as if nothing had been done.
 */
int cwi_points_derive(void *state, void *scratch,
                      const struct cwi_nodes *nodes,
                      const struct cwi_placement *p,
                      const struct cwi_rule *rule, uint64_t top,
                      const uint64_t *counts, const struct cwi_older *older,
                      uint32_t *order, uint8_t *text);

/* As the members of struct cwi_algo_ops of those names. */
uint32_t cwi_points_find(const void *state, uint64_t at);
void cwi_points_find_many(const void *state, const uint64_t *at, size_t n,
                          uint32_t *out);       /* n times find             */

/* The first n nodes of the walk from `at` (few: n * n comparisons), or all
 * there are; returns how many. */
uint32_t cwi_points_few(const void *state, uint64_t at, uint32_t *out,
                        uint32_t n);
void cwi_points_walk(const void *state, uint64_t at, struct cwi_walk *w);
void cwi_points_arc(const void *state, uint64_t *cursor, uint64_t from,
                    uint64_t *last, uint32_t *owner);
void cwi_points_count(const void *state, uint64_t *per_node);
const char *cwi_points_check(const void *state, const struct cwi_nodes *nodes);

/* Point number i in rising order, i below the count given to build: for
 * rows with another search rule, and for tests. */
struct cwi_point cwi_points_at(const void *state, uint64_t i);
uint64_t cwi_points_total(const void *state);

#endif
