/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_uhashring.c - Python's uhashring: the point strictly after the key.
 * Rules and quirks: docs/formats/uhashring.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { VNODES, REPLICAS };      /* slots */

static const struct cwi_option md5_options[] = {
    { "vnodes", "points per unit of weight", CWI_OPT_UINT, VNODES, 1, 1000000,
      "160", NULL },
    CWI_OPTIONS_END
};

static const struct cwi_option ketama_options[] = {
    { "vnodes", "digests of a node of average weight", CWI_OPT_UINT, VNODES,
      1, 1000000, "40", NULL },
    { "replicas", "points of a digest", CWI_OPT_UINT, REPLICAS, 1, 4, "4",
      NULL },
    CWI_OPTIONS_END
};

/* Labels of node: "NAME", or "NAME vnodes=N" for one with its own number. */
static uint64_t
vnodes_of(const struct cwi_placement *p, const struct cwi_node *n)
{
    struct cwi_span label = { n->label, n->label_len };
    uint64_t own = p->num[VNODES];

    cwi_label_number(&label, "vnodes", &own);
    return own;
}

static size_t
put_label(const struct cwi_label *l, uint8_t *scratch)
{
    struct cwi_span label = { l->node, l->node_len };
    uint64_t own;
    uint8_t *end;

    cwi_label_number(&label, "vnodes", &own);
    end = cwi_put_text(cwi_put_span(scratch, label), "-");
    return (size_t)(cwi_put_number(end, l->i) - scratch);
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

/* ---- md5 --------------------------------------------------------------- */

/* The first 64 of 128 bits: positions of the ring here. Two texts that agree
 * in these and not in the rest would be needed to see the difference. */
static uint64_t
md5_be(const uint8_t *text, size_t len)
{
    uint8_t digest[16];
    uint64_t h = 0;

    cwi_md5(text, len, digest);
    for (unsigned i = 0; i < 8; i++)
        h = h << 8 | digest[i];
    return h;
}

static uint64_t
md5_key(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return md5_be(key, len);
}

static void
md5_points(const struct cwi_placement *p, const struct cwi_label *l,
           uint8_t *scratch, uint64_t *out)
{
    (void)p;
    *out = md5_be(scratch, put_label(l, scratch));
}

static uint64_t
md5_labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           uint32_t node)
{
    return vnodes_of(p, &nodes->v[node]) * cwi_whole(nodes->v[node].weight);
}

static const struct cwi_compat_ring md5_ring = {
    .points = md5_points, .per_label = 1, .labels = md5_labels,
    .top = UINT64_MAX, .tie = CWI_TIE_LAST, .search = CWI_AFTER
};

const struct cwi_compat_ops cwi_compat_uhashring = {
    .algo = {
        .name     = "uhashring",
        .summary  = "the default: 160 MD5 points a weight, strictly after",
        .source   = "uhashring 2.1",
        .traits   = CW_TRAIT_MINIMAL | CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .options  = md5_options,
        .plan     = plan,
        .hash_key = md5_key,
        CWI_COMPAT_MOVED_OPS
    },
    .ring = &md5_ring
};

/* ---- ketama ------------------------------------------------------------ */

static uint64_t
ketama_key(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_md5_le(key, len);
}

static void
ketama_points(const struct cwi_placement *p, const struct cwi_label *l,
              uint8_t *scratch, uint64_t *out)
{
    uint64_t words[4];

    cwi_md5_words(scratch, put_label(l, scratch), words);
    for (unsigned k = 0; k < p->num[REPLICAS]; k++)
        out[k] = words[k];
}

/* Whole numbers: vnodes * nodes * weight / total. */
static uint64_t
ketama_labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
              uint32_t node)
{
    cwi_u128 n = (cwi_u128)vnodes_of(p, &nodes->v[node]) * nodes->active *
                 nodes->v[node].weight;

    return (uint64_t)(n / nodes->total);
}

#define RING(n) \
    { .points = ketama_points, .per_label = n, .labels = ketama_labels, \
      .top = UINT32_MAX, .tie = CWI_TIE_LAST, .search = CWI_AFTER }

static const struct cwi_compat_ring rings[] = {
    RING(1), RING(2), RING(3), RING(4)
};

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    (void)nodes;
    return &rings[p->num[REPLICAS] - 1];
}

const struct cwi_compat_ops cwi_compat_uhashring_ketama = {
    .algo = {
        .name     = "uhashring-ketama",
        .quirks   = cwi_quirks_share,
        .summary  = "hash_fn ketama: whole-number shares, strictly after",
        .source   = "uhashring 2.1",
        .traits   = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .options  = ketama_options,
        .plan     = plan,
        .hash_key = ketama_key,
        CWI_COMPAT_MOVED_OPS
    },
    .choose = choose
};
