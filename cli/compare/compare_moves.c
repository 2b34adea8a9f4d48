/* SPDX-License-Identifier: Apache-2.0 */
/* compare_moves.c - what a row moves when the fleet changes. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/compare/compare_work.h"

#define SAMPLES     65536u      /* hashes, for rows without arcs            */
#define LOSSES      8u          /* nodes whose loss is tried                */
#define NEW_NODE    "clockwise-compare-added-node"

/* ---- movement ----------------------------------------------------------- */

/* From the arcs: the library says all. */
static void
move_exact(const cw_map *old, const cw_map *new, struct compare_move *m)
{
    cw_diff *diff;
    uint32_t i;
    double   gave = 0;

    if (cw_diff_new(old, new, &diff) != CW_OK)
        mem_fail();
    m->moved = diff->moved;
    m->excess = diff->excess_churn;
    m->ideal = diff->ideal;
    for (i = 0; i < diff->node_count; i++) {
        const cw_diff_node *n = &diff->nodes[i];

        if (n->new_index != CW_NONE && n->new_fair > 0)
            continue;
        if (n->gave > gave) {
            gave = n->gave;
            m->receivers = n->receivers;
            m->largest = n->largest;
        }
    }
    cw_diff_free(diff);
}

static double
fair_of(const cw_map *map, uint32_t i, double total)
{
    cw_node node;

    if (i == CW_NONE)
        return 0;
    cw_map_node(map, i, &node);
    return (double)node.weight / total;
}

static double
total_of(const cw_map *map)
{
    double   total = 0;
    uint32_t i;
    cw_node  node;

    for (i = 0; i < cw_map_count(map); i++) {
        cw_map_node(map, i, &node);
        total += (double)node.weight;
    }
    return total;
}

static double
half_difference(double a, double b)
{
    return (a > b ? a - b : b - a) / 2;
}

/* What must move: half the sum of the differences of fair shares. Writes the
 * old number of each new node, and of each old node whether it is gone (0),
 * has another weight (1), or stays as it is (2). */
static double
pair_nodes(const cw_map *old, const cw_map *new, uint32_t *old_of,
           uint8_t *stays)
{
    double   old_total = total_of(old), new_total = total_of(new), ideal = 0;
    uint32_t i;

    memset(stays, 0, cw_map_count(old));
    for (i = 0; i < cw_map_count(new); i++) {
        cw_node a, b;

        cw_map_node(new, i, &a);
        old_of[i] = cw_map_find(old, a.name, a.name_len);
        ideal += half_difference(fair_of(new, i, new_total),
                                 fair_of(old, old_of[i], old_total));
        if (old_of[i] == CW_NONE)
            continue;
        cw_map_node(old, old_of[i], &b);
        stays[old_of[i]] = b.weight == a.weight ? 2 : 1;
    }
    for (i = 0; i < cw_map_count(old); i++)
        if (stays[i] == 0)
            ideal += half_difference(0, fair_of(old, i, old_total));
    return ideal;
}

/* Over hashes, for the other rows. */
static void
move_sampled(const cw_map *old, const cw_map *new, struct compare_move *m)
{
    uint32_t  n = cw_map_count(new), i, most = 0;
    uint32_t *old_of = mem_alloc(n, sizeof *old_of);
    uint32_t *taken = mem_alloc(n, sizeof *taken);
    uint8_t  *stays = mem_alloc(cw_map_count(old), 1);
    uint32_t  moved = 0, excess = 0, lost = 0;

    memset(taken, 0, n * sizeof *taken);
    m->ideal = pair_nodes(old, new, old_of, stays);
    for (i = 0; i < SAMPLES; i++) {
        uint64_t hash = compare_hash(i);
        uint32_t a = 0, b = 0;

        cw_map_owner_hash(old, hash, &a);
        cw_map_owner_hash(new, hash, &b);
        if (old_of[b] == a)
            continue;
        moved++;
        /* Neither changed: what moved between them need not have. */
        excess += stays[a] == 2 && old_of[b] != CW_NONE &&
                  stays[old_of[b]] == 2;
        if (stays[a] == 0) {
            lost++;
            taken[b]++;
        }
    }
    for (i = 0; i < n; i++) {
        m->receivers += taken[i] > 0;
        most = taken[i] > most ? taken[i] : most;
    }
    m->moved = (double)moved / SAMPLES;
    m->excess = (double)excess / SAMPLES;
    m->largest = lost ? (double)most / lost : 0;
    mem_free(old_of);
    mem_free(taken);
    mem_free(stays);
}

