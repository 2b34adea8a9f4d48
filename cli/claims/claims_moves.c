/* SPDX-License-Identifier: Apache-2.0 */
/* claims_moves.c - how much moves when a node comes or goes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/claims/claims.h"

enum { FLEETS = 200 };

static double
grow(const char *prefix, int n, const char *settings)
{
    return 100 * claim_moved(claim_map_n(prefix, (unsigned)n, settings),
                             claim_map_n(prefix, (unsigned)n + 1, settings));
}

/* n to n + 1 nodes: per cent that moves. */
static void
modulo(struct measured *out, int n)
{
    out->value = grow("node-", n, "algorithm=modulo");
}

/* Per cent of 1,000 keys that move from n to n + 1, for FLEETS key sets. */
static void
modulo_samples(int n, double *moved)
{
    cw_map *before = claim_map_n("node-", (unsigned)n, "algorithm=modulo");
    cw_map *after = claim_map_n("node-", (unsigned)n + 1, "algorithm=modulo");
    char prefix[32];
    unsigned i;
    int s;

    for (s = 0; s < FLEETS; s++) {
        snprintf(prefix, sizeof prefix, "set%d:", s);
        moved[s] = 0;
        for (i = 0; i < 1000; i++)
            moved[s] += claim_owner(before, prefix, i)
                != claim_owner(after, prefix, i) ? 0.1 : 0;
    }
    cw_map_unref(before);
    cw_map_unref(after);
}

static void
modulo_sd(struct measured *out, int n)
{
    double moved[FLEETS];

    modulo_samples(n, moved);
    out->value = claim_sd(moved, FLEETS);
}

/* The published 78, 78 and 91 per cent: how many standard deviations of such
 * samples the farthest of them is from what is to be expected. */
static void
modulo_published(struct measured *out, int variant)
{
    static const struct {
        int    n;
        double said;
    } published[] = { { 3, 78 }, { 4, 78 }, { 9, 91 } };
    double moved[FLEETS];
    int i;

    (void)variant;
    for (i = 0; i < 3; i++) {
        double off;

        modulo_samples(published[i].n, moved);
        off = fabs(published[i].said - 100.0 * published[i].n
                   / (published[i].n + 1)) / claim_sd(moved, FLEETS);
        out->value = off > out->value ? off : out->value;
    }
}

/* n to n + 1 nodes of 150 points, over FLEETS rings: the mean, or the
 * standard deviation for negative n. */
static void
ring(struct measured *out, int n)
{
    double moved[FLEETS];
    char prefix[32];
    int i;

    for (i = 0; i < FLEETS; i++) {
        snprintf(prefix, sizeof prefix, "fleet%d-node", i);
        moved[i] = grow(prefix, n < 0 ? -n : n, "points=150");
    }
    out->value = n < 0 ? claim_sd(moved, FLEETS) : claim_mean(moved, FLEETS);
}

static void
ring_10(struct measured *out, int variant)
{
    (void)variant;
    out->value = grow("node-", 10, "points=150");
}

static void
rendezvous_10(struct measured *out, int variant)
{
    (void)variant;
    out->value = grow("node-", 10, "algorithm=rendezvous");
}

static void
jump_10(struct measured *out, int variant)
{
    (void)variant;
    out->value = grow("node-", 10, "algorithm=jump");
}

/* The least number of receivers when one of 10 nodes is lost, over all ten
 * of them; at `points` points a node. */
static void
receivers(struct measured *out, int points)
{
    static const char all[]
        = "node-0,node-1,node-2,node-3,node-4,node-5,node-6,node-7,node-8,"
          "node-9,";
    char settings[32], names[sizeof all];
    unsigned i, v;

    snprintf(settings, sizeof settings, "points=%d", points);
    out->value = 10;
    for (i = 0; i < 10; i++) {
        cw_map *before = claim_map(all, settings), *after;
        cw_diff *diff = NULL;

        memcpy(names, all, 7 * i);
        memcpy(names + 7 * i, all + 7 * (i + 1), sizeof all - 7 * (i + 1));
        after = claim_map(names, settings);
        if (cw_diff_new(before, after, &diff) != CW_OK)
            mem_fail();
        for (v = 0; v < diff->node_count; v++)
            if (diff->nodes[v].new_index == CW_NONE
                && diff->nodes[v].receivers < out->value)
                out->value = diff->nodes[v].receivers;
        cw_diff_free(diff);
        cw_map_unref(before);
        cw_map_unref(after);
    }
}

const struct claim_row claims_moves[] = {
    { "modulo-3", modulo, 3 },
    { "modulo-4", modulo, 4 },
    { "modulo-9", modulo, 9 },
    { "modulo-3-sd", modulo_sd, 3 },
    { "modulo-4-sd", modulo_sd, 4 },
    { "modulo-9-sd", modulo_sd, 9 },
    { "modulo-published", modulo_published, 0 },
    { "ring-3", ring, 3 },
    { "ring-4", ring, 4 },
    { "ring-9", ring, 9 },
    { "ring-10", ring_10, 0 },
    { "ring-10-sd", ring, -10 },
    { "rendezvous-10", rendezvous_10, 0 },
    { "jump-10", jump_10, 0 },
    { "receivers-150", receivers, 150 },
    { "receivers-1", receivers, 1 },
    { NULL, NULL, 0 }
};
