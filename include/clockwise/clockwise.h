/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clockwise.h - place keys on nodes so that few keys move when nodes change.
 *
 * The short way
 *
 *     cw_fleet *fleet = cw_fleet_new(NULL);
 *     cw_fleet_add(fleet, "cache-a", 7, CW_WEIGHT_ONE, NULL);
 *     cw_fleet_owner(fleet, key, key_len, &node);
 *     cw_fleet_remove(fleet, "cache-a", 7, NULL);
 *     cw_fleet_free(fleet);
 *
 * Life of the objects
 *
 *     cw_fleet      --+
 *     (one thread,    +--cw_map_build()-->  cw_map  --cw_map_unref()--> gone
 *     changes)        |                     (any thread, never changes)
 *     cw_placement  --+
 *
 * On one cw_fleet or cw_placement: one thread at a time. On one cw_map, "-"
 * means the two calls may run at once and "X" that the caller must rule it
 * out ("lookup" stands for every call that takes a const cw_map):
 *
 *                        lookup   ref   unref   last unref
 *         lookup            -      -      -         X
 *         ref               -      -      -         X
 *         unref             -      -      -         X
 *
 * The library starts no threads, reads no clock, opens no files, prints
 * nothing and keeps no global state. Memory comes only from the cw_allocator
 * given to the object; look-ups never allocate.
 *
 * Bytes: names, labels, addresses, zones and keys are bytes with a length;
 * they may hold NUL and are never shortened. Strings that the library gives
 * back are followed by a NUL that the length does not count.
 *
 * Promise: the same nodes, weights, labels and options give every key the
 * same owner on every processor, compiler and release of one major version.
 */
#ifndef CLOCKWISE_H
#define CLOCKWISE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define CW_API __attribute__((visibility("default")))
#else
#define CW_API
#endif

/* Calls that are compiled where they stand; the library has them, too. They
 * go by pointers to functions of the library, which clang's CFI does not know
 * when it builds a program alone. `inline` is no word of C89. */
#if defined(__clang__)
#define CW_API_JUMPS CW_API __attribute__((no_sanitize("cfi-icall")))
#else
#define CW_API_JUMPS CW_API
#endif
#if defined(__GNUC_GNU_INLINE__) && !defined(__cplusplus)
#define CW_API_INLINE CW_API_JUMPS extern __inline__
#else
#define CW_API_INLINE CW_API_JUMPS inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CW_VERSION_MAJOR 0
#define CW_VERSION_MINOR 1
#define CW_VERSION_PATCH 0

/* ---- status and errors ------------------------------------------------- */

/* Values never change; new ones are appended. */
typedef enum cw_status {
    CW_OK       =  0,
    CW_ENOMEM   = -1,   /* the allocator returned NULL                    */
    CW_EINVAL   = -2,   /* an argument breaks a rule of its description   */
    CW_EEXIST   = -3,   /* a node of that name is already present         */
    CW_ENOENT   = -4,   /* there is no node, option or row of that name   */
    CW_EEMPTY   = -5,   /* no node has a weight above 0: no key has owner */
    CW_ELIMIT   = -6,   /* more points or nodes than the placement holds  */
    CW_ENOTSUP  = -7,   /* this placement cannot answer that question     */
    CW_ECORRUPT = -8,   /* bytes or a map break a rule of their format    */
    CW_EBUSY    = -9    /* a reader of a live map still uses its other copy */
} cw_status;

/*
 * What went wrong, for a person: what, what was expected, names quoted.
 * Every call with a `cw_error *` accepts NULL. On success it is not touched.
 * text is one line, UTF-8, NUL-terminated, at most 247 bytes.
 */
typedef struct cw_error {
    cw_status status;
    char      text[248];
} cw_error;

/* "no memory", "already present", ...: one constant text a status. */
CW_API const char *cw_status_text(cw_status status);

/* "0.1.0": the library that runs, which need not be the header's. */
CW_API const char *cw_version(void);

/* ---- memory ------------------------------------------------------------ */

