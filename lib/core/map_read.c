/* SPDX-License-Identifier: Apache-2.0 */
/* map_read.c - what a finished map says of itself and its nodes. */
#include "core/core.h"

uint32_t
cw_map_count(const cw_map *map)
{
    return map->count;
}

void
cw_map_node(const cw_map *map, uint32_t i, cw_node *out)
{
    const struct cwi_map_node *n = &map->nodes[i];

    out->name = cwi_map_text(map, n->name);
    out->name_len = n->name_len;
    out->label = cwi_map_text(map, n->label);
    out->label_len = n->label_len;
    out->address = cwi_map_text(map, n->address);
    out->address_len = n->address_len;
    out->zone = cwi_map_text(map, n->zone);
    out->zone_len = n->zone_len;
    out->weight = n->weight;
    out->state = (cw_state)n->state;
    out->positions = n->positions;
}

uint32_t
cw_map_find(const cw_map *map, const void *name, size_t len)
{
    uint32_t lo = 0, hi = map->count;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const struct cwi_map_node *n = &map->nodes[map->nodes[mid].by_name];
        int c = cwi_bytes_order(cwi_map_text(map, n->name), n->name_len,
                                name, len);

        if (c == 0)
            return map->nodes[mid].by_name;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return CW_NONE;
}

uint64_t
cw_map_fingerprint(const cw_map *map)
{
    return map->fingerprint;
}

size_t
cw_map_bytes(const cw_map *map)
{
    return map->bytes;
}

uint64_t
cw_map_points(const cw_map *map)
{
    return map->points;
}

uint64_t
cw_map_node_points(const cw_map *map, uint32_t i)
{
    return map->nodes[i].points;
}

uint64_t
cw_map_top(const cw_map *map)
{
    return map->top;
}

void
cwi_map_nodes(const struct cw_map *map, struct cwi_node *v,
              struct cwi_nodes *out)
{
    out->v = v;
    out->n = map->count;
    out->active = map->active;
    out->total = map->total_weight;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct cwi_map_node *n = &map->nodes[i];

        v[i].name = (const uint8_t *)cwi_map_text(map, n->name);
        v[i].name_len = n->name_len;
        v[i].label = (const uint8_t *)cwi_map_text(map, n->label);
        v[i].label_len = n->label_len;
        v[i].zone = (const uint8_t *)cwi_map_text(map, n->zone);
        v[i].zone_len = n->zone_len;
        v[i].weight = n->weight;
        v[i].positions = n->positions ? cwi_map_positions(map, i) : NULL;
        v[i].position_count = n->positions;
    }
}
