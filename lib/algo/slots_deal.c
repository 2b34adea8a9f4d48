/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots_deal.c - deal slots to nodes: the stable matching of docs/formats/
 * slots.md without looking at every pair.
 *
 * The pairs (slot, node) are taken in bands of falling score. A rank is a
 * permutation of the slots, so a node lists the slots of a band by inverting
 * it, best first. In a band each free slot takes its best candidate; all of a
 * band goes before all of the next, so what a band dealt is final. Where a
 * node would get more than its room, its bar rises to the rank of the last
 * slot that fits, and the band is dealt again: bars only rise, so this ends,
 * and it ends in the slot-optimal stable matching (deferred acceptance). When
 * few slots are free it is cheaper to look at all nodes for each of them: the
 * tail, one last band without a lower end.
 *
 * With 10 to 1,000 nodes about 4 to 9 pairs a slot are looked at. A whole map
 * (gcc 12 -O2, Zen 3, weights 1 or 1..10): 2.4 ms for 2^16 slots, 10 ms for
 * 2^18, 50 ms for 2^20; bench/micro/bench_slots.c repeats it.
 */
#include <string.h>

#include "core/rank.h"
#include "slots.h"

#define CHUNK      64u
#define BANDS_MAX  4096u    /* far more than any fleet needs; then the tail */
#define TAIL_PAIRS 2u       /* pairs a slot that the tail may look at       */
#define BOUNDS     (30u * 4u + 1u)

/* The inverse of a node's permutation, and its state in the dealing. */
struct bidder {
    struct slots_inverse back;
    uint32_t group;         /* nodes of one lift                            */
    uint32_t room;          /* slots it may still get                       */
    uint32_t got;           /* in this band                                 */
    uint32_t bar;           /* ranks below are refused in this band         */
    uint32_t wins;          /* where its ranks begin in deal.wins           */
};

/* Nodes of one lift go down their levels together. */
struct group {
    int32_t  lift;
    uint32_t left;          /* levels not yet dealt: 0 .. left - 1          */
    uint32_t low;           /* lowest level of this band                    */
    uint32_t width;         /* of the band before                           */
};

struct deal {
    struct slots_shape       shape;
    const struct slots_node *node;
    struct bidder           *bid;
    struct group            *group;
    uint32_t                *live;      /* nodes with room, heaviest first  */
    uint64_t                *taken;     /* a bit a slot, of former bands    */
    uint32_t                *score;     /* of a slot's candidate            */
    uint32_t                *touched;   /* slots with a candidate           */
    uint32_t                *wins;
    uint16_t                *owner;     /* indices into node; or NOBODY     */
    uint32_t                 n;
    uint32_t                 lives;
    uint32_t                 groups;
    uint32_t                 touches;
    uint32_t                 free;      /* slots                            */
    int                      equal;     /* one group: scores are ranks      */
    uint32_t                 floor;     /* lowest score of this band        */
    int32_t                  bound[BOUNDS];     /* of cwi_gum(), see there  */
};

/* ---- memory ------------------------------------------------------------ */

#define ALIGN(x) (((x) + 63) & ~(size_t)63)

size_t
cwi_slots_scratch(uint32_t n, unsigned k)
{
    size_t slots = (size_t)1 << k;

    return ALIGN(sizeof(struct deal)) +
           ALIGN(n * sizeof(struct bidder)) +
           ALIGN(n * sizeof(struct group)) + ALIGN(n * sizeof(uint32_t)) +
           ALIGN(slots / 8 + 8) + 3 * ALIGN(slots * sizeof(uint32_t)) + 64;
}

static void *
cut(char **at, size_t size)
{
    void *p = *at;

    *at += ALIGN(size);
    return p;
}

static struct deal *
lay_out(void *scratch, uint32_t n, unsigned k)
{
    char        *at = scratch;
    size_t       slots = (size_t)1 << k;
    struct deal *d;

    at += (64 - (uintptr_t)at % 64) % 64;
    d = cut(&at, sizeof(*d));
    memset(d, 0, sizeof(*d));
    d->bid = cut(&at, n * sizeof(*d->bid));
    d->group = cut(&at, n * sizeof(*d->group));
    d->live = cut(&at, n * sizeof(*d->live));
    d->taken = cut(&at, slots / 8 + 8);
    d->score = cut(&at, slots * sizeof(*d->score));
    d->touched = cut(&at, slots * sizeof(*d->touched));
    d->wins = cut(&at, slots * sizeof(*d->wins));
    memset(d->taken, 0, slots / 8 + 8);
    return d;
}

/* ---- start ------------------------------------------------------------- */

static int
lighter_last(const void *context, uint32_t a, uint32_t b)
{
    const struct slots_node *node = context;

    return node[a].lift != node[b].lift ? node[a].lift > node[b].lift : a < b;
}

