/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h - is this chance? */
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "clockwise/clockwise.h"

/* Probability that chi-square with k > 0 degrees of freedom is x or more. */
double stats_chi_square(double x, double k);

/* How far `seen` of n, each with probability p, is from n p: in standard
 * errors; 0 when p is 0 or 1 and nothing else could be seen. */
double stats_deviation(uint64_t seen, uint64_t n, double p);

/* Are a ring's points spread as chance would? */
struct stats_spread {
    uint64_t points;
    unsigned bins;          /* equal parts of the ring; 0: too few points   */
    double   chi_square;    /* bins - 1 degrees of freedom                  */
    double   probability;   /* of such a value or more by chance            */
};

/* Below this a spread is no chance. */
#define STATS_CLUSTERED 1e-6

/* Of any map; bins is 0 for one that shows no points. */
void stats_spread(const cw_map *map, struct stats_spread *out);

#endif
