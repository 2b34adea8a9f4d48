/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h - is this chance? */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clockwise/clockwise.h"

/* Probability that chi-square with k > 0 degrees of freedom is x or more. */
double stats_chi_square(double x, double k);

/* How far `seen` of n, each with probability p, is from n p: in standard
 * errors; 0 when p is 0 or 1 and nothing else could be seen. */
double stats_deviation(uint64_t seen, uint64_t n, double p);

/*
 * Are a ring's points spread as chance would? Two questions, as a hash may
 * fail in either: points crowd in some parts of the ring; or the points of
 * one node follow each other, so that its arcs are long (the points of plain
 * FNV-1a do, though they fill the ring evenly).
 */
struct stats_test {
    double chi_square;
    double freedom;         /* degrees of it; 0: too few points to tell     */
    double probability;     /* of such a value or more by chance            */
};

struct stats_spread {
    uint64_t          points;
    struct stats_test parts;    /* points in equal parts of the ring        */
    struct stats_test shares;   /* shares against the number of points      */
};

/* Below this a spread is no chance. */
#define STATS_CLUSTERED 1e-6

/* For a map with CW_TRAIT_ARCS, and its shares. */
void stats_spread(const cw_map *map, const cw_shares *shares,
                  struct stats_spread *out);

bool stats_clustered(const struct stats_spread *s);

/* Is there anything to say? */
bool stats_spread_known(const struct stats_spread *s);

#endif
