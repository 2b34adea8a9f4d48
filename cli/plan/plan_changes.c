/* SPDX-License-Identifier: Apache-2.0 */
/* plan_changes.c - in what the two fleets differ, node by node. */
#include <string.h>

#include "base/mem.h"
#include "cli/plan/plan.h"
#include "cli/show.h"

static void
add(struct plan *p, enum plan_kind kind, uint32_t old_index,
    uint32_t new_index, char *text)
{
    struct plan_change *c;

    p->changes = mem_resize(p->changes, p->change_count + 1, sizeof *c);
    c = &p->changes[p->change_count++];
    c->kind = kind;
    c->old_index = old_index;
    c->new_index = new_index;
    c->text = text;
}

static bool
same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

static void
kept_node(struct plan *p, const cw_diff_node *d, const char *name)
{
    char from[32], to[32];
    cw_node a, b;
    uint32_t i = d->old_index, j = d->new_index;

    cw_map_node(p->from->map, i, &a);
    cw_map_node(p->to->map, j, &b);
    if (!same(a.name, a.name_len, b.name, b.name_len)) {
        char *was = plan_name(&a);

        add(p, PLAN_RENAME, i, j,
            plan_format("rename %s to %s, which keeps its points: its keys "
                        "keep their place, on another machine if it is one",
                        was, name));
        mem_free(was);
    }
    if (a.weight != b.weight)
        add(p, PLAN_WEIGHT, i, j,
            plan_format("weight of %s from %s to %s", name,
                        show_weight(a.weight, from),
                        show_weight(b.weight, to)));
    if (!same(a.label, a.label_len, b.label, b.label_len))
        add(p, PLAN_LABEL, i, j,
            plan_format("label of %s, which decides its points", name));
    if (a.positions != b.positions)
        add(p, PLAN_POSITIONS, i, j,
            plan_format("positions of %s", name));
    if (!same(a.zone, a.zone_len, b.zone, b.zone_len))
        add(p, PLAN_ZONE, i, j,
            plan_format("zone of %s from %s to %s", name,
                        a.zone_len ? a.zone : "none",
                        b.zone_len ? b.zone : "none"));
    if (!same(a.address, a.address_len, b.address, b.address_len))
        add(p, PLAN_ADDRESS, i, j,
            plan_format("address of %s, which moves no key", name));
    if (a.state != b.state)
        add(p, PLAN_STATE, i, j,
            plan_format("state of %s, which moves no owner", name));
}

static void
one_node(struct plan *p, const cw_diff_node *d)
{
    char *name = plan_name(&d->node);
    char weight[32];

    if (d->old_index == CW_NONE)
        add(p, PLAN_ADD, CW_NONE, d->new_index,
            plan_format("add %s, weight %s", name,
                        show_weight(d->node.weight, weight)));
    else if (d->new_index == CW_NONE)
        add(p, PLAN_REMOVE, d->old_index, CW_NONE,
            plan_format("remove %s, weight %s", name,
                        show_weight(d->node.weight, weight)));
    else
        kept_node(p, d, name);
    mem_free(name);
}

/* The nodes that both lists hold, in another order? */
static bool
order_differs(const struct plan *p)
{
    uint32_t last = 0, i;
    bool first = true;

    for (i = 0; i < cw_map_count(p->to->map); i++) {
        cw_node node;
        uint32_t was;

        cw_map_node(p->to->map, i, &node);
        was = cw_map_find(p->from->map, node.name, node.name_len);
        if (was == CW_NONE)
            continue;
        if (!first && was < last)
            return true;
        last = was;
        first = false;
    }
    return false;
}

void
plan_changes(struct plan *p)
{
    cw_row a, b;
    uint32_t i;

    cw_map_row(p->from->map, &a);
    cw_map_row(p->to->map, &b);
    if (strcmp(a.name, b.name) != 0)
        add(p, PLAN_PLACEMENT, CW_NONE, CW_NONE,
            plan_format("placement from %s to %s", a.name, b.name));
    else if (plan_placement_differs(p))
        add(p, PLAN_PLACEMENT, CW_NONE, CW_NONE,
            plan_format("options of the placement %s", a.name));
    /* Maps of order-free rows number nodes by name: nothing to compare. */
    if (!(a.traits & b.traits & CW_TRAIT_ORDER_FREE) && order_differs(p))
        add(p, PLAN_ORDER, CW_NONE, CW_NONE,
            plan_format("order of the list, which %s depends on",
                        a.traits & CW_TRAIT_ORDER_FREE ? b.name : a.name));
    for (i = 0; i < p->diff->node_count; i++)
        one_node(p, &p->diff->nodes[i]);
}
