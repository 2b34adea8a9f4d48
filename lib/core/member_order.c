/* SPDX-License-Identifier: Apache-2.0 */
/* member_order.c - the orders in which maps number and index their nodes. */
#include <string.h>

#include "core/core.h"

int
cwi_bytes_order(const void *a, size_t a_len, const void *b, size_t b_len)
{
    int c = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return c ? c : (a_len > b_len) - (a_len < b_len);
}

int
cwi_by_label_then_name(const struct cwi_member *a, const struct cwi_member *b)
{
    const struct cwi_text *la = a->label.data ? &a->label : &a->name;
    const struct cwi_text *lb = b->label.data ? &b->label : &b->name;
    int c = cwi_bytes_order(la->data, la->len, lb->data, lb->len);

    return c ? c : cwi_bytes_order(a->name.data, a->name.len, b->name.data,
                                   b->name.len);
}

int
cwi_by_name(const struct cwi_member *a, const struct cwi_member *b)
{
    return cwi_bytes_order(a->name.data, a->name.len, b->name.data,
                           b->name.len);
}

/* Does number a come before number b? */
typedef int first_fn(const void *context, uint32_t a, uint32_t b);

/* A merge sort of n numbers, stable; spare: room for as many. */
static void
sort(uint32_t *v, uint32_t *spare, size_t n, first_fn *first,
     const void *context)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t mid = lo + width < n ? lo + width : n;
            size_t hi = mid + width < n ? mid + width : n;
            size_t a = lo, b = mid, k = lo;

            while (a < mid && b < hi)
                spare[k++] = first(context, v[b], v[a]) ? v[b++] : v[a++];
            while (a < mid)
                spare[k++] = v[a++];
            while (b < hi)
                spare[k++] = v[b++];
        }
        memcpy(v, spare, n * sizeof *v);
    }
}

struct by_order {
    struct cwi_member *const *members;
    cwi_member_order_fn      *order;
};

static int
member_first(const void *context, uint32_t a, uint32_t b)
{
    const struct by_order *c = context;

    return c->order(c->members[a], c->members[b]) < 0;
}

void
cwi_sort_members(uint32_t *v, uint32_t *spare, uint32_t n,
                 struct cwi_member *const *members, cwi_member_order_fn *order)
{
    struct by_order by = { members, order };
    int sorted = 1;

    for (uint32_t i = 0; i < n; i++) {
        v[i] = i;
        if (i && member_first(&by, i, i - 1))
            sorted = 0;
    }
    if (!sorted)
        sort(v, spare, n, member_first, &by);
}

struct by_before {
    const struct cwi_nodes *nodes;
    cwi_node_before        *before;
};

static int
node_first(const void *context, uint32_t a, uint32_t b)
{
    const struct by_before *c = context;

    return c->before(&c->nodes->v[a], &c->nodes->v[b]);
}

void
cwi_order_nodes(uint32_t *order, uint32_t *spare,
                const struct cwi_nodes *nodes, cwi_node_before *before)
{
    struct by_before by = { nodes, before };

    for (uint32_t i = 0; i < nodes->n; i++)
        order[i] = i;
    if (before != NULL)
        sort(order, spare, nodes->n, node_first, &by);
}
