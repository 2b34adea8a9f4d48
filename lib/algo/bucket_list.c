/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_list.c - nodes as buckets 0, 1, 2 .. in list order.
 */
#include "bucket_list.h"

/* Further owners are drawn so often, then they follow in list order. */
#define DRAWS 128u

uint32_t
cwi_bucket_mask(uint32_t n)
{
    uint32_t mask = 1;

    while (mask < n - 1)
        mask = 2 * mask + 1;
    return mask;
}

cw_status
cwi_bucket_list_plan(const struct cwi_algo_ops *self,
                     const struct cwi_nodes *nodes,
                     const struct cwi_placement *p, struct cwi_plan *out,
                     cw_error *err)
{
    cw_status status = cwi_equal_weights(self, nodes, err);

    if (status != CW_OK)
        return status;
    if (nodes->active > INT32_MAX)
        return cwi_fail(err, CW_ELIMIT,
                        "\"%s\" takes at most 2147483647 nodes, not %u",
                        self->name, (uint64_t)nodes->active);
    out->state = sizeof(struct cwi_bucket_list) +
                 (size_t)nodes->active * sizeof(uint32_t);
    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    return CW_OK;
}

void
cwi_bucket_list_build(const struct cwi_algo_ops *self, void *state,
                      void *scratch, const struct cwi_nodes *nodes,
                      const struct cwi_placement *p)
{
    struct cwi_bucket_list *list = state;
    uint32_t           *node = (uint32_t *)(void *)(list + 1);
    uint32_t            i;

    (void)self;
    (void)scratch;
    (void)p;
    for (i = 0; i < nodes->n; i++)
        if (nodes->v[i].weight != 0)
            node[list->n++] = i;
    list->mask = cwi_bucket_mask(list->n);
    list->all = list->n == nodes->n;
}

/* Owner, then the buckets of re-mixed hashes; after DRAWS of these the rest
 * in list order from the owner on. */
void
cwi_bucket_list_walk(const void *state, uint64_t at, struct cwi_walk *w,
                     cwi_bucket_fn *bucket)
{
    const struct cwi_bucket_list *list = state;
    const uint32_t           *node = cwi_bucket_nodes(list);
    uint32_t                  n = list->n, owner = bucket(at, n), i;

    if (cwi_walk_visit(w, node[owner]))
        return;
    for (i = 1; i <= DRAWS; i++) {
        uint64_t again = cwi_mix64(at + i * UINT64_C(0x9e3779b97f4a7c15));

        if (cwi_walk_visit(w, node[bucket(again, n)]))
            return;
    }
    for (i = 1; i < n; i++) {
        uint32_t b = owner < n - i ? owner + i : owner - (n - i);

        if (cwi_walk_visit(w, node[b]))
            return;
    }
}

const char *
cwi_bucket_list_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct cwi_bucket_list *list = state;
    uint32_t                  i, b = 0;

    for (i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight == 0)
            continue;
        if (b == list->n || cwi_bucket_nodes(list)[b] != i)
            return "buckets are not the active nodes in list order";
        b++;
    }
    if (list->mask != cwi_bucket_mask(list->n))
        return "the mask is not that of the number of buckets";
    if (list->all != (list->n == nodes->n))
        return "the list says wrongly whether all nodes are in it";
    return b == list->n ? NULL : "more buckets than active nodes";
}
