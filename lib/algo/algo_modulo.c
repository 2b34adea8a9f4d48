/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_modulo.c - hash % N over the list, to show what goes wrong when N
 * changes; and a fair choice where it never does.
 */
#include "core/algo.h"

/* State: this, then the numbers of the nodes of weight above 0. */
struct modulo {
    uint64_t n;
    uint64_t top;
};

static const struct cwi_option options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static const uint32_t *
buckets(const void *state)
{
    return (const uint32_t *)((const struct modulo *)state + 1);
}

static uint64_t
modulo_top(const struct cwi_placement *p)
{
    return p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                              : UINT64_MAX;
}

static cw_status
modulo_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
            const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    out->state = sizeof(struct modulo) +
                 (size_t)nodes->active * sizeof(uint32_t);
    out->top = modulo_top(p);
    return cwi_equal_weights(self, nodes, err);
}

static void
modulo_build(const struct cwi_algo_ops *self, void *state, void *scratch,
             const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct modulo *m = state;
    uint32_t *bucket = (uint32_t *)(m + 1);

    (void)self;
    (void)scratch;
    m->top = modulo_top(p);
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight)
            bucket[m->n++] = i;
    }
}

static uint32_t
modulo_find(const void *state, uint64_t at)
{
    return buckets(state)[at % ((const struct modulo *)state)->n];
}

/* The next in the list, as clients of this kind do. */
static void
modulo_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint64_t n = ((const struct modulo *)state)->n;

    for (uint64_t i = at % n, left = n; left > 0; left--) {
        if (cwi_walk_visit(w, buckets(state)[i]))
            return;
        i = i + 1 == n ? 0 : i + 1;
    }
}

/* Hashes 0 .. top deal one each in turn. */
static void
modulo_share(const void *state, cwi_u128 *num)
{
    const struct modulo *m = state;
    cwi_u128 size = (cwi_u128)m->top + 1;

    for (uint64_t i = 0; i < m->n; i++)
        num[buckets(state)[i]] += size / m->n + (i < size % m->n);
}

const struct cwi_algo_ops cwi_algo_modulo = {
    .name    = "modulo",
    .summary = "hash modulo the number of nodes: nearly all keys move",
    .source  = "the usual client code before consistent hashing",
    .traits  = 0,
    .options = options,
    .plan    = modulo_plan,
    .build   = modulo_build,
    .find    = modulo_find,
    .walk    = modulo_walk,
    .share   = modulo_share
};
