/* SPDX-License-Identifier: Apache-2.0 */
/* each_point.c - the points of a map, for those who draw or list them. */
#include "core/core.h"
#include "core/points.h"

cw_status
cw_map_each_point(const cw_map *map,
                  int (*visit)(void *context, uint64_t position,
                               uint32_t node),
                  void *context, int *stopped)
{
    uint64_t n;
    int stop = 0;

    /* The table of points is the state of all rows that count this way. */
    if (map->p.algo->count != cwi_points_count)
        return CW_ENOTSUP;
    n = map->active ? cwi_points_total(map->state) : 0;
    for (uint64_t i = 0; i < n && !stop; i++) {
        struct cwi_point point = cwi_points_at(map->state, i);

        stop = visit(context, point.at, point.node);
    }
    if (stopped)
        *stopped = stop;
    return CW_OK;
}
