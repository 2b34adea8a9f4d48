/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_build.c - points in any order into the line table.
 *
 * A counting sort by bucket, then the few points of each bucket are put in
 * order by counting which are smaller: no comparison sort, whose branches
 * cost several times as much. Every step keeps the given order of equal
 * positions.
 */
#include "core/points_table.h"

#include <string.h>

/* Points a bucket in the mean, at the least. 7 of 15 and 4 of 9 slots: a
 * Poisson number is above in 0.3 and 1 % of the buckets. */
#define MEAN_NARROW 7u
#define MEAN_WIDE   4u

/*
 * Buckets for n points: five significant bits, so that a fleet that grows a
 * little keeps its buckets and a live map can be changed in place.
 */
static uint64_t
buckets_for(uint64_t n, uint32_t nodes)
{
    uint64_t b = n / (nodes > CWI_NARROW_NODES ? MEAN_WIDE : MEAN_NARROW);
    unsigned shift = 0;

    while (b >> shift >= 64)
        shift++;
    b = b >> shift << shift;
    return b ? b : 1;
}

/* Owners that fit the spill array; past it the table is plain. */
static uint64_t
spill_room(const struct cwi_table *t)
{
    return t->spare_at ? (uint64_t)t->blocks * CWI_SPILL_BLOCK : t->total / 3;
}

static uint64_t
align64(uint64_t size)
{
    return (size + 63u) & ~UINT64_C(63);
}

static uint64_t
owner_size(uint32_t nodes)
{
    return nodes > CWI_NARROW_NODES ? 4 : 2;
}

/* Where the parts of a table of n points lie; returns its size. */
static uint64_t
layout(struct cwi_table *t, uint64_t n, uint32_t nodes)
{
    uint64_t buckets = buckets_for(n, nodes);

    t->start_at = sizeof(*t) + buckets * sizeof(struct cwi_line);
    t->cold_at = align64(t->start_at + (buckets + 1) * sizeof(uint32_t));
    t->cold_room = n;
    t->spill_at = t->cold_at + n * sizeof(uint64_t);
    return align64(t->spill_at + n / 3 * owner_size(nodes));
}

/*
 * The same with spare room: for the most points that have these buckets, a
 * 28th more, so that segments can differ, and a few nodes' on a small ring; a
 * block of the spill array for one line in 128, of which one in 300 needs it.
 */
static uint64_t
layout_spare(struct cwi_table *t, uint64_t n, uint32_t nodes)
{
    uint64_t buckets = buckets_for(n, nodes), next = buckets + 1, most;
    uint64_t mean = nodes > CWI_NARROW_NODES ? MEAN_WIDE : MEAN_NARROW;

    while (buckets_for(next * mean, nodes) == buckets)
        next++;
    most = next * mean;
    layout(t, n, nodes);
    t->segments = (uint32_t)((buckets + CWI_SEGMENT_LINES - 1) /
                             CWI_SEGMENT_LINES);
    t->cold_room = most + most / 28 + t->segments +
                   (n < 65536 ? 640 : 0);
    t->blocks = (uint32_t)(buckets / 128 + 8);
    t->spill_at = t->cold_at + t->cold_room * sizeof(uint64_t);
    t->spare_at = align64(t->spill_at + (uint64_t)t->blocks *
                                            CWI_SPILL_BLOCK *
                                            owner_size(nodes));
    return align64(t->spare_at + (t->segments + UINT64_C(1)) *
                                     sizeof(struct cwi_segment) +
                   (uint64_t)t->blocks * sizeof(uint32_t));
}

uint64_t
cwi_spare_size(uint64_t n, uint32_t nodes)
{
    struct cwi_table t;

    return layout_spare(&t, n, nodes);
}

void
cwi_spare_ask(void *state, uint32_t nodes)
{
    struct cwi_table *t = state;

    t->spare_at = 1;
    t->nodes = nodes;
}