/*
 * Where an object takes its memory. alloc returns size bytes aligned as
 * malloc does, or NULL; free gives one back (never NULL). Copied into each
 * object; `context` must outlive them. A NULL cw_allocator means malloc and
 * free of the C library.
 */
typedef struct cw_allocator {
    void *(*alloc)(void *context, size_t size);
    void  (*free)(void *context, void *memory);
    void  *context;
} cw_allocator;

/* ---- nodes ------------------------------------------------------------- */

#define CW_NAME_MAX     65535u
#define CW_NONE         UINT32_MAX              /* no node                  */
#define CW_WEIGHT_ONE   UINT64_C(1000000)       /* weight 1, in millionths  */
#define CW_WEIGHT_MAX   UINT64_C(1000000000000) /* weight 1,000,000         */

typedef enum cw_state {
    CW_UP    = 0,
    CW_DOWN  = 1,       /* known to fail: its keys keep their owner         */
    CW_DRAIN = 2        /* leaving: takes no new work, still answers        */
} cw_state;             /* a state changes no owner, share or fingerprint   */

/*
 * A node as seen from outside. All pointers are borrowed from the fleet or
 * map that filled it in: from a map they live as long as the map, from a
 * fleet until its next change.
 */
typedef struct cw_node {
    const char *name;       /* who it is: 1..CW_NAME_MAX bytes              */
    size_t      name_len;
    const char *label;      /* the bytes that decide its points; its name,
                               unless set or kept by a rename               */
    size_t      label_len;
    const char *address;    /* where it is; never decides placement         */
    size_t      address_len;    /* 0: none given                            */
    const char *zone;
    size_t      zone_len;       /* 0: a zone of its own                     */
    uint64_t    weight;     /* millionths, 0..CW_WEIGHT_MAX                 */
    cw_state    state;
    uint32_t    positions;  /* explicit positions it has; 0: computed ones  */
} cw_node;

/*
 * Read a weight: decimal digits with at most six after the point, from 0 to
 * 1,000,000 ("2", "0.5", "1000000"). No sign, exponent, blank or locale.
 *
 * Returns CW_OK and the weight in millionths, or CW_EINVAL (text in err) and
 * leaves *out alone.
 */
CW_API cw_status cw_weight_parse(const char *text, size_t len, uint64_t *out,
                                 cw_error *err);

/* The same for a number; it must be the double nearest to such a decimal:
 * NaN, infinities, negatives and further digits are CW_EINVAL. */
CW_API cw_status cw_weight_from_double(double weight, uint64_t *out,
                                       cw_error *err);

/* ---- fleet: the set of nodes ------------------------------------------- */

typedef struct cw_fleet cw_fleet;

/* An empty fleet; NULL when there is no memory. allocator may be NULL. */
CW_API cw_fleet *cw_fleet_new(const cw_allocator *allocator);

/* fleet may be NULL. Maps built from it live on. */
CW_API void cw_fleet_free(cw_fleet *fleet);

/* A copy that can be changed on its own, to ask "what if"; NULL: no memory. */
CW_API cw_fleet *cw_fleet_copy(const cw_fleet *fleet);

/*
 * Add a node at the end of the list.
 *
 * name    bytes that identify the node on every host; copied. Two hosts
 *         agree on placement only when they use the same names.
 * len     length of name in bytes, 1..CW_NAME_MAX
 * weight  millionths, 0..CW_WEIGHT_MAX: the share of the key space relative
 *         to the other nodes; 0 keeps the node known but gives it no keys
 *
 * Returns CW_OK; CW_EINVAL for a len or weight out of range; CW_EEXIST;
 * CW_ENOMEM. After an error the fleet is exactly as it was before the call;
 * this holds for every call on a fleet.
 *
 * Cost     amortised O(len).
 * Threads  one thread at a time per fleet.
 * Since    0.1
 */
CW_API cw_status cw_fleet_add(cw_fleet *fleet, const void *name, size_t len,
                              uint64_t weight, cw_error *err);

