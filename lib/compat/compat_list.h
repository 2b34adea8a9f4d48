/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_list.h - hash % N over a list in which a node stands as often as
 * its weight says: find, walk and share of every such row.
 */
#ifndef CWI_COMPAT_LIST_H
#define CWI_COMPAT_LIST_H

#include "core/compat.h"

enum cwi_list_weights {
    CWI_LIST_EQUAL,         /* once each, whatever the weight               */
    CWI_LIST_WEIGHTED       /* as often as its whole weight                 */
};

/* Fills *out; top is the largest hash. */
cw_status cwi_list_plan(const struct cwi_nodes *nodes, uint64_t top,
                        struct cwi_plan *out);

/* before: the order of the list, NULL as listed. Nodes of weight 0 are left
 * out. */
void cwi_list_build(void *state, void *scratch, uint64_t top,
                    const struct cwi_nodes *nodes,
                    enum cwi_list_weights weights, cwi_node_before *before);

/* Length of the list, and the node at its place number i. */
uint64_t cwi_list_total(const void *state);
uint32_t cwi_list_at(const void *state, uint64_t i);

uint32_t cwi_list_find(const void *state, uint64_t at);

/* The owner, then those behind it in the list. */
void cwi_list_walk(const void *state, uint64_t at, struct cwi_walk *w);
void cwi_list_share(const void *state, cwi_u128 *num);

#define CWI_COMPAT_LIST_OPS         \
    .find  = cwi_list_find,         \
    .walk  = cwi_list_walk,         \
    .share = cwi_list_share

#endif
