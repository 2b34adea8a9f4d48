/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots_roles.c - deal the replicas of slots: the owners stay what they are,
 * each slot gets further nodes in other zones, and every node a bounded number
 * of roles. docs/formats/slots.md is the rule; its stages are here in order.
 */
#include <string.h>

#include "core/rank.h"
#include "slots_roles.h"

#define ALIGN(x) (((x) + 63) & ~(size_t)63)

/* ---- memory ------------------------------------------------------------ */

struct needs {
    size_t zone, each, home, choice, drop, offer, offers, cheap, bid;
};

static uint32_t
depth_of(unsigned copies)
{
    return copies + ROLES_SPARE;
}

static struct needs
needs_of(uint32_t n, unsigned k, unsigned copies)
{
    size_t       slots = (size_t)1 << k, others = copies - 1;
    struct needs x;

    x.zone = ALIGN(n * sizeof(struct role_zone));
    x.each = ALIGN(n * sizeof(uint32_t));
    x.home = ALIGN((SLOTS_NODES_MAX + 1) * sizeof(uint16_t));
    x.choice = ALIGN(slots * others * sizeof(uint16_t));
    x.drop = ALIGN(slots * others * sizeof(uint32_t));
    x.offer = ALIGN(slots * depth_of(copies) * sizeof(struct role_offer));
    x.offers = ALIGN(slots);
    x.cheap = ALIGN((depth_of(copies) + 2) * sizeof(uint32_t));
    x.bid = ALIGN(n * sizeof(struct role_bid));
    return x;
}

size_t
cwi_slots_roles_scratch(uint32_t n, unsigned k, unsigned copies)
{
    struct needs x = needs_of(n, k, copies);

    return ALIGN(sizeof(struct roles)) + x.zone + 2 * x.each + x.home +
           2 * x.choice + 2 * x.drop + x.offer + x.offers + x.cheap +
           x.bid + 64;
}

static void *
cut(char **at, size_t size)
{
    void *p = *at;

    *at += size;
    return p;
}

static struct roles *
lay_out(void *scratch, uint32_t n, unsigned k, unsigned copies)
{
    struct needs  x = needs_of(n, k, copies);
    char         *at = scratch;
    struct roles *r;

    at += (64 - (uintptr_t)at % 64) % 64;
    r = cut(&at, ALIGN(sizeof(*r)));
    memset(r, 0, sizeof(*r));
    r->zone = cut(&at, x.zone);
    memset(r->zone, 0, x.zone);
    r->order = cut(&at, x.each);
    r->rise = cut(&at, x.each);
    r->home = cut(&at, x.home);
    r->choice = cut(&at, x.choice);
    r->chosen = cut(&at, x.choice);
    r->drop = cut(&at, x.drop);
    r->sorted = cut(&at, x.drop);
    r->offer = cut(&at, x.offer);
    r->offers = cut(&at, x.offers);
    r->cheap = cut(&at, x.cheap);
    r->bid = cut(&at, x.bid);
    memset(r->bid, 0, x.bid);
    r->shape = cwi_slots_shape(k);
    r->n = n;
    r->others = copies - 1;
    r->depth = depth_of(copies);
    return r;
}

/* ---- nodes by zone ----------------------------------------------------- */

static int
zone_then_weight(const void *context, uint32_t a, uint32_t b)
{
    const struct slots_node *x = (const struct slots_node *)context + a;
    const struct slots_node *y = (const struct slots_node *)context + b;

    if (x->zone != y->zone)
        return x->zone < y->zone;
    return x->lift != y->lift ? x->lift > y->lift : a < b;
}

