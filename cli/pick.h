/* SPDX-License-Identifier: Apache-2.0 */
/* pick.h - the nodes that a key goes to now: preference lists, states and
 * zones together. */
#ifndef CLI_PICK_H
#define CLI_PICK_H

#include <stdbool.h>

#include "clockwise/clockwise.h"

struct pick {
    const cw_map *map;
    uint32_t      n;            /* nodes of the map                         */
    bool          all_up;       /* no node is passed over                   */
    bool         *up;           /* of each node; states ignored: all true   */
    uint32_t     *zone;         /* of each node; one without: its own       */
    bool          zones;        /* some zone has two nodes                  */
    uint32_t      zone_count;
    uint32_t     *order;        /* of the key in hand                       */
    uint32_t     *out;
    uint32_t     *seen;         /* of each zone: stamp of the last use      */
    uint32_t      stamp;
};

/* ignore_states: every node counts as up. Never fails. */
void pick_init(struct pick *p, const cw_map *map, bool ignore_states);
void pick_free(struct pick *p);

/*
 * The first r nodes that are up for a key (data) or, when key is NULL, for a
 * position: in distinct zones while there are any, then the rest, as in
 * cw_map_replicas(). Returns how many are in p->out.
 */
uint32_t pick_nodes(struct pick *p, const cw_key *key, uint64_t position,
                    uint32_t r);

/* The first one, CW_NONE when no node is up. */
uint32_t pick_first(struct pick *p, const cw_key *key, uint64_t position);

#endif
