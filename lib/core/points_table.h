/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_table.h - the line table behind points.h, for the files that read
 * or write it; nothing else includes this.
 *
 * The ring is cut into equal buckets and each bucket has one line of 64
 * bytes: up to 15 fractions (the next 15 bits of a point's position within
 * its bucket, sorted), their owners, and after these the owner of the first
 * point of the buckets that follow. So one cache miss and one compare of
 * vectors give the owner of nearly every position. What that cannot decide
 * is looked up in the "cold" array of full positions: an equal fraction, and
 * a bucket with more points than a line holds, whose owners are in the
 * "spill" array. A ring whose points crowd into few buckets would spill most
 * of them; it has no lines (CWI_TABLE_PLAIN) and is searched in the cold
 * array within its bucket, at most O(log P).
 *
 *     table | lines (plain: owners of all points) | start | cold | spill
 *
 * The position p, times `mult`, is a number of 128 bits: its upper half is
 * the bucket and the next 15 bits are the fraction. The product rises with
 * p, so buckets and fractions keep the order of positions on a ring of any
 * size; points above `top` are put at the very end. Not 16 bits: vector units
 * compare signed numbers, and to turn the upper bit over is an instruction
 * that each look-up waits for.
 */
#ifndef CWI_POINTS_TABLE_H
#define CWI_POINTS_TABLE_H

#include "core/points.h"

#define CWI_LINE_SLOTS   15     /* points in a line with 16-bit owners      */
#define CWI_LINE_WIDE     9     /* points in a line with 32-bit owners      */
#define CWI_NARROW_NODES 65535u /* most nodes for 16-bit owners             */

enum cwi_table_mode {
    CWI_TABLE_PLAIN,
    CWI_TABLE_NARROW,
    CWI_TABLE_WIDE
};

/*
 * The state of a ring; the parts follow it. Starts at 64 bytes.
 *
 * A table that is patched in place has spare room (points_patch.c). Its cold
 * array has gaps: the points of so many lines, a segment, lie together, with
 * room behind them. Its spill array is cut into blocks.
 */
struct cwi_table {
    uint64_t mult;
    uint64_t top;
    uint64_t total;     /* points                                           */
    uint64_t start_at;  /* bytes from here: uint32_t start[buckets + 1]     */
    uint64_t cold_at;   /* uint64_t cold[total]                             */
    uint64_t spill_at;  /* uint16_t or uint32_t spill[spilled]              */
    uint32_t buckets;
    uint32_t nodes;
    uint32_t spilled;
    uint8_t  mode;      /* of enum cwi_table_mode                           */
    uint8_t  isa;       /* of enum cwi_isa; the only member that is not the
                           same on every machine                            */
    uint16_t unused;
    uint64_t spare_at;  /* struct cwi_segment[segments], free blocks; 0: none */
    uint32_t segments;
    uint32_t blocks;
    uint32_t blocks_free;
    uint32_t unused2;
    uint64_t cold_room; /* points that fit cold[]                           */
    uint64_t unused3[4];
};

#define CWI_SEGMENT_LINES 8u
#define CWI_SPILL_BLOCK   32u   /* owners in a block of the spill array     */

struct cwi_segment {
    uint32_t base;      /* index of its first place in cold[]; it reaches to
                           the next one's                                   */
    uint32_t used;
};

static inline struct cwi_segment *
cwi_segments(const struct cwi_table *t)
{
    return (struct cwi_segment *)((uintptr_t)t + (uintptr_t)t->spare_at);
}

/* Places behind the points of a segment. */
static inline uint32_t
cwi_room_behind(const struct cwi_segment *seg)
{
    return seg[1].base - seg[0].base - seg[0].used;
}

/* Numbers of the spill blocks that are free: a stack. */
static inline uint32_t *
cwi_free_blocks(const struct cwi_table *t)
{
    return (uint32_t *)(cwi_segments(t) + t->segments + 1);
}

/*
 * meta is the largest fraction less the number of points: no fraction but
 * the 15 largest is above it, so that a look-up need not mask it off. Unused
 * fractions are the largest one, unused owners 0.
 *
 * A crowded line, of more points than fit, holds the first of them, and meta
 * is the fraction of the last one held, or less: what lies behind is above
 * meta, and found in the spill array, which has the owners of all; the line
 * says where, and how many. So 1 position in 800 needs more than its line,
 * instead of 1 in 350 if crowded lines told nothing.
 */
#define CWI_CROWDED      13u    /* points held by a crowded line            */
#define CWI_CROWDED_WIDE  9u
#define CWI_CROWDED_MAX  65535u /* points of a bucket, else there is no line */

struct cwi_line {
    int16_t  frac[CWI_LINE_SLOTS];
    int16_t  meta;
    uint16_t owner[CWI_LINE_SLOTS + 1]; /* crowded: 13 of them, then the
                                           number of points and the index of
                                           their owners, low half first      */
};

struct cwi_line_wide {
    int16_t  frac[CWI_LINE_WIDE];
    int16_t  meta;
    uint16_t index[2];                  /* crowded: as above                 */
    uint32_t owner[CWI_LINE_WIDE + 1];  /* crowded: 9, the number of points  */
};

static inline int
cwi_crowded(const struct cwi_line *line)
{
    return line->meta < INT16_MAX - CWI_LINE_SLOTS;
}