static void
start_nodes(struct deal *d)
{
    uint32_t i, slots = d->shape.mask + 1;

    if (d->equal)
        for (i = 0; i < d->n; i++)
            d->live[i] = i;
    else
        cwi_rank(lighter_last, d->node, d->n, CW_NONE, d->live, d->n);
    d->lives = d->n;
    for (i = 0; i < d->n; i++) {
        const struct slots_node *node = &d->node[d->live[i]];
        struct bidder           *b = &d->bid[d->live[i]];

        memset(b, 0, sizeof(*b));
        b->back = cwi_slots_inverse(node);
        b->room = node->cap;
        if (i == 0 || node->lift != d->group[d->groups - 1].lift) {
            struct group *g = &d->group[d->groups++];

            memset(g, 0, sizeof(*g));
            g->lift = node->lift;
            g->left = slots;
            g->width = slots / 4 / d->n + 1;
        }
        b->group = d->groups - 1;
    }
}

/*
 * bound[4 c + p]: the highest cwi_gum() of ranks that begin with c bits 1,
 * a bit 0 and the two bits p. What cannot reach the best so far even with it
 * needs no logarithm.
 */
static void
start_bounds(struct deal *d)
{
    unsigned c, p;

    for (c = 0; c < 30; c++) {
        for (p = 0; p < 4; p++) {
            uint32_t r = (uint32_t)p << (29 - c);

            r |= c ? UINT32_MAX << (32 - c) : 0;
            r |= (UINT32_C(1) << (29 - c)) - 1;
            d->bound[4 * c + p] = cwi_gum(r);
        }
    }
    d->bound[BOUNDS - 1] = cwi_gum(UINT32_MAX);
}

static inline int32_t
gum_bound(const struct deal *d, uint32_t r)
{
    unsigned c = 0;
    uint32_t rest = ~r;

#if defined(__GNUC__) || defined(__clang__)
    c = rest ? (unsigned)__builtin_clz(rest) : 32u;
#else
    while (c < 32 && !(rest & (UINT32_C(0x80000000) >> c)))
        c++;
#endif
    if (c > 29)
        return d->bound[BOUNDS - 1];
    return d->bound[4 * c + (r >> (29 - c) & 3)];
}

/* ---- one candidate ----------------------------------------------------- */

/* A slot's candidate or a rival by its place among all pairs. With one
 * weight the rank is the score. Scores are shifted to be unsigned. */
static inline uint32_t
score_of(const struct deal *d, uint32_t i, uint32_t rank, int equal)
{
    return equal ? rank
                 : (uint32_t)(cwi_gum(rank) + d->node[i].lift) ^ 0x80000000u;
}

/* True when (s, i) with that rank and score beats the slot's candidate. */
static inline int
beats(const struct deal *d, uint32_t s, uint32_t i, uint32_t rank,
      uint32_t score)
{
    uint32_t j = d->owner[s];

    if (score != d->score[s])
        return score > d->score[s];
    return cwi_slots_before(&d->node[i], rank, &d->node[j],
                            cwi_slots_rank(d->shape, &d->node[j], s));
}

/* ---- a band ------------------------------------------------------------ */

/* Node i proposes to the slots of its levels high .. low. */
static inline void
propose(struct deal *d, uint32_t i, uint32_t high, uint32_t low, int equal)
{
    const struct slots_shape f = d->shape;
    const struct slots_node *node = &d->node[i];
    struct bidder           *b = &d->bid[i];
    uint32_t                 slot[CHUNK];
    uint32_t                 x = high + 1, n, j;

    while (x > low) {
        n = x - low < CHUNK ? x - low : CHUNK;
        for (j = 0; j < n; j++)
            slot[j] = cwi_slots_at(f, node, b->back, x - 1 - j);
        for (j = 0; j < n; j++) {
            uint32_t s = slot[j], rank, score;

            if (d->taken[s / 64] >> s % 64 & 1)
                continue;
            rank = cwi_slots_rank(f, node, s);
            if (rank < b->bar)
                return;
            score = score_of(d, i, rank, equal);
            if (score < d->floor)
                continue;
            if (d->owner[s] == SLOTS_NOBODY)
                d->touched[d->touches++] = s;
            else if (!beats(d, s, i, rank, score))
                continue;
            d->owner[s] = (uint16_t)i;
            d->score[s] = score;
        }
        x -= n;
    }
}

static void
propose_all(struct deal *d)
{
    uint32_t i;

    d->touches = 0;
    for (i = 0; i < d->lives; i++) {
        uint32_t            j = d->live[i];
        const struct group *g = &d->group[d->bid[j].group];

        if (g->low == g->left)
            continue;
        if (d->equal)
            propose(d, j, g->left - 1, g->low, 1);
        else
            propose(d, j, g->left - 1, g->low, 0);
    }
}

