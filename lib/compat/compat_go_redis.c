/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_go_redis.c - go-redis' Ring: rendezvous over the shards' names. Rule
 * and quirks: docs/formats/go-redis.md.
 */
#include "compat/compat_text.h"

/* State: this, then n hashes of names, then n nodes. */
struct shards {
    uint64_t n;
};

static const uint64_t *
hashes(const void *state)
{
    return (const uint64_t *)((const struct shards *)state + 1);
}

static const uint32_t *
nodes_of(const void *state)
{
    return (const uint32_t *)(hashes(state) +
                              ((const struct shards *)state)->n);
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_span s = cwi_hash_tag(key, len, '{', '}');

    (void)p;
    return cwi_xxh64_seed(s.p, s.len, 0);
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    out->state = sizeof(struct shards) + (size_t)nodes->active * 12;
    return cwi_equal_weights(self, nodes, err);
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct shards *s = state;
    uint64_t *hash = (uint64_t *)(s + 1);
    uint32_t *node = (uint32_t *)(hash + nodes->active);
    uint64_t n = 0;

    (void)self;
    (void)scratch;
    (void)p;
    s->n = nodes->active;
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight == 0)
            continue;
        hash[n] = cwi_xxh64_seed(nodes->v[i].label, nodes->v[i].label_len, 0);
        node[n++] = i;
    }
}

static uint64_t
mix(uint64_t x)
{
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    return x * UINT64_C(2685821657736338717);
}

/* The best shard after number `last` in order (n: the best of all); n when
 * there is none. Of equal scores the first is better. */
static uint64_t
next_best(const void *state, uint64_t at, uint64_t last)
{
    uint64_t n = ((const struct shards *)state)->n, best = n, best_score = 0;
    uint64_t last_score = last < n ? mix(at ^ hashes(state)[last]) : 0;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t score = mix(at ^ hashes(state)[i]);

        if (last < n && (score > last_score ||
                         (score == last_score && i <= last)))
            continue;
        if (best == n || score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

static uint32_t
find(const void *state, uint64_t at)
{
    uint64_t n = ((const struct shards *)state)->n;

    return nodes_of(state)[next_best(state, at, n)];
}

static void
walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint64_t n = ((const struct shards *)state)->n, i = n;

    while ((i = next_best(state, at, i)) < n) {
        if (cwi_walk_visit(w, nodes_of(state)[i]))
            return;
    }
}

const struct cwi_compat_ops cwi_compat_go_redis = {
    .algo = {
        .name     = "go-redis",
        .summary  = "Ring: rendezvous of xxHash64 over shard names",
        .source   = "go-redis 9, internal/hashtag",
        .traits   = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL |
                    CW_TRAIT_RESTORES,
        .plan     = plan,
        .build    = build,
        .hash_key = key_hash,
        .find     = find,
        .walk     = walk
    }
};
