/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clockwise_live.h - a map that changes under running readers.
 *
 *     writer thread                       reader threads
 *
 *     cw_live_new(fleet, NULL, 8, &live, &err)
 *                                         cw_live_reader r;
 *                                         uint32_t node;
 *
 *                                         cw_live_join(live, &r);
 *     cw_live_add(live, "n", 1, w, &err)  cw_live_owner(&r, key, len, &node);
 *                                         ... some more look-ups ...
 *                                         cw_live_quiescent(&r);
 *     cw_live_settle(live)                ...
 *                                         cw_live_quiescent(&r);
 *     cw_live_remove(live, "m", 1, &err)  ...
 *                                         cw_live_leave(&r);
 *     cw_live_free(live)
 *
 * Readers take no lock, wait for nobody and write nothing that others read
 * but one word, and that only after a change. Between two calls of
 * cw_live_quiescent() a reader sees one and the same map; after each it sees
 * the newest. On a ring a change costs what the changed node's points cost,
 * however many nodes there are: two private copies of the map are patched in
 * turn, one while readers use the other. Other placements are built anew by
 * each change: those that are no rings, and of the programs' rings those
 * where one change is all nodes' (dalli, haproxy-consistent, varnish-shard,
 * grpc-ring-hash, jedis without names, and shares of the total weight that it
 * changes).
 *
 * Before the copy that readers have left is written again, each reader must
 * have said once that it is between look-ups (cw_live_quiescent) since the
 * last change or settling, or have left. Until then a change answers CW_EBUSY
 * and does nothing: try again later. The library waits for nothing itself.
 *
 * Threads: changes, cw_live_settle(), cw_live_snapshot() and cw_live_free()
 * from one thread at a time; each reader object from one thread at a time;
 * all of these at once. Reader objects are the caller's, one a thread; there
 * is no thread-local state. All readers leave before cw_live_free().
 */
#ifndef CLOCKWISE_LIVE_H
#define CLOCKWISE_LIVE_H

#include "clockwise/clockwise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cw_live cw_live;

/* A reading thread. The members are the library's. */
typedef struct cw_live_reader {
    const cw_map *map;
    cw_live      *live;
    void         *slot;
    uint64_t      epoch;
} cw_live_reader;

/*
 * A live map of the fleet as it stands now; the fleet is copied.
 *
 * placement  NULL for the default one
 * readers    most readers at a time, 1 to 65,536; 64 bytes each
 * out        untouched on error
 *
 * Returns CW_OK, CW_EINVAL for readers out of range, and what cw_map_build()
 * returns. Memory: two maps, each with some room to grow in; at 160 points a
 * node 38 bytes a point in all.
 */
CW_API cw_status cw_live_new(const cw_fleet *fleet,
                             const cw_placement *placement, uint32_t readers,
                             cw_live **out, cw_error *err);

/* live may be NULL. No reader may be left. */
CW_API void cw_live_free(cw_live *live);

/* ---- changes ----------------------------------------------------------- */

/*
 * Add a node, remove one, give it another weight or state; as the calls on a
 * fleet of these names. Readers see the change at their next quiescent point.
 *
 * Returns what the call on a fleet and cw_map_build() return, or CW_EBUSY,
 * as above. After an error nothing has changed.
 *
 * Cost  for "ring": the points of the node, written in both copies; for a node
 *       with a zone, and in a fleet with labels or pins, a look at every node
 *       as well.
 *       Now and then (when the points grow or shrink by a quarter, or a spare
 *       place runs out), and for other placements always: two builds.
 */
CW_API cw_status cw_live_add(cw_live *live, const void *name, size_t len,
                             uint64_t weight, cw_error *err);
CW_API cw_status cw_live_remove(cw_live *live, const void *name, size_t len,
                                cw_error *err);
CW_API cw_status cw_live_set_weight(cw_live *live, const void *name,
                                    size_t len, uint64_t weight,
                                    cw_error *err);
