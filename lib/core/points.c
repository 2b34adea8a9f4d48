/* SPDX-License-Identifier: Apache-2.0 */
/* points.c - points on a ring in a sorted array, found by binary search. */
#include "core/points.h"

#include <string.h>

/* State: this, then positions, then nodes. */
struct points {
    uint64_t n;
    uint64_t top;
};

static const uint64_t *
positions(const void *state)
{
    return (const uint64_t *)((const struct points *)state + 1);
}

static const uint32_t *
owners(const void *state)
{
    const struct points *p = state;

    return (const uint32_t *)(positions(state) + p->n);
}

cw_status
cwi_points_plan(uint64_t n, uint32_t nodes, struct cwi_plan *out)
{
    (void)nodes;
    if (n > SIZE_MAX / (2 * sizeof(struct cwi_point)) - 1)
        return CW_ELIMIT;
    out->state = sizeof(struct points) + (size_t)n * 12;
    out->scratch = (size_t)n * 2 * sizeof(struct cwi_point);
    out->points = n;
    return CW_OK;
}

struct cwi_point *
cwi_points_raw(void *scratch)
{
    return scratch;
}

/* One pass of a radix sort by byte number `digit`; stable. Returns 0 when
 * all points agree in it, so that nothing was copied. */
static int
radix_pass(const struct cwi_point *from, struct cwi_point *to, size_t n,
           unsigned digit)
{
    size_t start[256] = { 0 };
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        start[(from[i].at >> 8 * digit) & 255]++;
    if (start[(from[0].at >> 8 * digit) & 255] == n)
        return 0;
    for (size_t d = 0; d < 256; d++) {
        size_t count = start[d];

        start[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[start[(from[i].at >> 8 * digit) & 255]++] = from[i];
    return 1;
}

void
cwi_points_build(void *state, void *scratch, uint64_t n, uint32_t nodes,
                 uint64_t top)
{
    struct points *p = state;
    struct cwi_point *a = scratch, *b = a + n;
    uint64_t *at = (uint64_t *)(p + 1);
    uint32_t *node = (uint32_t *)(at + n);

    (void)nodes;
    p->n = n;
    p->top = top;
    for (unsigned digit = 0; digit < 8; digit++) {
        if (radix_pass(a, b, (size_t)n, digit)) {
            struct cwi_point *swap = a;

            a = b;
            b = swap;
        }
    }
    for (size_t i = 0; i < n; i++) {
        at[i] = a[i].at;
        node[i] = a[i].node;
    }
}

/*
 * Number of the first point at or after `at`; n when there is none. Each
 * step selects one of two halves without a branch to guess.
 */
static size_t
lower_bound(const uint64_t *v, size_t n, uint64_t at)
{
    const uint64_t *base = v;

    while (n > 1) {
        size_t half = n / 2;

        base += base[half - 1] < at ? half : 0;
        n -= half;
    }
    return (size_t)(base - v) + (*base < at);
}

static size_t
successor(const void *state, uint64_t at)
{
    const struct points *p = state;
    size_t i = lower_bound(positions(state), (size_t)p->n, at);

    return i == p->n ? 0 : i;       /* past the last point the ring closes */
}

uint32_t
cwi_points_find(const void *state, uint64_t at)
{
    return owners(state)[successor(state, at)];
}

void
cwi_points_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct points *p = state;
    const uint32_t *node = owners(state);
    size_t i = successor(state, at);

    for (uint64_t left = p->n; left > 0; left--) {
        if (cwi_walk_visit(w, node[i]))
            return;
        if (++i == p->n)
            i = 0;
    }
}

void
cwi_points_arc(const void *state, uint64_t *cursor, uint64_t from,
               uint64_t *last, uint32_t *owner)
{
    const struct points *p = state;
    const uint64_t *at = positions(state);
    const uint32_t *node = owners(state);
    uint64_t i = *cursor;

    while (i < p->n && at[i] < from)
        i++;
    *cursor = i;
    *owner = node[i == p->n ? 0 : i];
    *last = i == p->n || at[i] > p->top ? p->top : at[i];
}

void
cwi_points_count(const void *state, uint64_t *per_node)
{
    const struct points *p = state;
    const uint32_t *node = owners(state);

    for (uint64_t i = 0; i < p->n; i++)
        per_node[node[i]]++;
}

const char *
cwi_points_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct points *p = state;
    const uint64_t *at = positions(state);
    const uint32_t *node = owners(state);

    if (p->n == 0)
        return "a ring has at least one point";
    for (uint64_t i = 0; i < p->n; i++) {
        if (i && at[i] < at[i - 1])
            return "points are sorted by position";
        if (node[i] >= nodes->n)
            return "every point's node exists";
        if (nodes->v[node[i]].weight == 0)
            return "a node of weight 0 has no point";
    }
    return NULL;
}

struct cwi_point
cwi_points_at(const void *state, uint64_t i)
{
    struct cwi_point point = { positions(state)[i], owners(state)[i] };

    return point;
}

uint64_t
cwi_points_total(const void *state)
{
    return ((const struct points *)state)->n;
}
