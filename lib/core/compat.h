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
};

struct cwi_compat_ring {
    /*
     * Points of label number l->i: writes `per_label` positions to out.
     * scratch has room for the label: node_len + 32 bytes.
     */
    void     (*points)(const struct cwi_placement *p,
                       const struct cwi_label *l, uint8_t *scratch,
                       uint64_t *out);
    unsigned per_label;         /* points taken from one label, 1..8        */

    /* How many labels a node has; NULL: option `points` / per_label times
     * the weight, rounded, at least one. */
    uint64_t (*labels)(const struct cwi_placement *p,
                       const struct cwi_nodes *nodes, uint32_t node);

    uint64_t top;               /* largest position                         */
    enum {
        CWI_TIE_FIRST,          /* the node listed first wins equal points
                                   (first by name in ORDER_FREE rows)       */
        CWI_TIE_LAST
    } tie;
};

struct cwi_compat_ops {
    struct cwi_algo_ops           algo;     /* first: a row is an algorithm */
    const struct cwi_compat_ring *ring;     /* NULL: the row has its own
                                               plan and build               */
};

/* plan and build of every ring-shaped row; its find, walk, arc, count and
 * check are those of points.h. */
cw_status cwi_compat_ring_plan(const struct cwi_algo_ops *self,
                               const struct cwi_nodes *nodes,
                               const struct cwi_placement *p,
                               struct cwi_plan *out, cw_error *err);
void cwi_compat_ring_build(const struct cwi_algo_ops *self, void *state,
                           void *scratch, const struct cwi_nodes *nodes,
                           const struct cwi_placement *p);

unsigned cwi_compat_count(void);
const struct cwi_algo_ops *cwi_compat_at(unsigned i);
const struct cwi_algo_ops *cwi_compat_find(const char *name, size_t len);

/* Write i in decimal at out (no NUL); returns the number of digits, <= 20. */
size_t cwi_decimal(uint64_t i, uint8_t *out);

#endif
