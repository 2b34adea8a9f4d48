/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_derive.c - a ring from an older one: a merge of the points that
 * stay, which are in order already, with those of the nodes that changed.
 */
#include "core/points_table.h"

#include <string.h>

/* The merged points: cold[] of the new table and node[]. */
struct merged {
    uint64_t *at;
    uint32_t *node;
    uint64_t  len;
};

/* The fresh points, in order. */
struct fresh {
    const uint64_t *at;
    const uint32_t *node;
    uint64_t        left;
};

static void
take(struct merged *m, uint64_t at, uint32_t node)
{
    m->at[m->len] = at;
    m->node[m->len++] = node;
}

/* All fresh points before (at, node). */
static void
take_fresh(struct merged *m, struct fresh *f, uint64_t at, uint32_t node)
{
    while (f->left > 0 &&
           (*f->at < at || (*f->at == at && *f->node < node))) {
        take(m, *f->at++, *f->node++);
        f->left--;
    }
}

static void
merge_older(struct merged *m, struct fresh *f, const struct cwi_table *older,
            const uint32_t *after)
{
    const uint64_t *cold = cwi_cold(older);
    uint64_t b;
    uint32_t k, node;

    for (b = 0; b < older->buckets; b++) {
        struct cwi_bucket bucket = cwi_bucket_get(older, b);
        const uint64_t *at = cold + cwi_start(older)[b];

        for (k = 0; k < bucket.count; k++) {
            node = after[cwi_bucket_owner(&bucket, k)];
            if (node == CW_NONE)
                continue;
            if (f->left > 0)
                take_fresh(m, f, at[k], node);
            take(m, at[k], node);
        }
    }
    take_fresh(m, f, UINT64_MAX, UINT32_MAX);
}

/*
 * Scratch is n raw points of 16 bytes, the first `fresh` of them set, and n
 * owners of 4 bytes. The fresh points are taken apart where they are, into
 * positions (n * 8 bytes) and owners (n * 4); behind these there is room to
 * sort them, up to half of all points, before the merge fills the last part.
 */
void
cwi_points_derive(void *state, void *scratch, uint64_t n, uint32_t nodes,
                  uint64_t top, uint64_t fresh, const struct cwi_older *older)
{
    struct cwi_table *t = state;
    struct cwi_point *raw = scratch;
    uint32_t *node = (uint32_t *)(raw + n);
    uint64_t *at = scratch;
    uint32_t *owner = (uint32_t *)(at + n);
    struct merged m = { NULL, node, 0 };
    struct fresh f;
    uint64_t i;

    cwi_table_begin(t, n, nodes, top);
    for (i = 0; i < fresh; i++)
        node[i] = raw[i].node;
    for (i = 0; i < fresh; i++)
        at[i] = raw[i].at;
    memcpy(owner, node, (size_t)fresh * sizeof(*node));
    cwi_points_sort(at, owner, (uint32_t)fresh, owner + n + n % 2);
    m.at = cwi_cold(t);
    f.at = at;
    f.node = owner;
    f.left = fresh;
    merge_older(&m, &f, older->state, older->after);
    cwi_table_fill(t, node, scratch);
}
