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

void
stats_spread(const cw_map *map, struct stats_spread *out)
{
    struct spread_count s = { .bins = BINS_MAX };
    double positions = (double)cw_map_top(map) + 1;
    double expected;
    unsigned i;

    memset(out, 0, sizeof *out);
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
        out->chi_square += ((double)s.bin[i] - expected)
            * ((double)s.bin[i] - expected) / expected;
    out->points = s.n;
    out->bins = s.bins;
    out->probability = stats_chi_square(out->chi_square, s.bins - 1);
}
