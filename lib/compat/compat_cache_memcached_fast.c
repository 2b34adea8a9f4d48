/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_cache_memcached_fast.c - Perl's Cache::Memcached::Fast, with and
 * without ketama_points. Rules and quirks: docs/formats/
 * cache-memcached-fast.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_crc_chain.h"
#include "core/points.h"

enum { POINTS, PREFIX };        /* slots */

#define PREFIX_OPTION \
    { "prefix", "namespace, with hash_namespace only", CWI_OPT_TEXT, PREFIX, \
      0, CWI_TEXT_MAX, "", NULL }

static const struct cwi_option ketama_options[] = {
    { "points", "ketama_points", CWI_OPT_UINT, POINTS, 1, 1000000, "150",
      NULL },
    PREFIX_OPTION,
    CWI_OPTIONS_END
};

static const struct cwi_option compat_options[] = {
    PREFIX_OPTION,
    CWI_OPTIONS_END
};

static double
weight_of(uint64_t millionths)
{
    return (double)millionths / 1000000.0;
}

static uint64_t
crc32_key(const struct cwi_placement *p, const void *key, size_t len)
{
    return cwi_crc32(cwi_crc32(0, p->text[PREFIX], p->text_len[PREFIX]), key,
                     len);
}

/* ---- ketama_points ----------------------------------------------------- */

static void
ketama_points(const struct cwi_placement *p, const struct cwi_label *l,
              uint8_t *scratch, uint64_t *out)
{
    struct cwi_hostport hp = cwi_split_port(l->node, l->node_len);

    (void)p;
    *out = cwi_crc_chain(hp.host, hp.port, l->i, scratch);
}

static uint64_t
ketama_labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
              uint32_t node)
{
    return (uint64_t)((double)p->num[POINTS] *
                          weight_of(nodes->v[node].weight) + 0.5);
}

static const struct cwi_compat_ring ring = {
    .points = ketama_points, .per_label = 1, .labels = ketama_labels,
    .top = UINT32_MAX
};

const struct cwi_compat_ops cwi_compat_cache_memcached_fast_ketama = {
    .algo = {
        .name       = "cache-memcached-fast-ketama",
        .summary    = "ketama_points: nginx's chained CRC-32, any weights",
        .source     = "Cache::Memcached::Fast 0.28, dispatch_key.c",
        .traits     = CW_TRAIT_MINIMAL | CW_TRAIT_WEIGHTED | CW_TRAIT_ARCS,
        .options    = ketama_options,
        .plan       = cwi_compat_ring_plan,
        .hash_key   = crc32_key,
        .hash_reads = 1u << PREFIX,
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring
};

/* ---- no ketama_points -------------------------------------------------- */

/* State: this, then n upper ends, then n nodes. */
struct scaled {
    double   total;
    uint64_t n;
};

static const uint32_t *
ends(const void *state)
{
    return (const uint32_t *)((const struct scaled *)state + 1);
}

static cw_status
scaled_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
            const struct cwi_placement *p, struct cwi_plan *out,
            cw_error *err)
{
    double total = 0.0;

    (void)p;
    out->state = sizeof(struct scaled) + (size_t)nodes->active * 8;
    out->top = 0x7fff;
    /* In doubles, as it is added up: weights of 0.5 in all may be less. */
    for (uint32_t i = 0; i < nodes->n; i++)
        total += weight_of(nodes->v[i].weight);
    if (total + 0.5 < 1.0)
        return cwi_fail(err, CW_EINVAL,
                        "\"%s\" divides by the sum of the weights, %w, "
                        "rounded to 0", self->name, nodes->total);
    return CW_OK;
}

/* Each server takes its share from those before it, cut every time. */
static void
scaled_build(const struct cwi_algo_ops *self, void *state, void *scratch,
             const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct scaled *s = state;
    uint32_t *end = (uint32_t *)(s + 1), *owner = end + nodes->active;

    (void)self;
    (void)scratch;
    (void)p;
    for (uint32_t i = 0; i < nodes->n; i++) {
        double weight = weight_of(nodes->v[i].weight), share;

        if (nodes->v[i].weight == 0)
            continue;
        s->total += weight;
        share = weight / s->total;
        for (uint64_t k = 0; k < s->n; k++)
            end[k] = (uint32_t)((double)end[k] - (double)end[k] * share);
        end[s->n] = UINT32_MAX;
        owner[s->n++] = i;
    }
}

static uint64_t
scaled_place(const void *state, uint64_t hash)
{
    const struct scaled *s = state;
    uint64_t place = hash % (uint64_t)(s->total + 0.5);
    uint32_t point = (uint32_t)((double)place / s->total * 4294967295.0 + 0.5);
    const uint32_t *base = ends(state);

    /* Ends rise, and the last one is the largest number there is. */
    point++;
    for (uint64_t n = s->n, half; n > 1; n -= half) {
        half = n / 2;
        base += half & (0u - (uint64_t)(base[half - 1] < point));
    }
    return (uint64_t)(base - ends(state));
}

static uint32_t
scaled_find(const void *state, uint64_t at)
{
    const struct scaled *s = state;

    return ends(state)[s->n + scaled_place(state, at)];
}

static void
scaled_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint64_t n = ((const struct scaled *)state)->n;
    uint64_t i = scaled_place(state, at);

    for (uint64_t left = n; left > 0; left--) {
        if (cwi_walk_visit(w, ends(state)[n + i]))
            return;
        i = i + 1 == n ? 0 : i + 1;
    }
}

static void
scaled_share(const void *state, cwi_u128 *num)
{
    for (uint64_t hash = 0; hash <= 0x7fff; hash++)
        num[scaled_find(state, hash)]++;
}

static uint64_t
crc15_key(const struct cwi_placement *p, const void *key, size_t len)
{
    return (crc32_key(p, key, len) >> 16) & 0x7fff;
}

const struct cwi_compat_ops cwi_compat_cache_memcached_fast = {
    .algo = {
        .name       = "cache-memcached-fast",
        .quirks     = cwi_quirks_modulo,
        .summary    = "15 bits of the CRC-32 % sum of weights, rescaled",
        .source     = "Cache::Memcached::Fast 0.28, dispatch_key.c",
        .traits     = CW_TRAIT_WEIGHTED,
        .options    = compat_options,
        .plan       = scaled_plan,
        .build      = scaled_build,
        .hash_key   = crc15_key,
        .hash_reads = 1u << PREFIX,
        .find       = scaled_find,
        .walk       = scaled_walk,
        .share      = scaled_share
    }
};
