/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/slots_note.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/pick.h"

enum { SLOTS_DEFAULT = 262144, SLOTS_MAX = 1048576, SLOTS_ENOUGH = 64,
       REPLICAS_MAX = 8 };

static double
option(const struct conf_pool *pool, const char *name, double fallback)
{
    const char *value = conf_pool_value(pool, name);

    return value != NULL ? strtod(value, NULL) : fallback;
}

/*
 * Needless moves of one change are n / sqrt(slots) * g(z), where the cap is z
 * times sqrt(share) above the share. g was measured (docs/formats/slots.md,
 * +-25 %); between the points it is a straight line in its logarithm.
 */
static double
excess_of(double n, double slots, double z)
{
    static const double at[] = { 0.25, 0.5, 1, 1.5, 2 };
    static const double g[] = { 0.4, 0.22, 0.05, 0.009, 0.002 };
    unsigned            i = 0;
    double              t;

    if (z <= at[0])
        return n / sqrt(slots) * g[0];
    if (z >= at[4])
        return n / sqrt(slots) * g[4];
    while (z > at[i + 1])
        i++;
    t = (z - at[i]) / (at[i + 1] - at[i]);
    return n / sqrt(slots) * exp(log(g[i]) * (1 - t) + log(g[i + 1]) * t);
}

/*
 * What is due to a node: its part of all roles by weight, but no zone has more
 * than one role of a slot. due[zone] becomes roles of a slot for a weight of 1.
 */
static void
roles_due(const double *weight, uint32_t zones, double left, double *due)
{
    double   rest = 0, full;
    uint32_t i, found = 1;

    for (i = 0; i < zones; i++) {
        rest += weight[i];
        due[i] = 0;
    }
    while (found > 0) {
        found = 0;
        full = 0;
        for (i = 0; i < zones; i++) {
            if (due[i] > 0 || weight[i] * left <= rest)
                continue;
            due[i] = 1 / weight[i];
            full += weight[i];
            found++;
        }
        rest -= full;
        left -= found;
    }
    for (i = 0; i < zones; i++)
        if (due[i] <= 0)
            due[i] = left / rest;
}

/* Count the roles of every node, slot by slot. */
static void
count_roles(const cw_map *map, const struct slots_note *note, double *roles)
{
    uint64_t step = cw_map_top(map) / note->slots + 1;
    uint32_t set[REPLICAS_MAX], n, s, i;

    for (s = 0; s < note->slots; s++) {
        n = cw_map_order_position(map, s * step, set, note->replicas);
        for (i = 0; i < n; i++)
            roles[set[i]]++;
    }
}

static void
note_roles(const cw_map *map, struct slots_note *out)
{
    uint32_t    n = cw_map_count(map), i;
    double     *roles = mem_alloc(n, sizeof *roles);
    double     *weight = mem_alloc(n, sizeof *weight);
    double     *due = mem_alloc(n, sizeof *due);
    struct pick pick;
    bool        first = true;

    pick_init(&pick, map, true);
    for (i = 0; i < n; i++)
        roles[i] = weight[i] = 0;
    for (i = 0; i < n; i++) {
        cw_node node;

        cw_map_node(map, i, &node);
        weight[pick.zone[i]] += (double)node.weight;
    }
    roles_due(weight, pick.zone_count, out->replicas, due);
    count_roles(map, out, roles);
    for (i = 0; i < n; i++) {
        cw_node node;
        double  of_due;

        cw_map_node(map, i, &node);
        if (node.weight == 0)
            continue;
        of_due = roles[i] / (out->slots * (double)node.weight *
                             due[pick.zone[i]]);
        out->roles_max = first ? of_due : fmax(of_due, out->roles_max);
        out->roles_min = first ? of_due : fmin(of_due, out->roles_min);
        first = false;
    }
    pick_free(&pick);
    mem_free(roles);
    mem_free(weight);
    mem_free(due);
}

bool
slots_note(const struct conf_pool *pool, const cw_map *map,
           struct slots_note *out)
{
    const char *cap = conf_pool_value(pool, "cap");
    double      total = 0, least = 0, n = 0, share, slack;
    uint32_t    i;
    cw_row      row;

    cw_map_row(map, &row);
    for (i = 0; i < cw_map_count(map); i++) {
        cw_node node;

        cw_map_node(map, i, &node);
        if (node.weight == 0)
            continue;
        total += (double)node.weight;
        if (n++ == 0 || (double)node.weight < least)
            least = (double)node.weight;
    }
    if (strcmp(row.name, "slots") != 0 || n == 0)
        return false;
    out->slots = (unsigned)option(pool, "slots", SLOTS_DEFAULT);
    share = out->slots * least / total;
    slack = 1.5 * sqrt(share);
    if (cap != NULL && strcmp(cap, "fixed") == 0)
        slack = share * option(pool, "slack", 50) / 1000;
    out->lightest = share;
    /* A node has whole slots, so the last one may be begun. */
    out->bound = ceil(share + slack) / share;
    out->excess = excess_of(n, out->slots, slack / sqrt(share));
    out->better = 0;
    if (share < SLOTS_ENOUGH) {
        out->better = out->slots;
        while (out->better * least / total < SLOTS_ENOUGH &&
               out->better < SLOTS_MAX)
            out->better *= 2;
    }
    out->replicas = (unsigned)option(pool, "replicas", 1);
    if (out->replicas > 1)
        note_roles(map, out);
    return true;
}
