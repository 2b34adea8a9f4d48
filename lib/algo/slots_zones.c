/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots_zones.c - every slot chooses zones for its further replicas.
 *
 * A slot values a zone by the score of its best node there, less the zone's
 * price, and takes the best ones besides its owner's. A zone that more slots
 * choose than its limit allows raises its price just as far as it must.
 * Prices only rise, and no zone ever raises its own above the least prices
 * that work; so these come out, in whatever order the zones rise.
 *
 * Looking at every zone of every slot would cost slots * nodes. Instead the
 * pairs above a common floor are enumerated by inverting the nodes'
 * permutations, which gives each slot a short list; only where prices have
 * grown past what a list can tell are all nodes looked at.
 */
#include <string.h>

#include "core/rank.h"
#include "slots_roles.h"

#define STEP_LOG2  14                   /* prices are multiples of 2^14     */
#define PRICE_MAX  (INT32_C(1) << 30)   /* 64 doublings: never needed yet   */
#define CHUNK      64u
#define NEVER      UINT32_MAX           /* no price undoes the choice       */
#define PAIRS_MORE 2u                   /* pairs a slot that a list starts
                                           with, beyond twice its depth     */
#define WORK       16u                  /* pairs a slot looked at in vain,
                                           before lists are made anew       */

/* ---- lists ------------------------------------------------------------- */

/* The lowest level of a node of that lift that can score v or more. */
static uint32_t
lowest_level(const struct roles *r, int64_t lift, int64_t v)
{
    uint32_t no = 0, yes = r->shape.mask + 1;   /* no: how many fall short  */

    while (no < yes) {
        uint32_t mid = no + (yes - no) / 2;
        uint64_t rank = (((uint64_t)mid + 1) << (32 - r->shape.k)) - 1;

        if (cwi_gum((uint32_t)rank) + lift >= v)
            yes = mid;
        else
            no = mid + 1;
    }
    return no;
}

static int64_t
lift_of(const struct roles *r, const struct slots_node *node)
{
    return (int64_t)node->lift - r->zone[node->zone].price;
}

/* How many pairs score v or more, about. */
static uint64_t
pairs_above(const struct roles *r, int64_t v)
{
    uint64_t sum = 0;
    int64_t  last = 0;
    uint32_t low = 0, i;

    for (i = 0; i < r->n; i++) {
        int64_t lift = lift_of(r, cwi_role_node(r, i));

        if (i == 0 || lift != last)
            low = lowest_level(r, lift, v);
        last = lift;
        sum += r->shape.mask + 1 - low;
    }
    return sum;
}

/* Where to cut off, for about so many pairs a slot. It decides how much is
 * looked at, not what is chosen. */
static int64_t
find_floor(const struct roles *r)
{
    uint64_t want = (uint64_t)(2 * r->depth + PAIRS_MORE) *
                    (r->shape.mask + 1);
    int64_t  low = -INT64_C(0x7fff), high = INT64_C(0x7fff);

    while (low < high) {        /* the lowest with no more pairs than that */
        int64_t mid = low + (high - low) / 2;

        if (pairs_above(r, mid * 65536) <= want)
            high = mid;
        else
            low = mid + 1;
    }
    return low * 65536;
}

/* True when an offer for slot s is better than another of its zone. */
static int
better(const struct roles *r, uint32_t s, const struct role_offer *a,
       const struct role_offer *b)
{
    const struct slots_node *x = &r->node[a->node], *y = &r->node[b->node];

    if (a->score != b->score)
        return a->score > b->score;
    return cwi_slots_before(x, cwi_slots_rank(r->shape, x, s),
                            y, cwi_slots_rank(r->shape, y, s));
}

/* Put it into the slot's list, which has one offer a zone. */
static void
list_offer(struct roles *r, uint32_t s, struct role_offer new)
{
    struct role_offer *v = r->offer + (size_t)s * r->depth;
    uint32_t           n = r->offers[s], i;

    for (i = 0; i < n; i++)
        if (v[i].zone == new.zone)
            break;
    if (i < n && !better(r, s, &new, &v[i]))
        return;
    if (i == n) {
        if (n == r->depth && new.score <= v[n - 1].score)
            return;
        if (n < r->depth)
            r->offers[s]++;
        else
            i--;
    }
    for (; i > 0 && v[i - 1].score < new.score; i--)
        v[i] = v[i - 1];
    v[i] = new;
}

