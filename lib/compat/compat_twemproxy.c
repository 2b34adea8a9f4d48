/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_twemproxy.c - twemproxy (nutcracker): ketama and modula. Rules and
 * quirks: docs/formats/twemproxy.md.
 */
#include "compat/compat_hashkit.h"
#include "compat/compat_list.h"
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, CHAR, TAG, PORT };     /* slots */

#define LABEL_MAX 85u   /* bytes of a point's text that it has room for */

/* In the order of `choices` below. */
static const enum cwi_hashkit hash_kinds[] = {
    CWI_HASHKIT_ONE_AT_A_TIME, CWI_HASHKIT_MD5, CWI_HASHKIT_CRC16,
    CWI_HASHKIT_CRC15, CWI_HASHKIT_CRC32, CWI_HASHKIT_FNV1_64,
    CWI_HASHKIT_FNV1A_64, CWI_HASHKIT_FNV1_32, CWI_HASHKIT_FNV1A_32,
    CWI_HASHKIT_HSIEH, CWI_HASHKIT_MURMUR, CWI_HASHKIT_JENKINS
};

static const struct cwi_option options[] = {
    { "hash", "hash of the keys, by twemproxy's name", CWI_OPT_ENUM, HASH, 0,
      0, "fnv1a_64",
      "one_at_a_time md5 crc16 crc32 crc32a fnv1_64 fnv1a_64 fnv1_32 "
      "fnv1a_32 hsieh murmur jenkins" },
    { "char", "how bytes above 0x7f are read: signed on x86, unsigned on ARM",
      CWI_OPT_ENUM, CHAR, 0, 0, "signed", "signed unsigned" },
    { "hash-tag", "two characters; hash only what stands between them",
      CWI_OPT_TEXT, TAG, 2, 2, NULL, NULL },
    { "port", "11211 in a node's label: dropped as from host:port, or kept "
      "as in a server's own name", CWI_OPT_ENUM, PORT, 0, 0, "drop",
      "drop keep" },
    CWI_OPTIONS_END
};

static uint64_t
twemproxy_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_span s = { key, len };

    if (p->text_len[TAG] == 2)
        s = cwi_hash_tag(key, len, p->text[TAG][0], p->text[TAG][1]);
    return cwi_hashkit(hash_kinds[p->num[HASH]], s.p, s.len,
                       (enum cwi_char)p->num[CHAR]);
}

