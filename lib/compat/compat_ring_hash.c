/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_ring_hash.c - the ring_hash balancers of Envoy and gRPC: as many
 * points as the lightest host needs. Rules and quirks: docs/formats/envoy.md
 * and grpc.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, MIN, MAX };        /* slots */

static const struct cwi_option envoy_options[] = {
    { "hash", "hash_function", CWI_OPT_ENUM, HASH, 0, 0, "xx_hash",
      "xx_hash murmur_hash_2" },
    { "min-ring-size", "minimum_ring_size", CWI_OPT_UINT, MIN, 1, 8388608,
      "1024", NULL },
    { "max-ring-size", "maximum_ring_size", CWI_OPT_UINT, MAX, 1, 8388608,
      "8388608", NULL },
    CWI_OPTIONS_END
};

static const struct cwi_option grpc_options[] = {
    { "min-ring-size", "min_ring_size", CWI_OPT_UINT, MIN, 1, 8388608, "1024",
      NULL },
    { "max-ring-size", "max_ring_size", CWI_OPT_UINT, MAX, 1, 8388608, "4096",
      NULL },
    CWI_OPTIONS_END
};

static uint64_t
hash_text(const struct cwi_placement *p, const uint8_t *text, size_t len)
{
    return p->num[HASH] ? cwi_murmur64a(text, len, UINT64_C(0xc70f6907))
                        : cwi_xxh64_seed(text, len, 0);
}

/* The key is hashed by xxHash whatever makes the points. */
static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_xxh64_seed(key, len, 0);
}

static double
share_of(const struct cwi_nodes *nodes, uint32_t node)
{
    return (double)cwi_whole(nodes->v[node].weight) /
           (double)cwi_whole(nodes->total);
}

/* Points if every share became as many: the lightest host gets a whole
 * number of them, unless that makes the ring too large. */
static double
scale_of(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    double least = 1.0, want, scale;
    uint64_t whole;

    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight > 0 && share_of(nodes, i) < least)
            least = share_of(nodes, i);
    }
    want = least * (double)p->num[MIN];
    whole = (uint64_t)want;
    if ((double)whole < want)
        whole++;
    scale = (double)whole / least;
    return scale < (double)p->num[MAX] ? scale : (double)p->num[MAX];
}

/* What the sum of the shares so far is due, and what was dealt out; in
 * doubles, whose rounding may add a point. */
struct deal {
    double scale, target, current;
};

static struct deal
deal_begin(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    return (struct deal){ scale_of(p, nodes), 0.0, 0.0 };
}

/* How many points host i, the next one, gets. */
static uint64_t
deal_next(struct deal *d, const struct cwi_nodes *nodes, uint32_t i)
{
    uint64_t n = 0;

    if (nodes->v[i].weight == 0)
        return 0;
    d->target += d->scale * share_of(nodes, i);
    for (; d->current < d->target; d->current += 1.0)
        n++;
    return n;
}

/* As many as the shares so far are due. */
static void
patch_counts(const struct cwi_placement *p, const struct cwi_rule *rule,
             const struct cwi_nodes *nodes, uint64_t *out)
{
    struct deal d = deal_begin(p, nodes);

    (void)rule;
    for (uint32_t i = 0; i < nodes->n; i++)
        out[i] = deal_next(&d, nodes, i);
}

/* Of equal points the host listed first wins. */
static void
patch_rule(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           struct cwi_rule *out)
{
    (void)p;
    (void)nodes;
    *out = (struct cwi_rule){ envoy_options, CWI_TIE_FIRST, NULL, 0, 1 };
}

static void
patch_points(const struct cwi_placement *p, const struct cwi_rule *rule,
             const struct cwi_node *node, uint32_t number, uint64_t n,
             uint8_t *text, struct cwi_point *out)
{
    uint8_t *end = cwi_put(text, node->label, node->label_len);

    (void)rule;
    end = cwi_put_text(end, "_");
    for (uint64_t k = 0; k < n; k++) {
        size_t len = (size_t)(cwi_put_number(end, k) - text);

        out[k] = (struct cwi_point){ hash_text(p, text, len), number };
    }
}

static const struct cwi_patch patch = {
    patch_rule, patch_counts, patch_points
};

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, UINT32_MAX, err);
    struct deal d;
    size_t longest = 0;
    uint64_t n = 0;

    if (st == CW_OK && p->num[MIN] > p->num[MAX])
        st = cwi_fail(err, CW_EINVAL, "min-ring-size %u is above "
                      "max-ring-size %u", p->num[MIN], p->num[MAX]);
    if (st != CW_OK)
        return st;
    d = deal_begin(p, nodes);
    for (uint32_t i = 0; i < nodes->n; i++) {
        n += deal_next(&d, nodes, i);
        if (nodes->v[i].label_len > longest)
            longest = nodes->v[i].label_len;
    }
    st = cwi_points_plan(n, nodes->n, out);
    out->scratch += longest + 32;
    return st;
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct cwi_point *raw = cwi_points_raw(scratch);
    struct deal all = deal_begin(p, nodes), d = all;
    struct cwi_plan points;
    uint64_t total = 0, count;
    uint8_t *text;

    (void)self;
    for (uint32_t i = 0; i < nodes->n; i++)
        total += deal_next(&all, nodes, i);
    cwi_points_plan(total, nodes->n, &points);
    text = (uint8_t *)scratch + points.scratch;
    for (uint32_t i = 0; i < nodes->n; i++) {
        count = deal_next(&d, nodes, i);
        patch_points(p, NULL, &nodes->v[i], i, count, text, raw);
        raw += count;
    }
    cwi_points_build(state, scratch, total, nodes->n, UINT64_MAX);
}

static int
unequal(const struct cwi_placement *p, const struct cwi_nodes *nodes,
        uint64_t top)
{
    (void)p;
    (void)top;
    return cwi_unequal(nodes);
}

static const struct cwi_quirk quirk_scale = {
    unequal,
    "the number of points depends on all weights: a change of one host moves "
    "keys between the others",
    "equal weights, or a placement with the trait minimal"
};

static const struct cwi_quirk *const quirks[] = { &quirk_scale, NULL };

#define RING_HASH(id, text, about, from, more_traits, option_list)      \
    const struct cwi_compat_ops cwi_compat_##id = {                     \
        .algo = {                                                       \
            .name     = text,                                           \
            .summary  = about,                                          \
            .source   = from,                                           \
            .quirks   = quirks,                                         \
            .traits   = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS | (more_traits),\
            .options  = option_list,                                    \
            .plan     = plan,                                           \
            .build    = build,                                          \
            .patch    = CWI_UNLESS_PAGE(&patch),                        \
            .hash_key = key_hash,                                       \
            .find     = cwi_points_find,                                \
            .walk     = cwi_points_walk,                                \
            .arc      = cwi_points_arc,                                 \
            .count    = cwi_points_count,                               \
            .check    = CWI_UNLESS_PAGE(cwi_points_check)                   \
        }                                                               \
    }

RING_HASH(envoy_ring_hash, "envoy-ring-hash",
          "RING_HASH: xxHash64 of host_i, scaled to the lightest host",
          "Envoy, ring_hash_lb.cc", 0, envoy_options);

RING_HASH(grpc_ring_hash, "grpc-ring-hash",
          "ring_hash: as Envoy's with the endpoints sorted",
          "grpc-go, balancer/ringhash/ring.go",
          CW_TRAIT_ORDER_FREE | CW_TRAIT_RESTORES,
          grpc_options);
