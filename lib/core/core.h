/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h - types shared inside lib/core. Nothing else includes it.
 */
#ifndef CWI_CORE_H
#define CWI_CORE_H

#include <stdatomic.h>

#include "clockwise/clockwise_pins.h"
#include "core/algo.h"

/* ---- memory ------------------------------------------------------------ */

/* malloc and free of the C library. */
extern const cw_allocator cwi_allocator_libc;

/* `given`, or the C library's when it is NULL. */
cw_allocator cwi_allocator(const cw_allocator *given);

/* count * size bytes, zeroed; NULL on overflow or when there is none. */
void *cwi_alloc(const cw_allocator *a, size_t count, size_t size);

/* p may be NULL. */
void cwi_free(const cw_allocator *a, void *p);

/* Sums and products that saturate at SIZE_MAX, which no allocator grants. */
size_t cwi_size_add(size_t a, size_t b);
size_t cwi_size_mul(size_t a, size_t b);

/* ---- placement --------------------------------------------------------- */

struct cw_placement {
    cw_allocator         alloc;
    struct cwi_placement p;
};

/* The default placement. */
void cwi_placement_default(struct cwi_placement *p);

/* CW_OK when every option that has no default was given. */
cw_status cwi_placement_complete(const struct cwi_placement *p,
                                 cw_error *err);

/* Do both give every key the same hash? */
int cwi_same_key_hash(const struct cwi_placement *a,
                      const struct cwi_placement *b);

/* ---- pins --------------------------------------------------------------- */

/* One holder more; pins may be NULL. cw_pins_free() is one less. */
cw_pins *cwi_pins_ref(cw_pins *pins);

/*
 * Numbers of up to n pinned nodes into out, best first, by a pin of the key
 * or a prefix, or by one of a range; returns how many, 0: no pin holds. Only
 * for a map that has pins and an active node.
 */
uint32_t cwi_pins_text(const cw_map *map, const void *key, size_t len,
                       uint32_t *out, uint32_t n);
uint32_t cwi_pins_position(const cw_map *map, uint64_t at, uint32_t *out,
                           uint32_t n);

/* Are there pinned ranges? Number i of them in rising order, with its first
 * node that the map has, or CW_NONE; 0 past the end. */
int cwi_pins_ranges(const cw_map *map);
int cwi_pins_range(const cw_map *map, size_t i, uint64_t *first,
                   uint64_t *last, uint32_t *node);

/* Refuse ranges that a row or ring cannot have. */
cw_status cwi_pins_fit(const struct cwi_placement *p, uint64_t top,
                       cw_error *err);

/* A map's fingerprint and its pins, which may be NULL, in one. */
uint64_t cwi_pins_fingerprint(uint64_t h, const cw_pins *pins,
                              const cw_fleet *fleet);

/* NULL, or a broken rule. */
const char *cwi_pins_check(const cw_map *map);

/* ---- fleet ------------------------------------------------------------- */

/* Bytes of variable length that belong to a node, each NUL-terminated. */
struct cwi_text {
    char    *data;      /* NULL: none                                       */
    uint32_t len;
};

struct cwi_member {
    struct cwi_text name;
    struct cwi_text label;      /* none: the name                           */
    struct cwi_text address;
    struct cwi_text zone;
    uint64_t       *positions;
    uint32_t        position_count;
    uint64_t        weight;
    uint64_t        name_hash;
    uint32_t        number;     /* in the copies of a live map              */
    uint32_t        place;      /* in the list, when it was added; members
                                   that left since have moved it down       */
    cw_state        state;
};

struct cw_fleet {
    cw_allocator        alloc;
    struct cwi_member **list;       /* in order                             */
    uint32_t            count;
    uint32_t            room;
    struct cwi_member **index;      /* open addressing by name_hash, a power
                                       of two at most 2/3 full              */
    size_t              index_size;
    cw_map             *map;        /* of cw_fleet_owner(), or NULL         */
};

/* ---- map --------------------------------------------------------------- */

/* A node inside a map; texts are offsets into the map's block. */
struct cwi_map_node {
    size_t   name, label, address, zone;
    uint32_t name_len, label_len, address_len, zone_len;
    uint64_t weight;
    uint64_t points;
    uint32_t state;
    uint32_t zone_id;       /* equal for nodes of one zone; own number for a
                               node without one                             */
    uint32_t zone_active;   /* the zone that begins here has a weight       */
    uint32_t positions;     /* explicit ones, how many                      */
    size_t   positions_at;  /* offset of them                               */
    uint32_t by_name;       /* by_name[] of all nodes: numbers in the byte
                               order of names                               */
    uint32_t joined;        /* rises with the place in the fleet's list, but
                               in ORDER_FREE rows                           */
};

/*
 * One block: this, the nodes, their texts, and the state at a 64-byte
 * boundary. Everything behind the header is plain data without pointers.
 */