/* A quarter more or fewer points a bucket than a new table would have cost
 * little: the room decides, and a change seldom means to build. */
int
cwi_spare_fits(const struct cwi_table *t, uint64_t n)
{
    uint64_t mean = t->mode == CWI_TABLE_WIDE ? MEAN_WIDE : MEAN_NARROW;
    uint64_t usual = t->buckets * mean;

    return n + t->segments <= t->cold_room && n <= usual + usual / 4 &&
           n >= usual - usual / 4;
}

/* Scratch: the raw points, then the owner of each point in the order of
 * buckets. */
cw_status
cwi_points_plan(uint64_t n, uint32_t nodes, struct cwi_plan *out)
{
    struct cwi_table t;
    uint64_t state, scratch;

    if (n > CWI_POINTS_MAX)
        return CW_ELIMIT;
    state = layout(&t, n, nodes);
    scratch = n * (sizeof(struct cwi_point) + sizeof(uint32_t));
    if (state > SIZE_MAX / 2 || scratch > SIZE_MAX / 2)
        return CW_ELIMIT;
    out->state = (size_t)state;
    out->scratch = (size_t)scratch;
    out->points = n;
    return CW_OK;
}

struct cwi_point *
cwi_points_raw(void *scratch)
{
    return scratch;
}

/* floor(buckets * 2^64 / (top + 1)), at most 2^64 - 1. */
static uint64_t
mult_for(uint64_t buckets, uint64_t top)
{
    cwi_u128 m = ((cwi_u128)buckets << 64) / ((cwi_u128)top + 1);

    return m > UINT64_MAX ? UINT64_MAX : (uint64_t)m;
}

void
cwi_table_begin(struct cwi_table *t, uint64_t n, uint32_t nodes, uint64_t top)
{
    uint64_t buckets;

    if (t->spare_at) {
        nodes = t->nodes;
        layout_spare(t, n, nodes);
    } else {
        layout(t, n, nodes);
    }
    buckets = buckets_for(n, nodes);
    /* A small ring: no more buckets than positions. */
    if (buckets > top)
        buckets = top ? top : 1;
    t->buckets = (uint32_t)buckets;
    t->mult = mult_for(buckets, top);
    t->top = top;
    t->total = n;
    t->nodes = nodes;
    t->isa = (uint8_t)cwi_isa_best();
    t->mode = nodes > CWI_NARROW_NODES ? CWI_TABLE_WIDE : CWI_TABLE_NARROW;
}

/* ---- order within a bucket --------------------------------------------- */

#define FEW 24u     /* points ordered by counting; n * n / 2 comparisons    */

static void
order_few(uint64_t *at, uint32_t *node, uint32_t n)
{
    uint64_t a[FEW];
    uint32_t o[FEW], rank[FEW], i, j;

    for (i = 0; i < n; i++) {
        uint32_t r = i;

        a[i] = at[i];
        o[i] = node[i];
        for (j = 0; j < i; j++) {
            uint32_t below = a[i] < a[j];

            rank[j] += below;
            r -= below;
        }
        rank[i] = r;
    }
    for (i = 0; i < n; i++) {
        at[rank[i]] = a[i];
        node[rank[i]] = o[i];
    }
}

/* Merge the halves [0, half) and [half, n) of `from` into `to`. */
static void
merge(const uint64_t *from, const uint32_t *node, uint32_t half, uint32_t n,
      uint64_t *to, uint32_t *to_node)
{
    uint32_t i = 0, j = half, k;

    for (k = 0; k < n; k++) {
        uint32_t take = j == n || (i < half && from[i] <= from[j]) ? i++ : j++;

        to[k] = from[take];
        to_node[k] = node[take];
    }
}

