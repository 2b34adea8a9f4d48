/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_hash.c - two questions for each hash function: what does a 16-byte
 * key cost, and how even is a ring whose points it makes?
 *
 * Time: best of many short runs, which leaves out what else the machine does.
 * Evenness: coefficient of variation of the shares of 10 nodes with 160
 * points each, mean of 40 fleets; 1 / sqrt(160) = 0.08 is what chance gives.
 * Rows far above it carry CWI_HASH_WEAK.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../lib/core/hash.h"

#define RUNS    200
#define KEYS    5000
#define NODES   10
#define POINTS  160
#define FLEETS  40

static const struct cwi_hash_key secret = { 1, 2 };
static volatile uint64_t sink;      /* so that no call is left out */

static double
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double
ns_per_key(const struct cwi_hash_ops *ops)
{
    char key[] = "0123456789abcdef";
    double best = 1e18;

    for (int run = 0; run < RUNS; run++) {
        double start = now_ns();
        double took;

        for (int i = 0; i < KEYS; i++) {
            key[3] = (char)('0' + i % 10);
            sink = ops->hash(key, 16, &secret);
        }
        took = (now_ns() - start) / KEYS;
        best = took < best ? took : best;
    }
    return best;
}

static int
by_position(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The node number takes the place of the last four bits of a point. */
static double
cv_of_fleet(const struct cwi_hash_ops *ops, int fleet)
{
    static uint64_t points[NODES * POINTS];
    double share[NODES] = { 0 };
    double sum = 0;
    uint64_t before;

    for (int i = 0; i < NODES * POINTS; i++) {
        char label[64];
        int len = snprintf(label, sizeof label, "10.0.%d.%d:11211-%d", fleet,
                           i % NODES, i / NODES);
        uint64_t at = ops->hash(label, (size_t)len, &secret);

        at <<= 64 - ops->bits;
        points[i] = (at & ~UINT64_C(15)) | (uint64_t)(i % NODES);
    }
    qsort(points, NODES * POINTS, sizeof points[0], by_position);
    before = points[NODES * POINTS - 1];
    for (int i = 0; i < NODES * POINTS; i++) {
        share[points[i] & 15] += (double)(points[i] - before) / 0x1p64;
        before = points[i];
    }
    for (int i = 0; i < NODES; i++) {
        double off = share[i] * NODES - 1;

        sum += off * off;
    }
    return sqrt(sum / NODES);
}

int
main(void)
{
    printf("%-20s %10s %8s\n", "hash", "ns/16 B", "CV");
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);
        double cv = 0;

        for (int fleet = 0; fleet < FLEETS; fleet++)
            cv += cv_of_fleet(ops, fleet) / FLEETS;
        printf("%-20s %10.1f %8.3f%s\n", ops->name, ns_per_key(ops), cv,
               (ops->traits & CWI_HASH_WEAK) != 0 ? "  weak" : "");
    }
    return 0;
}
