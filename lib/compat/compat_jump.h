/* SPDX-License-Identifier: Apache-2.0 */
/* compat_jump.h - jump consistent hash over a list, as programs have it. */
#ifndef CWI_COMPAT_JUMP_H
#define CWI_COMPAT_JUMP_H

#include "core/compat.h"

/* Guava's function: (b + 1) / (r / 2^31), rounded once, where the paper's
 * (cwi_jump()) has (b + 1) * (2^31 / r). */
uint32_t cwi_jump_guava(uint64_t key, uint32_t buckets);

/* plan, build, find and walk over all listed nodes of weight above 0, by the
 * paper's function. */
cw_status cwi_jump_plan(const struct cwi_algo_ops *self,
                        const struct cwi_nodes *nodes, struct cwi_plan *out,
                        cw_error *err);
void cwi_jump_build(const struct cwi_algo_ops *self, void *state,
                    void *scratch, const struct cwi_nodes *nodes,
                    const struct cwi_placement *p);
uint32_t cwi_jump_find(const void *state, uint64_t at);
void cwi_jump_walk(const void *state, uint64_t at, struct cwi_walk *w);

#endif
