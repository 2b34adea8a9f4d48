/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.h - changes of one copy inside a live map: between live.c, which says
 * when, and live_patch.c, which says how. Nothing else includes it.
 */
#ifndef CWI_LIVE_H
#define CWI_LIVE_H

#include "core/core.h"
#include "core/points.h"

enum cwi_change_kind {
    CWI_CHANGE_NONE,
    CWI_CHANGE_ADD,
    CWI_CHANGE_REMOVE,
    CWI_CHANGE_WEIGHT,
    CWI_CHANGE_STATE
};

/* A change, which is made to one copy first and to the other later. */
struct cwi_change {
    enum cwi_change_kind     kind;
    uint32_t                 number;    /* of the node                      */
    const struct cwi_member *member;    /* of the fleet, where one to add is
                                           and one to remove is still       */
    uint64_t                 weight;
    cw_state                 state;
    int                      labelled;  /* names are not the only labels    */
    int                      pointless; /* a node has a weight and no point */
};

/* What a change does to the points; kept for the other copy. */
struct cwi_patch_room {
    struct cwi_point *points;   /* the node's, then those of the node that
                                   gets its number                          */
    uint64_t          count;    /* room for so many                         */
    uint64_t          most;     /* of the node, before or afterwards        */
    uint64_t          to;       /* of the node afterwards                   */
    uint8_t          *text;
    size_t            text_len;
    struct cwi_node  *nodes;
    uint64_t         *counts;   /* points of each                           */
    uint32_t          nodes_len;
};

/* Can the change be made in place, as far as one can tell before? Fills
 * room, whose memory is a's: CW_OK, CW_ENOTSUP or CW_ENOMEM. */
cw_status cwi_patch_ready(const cw_map *map, const cw_fleet *fleet,
                          const struct cwi_change *change,
                          struct cwi_patch_room *room, const cw_allocator *a);

/* Make the change; 0 when there was no room in the end and the copy is of no
 * use any more. Of two equal copies both are changed or none. */
int cwi_patch_make(cw_map *map, const struct cwi_change *change,
                   const struct cwi_patch_room *room);

#endif