/* Many keys by MD5 go in lanes. */
static void
hash_keys(const struct cwi_placement *p, const cw_key *keys, size_t n,
          uint64_t *out)
{
    if (hash_kinds[p->num[HASH]] == CWI_HASHKIT_MD5 && p->text_len[TAG] == 0) {
        cwi_compat_md5_keys(p, keys, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = twemproxy_hash(p, keys[i].data, keys[i].len);
}

static uint64_t
key_top(const struct cwi_placement *p)
{
    return cwi_hashkit_top(hash_kinds[p->num[HASH]]);
}

/* The name of a server that was given as host:port. */
static struct cwi_span
short_name(const uint8_t *label, size_t len)
{
    struct cwi_hostport hp = cwi_split_port(label, len);

    return cwi_default_port(&hp) ? hp.host : (struct cwi_span){ label, len };
}

static int
shorter_span(struct cwi_span a, struct cwi_span b)
{
    return a.len != b.len ? a.len < b.len : memcmp(a.p, b.p, a.len) < 0;
}

static int
shorter_kept(const struct cwi_node *a, const struct cwi_node *b)
{
    return shorter_span((struct cwi_span){ a->label, a->label_len },
                        (struct cwi_span){ b->label, b->label_len });
}

static int
shorter_dropped(const struct cwi_node *a, const struct cwi_node *b)
{
    return shorter_span(short_name(a->label, a->label_len),
                        short_name(b->label, b->label_len));
}

static cw_status
twemproxy_weights(const struct cwi_algo_ops *self,
                  const struct cwi_nodes *nodes, cw_error *err)
{
    return cwi_whole_weights(self, nodes, INT32_MAX, err);
}

/* ---- ketama ------------------------------------------------------------ */

static size_t
head_dropped(const struct cwi_placement *p, const struct cwi_label *l,
             uint8_t *out)
{
    uint8_t *end = cwi_put_short(out, l->node, l->node_len);

    (void)p;
    return (size_t)(cwi_put_text(end, "-") - out);
}

static size_t
head_kept(const struct cwi_placement *p, const struct cwi_label *l,
          uint8_t *out)
{
    uint8_t *end = cwi_put(out, l->node, l->node_len);

    (void)p;
    return (size_t)(cwi_put_text(end, "-") - out);
}

static const struct cwi_compat_ring ring_dropped = {
    .md5_head  = head_dropped,
    .per_label = 4,
    .labels    = cwi_ketama_labels,
    .before    = shorter_dropped,
    .top_of    = key_top
};

static const struct cwi_compat_ring ring_kept = {
    .md5_head  = head_kept,
    .per_label = 4,
    .labels    = cwi_ketama_labels,
    .before    = shorter_kept,
    .top_of    = key_top
};

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    (void)nodes;
    return p->num[PORT] ? &ring_kept : &ring_dropped;
}

static cw_status
ketama_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
            const struct cwi_placement *p, struct cwi_plan *out,
            cw_error *err)
{
    cw_status st = twemproxy_weights(self, nodes, err);
    uint8_t digits[20];

    for (uint32_t i = 0; i < nodes->n && st == CW_OK; i++) {
        const struct cwi_node *n = &nodes->v[i];
        uint64_t labels = n->weight ? cwi_ketama_labels(p, nodes, i) : 0;

        if (labels > 0 && n->label_len + 1 + cwi_decimal(labels - 1, digits)
                              > LABEL_MAX)
            st = cwi_fail(err, CW_EINVAL,
                          "node %n: twemproxy has room for %u bytes of "
                          "label, \"-\" and number, and reads past it",
                          n->name, (size_t)n->name_len, (uint64_t)LABEL_MAX);
    }
    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

static int
unmasked(const struct cwi_placement *p, const struct cwi_nodes *nodes,
         uint64_t top)
{
    (void)nodes;
    (void)top;
    return hash_kinds[p->num[HASH]] == CWI_HASHKIT_CRC16;
}

static const struct cwi_quirk quirk_crc16 = {
    unmasked,
    "crc16 is not cut to 16 bits here: it is not the CRC-16 of Redis or of "
    "any library",
    "another hash, or this row wherever the fleet is read"
};

static int
reads_char(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           uint64_t top)
{
    (void)nodes;
    (void)top;
    return cwi_hashkit_reads_char(hash_kinds[p->num[HASH]]);
}

static const struct cwi_quirk quirk_char = {
    reads_char,
    "bytes above 0x7f have another hash on processors where char is "
    "unsigned, such as ARM",
    "ASCII keys, or `char` as on the machines of the fleet"
};

static const struct cwi_quirk *const ketama_quirks[] = {
    &cwi_quirk_share, &cwi_quirk_float, &cwi_quirk_narrow, &quirk_crc16,
    &quirk_char, NULL
};

static const struct cwi_quirk *const modula_quirks[] = {
    &cwi_quirk_modulo, &cwi_quirk_crc15, &quirk_crc16, &quirk_char, NULL
};

const struct cwi_compat_ops cwi_compat_twemproxy_ketama = {
    .algo = {
        .name       = "twemproxy-ketama",
        .quirks     = ketama_quirks,
        .summary    = "MD5 points in proportion to the total weight, any key "
                      "hash",
        .source     = "twemproxy 0.5.0, nc_ketama.c",
        .traits     = CW_TRAIT_ORDER_FREE | CW_TRAIT_RESTORES |
                      CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .options    = options,
        .plan       = ketama_plan,
        .hash_key   = twemproxy_hash,
        .hash_keys  = CWI_UNLESS_PAGE(hash_keys),
        .hash_reads = 1u << HASH | 1u << CHAR | 1u << TAG,
        CWI_COMPAT_RING_OPS
    },
    .choose = choose
};

/* ---- modula ------------------------------------------------------------ */

static cw_status
modula_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
            const struct cwi_placement *p, struct cwi_plan *out,
            cw_error *err)
{
    cw_status st = twemproxy_weights(self, nodes, err);

    return st == CW_OK ? cwi_list_plan(nodes, key_top(p), out) : st;
}

static void
modula_build(const struct cwi_algo_ops *self, void *state, void *scratch,
             const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    cwi_list_build(state, scratch, key_top(p), nodes, CWI_LIST_WEIGHTED,
                   p->num[PORT] ? shorter_kept : shorter_dropped);
}

const struct cwi_compat_ops cwi_compat_twemproxy_modula = {
    .algo = {
        .name       = "twemproxy-modula",
        .quirks     = modula_quirks,
        .summary    = "hash % sum of weights over the servers sorted by name",
        .source     = "twemproxy 0.5.0, nc_modula.c",
        .traits     = CW_TRAIT_ORDER_FREE | CW_TRAIT_RESTORES |
                      CWI_WHOLE_WEIGHTS,
        .options    = options,
        .plan       = modula_plan,
        .build      = modula_build,
        .hash_key   = twemproxy_hash,
        .hash_keys  = CWI_UNLESS_PAGE(hash_keys),
        .hash_reads = 1u << HASH | 1u << CHAR | 1u << TAG,
        CWI_COMPAT_LIST_OPS
    }
};
