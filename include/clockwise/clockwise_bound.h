/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clockwise_bound.h - bounded load: no node gets more than a factor of its
 * fair share of what is in flight, or of a given set of keys.
 *
 * V. Mirrokni, M. Thorup, M. Zadimoghaddam: Consistent hashing with bounded
 * loads (2016, arXiv 1608.01350), as HAProxy's hash-balance-factor and Envoy's
 * hash_balance_factor have it: when the owner is full, the next node of the
 * key's preference list that is not takes the key.
 *
 * A pinned key stays with its node, full or not (of weight 0, too): it counts
 * there and in the whole, and the other keys fill what the caps leave.
 */
#ifndef CLOCKWISE_BOUND_H
#define CLOCKWISE_BOUND_H

#include "clockwise/clockwise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Factors are in per cent of the fair share: 125 is 1.25 times. */
#define CW_BOUND_MIN 101u
#define CW_BOUND_MAX 1000000u

/*
 * Counters of what each node of a map has in flight.
 *
 * With m keys in flight before a call, a node of weight w among a sum of
 * weights W may have ceil(percent / 100 * (m + 1) * w / W) with it.
 */
typedef struct cw_bound cw_bound;

/*
 * Counters of 0 for `map`, which gets one reference more.
 *
 * percent  CW_BOUND_MIN..CW_BOUND_MAX, or 0: no bound, only counting
 *
 * Returns CW_OK; CW_EINVAL for another percent; CW_ENOMEM. allocator may be
 * NULL. Since 0.1.
 */
CW_API cw_status cw_bound_new(cw_map *map, unsigned percent,
                              const cw_allocator *allocator, cw_bound **out,
                              cw_error *err);

/* bound may be NULL. No call on it may be running. */
CW_API void cw_bound_free(cw_bound *bound);

/*
 * Choose a node for a key (or a hash, as cw_map_owner_hash()) and count it
 * there until cw_bound_release().
 *
 * Returns CW_OK; CW_EEMPTY; CW_ELIMIT when 2^31 keys are in flight.
 *
 * Cost     an owner look-up while the owner has room; else nodes passed.
 *          Never allocates, never blocks.
 * Threads  any number on one cw_bound, with cw_bound_release(). Calls that
 *          run at once count each other; a node may then get one key too
 *          many for each of them, no more.
 */
CW_API cw_status cw_bound_take(cw_bound *bound, const void *key, size_t len,
                               uint32_t *out);
CW_API cw_status cw_bound_take_hash(cw_bound *bound, uint64_t hash,
                                    uint32_t *out);

/* One key less on `node`. CW_EINVAL when it has none or is no node. */
CW_API cw_status cw_bound_release(cw_bound *bound, uint32_t node);

/* In flight on a node, 0 <= node < cw_map_count(); in all; what the node may
 * have when one more key comes; how many keys did not go to their owner. */
CW_API uint32_t cw_bound_load(const cw_bound *bound, uint32_t node);
CW_API uint32_t cw_bound_total(const cw_bound *bound);
CW_API uint32_t cw_bound_cap(const cw_bound *bound, uint32_t node);
CW_API uint64_t cw_bound_passed(const cw_bound *bound);

/*
 * Assign n keys at once, in the order given, under the caps of n keys: out[i]
 * is the node of key i. The order counts where a cap binds; sort the keys to
 * leave it out.
 *
 * passed  how many keys did not go to their owner; may be NULL
 *
 * Returns CW_OK; CW_EINVAL for percent or more than 2^31 keys; CW_EEMPTY;
 * CW_ENOMEM. After an error out is unspecified.
 */
CW_API cw_status cw_bound_assign(const cw_map *map, unsigned percent,
                                 const cw_key *keys, size_t n, uint32_t *out,
                                 size_t *passed, cw_error *err);

#ifdef __cplusplus
}
#endif

#endif