/* Remove a node; CW_ENOENT names it. The order of the others stays.
 * Cost O(N) pointers. */
CW_API cw_status cw_fleet_remove(cw_fleet *fleet, const void *name, size_t len,
                                 cw_error *err);

/* Change the weight; CW_ENOENT, CW_EINVAL as above. */
CW_API cw_status cw_fleet_set_weight(cw_fleet *fleet, const void *name,
                                     size_t len, uint64_t weight,
                                     cw_error *err);

/* Change the address; moves no key. address_len 0 takes it away. */
CW_API cw_status cw_fleet_set_address(cw_fleet *fleet, const void *name,
                                      size_t len, const void *address,
                                      size_t address_len, cw_error *err);

/* Change the zone: replica sets follow, owners stay. zone_len 0: none. */
CW_API cw_status cw_fleet_set_zone(cw_fleet *fleet, const void *name,
                                   size_t len, const void *zone,
                                   size_t zone_len, cw_error *err);

/* Change the state; changes no placement. */
CW_API cw_status cw_fleet_set_state(cw_fleet *fleet, const void *name,
                                    size_t len, cw_state state, cw_error *err);

/* Give the bytes that decide the node's points, in place of its name;
 * label_len 0 makes it the name again. 1..CW_NAME_MAX bytes. */
CW_API cw_status cw_fleet_set_label(cw_fleet *fleet, const void *name,
                                    size_t len, const void *label,
                                    size_t label_len, cw_error *err);

/*
 * Give a node a new name. Its label stays, so it keeps its points and no key
 * moves: the way to replace a machine. (To let the points follow the new
 * name, call cw_fleet_set_label(..., NULL, 0) afterwards.)
 *
 * CW_ENOENT, CW_EEXIST, CW_EINVAL, CW_ENOMEM.
 */
CW_API cw_status cw_fleet_rename(cw_fleet *fleet, const void *name, size_t len,
                                 const void *new_name, size_t new_len,
                                 cw_error *err);

/*
 * Put the node at these positions instead of computed ones, for algorithms
 * with the trait CW_TRAIT_POSITIONS. count 0 goes back to computed ones.
 * positions are copied; they are checked against the ring's size when a map
 * is built.
 */
CW_API cw_status cw_fleet_set_positions(cw_fleet *fleet, const void *name,
                                        size_t len, const uint64_t *positions,
                                        uint32_t count, cw_error *err);

/* Number of nodes, whatever their weight. */
CW_API uint32_t cw_fleet_count(const cw_fleet *fleet);

/* Node number i in list order, 0 <= i < cw_fleet_count(). */
CW_API void cw_fleet_node(const cw_fleet *fleet, uint32_t i, cw_node *out);

/* The explicit positions of node i (borrowed); NULL when it has none. */
CW_API const uint64_t *cw_fleet_positions(const cw_fleet *fleet, uint32_t i);

/* Fill in the node of that name; CW_ENOENT. Cost O(len). */
CW_API cw_status cw_fleet_find(const cw_fleet *fleet, const void *name,
                               size_t len, cw_node *out);

/*
 * The owner of a key under the default placement (algorithm "ring", hash
 * "xxh3", 160 points per unit of weight).
 *
 * Builds a map at the first call after a change and keeps it. For another
 * placement, or several threads, build a map yourself: cw_map_build().
 *
 * out  borrowed strings, valid until the fleet's next change
 *
 * Returns CW_OK, CW_EEMPTY, or what cw_map_build() returns.
 *
 * Cost  as cw_map_owner(); after a change as cw_map_build().
 */
CW_API cw_status cw_fleet_owner(cw_fleet *fleet, const void *key, size_t len,
                                cw_node *out);

/* ---- placement: algorithm, hash, options ------------------------------- */

