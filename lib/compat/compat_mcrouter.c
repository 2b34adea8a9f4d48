/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_mcrouter.c - Ch3, WeightedCh3 and Crc32 of mcrouter. Rules and
 * quirks: docs/formats/mcrouter.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_mcrouter.h"

#include "compat/compat_list.h"
#include "core/hash.h"

const struct cwi_option cwi_mcrouter_options[] = {
    { "routing-key", "hash the routing key: without /region/cluster/ and "
      "from |#| on", CWI_OPT_ENUM, CWI_MCROUTER_ROUTING, 0, 0, "yes",
      "no yes" },
    { "salt", "salt of the hash function, behind the key", CWI_OPT_TEXT,
      CWI_MCROUTER_SALT, 0, CWI_TEXT_MAX, "", NULL },
    CWI_OPTIONS_END
};

/* ---- keys -------------------------------------------------------------- */

static struct cwi_span
routing_key(const uint8_t *key, size_t len)
{
    struct cwi_span s = { key, len };
    unsigned slashes = 0;
    size_t i = 0;

    while (len > 0 && key[0] == '/' && i < len && slashes < 3)
        slashes += key[i++] == '/';
    if (slashes == 3) {
        s.p += i;
        s.len -= i;
    }
    for (i = 0; i + 3 <= s.len; i++) {
        if (memcmp(s.p + i, "|#|", 3) == 0)
            s.len = i;
    }
    return s;
}

struct cwi_pieces
cwi_mcrouter_key(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_span s = { key, len };

    if (p->num[CWI_MCROUTER_ROUTING])
        s = routing_key(key, len);
    return (struct cwi_pieces){
        s.p, (const uint8_t *)p->text[CWI_MCROUTER_SALT], s.len,
        p->text_len[CWI_MCROUTER_SALT]
    };
}

/* ---- furc -------------------------------------------------------------- */

#define FURC_TRIES 32u
#define FURC_SHIFT 23u          /* bits between those of one walk */
#define FURC_WORDS 300u         /* more than the tries can ask for */

/* Bits of a stream: 64 of the key's hash, 64 of that hash's hash, ... */
struct furc {
    uint64_t word[FURC_WORDS];
    uint32_t known;
};

static uint32_t
furc_bit(struct furc *f, uint32_t i)
{
    for (; f->known <= i / 64; f->known++) {
        uint8_t bytes[8];

        for (unsigned k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(f->word[f->known - 1] >> 8 * k);
        f->word[f->known] = cwi_murmur64a(bytes, 8, CWI_MCROUTER_SEED);
    }
    return (uint32_t)(f->word[i / 64] >> i % 64) & 1;
}

/*
 * A walk down the tree of bits: d is how many bits an index may have, the
 * first bit set below it decides how many it has, the rest follow. An index
 * that is too large tries again further on in the stream.
 */
uint32_t
cwi_furc(uint64_t hash, uint32_t buckets)
{
    struct furc f;
    uint32_t d = 0, at;

    if (buckets <= 1)
        return 0;
    f.word[0] = hash;
    f.known = 1;
    while (buckets > UINT32_C(1) << d)
        d++;
    at = d;
    for (unsigned n = 0; n < FURC_TRIES; n++) {
        uint32_t index = 1;

        while (!furc_bit(&f, at)) {
            if (--d == 0)
                return 0;
            at = d;
        }
        at += FURC_SHIFT;
        for (uint32_t i = 0; i + 1 < d; i++) {
            index = index << 1 | furc_bit(&f, at);
            at += FURC_SHIFT;
        }
        if (index < buckets)
            return index;
    }
    return 0;
}

static uint64_t
murmur_key(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_pieces k = cwi_mcrouter_key(p, key, len);

    return cwi_murmur64a_pieces(&k, CWI_MCROUTER_SEED);
}

/* ---- Ch3 and Crc32 ----------------------------------------------------- */

static cw_status
equal_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
           uint64_t top, struct cwi_plan *out, cw_error *err)
{
    if (nodes->active > CWI_MCROUTER_POOL_MAX)
        return cwi_fail(err, CW_ELIMIT, "%u nodes: \"%s\" takes up to %u",
                        (uint64_t)nodes->active, self->name,
                        (uint64_t)CWI_MCROUTER_POOL_MAX);
    if (cwi_equal_weights(self, nodes, err) != CW_OK)
        return CW_EINVAL;
    return cwi_list_plan(nodes, top, out);
}

