/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_jump.c - jump consistent hashing over the list of nodes.
 *
 * J. Lamping, E. Veach: A fast, minimal memory, consistent hash algorithm
 * (2014, arXiv 1406.2294). Buckets are the nodes of weight > 0 in list order,
 * so only the last one can leave or join without moving other keys.
 * docs/formats/jump.md is the exact rule.
 */
#include "core/algo.h"
#include "core/jump.h"

struct jump {
    uint32_t n;
    uint32_t unused;
    /* uint32_t node[n]: the number of the node that bucket i is */
};

/* Further owners are drawn so often, then they follow in list order. */
#define JUMP_DRAWS 128u

static const struct cwi_option jump_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static const uint32_t *
bucket_nodes(const struct jump *j)
{
    return (const uint32_t *)(const void *)(j + 1);
}

static cw_status
jump_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
          const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status status = cwi_equal_weights(self, nodes, err);

    if (status != CW_OK)
        return status;
    if (nodes->active > INT32_MAX)
        return cwi_fail(err, CW_ELIMIT,
                        "\"%s\" takes at most 2147483647 nodes, not %u",
                        self->name, (uint64_t)nodes->active);
    out->state = sizeof(struct jump) +
                 (size_t)nodes->active * sizeof(uint32_t);
    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    return CW_OK;
}

static void
jump_build(const struct cwi_algo_ops *self, void *state, void *scratch,
           const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct jump *j = state;
    uint32_t    *node = (uint32_t *)(void *)(j + 1);
    uint32_t     i;

    (void)self;
    (void)scratch;
    (void)p;
    for (i = 0; i < nodes->n; i++)
        if (nodes->v[i].weight != 0)
            node[j->n++] = i;
}

static uint32_t
jump_find(const void *state, uint64_t at)
{
    const struct jump *j = state;

    return bucket_nodes(j)[cwi_jump(at, j->n)];
}

/* Owner, then the buckets of re-mixed hashes; after JUMP_DRAWS of these the
 * rest in list order from the owner on. */
static void
jump_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct jump *j = state;
    const uint32_t    *node = bucket_nodes(j);
    uint32_t           owner = cwi_jump(at, j->n), i;

    if (cwi_walk_visit(w, node[owner]))
        return;
    for (i = 1; i <= JUMP_DRAWS; i++) {
        uint64_t again = cwi_mix64(at + i * UINT64_C(0x9e3779b97f4a7c15));

        if (cwi_walk_visit(w, node[cwi_jump(again, j->n)]))
            return;
    }
    for (i = 1; i < j->n; i++) {
        uint32_t b = owner < j->n - i ? owner + i : owner - (j->n - i);

        if (cwi_walk_visit(w, node[b]))
            return;
    }
}

static const char *
jump_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct jump *j = state;
    uint32_t           i, b = 0;

    for (i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight == 0)
            continue;
        if (b == j->n || bucket_nodes(j)[b] != i)
            return "jump: buckets are not the active nodes in list order";
        b++;
    }
    return b == j->n ? NULL : "jump: more buckets than active nodes";
}

const struct cwi_algo_ops cwi_algo_jump = {
    .name = "jump",
    .summary = "buckets in list order, equal weights; only the last node "
               "may come or go",
    .source = "Lamping, Veach 2014 (arXiv 1406.2294)",
    .traits = 0,
    .options = jump_options,
    .plan = jump_plan,
    .build = jump_build,
    .find = jump_find,
    .walk = jump_walk,
    .check = jump_check
};
