/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_npm_hashring.c - npm hashring, which npm memcached uses. Rule and
 * quirks: docs/formats/npm-hashring.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, VNODES, REPLICAS, PORT };     /* slots */
enum { MD5, SHA1, SHA256, SHA512 };

static const struct cwi_option options[] = {
    { "hash", "digest of points and keys", CWI_OPT_ENUM, HASH, 0, 0,
      "md5", "md5 sha1 sha256 sha512" },
    { "vnode-count", "\"vnode count\": labels per server of equal weights",
      CWI_OPT_UINT, VNODES, 1, 1000000, "40", NULL },
    { "replicas", "points of a digest; 3 for compatibility hash_ring",
      CWI_OPT_UINT, REPLICAS, 1, 8, "4", NULL },
    { "default-port", "\"default port\", left out of labels; 0: none",
      CWI_OPT_UINT, PORT, 0, 65535, "0", NULL },
    CWI_OPTIONS_END
};

static const unsigned digest_words[] = { 4, 5, 8, 16 };

static void
digest_of(const struct cwi_placement *p, const uint8_t *text, size_t len,
          uint8_t out[64])
{
    switch (p->num[HASH]) {
    case MD5:    cwi_md5(text, len, out); break;
    case SHA1:   cwi_sha1(text, len, out); break;
    case SHA256: cwi_sha256(text, len, out); break;
    case SHA512: cwi_sha512(text, len, out); break;
    }
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    uint8_t digest[64];

    digest_of(p, key, len, digest);
    return cwi_load32le(digest);
}

static int
is_port(struct cwi_span port, uint64_t number)
{
    uint8_t digits[20];

    return number != 0 && cwi_decimal(number, digits) == port.len &&
           memcmp(digits, port.p, port.len) == 0;
}

static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    struct cwi_span label = { l->node, l->node_len };
    struct cwi_hostport hp;
    uint8_t digest[64], *end;
    uint64_t own;

    cwi_label_number(&label, "vnodes", &own);
    hp = cwi_split_port(label.p, label.len);
    end = cwi_put_span(scratch, is_port(hp.port, p->num[PORT]) ? hp.host
                                                               : label);
    end = cwi_put_number(cwi_put_text(end, "-"), l->i);
    digest_of(p, scratch, (size_t)(end - scratch), digest);
    for (unsigned k = 0; k < p->num[REPLICAS]; k++)
        out[k] = cwi_load32le(digest + 4 * k);
}

static double
weight_of(uint64_t millionths)
{
    return (double)millionths / 1000000.0;
}

/* A server with "vnodes" of its own takes so many, whatever its weight. */
static uint64_t
labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint32_t node)
{
    struct cwi_span label = { nodes->v[node].label, nodes->v[node].label_len };
    double total = 0.0;
    uint64_t own;

    if (cwi_label_number(&label, "vnodes", &own) && own > 0 &&
        own != p->num[VNODES])
        return own;
    for (uint32_t i = 0; i < nodes->n; i++)
        total += weight_of(nodes->v[i].weight);
    return (uint64_t)(weight_of(nodes->v[node].weight) / total *
                      (double)p->num[VNODES] * (double)nodes->active);
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    if (p->num[REPLICAS] > digest_words[p->num[HASH]])
        return cwi_fail(err, CW_EINVAL, "replicas %u: the digest holds %u",
                        p->num[REPLICAS],
                        (uint64_t)digest_words[p->num[HASH]]);
    return cwi_compat_ring_plan(self, nodes, p, out, err);
}

#define RING(n) \
    { .points = points, .per_label = n, .labels = labels, .top = UINT32_MAX }

static const struct cwi_compat_ring rings[] = {
    RING(1), RING(2), RING(3), RING(4), RING(5), RING(6), RING(7), RING(8)
};

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    (void)nodes;
    return &rings[p->num[REPLICAS] - 1];
}

const struct cwi_compat_ops cwi_compat_npm_hashring = {
    .algo = {
        .name       = "npm-hashring",
        .quirks     = cwi_quirks_share,
        .summary    = "40 digests of 4 points for an equal share, doubles",
        .source     = "npm hashring 3.2",
        .traits     = CW_TRAIT_WEIGHTED | CW_TRAIT_ARCS,
        .options    = options,
        .plan       = plan,
        .hash_key   = key_hash,
        .hash_reads = 1u << HASH,
        CWI_COMPAT_RING_OPS
    },
    .choose = choose
};
