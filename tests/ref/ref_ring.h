/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref_ring.h - the ring placement once more, written to be read.
 *
 * No sorting, no searching, no tables: every question is answered by looking
 * at every point. The rules are those of docs/formats/ring.md and nothing is
 * taken from lib/ but the description of the nodes; hash functions are its
 * own or those of the official xxhash.h.
 */
#ifndef CW_TEST_REF_RING_H
#define CW_TEST_REF_RING_H

#include "harness.h"

__extension__ typedef unsigned __int128 ref_u128;

struct ref_point {
    uint64_t at;
    uint32_t node;
};

struct ref_node {
    char    *name, *label, *zone;
    size_t   name_len, label_len, zone_len;
    uint64_t weight;
};

struct ref_ring {
    struct ref_node  *nodes;    /* in the order of the fleet's list         */
    uint32_t          node_count;
    struct ref_point *points;   /* in no order                              */
    size_t            point_count;
    uint64_t          top;      /* largest position                         */
    const char       *hash;
};

/*
 * The ring of a fleet. hash: "xxh3" (the default rule), "xxh64", "fnv1a_64",
 * "fnv1a_32". points: of a node of weight 1. top: 0 for the hash's own range.
 */
struct ref_ring *ref_ring_new(const cw_fleet *fleet, const char *hash,
                              uint64_t points, uint64_t top);
void ref_ring_free(struct ref_ring *ring);

/* Hash of a key; the ring must have the hash's own range to use it as a
 * position. */
uint64_t ref_hash(const char *hash, const void *data, size_t len);

/* Number (in list order) of the owner of a position; CW_NONE: empty. */
uint32_t ref_owner(const struct ref_ring *ring, uint64_t position);

/* All nodes with points in order of preference, into out; how many. */
uint32_t ref_order(const struct ref_ring *ring, uint64_t position,
                   uint32_t *out);

/* The first r of them in distinct zones while there are any, then the rest.
 * out has room for all nodes. */
uint32_t ref_replicas(const struct ref_ring *ring, uint64_t position,
                      uint32_t *out, uint32_t r);

/* Positions that each node owns, into num[node_count]. */
void ref_shares(const struct ref_ring *ring, ref_u128 *num);

/* Positions whose owner differs between two rings of one size, found by
 * asking both at every boundary of either. A node is the same by its name,
 * else by its label. */
ref_u128 ref_moved(const struct ref_ring *a, const struct ref_ring *b);

/* Positions that move from a node of a to a node of b. */
ref_u128 ref_flow(const struct ref_ring *a, uint32_t from,
                  const struct ref_ring *b, uint32_t to);

#endif
