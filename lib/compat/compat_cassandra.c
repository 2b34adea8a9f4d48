/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_cassandra.c - Cassandra's Murmur3Partitioner over the tokens that
 * nodes own. Rule and quirks: docs/formats/cassandra.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { TOKENS, EMPTY };         /* slots */

#define C1 UINT64_C(0x87c37b91114253d5)
#define C2 UINT64_C(0x4cf5ad432745937f)

static const struct cwi_option options[] = {
    { "tokens", "num_tokens of a node without tokens, which are made up from "
      "its label: to try things out, no cluster has them", CWI_OPT_UINT,
      TOKENS, 1, 4096, "16", NULL },
    { "empty-key", "token of the empty key: 0 as drivers hash it, or the "
      "least as the server has it", CWI_OPT_ENUM, EMPTY, 0, 0, "zero",
      "zero least" },
    CWI_OPTIONS_END
};

static inline uint64_t
rotl64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static uint64_t
fmix64(uint64_t h)
{
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

static uint64_t
first_word(uint64_t k)
{
    return rotl64(k * C1, 31) * C2;
}

static uint64_t
second_word(uint64_t k)
{
    return rotl64(k * C2, 33) * C1;
}

/* The last n < 8 bytes as the partitioner reads them: signed, so that one
 * above 0x7f changes all that stands above it. */
static uint64_t
signed_tail(const uint8_t *p, size_t n)
{
    uint64_t k = 0;

    for (size_t i = 0; i < n; i++)
        k ^= cwi_byte(p[i], CWI_SIGNED) << 8 * i;
    return k;
}

/* First 64 bits of MurmurHash3_x64_128, seed 0, with the signed tail. */
static uint64_t
murmur3_token(const uint8_t *p, size_t len)
{
    uint64_t h1 = 0, h2 = 0;
    size_t left = len;

    for (; left >= 16; left -= 16, p += 16) {
        h1 ^= first_word(cwi_load64le(p));
        h1 = (rotl64(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= second_word(cwi_load64le(p + 8));
        h2 = (rotl64(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8)
        h2 ^= second_word(signed_tail(p + 8, left - 8));
    if (left > 0)
        h1 ^= first_word(signed_tail(p, left < 8 ? left : 8));
    h1 ^= len;
    h2 ^= len;
    h1 += h2;
    h2 += h1;
    h1 = fmix64(h1);
    h2 = fmix64(h2);
    return h1 + h2;
}

/* A token is a signed number: token + 2^63 is its position. */
static uint64_t
token_position(const struct cwi_placement *p, const void *key, size_t len)
{
    uint64_t token;

    if (len == 0 && p->num[EMPTY])
        return 0;
    token = murmur3_token(key, len);
    if (token == UINT64_C(1) << 63)     /* the least one becomes the most */
        token--;
    return token ^ UINT64_C(1) << 63;
}

/* A cluster draws its tokens at random, so that the real ones must be given;
 * for a fleet that is only thought of, those of the texts "label-i". */
static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = cwi_put_text(cwi_put(scratch, l->node, l->node_len), "-");

    end = cwi_put_number(end, l->i);
    *out = token_position(p, scratch, (size_t)(end - scratch));
}

static uint64_t
labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint32_t node)
{
    (void)nodes;
    (void)node;
    return p->num[TOKENS];
}

static const struct cwi_compat_ring ring = {
    .points = points, .per_label = 1, .labels = labels, .top = UINT64_MAX
};

static int
tokens_made_up(const struct cwi_placement *p, const struct cwi_nodes *nodes,
               uint64_t top)
{
    (void)p;
    (void)top;
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight > 0 && nodes->v[i].position_count == 0)
            return 1;
    }
    return 0;
}

static const struct cwi_quirk quirk_tokens = {
    tokens_made_up,
    "nodes without tokens have made-up ones, which no cluster has",
    "give the tokens of `nodetool ring` as positions, each + 2^63"
};

static const struct cwi_quirk *const quirks[] = { &quirk_tokens, NULL };

const struct cwi_compat_ops cwi_compat_cassandra = {
    .algo = {
        .name       = "cassandra",
        .quirks     = quirks,
        .summary    = "Murmur3Partitioner: explicit tokens, signed tail bytes",
        .source     = "Cassandra Murmur3Partitioner, DataStax cmurmur3.c",
        .traits     = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL |
                      CW_TRAIT_RESTORES | CW_TRAIT_ARCS | CW_TRAIT_POSITIONS,
        .options    = options,
        .plan       = cwi_compat_ring_plan,
        .hash_key   = token_position,
        .hash_reads = 1u << EMPTY,
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring
};
