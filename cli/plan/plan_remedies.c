/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_remedies.c - ways to reach the same fleet, or one as good, that move
 * less; each is built and measured, and comes with the command that plans it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/plan/plan.h"
#include "cli/show.h"

static struct plan_remedy *
add(struct plan *p, char *text, char *command)
{
    struct plan_remedy *r;

    p->remedies = mem_resize(p->remedies, p->remedy_count + 1, sizeof *r);
    r = &p->remedies[p->remedy_count++];
    memset(r, 0, sizeof *r);
    r->text = text;
    r->command = command;
    return r;
}

static cw_map *
build(const cw_fleet *fleet, const cw_placement *placement)
{
    cw_map *map = NULL;

    if (cw_map_build(fleet, placement, &map, NULL) == CW_ENOMEM)
        mem_fail();
    return map;         /* NULL: the placement refuses this fleet */
}

static void
measure(struct plan_remedy *r, const cw_map *from, const cw_map *to)
{
    cw_diff *d;
    cw_shares *s;

    if (cw_diff_new(from, to, &d) != CW_OK || cw_shares_new(to, &s) != CW_OK)
        mem_fail();
    r->moved = d->moved;
    r->excess = d->excess_churn;
    r->max_avg = s->balance.max_avg;
    cw_diff_free(d);
    cw_shares_free(s);
}

/* ---- a machine replaced: rename instead of remove and add --------------- */

/* The added node that best stands in for a removed one: of its weight, in
 * its zone if there is one; CW_NONE when none is left. */
static uint32_t
stand_in(const struct plan *p, const cw_diff_node *gone, const bool *taken)
{
    uint32_t best = CW_NONE, j;

    for (j = 0; j < p->diff->node_count; j++) {
        const cw_diff_node *d = &p->diff->nodes[j];
        bool zone = d->node.zone_len == gone->node.zone_len
                    && memcmp(d->node.zone, gone->node.zone,
                              gone->node.zone_len) == 0;

        if (d->old_index != CW_NONE || taken[j]
            || d->node.weight != gone->node.weight)
            continue;
        if (zone)
            return j;
        if (best == CW_NONE)
            best = j;
    }
    return best;
}

/*
 * The changes that a rename does not make, so that the way leads to the same
 * weights and the same number of nodes.
 */
static void
other_changes(const struct plan *p, const bool *paired, cw_fleet *fleet,
              struct buf *command)
{
    char weight[32];
    uint32_t i;

    for (i = 0; i < p->diff->node_count; i++) {
        const cw_diff_node *d = &p->diff->nodes[i];
        const cw_node *n = &d->node;
        cw_status st = CW_OK;
        cw_node old;

        if (paired[i])
            continue;
        if (d->new_index == CW_NONE) {
            buf_str(command, " --remove ");
            str_shell(command, n->name, n->name_len);
            st = cw_fleet_remove(fleet, n->name, n->name_len, NULL);
        } else if (d->old_index == CW_NONE) {
            buf_str(command, " --add ");
            str_shell(command, n->name, n->name_len);
            buf_print(command, "=%s", show_weight(n->weight, weight));
            st = cw_fleet_add(fleet, n->name, n->name_len, n->weight, NULL);
        } else {
            cw_map_node(p->from->map, d->old_index, &old);
            if (old.weight == n->weight)
                continue;
            buf_str(command, " --weight ");
            str_shell(command, old.name, old.name_len);
            buf_print(command, "=%s", show_weight(n->weight, weight));
            st = cw_fleet_set_weight(fleet, old.name, old.name_len,
                                     n->weight, NULL);
        }
        if (st == CW_ENOMEM)
            mem_fail();
    }
}

static void
rename_remedy(struct plan *p)
{
    bool *paired = mem_alloc(p->diff->node_count, sizeof *paired);
    cw_fleet *fleet = cw_fleet_copy(p->from->model.pools[0].fleet);
    struct buf command = { 0 };
    size_t pairs = 0;
    cw_map *map;
    uint32_t i, j;

    if (fleet == NULL)
        mem_fail();
    memset(paired, 0, p->diff->node_count * sizeof *paired);
    buf_print(&command, "clockwise plan %s%s", p->from_name,
              p->ask->from_options);
    for (i = 0; i < p->diff->node_count; i++) {
        const cw_node *gone = &p->diff->nodes[i].node, *came;

        if (p->diff->nodes[i].new_index != CW_NONE
            || (j = stand_in(p, &p->diff->nodes[i], paired)) == CW_NONE)
            continue;
        paired[i] = paired[j] = true;
        came = &p->diff->nodes[j].node;
        if (cw_fleet_rename(fleet, gone->name, gone->name_len, came->name,
                            came->name_len, NULL) == CW_ENOMEM)
            mem_fail();
        buf_str(&command, " --rename ");
        str_shell(&command, gone->name, gone->name_len);
        buf_char(&command, '=');
        str_shell(&command, came->name, came->name_len);
        pairs++;
    }
    other_changes(p, paired, fleet, &command);
    map = pairs > 0 ? build(fleet, p->from->model.pools[0].placement) : NULL;
    if (map != NULL) {
        struct plan_remedy *r = add(p, plan_format(
            "%zu node%s left and as many of the same weight came: to replace "
            "a machine, rename its node; it keeps its points, so that only "
            "the keys it had are cold", pairs, pairs == 1 ? "" : "s"),
            plan_format("%s", command.data));

        measure(r, p->from->map, map);
    }
    cw_map_unref(map);
    cw_fleet_free(fleet);
    buf_free(&command);
    mem_free(paired);
}

