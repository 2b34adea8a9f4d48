/* SPDX-License-Identifier: Apache-2.0 */
/* remedies.c - ways to mend what was found, each built and measured. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/diagnose/diagnose.h"
#include "cli/show.h"

#define MOVES_NONE 1e-9

/* max_avg 0: nothing that is planned. */
static void
add(struct diagnosis *d, char *text, char *command, double moved,
    double max_avg)
{
    struct remedy *r;
    size_t i;

    if (max_avg > 0 && moved < MOVES_NONE) {   /* it changes nothing */
        mem_free(text);
        mem_free(command);
        return;
    }
    d->remedies = mem_resize(d->remedies, d->remedy_count + 1, sizeof *r);
    for (i = d->remedy_count++; i > 0 && d->remedies[i - 1].moved > moved;
         i--)
        d->remedies[i] = d->remedies[i - 1];
    r = &d->remedies[i];
    r->text = text;
    r->command = command;
    r->moved = moved;
    r->max_avg = max_avg;
}

static bool
found(const struct diagnosis *d, enum cause cause)
{
    size_t i;

    for (i = 0; i < d->finding_count; i++)
        if (d->findings[i].cause == cause)
            return true;
    return false;
}

/* The map of a changed fleet, and what going over to it moves; a max/avg of
 * what the nodes then own against an equal part. */
static bool
try(const struct diagnosis *d, const cw_fleet *fleet,
    const cw_placement *placement, double *moved, double *max_avg)
{
    cw_map *map = NULL;
    cw_shares *s;
    cw_diff *diff;
    uint32_t i;

    if (cw_map_build(fleet, placement, &map, NULL) != CW_OK)
        return false;
    if (cw_diff_new(d->map, map, &diff) != CW_OK
        || cw_shares_new(map, &s) != CW_OK)
        mem_fail();
    *moved = diff->moved;
    *max_avg = 0;
    for (i = 0; i < s->count; i++)
        if (s->part[i] * s->count > *max_avg)
            *max_avg = s->part[i] * s->count;
    cw_shares_free(s);
    cw_diff_free(diff);
    cw_map_unref(map);
    return true;
}

/* The weight that most of the other nodes have. */
static uint64_t
usual_weight(const struct diagnosis *d)
{
    uint32_t n = cw_map_count(d->map), i, j, most = 0;
    uint64_t best = CW_WEIGHT_ONE;
    cw_node a, b;

    for (i = 0; i < n && n <= 2000; i++) {
        uint32_t alike = 0;

        cw_map_node(d->map, i, &a);
        for (j = 0; j < n; j++) {
            cw_map_node(d->map, j, &b);
            alike += j != d->node && a.weight == b.weight;
        }
        if (i != d->node && alike > most) {
            most = alike;
            best = a.weight;
        }
    }
    return best;
}

/* A fleet with other weights, and the command that plans it. */
struct reweigh {
    cw_fleet  *fleet;
    struct buf command;
};

static void
reweigh_begin(struct reweigh *r, const cw_fleet *fleet)
{
    memset(r, 0, sizeof *r);
    r->fleet = cw_fleet_copy(fleet);
    if (r->fleet == NULL)
        mem_fail();
}

static void
reweigh(struct reweigh *r, const struct cli_words *words, const cw_node *node,
        uint64_t weight)
{
    char text[32];

    if (node->weight == weight)
        return;
    if (cw_fleet_set_weight(r->fleet, node->name, node->name_len, weight,
                            NULL) != CW_OK)
        mem_fail();
    if (r->command.len == 0)
        buf_print(&r->command, "clockwise plan %s", words->both.data);
    buf_str(&r->command, " --weight ");
    str_shell(&r->command, node->name, node->name_len);
    buf_print(&r->command, "=%s", show_weight(weight, text));
}

/* Takes text, and what r holds. */
static void
reweigh_end(struct diagnosis *d, struct reweigh *r, cw_placement *placement,
            char *text)
{
    double moved, max_avg;

    if (r->command.len > 0 && try(d, r->fleet, placement, &moved, &max_avg))
        add(d, text, diagnose_format("%s", r->command.data), moved, max_avg);
    else
        mem_free(text);
    buf_free(&r->command);
    cw_fleet_free(r->fleet);
}

