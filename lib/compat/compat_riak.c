/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_riak.c - Riak: a ring of equal partitions that nodes claim. Rule and
 * quirks: docs/formats/riak.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { PARTITIONS, BUCKET, BUCKET_TYPE };       /* slots */

#define PARTITIONS_MAX 65536u

static const struct cwi_option options[] = {
    { "partitions", "ring_creation_size, a power of two", CWI_OPT_UINT,
      PARTITIONS, 1, PARTITIONS_MAX, "64", NULL },
    { "bucket", "bucket of the keys", CWI_OPT_TEXT, BUCKET, 0, CWI_TEXT_MAX,
      "", NULL },
    { "bucket-type", "type of the bucket, when it has one", CWI_OPT_TEXT,
      BUCKET_TYPE, 0, CWI_TEXT_MAX, "", NULL },
    CWI_OPTIONS_END
};

/* ---- keys -------------------------------------------------------------- */

/* An Erlang binary's header and, for short ones, its bytes. */
static uint8_t *
put_header(uint8_t *at, size_t len)
{
    *at++ = 109;
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(len >> shift);
    return at;
}

/* SHA-1 of two pieces, its first 8 bytes. */
static uint64_t sha1_pieces(const uint8_t *head, size_t head_len,
                            const uint8_t *key, size_t len);

/* SHA-1 of term_to_binary({Bucket, Key}), of whose 160 bits the partition is
 * decided by the first ones. */
static uint64_t
riak_key(const struct cwi_placement *p, const void *key, size_t len)
{
    uint8_t head[2 * CWI_TEXT_MAX + 32], *at = head;

    at = cwi_put(at, "\x83\x68\x02", 3);
    if (p->text_len[BUCKET_TYPE] > 0) {
        at = cwi_put(at, "\x68\x02", 2);
        at = put_header(at, p->text_len[BUCKET_TYPE]);
        at = cwi_put(at, p->text[BUCKET_TYPE], p->text_len[BUCKET_TYPE]);
    }
    at = put_header(at, p->text_len[BUCKET]);
    at = cwi_put(at, p->text[BUCKET], p->text_len[BUCKET]);
    at = put_header(at, len);
    return sha1_pieces(head, (size_t)(at - head), key, len);
}

static inline uint32_t
rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void
sha1_block(uint32_t h[5], const uint8_t *p)
{
    static const uint32_t k[4] = {
        UINT32_C(0x5a827999), UINT32_C(0x6ed9eba1), UINT32_C(0x8f1bbcdc),
        UINT32_C(0xca62c1d6)
    };
    uint32_t w[80], v[5];

    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
               (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (unsigned i = 16; i < 80; i++)
        w[i] = rotl32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    memcpy(v, h, sizeof v);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t f = v[1] ^ v[2] ^ v[3];

        if (i < 20)
            f = (v[1] & v[2]) | (~v[1] & v[3]);
        else if (i >= 40 && i < 60)
            f = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
        f += rotl32(v[0], 5) + v[4] + k[i / 20] + w[i];
        v[4] = v[3];
        v[3] = v[2];
        v[2] = rotl32(v[1], 30);
        v[1] = v[0];
        v[0] = f;
    }
    for (unsigned i = 0; i < 5; i++)
        h[i] += v[i];
}

static uint64_t
sha1_pieces(const uint8_t *head, size_t head_len, const uint8_t *key,
            size_t len)
{
    uint32_t h[5] = {
        UINT32_C(0x67452301), UINT32_C(0xefcdab89), UINT32_C(0x98badcfe),
        UINT32_C(0x10325476), UINT32_C(0xc3d2e1f0)
    };
    uint64_t bits = ((uint64_t)head_len + len) << 3;
    uint8_t block[64];
    size_t n = 0;

    /* The message and its end, byte by byte: heads and keys are short. */
    for (size_t i = 0; i < head_len + len; i++) {
        block[n++] = i < head_len ? head[i] : key[i - head_len];
        if (n == 64) {
            sha1_block(h, block);
            n = 0;
        }
    }
    block[n++] = 0x80;
    if (n > 56) {
        memset(block + n, 0, 64 - n);
        sha1_block(h, block);
        n = 0;
    }
    memset(block + n, 0, 56 - n);
    for (unsigned i = 0; i < 8; i++)
        block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
    sha1_block(h, block);
    return (uint64_t)h[0] << 32 | h[1];
}

