/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.h - help for rows that rank all nodes: the best few of many without
 * memory.
 */
#ifndef CWI_RANK_H
#define CWI_RANK_H

#include "core/algo.h"

/* True when a goes before b: a strict order of all pairs a != b. */
typedef int cwi_before_fn(const void *context, uint32_t a, uint32_t b);

/*
 * Write the n first of those among 0 .. count - 1 that come after the number
 * `after` (CW_NONE: of all) to out, in order; returns how many: n, or fewer
 * when there are no more. O(count log n) comparisons.
 */
uint32_t cwi_rank(cwi_before_fn *before, const void *context, uint32_t count,
                  uint32_t after, uint32_t *out, uint32_t n);

/* A walk that visits node[i] for i = 0 .. count - 1 in that order. */
void cwi_rank_walk(cwi_before_fn *before, const void *context, uint32_t count,
                   const uint32_t *node, struct cwi_walk *w);

/* size = a + n * each, or CW_ELIMIT when that does not fit. */
cw_status cwi_state_size(const struct cwi_algo_ops *self, size_t *size,
                         size_t a, uint64_t n, size_t each, cw_error *err);

#endif
