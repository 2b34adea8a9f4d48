/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_memcached_proxy.c - the proxy inside memcached: jump and ring_hash.
 * Rules and quirks: docs/formats/memcached-proxy.md.
 */
#include "compat/compat_jump.h"
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, FILTER, OMODE, OBUCKETS, SEED, CONF };     /* slots */
enum { HASH_XXH3, HASH_MD5 };
enum { FILTER_NONE, FILTER_TAGS, FILTER_STOP };

#define HASH_READS (1u << HASH | 1u << FILTER | 1u << SEED | 1u << CONF)

#define KEY_OPTIONS                                                        \
    { "hash", "xxh3, or md5 for hash = mcp.dist_ring_hash.hash",           \
      CWI_OPT_ENUM, HASH, 0, 0, "xxh3", "xxh3 md5" },                      \
    { "seed", "seed text of xxh3", CWI_OPT_TEXT, SEED, 0, CWI_TEXT_MAX,    \
      "", NULL },                                                          \
    { "filter", "tags: hash what stands between two characters; stop: what " \
      "stands before a text", CWI_OPT_ENUM, FILTER, 0, 0, "none",          \
      "none tags stop" },                                                  \
    { "filter-conf", "the two characters, or the text", CWI_OPT_TEXT, CONF, \
      0, CWI_TEXT_MAX, "", NULL }

static const struct cwi_option jump_options[] = {
    KEY_OPTIONS,
    CWI_OPTIONS_END
};

static const struct cwi_option ring_options[] = {
    KEY_OPTIONS,
    { "omode", "how a backend's points are named and hashed", CWI_OPT_ENUM,
      OMODE, 0, 0, "default", "default ketama twemproxy evcache" },
    { "obuckets", "points of a backend", CWI_OPT_UINT, OBUCKETS, 1, 1000000,
      "160", NULL },
    CWI_OPTIONS_END
};

/* ---- keys -------------------------------------------------------------- */

/* Unlike other programs' tags, empty ones give the empty text. */
static struct cwi_span
between(struct cwi_span key, const char *tags)
{
    const uint8_t *open = key.len ? memchr(key.p, tags[0], key.len) : NULL;
    const uint8_t *close;

    if (open == NULL)
        return key;
    open++;
    close = memchr(open, tags[1], key.len - (size_t)(open - key.p));
    return close != NULL
               ? (struct cwi_span){ open, (size_t)(close - open) } : key;
}

static struct cwi_span
before(struct cwi_span key, const char *stop, size_t len)
{
    for (size_t i = 0; len > 0 && i + len <= key.len; i++) {
        if (memcmp(key.p + i, stop, len) == 0)
            return (struct cwi_span){ key.p, i };
    }
    return key;
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *data, size_t len)
{
    struct cwi_span key = { data, len };
    uint64_t seed = 0;

    if (p->num[FILTER] == FILTER_TAGS && p->text_len[CONF] == 2)
        key = between(key, p->text[CONF]);
    else if (p->num[FILTER] == FILTER_STOP)
        key = before(key, p->text[CONF], p->text_len[CONF]);
    if (p->num[HASH] == HASH_MD5)
        return cwi_md5_le(key.p, key.len);
    if (p->text_len[SEED] > 0)
        seed = cwi_xxh3(p->text[SEED], p->text_len[SEED]);
    return cwi_xxh3_seed(key.p, key.len, seed);
}

static uint64_t
ring_key(const struct cwi_placement *p, const void *data, size_t len)
{
    return key_hash(p, data, len) & UINT32_MAX;
}

static cw_status
check_filter(const struct cwi_placement *p, cw_error *err)
{
    if (p->num[FILTER] == FILTER_TAGS && p->text_len[CONF] != 2)
        return cwi_fail(err, CW_EINVAL, "filter tags: filter-conf %n must be "
                        "two characters", p->text[CONF],
                        (size_t)p->text_len[CONF]);
    return CW_OK;
}