/* Offer the node to the slots of its n levels below x. */
static void
list_levels(struct roles *r, const struct slots_node *node, uint32_t x,
            uint32_t n)
{
    struct slots_inverse back = cwi_slots_inverse(node);
    int64_t              lift = lift_of(r, node);
    uint32_t             slot[CHUNK], i;

    for (i = 0; i < n; i++) {
        slot[i] = cwi_slots_at(r->shape, node, back, x - 1 - i);
        __builtin_prefetch(r->offer + (size_t)slot[i] * r->depth, 1);
        __builtin_prefetch(r->offers + slot[i], 1);
    }
    for (i = 0; i < n; i++) {
        uint32_t          s = slot[i];
        struct role_offer new;
        int64_t           v;

        if (r->home[r->owner[s]] == node->zone)
            continue;
        v = cwi_gum(cwi_slots_rank(r->shape, node, s)) + lift;
        if (v <= r->floor)
            continue;
        new.score = (int32_t)v;
        new.node = (uint16_t)(node - r->node);
        new.zone = (uint16_t)node->zone;
        list_offer(r, s, new);
    }
}

static void
list_node(struct roles *r, const struct slots_node *node)
{
    uint32_t x = r->shape.mask + 1;
    uint32_t low = lowest_level(r, lift_of(r, node), r->floor), n;

    for (; x > low; x -= n) {
        n = x - low < CHUNK ? x - low : CHUNK;
        list_levels(r, node, x, n);
    }
}

static void
list_all(struct roles *r)
{
    uint32_t i;

    for (i = 0; i < r->zones; i++)
        r->zone[i].base = r->zone[i].price;
    r->floor = find_floor(r);
    memset(r->offers, 0, (size_t)r->shape.mask + 1);
    for (i = 0; i < r->n; i++)
        list_node(r, cwi_role_node(r, i));
    r->misses = 0;
}

/* ---- one slot ---------------------------------------------------------- */

static int32_t
risen(const struct role_zone *z)
{
    return z->price - z->base;
}

/* The zones whose price rose least, as many as a list may all have. */
static void
find_cheap(struct roles *r)
{
    uint32_t most = r->depth + 2, i, j;

    r->cheaps = 0;
    for (i = 0; i < r->zones; i++) {
        if (r->cheaps == most &&
            risen(&r->zone[i]) >= risen(&r->zone[r->cheap[most - 1]]))
            continue;
        r->cheaps += r->cheaps < most;
        for (j = r->cheaps - 1; j > 0 && risen(&r->zone[i]) <
             risen(&r->zone[r->cheap[j - 1]]); j--)
            r->cheap[j] = r->cheap[j - 1];
        r->cheap[j] = i;
    }
}

/* What no zone outside the slot's list can score more than. */
static int64_t
bound_of(const struct roles *r, uint32_t s)
{
    const struct role_offer *v = r->offer + (size_t)s * r->depth;
    uint32_t                 n = r->offers[s], i, j;

    for (i = 0; i < r->cheaps; i++) {
        uint32_t zone = r->cheap[i];

        for (j = 0; j < n && v[j].zone != zone; j++)
            ;
        if (j < n || zone == r->home[r->owner[s]])
            continue;
        return (n < r->depth ? r->floor : v[n - 1].score) -
               risen(&r->zone[zone]);
    }
    return INT64_MIN;       /* there is none */
}

/* The best offers so far, one a zone. */
struct best {
    int64_t  score[SLOTS_COPIES];
    uint32_t node[SLOTS_COPIES];
    uint32_t zone[SLOTS_COPIES];
    uint32_t len, want;
};

static void
best_add(struct best *b, int64_t score, uint32_t node, uint32_t zone)
{
    uint32_t i;

    if (b->len < b->want)
        b->len++;
    else if (score < b->score[b->len - 1] ||
             (score == b->score[b->len - 1] && zone > b->zone[b->len - 1]))
        return;
    for (i = b->len - 1; i > 0 && (score > b->score[i - 1] ||
         (score == b->score[i - 1] && zone < b->zone[i - 1])); i--) {
        b->score[i] = b->score[i - 1];
        b->node[i] = b->node[i - 1];
        b->zone[i] = b->zone[i - 1];
    }
    b->score[i] = score;
    b->node[i] = node;
    b->zone[i] = zone;
}

