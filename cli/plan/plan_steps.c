/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_steps.c - several changes, one after the other: capacity comes before
 * it goes, so that no step leaves the fleet smaller than it must be.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/plan/plan.h"

/* Order of the steps: additions, raises, the placement, cuts, removals. */
static int
rank(const struct plan *p, const struct plan_change *c)
{
    cw_node a, b;

    switch (c->kind) {
    case PLAN_ADD:
        return 0;
    case PLAN_WEIGHT:
        cw_map_node(p->from->map, c->old_index, &a);
        cw_map_node(p->to->map, c->new_index, &b);
        return b.weight > a.weight ? 1 : 4;
    case PLAN_LABEL:
    case PLAN_POSITIONS:
        return 2;
    case PLAN_PLACEMENT:
        return 3;
    case PLAN_PINS:
        /* A new placement brings its pins along. */
        return plan_placement_differs(p) ? -1 : 3;
    case PLAN_REMOVE:
        return 5;
    default:
        return -1;      /* moves no key */
    }
}

struct stage {
    cw_fleet           *fleet;
    const cw_placement *placement;
    cw_map             *map;
};

/* Positions of a node are kept by the fleet under its number there. */
static const uint64_t *
positions_of(const cw_fleet *fleet, const cw_node *node, uint32_t *count)
{
    uint32_t i;

    for (i = 0; i < cw_fleet_count(fleet); i++) {
        cw_node other;

        cw_fleet_node(fleet, i, &other);
        if (other.name_len == node->name_len
            && memcmp(other.name, node->name, node->name_len) == 0) {
            *count = other.positions;
            return cw_fleet_positions(fleet, i);
        }
    }
    *count = 0;
    return NULL;
}

/* Give the node in fleet what it has in the new one. */
static cw_status
take_over(struct plan *p, cw_fleet *fleet, const cw_node *n)
{
    uint32_t count;
    const uint64_t *positions = positions_of(p->to->model.pools[0].fleet, n,
                                             &count);
    cw_status st = cw_fleet_set_label(fleet, n->name, n->name_len, n->label,
                                      n->label_len, NULL);

    if (st == CW_OK)
        st = cw_fleet_set_zone(fleet, n->name, n->name_len, n->zone,
                               n->zone_len, NULL);
    if (st == CW_OK)
        st = cw_fleet_set_positions(fleet, n->name, n->name_len, positions,
                                    count, NULL);
    return st;
}

static void
apply(struct plan *p, struct stage *s, const struct plan_change *c)
{
    cw_node n;
    cw_status st = CW_OK;

    if (c->new_index != CW_NONE)
        cw_map_node(p->to->map, c->new_index, &n);
    else if (c->old_index != CW_NONE)
        cw_map_node(p->from->map, c->old_index, &n);
    switch (c->kind) {
    case PLAN_ADD:
        st = cw_fleet_add(s->fleet, n.name, n.name_len, n.weight, NULL);
        if (st == CW_OK)
            st = take_over(p, s->fleet, &n);
        break;
    case PLAN_REMOVE:
        st = cw_fleet_remove(s->fleet, n.name, n.name_len, NULL);
        break;
    case PLAN_WEIGHT:
        st = cw_fleet_set_weight(s->fleet, n.name, n.name_len, n.weight,
                                 NULL);
        break;
    case PLAN_PLACEMENT:
    case PLAN_PINS:
        s->placement = p->to->model.pools[0].placement;
        break;
    default:
        st = take_over(p, s->fleet, &n);
        break;
    }
    if (st == CW_ENOMEM)
        mem_fail();
}

static void
measure(struct plan *p, struct stage *s, const struct plan_change *c,
        const cw_map *next)
{
    struct plan_step *step = &p->steps[p->step_count++];
    cw_shares *shares;
    cw_diff *d;
    uint32_t i, most = 0;
    cw_node node;

    if (cw_diff_new(s->map, next, &d) != CW_OK
        || cw_shares_new(next, &shares) != CW_OK)
        mem_fail();
    memset(step, 0, sizeof *step);
    step->text = plan_format("%s", c->text);
    step->moved = d->moved;
    step->ideal = d->ideal;
    step->excess = d->excess_churn;
    step->max_avg = shares->balance.max_avg;
    for (i = 1; i < shares->count; i++)
        if (shares->part[i] > shares->part[most])
            most = i;
    if (shares->count > 0) {
        cw_map_node(next, most, &node);
        step->busiest = shares->part[most];
        step->node = plan_name(&node);
    }
    cw_shares_free(shares);
    cw_diff_free(d);
}

/* False when the fleet between two steps is one that the placement refuses
 * (unequal weights for a moment): then no order can be shown. */
static bool
one_step(struct plan *p, struct stage *s, const struct plan_change *c)
{
    cw_map *next = NULL;
    cw_status st;

    apply(p, s, c);
    st = cw_map_build(s->fleet, s->placement, &next, NULL);
    if (st == CW_ENOMEM)
        mem_fail();
    if (st != CW_OK)
        return false;
    measure(p, s, c, next);
    cw_map_unref(s->map);
    s->map = next;
    return true;
}

/* Renames move no key: they are made before the first step. */
static void
rename_all(struct plan *p, struct stage *s)
{
    size_t i;

    for (i = 0; i < p->change_count; i++) {
        const struct plan_change *c = &p->changes[i];
        cw_node a, b;

        if (c->kind != PLAN_RENAME)
            continue;
        cw_map_node(p->from->map, c->old_index, &a);
        cw_map_node(p->to->map, c->new_index, &b);
        if (cw_fleet_rename(s->fleet, a.name, a.name_len, b.name, b.name_len,
                            NULL) == CW_ENOMEM)
            mem_fail();
    }
    if (cw_map_build(s->fleet, s->placement, &s->map, NULL) != CW_OK)
        mem_fail();     /* the old fleet was built once already */
}

/* More steps than a person will follow. */
enum { STEPS_MAX = 64 };

void
plan_steps(struct plan *p)
{
    struct stage s;
    size_t i, n = 0;
    bool ok = true;
    int r;

    for (i = 0; i < p->change_count; i++)
        n += rank(p, &p->changes[i]) >= 0;
    if (n < 2 || n > STEPS_MAX)
        return;
    p->steps = mem_alloc(n, sizeof *p->steps);
    s.fleet = cw_fleet_copy(p->from->model.pools[0].fleet);
    if (s.fleet == NULL)
        mem_fail();
    s.placement = p->from->model.pools[0].placement;
    rename_all(p, &s);
    for (r = 0; r <= 5 && ok; r++)
        for (i = 0; i < p->change_count && ok; i++)
            if (rank(p, &p->changes[i]) == r)
                ok = one_step(p, &s, &p->changes[i]);
    if (!ok)
        plan_warn(p, "the placement refuses the fleet between two steps: "
                  "make the change at once");
    cw_map_unref(s.map);
    cw_fleet_free(s.fleet);
}
