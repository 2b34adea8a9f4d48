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

static uint32_t
owner_at(const cw_map *map, uint64_t at)
{
    uint32_t node;

    if (map->p.pins && cwi_pins_position(map, at, &node, 1))
        return node;
    return map->p.algo->find(map->state, at);
}

uint32_t
cwi_pick_hash(const void *in, uint64_t hash)
{
    const cw_map *map = in;

    if (map->active == 0 || !map->p.algo->find)
        return CW_NONE;
    return owner_at(map, cwi_position(map, hash));
}

uint32_t
cwi_pick_key(const cw_map *map, const void *key, size_t len)
{
    uint32_t node;

    if (map->active == 0)
        return CW_NONE;
    if (map->p.pins && cwi_pins_text(map, key, len, &node, 1))
        return node;
    if (map->p.algo->owner_key)
        return map->p.algo->owner_key(map->state, key, len);
    return cw_map_pick_hash(map, cwi_key_hash(&map->p, key, len));
}

_Static_assert(offsetof(struct cw_map, ways) == 0,
               "a map begins as the header's inline functions read it");

/* For callers that do not compile what the header has of these. */
extern inline uint32_t cw_map_pick(const cw_map *map, const void *key,
                                   size_t len);
extern inline uint32_t cw_map_pick_hash(const cw_map *map, uint64_t hash);
extern inline cw_status cw_map_owner(const cw_map *map, const void *key,
                                     size_t len, uint32_t *out);
extern inline cw_status cw_map_owner_hash(const cw_map *map, uint64_t hash,
                                          uint32_t *out);

cw_status
cw_map_owner_position(const cw_map *map, uint64_t position, uint32_t *out)
{
    if (!(map->p.algo->traits & CW_TRAIT_ARCS))
        return CW_ENOTSUP;
    if (map->active == 0)
        return CW_EEMPTY;
    if (position > map->top)
        return CW_EINVAL;
    *out = owner_at(map, position);
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

/* How a list is asked for: by key, hash or position; and the nodes that it
 * is pinned to. */
struct query {
    const void *key;
    size_t      len;
    uint64_t    at;
    uint32_t    pinned_count;
    uint32_t    pinned[CW_PIN_NODES];
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
    for (uint32_t i = 0; i < q->pinned_count; i++) {
        if (cwi_walk_visit(w, q->pinned[i]))
            return;
    }
    if (row->walk_key)
        row->walk_key(map->state, q->key, q->len, w);
    else
        row->walk(map->state, q->at, w);
    if (w->len < w->want)
        walk_rest(map, w);
}

static void
pin_query(const cw_map *map, struct query *q)
{
    if (map->p.pins && q->pinned_count == 0)
        q->pinned_count = cwi_pins_position(map, q->at, q->pinned,
                                            CW_PIN_NODES);
}

static void
key_query(const cw_map *map, const void *key, size_t len, struct query *q)
{
    q->key = key;
    q->len = len;
    q->at = 0;
    q->pinned_count = 0;
    if (map->p.pins)
        q->pinned_count = cwi_pins_text(map, key, len, q->pinned,
                                        CW_PIN_NODES);
    if (map->p.algo->walk_key)
        return;
    q->at = cwi_position(map, cwi_key_hash(&map->p, key, len));
    pin_query(map, q);
}

/* Nodes that the list may have: the active ones, and pinned ones that are
 * not. */
static uint32_t
reach(const cw_map *map, const struct query *q)
{
    uint32_t n = map->active;

    for (uint32_t i = 0; i < q->pinned_count; i++)
        n += map->nodes[q->pinned[i]].weight == 0;
    return n;
}

/* The same of zones. */
static uint32_t
reach_zones(const cw_map *map, const struct query *q)
{
    uint32_t n = map->zones, i, k;

    for (i = 0; i < q->pinned_count; i++) {
        uint32_t zone = map->nodes[q->pinned[i]].zone_id;

        for (k = 0; k < i && map->nodes[q->pinned[k]].zone_id != zone; k++)
            ;
        n += k == i && !map->nodes[zone].zone_active;
    }
    return n;
}

/* Short lists of a ring without pins; 0: a node without a point comes last,
 * or it is no such list. */
static inline uint32_t
short_list(const cw_map *map, uint64_t at, uint32_t *out, uint32_t n)
{
    n = n < map->active ? n : map->active;
    if (map->p.algo->walk != cwi_points_walk || map->p.pins || n > SCAN_MAX ||
        cwi_points_few(map->state, at, out, n) < n)
        return 0;
    return n;
}

static uint32_t
order(const cw_map *map, const struct query *q, uint32_t *out, uint32_t n)
{
    uint32_t most = reach(map, q);
    struct cwi_walk w;

    w.map = map;
    w.out = out;
    w.len = 0;
    w.want = n < most ? n : most;
    w.by_zone = 0;
    if (w.want)
        walk(map, q, &w);
    return w.len;
}

uint32_t
cw_map_order(const cw_map *map, const void *key, size_t len, uint32_t *out,
             uint32_t n)
{
    struct query q;
    uint32_t count;

    if (n == 3 && map->three)
        return map->three(map, cwi_key_hash(&map->p, key, len), out);
    if (map->active == 0)
        return 0;
    key_query(map, key, len, &q);
    count = short_list(map, q.at, out, n);
    return count ? count : order(map, &q, out, n);
}

uint32_t
cwi_order_at(const cw_map *map, uint64_t at, uint32_t *out, uint32_t n)
{
    uint32_t count = short_list(map, at, out, n);
    struct query q;

    if (count)
        return count;
    q.key = NULL;
    q.len = 0;
    q.at = at;
    q.pinned_count = 0;
    pin_query(map, &q);
    return order(map, &q, out, n);
}

uint32_t
cw_map_order_hash(const cw_map *map, uint64_t hash, uint32_t *out, uint32_t n)
{
    if (n == 3 && map->three)
        return map->three(map, hash, out);
    if (map->active == 0 || !map->p.algo->walk)
        return 0;
    return cwi_order_at(map, cwi_position(map, hash), out, n);
}

uint32_t
cw_map_order_position(const cw_map *map, uint64_t position, uint32_t *out,
                      uint32_t n)
{
    if (map->active == 0 || position > map->top ||
        !(map->p.algo->traits & CW_TRAIT_ARCS))
        return 0;
    return cwi_order_at(map, position, out, n);
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
    uint32_t zones, most;

    if (map->active == 0 || r == 0)
        return 0;
    key_query(map, key, len, &q);
    zones = reach_zones(map, &q);
    most = reach(map, &q);
    w.map = map;
    w.out = out;
    w.len = 0;
    w.want = r < zones ? r : zones;
    w.by_zone = 1;
    walk(map, &q, &w);
    w.want = r < most ? r : most;
    w.by_zone = 0;
    if (w.len < w.want)
        walk(map, &q, &w);
    return w.len;
}