/* What a row of the algorithm or compat table promises. */
typedef enum cw_trait {
    CW_TRAIT_ORDER_FREE = 1 << 0,   /* the order of the list never matters  */
    CW_TRAIT_MINIMAL    = 1 << 1,   /* a change moves only keys that the
                                       changed node gains or loses          */
    CW_TRAIT_RESTORES   = 1 << 2,   /* a node removed and added again gets
                                       just its former keys back            */
    CW_TRAIT_WEIGHTED   = 1 << 3,   /* weights other than equal ones count  */
    CW_TRAIT_ARCS       = 1 << 4,   /* stretches of positions have one owner:
                                       shares and movement are exact        */
    CW_TRAIT_POSITIONS  = 1 << 5,   /* nodes may have explicit positions    */
    CW_TRAIT_BALANCED   = 1 << 6,   /* shares meet the weights within a bound
                                       that the row states                  */
    CW_TRAIT_WHOLE      = 1 << 7    /* weights are whole numbers            */
} cw_trait;

typedef struct cw_placement cw_placement;

/* "ring" with its defaults; NULL when there is no memory. */
CW_API cw_placement *cw_placement_new(const cw_allocator *allocator);
CW_API void cw_placement_free(cw_placement *placement);

/*
 * Set an option by its name, as a fleet file does:
 *
 *     cw_placement_set(p, "algorithm", "rendezvous", &err);
 *     cw_placement_set(p, "compat", "ketama160", &err);
 *     cw_placement_set(p, "hash", "fnv1a_64", &err);
 *     cw_placement_set(p, "points", "100", &err);
 *
 * "algorithm" and "compat" choose the row and put every other option back to
 * the row's default, so they come first. cw_row_option() lists what a row
 * takes.
 *
 * Returns CW_OK; CW_ENOENT for an unknown option or name, with the known and
 * the nearest one in err; CW_ENOTSUP for a program that is known to be
 * defective, which err explains; CW_EINVAL for a value out of range; CW_ENOMEM.
 * After an error the placement is as it was.
 */
CW_API cw_status cw_placement_set(cw_placement *placement, const char *option,
                                  const char *value, cw_error *err);

typedef enum cw_table {
    CW_TABLE_ALGORITHMS = 0,
    CW_TABLE_COMPAT     = 1,
    CW_TABLE_HASHES     = 2
} cw_table;

/* A row of a table; all strings are constants. */
typedef struct cw_row {
    const char *name;
    const char *summary;    /* one line                                     */
    const char *source;     /* paper, RFC or program                        */
    unsigned    traits;     /* of enum cw_trait; 0 for a hash               */
    unsigned    bits;       /* of a hash: values are below 2^bits; else 0   */
    unsigned    keyed;      /* of a hash: 1 when it needs `hash-key`        */
    unsigned    options;    /* how many options it takes                    */
} cw_row;

/* An option of a row. */
typedef struct cw_row_option {
    const char *name;
    const char *summary;
    const char *expected;   /* "a whole number", "a hash", "one two three"  */
    const char *fallback;   /* its default, as one would write it; "" none  */
    uint64_t    min, max;   /* of a whole number, or of a text's bytes; 0, 0
                               of all else                                  */
} cw_row_option;

/* Row number i of a table, in the table's order; CW_ENOENT past the end. */
CW_API cw_status cw_table_row(cw_table table, unsigned i, cw_row *out);

/* Option number j of row i; CW_ENOENT past the end. */
CW_API cw_status cw_table_row_option(cw_table table, unsigned i, unsigned j,
                                     cw_row_option *out);

/* ---- map: where every key is ------------------------------------------- */

typedef struct cw_map cw_map;

/*
 * Build a map of the fleet as it stands now.
 *
 * placement  NULL for the default one
 * out        receives a map with one reference; untouched on error
 *
 * Returns CW_OK, also for an empty fleet: its look-ups return CW_EEMPTY.
 * CW_EINVAL when the fleet breaks a rule of the placement (unequal weights
 * where the row has no weights, a position outside the ring, two nodes that
 * it cannot tell apart); CW_ELIMIT for more than 2^31 points, naming the
 * node with the most; CW_ENOMEM.
 *
 * Nodes are numbered 0 .. cw_map_count() - 1: in byte order of their labels,
 * then names, for a row with CW_TRAIT_ORDER_FREE, else in list order.
 *
 * Cost     "ring": O(P) time for P points, 19 bytes a point kept and 20 more
 *          while building; the names are copied. One block of memory.
 * Threads  the fleet and placement must not change during the call.
 */
