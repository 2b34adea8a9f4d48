/* SPDX-License-Identifier: Apache-2.0 */
/* quirk.c - what of a placement hurts the fleet of a map. */
#include "core/core.h"

/* A node that has a weight and nothing to show for it. */
static int
visit_pointless(const cw_map *map,
                int (*visit)(void *, const char *, const char *),
                void *context)
{
    const struct cwi_map_node *first = NULL;
    uint64_t count = 0;
    cw_error text;

    for (uint32_t i = 0; i < map->count && map->points > 0; i++) {
        if (map->nodes[i].weight == 0 || map->nodes[i].points > 0)
            continue;
        if (count++ == 0)
            first = &map->nodes[i];
    }
    if (count == 0)
        return 0;
    cwi_fail(&text, CW_OK, count == 1
                 ? "node %n has a weight, but its share of the points is "
                   "rounded to none: it gets no keys"
                 : "node %n and others have weights, but their share of the "
                   "points is rounded to none: they get no keys",
             cwi_map_text(map, first->name), (size_t)first->name_len);
    return visit(context, text.text, "raise the weight, or choose a "
                 "placement whose points depend on the node alone");
}

cw_status
cw_map_quirks(const cw_map *map,
              int (*visit)(void *context, const char *what,
                           const char *remedy),
              void *context)
{
    const struct cwi_quirk *const *q = map->p.algo->quirks;
    struct cwi_node *v;
    struct cwi_nodes nodes;
    int stop = 0;

    if (map->active == 0)
        return CW_OK;
    v = cwi_alloc(&map->alloc, map->count, sizeof *v);
    if (!v)
        return CW_ENOMEM;
    cwi_map_nodes(map, v, &nodes);
    for (; q && *q && !stop; q++) {
        if (!(*q)->applies || (*q)->applies(&map->p, &nodes, map->top))
            stop = visit(context, (*q)->what, (*q)->remedy);
    }
    cwi_free(&map->alloc, v);
    if (!stop)
        visit_pointless(map, visit, context);
    return CW_OK;
}