/* ---- the list as it was ------------------------------------------------- */

static bool
has_change(const struct plan *p, enum plan_kind kind)
{
    size_t i;

    for (i = 0; i < p->change_count; i++)
        if (p->changes[i].kind == kind)
            return true;
    return false;
}

static void
append(cw_fleet *fleet, const cw_node *n)
{
    cw_status st = cw_fleet_add(fleet, n->name, n->name_len, n->weight, NULL);

    if (st == CW_OK)
        st = cw_fleet_set_label(fleet, n->name, n->name_len, n->label,
                                n->label_len, NULL);
    if (st == CW_OK)
        st = cw_fleet_set_zone(fleet, n->name, n->name_len, n->zone,
                               n->zone_len, NULL);
    if (st == CW_ENOMEM)
        mem_fail();
}

/* The new nodes in the old order, what is new at the end. */
static void
order_remedy(struct plan *p)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_map *map;
    cw_node n;
    uint32_t i;

    if (fleet == NULL)
        mem_fail();
    for (i = 0; i < p->diff->node_count; i++) {
        const cw_diff_node *d = &p->diff->nodes[i];

        if (d->new_index == CW_NONE)
            continue;
        cw_map_node(p->to->map, d->new_index, &n);
        append(fleet, &n);
    }
    map = build(fleet, p->to->model.pools[0].placement);
    if (map != NULL)
        measure(add(p, plan_format("keep the old order of the list and put "
                                   "what is new at its end"), NULL),
                p->from->map, map);
    cw_map_unref(map);
    cw_fleet_free(fleet);
}

/* ---- a placement that moves only what must ------------------------------ */

static void
placement_remedy(struct plan *p, const char *algorithm)
{
    cw_placement *placement = cw_placement_new(NULL);
    cw_map *before, *after;
    cw_row row;

    if (placement == NULL)
        mem_fail();
    cw_map_row(p->to->map, &row);
    if (strcmp(row.name, algorithm) == 0
        || cw_placement_set(placement, "algorithm", algorithm, NULL)
               != CW_OK) {
        cw_placement_free(placement);
        return;
    }
    before = build(p->from->model.pools[0].fleet, placement);
    after = build(p->to->model.pools[0].fleet, placement);
    if (before != NULL && after != NULL) {
        struct plan_remedy *r = add(p, NULL, plan_format(
            "clockwise plan %s %s --set algorithm=%s", p->from_name,
            p->to_name, algorithm));
        struct plan_remedy once;

        measure(r, before, after);
        measure(&once, p->from->map, before);
        r->text = plan_format("under %s this change moves that much; going "
                              "over to it moves %.2f %% of the keys once",
                              algorithm, 100 * once.moved);
    }
    cw_map_unref(before);
    cw_map_unref(after);
    cw_placement_free(placement);
}

/* Least moved first; equal ones as they were found. */
static void
sort(struct plan *p)
{
    size_t i, j;

    for (i = 1; i < p->remedy_count; i++) {
        struct plan_remedy r = p->remedies[i];

        for (j = i; j > 0 && p->remedies[j - 1].moved > r.moved; j--)
            p->remedies[j] = p->remedies[j - 1];
        p->remedies[j] = r;
    }
}

void
plan_remedies(struct plan *p)
{
    static const char *const placements[] = { "ring", "slots", "rendezvous" };
    size_t i;

    if (has_change(p, PLAN_ADD) && has_change(p, PLAN_REMOVE))
        rename_remedy(p);
    if (has_change(p, PLAN_ORDER))
        order_remedy(p);
    /* A change of placement is asked for as such; otherwise say which one
     * would have moved no more than it must. */
    if (p->diff->excess_churn > 0.001 && !has_change(p, PLAN_PLACEMENT))
        for (i = 0; i < sizeof placements / sizeof *placements; i++)
            placement_remedy(p, placements[i]);
    sort(p);
}
