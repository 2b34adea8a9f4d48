/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_ring.c - consistent hashing on a ring with virtual nodes: a node's
 * points depend on its label and weight alone, so a change of one node moves
 * only keys that this node gains or loses. Rule and vectors:
 * docs/formats/ring.md.
 */
#include <string.h>

#include "core/points.h"

enum { POINTS, SIZE };          /* slots of num[] */

#define DEFAULT_SIZE "18446744073709551616"     /* 2^64 */

static const struct cwi_option options[] = {
    { "hash", "hash of the keys and of the points", CWI_OPT_HASH, 0, 0, 0,
      "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { "points", "points per unit of weight", CWI_OPT_UINT, POINTS, 1, 1000000,
      "160", NULL },
    { "size", "number of positions; 2^32 for a 32-bit hash", CWI_OPT_SIZE,
      SIZE, 2, 0, DEFAULT_SIZE, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)     /* 2^64 / golden ratio */

/* Largest position: as asked; unless asked, what the hash can reach. */
static uint64_t
ring_top(const struct cwi_placement *p)
{
    if (p->num[SIZE] == UINT64_MAX && p->hash->bits < 64)
        return (UINT64_C(1) << p->hash->bits) - 1;
    return p->num[SIZE];
}

/* Points by the splitmix sequence, or by another hash? */
static int
mixed(const struct cwi_placement *p)
{
    return strcmp(p->hash->name, "xxh3") == 0;
}

static uint64_t
node_points(const struct cwi_node *n, const struct cwi_placement *p)
{
    if (n->weight == 0)
        return 0;
    return n->position_count ? n->position_count
                             : cwi_weight_points(n->weight, p->num[POINTS]);
}

static cw_status
check_positions(const struct cwi_node *n, uint64_t top, cw_error *err)
{
    for (uint32_t k = 0; k < n->position_count; k++) {
        if (n->positions[k] > top)
            return cwi_fail(err, CW_EINVAL,
                            "node %n: position %u is outside the ring; "
                            "expected 0 to %u", n->name, (size_t)n->name_len,
                            n->positions[k], top);
    }
    return CW_OK;
}

static size_t
longest_label(const struct cwi_nodes *nodes)
{
    size_t longest = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].label_len > longest)
            longest = nodes->v[i].label_len;
    }
    return longest;
}

static cw_status
ring_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
          const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    uint64_t sum = 0, most = 0;
    const struct cwi_node *largest = NULL;
    cw_status st;

    (void)self;
    out->top = ring_top(p);
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint64_t n = node_points(&nodes->v[i], p);

        st = check_positions(&nodes->v[i], out->top, err);
        if (st != CW_OK)
            return st;
        if (n > most) {
            most = n;
            largest = &nodes->v[i];
        }
        sum = n > UINT64_MAX - sum ? UINT64_MAX : sum + n;
    }
    if (sum > CWI_POINTS_MAX)
        return cwi_fail(err, CW_ELIMIT,
                        "%u points are more than the %u that a ring holds; "
                        "node %n has the most, %u: lower `points` or the "
                        "weights", sum, CWI_POINTS_MAX, largest->name,
                        (size_t)largest->name_len, most);
    st = cwi_points_plan(sum, nodes->n, out);
    if (st != CW_OK)
        return cwi_fail(err, st, "%u points do not fit the address space",
                        sum);
    out->scratch += longest_label(nodes) + 9;
    return CW_OK;
}

/* Points of one node by the splitmix sequence that its label seeds. */
static void
points_mixed(const struct cwi_node *n, uint32_t node, uint64_t count,
             struct cwi_point *out)
{
    uint64_t x = cwi_xxh3(n->label, n->label_len);

    for (uint64_t i = 0; i < count; i++) {
        out[i].at = cwi_mix64(x += GOLDEN);
        out[i].node = node;
    }
}

/* Points by another hash, of: label, NUL, i as 8 bytes little-endian. */
static void
points_hashed(const struct cwi_node *n, uint32_t node, uint64_t count,
              const struct cwi_placement *p, uint8_t *text,
              struct cwi_point *out)
{
    memcpy(text, n->label, n->label_len);
    text[n->label_len] = 0;
    for (uint64_t i = 0; i < count; i++) {
        for (unsigned b = 0; b < 8; b++)
            text[n->label_len + 1 + b] = (uint8_t)(i >> 8 * b);
        out[i].at = p->hash->hash(text, (size_t)n->label_len + 9,
                                  &p->hash_key);
        out[i].node = node;
    }
}

/* The first `count` points of a node, number i. */
static void
put_points(const struct cwi_node *n, uint32_t i, uint64_t count,
           const struct cwi_placement *p, uint8_t *text,
           struct cwi_point *raw)
{
    uint64_t top = ring_top(p);

    if (n->position_count) {
        for (uint64_t k = 0; k < count; k++) {
            raw[k].at = n->positions[k];
            raw[k].node = i;
        }
    } else if (mixed(p)) {
        points_mixed(n, i, count, raw);
    } else {
        points_hashed(n, i, count, p, text, raw);
    }
    for (uint64_t k = 0; k < count && top != UINT64_MAX; k++)
        raw[k].at %= top + 1;
}

static void
ring_build(const struct cwi_algo_ops *self, void *state, void *scratch,
           const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct cwi_point *raw = cwi_points_raw(scratch);
    struct cwi_plan plan;
    uint64_t sum = 0, count;
    uint8_t *text;

    (void)self;
    for (uint32_t i = 0; i < nodes->n; i++)
        sum += node_points(&nodes->v[i], p);
    cwi_points_plan(sum, nodes->n, &plan);
    text = (uint8_t *)scratch + plan.scratch;   /* behind the points' part */
    for (uint32_t i = 0; i < nodes->n; i++) {
        count = node_points(&nodes->v[i], p);
        put_points(&nodes->v[i], i, count, p, text, raw);
        raw += count;
    }
    cwi_points_build(state, scratch, sum, nodes->n, ring_top(p));
}

static void
patch_rule(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           struct cwi_rule *out)
{
    (void)p;
    (void)nodes;
    *out = (struct cwi_rule){ options, CWI_TIE_FIRST, NULL, 0, 0 };
}

static void
patch_counts(const struct cwi_placement *p, const struct cwi_rule *rule,
             const struct cwi_nodes *nodes, uint64_t *out)
{
    (void)rule;
    for (uint32_t i = 0; i < nodes->n; i++)
        out[i] = node_points(&nodes->v[i], p);
}

static void
patch_points(const struct cwi_placement *p, const struct cwi_rule *rule,
             const struct cwi_node *node, uint32_t number, uint64_t n,
             uint8_t *text, struct cwi_point *out)
{
    (void)rule;
    put_points(node, number, n, p, text, out);
}

static const struct cwi_patch patch = {
    patch_rule, patch_counts, patch_points
};

const struct cwi_algo_ops cwi_algo_ring = {
    .name    = "ring",
    .summary = "points on a ring, a number per unit of weight",
    .source  = "Karger et al., Consistent Hashing and Random Trees, 1997",
    .traits  = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL | CW_TRAIT_RESTORES |
               CW_TRAIT_WEIGHTED | CW_TRAIT_ARCS | CW_TRAIT_POSITIONS,
    .options = options,
    .plan    = ring_plan,
    .build   = ring_build,
    .patch   = CWI_UNLESS_PAGE(&patch),
    .find    = cwi_points_find,
    .walk    = cwi_points_walk,
    .arc     = cwi_points_arc,
    .count   = cwi_points_count,
    .check   = CWI_UNLESS_PAGE(cwi_points_check)
};
