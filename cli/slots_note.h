/* SPDX-License-Identifier: Apache-2.0 */
/* slots_note.h - what the placement "slots" guarantees on a fleet, and what
 * is to be expected of it. */
#ifndef CLI_SLOTS_NOTE_H
#define CLI_SLOTS_NOTE_H

#include "conf/conf_model.h"

struct slots_note {
    unsigned slots;
    double   lightest;      /* fair share of the lightest node, in slots    */
    double   bound;         /* its guaranteed load / its fair share         */
    double   excess;        /* expected needless moves of one change, as a
                               part of what must move                       */
    unsigned better;        /* slots for 64 a node; 0 when there are enough */
    unsigned replicas;      /* nodes of a slot                              */
    double   roles_max;     /* with replicas: most and fewest slots that a  */
    double   roles_min;     /* node has a copy of, of what is its due       */
};

/* False when the pool has another placement, or no node has a weight. */
bool slots_note(const struct conf_pool *pool, const cw_map *map,
                struct slots_note *out);

#endif
