/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - proves each invariant of a map, and names a broken one. */
#include <string.h>

#include "core/core.h"

/* Does [offset, offset + len] lie in the block, and end in a NUL? */
static int
text_sound(const cw_map *map, size_t offset, size_t len)
{
    return offset < map->bytes && len < map->bytes - offset &&
           cwi_map_text(map, offset)[len] == '\0';
}

static const char *
check_node(const cw_map *map, const struct cwi_map_node *n)
{
    if (!text_sound(map, n->name, n->name_len) ||
        !text_sound(map, n->label, n->label_len) ||
        !text_sound(map, n->address, n->address_len) ||
        !text_sound(map, n->zone, n->zone_len))
        return "a node's texts lie in the block";
    if (n->name_len == 0 || n->label_len == 0)
        return "a node has a name";
    if (n->weight > CW_WEIGHT_MAX)
        return "a weight is in its range";
    if (n->zone_id >= map->count || n->by_name >= map->count)
        return "a node's numbers are below the count";
    return NULL;
}

static const char *
check_nodes(const cw_map *map)
{
    uint32_t active = 0;
    uint64_t total = 0;

    for (uint32_t i = 0; i < map->count; i++) {
        const struct cwi_map_node *n = &map->nodes[i];
        const char *broken = check_node(map, n);

        if (broken)
            return broken;
        active += n->weight != 0;
        total += n->weight;
    }
    for (uint32_t i = 1; i < map->count; i++) {
        const struct cwi_map_node *a = &map->nodes[map->nodes[i - 1].by_name];
        const struct cwi_map_node *b = &map->nodes[map->nodes[i].by_name];

        if (cwi_bytes_order(cwi_map_text(map, a->name), a->name_len,
                            cwi_map_text(map, b->name), b->name_len) >= 0)
            return "names are distinct and indexed in order";
    }
    if (active != map->active || total != map->total_weight)
        return "counts and weights add up";
    return NULL;
}

/* Recount the points; per_node has room for every node, zeroed. */
static const char *
check_points(const cw_map *map, const struct cwi_nodes *nodes,
             uint64_t *per_node)
{
    const struct cwi_algo_ops *row = map->p.algo;
    uint64_t sum = 0;

    if (row->check) {
        const char *broken = row->check(map->state, nodes);

        if (broken)
            return broken;
    }
    if (row->count)
        row->count(map->state, per_node);
    for (uint32_t i = 0; i < map->count; i++) {
        if (per_node[i] != map->nodes[i].points)
            return "every node has the points that it counts";
        sum += per_node[i];
    }
    return sum == map->points ? NULL : "the nodes' points add up";
}

cw_status
cw_map_check(const cw_map *map, cw_error *err)
{
    const char *broken = check_nodes(map);
    struct cwi_nodes nodes;
    struct cwi_node *v = NULL;
    uint64_t *per_node = NULL;

    if (!broken)
        broken = cwi_pins_check(map);
    if (!broken && map->active) {
        v = cwi_alloc(&map->alloc, map->count, sizeof *v);
        per_node = cwi_alloc(&map->alloc, map->count, sizeof *per_node);
        if (v && per_node) {
            cwi_map_nodes(map, v, &nodes);
            broken = check_points(map, &nodes, per_node);
        }
        cwi_free(&map->alloc, v);
        cwi_free(&map->alloc, per_node);
        if (!v || !per_node)
            return cwi_fail(err, CW_ENOMEM, "no memory");
    }
    return broken ? cwi_fail(err, CW_ECORRUPT, "broken: %s", broken) : CW_OK;
}
