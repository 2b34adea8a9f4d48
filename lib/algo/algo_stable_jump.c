/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_stable_jump.c - jump consistent hashing over bucket numbers that the
 * fleet keeps, so that any node may leave.
 *
 * Jump: J. Lamping, E. Veach 2014 (arXiv 1406.2294). The label of a node is
 * the number of its bucket. A removed node leaves a hole: a key that jumps
 * into one draws again, over the same buckets, until it meets a node; so only
 * its keys move, to all others evenly. docs/formats/stable-jump.md is the
 * rule.
 */
#include "core/algo.h"
#include "core/jump.h"

enum { NUM_BUCKETS };

#define STEP  UINT64_C(0x9e3779b97f4a7c15)
#define DRAWS 512u      /* after these the next node behind the last hole  */
#define LIMIT 16777216u

struct stable {
    uint32_t n;         /* buckets, holes among them                        */
    uint32_t unused;
    /* uint32_t node[n]: number of the bucket's node, or CW_NONE */
};

static const struct cwi_option stable_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { "buckets", "how many there ever were; 0: the highest number + 1",
      CWI_OPT_UINT, NUM_BUCKETS, 0, LIMIT, "0", NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static const uint32_t *
bucket_nodes(const struct stable *t)
{
    return (const uint32_t *)(const void *)(t + 1);
}

/* The bucket that a label names: a decimal number without leading zeros below
 * LIMIT; CW_NONE for another label. */
static uint32_t
label_bucket(const struct cwi_node *node)
{
    uint32_t b = 0, i;

    if (node->label_len > 8 || (node->label_len > 1 && node->label[0] == '0'))
        return CW_NONE;
    for (i = 0; i < node->label_len; i++) {
        if (node->label[i] < '0' || node->label[i] > '9')
            return CW_NONE;
        b = b * 10 + (uint32_t)(node->label[i] - '0');
    }
    return b < LIMIT ? b : CW_NONE;
}

/*
 * Buckets in use, holes among them: the highest number + 1. Unless every
 * label is a number, *by_order is set and nodes are numbered by label.
 */
static uint32_t
used_buckets(const struct cwi_nodes *nodes, int *by_order)
{
    uint32_t n = 0, i;

    *by_order = 0;
    for (i = 0; i < nodes->n; i++) {
        uint32_t b;

        if (nodes->v[i].weight == 0)
            continue;
        b = label_bucket(&nodes->v[i]);
        if (b == CW_NONE) {
            *by_order = 1;
            return nodes->active;
        }
        n = b >= n ? b + 1 : n;
    }
    return n;
}

static cw_status
stable_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
            const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status status = cwi_equal_weights(self, nodes, err);
    int       by_order;
    uint64_t  used = used_buckets(nodes, &by_order);
    uint64_t  buckets = p->num[NUM_BUCKETS];

    if (status != CW_OK)
        return status;
    if (used > LIMIT)
        return cwi_fail(err, CW_ELIMIT, "\"%s\" takes at most %u nodes, not "
                        "%u", self->name, (uint64_t)LIMIT, used);
    if (buckets != 0 && buckets < used)
        return cwi_fail(err, CW_EINVAL, "buckets: %u are fewer than the %u "
                        "that the nodes use", buckets, used);
    out->state = sizeof(struct stable) +
                 (size_t)(buckets ? buckets : used) * sizeof(uint32_t);
    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    return CW_OK;
}

static void
stable_build(const struct cwi_algo_ops *self, void *state, void *scratch,
             const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct stable *t = state;
    uint32_t      *node = (uint32_t *)(void *)(t + 1), i, next = 0;
    int            by_order;

    (void)self;
    (void)scratch;
    t->n = used_buckets(nodes, &by_order);
    if (p->num[NUM_BUCKETS] != 0)
        t->n = (uint32_t)p->num[NUM_BUCKETS];
    for (i = 0; i < t->n; i++)
        node[i] = CW_NONE;
    for (i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight == 0)
            continue;
        node[by_order ? next++ : label_bucket(&nodes->v[i])] = i;
    }
}

/* Bucket of draw number i. */
static uint32_t
drawn(const struct stable *t, uint64_t at, uint32_t i)
{
    return cwi_jump(i ? cwi_mix64(at + i * STEP) : at, t->n);
}

static uint32_t
stable_find(const void *state, uint64_t at)
{
    const struct stable *t = state;
    uint32_t             b = 0, i;

    for (i = 0; i < DRAWS; i++) {
        b = drawn(t, at, i);
        if (bucket_nodes(t)[b] != CW_NONE)
            return bucket_nodes(t)[b];
    }
    while (bucket_nodes(t)[b] == CW_NONE)
        b = b + 1 == t->n ? 0 : b + 1;
    return bucket_nodes(t)[b];
}

/* All draws, holes left out: when the owner leaves, the next takes over. */
static void
stable_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct stable *t = state;
    uint32_t             b = 0, i;

    for (i = 0; i < DRAWS; i++) {
        b = drawn(t, at, i);
        if (bucket_nodes(t)[b] != CW_NONE &&
            cwi_walk_visit(w, bucket_nodes(t)[b]))
            return;
    }
    for (i = 0; i < t->n; i++) {
        if (bucket_nodes(t)[b] != CW_NONE &&
            cwi_walk_visit(w, bucket_nodes(t)[b]))
            return;
        b = b + 1 == t->n ? 0 : b + 1;
    }
}

static const char *
stable_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct stable *t = state;
    uint32_t             i, active = 0;

    for (i = 0; i < t->n; i++) {
        uint32_t node = bucket_nodes(t)[i];

        if (node == CW_NONE)
            continue;
        if (node >= nodes->n || nodes->v[node].weight == 0)
            return "stable-jump: a bucket's node is not active";
        active++;
    }
    return active == nodes->active ? NULL
           : "stable-jump: not one bucket for each active node";
}

const struct cwi_algo_ops cwi_algo_stable_jump = {
    .name = "stable-jump",
    .summary = "jump over bucket numbers kept as labels: any node may leave",
    .source = "Lamping, Veach 2014 (arXiv 1406.2294); holes are drawn again",
    /* Minimal too, but only when all labels are numbers. */
    .traits = CW_TRAIT_ORDER_FREE | CW_TRAIT_RESTORES,
    .options = stable_options,
    .plan = stable_plan,
    .build = stable_build,
    .find = stable_find,
    .walk = stable_walk,
    .check = CWI_UNLESS_PAGE(stable_check)
};