/* From the list; 0 when it does not reach far enough. */
static int
best_listed(const struct roles *r, uint32_t s, struct best *b)
{
    const struct role_offer *v = r->offer + (size_t)s * r->depth;
    uint32_t                 i;

    for (i = 0; i < r->offers[s]; i++)
        best_add(b, (int64_t)v[i].score - risen(&r->zone[v[i].zone]),
                 v[i].node, v[i].zone);
    return b->len == b->want && b->score[b->want - 1] > bound_of(r, s);
}

static void
best_of_all(const struct roles *r, uint32_t s, struct best *b)
{
    uint32_t i;

    b->len = 0;
    for (i = 0; i < r->zones; i++) {
        const struct role_zone *z = &r->zone[i];
        uint32_t                node;

        if (i == r->home[r->owner[s]])
            continue;
        node = cwi_role_best(r, s, z);
        best_add(b, (int64_t)cwi_slots_score(r->shape, &r->node[node], s) -
                 z->price, node, i);
    }
}

/* Choose anew for slot s; loads follow. */
static void
choose(struct roles *r, uint32_t s)
{
    size_t      at = (size_t)s * r->others;
    struct best b;
    uint32_t    i;

    b.len = 0;
    b.want = r->others + (r->zones - 1 > r->others);
    if (!best_listed(r, s, &b)) {
        best_of_all(r, s, &b);
        r->misses++;
    }
    for (i = 0; i < r->others; i++) {
        r->choice[at + i] = (uint16_t)b.node[i];
        r->chosen[at + i] = (uint16_t)b.zone[i];
        r->drop[at + i] = NEVER;
        r->zone[b.zone[i]].load++;
        if (b.want > r->others) {
            int64_t gap = b.score[i] - b.score[r->others];

            gap += b.zone[i] < b.zone[r->others];       /* it wins a tie */
            r->drop[at + i] = (uint32_t)((gap + (1 << STEP_LOG2) - 1) >>
                                         STEP_LOG2);
        }
    }
}

/* ---- prices ------------------------------------------------------------ */

/* Let every zone over its limit raise its price; returns how many did. */
static uint32_t
raise_prices(struct roles *r)
{
    size_t   i, choices = (size_t)(r->shape.mask + 1) * r->others;
    uint32_t j, at = 0, raised = 0;

    for (j = 0; j < r->zones; j++) {
        struct role_zone *z = &r->zone[j];

        r->rise[j] = z->load > z->limit && z->price < PRICE_MAX;
        z->at = at;
        at += r->rise[j] ? z->load - z->owned : 0;
    }
    if (at == 0)
        return 0;
    for (i = 0; i < choices; i++)
        if (r->rise[r->chosen[i]])
            r->sorted[r->zone[r->chosen[i]].at++] = r->drop[i];
    for (j = 0; j < r->zones; j++) {
        struct role_zone *z = &r->zone[j];
        uint32_t          n = z->load - z->owned, rise, most;

        if (r->rise[j] == 0)
            continue;
        /* As many as are over the limit must drop it: the smallest. */
        rise = cwi_slots_kth(r->sorted + (z->at - n), n,
                             n - (z->load - z->limit) + 1);
        most = (uint32_t)(PRICE_MAX - z->price) >> STEP_LOG2;
        r->rise[j] = rise < most ? rise : most;
        z->price += (int32_t)(r->rise[j] << STEP_LOG2);
        raised++;
    }
    return raised;
}

/* Choose again where a price undoes a choice. */
static void
choose_again(struct roles *r)
{
    uint32_t s, i;

    find_cheap(r);
    for (s = 0; s <= r->shape.mask; s++) {
        uint16_t *chosen = r->chosen + (size_t)s * r->others;
        uint32_t *drop = r->drop + (size_t)s * r->others;
        int       undone = 0;

        for (i = 0; i < r->others; i++) {
            uint32_t rise = r->rise[chosen[i]];

            undone |= drop[i] <= rise;
            drop[i] -= drop[i] == NEVER ? 0 : rise;
        }
        if (!undone)
            continue;
        for (i = 0; i < r->others; i++)
            r->zone[chosen[i]].load--;
        choose(r, s);
    }
}

void
cwi_slots_zones(struct roles *r)
{
    uint32_t s;

    list_all(r);
    find_cheap(r);
    for (s = 0; s <= r->shape.mask; s++)
        choose(r, s);
    while (raise_prices(r) > 0) {
        if (r->misses * r->n > (uint64_t)WORK * (r->shape.mask + 1))
            list_all(r);
        choose_again(r);
    }
}