static void
fill_zones(struct roles *r)
{
    uint32_t i, s;

    cwi_rank(zone_then_weight, r->node, r->n, CW_NONE, r->order, r->n);
    /* `home` holds indices until owners are counted. */
    for (i = 0; i < r->n; i++) {
        const struct slots_node *node = cwi_role_node(r, i);
        struct role_zone        *z = &r->zone[node->zone];

        if (z->end == 0)
            z->begin = i;
        z->end = i + 1;
        z->weight += node->weight;
        r->home[node->number] = (uint16_t)r->order[i];
    }
    for (s = 0; s <= r->shape.mask; s++)
        r->bid[r->home[r->owner[s]]].got++;
    for (i = 0; i < r->n; i++) {
        const struct slots_node *node = &r->node[i];

        r->home[node->number] = (uint16_t)node->zone;
        r->zone[node->zone].owned += r->bid[i].got;
        r->zone[node->zone].load += r->bid[i].got;
    }
}

/* ---- targets ----------------------------------------------------------- */

/*
 * The roles go to zones by weight, but no zone gets more than one of each
 * slot: such a zone is forced, and the rest is spread over the others. *left
 * roles a slot are for zones that weigh *rest together.
 */
static void
force_zones(struct roles *r, uint64_t *rest, uint32_t *left)
{
    uint32_t i, found;

    *rest = 0;
    for (i = 0; i < r->zones; i++)
        *rest += r->zone[i].weight;
    *left = r->others + 1;
    do {
        uint64_t weight = 0;

        found = 0;
        for (i = 0; i < r->zones; i++) {
            struct role_zone *z = &r->zone[i];

            if (z->forced || (cwi_u128)z->weight * *left <= *rest)
                continue;
            z->forced = 1;
            weight += z->weight;
            found++;
        }
        *rest -= weight;
        *left -= found;
    } while (found > 0);
}

/* Roles for a weight w of zone z, in 256ths, rounded up. */
static uint64_t
target(const struct roles *r, const struct role_zone *z, uint64_t w,
       uint64_t rest, uint32_t left)
{
    uint64_t all = z->forced ? z->weight : rest;
    cwi_u128 whole = (cwi_u128)256 * (r->shape.mask + 1) * w *
                     (z->forced ? 1 : left);

    return (uint64_t)((whole + all - 1) / all);
}

static void
set_limits(struct roles *r, struct slots_node *node)
{
    uint32_t slots = r->shape.mask + 1, left, i, j;
    uint64_t rest;

    force_zones(r, &rest, &left);
    for (i = 0; i < r->zones; i++) {
        struct role_zone *z = &r->zone[i];
        uint64_t          caps = 0, limit;

        for (j = z->begin; j < z->end; j++) {
            struct slots_node *p = &node[r->order[j]];
            uint32_t           cap = cwi_slots_cap(target(r, z, p->weight,
                                                          rest, left));

            p->role_cap = cap > p->cap ? cap : p->cap;
            caps += p->role_cap;
        }
        /* Halfway from the target to what its nodes take at most. */
        limit = (target(r, z, z->weight, rest, left) + 256 * caps + 511) / 512;
        limit = limit > z->owned ? limit : z->owned;
        z->limit = limit < slots ? (uint32_t)limit : slots;
    }
}

/* ---- nodes of the chosen zones ----------------------------------------- */

uint32_t
cwi_role_best(const struct roles *r, uint32_t s, const struct role_zone *z)
{
    uint32_t best = CW_NONE, best_rank = 0, i;

    for (i = z->begin; i < z->end; i++) {
        const struct slots_node *node = cwi_role_node(r, i);
        uint32_t                 rank = cwi_slots_rank(r->shape, node, s);

        /* Heaviest first: who follows must rank as high at least. */
        if (rank < best_rank || rank < r->bid[r->order[i]].bar)
            continue;
        if (best == CW_NONE || cwi_slots_before(node, rank, &r->node[best],
                                                best_rank)) {
            best = r->order[i];
            best_rank = rank;
        }
    }
    return best;
}

/* Should a zone have more roles than its nodes' caps allow, as prices cannot
 * rise any further, each of them takes equally more. */
