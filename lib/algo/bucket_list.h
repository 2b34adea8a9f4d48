/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_list.h - rows whose buckets are the nodes of weight above 0 in list
 * order, all of one weight, found by a function of hash and their number.
 */
#ifndef CWI_BUCKET_LIST_H
#define CWI_BUCKET_LIST_H

#include "core/algo.h"

/* Bucket of a hash among n >= 1. */
typedef uint32_t cwi_bucket_fn(uint64_t hash, uint32_t n);

/* Least 2^k - 1 that is above 0 and not below n - 1, n >= 1. */
uint32_t cwi_bucket_mask(uint32_t n);

/* As the members of struct cwi_algo_ops of those names. */
cw_status cwi_bucket_list_plan(const struct cwi_algo_ops *self,
                               const struct cwi_nodes *nodes,
                               const struct cwi_placement *p,
                               struct cwi_plan *out, cw_error *err);
void cwi_bucket_list_build(const struct cwi_algo_ops *self, void *state,
                           void *scratch, const struct cwi_nodes *nodes,
                           const struct cwi_placement *p);
const char *cwi_bucket_list_check(const void *state,
                                  const struct cwi_nodes *nodes);

struct cwi_bucket_list {
    uint32_t n;
    uint32_t mask;          /* cwi_bucket_mask(n)                           */
    uint32_t all;           /* no node is without a weight: bucket i is node
                               i, and the list, beyond caches where nodes
                               are many, need not be read                   */
    /* uint32_t node[n]: the number of the node that bucket i is */
};

static inline const uint32_t *
cwi_bucket_nodes(const struct cwi_bucket_list *list)
{
    return (const uint32_t *)(const void *)(list + 1);
}

static inline uint32_t
cwi_bucket_node(const struct cwi_bucket_list *list, uint32_t bucket)
{
    return list->all ? bucket : cwi_bucket_nodes(list)[bucket];
}

/* find and walk by that function; find is inline so that the function may
 * be, too. */
static inline uint32_t
cwi_bucket_list_find(const void *state, uint64_t at, cwi_bucket_fn *bucket)
{
    const struct cwi_bucket_list *list = state;

    return cwi_bucket_node(list, bucket(at, list->n));
}

void cwi_bucket_list_walk(const void *state, uint64_t at, struct cwi_walk *w,
                          cwi_bucket_fn *bucket);

#endif
