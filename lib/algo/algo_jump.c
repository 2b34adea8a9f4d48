/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_jump.c - jump consistent hashing over the list of nodes.
 *
 * J. Lamping, E. Veach: A fast, minimal memory, consistent hash algorithm
 * (2014, arXiv 1406.2294). Buckets are the nodes of weight > 0 in list order,
 * so only the last one can leave or join without moving other keys; for
 * nodes that leave in any order see algo_stable_jump.c.
 * docs/formats/jump.md is the exact rule.
 */
#include "bucket_list.h"
#include "core/jump.h"

static const struct cwi_option jump_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static uint32_t
jump_find(const void *state, uint64_t at)
{
    return cwi_bucket_list_find(state, at, cwi_jump);
}

static void
jump_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    cwi_bucket_list_walk(state, at, w, cwi_jump);
}

const struct cwi_algo_ops cwi_algo_jump = {
    .name = "jump",
    .summary = "buckets in list order, equal weights; only the last node "
               "may come or go",
    .source = "Lamping, Veach 2014 (arXiv 1406.2294)",
    .traits = 0,
    .options = jump_options,
    .plan = cwi_bucket_list_plan,
    .build = cwi_bucket_list_build,
    .find = jump_find,
    .walk = jump_walk,
    .check = CWI_UNLESS_PAGE(cwi_bucket_list_check)
};
