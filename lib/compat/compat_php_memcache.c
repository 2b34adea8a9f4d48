/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_php_memcache.c - PHP's memcache extension: a ring sampled into 1,024
 * buckets, and its older list. Rules and quirks: docs/formats/
 * php-memcache.md.
 */
#include "compat/compat_hashes.h"
#include "compat/compat_list.h"
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, CHAR };            /* slots */
enum { HASH_CRC32, HASH_FNV };

#define BUCKETS 1024u
#define KEY_MAX 250u
#define POINTS  160u

static const struct cwi_option options[] = {
    { "hash", "memcache.hash_function", CWI_OPT_ENUM, HASH, 0, 0, "crc32",
      "crc32 fnv" },
    { "char", "how fnv reads bytes above 0x7f: signed on x86, unsigned on ARM",
      CWI_OPT_ENUM, CHAR, 0, 0, "signed", "signed unsigned" },
    CWI_OPTIONS_END
};

static uint32_t
hash_text(const struct cwi_placement *p, const uint8_t *text, size_t len)
{
    return p->num[HASH] == HASH_CRC32
               ? cwi_crc32(0, text, len)
               : cwi_fnv1a_32_char(text, len, (enum cwi_char)p->num[CHAR]);
}

/* The extension cuts a key after 250 bytes and writes '_' for blanks and
 * control characters, before it hashes. */
static uint32_t
hash_clean(const struct cwi_placement *p, const void *key, size_t len)
{
    const uint8_t *from = key;
    uint8_t text[KEY_MAX];
    size_t n = len < KEY_MAX ? len : KEY_MAX;

    for (size_t i = 0; i < n; i++)
        text[i] = from[i] <= ' ' ? '_' : from[i];
    return hash_text(p, text, n);
}

/* ---- consistent -------------------------------------------------------- */

static uint64_t
consistent_key(const struct cwi_placement *p, const void *key, size_t len)
{
    return hash_clean(p, key, len) % BUCKETS;
}

/* Where the ring that is sampled stands in scratch: behind the larger of the
 * two sets of raw points; then its state; then a label. */
struct layout {
    uint64_t n;         /* points of the ring                               */
    size_t   state, label, bytes;
};

static cw_status
layout_of(const struct cwi_nodes *nodes, struct layout *out)
{
    struct cwi_plan ring, buckets;
    size_t longest = 0;
    cw_status st;

    *out = (struct layout){ 0, 0, 0, 0 };
    for (uint32_t i = 0; i < nodes->n; i++) {
        out->n += POINTS * cwi_whole(nodes->v[i].weight);
        if (nodes->v[i].label_len > longest)
            longest = nodes->v[i].label_len;
    }
    st = out->n > CWI_POINTS_MAX ? CW_ELIMIT
                                 : cwi_points_plan(out->n, nodes->n, &ring);
    if (st != CW_OK)
        return st;
    cwi_points_plan(BUCKETS, nodes->n, &buckets);
    out->state = ring.scratch > buckets.scratch ? ring.scratch
                                                : buckets.scratch;
    out->state = (out->state + 63) & ~(size_t)63;
    out->label = out->state + ring.state;
    out->bytes = out->label + longest + 64;
    return CW_OK;
}

static cw_status
consistent_plan(const struct cwi_algo_ops *self,
                const struct cwi_nodes *nodes, const struct cwi_placement *p,
                struct cwi_plan *out, cw_error *err)
{
    struct layout at;
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    (void)p;
    if (st != CW_OK)
        return st;
    st = layout_of(nodes, &at);
    if (st != CW_OK)
        return cwi_fail(err, st, "%u points are more than the %u that a ring "
                        "holds", at.n, CWI_POINTS_MAX);
    st = cwi_points_plan(BUCKETS, nodes->n, out);
    out->scratch = at.bytes;
    out->top = BUCKETS - 1;
    return st;
}

static void
consistent_build(const struct cwi_algo_ops *self, void *state, void *scratch,
                 const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct cwi_point *raw = cwi_points_raw(scratch);
    struct layout at;
    void *ring;
    uint8_t *label;

    (void)self;
    layout_of(nodes, &at);
    ring = (uint8_t *)scratch + at.state;
    label = (uint8_t *)scratch + at.label;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];
        uint64_t count = POINTS * cwi_whole(n->weight);
        uint8_t *end = cwi_put_full(label, n->label, n->label_len);

        end = cwi_put_text(end, "-");
        for (uint64_t k = 0; k < count; k++) {
            size_t len = (size_t)(cwi_put_number(end, k) - label);

            *raw++ = (struct cwi_point){ hash_text(p, label, len), i };
        }
    }
    cwi_points_build(ring, scratch, at.n, nodes->n, UINT32_MAX);
    raw = cwi_points_raw(scratch);
    for (uint32_t b = 0; b < BUCKETS; b++) {
        uint64_t at_bucket = (uint64_t)b * (UINT32_MAX / BUCKETS);

        raw[b] = (struct cwi_point){ b, cwi_points_find(ring, at_bucket) };
    }
    cwi_points_build(state, scratch, BUCKETS, nodes->n, BUCKETS - 1);
}

const struct cwi_compat_ops cwi_compat_php_memcache_consistent = {
    .algo = {
        .name       = "php-memcache-consistent",
        .summary    = "160 points a weight, sampled into 1,024 buckets",
        .source     = "PHP memcache 4.0.5.2, memcache_consistent_hash.c",
        .traits     = CW_TRAIT_MINIMAL | CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .options    = options,
        .plan       = consistent_plan,
        .build      = consistent_build,
        .hash_key   = consistent_key,
        .hash_reads = 1u << HASH | 1u << CHAR,
        .find       = cwi_points_find,
        .walk       = cwi_points_walk,
        .arc        = cwi_points_arc,
        .count      = cwi_points_count,
        .check      = CWI_UNLESS_PAGE(cwi_points_check)
    }
};

/* ---- standard ---------------------------------------------------------- */

static uint64_t
standard_key(const struct cwi_placement *p, const void *key, size_t len)
{
    uint32_t h = (hash_clean(p, key, len) >> 16) & 0x7fff;

    return h ? h : 1;
}

static cw_status
standard_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
              const struct cwi_placement *p, struct cwi_plan *out,
              cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    (void)p;
    return st == CW_OK ? cwi_list_plan(nodes, 0x7fff, out) : st;
}

static void
standard_build(const struct cwi_algo_ops *self, void *state, void *scratch,
               const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    (void)p;
    cwi_list_build(state, scratch, 0x7fff, nodes, CWI_LIST_WEIGHTED, NULL);
}

const struct cwi_compat_ops cwi_compat_php_memcache_standard = {
    .algo = {
        .name       = "php-memcache-standard",
        .quirks     = cwi_quirks_modulo,
        .summary    = "15 bits of the hash % sum of weights",
        .source     = "PHP memcache 4.0.5.2, memcache_standard_hash.c",
        .traits     = CWI_WHOLE_WEIGHTS,
        .options    = options,
        .plan       = standard_plan,
        .build      = standard_build,
        .hash_key   = standard_key,
        .hash_reads = 1u << HASH | 1u << CHAR,
        CWI_COMPAT_LIST_OPS
    }
};