static inline int
cwi_crowded_wide(const struct cwi_line_wide *line)
{
    return line->meta < INT16_MAX - CWI_LINE_WIDE;
}

static inline struct cwi_line *
cwi_lines(const struct cwi_table *t)
{
    return (struct cwi_line *)(uintptr_t)(t + 1);
}

static inline struct cwi_line_wide *
cwi_lines_wide(const struct cwi_table *t)
{
    return (struct cwi_line_wide *)(uintptr_t)(t + 1);
}

/* Owners of all points, where a plain table has no lines. */
static inline uint32_t *
cwi_plain_owners(const struct cwi_table *t)
{
    return (uint32_t *)(uintptr_t)(t + 1);
}

static inline void *
cwi_table_part(const struct cwi_table *t, uint64_t at)
{
    return (void *)((uintptr_t)t + (uintptr_t)at);
}

static inline uint32_t *
cwi_start(const struct cwi_table *t)
{
    return cwi_table_part(t, t->start_at);
}

static inline uint64_t *
cwi_cold(const struct cwi_table *t)
{
    return cwi_table_part(t, t->cold_at);
}

/* Bucket and stored fraction of a position. */
static inline uint64_t
cwi_locate(const struct cwi_table *t, uint64_t at, int16_t *frac)
{
    cwi_u128 product = (cwi_u128)at * t->mult;

    if (at > t->top) {
        *frac = INT16_MAX;
        return t->buckets - 1u;
    }
    *frac = (int16_t)((uint64_t)product >> 49);
    return (uint64_t)(product >> 64);
}

/* The points of one bucket. */
struct cwi_bucket {
    uint32_t        count;
    const uint16_t *narrow;     /* owners, one of the two; for lines one
                                   more than count, the successor's         */
    const uint32_t *wide;
};

struct cwi_bucket cwi_bucket_get(const struct cwi_table *t, uint64_t b);

static inline uint32_t
cwi_bucket_owner(const struct cwi_bucket *b, uint32_t k)
{
    return b->narrow ? b->narrow[k] : b->wide[k];
}

/* The owner of a position by its full value: any table, any position. */
uint32_t cwi_points_exact(const struct cwi_table *t, uint64_t at);

/* Steps of a build: the header; n points in order, stably, with room for
 * n * 12 bytes; all lines, from points by bucket in cold[] and node[], where
 * start[b] is the end of bucket b as yet; all the rest, from points in order
 * in cold[] and node[]. room: for sorting all of them. */
void cwi_table_begin(struct cwi_table *t, uint64_t n, uint32_t nodes,
                     uint64_t top);
void cwi_points_sort(uint64_t *at, uint32_t *node, uint32_t n, void *room);
void cwi_lines_fill(struct cwi_table *t, uint32_t *node, void *room);
void cwi_table_fill(struct cwi_table *t, uint32_t *node, void *room);

/* Write the line of bucket b: crowded by n points in order at at[], whose
 * owners are in the spill array from `index`. */
void cwi_line_crowd(struct cwi_table *t, uint64_t b, const uint64_t *at,
                    uint32_t n, uint32_t index);

/* Places in the spill array of a bucket of n points, too many for a line. */
static inline uint32_t
cwi_spilled_by(const struct cwi_table *t, uint32_t n)
{
    return t->spare_at ? CWI_SPILL_BLOCK : n + 1;
}

/* ---- tables with spare room (points_build.c, points_spare.c) ----------- */

/* Bytes of the state of n points with spare room, for as many nodes. */
uint64_t cwi_spare_size(uint64_t n, uint32_t nodes);

/* Ask for spare room: before cwi_points_build(), in the zeroed state. */
void cwi_spare_ask(void *state, uint32_t nodes);

/* May this table have n points: is there room, and are its buckets neither
 * far too few nor too many? */
int cwi_spare_fits(const struct cwi_table *t, uint64_t n);

/* Spread the segments, which lie close, over the whole of cold[]. */
void cwi_spare_spread(struct cwi_table *t);

/* A place in the segment of bucket b; 0 when all of cold[] is taken. */
int cwi_spare_place(struct cwi_table *t, uint64_t b);

/* ---- changes in place (points_patch.c) --------------------------------- */

/* Is node a before node b where positions are equal? */
typedef int cwi_before_fn(const void *context, uint32_t a, uint32_t b);

/* Add n points; 0 when there is no room for one: those before it are in. */
int cwi_points_insert(struct cwi_table *t, const struct cwi_point *p,
                      uint64_t n, cwi_before_fn *before, const void *context);

/* Take away n points that are there; give them to another node. */
void cwi_points_remove(struct cwi_table *t, const struct cwi_point *p,
                       uint64_t n);
void cwi_points_renumber(struct cwi_table *t, const struct cwi_point *p,
                         uint64_t n, uint32_t to);

/* Instruction sets that a table can be read with. */
enum cwi_isa {
    CWI_ISA_C,
    CWI_ISA_SSE2,
    CWI_ISA_AVX2
};

/* The fastest one of this processor. */
enum cwi_isa cwi_isa_best(void);

/* Read this table with that one; 0 when the processor has not got it. */
int cwi_points_use(void *state, enum cwi_isa isa);

#endif