struct cw_map {
    /* First what a look-up reads: one cache line. cwi_lookup_choose() sets
     * the ways; ways.in is the state or, where there is more to ask, this
     * map; three() is cw_map_order_hash() for three nodes, or NULL. */
    struct cw_map_ways    ways;
    const void           *state;
    uint32_t            (*three)(const cw_map *map, uint64_t hash,
                                 uint32_t *out);
    cw_allocator         alloc;
    atomic_uint          refs;
    uint32_t             count;
    uint32_t             active;
    uint32_t             zones;     /* with an active node                  */
    uint64_t             total_weight;
    uint64_t             top;
    uint64_t             points;
    uint64_t             fingerprint;
    struct cwi_placement p;
    struct cwi_rule      rule;
    size_t               bytes;     /* of the block                         */
    const struct cwi_map_node *nodes;
    /* Of a copy inside a live map: places for nodes, and where the next
     * text goes and they end, as offsets; else 0. */
    uint32_t             room;
    uint32_t             joined;    /* of the next node                     */
    size_t               text_at;
    size_t               text_end;
};

/* cw_map_build() with room for more nodes and points. */
cw_status cwi_map_build_roomy(const cw_fleet *fleet,
                              const struct cwi_placement *p, cw_map **out,
                              cw_error *err);

/* -1, 0, 1 in a strict order of members with different names. */
typedef int cwi_member_order_fn(const struct cwi_member *a,
                                const struct cwi_member *b);
cwi_member_order_fn cwi_by_label_then_name;
cwi_member_order_fn cwi_by_name;

/*
 * v becomes the numbers 0 .. n - 1 of `members` in order; spare has room for
 * as many. A merge sort, as qsort() may take memory of its own; members
 * already in order cost n - 1 comparisons.
 */
void cwi_sort_members(uint32_t *v, uint32_t *spare, uint32_t n,
                      struct cwi_member *const *members,
                      cwi_member_order_fn *order);

/* The member of that name, or NULL. */
struct cwi_member *cwi_fleet_member(const cw_fleet *fleet, const void *name,
                                    size_t len);

/* Choose how the finished map is looked up in. */
void cwi_lookup_choose(struct cw_map *map);

/* The way that serves any map; `in` is the map. */
uint32_t cwi_pick_key(const cw_map *map, const void *key, size_t len);
uint32_t cwi_pick_hash(const void *in, uint64_t hash);

/* cw_map_order_position() for a row that has a walk and an active node. */
uint32_t cwi_order_at(const cw_map *map, uint64_t at, uint32_t *out,
                      uint32_t n);

static inline const char *
cwi_map_text(const struct cw_map *map, size_t offset)
{
    return (const char *)map + offset;
}

/* The position of a hash: itself, or the rest by the ring's size. */
static inline uint64_t
cwi_position(const struct cw_map *map, uint64_t hash)
{
    return hash <= map->top ? hash : hash % (map->top + 1);
}

static inline uint64_t
cwi_key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    return p->algo->hash_key ? p->algo->hash_key(p, key, len)
                             : p->hash->hash(key, len, &p->hash_key);
}

/* memcmp, then length. */
int cwi_bytes_order(const void *a, size_t a_len, const void *b, size_t b_len);

/* The explicit positions of node i, nodes[i].positions of them. */
static inline const uint64_t *
cwi_map_positions(const struct cw_map *map, uint32_t i)
{
    return (const uint64_t *)(const void *)
        cwi_map_text(map, map->nodes[i].positions_at);
}

/* A node of a fleet as a row sees it. */
void cwi_member_node(const struct cwi_member *m, struct cwi_node *out);

/* The nodes of a map as a row sees them; v has room for map->count. */
void cwi_map_nodes(const struct cw_map *map, struct cwi_node *v,
                   struct cwi_nodes *out);

/* new_to_old[j] of every node of the new map, CW_NONE for a new one; NULL
 * when there is no memory. The caller frees it with new_map's allocator. */
uint32_t *cwi_match(const struct cw_map *old_map, const struct cw_map *new_map);

/* Fair part of node i: weight / sum of weights; 0 for an empty map. */
double cwi_fair(const struct cw_map *map, uint32_t i);

/* n as a double, and n / size. */
double cwi_u128_double(cwi_u128 n);
cw_u128 cwi_u128_public(cwi_u128 n);

/*
 * The stretches of a map with one owner each, pins in them: start with the
 * map and zeroes, then from = 0, and each time the last one's `last` + 1.
 * An empty map is one stretch of nobody's. For rows with CW_TRAIT_ARCS.
 */
struct cwi_arcs {
    const cw_map *map;
    uint64_t      last;
    uint32_t      owner;
    int           pinned;
    /* The row's stretch, and the range met next. */
    uint64_t      cursor;
    uint64_t      row_last;
    uint32_t      row_owner;
    int           started;
    size_t        range;
};

void cwi_arcs_next(struct cwi_arcs *a, uint64_t from);

/* Exact by arcs: one key hash, one ring size, arcs on both sides. An empty
 * map is one arc of nobody's, whatever the ring. */
int cwi_comparable_arcs(const cw_map *a, const cw_map *b);

/* A stretch with one owner in each map; pinned in either. */
struct cwi_stretch {
    cw_arc arc;
    int    pinned;
};

/* Hand every stretch to visit, as long as can be (parts pinned and not are
 * apart), until it returns nonzero, which is returned. */
int cwi_both_arcs(const cw_map *old_map, const cw_map *new_map,
                  int (*visit)(void *context, const struct cwi_stretch *s),
                  void *context);

/* Size of the ring: top + 1. */
static inline cwi_u128
cwi_ring_size(const struct cw_map *map)
{
    return (cwi_u128)map->top + 1;
}

#endif