/* ---- bars -------------------------------------------------------------- */

static inline void
swap(uint32_t *v, uint32_t i, uint32_t j)
{
    uint32_t t = v[i];

    v[i] = v[j];
    v[j] = t;
}

uint32_t
cwi_slots_kth(uint32_t *v, uint32_t n, uint32_t k)
{
    uint32_t lo = 0, hi = n - 1;

    while (lo < hi) {
        uint32_t at = lo, i, pivot;

        swap(v, lo + (hi - lo) / 2, hi);
        pivot = v[hi];
        for (i = lo; i < hi; i++)
            if (v[i] > pivot)
                swap(v, i, at++);
        swap(v, at, hi);
        if (k - 1 == at)
            break;
        if (k - 1 < at)
            hi = at - 1;
        else
            lo = at + 1;
    }
    return v[k - 1];
}

/*
 * Raise the bar of every node that has more candidates than room to the rank
 * of the last one that fits. Returns how many bars rose.
 */
static uint32_t
raise_bars(struct deal *d)
{
    uint32_t i, sum = 0, raised = 0;

    for (i = 0; i < d->lives; i++)
        d->bid[d->live[i]].got = 0;
    for (i = 0; i < d->touches; i++)
        d->bid[d->owner[d->touched[i]]].got++;
    for (i = 0; i < d->lives; i++) {
        struct bidder *b = &d->bid[d->live[i]];

        if (b->got <= b->room)
            continue;
        b->wins = sum;
        sum += b->got;
        raised++;
    }
    if (raised == 0)
        return 0;
    for (i = 0; i < d->touches; i++) {
        uint32_t       s = d->touched[i], j = d->owner[s];
        struct bidder *b = &d->bid[j];

        if (b->got > b->room)
            d->wins[b->wins++] = cwi_slots_rank(d->shape, &d->node[j], s);
    }
    for (i = 0; i < d->lives; i++) {
        struct bidder *b = &d->bid[d->live[i]];

        if (b->got > b->room)
            b->bar = cwi_slots_kth(d->wins + (b->wins - b->got), b->got,
                                   b->room);
    }
    return raised;
}

/* What the band dealt is final; nodes without room leave. */
static void
settle(struct deal *d)
{
    uint32_t i, kept = 0;

    for (i = 0; i < d->touches; i++)
        d->taken[d->touched[i] / 64] |= UINT64_C(1) << d->touched[i] % 64;
    d->free -= d->touches;
    for (i = 0; i < d->lives; i++) {
        struct bidder *b = &d->bid[d->live[i]];

        b->room -= b->got;
        b->bar = 0;
        if (b->room > 0)
            d->live[kept++] = d->live[i];
    }
    d->lives = kept;
}

static void
deal_band(struct deal *d)
{
    uint32_t i;

    propose_all(d);
    while (raise_bars(d) > 0) {
        for (i = 0; i < d->touches; i++)
            d->owner[d->touched[i]] = SLOTS_NOBODY;
        propose_all(d);
    }
    settle(d);
    for (i = 0; i < d->groups; i++) {
        struct group *g = &d->group[i];
        uint32_t      left = g->left;

        /* The lowest level may reach into the next band: look again. */
        if (g->low < left)
            g->left = d->equal ? g->low : g->low + 1;
        g->width = left - g->left;
    }
}

/* ---- where bands end --------------------------------------------------- */

/* The lowest level below g->left whose best rank scores at least v. */
static uint32_t
lowest_level(const struct deal *d, const struct group *g, int64_t v)
{
    unsigned shift = 32 - d->shape.k;
    uint32_t yes = g->left, no, step = g->width + 1;

#define REACHES(x) \
    (cwi_gum((uint32_t)((((uint64_t)(x) + 1) << shift) - 1)) + \
     (int64_t)g->lift >= v)
    if (yes == 0 || !REACHES(yes - 1))
        return yes;
    /* `yes` reaches; go down until one does not, then halve. */
    yes--;
    for (;;) {
        if (yes == 0)
            return 0;
        no = yes > step ? yes - step : 0;
        if (!REACHES(no))
            break;
        yes = no;
        step *= 2;
    }
    while (yes - no > 1) {
        uint32_t mid = no + (yes - no) / 2;

        if (REACHES(mid))
            yes = mid;
        else
            no = mid;
    }
#undef REACHES
    return yes;
}

/* With one weight, a band is a number of levels. */
static void
next_levels(struct deal *d)
{
    struct group *g = d->group;
    uint32_t      step = (d->shape.mask + 1) / 4 / d->lives;

    step = step ? step : 1;
    g->low = g->left > step ? g->left - step : 0;
    d->floor = 0;
}