CW_API cw_status cw_map_build(const cw_fleet *fleet,
                              const cw_placement *placement, cw_map **out,
                              cw_error *err);

/* One reference more; returns map. */
CW_API cw_map *cw_map_ref(cw_map *map);

/* One reference less; the last one frees. map may be NULL. */
CW_API void cw_map_unref(cw_map *map);

/* Number of nodes in the map, those of weight 0 included. */
CW_API uint32_t cw_map_count(const cw_map *map);

/* Node number i, 0 <= i < cw_map_count(). Strings live as long as map. */
CW_API void cw_map_node(const cw_map *map, uint32_t i, cw_node *out);

/* Number of the node of that name, CW_NONE when there is none.
 * Cost O(log N) name comparisons. */
CW_API uint32_t cw_map_find(const cw_map *map, const void *name, size_t len);

/* The row it was built with, and its name ("ring", "ketama160"). */
CW_API void cw_map_row(const cw_map *map, cw_row *out);

/*
 * The hash that the placement gives a key, and the position that a hash has
 * on the ring. CW_ENOTSUP for a row that works on the key's bytes alone.
 */
CW_API cw_status cw_map_hash(const cw_map *map, const void *key, size_t len,
                             uint64_t *out);
CW_API uint64_t cw_map_position(const cw_map *map, uint64_t hash);

/* Largest position: the ring's size - 1. */
CW_API uint64_t cw_map_top(const cw_map *map);

/* The look-ups of a map, chosen for its placement and this processor: how it
 * begins, in all releases of one major version. For the calls below, which
 * reach the library's code by one jump. */
struct cw_map_ways {
    const void *in;
    uint32_t  (*hash)(const void *in, uint64_t hash);
    uint32_t  (*key)(const cw_map *map, const void *key, size_t len);
};

#ifdef __cplusplus
#define CW_MAP_WAYS(map) reinterpret_cast<const struct cw_map_ways *>(map)
#else
#define CW_MAP_WAYS(map) ((const struct cw_map_ways *)(const void *)(map))
#endif

/*
 * The number of the node that owns a key, or CW_NONE when no node has a
 * weight above 0. Cannot fail otherwise: it never allocates, never blocks and
 * never calls back.
 *
 * key, len  the key's bytes; no terminator needed; len 0 is a valid key
 *
 * Cost     one hash of the key (len bytes read once) and then one cache
 *          line for "ring" (O(log P) when its P points crowd), O(log N) for
 *          "jump", O(N) for "rendezvous", O(1) for "modulo", with N nodes.
 * Threads  any number of threads on one map.
 */
CW_API_INLINE uint32_t
cw_map_pick(const cw_map *map, const void *key, size_t len)
{
    return CW_MAP_WAYS(map)->key(map, key, len);
}

/* The same for a hash that cw_map_hash() gives, or any other 64-bit hash of
 * the caller's. CW_NONE, too, for a row that works on the key's bytes
 * alone. */
CW_API_INLINE uint32_t
cw_map_pick_hash(const cw_map *map, uint64_t hash)
{
    const struct cw_map_ways *ways = CW_MAP_WAYS(map);

    return ways->hash(ways->in, hash);
}

/*
 * The same with a reason: CW_OK and the node's number in *out, or CW_EEMPTY,
 * or for a hash CW_ENOTSUP, when *out is left untouched. Costs no more.
 */
CW_API_INLINE cw_status
cw_map_owner(const cw_map *map, const void *key, size_t len, uint32_t *out)
{
    uint32_t node = cw_map_pick(map, key, len);

    if (node == CW_NONE)
        return CW_EEMPTY;
    *out = node;
    return CW_OK;
}

