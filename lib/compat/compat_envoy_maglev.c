/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_envoy_maglev.c - Envoy's MAGLEV balancer. Rule and quirks:
 * docs/formats/envoy.md.
 */
#include "compat/compat_text.h"

enum { SIZE };          /* slot */

#define TRIES 64u       /* of a walk, before the rest follows in order */

static const struct cwi_option options[] = {
    { "table-size", "table_size, a prime", CWI_OPT_UINT, SIZE, 2, 5000011,
      "65537", NULL },
    CWI_OPTIONS_END
};

/* State: this, then a node for every place. */
struct maglev {
    uint64_t size;
    uint64_t nodes;
};

/* A host while the table is filled. */
struct host {
    uint64_t offset, skip, next;
    double   weight, target;
};

static const uint32_t *
table(const void *state)
{
    return (const uint32_t *)((const struct maglev *)state + 1);
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_xxh64_seed(key, len, 0);
}

static int
prime(uint64_t n)
{
    for (uint64_t d = 2; d * d <= n; d++) {
        if (n % d == 0)
            return 0;
    }
    return n > 1;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, UINT32_MAX, err);

    if (st == CW_OK && !prime(p->num[SIZE]))
        st = cwi_fail(err, CW_EINVAL, "table-size %u: expected a prime",
                      p->num[SIZE]);
    out->state = sizeof(struct maglev) + (size_t)p->num[SIZE] * 4;
    out->scratch = (size_t)nodes->n * sizeof(struct host);
    return st;
}

/* The largest share of the total weight. */
static double
start_hosts(struct host *h, const struct cwi_nodes *nodes, uint64_t size)
{
    double most = 0.0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        h[i].offset = cwi_xxh64_seed(n->label, n->label_len, 0) % size;
        h[i].skip = cwi_xxh64_seed(n->label, n->label_len, 1) % (size - 1) + 1;
        h[i].weight = (double)cwi_whole(n->weight) /
                      (double)cwi_whole(nodes->total);
        if (h[i].weight > most)
            most = h[i].weight;
    }
    return most;
}

/* The next place of a host's permutation that is still free. */
static uint64_t
free_place(struct host *h, const uint32_t *place, uint64_t size)
{
    for (;;) {
        uint64_t at = (h->offset + h->skip * h->next++) % size;

        if (place[at] == CW_NONE)
            return at;
    }
}

/* Rounds in which the heaviest host always takes a place and the others when
 * their weights have added up to it. */
static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct maglev *m = state;
    uint32_t *place = (uint32_t *)(m + 1);
    struct host *h = scratch;
    uint64_t size = p->num[SIZE], filled = 0;
    double most;

    (void)self;
    m->size = size;
    m->nodes = nodes->n;
    for (uint64_t i = 0; i < size; i++)
        place[i] = CW_NONE;
    most = start_hosts(h, nodes, size);
    for (double round = 1.0; filled < size; round += 1.0) {
        for (uint32_t i = 0; i < nodes->n && filled < size; i++) {
            if (nodes->v[i].weight == 0 || round * h[i].weight < h[i].target)
                continue;
            h[i].target += most;
            place[free_place(&h[i], place, size)] = i;
            filled++;
        }
    }
}

static uint32_t
find(const void *state, uint64_t at)
{
    return table(state)[at % ((const struct maglev *)state)->size];
}

/* Retries hash on; then whoever was not met, in order of the table. */
static void
walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint64_t size = ((const struct maglev *)state)->size;

    for (uint64_t n = 0; n < TRIES; n++) {
        uint64_t hash = n == 0 ? at : at ^ (~UINT64_C(0) - n + 1);

        if (cwi_walk_visit(w, find(state, hash)))
            return;
    }
    for (uint64_t i = 0; i < size; i++) {
        if (cwi_walk_visit(w, table(state)[i]))
            return;
    }
}

static void
share(const void *state, cwi_u128 *num)
{
    uint64_t size = ((const struct maglev *)state)->size;
    cwi_u128 all = (cwi_u128)1 << 64;

    for (uint64_t i = 0; i < size; i++)
        num[table(state)[i]] += all / size + (i < (uint64_t)(all % size));
}

const struct cwi_compat_ops cwi_compat_envoy_maglev = {
    .algo = {
        .name     = "envoy-maglev",
        .summary  = "MAGLEV: a prime table, 65,537 by default",
        .source   = "Envoy, maglev_lb.cc",
        .traits   = CW_TRAIT_ORDER_FREE | CWI_WHOLE_WEIGHTS |
                    CW_TRAIT_RESTORES,
        .options  = options,
        .plan     = plan,
        .build    = build,
        .hash_key = key_hash,
        .find     = find,
        .walk     = walk,
        .share    = share
    }
};