static cw_status
ch3_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
         const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    return equal_plan(self, nodes, UINT64_MAX, out, err);
}

static void
ch3_build(const struct cwi_algo_ops *self, void *state, void *scratch,
          const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    (void)p;
    cwi_list_build(state, scratch, UINT64_MAX, nodes, CWI_LIST_EQUAL, NULL);
}

static uint64_t
ch3_index(const void *state, uint64_t at)
{
    return cwi_furc(at, (uint32_t)cwi_list_total(state));
}

static uint32_t
ch3_find(const void *state, uint64_t at)
{
    return cwi_list_at(state, ch3_index(state, at));
}

/* The next nodes of the list, as mcrouter's failover takes its own list. */
static void
ch3_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    cwi_list_walk(state, ch3_index(state, at), w);
}

const struct cwi_compat_ops cwi_compat_mcrouter_ch3 = {
    .algo = {
        .name       = "mcrouter-ch3",
        .quirks     = cwi_quirks_place,
        .summary    = "Ch3, the default: furc hash over the pool's order",
        .source     = "mcrouter, lib/fbi/hash.c",
        .options    = cwi_mcrouter_options,
        .plan       = ch3_plan,
        .build      = ch3_build,
        .hash_key   = murmur_key,
        .hash_reads = CWI_MCROUTER_HASH_READS,
        .find       = ch3_find,
        .walk       = ch3_walk
    }
};

static uint64_t
crc32_key(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_pieces k = cwi_mcrouter_key(p, key, len);

    return cwi_crc32(cwi_crc32(0, k.a, k.a_len), k.b, k.b_len) & 0x7fffffff;
}

static cw_status
crc32_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
           const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    return equal_plan(self, nodes, 0x7fffffff, out, err);
}

static void
crc32_build(const struct cwi_algo_ops *self, void *state, void *scratch,
            const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    (void)p;
    cwi_list_build(state, scratch, 0x7fffffff, nodes, CWI_LIST_EQUAL, NULL);
}

const struct cwi_compat_ops cwi_compat_mcrouter_crc32 = {
    .algo = {
        .name       = "mcrouter-crc32",
        .quirks     = cwi_quirks_modulo,
        .summary    = "Crc32: 31 bits of the CRC-32 % number of nodes",
        .source     = "mcrouter, lib/Crc32HashFunc.h",
        .options    = cwi_mcrouter_options,
        .plan       = crc32_plan,
        .build      = crc32_build,
        .hash_key   = crc32_key,
        .hash_reads = CWI_MCROUTER_HASH_READS,
        CWI_COMPAT_LIST_OPS
    }
};

/* ---- WeightedCh3 ------------------------------------------------------- */

#define WCH3_TRIES 32u
#define WCH3_SEED  UINT32_C(0xface2014)

/* State: this, then for every listed node the number below which its second
 * hash must lie. The options are here because a key comes without them. */
struct wch3 {
    uint64_t n;
    uint64_t routing;
    uint64_t salt_len;
    uint8_t  salt[CWI_TEXT_MAX + 1];
};

static const uint64_t *
limits(const void *state)
{
    return (const uint64_t *)((const struct wch3 *)state + 1);
}