CW_API_INLINE cw_status
cw_map_owner_hash(const cw_map *map, uint64_t hash, uint32_t *out)
{
    uint32_t node = cw_map_pick_hash(map, hash);

    if (node == CW_NONE)
        return cw_map_pick(map, "", 0) == CW_NONE ? CW_EEMPTY : CW_ENOTSUP;
    *out = node;
    return CW_OK;
}

/* The same for a position, 0..cw_map_top(); CW_EINVAL above,
 * CW_ENOTSUP for a row without CW_TRAIT_ARCS. */
CW_API cw_status cw_map_owner_position(const cw_map *map, uint64_t position,
                                       uint32_t *out);

typedef struct cw_key {
    const void *data;
    size_t      len;
} cw_key;

/* Owners of n keys or hashes into out[0..n-1]; equal to n single calls. */
CW_API cw_status cw_map_owner_many(const cw_map *map, const cw_key *keys,
                                   size_t n, uint32_t *out);
CW_API cw_status cw_map_owner_hash_many(const cw_map *map,
                                        const uint64_t *hashes, size_t n,
                                        uint32_t *out);

/*
 * The preference list of a key: nodes in order, owner first, no repeats,
 * nodes of weight 0 never.
 *
 * out, n  room for n node numbers
 *
 * Returns how many were written: n, or all nodes when there are fewer; 0 for
 * an empty map. Never allocates.
 *
 * Cost  "ring": the points walked; "rendezvous": O(N) a 64 nodes. Up to 8 KiB
 *       of stack.
 */
CW_API uint32_t cw_map_order(const cw_map *map, const void *key, size_t len,
                             uint32_t *out, uint32_t n);
CW_API uint32_t cw_map_order_hash(const cw_map *map, uint64_t hash,
                                  uint32_t *out, uint32_t n);
CW_API uint32_t cw_map_order_position(const cw_map *map, uint64_t position,
                                      uint32_t *out, uint32_t n);

/*
 * The replica set of a key: r distinct nodes, in distinct zones while there
 * are any, then the rest, both in the order of the preference list. A node
 * without a zone is a zone of its own. The first one is the owner.
 *
 * Returns how many were written, as cw_map_order().
 */
CW_API uint32_t cw_map_replicas(const cw_map *map, const void *key, size_t len,
                                uint32_t *out, uint32_t r);

/*
 * Hash of all that decides placement: row, hash, options, and each node's
 * name, label, weight, zone and explicit positions; the list order only for
 * rows without CW_TRAIT_ORDER_FREE. Addresses and states are left out, and
 * nodes of weight 0 where they change nothing. Equal fingerprints on two
 * machines mean equal owners and replica sets.
 *
 * Cost O(1): computed at build.
 */
CW_API uint64_t cw_map_fingerprint(const cw_map *map);

/* Prove every invariant of the map: CW_OK, or CW_ECORRUPT with the broken
 * rule in err. For tests and for maps read from outside. Cost O(map). */
CW_API cw_status cw_map_check(const cw_map *map, cw_error *err);

/* Bytes of the map's one block; number of points, in all and of node i
 * (0 for a row without points). */
CW_API size_t cw_map_bytes(const cw_map *map);
CW_API uint64_t cw_map_points(const cw_map *map);
CW_API uint64_t cw_map_node_points(const cw_map *map, uint32_t i);

/*
 * The map of a changed fleet, made from an older map: what cw_map_build()
 * gives for that fleet and the placement of `old`, byte for byte, but the
 * points of nodes that are the same in both (name, label, positions, number
 * of points) are taken over instead of computed and sorted again.
 *
 * Returns and errors as cw_map_build(). `old` stays as it is.
 *
 * Cost     rings: one pass over the points of both maps, and what the changed
 *          nodes cost to build. As cw_map_build() where more than half of the
 *          points change, as they may when each node has a share of the total
 *          weight; where a program's search moves a point with its
 *          neighbours (dalli, haproxy-consistent, varnish-shard, some options
 *          of custom-ring); and in rows that are no rings.
 * Threads  the fleet must not change during the call.
 */
CW_API cw_status cw_map_derive(const cw_map *old, const cw_fleet *fleet,
                               cw_map **out, cw_error *err);

