/* SPDX-License-Identifier: Apache-2.0 */
/* compat_list.c - hash % N over a list with weights. */
#include "compat/compat_list.h"

/* State: this, then n ends, then n nodes. Node i has the places from the end
 * of the one before it up to its own. */
struct list {
    uint64_t n;
    uint64_t top;
};

static const uint64_t *
ends(const void *state)
{
    return (const uint64_t *)((const struct list *)state + 1);
}

static const uint32_t *
owners(const void *state)
{
    return (const uint32_t *)(ends(state) + ((const struct list *)state)->n);
}

cw_status
cwi_list_plan(const struct cwi_nodes *nodes, uint64_t top,
              struct cwi_plan *out)
{
    out->state = sizeof(struct list) + (size_t)nodes->active * 12;
    out->scratch = (size_t)nodes->n * 2 * sizeof(uint32_t);
    out->top = top;
    out->points = 0;
    return CW_OK;
}

void
cwi_list_build(void *state, void *scratch, uint64_t top,
               const struct cwi_nodes *nodes, enum cwi_list_weights weights,
               cwi_node_before *before)
{
    struct list *l = state;
    uint64_t *end = (uint64_t *)(l + 1), sum = 0, n = 0;
    uint32_t *owner = (uint32_t *)(end + nodes->active);
    uint32_t *order = scratch;

    l->n = nodes->active;
    l->top = top;
    cwi_order_nodes(order, order + nodes->n, nodes, before);
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint64_t weight = nodes->v[order[i]].weight;

        if (weight == 0)
            continue;
        sum += weights == CWI_LIST_EQUAL ? 1 : weight / CW_WEIGHT_ONE;
        end[n] = sum;
        owner[n++] = order[i];
    }
}

uint64_t
cwi_list_total(const void *state)
{
    return ends(state)[((const struct list *)state)->n - 1];
}

/* Number of the first end above i, which is below the total: with a place for
 * each node it is i. */
static uint64_t
place(const void *state, uint64_t i)
{
    uint64_t n = ((const struct list *)state)->n;

    if (cwi_list_total(state) == n)
        return i;
    return cwi_count_below(ends(state), (uint32_t)n, i + 1);
}

uint32_t
cwi_list_at(const void *state, uint64_t i)
{
    return owners(state)[place(state, i)];
}

uint32_t
cwi_list_find(const void *state, uint64_t at)
{
    return cwi_list_at(state, at % cwi_list_total(state));
}

void
cwi_list_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint64_t n = ((const struct list *)state)->n;
    uint64_t i = place(state, at % cwi_list_total(state));

    for (uint64_t left = n; left > 0; left--) {
        if (cwi_walk_visit(w, owners(state)[i]))
            return;
        i = i + 1 == n ? 0 : i + 1;
    }
}

/* Hashes 0 .. top: each place has top / total of them, the first ones one
 * more. */
void
cwi_list_share(const void *state, cwi_u128 *num)
{
    const struct list *l = state;
    cwi_u128 size = (cwi_u128)l->top + 1;
    uint64_t total = cwi_list_total(state), from = 0;
    uint64_t rest = (uint64_t)(size % total);

    for (uint64_t i = 0; i < l->n; i++) {
        uint64_t to = ends(state)[i];

        num[owners(state)[i]] += size / total * (to - from);
        if (from < rest)
            num[owners(state)[i]] += (to < rest ? to : rest) - from;
        from = to;
    }
}
