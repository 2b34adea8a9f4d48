/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_spare.c - the spare room of a table that is patched in place: the
 * segments of its cold array and what lies behind each.
 */
#include "core/points_table.h"

#include <string.h>

/* Lines first .. last of segment s. */
static uint64_t
segment_end(const struct cwi_table *t, uint64_t s)
{
    uint64_t end = (s + 1) * CWI_SEGMENT_LINES;

    return end < t->buckets ? end : t->buckets;
}

/* Let segment s begin at `base`; its points move with it. */
static void
move_segment(struct cwi_table *t, uint64_t s, uint32_t base)
{
    struct cwi_segment *seg = cwi_segments(t) + s;
    uint64_t *cold = cwi_cold(t);
    uint32_t *start = cwi_start(t);
    uint32_t shift = base - seg->base;      /* wraps when it goes down */
    uint64_t b;

    memmove(cold + base, cold + seg->base, seg->used * sizeof(*cold));
    for (b = s * CWI_SEGMENT_LINES; b < segment_end(t, s); b++)
        start[b] += shift;
    seg->base = base;
}

/* From segments that lie close to segments with equal room behind each. */
static void
spread(struct cwi_table *t)
{
    struct cwi_segment *seg = cwi_segments(t);
    uint64_t spare = t->cold_room - t->total;
    uint64_t s = t->segments;

    seg[s].base = (uint32_t)t->cold_room;
    while (s-- > 1)
        move_segment(t, s, seg[s].base +
                               (uint32_t)(spare * s / t->segments));
}

/* From any to segments that lie close. */
static void
compact(struct cwi_table *t)
{
    struct cwi_segment *seg = cwi_segments(t);
    uint32_t end = 0;
    uint64_t s;

    for (s = 0; s < t->segments; s++) {
        move_segment(t, s, end);
        end += seg[s].used;
    }
}

void
cwi_spare_spread(struct cwi_table *t)
{
    struct cwi_segment *seg = cwi_segments(t);
    uint32_t *start = cwi_start(t), *block;
    uint64_t s, b;

    /* A small ring may have fewer buckets than were planned. */
    t->segments = (uint32_t)((t->buckets + CWI_SEGMENT_LINES - 1) /
                             CWI_SEGMENT_LINES);
    block = cwi_free_blocks(t);
    for (s = 0; s < t->segments; s++) {
        b = segment_end(t, s);
        seg[s].base = start[s * CWI_SEGMENT_LINES];
        seg[s].used = start[b] - seg[s].base;
    }
    start[t->buckets] = (uint32_t)t->cold_room;
    for (s = t->blocks; s-- > t->spilled / CWI_SPILL_BLOCK;)
        block[t->blocks_free++] = (uint32_t)s;
    if (t->mode != CWI_TABLE_PLAIN)
        spread(t);
    else
        start[t->buckets] = (uint32_t)t->total;
}

/* Segments looked through for room, on either side. */
#define REACH 64u

/* Give segment s half of the nearest room, by moving those between. */
static int
borrow(struct cwi_table *t, uint64_t s)
{
    struct cwi_segment *seg = cwi_segments(t);
    uint64_t j;
    uint32_t by;

    for (j = s + 1; j < t->segments && j <= s + REACH; j++) {
        by = (cwi_room_behind(seg + j) + 1) / 2;
        for (; by && j > s; j--)
            move_segment(t, j, seg[j].base + by);
        if (by)
            return 1;
    }
    for (j = s; j > 0 && j + REACH > s; j--) {
        by = (cwi_room_behind(seg + j - 1) + 1) / 2;
        for (; by && j <= s; j++)
            move_segment(t, j, seg[j].base - by);
        if (by)
            return 1;
    }
    return 0;
}

int
cwi_spare_place(struct cwi_table *t, uint64_t b)
{
    uint64_t s = b / CWI_SEGMENT_LINES;

    if (cwi_room_behind(cwi_segments(t) + s) || borrow(t, s))
        return 1;
    compact(t);
    spread(t);
    return cwi_room_behind(cwi_segments(t) + s) > 0;
}