static cw_status
wch3_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
          const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->weight > CW_WEIGHT_ONE)
            return cwi_fail(err, CW_EINVAL,
                            "node %n: weight %w; \"%s\" takes 0 to 1",
                            n->name, (size_t)n->name_len, n->weight,
                            self->name);
    }
    if (nodes->n > CWI_MCROUTER_POOL_MAX)
        return cwi_fail(err, CW_ELIMIT, "%u nodes: \"%s\" takes up to %u",
                        (uint64_t)nodes->n, self->name,
                        (uint64_t)CWI_MCROUTER_POOL_MAX);
    out->state = sizeof(struct wch3) + (size_t)nodes->n * 8;
    return CW_OK;
}

static void
wch3_build(const struct cwi_algo_ops *self, void *state, void *scratch,
           const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct wch3 *s = state;
    uint64_t *limit = (uint64_t *)(s + 1);

    (void)self;
    (void)scratch;
    s->n = nodes->n;
    s->routing = p->num[CWI_MCROUTER_ROUTING];
    s->salt_len = p->text_len[CWI_MCROUTER_SALT];
    memcpy(s->salt, p->text[CWI_MCROUTER_SALT], sizeof s->salt);
    for (uint32_t i = 0; i < nodes->n; i++)
        limit[i] = (uint64_t)((double)nodes->v[i].weight / 1000000.0 *
                              4294967295.0);      /* 0 for weight 0 only */
}

/* The node of try number n, and whether its weight accepts the key. A try
 * after the first hashes the key with the digits of its number behind it,
 * the last one first. */
static uint32_t
wch3_try(const void *state, const void *key, size_t len, uint32_t number,
         int *accepted)
{
    const struct wch3 *s = state;
    struct cwi_span k = { key, len };
    uint8_t tail[CWI_TEXT_MAX + 12];
    struct cwi_pieces whole;
    uint8_t *end = cwi_put(tail, s->salt, (size_t)s->salt_len);
    uint32_t index;

    if (s->routing)
        k = routing_key(key, len);
    if (number > 0) {
        uint32_t n = number - 1;

        do {
            *end++ = (uint8_t)('0' + n % 10);
            n /= 10;
        } while (n > 0);
    }
    whole = (struct cwi_pieces){ k.p, tail, k.len, (size_t)(end - tail) };
    index = cwi_furc(cwi_murmur64a_pieces(&whole, CWI_MCROUTER_SEED),
                     (uint32_t)s->n);
    *accepted = cwi_spooky32(&whole, WCH3_SEED) < limits(state)[index];
    return index;
}

/* mcrouter takes the last try's node whatever its weight; a node of weight 0
 * is passed over here, as it owns nothing anywhere. */
static uint32_t
wch3_owner(const void *state, const void *key, size_t len)
{
    uint64_t n = ((const struct wch3 *)state)->n;
    uint32_t index = 0;
    int accepted = 0;

    for (uint32_t k = 0; k < WCH3_TRIES && !accepted; k++)
        index = wch3_try(state, key, len, k, &accepted);
    for (uint64_t left = n; left > 0 && limits(state)[index] == 0; left--)
        index = index + 1 == n ? 0 : index + 1;
    return index;
}

static void
wch3_walk(const void *state, const void *key, size_t len, struct cwi_walk *w)
{
    uint64_t n = ((const struct wch3 *)state)->n;
    uint64_t i = wch3_owner(state, key, len);

    for (uint64_t left = n; left > 0; left--) {
        if (limits(state)[i] > 0 && cwi_walk_visit(w, (uint32_t)i))
            return;
        i = i + 1 == n ? 0 : i + 1;
    }
}

const struct cwi_compat_ops cwi_compat_mcrouter_wch3 = {
    .algo = {
        .name      = "mcrouter-wch3",
        .quirks    = cwi_quirks_place,
        .summary   = "WeightedCh3: furc hash, accepted by weights of 0 to 1",
        .source    = "mcrouter, lib/WeightedCh3HashFunc.cpp",
        .traits    = CW_TRAIT_WEIGHTED,
        .options   = cwi_mcrouter_options,
        .plan      = wch3_plan,
        .build     = wch3_build,
        .owner_key = wch3_owner,
        .walk_key  = wch3_walk
    }
};