/* The row on a changed fleet; frees it. */
static struct compare_move
move_to(const struct compare_row *r, const cw_map *old, cw_fleet *fleet)
{
    struct compare_move m = { .known = false };
    cw_map             *new = compare_map(fleet, r->row.name, r->option,
                                     r->value, NULL);
    uint32_t            owner;

    cw_fleet_free(fleet);
    if (new == NULL)
        return m;
    m.known = cw_map_owner_hash(new, 0, &owner) == CW_OK;
    if (m.known && r->exact)
        move_exact(old, new, &m);
    else if (m.known)
        move_sampled(old, new, &m);
    cw_map_unref(new);
    return m;
}

/* ---- the changes -------------------------------------------------------- */

static double
effort(const struct compare_move *m)
{
    return m->ideal > 0 ? m->moved / m->ideal : 0;
}

/* Nodes all over the list, one after the other. */
static void
lose_nodes(struct compare_work *w, struct compare_row *r, const cw_map *old)
{
    uint32_t n = cw_fleet_count(w->fleet), tries = n < LOSSES ? n : LOSSES, i;
    uint32_t known = 0;

    for (i = 0; i < tries && n > 1; i++) {
        cw_fleet           *fleet = compare_copy(w->fleet);
        struct compare_move m;
        cw_node             node;

        cw_fleet_node(fleet, (uint32_t)((uint64_t)i * n / tries), &node);
        cw_fleet_remove(fleet, node.name, node.name_len, NULL);
        m = move_to(r, old, fleet);
        if (!m.known)
            continue;
        known++;
        r->lose.moved += m.moved;
        r->lose.excess += m.excess;
        r->lose.ideal += m.ideal;
        r->lose.largest += m.largest;
        r->lose.receivers += m.receivers;
        if (known == 1 || effort(&m) > effort(&r->lose_worst))
            r->lose_worst = m;
        progress_tick(&w->progress, ++w->steps);
    }
    if (known == 0)
        return;
    r->lose.known = true;
    r->lose.moved /= known;
    r->lose.excess /= known;
    r->lose.ideal /= known;
    r->lose.largest /= known;
    r->lose.receivers /= known;
}

/* All nodes of the zone with the most of them. */
static cw_fleet *
without_zone(const cw_fleet *from)
{
    cw_fleet *fleet;
    uint32_t  n = cw_fleet_count(from), i, j, most = 0, best = 0, kept = 0;
    cw_node   a, b, zone;

    for (i = 0; i < n; i++) {
        uint32_t same = 0;

        cw_fleet_node(from, i, &a);
        for (j = 0; j < n && a.zone_len > 0; j++) {
            cw_fleet_node(from, j, &b);
            same += a.zone_len == b.zone_len &&
                    memcmp(a.zone, b.zone, a.zone_len) == 0;
        }
        if (same > most) {
            most = same;
            best = i;
        }
    }
    if (most == 0 || most == n)
        return NULL;
    fleet = compare_copy(from);
    cw_fleet_node(from, best, &zone);
    while (kept < cw_fleet_count(fleet)) {
        cw_fleet_node(fleet, kept, &a);
        if (a.zone_len == zone.zone_len &&
            memcmp(a.zone, zone.zone, a.zone_len) == 0)
            cw_fleet_remove(fleet, a.name, a.name_len, NULL);
        else
            kept++;
    }
    return fleet;
}

static bool
add_node(const struct compare_work *w, cw_fleet *fleet, uint64_t weight)
{
    char label[16];
    int  len = snprintf(label, sizeof label, "%u", cw_fleet_count(fleet));

    return cw_fleet_add(fleet, NEW_NODE, strlen(NEW_NODE), weight, NULL) ==
           CW_OK &&
           (!w->numbered ||
            cw_fleet_set_label(fleet, NEW_NODE, strlen(NEW_NODE), label,
                               (size_t)len, NULL) == CW_OK);
}

void
compare_moves(struct compare_work *w, struct compare_row *r, const cw_map *old)
{
    cw_fleet *fleet = compare_copy(w->fleet);
    cw_node   node;
    uint32_t  i = 0;

    do      /* of the fleet that stays: the copies go */
        cw_fleet_node(w->fleet, i, &node);
    while (node.weight == 0 && ++i < cw_fleet_count(w->fleet));
    if (add_node(w, fleet, node.weight))
        r->add = move_to(r, old, fleet);
    else
        cw_fleet_free(fleet);
    progress_tick(&w->progress, ++w->steps);
    lose_nodes(w, r, old);
    fleet = compare_copy(w->fleet);
    if (r->row.traits & CW_TRAIT_WEIGHTED &&
        cw_fleet_set_weight(fleet, node.name, node.name_len,
                            2 * node.weight, NULL) == CW_OK)
        r->reweigh = move_to(r, old, fleet);
    else
        cw_fleet_free(fleet);
    progress_tick(&w->progress, ++w->steps);
    fleet = without_zone(w->fleet);
    if (fleet != NULL)
        r->zone = move_to(r, old, fleet);
}
