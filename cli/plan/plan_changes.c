/* SPDX-License-Identifier: Apache-2.0 */
/* plan_changes.c - in what the two fleets differ, node by node. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/pins_note.h"
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

/* ---- pins and the bound ------------------------------------------------ */

struct pin_changes {
    size_t added, gone, other;      /* other: to other nodes                */
    size_t texts;                   /* of them, keys and prefixes           */
    cw_pin first;                   /* one of them                          */
};

static bool
same_nodes(const cw_pin *a, const cw_pin *b)
{
    uint32_t i;

    if (a->count != b->count)
        return false;
    for (i = 0; i < a->count; i++)
        if (!same(a->nodes[i].data, a->nodes[i].len, b->nodes[i].data,
                  b->nodes[i].len))
            return false;
    return true;
}

static void
note_pin(struct pin_changes *c, const cw_pin *pin)
{
    if (c->added + c->gone + c->other == 1)
        c->first = *pin;
    c->texts += pin->kind != CW_PIN_RANGE;
}

/* Both lists are in one order: go through them side by side. */
static void
compare_pins(const cw_pins *from, const cw_pins *to, struct pin_changes *c)
{
    size_t i = 0, j = 0;
    cw_pin a, b;

    for (;;) {
        bool has_a = from != NULL && cw_pins_at(from, i, &a) == CW_OK;
        bool has_b = to != NULL && cw_pins_at(to, j, &b) == CW_OK;
        int order = !has_a ? 1 : !has_b ? -1 : pins_note_compare(&a, &b);

        if (!has_a && !has_b)
            return;
        i += order <= 0;
        j += order >= 0;
        c->gone += order < 0;
        c->added += order > 0;
        if (order == 0 && same_nodes(&a, &b))
            continue;
        c->other += order == 0;
        note_pin(c, order < 0 ? &a : &b);
    }
}

static void
pins(struct plan *p)
{
    struct pin_changes c = { 0 };
    struct buf one = { 0 };

    compare_pins(cw_map_pins(p->from->map), cw_map_pins(p->to->map), &c);
    if (c.added + c.gone + c.other == 0)
        return;
    pins_note_one(&one, &c.first);
    if (c.added + c.gone + c.other == 1)
        add(p, PLAN_PINS, CW_NONE, CW_NONE,
            plan_format("pin of %s %s", one.data, c.added ? "added"
                        : c.gone ? "taken away" : "to another node"));
    else
        add(p, PLAN_PINS, CW_NONE, CW_NONE,
            plan_format("pins: %zu added, %zu taken away, %zu to other nodes "
                        "(%s, ...)", c.added, c.gone, c.other, one.data));
    buf_free(&one);
    if (c.texts > 0 && p->ask->keys == NULL)
        plan_warn(p, "pins of %zu key%s or prefix%s change; shares do not "
                  "count them: give the keys with --keys", c.texts,
                  c.texts == 1 ? "" : "s", c.texts == 1 ? "" : "es");
}

/* Pins to nodes that are no longer there fall to the next or to nobody. */
static void
lost_pins(struct plan *p)
{
    const cw_pins *has = cw_map_pins(p->to->map);
    size_t i, lost = 0;
    cw_pin pin;
    uint32_t k;

    for (i = 0; has != NULL && cw_pins_at(has, i, &pin) == CW_OK; i++)
        for (k = 0; k < pin.count; k++)
            lost += cw_map_find(p->to->map, pin.nodes[k].data,
                                pin.nodes[k].len) == CW_NONE;
    if (lost > 0)
        plan_warn(p, "%zu pin%s to a node that is not in the new fleet: what "
                  "is pinned falls to the pin's next node, else to the "
                  "placement", lost, lost == 1 ? " is" : "s are");
}

static void
bound(struct plan *p)
{
    unsigned a = p->from->model.pools[0].bound;
    unsigned b = p->to->model.pools[0].bound;
    char from[16] = "none", to[16] = "none";

    if (a == b)
        return;
    if (a != 0)
        snprintf(from, sizeof from, "%u %%", a);
    if (b != 0)
        snprintf(to, sizeof to, "%u %%", b);
    add(p, PLAN_BOUND, CW_NONE, CW_NONE,
        plan_format("bound on load from %s to %s, which moves no owner", from,
                    to));
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
    pins(p);
    lost_pins(p);
    bound(p);
}
