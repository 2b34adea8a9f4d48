/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_varnish_shard.c - Varnish's shard director. Rule and quirks:
 * docs/formats/varnish-shard.md.
 */
#include "compat/compat_text.h"
#include "core/points.h"

enum { REPLICAS };      /* slot */

static const struct cwi_option options[] = {
    { "replicas", "points per unit of weight", CWI_OPT_UINT, REPLICAS, 1,
      1000000, "67", NULL },
    CWI_OPTIONS_END
};

/* Last 4 bytes of SHA-256, little-endian. */
static uint32_t
hash(const uint8_t *text, size_t len)
{
    uint8_t digest[32];

    cwi_sha256(text, len, digest);
    return cwi_load32le(digest + 28);
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return hash(key, len);
}

static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put(scratch, l->node, l->node_len);

    (void)p;
    end = cwi_put_number(end, l->i);
    *out = hash(scratch, (size_t)(end - scratch));
}

/* The product of doubles, cut. */
static uint64_t
labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint32_t node)
{
    return (uint64_t)((double)p->num[REPLICAS] *
                      ((double)nodes->v[node].weight / 1000000.0));
}

static const struct cwi_compat_ring ring = {
    .points = points, .per_label = 1, .labels = labels, .top = UINT32_MAX,
    .search = CWI_NO_WRAP
};

const struct cwi_compat_ops cwi_compat_varnish_shard = {
    .algo = {
        .name     = "varnish-shard",
        .summary  = "SHA-256 points of ident and number; no wrap at the top",
        .source   = "Varnish 7.1, vmod_directors shard",
        .traits   = CW_TRAIT_MINIMAL | CW_TRAIT_WEIGHTED | CW_TRAIT_ARCS,
        .options  = options,
        .plan     = cwi_compat_ring_plan,
        .hash_key = key_hash,
        CWI_COMPAT_MOVED_OPS
    },
    .ring = &ring
};
