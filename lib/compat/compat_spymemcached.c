/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_spymemcached.c - spymemcached's node locators. Rules and quirks:
 * docs/formats/spymemcached.md.
 */
#include "compat/compat_java_hash.h"
#include "compat/compat_list.h"
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, FORMAT, WEIGHTS };         /* slots */
enum { WEIGHTS_AUTO, WEIGHTS_ON, WEIGHTS_OFF };

#define HASH_OPTION(fallback) \
    { "hash", "DefaultHashAlgorithm", CWI_OPT_ENUM, HASH, 0, 0, fallback, \
      CWI_JAVA_HASHES }

static const struct cwi_option ketama_options[] = {
    HASH_OPTION("ketama"),
    { "format", "KetamaNodeKeyFormatter: host/ip:port, or host with the port "
      "unless it is 11211", CWI_OPT_ENUM, FORMAT, 0, 0, "spymemcached",
      "spymemcached libmemcached" },
    { "weights", "auto: on when weights differ", CWI_OPT_ENUM, WEIGHTS, 0, 0,
      "auto", "auto on off" },
    CWI_OPTIONS_END
};

static const struct cwi_option arraymod_options[] = {
    HASH_OPTION("native"),
    CWI_OPTIONS_END
};

static enum cwi_java_hash
hash_of(const struct cwi_placement *p)
{
    return (enum cwi_java_hash)p->num[HASH];
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    return cwi_java_hash(hash_of(p), key, len);
}

static uint64_t
key_top(const struct cwi_placement *p)
{
    return cwi_java_hash_top(hash_of(p));
}

/* ---- ketama ------------------------------------------------------------ */

/* A label is what Java prints of the address, "10.0.0.1:11211" or
 * "host/10.0.0.1:11211"; the other format takes the host out of it. */
static uint8_t *
put_node(uint8_t *at, const struct cwi_placement *p, const struct cwi_label *l)
{
    struct cwi_hostport hp = cwi_split_port(l->node, l->node_len);
    const uint8_t *slash = memchr(l->node, '/', l->node_len);

    if (!p->num[FORMAT])
        return cwi_put_full(at, l->node, l->node_len);
    if (slash != NULL && slash > l->node)
        hp.host.len = (size_t)(slash - l->node);
    at = cwi_put_span(at, hp.host);
    return cwi_default_port(&hp)
               ? at : cwi_put_span(cwi_put_text(at, ":"), hp.port);
}

static void
points_md5(const struct cwi_placement *p, const struct cwi_label *l,
           uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put_text(put_node(scratch, p, l), "-");

    end = cwi_put_number(end, l->i);
    cwi_md5_words(scratch, (size_t)(end - scratch), out);
}

static void
points_hash(const struct cwi_placement *p, const struct cwi_label *l,
            uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put_text(put_node(scratch, p, l), "-");

    end = cwi_put_number(end, l->i);
    *out = cwi_java_hash(hash_of(p), scratch, (size_t)(end - scratch));
}

/* A TreeMap keeps the last of equal points. */
static const struct cwi_compat_ring ring_weighted = {
    .points = points_md5, .per_label = 4, .labels = cwi_ketama_labels,
    .tie = CWI_TIE_LAST, .top_of = key_top
};
static const struct cwi_compat_ring ring_md5 = {
    .points = points_md5, .per_label = 4, .labels = cwi_labels_40,
    .tie = CWI_TIE_LAST, .top_of = key_top
};
static const struct cwi_compat_ring ring_hash = {
    .points = points_hash, .per_label = 1, .labels = cwi_labels_160,
    .tie = CWI_TIE_LAST, .top_of = key_top
};

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    int weighted = p->num[WEIGHTS] == WEIGHTS_ON;

    for (uint32_t i = 1; i < nodes->n && p->num[WEIGHTS] == WEIGHTS_AUTO; i++)
        weighted |= nodes->v[i].weight != nodes->v[0].weight &&
                    nodes->v[i].weight != 0 && nodes->v[0].weight != 0;
    if (weighted)
        return &ring_weighted;
    return hash_of(p) == CWI_JAVA_KETAMA ? &ring_md5 : &ring_hash;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, INT32_MAX, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

static const struct cwi_quirk *const ketama_quirks[] = {
    &cwi_quirk_share, &cwi_quirk_narrow, NULL
};

const struct cwi_compat_ops cwi_compat_spymemcached_ketama = {
    .algo = {
        .name       = "spymemcached-ketama",
        .quirks     = ketama_quirks,
        .summary    = "KetamaNodeLocator: 160 points of host/ip:port",
        .source     = "spymemcached 2.12, KetamaNodeLocator",
        .traits     = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .options    = ketama_options,
        .plan       = plan,
        .hash_key   = key_hash,
        .hash_reads = 1u << HASH,
        CWI_COMPAT_RING_OPS
    },
    .choose = choose
};

/* ---- ArrayModNodeLocator ----------------------------------------------- */

static cw_status
arraymod_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
              const struct cwi_placement *p, struct cwi_plan *out,
              cw_error *err)
{
    cw_status st = cwi_equal_weights(self, nodes, err);

    return st == CW_OK ? cwi_list_plan(nodes, key_top(p), out) : st;
}

static void
arraymod_build(const struct cwi_algo_ops *self, void *state, void *scratch,
               const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    cwi_list_build(state, scratch, key_top(p), nodes, CWI_LIST_EQUAL, NULL);
}

const struct cwi_compat_ops cwi_compat_spymemcached_arraymod = {
    .algo = {
        .name       = "spymemcached-arraymod",
        .quirks     = cwi_quirks_modulo_hash,
        .summary    = "ArrayModNodeLocator: hash % number of nodes",
        .source     = "spymemcached 2.12, ArrayModNodeLocator",
        .options    = arraymod_options,
        .plan       = arraymod_plan,
        .build      = arraymod_build,
        .hash_key   = key_hash,
        .hash_reads = 1u << HASH,
        CWI_COMPAT_LIST_OPS
    }
};