/*
 * Else it ends at a score. A node reaches a share 1 - exp(-w t) of the slots
 * down to score log2(ln 2 / t), so with W the weight of the live nodes a step
 * of 1 / (4 W) in t makes S / 4 pairs. *t is in units of 1 / 2^8 / weight; it
 * decides how much work is done, not who gets a slot.
 */
static void
next_score(struct deal *d, uint64_t weight, uint64_t *t)
{
    const int64_t minus_log_ln2 = 8871272;      /* log2(1 / ln 2) * 2^24 */
    uint64_t      live = 0, step;
    int64_t       v;
    uint32_t      i;

    for (i = 0; i < d->lives; i++)
        live += d->node[d->live[i]].weight;
    step = weight / (live ? live : 1);
    step = step > UINT64_MAX >> 16 ? UINT64_MAX >> 10 : step << 6;
    *t = *t > (UINT64_MAX >> 1) - step ? UINT64_MAX >> 1 : *t + step + !step;
    v = (int64_t)(cwi_lg(weight ? weight : 1) >> 16) -
        (int64_t)(cwi_lg(*t) >> 16) + (8 << 24) - minus_log_ln2;
    if (v < INT32_MIN / 2)
        v = INT32_MIN / 2;
    d->floor = (uint32_t)(int32_t)v ^ 0x80000000u;
    for (i = 0; i < d->groups; i++)
        d->group[i].low = lowest_level(d, &d->group[i], v);
}

/* ---- the tail ---------------------------------------------------------- */

/* The best node with room for slot s that does not refuse it; *score too. */
static uint32_t
best_node(const struct deal *d, uint32_t s, uint32_t *score)
{
    uint32_t best = d->n, best_rank = 0, best_score = 0, i;
    int32_t  best_v = INT32_MIN;

    for (i = 0; i < d->lives; i++) {
        uint32_t                 j = d->live[i];
        const struct slots_node *node = &d->node[j];
        uint32_t                 rank = cwi_slots_rank(d->shape, node, s);
        uint32_t                 this_score;

        if (rank < d->bid[j].bar)
            continue;
        if (d->equal ? rank < best_rank
                     : gum_bound(d, rank) + node->lift < best_v)
            continue;
        this_score = score_of(d, j, rank, d->equal);
        if (best < d->n &&
            (this_score < best_score ||
             (this_score == best_score &&
              !cwi_slots_before(node, rank, &d->node[best], best_rank))))
            continue;
        best = j;
        best_rank = rank;
        best_score = this_score;
        best_v = (int32_t)(this_score ^ 0x80000000u);
    }
    *score = best_score;
    return best;
}

/* Is the slot's candidate one that its node refuses now? */
static int
refused(const struct deal *d, uint32_t s)
{
    uint32_t j = d->owner[s];

    return d->bid[j].bar > 0 &&
           cwi_slots_rank(d->shape, &d->node[j], s) < d->bid[j].bar;
}

static void
deal_tail(struct deal *d)
{
    uint32_t s, i;

    d->touches = 0;
    for (s = 0; s <= d->shape.mask; s++) {
        if (d->taken[s / 64] >> s % 64 & 1)
            continue;
        d->touched[d->touches++] = s;
        d->owner[s] = (uint16_t)best_node(d, s, &d->score[s]);
    }
    while (raise_bars(d) > 0) {
        for (i = 0; i < d->touches; i++) {
            s = d->touched[i];
            if (refused(d, s))
                d->owner[s] = (uint16_t)best_node(d, s, &d->score[s]);
        }
    }
    settle(d);
}

void
cwi_slots_deal(const struct slots_node *node, uint32_t n, unsigned k,
               int equal, uint16_t *owner, void *scratch)
{
    struct deal *d = lay_out(scratch, n, k);
    uint64_t     weight = 0, t = 0;
    uint32_t     i, bands;

    d->shape = cwi_slots_shape(k);
    d->node = node;
    d->n = n;
    d->equal = equal;
    d->owner = owner;
    d->free = d->shape.mask + 1;
    for (i = 0; i <= d->shape.mask; i++)
        owner[i] = SLOTS_NOBODY;
    for (i = 0; i < n; i++)
        weight += node[i].weight;
    start_nodes(d);
    start_bounds(d);
    for (bands = 0; bands < BANDS_MAX; bands++) {
        if ((uint64_t)d->free * d->lives <=
            (uint64_t)TAIL_PAIRS * (d->shape.mask + 1))
            break;
        if (equal)
            next_levels(d);
        else
            next_score(d, weight, &t);
        deal_band(d);
    }
    deal_tail(d);
    for (i = 0; i <= d->shape.mask; i++)
        owner[i] = (uint16_t)node[owner[i]].number;
}
