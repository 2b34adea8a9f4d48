/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_groupcache.c - Go's groupcache: the number stands before the name.
 * Rule and quirks: docs/formats/groupcache.md.
 */
#include "compat/compat_text.h"
#include "core/points.h"

enum { POINTS };        /* slot */

static const struct cwi_option options[] = {
    { "hash", "hash function given to consistenthash.New()", CWI_OPT_HASH, 0,
      0, 0, "crc32", "crc32 fnv1_32 fnv1a_32 murmur3_32" },
    { "points", "replicas: points of a peer", CWI_OPT_UINT, POINTS, 1,
      1000000, "50", NULL },
    CWI_OPTIONS_END
};

static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put_number(scratch, l->i);

    end = cwi_put(end, l->node, l->node_len);
    *out = p->hash->hash(scratch, (size_t)(end - scratch), &p->hash_key);
}

static uint64_t
labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint32_t node)
{
    (void)nodes;
    (void)node;
    return p->num[POINTS];
}

static const struct cwi_compat_ring ring = {
    .points = points, .per_label = 1, .labels = labels, .top = UINT32_MAX,
    .tie = CWI_TIE_LAST
};

const struct cwi_compat_ops cwi_compat_groupcache = {
    .algo = {
        .name    = "groupcache",
        .summary = "50 points a peer, CRC-32 of number and name",
        .source  = "groupcache, consistenthash.go",
        .traits  = CW_TRAIT_MINIMAL | CW_TRAIT_ARCS,
        .options = options,
        .plan    = cwi_compat_ring_plan,
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring
};
