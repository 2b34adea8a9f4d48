/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_custom_ring.c - a ring of a program that has no row: the label of a
 * point, its hash, the points of a digest and the search are options. Rule:
 * docs/formats/custom-ring.md.
 */
#include "compat/compat_text.h"
#include "core/points.h"

enum { POINTS, WORDS, ORDER, BITS, SEARCH, FIRST };     /* numbers */
enum { LABEL };                                         /* texts   */
enum { LITTLE, BIG };
enum { BITS_32, BITS_16 };

static const struct cwi_option options[] = {
    { "label", "text that is hashed for a point: {name}, or {host} without "
      "its port, and {i}", CWI_OPT_TEXT, LABEL, 4, CWI_TEXT_MAX, "{name}-{i}",
      NULL },
    { "hash", "of labels and keys", CWI_OPT_HASH, 0, 0, 0, "md5",
      "md5 sha1 crc32 fnv1_32 fnv1a_32 murmur3_32" },
    { "points", "points per unit of weight", CWI_OPT_UINT, POINTS, 1, 1000000,
      "160", NULL },
    { "words", "points taken from one digest of md5 or sha1", CWI_OPT_UINT,
      WORDS, 1, 4, "4", NULL },
    { "order", "bytes of a word of md5 or sha1", CWI_OPT_ENUM, ORDER, 0, 0,
      "little", "little big" },
    { "bits", "of the ring; 16: high half xor low half", CWI_OPT_ENUM, BITS,
      0, 0, "32", "32 16" },
    { "search", "next: first point at or after the key; after: behind it; "
      "previous: last point at or before it; no-wrap: next, the last point "
      "above all", CWI_OPT_ENUM, SEARCH, 0, 0, "next",
      "next after previous nearest no-wrap" },
    { "first", "the first i", CWI_OPT_UINT, FIRST, 0, 1, "0", NULL },
    CWI_OPTIONS_END
};

/* Whose index is the option's. */
static const enum cwi_search searches[] = {
    CWI_AT_OR_AFTER, CWI_AFTER, CWI_AT_OR_BEFORE, CWI_NEAREST, CWI_NO_WRAP
};

static uint32_t
word(const struct cwi_placement *p, const uint8_t *d)
{
    uint32_t little = cwi_load32le(d);

    if (p->num[ORDER] == LITTLE)
        return little;
    return little << 24 | (little & 0xff00) << 8 | (little >> 8 & 0xff00) |
           little >> 24;
}

static uint32_t
position(const struct cwi_placement *p, uint32_t h)
{
    return p->num[BITS] == BITS_16 ? h >> 16 ^ (h & 0xffff) : h;
}

/* The first n positions of a text. */
static void
positions(const struct cwi_placement *p, const void *text, size_t len,
          unsigned n, uint64_t *out)
{
    uint8_t digest[CWI_DIGEST_MAX];

    if (p->hash->digest == NULL) {
        *out = position(p, (uint32_t)p->hash->hash(text, len, &p->hash_key));
        return;
    }
    p->hash->digest(text, len, digest);
    for (unsigned k = 0; k < n; k++)
        out[k] = position(p, word(p, digest + 4 * k));
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    uint64_t h;

    positions(p, key, len, 1, &h);
    return h;
}

/* How many points a digest gives. */
static unsigned
per_label(const struct cwi_placement *p)
{
    return p->hash->digest == NULL ? 1 : (unsigned)p->num[WORDS];
}

/* ---- labels ------------------------------------------------------------ */

static unsigned
is_word(const char *at, const char *what)
{
    return strncmp(at, what, strlen(what)) == 0;
}

static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    struct cwi_hostport hp = cwi_split_port(l->node, l->node_len);
    uint8_t *end = scratch;

    for (const char *at = p->text[LABEL]; *at != '\0';) {
        if (is_word(at, "{name}"))
            end = cwi_put(end, l->node, l->node_len);
        else if (is_word(at, "{host}"))
            end = cwi_put_span(end, hp.host);
        else if (is_word(at, "{i}"))
            end = cwi_put_number(end, l->i + p->num[FIRST]);
        else
            *end++ = (uint8_t)*at;
        at += is_word(at, "{name}") || is_word(at, "{host}") ? 6
              : is_word(at, "{i}") ? 3 : 1;
    }
    positions(p, scratch, (size_t)(end - scratch), per_label(p), out);
}

static cw_status
check_label(const struct cwi_placement *p, cw_error *err)
{
    const char *text = p->text[LABEL];
    unsigned names = 0, numbers = 0;

    for (const char *at = text; *at != '\0'; at++) {
        names += is_word(at, "{name}") + is_word(at, "{host}");
        numbers += is_word(at, "{i}");
    }
    if (names == 1 && numbers == 1)
        return CW_OK;
    return cwi_fail(err, CW_EINVAL, "label %n: expected {name} or {host} "
                    "once, and {i} once", text, strlen(text));
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = check_label(p, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

static uint64_t
top_of(const struct cwi_placement *p)
{
    return p->num[BITS] == BITS_16 ? 0xffff : UINT32_MAX;
}

#define RING(words, rule)                                                   \
    { .points = points, .per_label = words, .top_of = top_of,               \
      .search = rule }
#define RINGS(rule)                                                         \
    { RING(1, rule), RING(2, rule), RING(3, rule), RING(4, rule) }

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    static const struct cwi_compat_ring rings[][4] = {
        [CWI_AT_OR_AFTER] = RINGS(CWI_AT_OR_AFTER),
        [CWI_AFTER] = RINGS(CWI_AFTER),
        [CWI_AT_OR_BEFORE] = RINGS(CWI_AT_OR_BEFORE),
        [CWI_NEAREST] = RINGS(CWI_NEAREST),
        [CWI_NO_WRAP] = RINGS(CWI_NO_WRAP)
    };

    (void)nodes;
    return &rings[searches[p->num[SEARCH]]][per_label(p) - 1];
}

const struct cwi_compat_ops cwi_compat_custom_ring = {
    .algo = {
        .name       = "custom-ring",
        .summary    = "a ring described by its options, for programs "
                      "without a row",
        .source     = "labels, digests and searches of the other rows",
        .traits     = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL |
                      CW_TRAIT_RESTORES | CW_TRAIT_WEIGHTED | CW_TRAIT_ARCS,
        .options    = options,
        .plan       = plan,
        .hash_key   = key_hash,
        .hash_reads = 1u << ORDER | 1u << BITS,
        CWI_COMPAT_MOVED_OPS
    },
    .choose = choose
};
