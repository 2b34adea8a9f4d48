/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clockwise_pins.h - pins: a key, a prefix of keys, or a range of positions
 * fixed to nodes, over any placement. With enough of them, a directory.
 *
 * Which pin holds: that of the key itself, else the longest prefix, else the
 * range in which its position lies. A pin names nodes; names that the map
 * does not have are passed over, and a pin without any other is no pin. Nodes
 * of weight 0 may be pinned to: a node outside the ring.
 */
#ifndef CLOCKWISE_PINS_H
#define CLOCKWISE_PINS_H

#include "clockwise/clockwise.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_PIN_NODES 16u            /* most nodes of one pin                */

typedef struct cw_pins cw_pins;

/* No pins; NULL when there is no memory. allocator may be NULL. */
CW_API cw_pins *cw_pins_new(const cw_allocator *allocator);
CW_API void cw_pins_free(cw_pins *pins);

/*
 * Pin a key, the keys that begin with a prefix (of 1 byte or more), or the
 * positions first..last (both belong to it).
 *
 * nodes, count  names, best first, 1..CW_PIN_NODES; copied
 *
 * Returns CW_OK; CW_EEXIST for a key or prefix that has a pin, or a range
 * that meets another; CW_EINVAL; CW_ENOMEM. After an error the pins are as
 * they were.
 *
 * Cost     O(pins) to insert.
 * Threads  one at a time; the look-ups below from any number at once while no
 *          pin is added.
 */
CW_API cw_status cw_pins_key(cw_pins *pins, const void *key, size_t len,
                             const cw_key *nodes, uint32_t count,
                             cw_error *err);
CW_API cw_status cw_pins_prefix(cw_pins *pins, const void *prefix, size_t len,
                                const cw_key *nodes, uint32_t count,
                                cw_error *err);
CW_API cw_status cw_pins_range(cw_pins *pins, uint64_t first, uint64_t last,
                               const cw_key *nodes, uint32_t count,
                               cw_error *err);

/* How many there are. */
CW_API size_t cw_pins_count(const cw_pins *pins);

/* As cw_map_owner(), pins first; without a pin CW_EEMPTY for an empty map. */
CW_API cw_status cw_pins_owner(const cw_pins *pins, const cw_map *map,
                               const void *key, size_t len, uint32_t *out);

/* As cw_map_order(): the pinned nodes, then the others of the key's list, no
 * node twice. */
CW_API uint32_t cw_pins_order(const cw_pins *pins, const cw_map *map,
                              const void *key, size_t len, uint32_t *out,
                              uint32_t n);

/* That of the map and of all pins, whatever their order of coming. */
CW_API uint64_t cw_pins_fingerprint(const cw_pins *pins, const cw_map *map);

/*
 * Positions that each node owns under the range pins, and how many these take
 * from another owner. Keys and prefixes are no part of the ring that could be
 * counted.
 *
 * num    room for cw_map_count() numbers; they sum to the ring's size
 * moved  may be NULL
 *
 * CW_ENOTSUP for a row without CW_TRAIT_ARCS; CW_EEMPTY. Cost O(arcs + ranges).
 */
CW_API cw_status cw_pins_shares(const cw_pins *pins, const cw_map *map,
                                cw_u128 *num, cw_u128 *moved);

#ifdef __cplusplus
}
#endif

#endif
