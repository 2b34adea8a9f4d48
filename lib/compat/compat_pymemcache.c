/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_pymemcache.c - pymemcache's RendezvousHash. Rule and quirks:
 * docs/formats/pymemcache.md.
 */
#include "compat/compat_text.h"
#include "core/hash.h"

enum { SEED, KEYS };            /* slots */

static const struct cwi_option options[] = {
    { "seed", "seed of RendezvousHash", CWI_OPT_UINT, SEED, 0, UINT32_MAX,
      "0", NULL },
    { "keys", "str, or bytes, which are hashed as b'...'", CWI_OPT_ENUM, KEYS,
      0, 0, "str", "str bytes" },
    CWI_OPTIONS_END
};

/* MurmurHash3 x86_32, a byte at a time. */
struct murmur {
    uint32_t h, tail;
    uint64_t len;
};

static inline uint32_t
rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static uint32_t
word(uint32_t k)
{
    return rotl32(k * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

static void
put(struct murmur *m, uint32_t byte)
{
    m->tail |= (byte & 0xff) << 8 * (m->len & 3);
    if ((++m->len & 3) == 0) {
        m->h = rotl32(m->h ^ word(m->tail), 13) * 5 + UINT32_C(0xe6546b64);
        m->tail = 0;
    }
}

static uint32_t
finish(const struct murmur *m)
{
    uint32_t h = m->h ^ word(m->tail) ^ (uint32_t)m->len;

    h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
    h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
    return h ^ h >> 16;
}

/* Characters, each cut to its low 8 bits. */
static void
put_text(struct murmur *m, const uint8_t *p, size_t len)
{
    size_t at = 0;

    while (at < len)
        put(m, cwi_utf8_next(p, len, &at));
}

/* What Python prints of bytes: b'...', with " when only ' stands in it. */
static void
put_repr(struct murmur *m, const uint8_t *p, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    int single = len > 0 && memchr(p, '\'', len) != NULL;
    int twice = len > 0 && memchr(p, '"', len) != NULL;
    uint8_t quote = single && !twice ? '"' : '\'';

    put(m, 'b');
    put(m, quote);
    for (size_t i = 0; i < len; i++) {
        const char *escaped = "\\n\\r\\t";
        uint8_t c = p[i];

        if (c == quote || c == '\\') {
            put(m, '\\');
            put(m, c);
        } else if (c == '\n' || c == '\r' || c == '\t') {
            escaped += c == '\n' ? 0 : c == '\r' ? 2 : 4;
            put(m, (uint8_t)escaped[0]);
            put(m, (uint8_t)escaped[1]);
        } else if (c < ' ' || c > '~') {
            put(m, '\\');
            put(m, 'x');
            put(m, (uint8_t)hex[c >> 4]);
            put(m, (uint8_t)hex[c & 15]);
        } else {
            put(m, c);
        }
    }
    put(m, quote);
}

/* State: this, then n of these: the hash of "node-", to be gone on with. */
struct rendezvous {
    uint64_t n;
    uint64_t bytes;
};

struct entry {
    struct murmur start;
    uint32_t      node;
};

static const struct entry *
entries(const void *state)
{
    return (const struct entry *)((const struct rendezvous *)state + 1);
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    out->state = sizeof(struct rendezvous) +
                 (size_t)nodes->active * sizeof(struct entry);
    return cwi_equal_weights(self, nodes, err);
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct rendezvous *r = state;
    struct entry *e = (struct entry *)(r + 1);

    (void)self;
    (void)scratch;
    r->bytes = p->num[KEYS];
    for (uint32_t i = 0; i < nodes->n; i++) {
        struct murmur m = { (uint32_t)p->num[SEED], 0, 0 };

        if (nodes->v[i].weight == 0)
            continue;
        put_text(&m, nodes->v[i].label, nodes->v[i].label_len);
        put(&m, '-');
        e[r->n++] = (struct entry){ m, i };
    }
}

static uint32_t
score(const void *state, uint64_t i, const void *key, size_t len)
{
    struct murmur m = entries(state)[i].start;

    if (((const struct rendezvous *)state)->bytes)
        put_repr(&m, key, len);
    else
        put_text(&m, key, len);
    return finish(&m);
}

/* The best node after number `last` in order (n: the best of all); n when
 * there is none. Of equal scores the larger node text is better, which is
 * the later one here. */
static uint64_t
next_best(const void *state, const void *key, size_t len, uint64_t last)
{
    uint64_t n = ((const struct rendezvous *)state)->n, best = n;
    uint32_t best_score = 0;
    uint32_t last_score = last < n ? score(state, last, key, len) : 0;

    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = score(state, i, key, len);

        if (last < n && (s > last_score || (s == last_score && i >= last)))
            continue;
        if (best == n || s >= best_score) {
            best = i;
            best_score = s;
        }
    }
    return best;
}

static uint32_t
owner(const void *state, const void *key, size_t len)
{
    uint64_t n = ((const struct rendezvous *)state)->n;

    return entries(state)[next_best(state, key, len, n)].node;
}

static void
walk(const void *state, const void *key, size_t len, struct cwi_walk *w)
{
    uint64_t n = ((const struct rendezvous *)state)->n, i = n;

    while ((i = next_best(state, key, len, i)) < n) {
        if (cwi_walk_visit(w, entries(state)[i].node))
            return;
    }
}

const struct cwi_compat_ops cwi_compat_pymemcache = {
    .algo = {
        .name      = "pymemcache",
        .summary   = "RendezvousHash: MurmurHash3 over 8-bit characters",
        .source    = "pymemcache 3.5, rendezvous.py",
        .traits    = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL |
                     CW_TRAIT_RESTORES,
        .options   = options,
        .plan      = plan,
        .build     = build,
        .owner_key = owner,
        .walk_key  = walk
    }
};
