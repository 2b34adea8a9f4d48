/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_npm_consistent_hash.c - npm consistent-hash with uniform or explicit
 * points. Rule and quirks: docs/formats/npm-consistent-hash.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

enum { RANGE, POINTS };         /* slots */

static const struct cwi_option options[] = {
    { "range", "size of the ring", CWI_OPT_UINT, RANGE, 2, 0x7fffffff,
      "100003", NULL },
    { "points", "controlPoints: points of a node", CWI_OPT_UINT, POINTS, 1,
      1000000, "40", NULL },
    CWI_OPTIONS_END
};

/* JavaScript's shift makes a signed 32-bit number, whose rest may be below
 * 0: then the first point owns it, as it owns position 0. */
static uint64_t
key_hash(const struct cwi_placement *p, const void *key, size_t len)
{
    uint32_t h = 0;
    size_t at = 0;

    while (at < len) {
        uint32_t c = cwi_utf8_next(key, len, &at), high;

        if (c > 0xffff) {
            h = (h << 4) + 0xd800 + ((c - 0x10000) >> 10);
            high = h & UINT32_C(0xff000000);
            h = (h & ~high) ^ high >> 24;
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        h = (h << 4) + c;
        high = h & UINT32_C(0xff000000);
        if (high != 0)
            h = (h & ~high) ^ high >> 24;
    }
    h <<= 5;
    return h & UINT32_C(0x80000000) ? 0 : h % p->num[RANGE];
}

static uint64_t
top(const struct cwi_placement *p)
{
    return p->num[RANGE] - 1;
}

/* Explicit positions, or all nodes in turn at even distances: the number of
 * nodes decides, so that the points are made here and not by label. */
static uint64_t
count_points(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight > 0)
            n += nodes->v[i].position_count ? nodes->v[i].position_count
                                            : p->num[POINTS];
    }
    return n;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_equal_weights(self, nodes, err);
    uint64_t n = count_points(p, nodes);

    for (uint32_t i = 0; i < nodes->n && st == CW_OK; i++) {
        for (uint32_t k = 0; k < nodes->v[i].position_count; k++) {
            if (nodes->v[i].positions[k] > top(p) && st == CW_OK)
                st = cwi_fail(err, CW_EINVAL, "node %n: position %u is "
                              "outside the range; expected 0 to %u",
                              nodes->v[i].name, (size_t)nodes->v[i].name_len,
                              nodes->v[i].positions[k], top(p));
        }
    }
    if (st == CW_OK && n > CWI_POINTS_MAX)
        st = cwi_fail(err, CW_ELIMIT, "%u points are more than the %u that a "
                      "ring holds", n, CWI_POINTS_MAX);
    if (st == CW_OK)
        st = cwi_points_plan(n, nodes->n, out);
    out->top = top(p);
    return st;
}

/* Of equal points the last node wins: it comes first here. */
static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct cwi_point *raw = cwi_points_raw(scratch);
    double step = (double)p->num[RANGE] /
                  (double)(nodes->active * p->num[POINTS]);
    uint32_t turn = nodes->active;

    (void)self;
    for (uint32_t i = nodes->n; i-- > 0;) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->weight == 0)
            continue;
        turn--;
        for (uint32_t k = 0; k < n->position_count; k++)
            *raw++ = (struct cwi_point){ n->positions[k], i };
        for (uint64_t k = 0; n->position_count == 0 && k < p->num[POINTS];
             k++) {
            double at = step * (double)turn + step / 2.0 +
                        step * (double)nodes->active * (double)k;

            *raw++ = (struct cwi_point){ (uint64_t)(at + 0.5), i };
        }
    }
    cwi_points_build(state, scratch, count_points(p, nodes), nodes->n, top(p));
}

static int
uniform(const struct cwi_placement *p, const struct cwi_nodes *nodes,
        uint64_t top)
{
    (void)p;
    (void)top;
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].position_count > 0)
            return 0;
    }
    return nodes->active > 1;
}

static const struct cwi_quirk quirk_uniform = {
    uniform,
    "uniform points depend on the number of nodes: one more or less moves "
    "most keys",
    "explicit points, or another placement"
};

static const struct cwi_quirk *const quirks[] = { &quirk_uniform, NULL };

const struct cwi_compat_ops cwi_compat_npm_consistent_hash = {
    .algo = {
        .name       = "npm-consistent-hash",
        .quirks     = quirks,
        .summary    = "uniform or explicit points on a ring of 100,003",
        .source     = "npm consistent-hash 1.2",
        .traits     = CW_TRAIT_ARCS | CW_TRAIT_POSITIONS,
        .options    = options,
        .plan       = plan,
        .build      = build,
        .hash_key   = key_hash,
        .hash_reads = 1u << RANGE,
        .find       = cwi_points_find,
        .walk       = cwi_points_walk,
        .arc        = cwi_points_arc,
        .count      = cwi_points_count,
        .check      = CWI_UNLESS_PAGE(cwi_points_check)
    }
};
