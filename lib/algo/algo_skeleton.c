/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_skeleton.c - rendezvous in a tree: O(log N) a look-up.
 *
 * W. Wang, C. Ravishankar: Hash-based virtual hierarchies for scalable
 * location service (2009), where the form is called a skeleton: a key goes
 * down a tree and rendezvous chooses the branch at each of its nodes. Here
 * the tree is a trie over a hash of the labels, six bits a level, so it is a
 * function of the set alone; a branch weighs what its nodes weigh together,
 * so that shares are exact. docs/formats/skeleton.md is the exact rule.
 *
 * What it costs is movement: a node that joins makes its branch heavier on
 * each level, and of the keys that come into a branch only a part goes on to
 * the new node.
 */
#include "core/algo.h"
#include "core/rank.h"
#include "core/score.h"
#include "draw.h"

#define BITS   6u
#define LEVELS 10u      /* of BITS each; 4 bits of the hash are left         */
#define TWINS  11u      /* nodes that no level tells apart                   */

#define STEP   UINT64_C(0x9e3779b97f4a7c15)
#define DRAWS  128u     /* of further owners; then they follow by number     */

/* State: this, then the branches. Those of one place in the tree lie
 * together, the heaviest first; [0] is the trunk. */
struct skeleton {
    uint32_t branches;
    uint32_t n;             /* nodes of weight > 0                          */
};

struct branch {
    uint32_t id_low;        /* hash of the way to it, in halves             */
    uint32_t id_high;
    int32_t  lift;          /* cwi_log_weight() of all nodes behind it      */
    uint32_t to;            /* first of the branches it leads to; of a leaf
                               the node                                     */
    uint32_t count;         /* of these; 0: a leaf                          */
};

static const struct cwi_option skeleton_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static const struct branch *
branches_of(const void *state)
{
    return (const struct branch *)((const struct skeleton *)state + 1);
}

/* ---- build ------------------------------------------------------------- */

/* What is sorted: nodes by hash, those of weight 0 last. */
struct entries {
    const struct cwi_nodes *nodes;
    uint64_t               *id;         /* of each node                     */
    uint32_t               *order;      /* the active ones, sorted          */
    uint32_t               *level;      /* of each branch                   */
};

static cw_status
skeleton_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
              const struct cwi_placement *p, struct cwi_plan *out,
              cw_error *err)
{
    cw_status st = cwi_state_size(self, &out->scratch, 0, nodes->n,
                                  sizeof(uint64_t) + 3 * sizeof(uint32_t),
                                  err);

    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    /* Each place has two branches at least, so there are fewer than 2 n. */
    return st != CW_OK ? st
         : cwi_state_size(self, &out->state, sizeof(struct skeleton),
                          2 * (uint64_t)nodes->n, sizeof(struct branch), err);
}

static int
by_id(const void *context, uint32_t a, uint32_t b)
{
    const struct entries *e = context;
    int active_a = e->nodes->v[a].weight != 0;
    int active_b = e->nodes->v[b].weight != 0;

    if (active_a != active_b)
        return active_a;
    return e->id[a] != e->id[b] ? e->id[a] < e->id[b] : a < b;
}

/* The hash without what is below this level. */
static uint64_t
way(uint64_t id, uint32_t level)
{
    unsigned below = 64 - BITS * (level + 1);

    return id >> below << below;
}

/* The branch of entries from .. to - 1. */
static struct branch
branch_of(const struct entries *e, uint32_t from, uint32_t to, uint64_t id)
{
    struct branch b = {
        (uint32_t)id, (uint32_t)(id >> 32), 0, from, to - from
    };
    uint64_t weight = 0;

    for (uint32_t i = from; i < to; i++)
        weight += e->nodes->v[e->order[i]].weight;
    b.lift = cwi_log_weight(weight);
    return b;
}

/* Put a branch behind the `count` ones at `first`, the heaviest first. */
static void
put_branch(struct branch *first, uint32_t *level, uint32_t count,
           struct branch b, uint32_t its_level)
{
    uint32_t i = count;

    for (; i > 0 && first[i - 1].lift < b.lift; i--) {
        first[i] = first[i - 1];
        level[i] = level[i - 1];
    }
    first[i] = b;
    level[i] = its_level;
}

/* Part the entries of branch i, which has more than one, at the first level
 * that can. The new branches go behind all there are. */
static void
part(struct skeleton *tree, struct branch *all, const struct entries *e,
     uint32_t i)
{
    uint32_t from = all[i].to, to = from + all[i].count, level = e->level[i];
    uint32_t first = tree->branches, at, end;
    const uint32_t *order = e->order;
    uint64_t id;

    while (level < LEVELS && way(e->id[order[from]], level) ==
                             way(e->id[order[to - 1]], level))
        level++;
    for (at = from; at < to; at = end) {
        end = at + 1;
        while (level < LEVELS && end < to && way(e->id[order[at]], level) ==
                                             way(e->id[order[end]], level))
            end++;
        /* Twins go by their place among each other. */
        id = e->id[order[at]];
        id = level < LEVELS ? cwi_mix64(way(id, level) + level)
                            : cwi_mix64(id + TWINS + STEP * (at - from));
        put_branch(all + first, e->level + first, tree->branches - first,
                   branch_of(e, at, end, id), level + 1);
        tree->branches++;
    }
    all[i].to = first;
    all[i].count = tree->branches - first;
}