/* One node to the others' weight, or all others to its. */
static void
weights(struct diagnosis *d, struct loaded *fleet,
        const struct cli_words *words, bool others)
{
    const struct conf_pool *pool = fleet->model.pools;
    uint64_t usual = usual_weight(d);
    struct reweigh r;
    char text[32];
    cw_node mine, node;
    uint32_t i;

    reweigh_begin(&r, pool->fleet);
    cw_map_node(d->map, d->node, &mine);
    for (i = 0; i < cw_map_count(d->map); i++) {
        cw_map_node(d->map, i, &node);
        if ((i == d->node) != others)
            reweigh(&r, words, &node, others ? mine.weight : usual);
    }
    reweigh_end(d, &r, pool->placement, others
        ? diagnose_format("give all others its weight, %s",
                          show_weight(mine.weight, text))
        : diagnose_format("give %s the weight of the others, %s", mine.name,
                          show_weight(usual, text)));
}

/* The weights that the nodes' memory asks for, the smallest having 1. */
static void
capacities(struct diagnosis *d, struct loaded *fleet,
           const struct cli_words *words)
{
    const struct conf_pool *pool = fleet->model.pools;
    uint64_t least = UINT64_MAX, x = 0;
    struct reweigh r;
    cw_node node;
    uint32_t i;

    reweigh_begin(&r, pool->fleet);
    for (i = 0; i < cw_map_count(d->map); i++) {
        counted_value(&d->load->counted[i], COUNT_CAPACITY, &x);
        least = x < least ? x : least;
    }
    for (i = 0; i < cw_map_count(d->map); i++) {
        cw_map_node(d->map, i, &node);
        counted_value(&d->load->counted[i], COUNT_CAPACITY, &x);
        reweigh(&r, words, &node,
                (uint64_t)((double)x / (double)least * 100 + 0.5)
                * (CW_WEIGHT_ONE / 100));
    }
    reweigh_end(d, &r, pool->placement,
                diagnose_format("weights as the nodes' memory"));
}

/* Four times the points: half the deviation. */
static void
more_points(struct diagnosis *d, struct loaded *fleet,
            const struct cli_words *words)
{
    const struct conf_pool *pool = fleet->model.pools;
    char now[32], more[32];
    double moved, max_avg, each;
    cw_node node;

    cw_map_node(d->map, d->node, &node);
    if (node.weight == 0)
        return;
    each = (double)cw_map_node_points(d->map, d->node)
           / ((double)node.weight / (double)CW_WEIGHT_ONE);
    if (each < 1)
        return;
    snprintf(now, sizeof now, "%.0f", each);
    snprintf(more, sizeof more, "%.0f", 4 * each);
    if (cw_placement_set(pool->placement, "points", more, NULL) != CW_OK)
        return;                 /* a row that has its own number */
    if (try(d, pool->fleet, pool->placement, &moved, &max_avg))
        add(d, diagnose_format("four times the points, %s", more),
            diagnose_format("clockwise plan %s --placement points=%s",
                            words->both.data, more), moved, max_avg);
    cw_placement_set(pool->placement, "points", now, NULL);
}

static void
placements(struct diagnosis *d, struct loaded *fleet,
           const struct cli_words *words)
{
    cw_placement *p = cw_placement_new(NULL);
    double moved, max_avg;

    if (p == NULL)
        mem_fail();
    if (cw_placement_set(p, "algorithm", "slots", NULL) == CW_OK
        && try(d, fleet->model.pools[0].fleet, p, &moved, &max_avg))
        add(d, diagnose_format("a placement that keeps shares even: slots"),
            diagnose_format("clockwise plan %s --placement slots",
                            words->old.data), moved, max_avg);
    cw_placement_free(p);
}

void
diagnose_remedies(struct diagnosis *d, struct loaded *fleet,
                  const struct cli_words *words)
{
    if (found(d, CAUSE_HOT_KEY))
        add(d, diagnose_format("no placement splits one key: keep the hot "
                               "keys in the clients for a moment, or store "
                               "copies under several names and read one of "
                               "them"), NULL, 0, 0);
    if (found(d, CAUSE_VIEW) || found(d, CAUSE_MISSING))
        add(d, diagnose_format("give all clients the same list"),
            diagnose_format("clockwise verify %s FILE ...",
                            words->both.data), 0, 0);
    if (found(d, CAUSE_WEIGHT)) {
        weights(d, fleet, words, false);
        weights(d, fleet, words, true);
    }
    if (found(d, CAUSE_ARCS) && !found(d, CAUSE_HASH))
        more_points(d, fleet, words);
    if (found(d, CAUSE_ARCS) || found(d, CAUSE_HASH))
        placements(d, fleet, words);
    if (d->misweighted)
        capacities(d, fleet, words);
    if (found(d, CAUSE_TAG))
        add(d, diagnose_format("hash more of the key: another hash tag, or "
                               "none; keys that belong together then part"),
            NULL, 0, 0);
    if (found(d, CAUSE_MACHINE))
        add(d, diagnose_format("weights that sum up to the machine's, or one "
                               "node a machine; a zone for each machine keeps "
                               "replicas apart"), NULL, 0, 0);
}
