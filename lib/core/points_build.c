/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_build.c - points in any order into the line table.
 *
 * A counting sort by bucket; then the few points of each bucket are put in
 * order by counting which are smaller (points_lines.c): no comparison sort,
 * whose branches cost several times as much. Every step keeps the given order
 * of equal positions.
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
 * 32nd more, so that segments can differ, and a few nodes' on a small ring; a
 * block of the spill array for one line in 128, of which one in 300 needs it;
 * for one in 64 where lines are wide, of which one in 100 does.
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
    t->cold_room = most + most / 32 + t->segments / 2 +
                   (n < 65536 ? 640 : 0);
    t->blocks = (uint32_t)(buckets / (nodes > CWI_NARROW_NODES ? 64 : 128) + 8);
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

void
cwi_points_again(void *state)
{
    struct cwi_table *t = state;
    uint64_t spare = t->spare_at;
    uint32_t nodes = t->nodes;

    memset(t, 0, sizeof(*t));
    if (spare)
        cwi_spare_ask(t, nodes);
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
    uint64_t buckets, size;

    if (t->spare_at) {
        nodes = t->nodes;
        size = layout_spare(t, n, nodes);
    } else {
        size = layout(t, n, nodes);
    }
    buckets = buckets_for(n, nodes);
    /* Lines and cold[] of an ordinary table are written to the last byte:
     * clearing these, too, would cost a tenth of the build. */
    if (t->spare_at || buckets > top) {
        memset(t + 1, 0, (size_t)size - sizeof(*t));
    } else {
        memset((char *)t + t->start_at, 0,
               (size_t)(t->cold_at - t->start_at));
        memset((char *)t + t->spill_at, 0,
               (size_t)(size - t->spill_at));
    }
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
            spill += cwi_spilled_by(t, n);
        if (n > CWI_CROWDED_MAX || (n >= CWI_SPILL_BLOCK && t->spare_at))
            spill = UINT64_MAX / 2;     /* too crowded for a line or block */
        start[b] = sum;
        sum += n;
    }
    start[t->buckets] = sum;
    if (spill > spill_room(t))
        t->mode = CWI_TABLE_PLAIN;
}

/* Put the points into their buckets; start[b] becomes the end of bucket b,
 * and is put back by finish(). */
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

/* From so many points on, what scatter() writes at random is more than
 * second-level caches hold: first by parts of the ring, each of which they
 * do. 60,000 nodes of 160 points are built in 13 in place of 29 ns a point,
 * 300,000 in 24 in place of 57 (gcc 12, Zen 5). */
#define PART_FROM (UINT64_C(1) << 18)
#define PARTS     512u

static void
scatter_part(struct cwi_table *t, uint32_t *node, uint32_t from, uint32_t n,
             void *room)
{
    uint32_t *start = cwi_start(t);
    uint64_t *cold = cwi_cold(t), *at = room;
    uint32_t *owner = (uint32_t *)(at + n), i;
    int16_t f;

    memcpy(at, cold + from, n * sizeof(*at));
    memcpy(owner, node + from, n * sizeof(*owner));
    for (i = 0; i < n; i++) {
        uint32_t to = start[cwi_locate(t, at[i], &f)]++;

        cold[to] = at[i];
        node[to] = owner[i];
    }
}

/* The same in two steps; the points in raw[] are lost. */
static void
scatter_by_parts(struct cwi_table *t, struct cwi_point *raw, uint32_t *node)
{
    const uint32_t *start = cwi_start(t);
    uint64_t *cold = cwi_cold(t);
    uint32_t first[PARTS + 1], next[PARTS], shift = 0, parts, p;
    uint64_t i;
    int16_t f;

    while (t->buckets >> shift >= PARTS)
        shift++;
    parts = ((t->buckets - 1) >> shift) + 1;
    for (p = 0; p < parts; p++)
        first[p] = next[p] = start[(uint64_t)p << shift];
    first[parts] = (uint32_t)t->total;
    for (i = 0; i < t->total; i++) {
        uint32_t to = next[cwi_locate(t, raw[i].at, &f) >> shift]++;

        cold[to] = raw[i].at;
        node[to] = raw[i].node;
    }
    for (p = 0; p < parts; p++)
        scatter_part(t, node, first[p], first[p + 1] - first[p], raw);
}

/* The points of a table without lines: owners in a part of their place. */
static void
fill_plain(struct cwi_table *t, uint32_t *node, void *room)
{
    uint32_t *start = cwi_start(t), from = 0;
    uint64_t b;

    for (b = 0; b < t->buckets; b++) {
        uint32_t end = start[b];

        cwi_points_sort(cwi_cold(t) + from, node + from, end - from, room);
        start[b] = from;
        from = end;
    }
    memset(t + 1, 0, (size_t)t->start_at - sizeof(*t));
    memcpy(cwi_plain_owners(t), node, (size_t)t->total * sizeof(*node));
}

/* Lines, or what stands for them; start[b] is the end of bucket b as yet. */
static void
finish(struct cwi_table *t, uint32_t *node, void *room)
{
    if (t->mode == CWI_TABLE_PLAIN)
        fill_plain(t, node, room);
    else
        cwi_lines_fill(t, node, room);
    if (t->spare_at)
        cwi_spare_spread(t);
}

void
cwi_table_fill(struct cwi_table *t, uint32_t *node, void *room)
{
    uint32_t *start = cwi_start(t);
    const uint64_t *cold = cwi_cold(t);
    uint64_t i;
    int16_t f;

    for (i = 0; i < t->total; i++)
        start[cwi_locate(t, cold[i], &f)]++;
    sum_buckets(t);
    memmove(start, start + 1, t->buckets * sizeof(*start));
    finish(t, node, room);
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
    if (n < PART_FROM)
        scatter(t, raw, node);
    else
        scatter_by_parts(t, raw, node);
    finish(t, node, raw);
}

void
cwi_points_all(const void *state, struct cwi_point *out)
{
    const struct cwi_table *t = state;
    uint64_t b;
    uint32_t k;

    for (b = 0; b < t->buckets; b++) {
        struct cwi_bucket bucket = cwi_bucket_get(t, b);
        const uint64_t *at = cwi_cold(t) + cwi_start(t)[b];

        for (k = 0; k < bucket.count; k++) {
            out->at = at[k];
            out++->node = cwi_bucket_owner(&bucket, k);
        }
    }
}
