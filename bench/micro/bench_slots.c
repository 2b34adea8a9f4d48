/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_slots.c - what does a map of the row "slots" cost to build, for equal
 * and for mixed weights and with replicas, and what does a look-up by hash cost
 * against its floor, a load from a table of the same size?
 *
 * CPU time of this thread, best of several runs, which leaves out most of what
 * else the machine does. "chain": each hash depends on the owner before, so it
 * is the time to the answer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "clockwise/clockwise.h"
#include "core/hash.h"

#define RUNS    5
#define LOOKUPS 4000000u

static volatile uint64_t sink;      /* so that no call is left out */

static double
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static cw_fleet *
numbered(uint32_t n, uint32_t weights)
{
    cw_fleet *fleet = cw_fleet_new(NULL);

    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        int  len = snprintf(name, sizeof name, "node-%u", i);

        cw_fleet_add(fleet, name, (size_t)len,
                     (1 + i % weights) * CW_WEIGHT_ONE, NULL);
    }
    return fleet;
}

static uint16_t  table[1 << 20];    /* of the floor */
static unsigned  shift;

static inline uint32_t
owner_of(const cw_map *map, uint64_t hash)
{
    uint32_t owner = 0;

    if (map == NULL)
        return table[hash >> shift];
    cw_map_owner_hash(map, hash, &owner);
    return owner;
}

/* map: NULL for a plain load. */
static double
lookup_ns(const cw_map *map, int chain)
{
    double best = 1e18;

    for (int run = 0; run < RUNS; run++) {
        double   start = now_ns(), took;
        uint32_t owner = 0;
        uint64_t sum = 0, hash = 1;

        for (uint32_t i = 0; i < LOOKUPS; i++) {
            hash = cwi_mix64(hash + i + (chain ? owner : 0));
            owner = owner_of(map, hash);
            sum += owner;
        }
        sink = sum;
        took = (now_ns() - start) / LOOKUPS;
        best = took < best ? took : best;
    }
    return best;
}

static void
measure(uint32_t n, uint32_t weights, const char *slots,
        const char *replicas)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_fleet     *fleet = numbered(n, weights);
    cw_map       *map = NULL;
    double        best = 1e18;

    cw_placement_set(p, "algorithm", "slots", NULL);
    cw_placement_set(p, "slots", slots, NULL);
    cw_placement_set(p, "replicas", replicas, NULL);
    for (shift = 64; 1u << (64 - shift) < strtoul(slots, NULL, 10); shift--)
        ;
    for (int run = 0; run < RUNS; run++) {
        double start = now_ns();

        cw_map_unref(map);
        if (cw_map_build(fleet, p, &map, NULL) != CW_OK)
            return;
        start = now_ns() - start;
        best = start < best ? start : best;
    }
    printf("%8s %6u %8s %9s %9.2f %9.1f %9.1f %9.1f %9.1f\n", slots, n,
           weights > 1 ? "1..10" : "1", replicas, best / 1e6,
           lookup_ns(map, 0), lookup_ns(NULL, 0), lookup_ns(map, 1),
           lookup_ns(NULL, 1));
    cw_map_unref(map);
    cw_fleet_free(fleet);
    cw_placement_free(p);
}

int
main(void)
{
    static const char *const slots[] = { "65536", "262144", "1048576" };

    for (uint32_t i = 0; i < 1u << 20; i++)
        table[i] = (uint16_t)i;     /* memory of its own, not the zero page */
    printf("%8s %6s %8s %9s %9s %9s %9s %9s %9s\n", "slots", "nodes",
           "weights", "replicas", "build ms", "ns", "its floor", "ns chain",
           "its floor");
    for (unsigned i = 0; i < 3; i++) {
        for (uint32_t n = 10; n <= 10000; n *= 10) {
            measure(n, 1, slots[i], "1");
            measure(n, 10, slots[i], "1");
        }
        measure(100, 1, slots[i], "3");
        measure(100, 10, slots[i], "3");
    }
    return 0;
}