/* ---- image: a map as bytes --------------------------------------------- */

/*
 * The image of a map: placement, options and nodes in the map's order, a
 * fingerprint and a checksum; docs/formats/image.md. The same on every
 * machine, and equal for equal maps. It holds no tables: loading computes
 * them, so an image is small and outlives their layout.
 */

/* Bytes of the image. Cost O(N). */
CW_API size_t cw_map_image_size(const cw_map *map);

/*
 * Write the image to out, which has room for size bytes.
 *
 * Returns CW_OK, or CW_ELIMIT when size is not cw_map_image_size().
 */
CW_API cw_status cw_map_save(const cw_map *map, void *out, size_t size,
                             cw_error *err);

/*
 * Build the map of an image of len bytes; any alignment.
 *
 * allocator  NULL for malloc and free
 * out        receives a map with one reference; untouched on error
 *
 * Returns CW_OK; CW_ECORRUPT for bytes that are not exactly what
 * cw_map_save() writes; CW_ENOTSUP for an image of another version, or of a
 * row, hash or option that this library has not got; CW_ENOMEM; and what
 * cw_map_build() returns.
 */
CW_API cw_status cw_map_load(const void *image, size_t len,
                             const cw_allocator *allocator, cw_map **out,
                             cw_error *err);

/* ---- shares and movement ----------------------------------------------- */

/* A number of positions: hi * 2^64 + lo. A whole ring may have 2^64. */
typedef struct cw_u128 {
    uint64_t hi;
    uint64_t lo;
} cw_u128;

typedef enum cw_basis {
    CW_EXACT       = 0,     /* counted                                      */
    CW_INDEPENDENT = 1,     /* expectation: the two maps hash keys with
                               different functions                          */
    CW_SAMPLED     = 2,     /* over a stated number of hashes or keys       */
    CW_EXPECTED    = 3      /* what the weights say: nothing to count       */
} cw_basis;

/* How even shares are, weights taken into account: of share / fair share
 * over the nodes with a weight above 0. All 0 for an empty map. */
typedef struct cw_balance {
    double max_avg;         /* the busiest node: peak-to-average            */
    double min_avg;         /* the idlest                                   */
    double cv;              /* standard deviation / mean                    */
} cw_balance;

typedef struct cw_shares {
    uint32_t       count;   /* nodes of the map                             */
    cw_basis       basis;   /* CW_EXACT or CW_EXPECTED                      */
    cw_u128        size;    /* number of positions                          */
    const cw_u128 *num;     /* positions each node owns; they sum to size   */
    const double  *part;    /* num / size                                   */
    const double  *fair;    /* weight / sum of weights                      */
    cw_balance     balance;
} cw_shares;

/*
 * The share of every node, over the key hash's real range.
 *
 * Returns CW_OK and an object of the caller's, to be freed with
 * cw_shares_free(); CW_ENOMEM. A row whose shares cannot be counted (it has
 * neither arcs nor a rule of its own: "rendezvous", "jump", ...) gives
 * CW_EXPECTED with num rounded so that it still sums to size.
 *
 * Cost  O(arcs).
 */
CW_API cw_status cw_shares_new(const cw_map *map, cw_shares **out);
CW_API void cw_shares_free(cw_shares *shares);

/* Keys that go from one node to another. Numbers are those of cw_diff.nodes.
 * from or to is CW_NONE where the old or the new map is empty. */
typedef struct cw_flow {
    uint32_t from;
    uint32_t to;
    cw_u128  num;           /* positions; hashes when sampled; 0 when
                               independent                                  */
    double   part;          /* share of all keys                            */
} cw_flow;

/* A node of either map, matched by name, else by label: renamed. */
typedef struct cw_diff_node {
    cw_node  node;          /* as in the new map, else as in the old        */
    uint32_t old_index;     /* number in the old map, or CW_NONE            */
    uint32_t new_index;
    double   old_share;     /* 0 where absent                               */
    double   new_share;
    double   old_fair;
    double   new_fair;
    double   gave;          /* share of all keys that leaves it             */
    double   took;          /* share of all keys that comes to it           */
    uint32_t receivers;     /* nodes that take what it gives                */
    double   largest;       /* largest such part, of what it gives; 0..1    */
} cw_diff_node;

