/* SPDX-License-Identifier: Apache-2.0 */
/* compare_times.c - what a build and a look-up take on this machine. */
#include <time.h>

#include "cli/compare/compare_work.h"

#define LOOKUPS     20000u      /* timed at once; best of ROUNDS            */
#define ROUNDS      5

static double
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Best of a few: the rest is what else the machine did. */
static double
time_lookup(const cw_map *map)
{
    double   best = 1e18;
    uint64_t i, n = LOOKUPS;
    uint32_t owner;
    int      round;

    for (round = 0; round < ROUNDS; round++) {
        double start = now_ns(), took;

        for (i = 0; i < n; i++)
            cw_map_owner_hash(map, compare_hash(i), &owner);
        took = (now_ns() - start) / (double)n;
        best = took < best ? took : best;
        /* A row that visits all nodes needs no more to be timed well. */
        if (took * (double)n > 2e7)
            n = LOOKUPS / 10;
    }
    return best;
}

static double
time_build(struct compare_work *w, const char *row)
{
    double best = 1e18;
    int    round;

    for (round = 0; round < 3; round++) {
        double  start = now_ns(), took;
        cw_map *map = compare_map(w->fleet, row, NULL, NULL, NULL);

        took = now_ns() - start;
        cw_map_unref(map);
        best = took < best ? took : best;
    }
    return best / 1e6;
}

/* A look-up among n equal nodes; 0 when the row takes no such fleet. */
static double
time_size(const char *row, uint32_t n)
{
    cw_fleet *fleet = compare_fleet(n);
    cw_map   *map = compare_map(fleet, row, NULL, NULL, NULL);
    double    ns = map != NULL ? time_lookup(map) : 0;

    cw_map_unref(map);
    cw_fleet_free(fleet);
    return ns;
}

void
compare_times(struct compare_work *w, struct compare_row *r,
              const cw_map *map)
{
    r->build_ms = time_build(w, r->row.name);
    r->lookup_ns = time_lookup(map);
    r->ns_10 = time_size(r->row.name, 10);
    r->ns_10000 = time_size(r->row.name, 10000);
    progress_tick(&w->progress, ++w->steps);
}