CW_API cw_status cw_live_set_state(cw_live *live, const void *name,
                                   size_t len, cw_state state, cw_error *err);

/* Exchange the whole fleet; it is copied. Cost: two builds. */
CW_API cw_status cw_live_replace(cw_live *live, const cw_fleet *fleet,
                                 cw_error *err);

/*
 * Bring the second copy up to date and free what no reader uses any more, so
 * that the next change has less to do. Readers go back to that copy, which
 * their caches still have: with 10,000 nodes and 1,000 changes a second, each
 * settled, a reader keeps nine tenths of its rate and more; without, five to
 * nine (bench/goals, G13). To be called when readers may have passed a
 * quiescent point since the change; they must pass another one before the
 * next.
 *
 * CW_OK, or CW_EBUSY, and nothing is done. Cost: as the change.
 */
CW_API cw_status cw_live_settle(cw_live *live);

/* The fleet as it stands after the last change (borrowed, until the next). */
CW_API const cw_fleet *cw_live_fleet(const cw_live *live);

/*
 * The map of that fleet, as cw_map_build() makes it: for shares, movement,
 * images and the fingerprint. Its owners are those that readers see.
 */
CW_API cw_status cw_live_snapshot(const cw_live *live, cw_map **out,
                                  cw_error *err);

/* Bytes of both copies and of what waits to be freed. */
CW_API size_t cw_live_bytes(const cw_live *live);

/* How many changes were patched in place, and how many were built. */
CW_API void cw_live_counts(const cw_live *live, uint64_t *patched,
                           uint64_t *built);

/* ---- readers ----------------------------------------------------------- */

/* Begin to read; CW_ELIMIT when as many readers as given are there. */
CW_API cw_status cw_live_join(cw_live *live, cw_live_reader *reader);

/* Cease to read. */
CW_API void cw_live_leave(cw_live_reader *reader);

/* Between look-ups: this reader keeps nothing of what it has read. To be
 * called often, every 64 look-ups, say; costs one load if nothing changed. */
CW_API void cw_live_quiescent(cw_live_reader *reader);

/*
 * As the calls on a map of these names. Numbers of nodes are those of this
 * moment: they are given in the order of joining, a node that leaves gives
 * its number to the last one, and they hold until the next quiescent point,
 * as what cw_live_node() fills in.
 */
CW_API_INLINE uint32_t
cw_live_pick(const cw_live_reader *reader, const void *key, size_t len)
{
    return cw_map_pick(reader->map, key, len);
}

CW_API_INLINE uint32_t
cw_live_pick_hash(const cw_live_reader *reader, uint64_t hash)
{
    return cw_map_pick_hash(reader->map, hash);
}

CW_API_INLINE cw_status
cw_live_owner(const cw_live_reader *reader, const void *key, size_t len,
              uint32_t *out)
{
    return cw_map_owner(reader->map, key, len, out);
}

CW_API_INLINE cw_status
cw_live_owner_hash(const cw_live_reader *reader, uint64_t hash, uint32_t *out)
{
    return cw_map_owner_hash(reader->map, hash, out);
}

CW_API cw_status cw_live_owner_many(const cw_live_reader *reader,
                                    const cw_key *keys, size_t n,
                                    uint32_t *out);
CW_API cw_status cw_live_owner_hash_many(const cw_live_reader *reader,
                                         const uint64_t *hashes, size_t n,
                                         uint32_t *out);
CW_API uint32_t cw_live_order(const cw_live_reader *reader, const void *key,
                              size_t len, uint32_t *out, uint32_t n);
CW_API uint32_t cw_live_replicas(const cw_live_reader *reader,
                                 const void *key, size_t len, uint32_t *out,
                                 uint32_t r);
CW_API uint32_t cw_live_count(const cw_live_reader *reader);
CW_API void cw_live_node(const cw_live_reader *reader, uint32_t i,
                         cw_node *out);

#ifdef __cplusplus
}
#endif

#endif
