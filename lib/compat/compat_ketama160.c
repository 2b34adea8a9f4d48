/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_ketama160.c - the plain form of ketama that examples and bug reports
 * are stated in: 40 digests of 4 points a node, whatever the fleet's size.
 */
#include <string.h>

#include "core/compat.h"
#include "core/points.h"

/* "label-i": the points are the four words of its MD5. */
static size_t
head(const struct cwi_placement *p, const struct cwi_label *l, uint8_t *out)
{
    (void)p;
    memcpy(out, l->node, l->node_len);
    out[l->node_len] = '-';
    return l->node_len + 1;
}

static uint64_t
hash_key(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_md5_le(key, len);
}

static const struct cwi_option options[] = {
    { "points", "points per unit of weight, a multiple of 4 or rounded up",
      CWI_OPT_UINT, 0, 4, 1000000, "160", NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static const struct cwi_compat_ring ring = {
    .md5_head = head, .per_label = 4, .top = UINT32_MAX, .tie = CWI_TIE_FIRST
};

const struct cwi_compat_ops cwi_compat_ketama160 = {
    .algo = {
        .name     = "ketama160",
        .summary  = "MD5 of name-i, 4 points a digest, 160 a unit of weight",
        .source   = "the ketama rule without its share of the total weight",
        .traits   = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL |
                    CW_TRAIT_RESTORES | CW_TRAIT_WEIGHTED | CW_TRAIT_ARCS,
        .options  = options,
        .plan     = cwi_compat_ring_plan,
        .hash_key = hash_key,
        .hash_keys = CWI_UNLESS_PAGE(cwi_compat_md5_keys),
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring
};
