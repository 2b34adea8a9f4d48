/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_reasons.c - why keys move that need not: read from what the placement
 * promises and from what was changed, never guessed from the figures alone.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/plan/plan.h"

/* Below this, excess churn is rounding. */
#define NO_EXCESS 1e-9

static void
add(struct plan *p, const char *id, char *text)
{
    p->reasons = mem_resize(p->reasons, p->reason_count + 1,
                            sizeof *p->reasons);
    p->reasons[p->reason_count].id = id;
    p->reasons[p->reason_count++].text = text;
}

static size_t
count(const struct plan *p, enum plan_kind kind)
{
    size_t i, n = 0;

    for (i = 0; i < p->change_count; i++)
        n += p->changes[i].kind == kind;
    return n;
}

static void
placement_reason(struct plan *p, const cw_row *a, const cw_row *b)
{
    if (p->diff->basis == CW_INDEPENDENT)
        add(p, "key-hash",
            plan_format("the two placements hash keys differently, so where "
                        "a key is now says nothing of where it goes: the "
                        "expectation is that all keys move but those that "
                        "meet the same node by chance"));
    else if (strcmp(a->name, b->name) != 0)
        add(p, "scheme",
            plan_format("%s and %s put nodes at different places, though "
                        "they hash keys alike", a->name, b->name));
    else
        add(p, "options",
            plan_format("the options of %s decide where its nodes are; with "
                        "other options they are elsewhere", a->name));
}

static void
row_reason(struct plan *p, const cw_row *row)
{
    if (row->traits & CW_TRAIT_MINIMAL)
        return;
    if (!(row->traits & CW_TRAIT_ORDER_FREE)
        && !(row->traits & CW_TRAIT_WEIGHTED))
        add(p, "positional",
            plan_format("%s places keys by a node's number in the list: when "
                        "the list grows or shrinks, numbers mean other nodes",
                        row->name));
    else if (row->traits & CW_TRAIT_BALANCED)
        add(p, "balance",
            plan_format("%s keeps shares even within its bound, and corrects "
                        "a few keys of other nodes for it", row->name));
    else if (row->traits & CW_TRAIT_WEIGHTED)
        add(p, "weights-as-shares",
            plan_format("%s gives a node points by its share of the total "
                        "weight: when one node's weight changes, the points "
                        "of all others change too", row->name));
    else
        add(p, "not-minimal",
            plan_format("%s does not promise that a change touches only its "
                        "own nodes", row->name));
}

/* ---- quirks that the change turns on ----------------------------------- */

struct quirks {
    struct plan *plan;
    const char  *sought;
    bool         found;
};

static int
find_quirk(void *context, const char *what, const char *remedy)
{
    struct quirks *q = context;

    (void)remedy;
    q->found = q->found || strcmp(what, q->sought) == 0;
    return q->found;
}

static int
new_quirk(void *context, const char *what, const char *remedy)
{
    struct quirks *q = context;
    struct quirks old = { q->plan, what, false };

    (void)remedy;
    /* row_reason() says that of such rows. */
    if (strncmp(what, "points are a share", 18) == 0)
        return 0;
    cw_map_quirks(q->plan->from->map, find_quirk, &old);
    if (!old.found)
        add(q->plan, "quirk", plan_format("from now on %s", what));
    return 0;
}

/* Several clients name one machine in several ways. */
static bool
same_address(const struct plan *p)
{
    uint32_t i, j;

    for (i = 0; i < p->diff->node_count; i++) {
        const cw_diff_node *gone = &p->diff->nodes[i];

        if (gone->new_index != CW_NONE || gone->node.address_len == 0)
            continue;
        for (j = 0; j < p->diff->node_count; j++) {
            const cw_diff_node *came = &p->diff->nodes[j];

            if (came->old_index == CW_NONE
                && came->node.address_len == gone->node.address_len
                && memcmp(came->node.address, gone->node.address,
                          gone->node.address_len) == 0)
                return true;
        }
    }
    return false;
}

static bool
named_by_address(const cw_node *node)
{
    return node->address_len == node->name_len && node->name_len > 0
           && memcmp(node->address, node->name, node->name_len) == 0;
}

/*
 * The next node from *at on, known by its address, that is only in the old
 * map (gone) or only in the new one; CW_NONE when there is none.
 */
static uint32_t
next_address(const struct plan *p, bool gone, uint32_t *at)
{
    while (*at < p->diff->node_count) {
        const cw_diff_node *d = &p->diff->nodes[(*at)++];

        if ((gone ? d->new_index : d->old_index) == CW_NONE
            && named_by_address(&d->node))
            return *at - 1;
    }
    return CW_NONE;
}

/*
 * Addresses as names: a machine that moved looks like a node that left and
 * another that came. The pairs are taken in the order of the lists.
 */
static void
address_reason(struct plan *p)
{
    uint32_t *pair = mem_alloc(p->diff->node_count, sizeof *pair);
    uint32_t gone_at = 0, came_at = 0, gone, came, i;
    double elsewhere = p->diff->moved;
    size_t pairs = 0;

    for (i = 0; i < p->diff->node_count; i++)
        pair[i] = CW_NONE;
    while ((gone = next_address(p, true, &gone_at)) != CW_NONE
           && (came = next_address(p, false, &came_at)) != CW_NONE) {
        pair[gone] = came;
        pairs++;
    }
    for (i = 0; pairs > 0 && i < p->diff->flow_count; i++) {
        const cw_flow *f = &p->diff->flows[i];

        if (f->from != CW_NONE && f->to != CW_NONE && pair[f->from] == f->to)
            elsewhere -= f->part;
    }
    mem_free(pair);
    if (pairs == 0)
        return;
    add(p, "identity",
        plan_format("nodes are known by their addresses, and %zu of them "
                    "changed: if these are the same nodes elsewhere, %.2f %% "
                    "of all keys end on another node for the address alone; "
                    "with names of their own they would stay", pairs,
                    100 * elsewhere));
}

static void
identity_reasons(struct plan *p)
{
    address_reason(p);
    if (same_address(p))
        add(p, "identity",
            plan_format("a node left and one came at the same address: the "
                        "machine is the same, its name is not, and the name "
                        "is what keys follow"));
    if (count(p, PLAN_LABEL) > 0)
        add(p, "label",
            plan_format("the label of a node decides its points; with "
                        "another label it has other points"));
    if (count(p, PLAN_ORDER) > 0)
        add(p, "order",
            plan_format("the list has another order, and this placement "
                        "depends on it"));
}

void
plan_reasons(struct plan *p)
{
    cw_row a, b;

    cw_map_row(p->from->map, &a);
    cw_map_row(p->to->map, &b);
    if (p->diff->moved <= 0)
        return;
    if (count(p, PLAN_PLACEMENT) > 0) {
        placement_reason(p, &a, &b);
    } else if (p->diff->excess_churn > NO_EXCESS) {
        struct quirks q = { p, NULL, false };

        row_reason(p, &b);
        cw_map_quirks(p->to->map, new_quirk, &q);
    }
    identity_reasons(p);
}
