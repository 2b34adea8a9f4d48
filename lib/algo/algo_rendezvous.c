/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_rendezvous.c - weighted rendezvous (highest random weight) hashing.
 *
 * D. Thaler, C. Ravishankar: Using name-based mappings to increase hit rates
 * (IEEE/ACM Transactions on Networking, 1998); weights as in C. Schindelhauer,
 * G. Schomaker: Weighted distributed hash tables (SPAA 2005), in the integers
 * of score.h. docs/formats/rendezvous.md is the exact rule.
 *
 * Nodes are kept by weight, so that a look-up compares bare drawn numbers
 * inside a weight and computes a score once a weight, not once a node.
 */
#include "core/algo.h"
#include "core/rank.h"
#include "core/score.h"
#include "draw.h"

/* State: this head, then n each of the arrays of struct view. Entries are
 * sorted by weight, heaviest first, then by node number. */
struct rendezvous {
    uint32_t n;             /* nodes of weight > 0                          */
    uint32_t weights;       /* different weights among them                 */
};

struct view {
    uint32_t        n;
    uint32_t        weights;
    const uint32_t *id_low;
    const uint32_t *id_high;
    const uint32_t *node;   /* its number                                   */
    const int32_t  *lift;   /* cwi_log_weight()                             */
    const uint32_t *end;    /* of each weight: its last entry + 1           */
    struct cwi_draw draw;
};

#define ENTRY_SIZE (5 * sizeof(uint32_t))

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
    v.id_low = (const uint32_t *)(const void *)(head + 1);
    v.id_high = v.id_low + v.n;
    v.node = v.id_high + v.n;
    v.lift = (const int32_t *)(const void *)(v.node + v.n);
    v.end = (const uint32_t *)(const void *)(v.lift + v.n);
    v.draw = cwi_draw_for(at);
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
    uint32_t          *id_low = (uint32_t *)(void *)(head + 1);
    uint32_t          *id_high = id_low + n;
    uint32_t          *node = id_high + n;
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
        uint64_t               id = cwi_draw_id(from->label, from->label_len);

        id_low[i] = (uint32_t)id;
        id_high[i] = (uint32_t)(id >> 32);
        if (i == 0 || from->weight != last) {
            head->weights++;
            last = from->weight;
        }
        lift[i] = i != 0 && from->weight == nodes->v[node[i - 1]].weight
                  ? lift[i - 1] : cwi_log_weight(from->weight);
        end[head->weights - 1] = i + 1;
    }
}

/* What an entry draws; the score only where weights differ. */
struct drawn {
    uint32_t i;
    uint32_t x;
    int32_t  score;
};

static struct drawn
drawn(const struct view *v, uint32_t i, int scored)
{
    struct drawn d = {
        i, cwi_draw_upper(v->draw, v->id_low[i], v->id_high[i]), 0
    };

    if (scored)
        d.score = cwi_gum(d.x) + v->lift[i];
    return d;
}

static int
before(const struct view *v, struct drawn a, struct drawn b)
{
    uint32_t s, t;

    if (a.score != b.score)
        return a.score > b.score;
    if (a.x != b.x)
        return a.x > b.x;
    s = cwi_draw_lower(v->draw, v->id_low[a.i], v->id_high[a.i]);
    t = cwi_draw_lower(v->draw, v->id_low[b.i], v->id_high[b.i]);
    return s != t ? s > t : v->node[a.i] < v->node[b.i];
}

static uint32_t
rendezvous_find(const void *state, uint64_t at)
{
    struct view  v = view_of(state, at);
    uint32_t     i = cwi_draw_best(v.draw, v.id_low, v.id_high, v.end[0]), w;
    struct drawn best;

    if (v.weights == 1)
        return v.node[i];
    best = drawn(&v, i, 1);
    for (w = 1; w < v.weights; w++) {
        uint32_t     first = v.end[w - 1];
        struct drawn next;

        i = cwi_draw_best(v.draw, v.id_low + first, v.id_high + first,
                          v.end[w] - first);
        next = drawn(&v, first + i, 1);
        if (before(&v, next, best))
            best = next;
    }
    return v.node[best.i];
}

/* With one weight the score grows with the drawn number. */
static int
scores_higher(const void *context, uint32_t a, uint32_t b)
{
    const struct view *v = context;
    int                scored = v->lift[a] != v->lift[b];

    return before(v, drawn(v, a, scored), drawn(v, b, scored));
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
        if ((v.id_low[i] | (uint64_t)v.id_high[i] << 32) !=
            cwi_draw_id(node->label, node->label_len))
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
    .check = CWI_UNLESS_PAGE(rendezvous_check)
};
