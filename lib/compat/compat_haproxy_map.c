/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_haproxy_map.c - "hash-type map-based" of HAProxy: a table in which
 * servers alternate smoothly. Rule and quirks: docs/formats/haproxy.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_haproxy.h"

/* State: this, then a node for every slot. */
struct map {
    uint64_t slots;
};

static const struct cwi_option options[] = {
    CWI_HAPROXY_OPTIONS("hash function; default: sdbm"),
    CWI_OPTIONS_END
};

static const uint32_t *
slots_of(const void *state)
{
    return (const uint32_t *)((const struct map *)state + 1);
}

static uint64_t
map_key(const struct cwi_placement *p, const void *key, size_t len)
{
    return cwi_haproxy_hash(p, key, len);
}

/* Greatest common divisor of the weights above 0. */
static uint64_t
common(const struct cwi_nodes *nodes)
{
    uint64_t gcd = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        uint64_t w = cwi_whole(nodes->v[i].weight);

        while (w != 0) {
            uint64_t rest = gcd % w;

            gcd = w;
            w = rest;
        }
    }
    return gcd;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, CWI_HAPROXY_WEIGHT_MAX,
                                     err);

    (void)p;
    if (st != CW_OK)
        return st;
    out->state = sizeof(struct map) +
                 (size_t)(cwi_whole(nodes->total) / common(nodes)) * 4;
    out->scratch = (size_t)nodes->n * sizeof(int64_t);
    out->top = UINT32_MAX;
    return CW_OK;
}

/* The server whose score, in whole tables, is largest; the first of those. */
static uint32_t
next_server(int64_t *score, int64_t total, uint64_t gcd,
            const struct cwi_nodes *nodes)
{
    uint32_t best = CW_NONE;
    int64_t best_value = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        int64_t value;

        if (nodes->v[i].weight == 0)
            continue;
        score[i] += (int64_t)(cwi_whole(nodes->v[i].weight) / gcd);
        value = (score[i] + total) / total;
        if (best == CW_NONE || value > best_value) {
            best = i;
            best_value = value;
        }
    }
    score[best] -= total;
    return best;
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct map *m = state;
    uint32_t *slot = (uint32_t *)(m + 1);
    uint64_t gcd = common(nodes);
    int64_t *score = scratch;

    (void)self;
    (void)p;
    m->slots = cwi_whole(nodes->total) / gcd;
    for (uint32_t i = 0; i < nodes->n; i++)
        score[i] = 0;
    for (uint64_t k = 0; k < m->slots; k++)
        slot[k] = next_server(score, (int64_t)m->slots, gcd, nodes);
}

static uint32_t
find(const void *state, uint64_t at)
{
    return slots_of(state)[at % ((const struct map *)state)->slots];
}

static void
walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint64_t n = ((const struct map *)state)->slots, i = at % n;

    for (uint64_t left = n; left > 0; left--) {
        if (cwi_walk_visit(w, slots_of(state)[i]))
            return;
        i = i + 1 == n ? 0 : i + 1;
    }
}

static void
share(const void *state, cwi_u128 *num)
{
    uint64_t n = ((const struct map *)state)->slots;
    uint64_t size = UINT64_C(1) << 32;

    for (uint64_t k = 0; k < n; k++)
        num[slots_of(state)[k]] += size / n + (k < size % n);
}

const struct cwi_compat_ops cwi_compat_haproxy_map_based = {
    .algo = {
        .name       = "haproxy-map-based",
        .quirks     = cwi_quirks_modulo,
        .summary    = "hash-type map-based: hash % a table of the weights",
        .source     = "HAProxy 2.6, lb_map.c",
        .traits     = CWI_WHOLE_WEIGHTS,
        .options    = options,
        .plan       = plan,
        .build      = build,
        .hash_key   = map_key,
        .hash_reads = CWI_HAPROXY_HASH_READS,
        .find       = find,
        .walk       = walk,
        .share      = share
    }
};