/* Crowded buckets: a merge sort by rising widths. room: n * 12 bytes. */
void
cwi_points_sort(uint64_t *at, uint32_t *node, uint32_t n, void *room)
{
    uint64_t *from = at, *to = room, *swap;
    uint32_t *from_node = node, *to_node = (uint32_t *)(to + n), *swap_node;
    uint32_t width, i, len, part;

    for (i = 0; i < n; i += len) {
        len = n - i < FEW ? n - i : FEW;
        order_few(at + i, node + i, len);
    }
    for (width = FEW; width < n; width *= 2) {
        for (i = 0; i < n; i += len) {
            len = n - i < 2 * width ? n - i : 2 * width;
            part = len < width ? len : width;
            merge(from + i, from_node + i, part, len, to + i, to_node + i);
        }
        swap = from, from = to, to = swap;
        swap_node = from_node, from_node = to_node, to_node = swap_node;
    }
    if (from != at) {
        memcpy(at, from, n * sizeof(*at));
        memcpy(node, from_node, n * sizeof(*node));
    }
}

/* ---- lines ------------------------------------------------------------- */

/* Places in the spill array of a bucket of n points. */
static uint32_t
spilled_by(const struct cwi_table *t, uint32_t n)
{
    return t->spare_at ? CWI_SPILL_BLOCK : n + 1;
}

static void
fill_narrow(struct cwi_table *t, struct cwi_line *line, const uint64_t *at,
            const uint32_t *node, uint32_t n)
{
    uint16_t *spill = cwi_table_part(t, t->spill_at);
    uint32_t i;

    if (n > CWI_LINE_SLOTS) {
        line->meta = line->frac[0] = CWI_META_SPILL;
        line->owner[0] = (uint16_t)n;
        line->owner[1] = (uint16_t)(n >> 16);
        line->owner[2] = (uint16_t)t->spilled;
        line->owner[3] = (uint16_t)(t->spilled >> 16);
        for (i = 0; i < n; i++)
            spill[t->spilled + i] = (uint16_t)node[i];
        t->spilled += spilled_by(t, n);
        return;
    }
    for (i = 0; i < CWI_LINE_SLOTS; i++)
        line->frac[i] = INT16_MAX;
    for (i = 0; i < n; i++) {
        cwi_locate(t, at[i], &line->frac[i]);
        line->owner[i] = (uint16_t)node[i];
    }
    line->meta = (int16_t)(INT16_MAX - (int32_t)n);
}

static void
fill_wide(struct cwi_table *t, struct cwi_line_wide *line, const uint64_t *at,
          const uint32_t *node, uint32_t n)
{
    uint32_t *spill = cwi_table_part(t, t->spill_at);
    uint32_t i;

    if (n > CWI_LINE_WIDE) {
        line->meta = line->frac[0] = CWI_META_SPILL;
        line->owner[0] = n;
        line->owner[1] = t->spilled;
        memcpy(spill + t->spilled, node, n * sizeof(*node));
        t->spilled += spilled_by(t, n);
        return;
    }
    for (i = 0; i < CWI_LINE_WIDE; i++)
        line->frac[i] = INT16_MAX;
    for (i = 0; i < n; i++) {
        cwi_locate(t, at[i], &line->frac[i]);
        line->owner[i] = node[i];
    }
    line->meta = (int16_t)(INT16_MAX - (int32_t)n);
}

/* The owner behind the last point of lines first .. last - 1. */
static void
set_successor(struct cwi_table *t, uint64_t first, uint64_t last,
              uint32_t node)
{
    for (; first < last; first++) {
        struct cwi_bucket b = cwi_bucket_get(t, first);

        if (b.narrow)
            ((uint16_t *)(uintptr_t)b.narrow)[b.count] = (uint16_t)node;
        else
            ((uint32_t *)(uintptr_t)b.wide)[b.count] = node;
    }
}

