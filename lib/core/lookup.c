/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.c - owner of a key, a hash, a position; preference list; replicas. */
#include <string.h>

#include "core/core.h"
#include "core/points.h"

/* ---- owners ------------------------------------------------------------ */

cw_status
cw_map_hash(const cw_map *map, const void *key, size_t len, uint64_t *out)
{
    if (map->p.algo->owner_key)
        return CW_ENOTSUP;
    *out = cwi_key_hash(&map->p, key, len);
    return CW_OK;
}

uint64_t
cw_map_position(const cw_map *map, uint64_t hash)
{
    return cwi_position(map, hash);
}

cw_status
cwi_owner_hash(const cw_map *map, uint64_t hash, uint32_t *out)
{
    if (map->active == 0)
        return CW_EEMPTY;
    if (!map->p.algo->find)
        return CW_ENOTSUP;
    *out = map->p.algo->find(map->state, cwi_position(map, hash));
    return CW_OK;
}

cw_status
cwi_owner_key(const cw_map *map, const void *key, size_t len, uint32_t *out)
{
    if (map->active == 0)
        return CW_EEMPTY;
    if (map->p.algo->owner_key) {
        *out = map->p.algo->owner_key(map->state, key, len);
        return CW_OK;
    }
    return map->owner_hash(map, cwi_key_hash(&map->p, key, len), out);
}

cw_status
cw_map_owner_hash(const cw_map *map, uint64_t hash, uint32_t *out)
{
    return map->owner_hash(map, hash, out);
}

cw_status
cw_map_owner(const cw_map *map, const void *key, size_t len, uint32_t *out)
{
    return map->owner_key(map, key, len, out);
}

cw_status
cw_map_owner_position(const cw_map *map, uint64_t position, uint32_t *out)
{
    if (!(map->p.algo->traits & CW_TRAIT_ARCS))
        return CW_ENOTSUP;
    if (map->active == 0)
        return CW_EEMPTY;
    if (position > map->top)
        return CW_EINVAL;
    *out = map->p.algo->find(map->state, position);
    return CW_OK;
}

/* ---- preference lists -------------------------------------------------- */

/* Lists so short are scanned, which is faster than clearing the bits. */
#define SCAN_MAX 16u

static int
by_bits(const struct cwi_walk *w)
{
    return w->want > SCAN_MAX && w->map->count <= CWI_SEEN_BITS;
}

static int
taken(const struct cwi_walk *w, uint32_t node)
{
    for (uint32_t i = 0; i < w->len; i++) {
        if (w->out[i] == node)
            return 1;
    }
    return 0;
}

static int
zone_taken(const struct cwi_walk *w, uint32_t node)
{
    const struct cwi_map_node *nodes = w->map->nodes;

    for (uint32_t i = 0; i < w->len; i++) {
        if (nodes[w->out[i]].zone_id == nodes[node].zone_id)
            return 1;
    }
    return 0;
}

int
cwi_walk_visit(struct cwi_walk *w, uint32_t node)
{
    if (by_bits(w)) {
        uint64_t bit = UINT64_C(1) << node % 64;

        if (w->seen[node / 64] & bit)
            return 0;
        w->seen[node / 64] |= bit;
    } else if (taken(w, node)) {
        return 0;
    }
    if (w->by_zone && zone_taken(w, node))
        return 0;
    w->out[w->len++] = node;
    return w->len == w->want;
}

/* How a list is asked for: by key, hash or position. */
struct query {
    const void *key;
    size_t      len;
    uint64_t    at;
};

/* Nodes that own nothing, as a rule that rounds may leave some, come last. */
static void
walk_rest(const cw_map *map, struct cwi_walk *w)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->nodes[i].weight > 0 && cwi_walk_visit(w, i))
            return;
    }
}

/* Walk on, with out[0 .. len - 1] taken already. */
static void
walk(const cw_map *map, const struct query *q, struct cwi_walk *w)
{
    const struct cwi_algo_ops *row = map->p.algo;

    if (by_bits(w)) {
        memset(w->seen, 0, ((size_t)map->count + 63) / 64 * sizeof *w->seen);
        for (uint32_t i = 0; i < w->len; i++)
            w->seen[w->out[i] / 64] |= UINT64_C(1) << w->out[i] % 64;
    }
    if (row->walk_key)
        row->walk_key(map->state, q->key, q->len, w);
    else
        row->walk(map->state, q->at, w);
    if (w->len < w->want)
        walk_rest(map, w);
}

static struct query
key_query(const cw_map *map, const void *key, size_t len)
{
    struct query q = { key, len, 0 };

    if (!map->p.algo->walk_key)
        q.at = cwi_position(map, cwi_key_hash(&map->p, key, len));
    return q;
}

static uint32_t
order(const cw_map *map, const struct query *q, uint32_t *out, uint32_t n)
{
    struct cwi_walk w;

    w.map = map;
    w.out = out;
    w.len = 0;
    w.want = n < map->active ? n : map->active;
    w.by_zone = 0;
    if (map->p.algo->walk == cwi_points_walk && w.want <= SCAN_MAX) {
        w.len = cwi_points_few(map->state, q->at, out, w.want);
        if (w.len == w.want)
            return w.len;
        w.len = 0;          /* some node has no point: it comes last */
    }
    if (w.want)
        walk(map, q, &w);
    return w.len;
}

uint32_t
cw_map_order(const cw_map *map, const void *key, size_t len, uint32_t *out,
             uint32_t n)
{
    struct query q;

    if (map->active == 0)
        return 0;
    q = key_query(map, key, len);
    return order(map, &q, out, n);
}

uint32_t
cw_map_order_hash(const cw_map *map, uint64_t hash, uint32_t *out, uint32_t n)
{
    struct query q = { NULL, 0, 0 };

    if (map->active == 0 || !map->p.algo->walk)
        return 0;
    q.at = cwi_position(map, hash);
    return order(map, &q, out, n);
}

uint32_t
cw_map_order_position(const cw_map *map, uint64_t position, uint32_t *out,
                      uint32_t n)
{
    struct query q = { NULL, 0, position };

    if (map->active == 0 || position > map->top ||
        !(map->p.algo->traits & CW_TRAIT_ARCS))
        return 0;
    return order(map, &q, out, n);
}

/*
 * First one node a zone, then the rest: two walks, of which most fleets need
 * only the first. The zones that have an active node bound the first one, so
 * that it does not look for a zone that is not there.
 */
uint32_t
cw_map_replicas(const cw_map *map, const void *key, size_t len, uint32_t *out,
                uint32_t r)
{
    struct cwi_walk w;
    struct query q;

    if (map->active == 0 || r == 0)
        return 0;
    q = key_query(map, key, len);
    w.map = map;
    w.out = out;
    w.len = 0;
    w.want = r < map->zones ? r : map->zones;
    w.by_zone = 1;
    walk(map, &q, &w);
    w.want = r < map->active ? r : map->active;
    w.by_zone = 0;
    if (w.len < w.want)
        walk(map, &q, &w);
    return w.len;
}