static void
start_bids(struct roles *r)
{
    uint32_t i, j;

    for (i = 0; i < r->zones; i++) {
        const struct role_zone *z = &r->zone[i];
        uint32_t                nodes = z->end - z->begin, more = 0;
        uint64_t                caps = 0;

        for (j = z->begin; j < z->end; j++)
            caps += cwi_role_node(r, j)->role_cap;
        if (caps < z->load)
            more = (uint32_t)((z->load - caps + nodes - 1) / nodes);
        for (j = z->begin; j < z->end; j++) {
            struct role_bid *b = &r->bid[r->order[j]];

            b->room = cwi_role_node(r, j)->role_cap + more - b->got;
        }
    }
}

/* As in slots_deal.c: the bar of a node with more choices than room rises to
 * the rank of the last that fits. Returns how many bars rose. */
static uint32_t
raise_bars(struct roles *r, size_t choices)
{
    uint32_t at = 0, raised = 0, j;
    size_t   i;

    for (j = 0; j < r->n; j++)
        r->bid[j].got = 0;
    for (i = 0; i < choices; i++)
        r->bid[r->choice[i]].got++;
    for (j = 0; j < r->n; j++) {
        struct role_bid *b = &r->bid[j];

        b->at = at;
        if (b->got > b->room) {
            at += b->got;
            raised++;
        }
    }
    for (i = 0; i < choices && raised > 0; i++) {
        uint32_t         node = r->choice[i];
        struct role_bid *b = &r->bid[node];

        if (b->got > b->room)
            r->sorted[b->at++] =
                cwi_slots_rank(r->shape, &r->node[node],
                               (uint32_t)(i / r->others));
    }
    for (j = 0; j < r->n; j++) {
        struct role_bid *b = &r->bid[j];

        if (b->got > b->room)
            b->bar = b->room == 0 ? UINT64_C(1) << 32
                     : cwi_slots_kth(r->sorted + (b->at - b->got), b->got,
                                     b->room);
    }
    return raised;
}

static void
deal_nodes(struct roles *r)
{
    size_t   choices = (size_t)(r->shape.mask + 1) * r->others, i;

    start_bids(r);
    while (raise_bars(r, choices) > 0) {
        for (i = 0; i < choices; i++) {
            uint32_t                 s = (uint32_t)(i / r->others);
            const struct slots_node *node = &r->node[r->choice[i]];
            uint64_t                 bar = r->bid[r->choice[i]].bar;

            if (bar > 0 && cwi_slots_rank(r->shape, node, s) < bar)
                r->choice[i] = (uint16_t)cwi_role_best(
                    r, s, &r->zone[node->zone]);
        }
    }
}

/* The choices of slot s in the order of its pairs, as numbers. */
static void
write_slot(struct roles *r, uint32_t s, uint16_t *out)
{
    uint16_t *choice = r->choice + (size_t)s * r->others;
    uint32_t  rank[SLOTS_COPIES], i, j;

    for (i = 0; i < r->others; i++) {
        uint16_t                 one = choice[i];
        const struct slots_node *node = &r->node[one];
        uint32_t                 this = cwi_slots_rank(r->shape, node, s);

        for (j = i; j > 0 && cwi_slots_before(node, this,
             &r->node[choice[j - 1]], rank[j - 1]); j--) {
            choice[j] = choice[j - 1];
            rank[j] = rank[j - 1];
        }
        choice[j] = one;
        rank[j] = this;
    }
    for (i = 0; i < r->others; i++)
        out[i] = (uint16_t)r->node[choice[i]].number;
}

void
cwi_slots_roles(struct slots_node *node, uint32_t n, uint32_t zones,
                unsigned k, unsigned copies, const uint16_t *owner,
                uint16_t *other, void *scratch)
{
    struct roles *r = lay_out(scratch, n, k, copies);
    uint32_t      s;

    r->node = node;
    r->zones = zones;
    r->owner = owner;
    fill_zones(r);
    set_limits(r, node);
    cwi_slots_zones(r);
    deal_nodes(r);
    for (s = 0; s <= r->shape.mask; s++)
        write_slot(r, s, other + (size_t)s * r->others);
}