/* All lines, from points sorted by bucket and within it. */
static void
fill_lines(struct cwi_table *t, const uint32_t *node)
{
    const uint32_t *start = cwi_start(t);
    const uint64_t *cold = cwi_cold(t);
    uint64_t b, open = 0;       /* first line that waits for a successor    */

    for (b = 0; b < t->buckets; b++) {
        uint32_t i = start[b], n = start[b + 1] - i;

        if (n > 0) {
            set_successor(t, open, b, node[i]);
            open = b;
        }
        if (t->mode == CWI_TABLE_NARROW)
            fill_narrow(t, cwi_lines(t) + b, cold + i, node + i, n);
        else
            fill_wide(t, cwi_lines_wide(t) + b, cold + i, node + i, n);
    }
    set_successor(t, open, t->buckets, node[0]);
}

/* ---- from raw points --------------------------------------------------- */

/* From counts, let start[b] be the index of the bucket's first point. Plain
 * mode when the spill array could not hold the crowded. */
static void
sum_buckets(struct cwi_table *t)
{
    uint32_t *start = cwi_start(t), sum = 0;
    uint32_t slots = t->mode == CWI_TABLE_NARROW ? CWI_LINE_SLOTS
                                                 : CWI_LINE_WIDE;
    uint64_t b, spill = 0;

    for (b = 0; b < t->buckets; b++) {
        uint32_t n = start[b];

        if (n > slots)
            spill += spilled_by(t, n);
        if (n >= CWI_SPILL_BLOCK && t->spare_at)
            spill = UINT64_MAX / 2;     /* too crowded for a block */
        start[b] = sum;
        sum += n;
    }
    start[t->buckets] = sum;
    if (spill > spill_room(t))
        t->mode = CWI_TABLE_PLAIN;
}

/* Put the points into their buckets; start[b] becomes the end of bucket b,
 * and is put back by order_buckets(). */
static void
scatter(struct cwi_table *t, const struct cwi_point *raw, uint32_t *node)
{
    uint32_t *start = cwi_start(t);
    uint64_t *cold = cwi_cold(t);
    uint64_t i;
    int16_t f;

    for (i = 0; i < t->total; i++) {
        uint32_t to = start[cwi_locate(t, raw[i].at, &f)]++;

        cold[to] = raw[i].at;
        node[to] = raw[i].node;
    }
}

static void
order_buckets(struct cwi_table *t, uint32_t *node, void *room)
{
    uint32_t *start = cwi_start(t), from = 0;
    uint64_t *cold = cwi_cold(t);
    uint64_t b;

    for (b = 0; b < t->buckets; b++) {
        uint32_t end = start[b], n = end - from;

        if (n <= FEW)
            order_few(cold + from, node + from, n);
        else
            cwi_points_sort(cold + from, node + from, n, room);
        start[b] = from;
        from = end;
    }
}

/* Lines, or what stands for them. */
static void
finish(struct cwi_table *t, const uint32_t *node)
{
    if (t->mode == CWI_TABLE_PLAIN)
        memcpy(cwi_plain_owners(t), node,
               (size_t)t->total * sizeof(*node));
    else
        fill_lines(t, node);
    if (t->spare_at)
        cwi_spare_spread(t);
}

void
cwi_table_fill(struct cwi_table *t, const uint32_t *node)
{
    uint32_t *start = cwi_start(t);
    const uint64_t *cold = cwi_cold(t);
    uint64_t i;
    int16_t f;

    for (i = 0; i < t->total; i++)
        start[cwi_locate(t, cold[i], &f)]++;
    sum_buckets(t);
    finish(t, node);
}

void
cwi_points_build(void *state, void *scratch, uint64_t n, uint32_t nodes,
                 uint64_t top)
{
    struct cwi_table *t = state;
    struct cwi_point *raw = scratch;
    uint32_t *node = (uint32_t *)(raw + n), *start;
    uint64_t i;
    int16_t f;

    cwi_table_begin(t, n, nodes, top);
    start = cwi_start(t);
    for (i = 0; i < n; i++)
        start[cwi_locate(t, raw[i].at, &f)]++;
    sum_buckets(t);
    scatter(t, raw, node);
    order_buckets(t, node, raw);
    finish(t, node);
}
