/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_ring.c - plan and build of every ring-shaped compat row, from the
 * few facts in which they differ (struct cwi_compat_ring).
 */
#include "core/compat.h"
#include "core/points.h"

enum { LABEL_EXTRA = 32 };      /* what a label adds to the node's own text */

static const struct cwi_compat_ring *
facts(const struct cwi_algo_ops *self)
{
    /* algo is the first member, so a row's algorithm is the row. */
    return ((const struct cwi_compat_ops *)self)->ring;
}

size_t
cwi_decimal(uint64_t i, uint8_t *out)
{
    uint8_t digits[20];
    size_t n = 0;

    do {
        digits[n++] = (uint8_t)('0' + i % 10);
        i /= 10;
    } while (i);
    for (size_t k = 0; k < n; k++)
        out[k] = digits[n - 1 - k];
    return n;
}

/* Labels of a node: the row's rule, or num[0] points per unit of weight. */
static uint64_t
labels(const struct cwi_compat_ring *ring, const struct cwi_placement *p,
       const struct cwi_nodes *nodes, uint32_t node)
{
    if (ring->labels)
        return ring->labels(p, nodes, node);
    return cwi_weight_points(nodes->v[node].weight,
                             (p->num[0] + ring->per_label - 1) /
                                 ring->per_label);
}

cw_status
cwi_compat_ring_plan(const struct cwi_algo_ops *self,
                     const struct cwi_nodes *nodes,
                     const struct cwi_placement *p, struct cwi_plan *out,
                     cw_error *err)
{
    const struct cwi_compat_ring *ring = facts(self);
    uint64_t sum = 0, most = 0;
    uint32_t largest = 0;
    size_t longest = 0;
    cw_status st = CW_OK;

    if (!(self->traits & CW_TRAIT_WEIGHTED))
        st = cwi_equal_weights(self, nodes, err);
    if (st != CW_OK)
        return st;
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint64_t n = labels(ring, p, nodes, i) * ring->per_label;

        if (n > most) {
            most = n;
            largest = i;
        }
        if (nodes->v[i].label_len > longest)
            longest = nodes->v[i].label_len;
        sum += n;
    }
    if (sum > CWI_POINTS_MAX || sum == 0)
        return cwi_fail(err, CW_ELIMIT,
                        "%u points: \"%s\" holds 1 to %u; node %n has the "
                        "most, %u", sum, self->name, CWI_POINTS_MAX,
                        nodes->v[largest].name,
                        (size_t)nodes->v[largest].name_len, most);
    out->top = ring->top;
    st = cwi_points_plan(sum, nodes->n, out);
    if (st != CW_OK)
        return cwi_fail(err, st, "%u points do not fit the address space",
                        sum);
    out->scratch += longest + LABEL_EXTRA;
    return CW_OK;
}

/* The points of one node into out; returns how many. */
static uint64_t
node_points(const struct cwi_compat_ring *ring, const struct cwi_nodes *nodes,
            uint32_t node, const struct cwi_placement *p, uint8_t *text,
            struct cwi_point *out)
{
    uint64_t n = labels(ring, p, nodes, node);
    struct cwi_label l = { nodes->v[node].label, nodes->v[node].label_len, 0 };
    uint64_t at[8];

    for (; l.i < n; l.i++) {
        ring->points(p, &l, text, at);
        for (unsigned k = 0; k < ring->per_label; k++) {
            out->at = at[k];
            out->node = node;
            out++;
        }
    }
    return n * ring->per_label;
}

void
cwi_compat_ring_build(const struct cwi_algo_ops *self, void *state,
                      void *scratch, const struct cwi_nodes *nodes,
                      const struct cwi_placement *p)
{
    const struct cwi_compat_ring *ring = facts(self);
    struct cwi_point *raw = cwi_points_raw(scratch);
    struct cwi_plan plan;
    uint64_t sum = 0, done = 0;
    uint8_t *text;

    for (uint32_t i = 0; i < nodes->n; i++)
        sum += labels(ring, p, nodes, i) * ring->per_label;
    cwi_points_plan(sum, nodes->n, &plan);
    text = (uint8_t *)scratch + plan.scratch;   /* behind the points' part */
    for (uint32_t k = 0; k < nodes->n; k++) {
        uint32_t i = ring->tie == CWI_TIE_LAST ? nodes->n - 1 - k : k;

        done += node_points(ring, nodes, i, p, text, raw + done);
    }
    cwi_points_build(state, scratch, sum, nodes->n, ring->top);
}