/* ---- partitions -------------------------------------------------------- */

/* Does any node say which partitions it claimed? */
static int
claimed(const struct cwi_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight > 0 && nodes->v[i].position_count > 0)
            return 1;
    }
    return 0;
}

/* Every partition must have one node. */
static cw_status
check_claims(const struct cwi_nodes *nodes, uint64_t partitions,
             cw_error *err)
{
    uint64_t seen[PARTITIONS_MAX / 64] = { 0 };

    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        for (uint32_t k = 0; n->weight > 0 && k < n->position_count; k++) {
            uint64_t x = n->positions[k];

            if (x >= partitions || (seen[x / 64] >> x % 64 & 1))
                return cwi_fail(err, CW_EINVAL,
                                "node %n: partition %u is %s; expected 0 to "
                                "%u, each once", n->name, (size_t)n->name_len,
                                x, x < partitions ? "claimed twice"
                                                  : "not of this ring",
                                partitions - 1);
            seen[x / 64] |= UINT64_C(1) << x % 64;
        }
    }
    for (uint64_t x = 0; x < partitions; x++) {
        if (!(seen[x / 64] >> x % 64 & 1))
            return cwi_fail(err, CW_EINVAL,
                            "no node has claimed partition %u of %u", x,
                            partitions);
    }
    return CW_OK;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    uint64_t partitions = p->num[PARTITIONS];
    cw_status st = cwi_equal_weights(self, nodes, err);

    if (st == CW_OK && (partitions & (partitions - 1)) != 0)
        st = cwi_fail(err, CW_EINVAL,
                      "partitions %u: expected a power of two", partitions);
    if (st == CW_OK && claimed(nodes))
        st = check_claims(nodes, partitions, err);
    return st == CW_OK ? cwi_points_plan(partitions, nodes->n, out) : st;
}

/* Partition x has the positions before x * increment that are not before
 * those of x - 1: a key on an index belongs to the next one. */
static struct cwi_point
partition(uint64_t x, uint64_t partitions, uint32_t node)
{
    uint64_t increment = UINT64_MAX / partitions + 1;   /* 0 for one */

    return (struct cwi_point){ x * increment - 1, node };
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct cwi_point *raw = cwi_points_raw(scratch);
    uint64_t partitions = p->num[PARTITIONS];
    int explicitly = claimed(nodes);
    uint32_t turn = 0;

    (void)self;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->weight == 0)
            continue;
        for (uint32_t k = 0; explicitly && k < n->position_count; k++)
            *raw++ = partition(n->positions[k], partitions, i);
        for (uint64_t x = turn; !explicitly && x < partitions;
             x += nodes->active)
            *raw++ = partition(x, partitions, i);
        turn++;
    }
    cwi_points_build(state, scratch, partitions, nodes->n, UINT64_MAX);
}

static int
dealt_out(const struct cwi_placement *p, const struct cwi_nodes *nodes,
          uint64_t top)
{
    (void)p;
    (void)top;
    return !claimed(nodes);
}

static const struct cwi_quirk quirk_dealt = {
    dealt_out,
    "partitions are dealt out in turn: a cluster has its own claims",
    "give each node the partitions of `riak admin ring_status` as positions"
};

static const struct cwi_quirk *const quirks[] = { &quirk_dealt, NULL };

const struct cwi_compat_ops cwi_compat_riak = {
    .algo = {
        .name       = "riak",
        .quirks     = quirks,
        .summary    = "SHA-1 of bucket and key; nodes claim equal partitions",
        .source     = "riak_core, chash.erl",
        .traits     = CW_TRAIT_ARCS | CW_TRAIT_POSITIONS,
        .options    = options,
        .plan       = plan,
        .build      = build,
        .hash_key   = riak_key,
        .hash_reads = 1u << BUCKET | 1u << BUCKET_TYPE,
        .find       = cwi_points_find,
        .walk       = cwi_points_walk,
        .arc        = cwi_points_arc,
        .count      = cwi_points_count,
        .check      = CWI_UNLESS_PAGE(cwi_points_check)
    }
};
