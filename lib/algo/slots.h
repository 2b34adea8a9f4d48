/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.h - what the row "slots" (algo_slots.c), the dealing of the slots
 * (slots_deal.c) and of replicas (slots_roles.c, slots_zones.c) share.
 * docs/formats/slots.md is the rule.
 */
#ifndef CWI_SLOTS_H
#define CWI_SLOTS_H

#include "core/algo.h"
#include "core/score.h"

#define SLOTS_NODES_MAX 65535u
#define SLOTS_NOBODY    0xffffu         /* in a table of owners             */
#define SLOTS_COPIES    8u              /* most replicas                    */

/* What a node's label makes of it. */
struct slots_node {
    uint64_t id;
    uint64_t weight;                    /* in the smallest whole numbers    */
    uint32_t a, m1, m2, m3, m4;         /* constants of its permutation     */
    int32_t  lift;                      /* log2 of its weight, 24 places    */
    uint32_t cap;                       /* slots it may own                 */
    uint32_t number;                    /* in the map                       */
    uint32_t zone;                      /* by hashed names; 0 in maps without
                                           replicas, as the next            */
    uint32_t role_cap;                  /* slots of which it may have a copy,
                                           its own ones included            */
};

/* Shape of the ranks for 2^k slots. */
struct slots_shape {
    uint32_t mask;                      /* 2^k - 1                          */
    unsigned k;
    unsigned h;                         /* (k + 1) / 2                      */
};

static inline struct slots_shape
cwi_slots_shape(unsigned k)
{
    struct slots_shape shape = { (UINT32_C(1) << k) - 1, k, (k + 1) / 2 };

    return shape;
}

/* The place of slot s in the node's order of all slots: a permutation. */
static inline uint32_t
cwi_slots_level(struct slots_shape f, const struct slots_node *n, uint32_t s)
{
    uint32_t x = ((s + n->a) & f.mask) * n->m1 & f.mask;

    x ^= x >> f.h;
    x = x * n->m2 & f.mask;
    x ^= x >> f.h;
    return x * n->m3 & f.mask;
}

/* The whole rank: the level, and below it bits that tell nodes apart. */
static inline uint32_t
cwi_slots_rank(struct slots_shape f, const struct slots_node *n, uint32_t s)
{
    uint32_t y = (s * UINT32_C(2654435761) + n->a) * n->m4;

    y ^= y >> 15;
    y *= UINT32_C(0x85ebca6b);
    return cwi_slots_level(f, n, s) << (32 - f.k) | y >> f.k;
}

/* The way back, from a level to its slot: inverses of m1, m2, m3. */
struct slots_inverse {
    uint32_t w1, w2, w3;
};

/* Inverse of an odd number modulo 2^32; each round doubles the right bits. */
static inline uint32_t
cwi_slots_inverse32(uint32_t m)
{
    uint32_t x = m;     /* right in the lowest 3 bits */
    int      i;

    for (i = 0; i < 4; i++)
        x *= 2 - m * x;
    return x;
}

static inline struct slots_inverse
cwi_slots_inverse(const struct slots_node *n)
{
    struct slots_inverse w = {
        cwi_slots_inverse32(n->m1), cwi_slots_inverse32(n->m2),
        cwi_slots_inverse32(n->m3)
    };

    return w;
}

static inline uint32_t
cwi_slots_at(struct slots_shape f, const struct slots_node *n,
             struct slots_inverse w, uint32_t level)
{
    uint32_t s = level * w.w3 & f.mask;

    s ^= s >> f.h;
    s = s * w.w2 & f.mask;
    s ^= s >> f.h;
    return (s * w.w1 - n->a) & f.mask;
}

static inline int32_t
cwi_slots_score(struct slots_shape f, const struct slots_node *n, uint32_t s)
{
    return cwi_gum(cwi_slots_rank(f, n, s)) + n->lift;
}

/* True when the pair (s, a) goes before (s, b), whose ranks are ra and rb:
 * higher score, then higher rank, then smaller id. */
static inline int
cwi_slots_before(const struct slots_node *a, uint32_t ra,
                 const struct slots_node *b, uint32_t rb)
{
    if (a->lift != b->lift) {
        int32_t va = cwi_gum(ra) + a->lift, vb = cwi_gum(rb) + b->lift;

        if (va != vb)
            return va > vb;
    }
    if (ra != rb)
        return ra > rb;
    return a->id != b->id ? a->id < b->id : a->number < b->number;
}

/* Bytes of scratch that the dealing needs; n nodes, 2^k slots. */
size_t cwi_slots_scratch(uint32_t n, unsigned k);

/*
 * Deal 2^k slots to n >= 1 nodes: the stable matching under their caps, whose
 * sum is at least 2^k. owner[s] receives the number of the slot's node.
 * equal: all lifts are the same.
 */
void cwi_slots_deal(const struct slots_node *node, uint32_t n, unsigned k,
                    int equal, uint16_t *owner, void *scratch);

/* The k-th largest of v[0 .. n - 1], 1 <= k <= n. Reorders v. */
uint32_t cwi_slots_kth(uint32_t *v, uint32_t n, uint32_t k);

/* The default cap for a share of q / 256 slots: share + 1.5 sqrt(share). */
uint32_t cwi_slots_cap(uint64_t q);

/* Bytes of scratch for the next. */
size_t cwi_slots_roles_scratch(uint32_t n, unsigned k, unsigned copies);

/*
 * Deal the replicas of 2^k slots: for each slot copies - 1 >= 1 nodes besides
 * its owner, in `copies` distinct zones. The nodes' zones are 0 .. zones - 1,
 * each with a node, zones >= copies; their role_cap is set here.
 *
 * owner[s] is the number of slot s's node, below `numbers`; so will
 * other[s * (copies - 1) ..] be, in the order of the slot's pairs.
 */
void cwi_slots_roles(struct slots_node *node, uint32_t n, uint32_t zones,
                     unsigned k, unsigned copies, const uint16_t *owner,
                     uint16_t *other, void *scratch);

#endif
