/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clockwise_pins.h - pins: a key, a prefix of keys, or a range of positions
 * fixed to nodes, over any placement.
 *
 * Pins are given to a placement; every map that is built with it has them,
 * and all that is asked of the map answers with them: owners, preference
 * lists, replica sets, shares, movement, the fingerprint and the image. (An
 * owner by hash knows of ranges only.)
 *
 * Which pin holds: that of the key itself, else the longest prefix, else the
 * range in which its position lies. A pin names nodes, best first; names that
 * the map does not have are passed over, and a pin without any other is no
 * pin. Nodes of weight 0 may be pinned to: a node outside the ring.
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

/* Give back what cw_pins_new() gave; placements and maps that have the pins
 * keep them. pins may be NULL. */
CW_API void cw_pins_free(cw_pins *pins);

/*
 * Pin a key, the keys that begin with a prefix (of 1 byte or more), or the
 * positions first..last (both belong to it).
 *
 * nodes, count  names, best first, 1..CW_PIN_NODES; copied
 *
 * Returns CW_OK; CW_EEXIST for a key or prefix that has a pin, or a range
 * that meets another; CW_EINVAL, also when a placement has the pins already;
 * CW_ENOMEM. After an error the pins are as they were.
 *
 * Cost     O(pins) to insert.
 * Threads  one at a time.
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

typedef enum cw_pin_kind {
    CW_PIN_KEY    = 0,
    CW_PIN_PREFIX = 1,
    CW_PIN_RANGE  = 2
} cw_pin_kind;

/* A pin as seen from outside; borrowed from the pins. */
typedef struct cw_pin {
    cw_pin_kind kind;
    cw_key      text;           /* of a key or prefix                       */
    uint64_t    first, last;    /* of a range                               */
    uint32_t    count;
    cw_key      nodes[CW_PIN_NODES];    /* names                            */
} cw_pin;

/* How many there are; pin number i of them: keys, prefixes and ranges, each
 * in rising order. CW_ENOENT past the end. */
CW_API size_t cw_pins_count(const cw_pins *pins);
CW_API cw_status cw_pins_at(const cw_pins *pins, size_t i, cw_pin *out);

/*
 * Let a placement have the pins (NULL: none), whatever row and options it has
 * or gets. They do not change from then on.
 *
 * Building a map refuses (CW_EINVAL) a range beyond the ring, or any range
 * for a row that gives keys no position.
 *
 * Threads  as cw_placement_set().
 */
CW_API void cw_placement_pin(cw_placement *placement, cw_pins *pins);

/* The pins that a map has; NULL: none. Borrowed from the map. */
CW_API const cw_pins *cw_map_pins(const cw_map *map);

/* The pin that holds a key, or a position; CW_ENOENT: none does.
 * Cost O(log pins) comparisons, and one for each prefix met. */
CW_API cw_status cw_map_pin(const cw_map *map, const void *key, size_t len,
                            cw_pin *out);
CW_API cw_status cw_map_pin_position(const cw_map *map, uint64_t position,
                                     cw_pin *out);

#ifdef __cplusplus
}
#endif

#endif
