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

void
cwi_sort_members(uint32_t *v, uint32_t *spare, uint32_t n,
                 struct cwi_member *const *members, cwi_member_order_fn *order)
{
    int sorted = 1;

    for (uint32_t i = 0; i < n; i++) {
        v[i] = i;
        if (i && order(members[i], members[i - 1]) < 0)
            sorted = 0;
    }
    for (size_t width = 1; !sorted && width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t mid = lo + width < n ? lo + width : n;
            size_t hi = mid + width < n ? mid + width : n;
            size_t a = lo, b = mid, k = lo;

            while (a < mid && b < hi)
                spare[k++] = order(members[v[b]], members[v[a]]) < 0
                                 ? v[b++] : v[a++];
            while (a < mid)
                spare[k++] = v[a++];
            while (b < hi)
                spare[k++] = v[b++];
        }
        memcpy(v, spare, n * sizeof *v);
    }
}

void
cwi_order_nodes(uint32_t *order, uint32_t *spare,
                const struct cwi_nodes *nodes, cwi_node_before *before)
{
    size_t n = nodes->n;

    for (uint32_t i = 0; i < nodes->n; i++)
        order[i] = i;
    for (size_t width = 1; before != NULL && width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t mid = lo + width < n ? lo + width : n;
            size_t hi = mid + width < n ? mid + width : n;
            size_t a = lo, b = mid, k = lo;

            while (a < mid && b < hi)
                spare[k++] = before(&nodes->v[order[b]], &nodes->v[order[a]])
                                 ? order[b++] : order[a++];
            while (a < mid)
                spare[k++] = order[a++];
            while (b < hi)
                spare[k++] = order[b++];
        }
        memcpy(order, spare, n * sizeof *order);
    }
}
