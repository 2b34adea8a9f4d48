/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/stats.h"

#include <math.h>
#include <string.h>

/*
 * Upper incomplete gamma function Q(a, x), by its series below a + 1 and its
 * continued fraction above (Abramowitz and Stegun 6.5.29 and 6.5.31).
 */
static double
gamma_q(double a, double x)
{
    double front = exp(-x + a * log(x) - lgamma(a));
    double sum, term, b, c, d, h;
    int i;

    if (x < a + 1) {
        sum = term = 1 / a;
        for (i = 1; i < 1000 && term > sum * 1e-16; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return 1 - front * sum;
    }
    b = x + 1 - a;
    c = 1e300;
    d = 1 / b;
    h = d;
    for (i = 1; i < 1000; i++) {
        double an = -i * (i - a);
        double step;

        b += 2;
        d = an * d + b;
        d = fabs(d) < 1e-300 ? 1e300 : 1 / d;
        c = b + an / c;
        if (fabs(c) < 1e-300)
            c = 1e-300;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return front * h;
}

double
stats_chi_square(double x, double k)
{
    return x <= 0 ? 1 : gamma_q(k / 2, x / 2);
}

double
stats_deviation(uint64_t seen, uint64_t n, double p)
{
    double expected = (double)n * p;
    double sd = sqrt(expected * (1 - p));

    return sd > 0 ? ((double)seen - expected) / sd : 0;
}

enum { BINS_MAX = 64, PER_BIN = 8 };

struct spread_count {
    double   width;         /* positions of a bin */
    unsigned bins;
    uint64_t n;
    uint64_t bin[BINS_MAX];
};

static int
count_point(void *context, uint64_t position, uint32_t node)
{
    struct spread_count *s = context;
    unsigned bin = (unsigned)((double)position / s->width);

    (void)node;
    s->bin[bin < s->bins ? bin : s->bins - 1]++;
    s->n++;
    return 0;
}

static void
test_parts(const cw_map *map, struct stats_spread *out)
{
    struct spread_count s = { .bins = BINS_MAX };
    double positions = (double)cw_map_top(map) + 1;
    double expected;
    unsigned i;

    while (s.bins > 1 && (double)cw_map_points(map) < PER_BIN * s.bins)
        s.bins /= 2;
    if (s.bins < 4 || positions < 1024)
        return;
    s.width = positions / s.bins;
    if (cw_map_each_point(map, count_point, &s, NULL) != CW_OK
        || s.n <= s.bins)
        return;
    expected = (double)s.n / s.bins;
    for (i = 0; i < s.bins; i++)
        out->parts.chi_square += ((double)s.bin[i] - expected)
            * ((double)s.bin[i] - expected) / expected;
    out->points = s.n;
    out->parts.freedom = s.bins - 1;
    out->parts.probability = stats_chi_square(out->parts.chi_square,
                                              out->parts.freedom);
}

/*
 * Arcs between random points are lengths of a broken stick: a node with k of
 * n points owns k / n of the ring, with a relative variance of about 1 / k.
 * The weighted sum of squares is chi-square with a degree less than nodes.
 */
static void
test_shares(const cw_map *map, const cw_shares *shares,
            struct stats_spread *out)
{
    double all = (double)cw_map_points(map), nodes = 0, least = all;
    uint32_t i;

    for (i = 0; i < shares->count; i++) {
        double k = (double)cw_map_node_points(map, i), off;

        if (k == 0)
            continue;
        off = shares->part[i] * all / k - 1;
        out->shares.chi_square += k * off * off;
        least = k < least ? k : least;
        nodes++;
    }
    if (nodes < 2 || least < PER_BIN)
        out->shares.chi_square = 0;
    else
        out->shares.freedom = nodes - 1;
    if (out->shares.freedom > 0)
        out->shares.probability = stats_chi_square(out->shares.chi_square,
                                                   out->shares.freedom);
}

/* Positions chosen by hand need not be spread by chance. */
static bool
has_explicit(const cw_map *map)
{
    uint32_t i;
    cw_node node;

    for (i = 0; i < cw_map_count(map); i++) {
        cw_map_node(map, i, &node);
        if (node.positions > 0)
            return true;
    }
    return false;
}

void
stats_spread(const cw_map *map, const cw_shares *shares,
             struct stats_spread *out)
{
    memset(out, 0, sizeof *out);
    if (has_explicit(map))
        return;
    test_parts(map, out);
    test_shares(map, shares, out);
}

static bool
fails(const struct stats_test *t)
{
    return t->freedom > 0 && t->probability < STATS_CLUSTERED;
}

bool
stats_clustered(const struct stats_spread *s)
{
    return fails(&s->parts) || fails(&s->shares);
}

bool
stats_spread_known(const struct stats_spread *s)
{
    return s->parts.freedom > 0 || s->shares.freedom > 0;
}