typedef struct cw_diff {
    cw_basis  basis;
    uint64_t  samples;      /* hashes looked up when CW_SAMPLED, else 0     */
    cw_u128   size;         /* positions, or samples                        */
    cw_u128   moved_num;    /* moved positions or samples; 0 if independent */
    double    moved;        /* share of the keys whose owner changes        */
    double    ideal;        /* 1/2 sum |fair share new - fair share old|    */
    double    excess_churn; /* share that moves although the change neither
                               took from the old owner (removed, weight
                               lowered) nor gave to the new one (added,
                               weight raised)                               */
    uint32_t  node_count;
    uint32_t  flow_count;
    const cw_diff_node *nodes;  /* those of the old map in its order, then
                                   the ones that are new                    */
    const cw_flow      *flows;  /* largest first                            */
} cw_diff;

/*
 * What moves when the old map is replaced by the new one. Nodes are the same
 * when their names are; of the others, when their labels are: such a node was
 * renamed and has kept its points, so its keys do not move.
 *
 * Maps with the same key hash and arcs are compared exactly; with the same
 * key hash otherwise over 2^20 evenly mixed hashes (CW_SAMPLED, standard
 * error sqrt(moved (1 - moved) / samples)); with different key hashes
 * CW_INDEPENDENT: moved = 1 - sum of share_old * share_new.
 *
 * Returns CW_OK and an object to be freed with cw_diff_free(), which borrows
 * strings of both maps; CW_ENOMEM.
 *
 * Cost  O(arcs of both).
 */
CW_API cw_status cw_diff_new(const cw_map *old_map, const cw_map *new_map,
                             cw_diff **out);
CW_API void cw_diff_free(cw_diff *diff);

/* A stretch of positions with one old and one new owner. */
typedef struct cw_arc {
    uint64_t first;         /* both ends belong to it                       */
    uint64_t last;
    uint32_t from;          /* numbers in the old and the new map           */
    uint32_t to;
} cw_arc;

/*
 * Call back for every stretch whose owner changes, in rising order, longest
 * possible stretches (one that wraps comes in two parts). visit returns 0 to
 * go on; another value stops and is returned in *stopped (may be NULL).
 *
 * CW_ENOTSUP unless cw_diff_new() would be exact. Cost O(arcs of both).
 */
CW_API cw_status cw_diff_arcs(const cw_map *old_map, const cw_map *new_map,
                              int (*visit)(void *context, const cw_arc *arc),
                              void *context, int *stopped);

/* Call back for every arc of one map (from == to == its owner), as above. */
CW_API cw_status cw_map_arcs(const cw_map *map,
                             int (*visit)(void *context, const cw_arc *arc),
                             void *context, int *stopped);

/*
 * Call back for everything in the map's placement that hurts this fleet:
 * points in proportion to a total, a hash too narrow for its ring, nodes
 * known by their place in the list. what and remedy are each one line
 * without a full stop, valid during the call. visit returns 0 to go on.
 *
 * Returns CW_OK, whether or not there was anything; CW_ENOMEM.
 * Cost O(nodes).
 * Since 0.1
 */
CW_API cw_status cw_map_quirks(const cw_map *map,
                               int (*visit)(void *context, const char *what,
                                            const char *remedy),
                               void *context);

/*
 * Call back for every point in rising order of position; of points at one
 * place the first one owns it. A node's points are its virtual nodes.
 *
 * CW_ENOTSUP for a row that keeps no points in the open. Cost O(points).
 */
CW_API cw_status cw_map_each_point(const cw_map *map,
                                   int (*visit)(void *context,
                                                uint64_t position,
                                                uint32_t node),
                                   void *context, int *stopped);

#ifdef __cplusplus
}
#endif

#endif
