/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_libketama.c - libketama, the library that gave the scheme its name.
 * Rule and quirks: docs/formats/libketama.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

#define ADDRESS_MAX 22u     /* bytes that its server list keeps of an address */

static size_t
libketama_head(const struct cwi_placement *p, const struct cwi_label *l,
               uint8_t *out)
{
    (void)p;
    cwi_put_text(cwi_put(out, l->node, l->node_len), "-");
    return l->node_len + 1;
}

/* floorf(part * 40.0 * n): the part is a float, the product a double that
 * becomes a float before it is cut. */
static uint64_t
libketama_labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
                 uint32_t node)
{
    float part = (float)cwi_whole(nodes->v[node].weight) /
                 (float)cwi_whole(nodes->total);

    (void)p;
    return (uint64_t)(float)((double)part * 40.0 * (double)nodes->active);
}

static cw_status
libketama_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
               const struct cwi_placement *p, struct cwi_plan *out,
               cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, CW_WEIGHT_MAX, err);

    for (uint32_t i = 0; i < nodes->n && st == CW_OK; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->label_len > ADDRESS_MAX)
            st = cwi_fail(err, CW_EINVAL,
                          "node %n: libketama keeps %u bytes of an address",
                          n->name, (size_t)n->name_len,
                          (uint64_t)ADDRESS_MAX);
    }
    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

static uint64_t
libketama_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_md5_le(key, len);
}

static const struct cwi_compat_ring ring = {
    .md5_head  = libketama_head,
    .per_label = 4,
    .labels    = libketama_labels,
    .top       = UINT32_MAX
};

const struct cwi_compat_ops cwi_compat_libketama = {
    .algo = {
        .name     = "libketama",
        .quirks   = cwi_quirks_share,
        .summary  = "the original: address with its port, share of memory",
        .source   = "libketama (Last.fm, 2007), ketama.c",
        .traits   = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .plan     = libketama_plan,
        .hash_key = libketama_hash,
        .hash_keys = CWI_UNLESS_PAGE(cwi_compat_md5_keys),
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring
};
