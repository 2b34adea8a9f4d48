/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat.h - placements of deployed programs: the plug-in interface of
 * lib/compat.
 *
 * A compat row is a struct cwi_compat_ops: an algorithm (algo.h) and, for
 * ring-shaped programs, the few facts in which they differ. Its file defines
 * `const struct cwi_compat_ops cwi_compat_NAME`; its line in compat_rows.h is
 * ROW(NAME). The name a user writes has '-' where NAME has '_'.
 */
#ifndef CWI_COMPAT_H
#define CWI_COMPAT_H

#include "core/algo.h"

/* What becomes points: label text number i of a node. */
struct cwi_label {
    const uint8_t *node;        /* the node's label                         */
    size_t         node_len;
    uint64_t       i;           /* 0 .. labels - 1                          */
    uint32_t       index;       /* the node's number                        */
};

/*
 * How a program finds the point of a hash. The library always takes the
 * first point at or after a position; the build puts each point where that
 * gives the program's answer.
 */
enum cwi_search {
    CWI_AT_OR_AFTER,    /* first point >= hash, wrapping to the first       */
    CWI_AFTER,          /* first point > hash, wrapping to the first        */
    CWI_AT_OR_BEFORE,   /* last point <= hash, wrapping to the last         */
    CWI_NEAREST,        /* the nearer of the points around the hash, the
                           one before it when both are as near              */
    CWI_NO_WRAP         /* first point >= hash, the last one when none is   */
};

struct cwi_compat_ring {
    /*
     * Points of label number l->i: writes `per_label` positions to out.
     * scratch has room for the label, 2 * node_len + 64 bytes, and keeps what
     * it holds from one label of a node to the next.
     */
    void     (*points)(const struct cwi_placement *p,
                       const struct cwi_label *l, uint8_t *scratch,
                       uint64_t *out);

    /*
     * In place of points: the points are the first per_label little-endian
     * words (1..4) of the MD5 of this text and, behind it, the label's number
     * in decimal; many are hashed at once. Writes the text of a node, the
     * same for each number, to out, 2 * node_len + 40 bytes, and returns its
     * length.
     */
    size_t   (*md5_head)(const struct cwi_placement *p,
                         const struct cwi_label *l, uint8_t *out);
    unsigned per_label;         /* points taken from one label, 1..8        */

    /* How many labels a node has; NULL: option `points` (num[0]) / per_label,
     * rounded up, times the weight, rounded, at least one. */
    uint64_t (*labels)(const struct cwi_placement *p,
                       const struct cwi_nodes *nodes, uint32_t node);

    uint64_t        top;        /* largest position                         */
    enum cwi_tie    tie;
    enum cwi_search search;
    cwi_node_before *before;    /* the program sorts its servers first; NULL:
                                   it takes them as listed                  */

    int             by_place;   /* points() reads the label's index         */

    /* Largest position when it depends on options; NULL: `top`. */
    uint64_t (*top_of)(const struct cwi_placement *p);
};

struct cwi_compat_ops {
    struct cwi_algo_ops           algo;     /* first: a row is an algorithm */
    const struct cwi_compat_ring *ring;     /* NULL: the row chooses, or has
                                               its own plan and build       */

    /* The ring to build, when it depends on options or nodes. */
    const struct cwi_compat_ring *(*choose)(const struct cwi_placement *p,
                                            const struct cwi_nodes *nodes);
};

/* plan and build of every ring-shaped row; its find, walk, arc, count and
 * check are those of points.h. Explicit positions of a node (for rows with
 * CW_TRAIT_POSITIONS) take the place of its labels. */
cw_status cwi_compat_ring_plan(const struct cwi_algo_ops *self,
                               const struct cwi_nodes *nodes,
                               const struct cwi_placement *p,
                               struct cwi_plan *out, cw_error *err);
void cwi_compat_ring_build(const struct cwi_algo_ops *self, void *state,
                           void *scratch, const struct cwi_nodes *nodes,
                           const struct cwi_placement *p);
extern const struct cwi_patch cwi_compat_ring_patch;

/*
 * The end of a build, for rows that make their raw points themselves: sort
 * the n points in scratch (cwi_points_raw()) for that search rule; those of
 * CWI_AFTER are where they are looked up already.
 */
void cwi_compat_ring_sort(enum cwi_search search, void *state, void *scratch,
                          uint64_t n, uint32_t nodes, uint64_t top);

/* cwi_points_count() for rows whose points were moved by their search rule,
 * so that nobody lists them as the program's own. */
void cwi_compat_moved_count(const void *state, uint64_t *per_node);

/* The same members in every ring-shaped row. */
#define CWI_COMPAT_RING_OPS                     \
    .build = cwi_compat_ring_build,             \
    .patch = CWI_UNLESS_PAGE(&cwi_compat_ring_patch), \
    .find  = cwi_points_find,                   \
    .walk  = cwi_points_walk,                   \
    .arc   = cwi_points_arc,                    \
    .count = cwi_points_count,                  \
    .check = CWI_UNLESS_PAGE(cwi_points_check)

/* The same for a search rule other than CWI_AT_OR_AFTER. */
#define CWI_COMPAT_MOVED_OPS                    \
    .build = cwi_compat_ring_build,             \
    .patch = CWI_UNLESS_PAGE(&cwi_compat_ring_patch), \
    .find  = cwi_points_find,                   \
    .walk  = cwi_points_walk,                   \
    .arc   = cwi_points_arc,                    \
    .count = cwi_compat_moved_count,            \
    .check = CWI_UNLESS_PAGE(cwi_points_check)

unsigned cwi_compat_count(void);
const struct cwi_algo_ops *cwi_compat_at(unsigned i);
const struct cwi_algo_ops *cwi_compat_find(const char *name, size_t len);

/* Why a known program has no row; NULL for any other name. */
const char *cwi_compat_refused(const char *name);

/* Write i in decimal at out (no NUL); returns the number of digits, <= 20. */
size_t cwi_decimal(uint64_t i, uint8_t *out);

/* hash_keys of rows whose key hash is the first little-endian word of its
 * MD5. */
void cwi_compat_md5_keys(const struct cwi_placement *p, const cw_key *keys,
                         size_t n, uint64_t *out);

#endif
