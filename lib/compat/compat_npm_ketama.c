/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_npm_ketama.c - npm ketama, like no other ketama. Rule and quirks:
 * docs/formats/npm-ketama.md.
 */
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH };          /* slot */

static const struct cwi_option options[] = {
    { "hash", "digest of points and keys", CWI_OPT_ENUM, HASH, 0, 0, "sha1",
      "sha1 md5" },
    CWI_OPTIONS_END
};

/* First 4 bytes big-endian; they are compared as signed numbers, which a
 * change of the top bit turns into the order of unsigned ones. */
static uint64_t
hash(const struct cwi_placement *p, const uint8_t *text, size_t len)
{
    uint8_t digest[20];

    if (p->num[HASH])
        cwi_md5(text, len, digest);
    else
        cwi_sha1(text, len, digest);
    return ((uint64_t)digest[0] << 24 | (uint64_t)digest[1] << 16 |
            (uint64_t)digest[2] << 8 | digest[3]) ^ UINT64_C(0x80000000);
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    return hash(p, key, len);
}

/* Numbers run from the count down to 1; as the order of a node's own points
 * does not matter, here from 1 on. */
static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put(scratch, l->node, l->node_len);

    *end++ = 0;
    end = cwi_put_number(end, l->i + 1);
    *out = hash(p, scratch, (size_t)(end - scratch));
}

static uint64_t
labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint32_t node)
{
    (void)p;
    return (uint64_t)((double)nodes->v[node].weight / 1000000.0 * 50.0 + 0.5);
}

static const struct cwi_compat_ring ring = {
    .points = points, .per_label = 1, .labels = labels, .top = UINT32_MAX
};

const struct cwi_compat_ops cwi_compat_npm_ketama = {
    .algo = {
        .name       = "npm-ketama",
        .summary    = "50 points a weight, big-endian and signed",
        .source     = "npm ketama 1.0",
        .traits     = CW_TRAIT_MINIMAL | CW_TRAIT_WEIGHTED | CW_TRAIT_ARCS,
        .options    = options,
        .plan       = cwi_compat_ring_plan,
        .hash_key   = key_hash,
        .hash_reads = 1u << HASH,
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring
};
