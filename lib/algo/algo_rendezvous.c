/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_rendezvous.c - weighted rendezvous (highest random weight) hashing.
 *
 * D. Thaler, C. Ravishankar: Using name-based mappings to increase hit rates
 * (IEEE/ACM Transactions on Networking, 1998); weights as in C. Schindelhauer,
 * G. Schomaker: Weighted distributed hash tables (SPAA 2005), in the integers
 * of score.h. docs/formats/rendezvous.md is the exact rule.
 *
 * Nodes are kept by weight, so that a look-up compares bare 64-bit numbers
 * inside a weight and computes a score once a weight, not once a node.
 */
#include "core/algo.h"
#include "core/rank.h"
#include "core/score.h"

/* State: this head, then n ids, and n each of the other arrays. Entries are
 * sorted by weight, heaviest first, then by node number. */
struct rendezvous {
    uint32_t n;             /* nodes of weight > 0                          */
    uint32_t weights;       /* different weights among them                 */
};

struct view {
    uint32_t        n;
    uint32_t        weights;
    const uint64_t *id;
    const uint32_t *node;   /* its number                                   */
    const int32_t  *lift;   /* cwi_log_weight()                             */
    const uint32_t *end;    /* of each weight: its last entry + 1           */
    uint64_t        at;
};

#define ENTRY_SIZE (sizeof(uint64_t) + 3 * sizeof(uint32_t))

static const struct cwi_option rendezvous_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static cw_status
rendezvous_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
                const struct cwi_placement *p, struct cwi_plan *out,
                cw_error *err)
{
    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    return cwi_state_size(self, &out->state, sizeof(struct rendezvous),
                          nodes->n, ENTRY_SIZE, err);
}

static struct view
view_of(const void *state, uint64_t at)
{
    const struct rendezvous *head = state;
    struct view              v;

    v.n = head->n;
    v.weights = head->weights;
    v.id = (const uint64_t *)(const void *)(head + 1);
    v.node = (const uint32_t *)(const void *)(v.id + v.n);
    v.lift = (const int32_t *)(const void *)(v.node + v.n);
    v.end = (const uint32_t *)(const void *)(v.lift + v.n);
    v.at = at;
    return v;
}

static int
heavier(const void *context, uint32_t a, uint32_t b)
{
    const struct cwi_nodes *nodes = context;

    if (nodes->v[a].weight != nodes->v[b].weight)
        return nodes->v[a].weight > nodes->v[b].weight;
    return a < b;
}

static void
rendezvous_build(const struct cwi_algo_ops *self, void *state, void *scratch,
                 const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct rendezvous *head = state;
    uint32_t           n = nodes->active;
    uint64_t          *id = (uint64_t *)(void *)(head + 1);
    uint32_t          *node = (uint32_t *)(void *)(id + n);
    int32_t           *lift = (int32_t *)(void *)(node + n);
    uint32_t          *end = (uint32_t *)(void *)(lift + n);
    uint64_t           last = 0;
    uint32_t           i;

    (void)self;
    (void)scratch;
    (void)p;
    head->n = n;
    /* Nodes of weight 0 are the lightest: the first n leave them out. */
    cwi_rank(heavier, nodes, nodes->n, CW_NONE, node, n);
    for (i = 0; i < n; i++) {
        const struct cwi_node *from = &nodes->v[node[i]];

        id[i] = cwi_mix64(cwi_xxh3(from->label, from->label_len));
        if (i == 0 || from->weight != last) {
            head->weights++;
            last = from->weight;
        }
        lift[i] = i != 0 && from->weight == nodes->v[node[i - 1]].weight
                  ? lift[i - 1] : cwi_log_weight(from->weight);
        end[head->weights - 1] = i + 1;
    }
}

/* The drawn number: the higher, the better, for nodes of one weight. */
static inline uint64_t
draw(const struct view *v, uint32_t i)
{
    return cwi_mix64(v->at ^ v->id[i]);
}

static uint32_t
rendezvous_find(const void *state, uint64_t at)
{
    struct view v = view_of(state, at);
    uint32_t    best = 0, i = 0, w;
    uint64_t    best_draw = 0;
    int32_t     best_score = INT32_MIN;

    for (w = 0; w < v.weights; w++) {
        uint32_t first = i;
        uint64_t x = draw(&v, i);
        int32_t  score = 0;

        for (i++; i < v.end[w]; i++) {
            uint64_t y = draw(&v, i);

            if (y > x) {
                x = y;
                first = i;
            }
        }
        if (v.weights > 1)
            score = cwi_gum((uint32_t)(x >> 32)) + v.lift[first];
        if (score < best_score || (score == best_score && x < best_draw))
            continue;
        if (score == best_score && x == best_draw &&
            v.node[first] > v.node[best])
            continue;
        best = first;
        best_draw = x;
        best_score = score;
    }
    return v.node[best];
}

static int
scores_higher(const void *context, uint32_t a, uint32_t b)
{
    const struct view *v = context;
    uint64_t           x = draw(v, a), y = draw(v, b);

    if (v->lift[a] != v->lift[b]) {
        int32_t s = cwi_gum((uint32_t)(x >> 32)) + v->lift[a];
        int32_t t = cwi_gum((uint32_t)(y >> 32)) + v->lift[b];

        if (s != t)
            return s > t;
    }
    /* With one weight the score grows with the drawn number. */
    return x != y ? x > y : v->node[a] < v->node[b];
}

static void
rendezvous_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    struct view v = view_of(state, at);

    cwi_rank_walk(scores_higher, &v, v.n, v.node, w);
}

static const char *
rendezvous_check(const void *state, const struct cwi_nodes *nodes)
{
    struct view v = view_of(state, 0);
    uint32_t    i, w = 0;

    if (v.n != nodes->active || v.weights == 0 || v.weights > v.n)
        return "rendezvous: entries are not the active nodes";
    if (v.end[v.weights - 1] != v.n)
        return "rendezvous: the last weight does not end with the entries";
    for (i = 0; i < v.n; i++) {
        const struct cwi_node *node;

        if (v.node[i] >= nodes->n)
            return "rendezvous: an entry is no node";
        node = &nodes->v[v.node[i]];
        if (v.id[i] != cwi_mix64(cwi_xxh3(node->label, node->label_len)))
            return "rendezvous: an id is not that of its label";
        if (v.lift[i] != cwi_log_weight(node->weight))
            return "rendezvous: a score is not that of its weight";
        if (i > 0 && !heavier(nodes, v.node[i - 1], v.node[i]))
            return "rendezvous: entries are not sorted by weight and number";
        if (i > 0 && nodes->v[v.node[i - 1]].weight != node->weight &&
            v.end[w++] != i)
            return "rendezvous: a weight ends at the wrong entry";
    }
    return w + 1 == v.weights ? NULL : "rendezvous: wrong number of weights";
}

const struct cwi_algo_ops cwi_algo_rendezvous = {
    .name = "rendezvous",
    .summary = "highest score of node and key wins; weights are exact, "
               "a look-up visits every node",
    .source = "Thaler, Ravishankar 1998; Schindelhauer, Schomaker 2005",
    .traits = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL | CW_TRAIT_RESTORES |
              CW_TRAIT_WEIGHTED,
    .options = rendezvous_options,
    .plan = rendezvous_plan,
    .build = rendezvous_build,
    .find = rendezvous_find,
    .walk = rendezvous_walk,
    .check = rendezvous_check
};
