/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots_roles.h - what choosing zones (slots_zones.c) and dealing replicas
 * (slots_roles.c) share.
 */
#ifndef CWI_SLOTS_ROLES_H
#define CWI_SLOTS_ROLES_H

#include "slots.h"

struct role_zone {
    uint64_t weight;
    uint32_t begin, end;    /* its nodes, in roles.order                    */
    uint32_t forced;        /* every slot has a role in it                  */
    uint32_t limit;         /* roles it may have                            */
    uint32_t load;          /* roles it has                                 */
    uint32_t owned;         /* roles that are primaries: they stay          */
    int32_t  price;
    int32_t  base;          /* its price when the lists were made           */
    uint32_t at;            /* of its figures in roles.sorted               */
};

/* A zone's best node for a slot; score at the prices of the list. */
struct role_offer {
    int32_t  score;
    uint16_t node;
    uint16_t zone;
};

/* A node's room, and the ranks that it refuses. */
struct role_bid {
    uint64_t bar;           /* those below                                  */
    uint32_t room;          /* roles besides its own slots                  */
    uint32_t got;
    uint32_t at;            /* of its ranks in roles.sorted                 */
};

struct roles {
    struct slots_shape       shape;
    const struct slots_node *node;
    struct role_zone        *zone;
    struct role_bid         *bid;       /* of each node                     */
    uint32_t                *order;     /* nodes by zone, heaviest first    */
    uint16_t                *home;      /* zone of a node's number          */
    const uint16_t          *owner;     /* numbers                          */
    uint32_t                 n, zones;
    uint32_t                 others;    /* copies - 1: what a slot chooses  */
    uint16_t                *choice;    /* others a slot: indices of nodes  */
    uint16_t                *chosen;    /* their zones                      */
    uint32_t                *rise;      /* of a zone's price, this round    */
    uint32_t                *drop;      /* price that would undo a choice   */
    uint32_t                *sorted;
    /* The lists: up to `depth` offers a slot, best first. */
    struct role_offer       *offer;
    uint8_t                 *offers;
    uint32_t                 depth;
    int64_t                  floor;     /* all above it is listed           */
    uint32_t                *cheap;     /* zones whose price rose least     */
    uint32_t                 cheaps;
    uint64_t                 misses;    /* slots that a list did not serve  */
};

/* Room for zones to list more than what is chosen and the next. */
#define ROLES_SPARE 2u

/* The best node of a zone for slot s, by the order of pairs, of those that do
 * not refuse it; one there is. */
uint32_t cwi_role_best(const struct roles *r, uint32_t s,
                       const struct role_zone *z);

/* Let every slot choose its zones, and their best nodes, under the limits. */
void cwi_slots_zones(struct roles *r);

static inline const struct slots_node *
cwi_role_node(const struct roles *r, uint32_t i)
{
    return &r->node[r->order[i]];
}

#endif