/* ---- ring_hash --------------------------------------------------------- */

static void
points_xxh3(const struct cwi_placement *p, const struct cwi_label *l,
            uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put_full(scratch, l->node, l->node_len);

    (void)p;
    end = cwi_put_number(cwi_put_text(end, "-"), l->i);
    *out = cwi_xxh3(scratch, (size_t)(end - scratch)) & UINT32_MAX;
}

static void
points_md5(const struct cwi_placement *p, const struct cwi_label *l,
           uint8_t *scratch, uint64_t *out)
{
    enum { OMODE_TWEMPROXY = 2, OMODE_EVCACHE };
    struct cwi_hostport hp = cwi_split_port(l->node, l->node_len);
    uint8_t *end = scratch;

    if (p->num[OMODE] == OMODE_EVCACHE)
        end = cwi_put_text(cwi_put_span(end, hp.host), "/");
    if (p->num[OMODE] == OMODE_TWEMPROXY)
        end = cwi_put_short(end, l->node, l->node_len);
    else
        end = cwi_put_full(end, l->node, l->node_len);
    end = cwi_put_number(cwi_put_text(end, "-"), l->i);
    cwi_md5_words(scratch, (size_t)(end - scratch), out);
}

static uint64_t
labels_xxh3(const struct cwi_placement *p, const struct cwi_nodes *nodes,
            uint32_t node)
{
    (void)nodes;
    (void)node;
    return p->num[OBUCKETS];
}

static uint64_t
labels_md5(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           uint32_t node)
{
    (void)nodes;
    (void)node;
    return p->num[OBUCKETS] / 4;
}

static const struct cwi_compat_ring ring_xxh3 = {
    .points = points_xxh3, .per_label = 1, .labels = labels_xxh3,
    .top = UINT32_MAX
};

static const struct cwi_compat_ring ring_md5 = {
    .points = points_md5, .per_label = 4, .labels = labels_md5,
    .top = UINT32_MAX
};

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    (void)nodes;
    return p->num[OMODE] ? &ring_md5 : &ring_xxh3;
}

static cw_status
ring_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
          const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = check_filter(p, err);

    if (st == CW_OK && p->num[OMODE] && p->num[OBUCKETS] % 4 != 0)
        st = cwi_fail(err, CW_EINVAL, "obuckets %u: the MD5 modes leave "
                      "points unset unless it is a multiple of 4",
                      p->num[OBUCKETS]);
    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

const struct cwi_compat_ops cwi_compat_memcached_proxy_ring = {
    .algo = {
        .name       = "memcached-proxy-ring",
        .summary    = "dist_ring_hash: 160 points a backend, four modes",
        .source     = "memcached 1.6.45, proxy_ring_hash.c",
        .traits     = CW_TRAIT_MINIMAL | CW_TRAIT_ARCS,
        .options    = ring_options,
        .plan       = ring_plan,
        .hash_key   = ring_key,
        .hash_reads = HASH_READS,
        CWI_COMPAT_RING_OPS
    },
    .choose = choose
};

/* ---- jump -------------------------------------------------------------- */

static cw_status
jump_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
          const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = check_filter(p, err);

    return st == CW_OK ? cwi_jump_plan(self, nodes, out, err) : st;
}

const struct cwi_compat_ops cwi_compat_memcached_proxy_jump = {
    .algo = {
        .name       = "memcached-proxy-jump",
        .quirks     = cwi_quirks_place,
        .summary    = "the proxy's default: jump hash over the pool's order",
        .source     = "memcached 1.6.45, proxy_jump_hash.c",
        .options    = jump_options,
        .plan       = jump_plan,
        .build      = cwi_jump_build,
        .hash_key   = key_hash,
        .hash_reads = HASH_READS,
        .find       = cwi_jump_find,
        .walk       = cwi_jump_walk
    }
};
