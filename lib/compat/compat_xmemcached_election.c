/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_xmemcached_election.c - xmemcached's election locator, a rendezvous.
 * Rule and quirks: docs/formats/xmemcached.md.
 */
#include "compat/compat_text.h"
#include "core/hash.h"

/*
 * State: this, then n entries, then the texts of their nodes. A key is hashed
 * behind "/ip:port-i", so that the texts are kept.
 */
struct election {
    uint64_t n;
};

struct entry {
    uint64_t text;      /* offset into state                                */
    uint64_t weight;
    uint32_t len;
    uint32_t node;
};

static const struct entry *
entries(const void *state)
{
    return (const struct entry *)((const struct election *)state + 1);
}

#define TEXT_EXTRA 8u       /* "/" and ":11211" at most */
#define LABEL_MAX  255u
#define KEY_MAX    250u     /* the client refuses longer ones: cut here */

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    out->state = sizeof(struct election) +
                 (size_t)nodes->active * sizeof(struct entry);
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->label_len > LABEL_MAX)
            return cwi_fail(err, CW_EINVAL, "node %n: a label of \"%s\" has "
                            "at most %u bytes", n->name, (size_t)n->name_len,
                            self->name, (uint64_t)LABEL_MAX);
        if (n->weight > 0)
            out->state += n->label_len + TEXT_EXTRA;
    }
    return cwi_whole_weights(self, nodes, 1000, err);
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct election *s = state;
    struct entry *e = (struct entry *)(s + 1);
    uint8_t *text = (uint8_t *)(e + nodes->active);

    (void)self;
    (void)scratch;
    (void)p;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];
        uint8_t *end = text;

        if (n->weight == 0)
            continue;
        if (memchr(n->label, '/', n->label_len) == NULL)
            end = cwi_put_text(end, "/");
        end = cwi_put_full(end, n->label, n->label_len);
        e[s->n++] = (struct entry){ (uint64_t)(text - (uint8_t *)state),
                                    cwi_whole(n->weight),
                                    (uint32_t)(end - text), i };
        text = end;
    }
}

/* MD5 of the node's text, "-", a number and the key, first 4 bytes. */
static uint32_t
hash(const void *state, const struct entry *e, uint64_t number,
     const uint8_t *key, size_t len)
{
    uint8_t text[LABEL_MAX + TEXT_EXTRA + 21 + KEY_MAX];
    uint8_t *end = cwi_put(text, (const uint8_t *)state + e->text, e->len);

    end = cwi_put_number(cwi_put_text(end, "-"), number);
    end = cwi_put(end, key, len < KEY_MAX ? len : KEY_MAX);
    return cwi_md5_le(text, (size_t)(end - text));
}

/* The highest draw of a node, one for each unit of weight. */
static uint32_t
score(const void *state, uint64_t i, const void *key, size_t len)
{
    const struct entry *e = &entries(state)[i];
    uint32_t best = 0;

    for (uint64_t k = 0; k < e->weight; k++) {
        uint32_t h = hash(state, e, k, key, len);

        if (h > best)
            best = h;
    }
    return best;
}

/* The best node after number `last` in order (n: the best of all); n when
 * there is none. Of equal scores the first is better. */
static uint64_t
next_best(const void *state, const void *key, size_t len, uint64_t last)
{
    uint64_t n = ((const struct election *)state)->n, best = n;
    uint32_t best_score = 0;
    uint32_t last_score = last < n ? score(state, last, key, len) : 0;

    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = score(state, i, key, len);

        if (last < n && (s > last_score || (s == last_score && i <= last)))
            continue;
        if (best == n || s > best_score) {
            best = i;
            best_score = s;
        }
    }
    return best;
}

static uint32_t
owner(const void *state, const void *key, size_t len)
{
    uint64_t n = ((const struct election *)state)->n;

    return entries(state)[next_best(state, key, len, n)].node;
}

static void
walk(const void *state, const void *key, size_t len, struct cwi_walk *w)
{
    uint64_t n = ((const struct election *)state)->n, i = n;

    while ((i = next_best(state, key, len, i)) < n) {
        if (cwi_walk_visit(w, entries(state)[i].node))
            return;
    }
}

const struct cwi_compat_ops cwi_compat_xmemcached_election = {
    .algo = {
        .name      = "xmemcached-election",
        .summary   = "ElectionMemcachedSessionLocator: highest MD5 of node "
                     "and key",
        .source    = "xmemcached 2.4, ElectionMemcachedSessionLocator",
        .traits    = CW_TRAIT_MINIMAL | CWI_WHOLE_WEIGHTS,
        .plan      = plan,
        .build     = build,
        .owner_key = owner,
        .walk_key  = walk
    }
};
