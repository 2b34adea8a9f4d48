/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score.h - the weighted score of rendezvous placements, in integers.
 *
 * A node that draws a uniform u in (0, 1) for a key competes with
 * -ln(u) / weight, smallest first: then it wins in proportion to its weight,
 * whatever the other nodes are (Schindelhauer and Schomaker 2005). The score
 * here is the same order, -log2(-log2 u) + log2(weight), highest first, in
 * fixed point of 24 binary places. No floating point: the bits are the same
 * on every processor.
 */
#ifndef CWI_SCORE_H
#define CWI_SCORE_H

#include <stdint.h>

/* log2(x) in 40 binary places, x >= 1: never too high, at most 2.8e-6 too
 * low, and never falling when x grows. */
uint64_t cwi_lg(uint64_t x);

/* -log2(-log2 u) in 24 binary places for u = (2r + 1) / 2^33. It never falls
 * when r grows; -84630889 at r = 0, 544733027 at r = 2^32 - 1. */
int32_t cwi_gum(uint32_t r);

/* log2(weight) in 24 binary places, 1 <= weight <= 10^12: what to add to
 * cwi_gum(). The sum stays below 2^31. */
static inline int32_t
cwi_log_weight(uint64_t weight)
{
    return (int32_t)(cwi_lg(weight) >> 16);
}

#endif
