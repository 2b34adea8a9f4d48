/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_xmemcached.c - xmemcached's session locators. Rules and quirks:
 * docs/formats/xmemcached.md. Its election locator: compat_xmemcached_
 * election.c.
 */
#include "compat/compat_java_hash.h"
#include "compat/compat_list.h"
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, MODE };            /* slots */
enum { MODE_STANDARD, MODE_NGINX, MODE_GWHALIN };

#define HASH_OPTION(fallback) \
    { "hash", "HashAlgorithm", CWI_OPT_ENUM, HASH, 0, 0, fallback, \
      CWI_JAVA_HASHES " one_at_a_time" }

static const struct cwi_option ketama_options[] = {
    HASH_OPTION("ketama"),
    { "mode", "standard: /ip:port; nginx: cwNginxUpstreamConsistent; gwhalin: "
      "as that client", CWI_OPT_ENUM, MODE, 0, 0, "standard",
      "standard nginx gwhalin" },
    CWI_OPTIONS_END
};

static const struct cwi_option list_options[] = {
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

/* Java prints an address as "/ip:port" or "name/ip:port". */
static uint8_t *
put_node(uint8_t *at, const struct cwi_placement *p, const struct cwi_label *l)
{
    if (p->num[MODE] == MODE_NGINX)
        return cwi_put_short(at, l->node, l->node_len);
    if (p->num[MODE] == MODE_STANDARD &&
        memchr(l->node, '/', l->node_len) == NULL)
        at = cwi_put_text(at, "/");
    return cwi_put_full(at, l->node, l->node_len);
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

static uint64_t
labels_40(const struct cwi_placement *p, const struct cwi_nodes *nodes,
          uint32_t node)
{
    (void)p;
    return 40 * cwi_whole(nodes->v[node].weight);
}

static uint64_t
labels_160(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           uint32_t node)
{
    (void)p;
    return 160 * cwi_whole(nodes->v[node].weight);
}

static int
by_label(const struct cwi_node *a, const struct cwi_node *b)
{
    size_t n = a->label_len < b->label_len ? a->label_len : b->label_len;
    int c = memcmp(a->label, b->label, n);

    return c != 0 ? c < 0 : a->label_len < b->label_len;
}

static const struct cwi_compat_ring ring_md5 = {
    .points = points_md5, .per_label = 4, .labels = labels_40,
    .tie = CWI_TIE_TURN, .before = by_label, .top_of = key_top
};
static const struct cwi_compat_ring ring_hash = {
    .points = points_hash, .per_label = 1, .labels = labels_160,
    .tie = CWI_TIE_TURN, .before = by_label, .top_of = key_top
};

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    (void)nodes;
    return hash_of(p) == CWI_JAVA_KETAMA ? &ring_md5 : &ring_hash;
}

static cw_status
ketama_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
            const struct cwi_placement *p, struct cwi_plan *out,
            cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

static const struct cwi_quirk *const ketama_quirks[] = {
    &cwi_quirk_narrow, NULL
};

const struct cwi_compat_ops cwi_compat_xmemcached_ketama = {
    .algo = {
        .name       = "xmemcached-ketama",
        .quirks     = ketama_quirks,
        .summary    = "KetamaMemcachedSessionLocator: 160 points a weight",
        .source     = "xmemcached 2.4, KetamaMemcachedSessionLocator",
        .traits     = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL |
                      CW_TRAIT_RESTORES | CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .options    = ketama_options,
        .plan       = ketama_plan,
        .hash_key   = key_hash,
        .hash_reads = 1u << HASH,
        CWI_COMPAT_RING_OPS
    },
    .choose = choose
};

/* ---- LibmemcachedMemcachedSessionLocator ------------------------------- */

static uint64_t
oaat_key(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_oaat(key, len, CWI_UNSIGNED);
}

static void
oaat_points(const struct cwi_placement *p, const struct cwi_label *l,
            uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put_short(scratch, l->node, l->node_len);

    (void)p;
    end = cwi_put_number(cwi_put_text(end, "-"), l->i);
    *out = cwi_oaat(scratch, (size_t)(end - scratch), CWI_UNSIGNED);
}

static const struct cwi_compat_ring ring_oaat = {
    .points = oaat_points, .per_label = 1, .labels = cwi_labels_100,
    .top = UINT32_MAX
};

const struct cwi_compat_ops cwi_compat_xmemcached_libmemcached = {
    .algo = {
        .name     = "xmemcached-libmemcached",
        .summary  = "LibmemcachedMemcachedSessionLocator: unsigned bytes",
        .source   = "xmemcached 2.4, LibmemcachedMemcachedSessionLocator",
        .traits   = CW_TRAIT_MINIMAL | CW_TRAIT_ARCS,
        .plan     = cwi_compat_ring_plan,
        .hash_key = oaat_key,
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring_oaat
};

/* ---- lists ------------------------------------------------------------- */

static cw_status
list_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
          const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    return st == CW_OK ? cwi_list_plan(nodes, key_top(p), out) : st;
}

static void
array_build(const struct cwi_algo_ops *self, void *state, void *scratch,
            const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    cwi_list_build(state, scratch, key_top(p), nodes, CWI_LIST_WEIGHTED,
                   NULL);
}

const struct cwi_compat_ops cwi_compat_xmemcached_array = {
    .algo = {
        .name       = "xmemcached-array",
        .quirks     = cwi_quirks_modulo_hash,
        .summary    = "ArrayMemcachedSessionLocator: hash % sum of weights",
        .source     = "xmemcached 2.4, ArrayMemcachedSessionLocator",
        .traits     = CWI_WHOLE_WEIGHTS,
        .options    = list_options,
        .plan       = list_plan,
        .build      = array_build,
        .hash_key   = key_hash,
        .hash_reads = 1u << HASH,
        CWI_COMPAT_LIST_OPS
    }
};

static uint64_t
php_key(const struct cwi_placement *p, const void *key, size_t len)
{
    return (key_hash(p, key, len) >> 16) & 0x7fff;
}

/* The 15 bits of CRC32_HASH have nothing above them: every key is 0. */
static uint64_t
php_top(const struct cwi_placement *p)
{
    return (key_top(p) >> 16) & 0x7fff;
}

static cw_status
php_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
         const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = list_plan(self, nodes, p, out, err);

    out->top = php_top(p);
    return st;
}

static void
php_build(const struct cwi_algo_ops *self, void *state, void *scratch,
          const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    cwi_list_build(state, scratch, php_top(p), nodes, CWI_LIST_WEIGHTED,
                   NULL);
}

static int
first_only(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           uint64_t top)
{
    (void)p;
    return top == 0 && nodes->active > 1;
}

static const struct cwi_quirk quirk_first = {
    first_only,
    "this hash has 15 bits and the locator drops the low 16: every key goes "
    "to the first server",
    "another hash, such as native"
};

static const struct cwi_quirk *const php_quirks[] = {
    &quirk_first, &cwi_quirk_modulo, NULL
};

const struct cwi_compat_ops cwi_compat_xmemcached_phpmemcache = {
    .algo = {
        .name       = "xmemcached-phpmemcache",
        .quirks     = php_quirks,
        .summary    = "PHPMemcacheSessionLocator: 15 bits % sum of weights",
        .source     = "xmemcached 2.4, PHPMemcacheSessionLocator",
        .traits     = CWI_WHOLE_WEIGHTS,
        .options    = list_options,
        .plan       = php_plan,
        .build      = php_build,
        .hash_key   = php_key,
        .hash_reads = 1u << HASH,
        CWI_COMPAT_LIST_OPS
    }
};
