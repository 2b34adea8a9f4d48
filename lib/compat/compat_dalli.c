/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_dalli.c - Ruby's Dalli: the point at or before the key. Rule and
 * quirks: docs/formats/dalli.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_crc32(0, key, len);
}

/* First 4 bytes of SHA-1, big-endian. */
static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put_full(scratch, l->node, l->node_len);
    uint8_t digest[20];

    (void)p;
    end = cwi_put_number(cwi_put_text(end, ":"), l->i);
    cwi_sha1(scratch, (size_t)(end - scratch), digest);
    *out = (uint64_t)digest[0] << 24 | (uint64_t)digest[1] << 16 |
           (uint64_t)digest[2] << 8 | digest[3];
}

static uint64_t
labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint32_t node)
{
    uint64_t n = nodes->active * UINT64_C(160) *
                 cwi_whole(nodes->v[node].weight);

    (void)p;
    return (uint64_t)((double)n / (double)cwi_whole(nodes->total));
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

static const struct cwi_compat_ring ring = {
    .points = points, .per_label = 1, .labels = labels, .top = UINT32_MAX,
    .search = CWI_AT_OR_BEFORE
};

const struct cwi_compat_ops cwi_compat_dalli = {
    .algo = {
        .name     = "dalli",
        .quirks   = cwi_quirks_share,
        .summary  = "SHA-1 points, CRC-32 keys, the point before the key",
        .source   = "Dalli 3.0, ring.rb",
        .traits   = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .plan     = plan,
        .hash_key = key_hash,
        CWI_COMPAT_MOVED_OPS
    },
    .ring = &ring
};
