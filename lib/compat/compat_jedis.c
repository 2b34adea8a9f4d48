/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_jedis.c - Jedis' ShardedJedis. Rule and quirks: docs/formats/
 * jedis.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { HASH, NAMES, TAG };      /* slots */

#define SEED UINT64_C(0x1234abcd)

static const struct cwi_option options[] = {
    { "hash", "Hashing of points and keys", CWI_OPT_ENUM, HASH, 0, 0,
      "murmur", "murmur md5" },
    { "names", "yes: shards have names, and their points depend on those; no: "
      "on the place in the list", CWI_OPT_ENUM, NAMES, 0, 0, "no", "no yes" },
    { "key-tag", "yes: DEFAULT_KEY_TAG_PATTERN, what stands in {}",
      CWI_OPT_ENUM, TAG, 0, 0, "no", "no yes" },
    CWI_OPTIONS_END
};

/* The regular expression {(.+?)}: at least one character between, so that a
 * brace that closes at once belongs to the tag. */
static struct cwi_span
key_tag(struct cwi_span key)
{
    for (size_t i = 0; i + 2 < key.len; i++) {
        const uint8_t *from = key.p + i + 1;
        const uint8_t *close;

        if (key.p[i] != '{' || *from == '\n')
            continue;
        close = from + 1;
        while (close < key.p + key.len && *close != '}' && *close != '\n')
            close++;
        if (close < key.p + key.len && *close == '}')
            return (struct cwi_span){ from, (size_t)(close - from) };
    }
    return key;
}

/* The ring is of signed 64-bit numbers: + 2^63 keeps their order. MD5 gives
 * 32 bits without a sign. */
static uint64_t
hash(const struct cwi_placement *p, const uint8_t *text, size_t len)
{
    uint64_t h = p->num[HASH] ? cwi_md5_le(text, len)
                              : cwi_murmur64a(text, len, SEED);

    return h ^ UINT64_C(1) << 63;
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_span s = { key, len };

    if (p->num[TAG])
        s = key_tag(s);
    return hash(p, s.p, s.len);
}

static void
points(const struct cwi_placement *p, const struct cwi_label *l,
       uint8_t *scratch, uint64_t *out)
{
    uint8_t *end = scratch;

    if (p->num[NAMES]) {
        end = cwi_put_text(cwi_put(end, l->node, l->node_len), "*");
    } else {
        end = cwi_put_number(cwi_put_text(end, "SHARD-"), l->index);
        end = cwi_put_text(end, "-NODE-");
    }
    end = cwi_put_number(end, l->i);
    *out = hash(p, scratch, (size_t)(end - scratch));
}

static uint64_t
labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint32_t node)
{
    (void)p;
    return 160 * cwi_whole(nodes->v[node].weight);
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

/* By the option `names`. */
static const struct cwi_compat_ring rings[] = {
    { .points = points, .per_label = 1, .labels = labels, .top = UINT64_MAX,
      .tie = CWI_TIE_LAST, .by_place = 1 },
    { .points = points, .per_label = 1, .labels = labels, .top = UINT64_MAX,
      .tie = CWI_TIE_LAST }
};

static const struct cwi_compat_ring *
choose(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    (void)nodes;
    return &rings[p->num[NAMES]];
}

static int
unnamed(const struct cwi_placement *p, const struct cwi_nodes *nodes,
        uint64_t top)
{
    (void)top;
    return !p->num[NAMES] && nodes->active > 1;
}

static const struct cwi_quirk quirk_unnamed = {
    unnamed,
    "shards without names are known by their place in the list: removing one "
    "that is not the last moves the keys of those behind it",
    "give the shards names; moving to them moves nearly all keys once"
};

static const struct cwi_quirk *const quirks[] = { &quirk_unnamed, NULL };

const struct cwi_compat_ops cwi_compat_jedis = {
    .algo = {
        .name       = "jedis",
        .quirks     = quirks,
        .summary    = "ShardedJedis: 160 points a weight, by place or name",
        .source     = "Jedis 3.10, Sharded.java",
        .traits     = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .options    = options,
        .plan       = plan,
        .hash_key   = key_hash,
        .hash_reads = 1u << HASH | 1u << TAG,
        CWI_COMPAT_RING_OPS
    },
    .choose = choose
};