static void
skeleton_build(const struct cwi_algo_ops *self, void *state, void *scratch,
               const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct skeleton *tree = state;
    struct branch *all = (struct branch *)(tree + 1);
    struct entries e;

    (void)self;
    (void)p;
    e.nodes = nodes;
    e.id = scratch;
    e.order = (uint32_t *)(e.id + nodes->n);
    e.level = e.order + nodes->n;
    for (uint32_t i = 0; i < nodes->n; i++)
        e.id[i] = cwi_draw_id(nodes->v[i].label, nodes->v[i].label_len);
    tree->n = nodes->active;
    cwi_rank(by_id, &e, nodes->n, CW_NONE, e.order, tree->n);
    all[0] = branch_of(&e, 0, tree->n, 0);
    e.level[0] = 0;
    tree->branches = 1;
    for (uint32_t i = 0; i < tree->branches; i++) {
        if (all[i].count > 1) {
            part(tree, all, &e, i);
        } else {
            all[i].to = e.order[all[i].to];
            all[i].count = 0;
        }
    }
}

/* ---- look-up ----------------------------------------------------------- */

/*
 * The branch of `count` that wins: the highest score, then the highest draw,
 * then the first. They stand by weight, so that only one that draws more than
 * the best one yet can win: few scores are computed.
 */
static const struct branch *
winner(const struct branch *b, uint32_t count, struct cwi_draw d)
{
    const struct branch *best = b;
    uint32_t most = cwi_draw_upper(d, b->id_low, b->id_high);
    int32_t score = cwi_gum(most) + b->lift;

    for (uint32_t i = 1; i < count; i++) {
        uint32_t x = cwi_draw_upper(d, b[i].id_low, b[i].id_high);
        int32_t its;

        if (x <= most)
            continue;
        its = cwi_gum(x) + b[i].lift;
        if (its < score)
            continue;
        best = b + i;
        most = x;
        score = its;
    }
    return best;
}

static uint32_t
skeleton_find(const void *state, uint64_t at)
{
    const struct branch *all = branches_of(state), *b = all;
    struct cwi_draw d = cwi_draw_for(at);

    while (b->count > 0)
        b = winner(all + b->to, b->count, d);
    return b->to;
}

/* Owner, then the owners of re-mixed hashes; the rest follows by number. */
static void
skeleton_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    if (cwi_walk_visit(w, skeleton_find(state, at)))
        return;
    for (uint32_t i = 1; i <= DRAWS; i++) {
        if (cwi_walk_visit(w, skeleton_find(state, cwi_mix64(at + i * STEP))))
            return;
    }
}

static const char *
skeleton_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct skeleton *tree = state;
    const struct branch *all = branches_of(state);
    uint32_t leaves = 0, next = 1;

    if (tree->n != nodes->active || tree->branches == 0 ||
        tree->branches >= 2 * (uint64_t)nodes->n + (nodes->n == 0))
        return "skeleton: not as many branches as nodes need";
    for (uint32_t i = 0; i < tree->branches; i++) {
        const struct branch *b = all + i;

        if (b->count == 0) {
            if (b->to >= nodes->n || nodes->v[b->to].weight == 0 ||
                b->lift != cwi_log_weight(nodes->v[b->to].weight))
                return "skeleton: a leaf is no active node of its weight";
            leaves++;
            continue;
        }
        /* Each place follows the one before it. */
        if (b->count == 1 || b->to != next ||
            b->count > tree->branches - next)
            return "skeleton: a branch leads astray";
        next += b->count;
        for (uint32_t k = 1; k < b->count; k++)
            if (all[b->to + k].lift > all[b->to + k - 1].lift)
                return "skeleton: branches are not sorted by weight";
    }
    if (next != tree->branches || leaves != tree->n)
        return "skeleton: leaves are not the active nodes";
    return NULL;
}

const struct cwi_algo_ops cwi_algo_skeleton = {
    .name = "skeleton",
    .summary = "rendezvous in a tree: weights are exact, O(log N) a look-up; "
               "a change moves a few times its share",
    .source = "Wang, Ravishankar 2009",
    .traits = CW_TRAIT_ORDER_FREE | CW_TRAIT_RESTORES | CW_TRAIT_WEIGHTED,
    .options = skeleton_options,
    .plan = skeleton_plan,
    .build = skeleton_build,
    .find = skeleton_find,
    .walk = skeleton_walk,
    .check = CWI_UNLESS_PAGE(skeleton_check)
};
