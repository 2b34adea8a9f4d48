/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - a ring as it is drawn: stretches with one owner, few enough for
 * the eye, and what is known of each node. */
#ifndef DRAW_VIEW_H
#define DRAW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "clockwise/clockwise.h"

/* More stretches than this are drawn as equal cells, each in the colour of
 * the node that owns most of it. */
enum { VIEW_STRETCHES = 3000, VIEW_CELLS = 1440, VIEW_LOADS = 360 };

/* Parts of a turn from the top, clockwise: 0 <= from < to <= 1. */
struct stretch {
    double   from;
    double   to;
    uint32_t owner;             /* number in the map                        */
};

struct ring_view {
    const cw_map   *map;
    cw_shares      *shares;
    struct stretch *stretches;
    size_t          count;
    bool            cells;      /* more arcs than are shown one by one      */
    size_t          arcs;       /* of the map, neighbours of one owner one  */
};

struct draw {
    struct ring_view  now;
    struct ring_view  after;    /* map NULL: one ring is drawn              */
    cw_diff          *diff;     /* of the two                               */
    uint32_t          replicas; /* rings of further owners; 1: owners only  */
    uint64_t         *load;     /* keys in VIEW_LOADS parts, or NULL        */
    uint64_t          keys;
};

/* False when the map's placement has no arcs. */
bool ring_view_init(struct ring_view *v, const cw_map *map);
void ring_view_free(struct ring_view *v);

/* Owner number k (0: the first) at a part of a turn, CW_NONE if there are
 * fewer. */
uint32_t ring_view_owner(const struct ring_view *v, double turn, uint32_t k);

/* Part of the turn where a position is. */
double ring_view_turn(const cw_map *map, uint64_t position);

void draw_svg(const struct draw *d, struct out *out);

/* columns: width of the terminal; color: may use colours. */
void draw_term(const struct draw *d, struct out *out, int columns,
               bool color);

#endif
