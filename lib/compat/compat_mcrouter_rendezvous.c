/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_mcrouter_rendezvous.c - Rendezvous and WeightedRendezvous of
 * mcrouter. Rules and quirks: docs/formats/mcrouter.md.
 */
#include "compat/compat_mcrouter.h"

#define KEY_SEED UINT64_C(2718281828)

/* State: this, then n of these. */
struct rendezvous {
    uint64_t n;
};

struct entry {
    uint64_t hash;      /* of the node's label, its tag                     */
    double   weight;
    uint32_t node;
};

static const struct entry *
entries(const void *state)
{
    return (const struct entry *)((const struct rendezvous *)state + 1);
}

static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_pieces k = cwi_mcrouter_key(p, key, len);

    return cwi_murmur64a_pieces(&k, KEY_SEED);
}

static cw_status
plan_all(const struct cwi_nodes *nodes, struct cwi_plan *out)
{
    out->state = sizeof(struct rendezvous) +
                 (size_t)nodes->active * sizeof(struct entry);
    return CW_OK;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    plan_all(nodes, out);
    return cwi_equal_weights(self, nodes, err);
}

static cw_status
plan_weighted(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
              const struct cwi_placement *p, struct cwi_plan *out,
              cw_error *err)
{
    (void)self;
    (void)p;
    (void)err;
    return plan_all(nodes, out);
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct rendezvous *r = state;
    struct entry *e = (struct entry *)(r + 1);

    (void)self;
    (void)scratch;
    (void)p;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->weight == 0)
            continue;
        e[r->n++] = (struct entry){
            cwi_murmur64a(n->label, n->label_len, CWI_MCROUTER_SEED),
            (double)n->weight / 1000000.0, i
        };
    }
}

/* ---- scores ------------------------------------------------------------ */

/* CityHash's mixer of two words. */
static uint64_t
mix128(uint64_t upper, uint64_t lower)
{
    const uint64_t mul = UINT64_C(0x9ddfea08eb382d69);
    uint64_t a = (lower ^ upper) * mul, b;

    a ^= a >> 47;
    b = (upper ^ a) * mul;
    b ^= b >> 47;
    return b * mul;
}

static double
score(const struct entry *e, uint64_t key)
{
    return (double)mix128(e->hash, key);
}

/*
 * Natural logarithm of 0 < u < 1 with +, -, * and / alone: u = m 2^-k with m
 * in (0.7, 1.42), and the series of ln m in (m - 1) / (m + 1). Within a few
 * units of the last place, of which only a tie could tell.
 */
static double
minus_ln(double u)
{
    double k = 0.0, z, z2, term, sum = 0.0;

    while (u < 0.7071067811865476) {
        u *= 2.0;
        k += 1.0;
    }
    z = (u - 1.0) / (u + 1.0);
    z2 = z * z;
    term = z;
    for (double odd = 1.0; odd < 40.0; odd += 2.0) {
        sum += term / odd;
        term *= z2;
    }
    return k * 0.6931471805599453 - 2.0 * sum;
}

/* The largest double for a node whose draw is 0. */
static double
weighted_score(const struct entry *e, uint64_t key)
{
    uint64_t draw = mix128(e->hash, key) & ((UINT64_C(1) << 53) - 1);

    if (draw == 0)
        return 0.0;
    return e->weight *
           (1.0 / minus_ln((double)draw / 9007199254740992.0));
}

/*
 * The best entry after `last` in order (NULL: the best of all). Better is a
 * larger score; of equal ones the later (`late`) or the earlier node.
 */
static const struct entry *
next_best(const void *state, uint64_t key, const struct entry *last,
          double (*score_of)(const struct entry *, uint64_t), int late)
{
    uint64_t n = ((const struct rendezvous *)state)->n;
    const struct entry *e = entries(state), *best = NULL;
    double best_score = 0.0, last_score = last ? score_of(last, key) : 0.0;

    for (uint64_t i = 0; i < n; i++) {
        double s = score_of(&e[i], key);

        if (last != NULL && (s > last_score || &e[i] == last ||
                             (s == last_score && (&e[i] > last) == late)))
            continue;
        if (best == NULL || s > best_score || (s == best_score && late)) {
            best = &e[i];
            best_score = s;
        }
    }
    return best;
}

static uint32_t
find(const void *state, uint64_t at)
{
    return next_best(state, at, NULL, score, 1)->node;
}

static void
walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct entry *e = NULL;

    while ((e = next_best(state, at, e, score, 1)) != NULL) {
        if (cwi_walk_visit(w, e->node))
            return;
    }
}

static uint32_t
find_weighted(const void *state, uint64_t at)
{
    return next_best(state, at, NULL, weighted_score, 0)->node;
}

static void
walk_weighted(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct entry *e = NULL;

    while ((e = next_best(state, at, e, weighted_score, 0)) != NULL) {
        if (cwi_walk_visit(w, e->node))
            return;
    }
}

const struct cwi_compat_ops cwi_compat_mcrouter_rendezvous = {
    .algo = {
        .name       = "mcrouter-rendezvous",
        .summary    = "Rendezvous: highest score of tag and key, as a double",
        .source     = "mcrouter, lib/RendezvousHashFunc.cpp",
        .traits     = CW_TRAIT_MINIMAL,
        .options    = cwi_mcrouter_options,
        .plan       = plan,
        .build      = build,
        .hash_key   = key_hash,
        .hash_reads = CWI_MCROUTER_HASH_READS,
        .find       = find,
        .walk       = walk
    }
};

const struct cwi_compat_ops cwi_compat_mcrouter_wrendezvous = {
    .algo = {
        .name       = "mcrouter-wrendezvous",
        .summary    = "WeightedRendezvous: weight / -ln of the score",
        .source     = "mcrouter, lib/WeightedRendezvousHashFunc.cpp",
        .traits     = CW_TRAIT_MINIMAL | CW_TRAIT_WEIGHTED,
        .options    = cwi_mcrouter_options,
        .plan       = plan_weighted,
        .build      = build,
        .hash_key   = key_hash,
        .hash_reads = CWI_MCROUTER_HASH_READS,
        .find       = find_weighted,
        .walk       = walk_weighted
    }
};
