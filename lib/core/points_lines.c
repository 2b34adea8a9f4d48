/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_lines.c - the lines of a table, from points sorted by bucket.
 *
 * Lines are made some at a time, in steps that take all their points one by
 * one, or all lines, and none that takes the few points of a line in a loop
 * of its own: where those end nobody can foresee, and each wrong guess of the
 * processor costs as much as four points. 1,000 nodes of 160 points are built
 * in two thirds of the time (gcc 12, Zen 5; goal G8 of bench/goals).
 */
#include "core/points_find.h"

#include <stddef.h>
#include <string.h>

#define BLOCK_LINES 32u
#define LANES       16u

typedef int16_t lanes __attribute__((vector_size(2 * LANES)));

#define INLINE static inline __attribute__((always_inline))

/* Lines that are made together. */
struct block {
    struct cwi_table *t;
    uint64_t line;              /* the first one, and how many              */
    uint32_t lines;
    uint32_t base;              /* index of their first point, and how many */
    uint32_t points;
    uint64_t at[BLOCK_LINES * CWI_LINE_SLOTS];
    int16_t  frac[(BLOCK_LINES + 1) * CWI_LINE_SLOTS + 1];
    /* Where each point goes: place in cold[] from base, and int16_t from the
     * start of the first line. */
    int16_t  to[(BLOCK_LINES + 1) * CWI_LINE_SLOTS + 1];
    int16_t  slot[(BLOCK_LINES + 1) * CWI_LINE_SLOTS + 1];
};

INLINE void
take_points(struct block *k, const uint64_t *at)
{
    uint32_t i;

    for (i = 0; i < k->points; i++) {
        k->at[i] = at[i];
        cwi_locate(k->t, at[i], &k->frac[i]);
    }
}

/*
 * Where the n points go whose fractions begin at number i of the block: the
 * rank of each is the number of smaller fractions, counted for all at once.
 * padded: room for them with the largest ones behind. Returns 0 when two may
 * be equal, as in one line of 3,000: the sum of the ranks is then too small.
 */
INLINE int
rank_points(struct block *k, uint32_t i, uint32_t n, int16_t line,
            int16_t padded[LANES])
{
#ifdef CWI_SMALL        /* no vectors there: always by the positions */
    (void)line;
    for (uint32_t j = 0; j < LANES; j++)
        padded[j] = j < n ? k->frac[i + j] : INT16_MAX;
    return 0;
#else
    static const int16_t keep[2 * LANES] = {
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
    };
    lanes v, mask, rank = { 0 };
    uint64_t w[LANES / 4];
    uint32_t j;

    memcpy(&v, k->frac + i, sizeof(v));
    memcpy(&mask, keep + LANES - n, sizeof(mask));
    v = (v & mask) | (~mask & INT16_MAX);
    memcpy(padded, &v, sizeof(v));
    for (j = 0; j < CWI_LINE_SLOTS; j++)
        rank -= v > padded[j];
    memcpy(w, &rank, sizeof(w));
    v = rank + (int16_t)i;
    memcpy(k->to + i, &v, sizeof(v));
    v = rank + line;
    memcpy(k->slot + i, &v, sizeof(v));
    w[0] = (w[0] + w[1] + w[2] + w[3]) * UINT64_C(0x0001000100010001) >> 48;
    return w[0] == n * (n - 1) / 2 + (LANES - n) * n;
#endif
}

/* The same by the positions. */
static __attribute__((noinline)) void
rank_exactly(struct block *k, uint32_t i, uint32_t n, int16_t line)
{
    uint32_t a, b;

    for (a = 0; a < n; a++) {
        uint32_t rank = 0;

        for (b = 0; b < n; b++)
            rank += k->at[i + b] < k->at[i + a] ||
                    (k->at[i + b] == k->at[i + a] && b < a);
        k->to[i + a] = (int16_t)(i + rank);
        k->slot[i + a] = (int16_t)(line + (int32_t)rank);
    }
}

/* Line number b of the block, of n points that begin at number i, without
 * its points: unused fractions are the largest one. */
INLINE void
start_line(struct block *k, uint32_t b, uint32_t i, uint32_t n)
{
    struct cwi_line *line = cwi_lines(k->t) + k->line + b;
    int16_t padded[LANES], first;

    first = (int16_t)(b * sizeof(*line) / sizeof(int16_t));
    if (!rank_points(k, i, n, first, padded))
        rank_exactly(k, i, n, first);
    memset(line, 0, sizeof(*line));
    if (k->t->mode == CWI_TABLE_NARROW) {
        memcpy(line->frac, padded, sizeof(line->frac));
        line->meta = (int16_t)(INT16_MAX - (int32_t)n);
    } else {
        struct cwi_line_wide *wide = cwi_lines_wide(k->t) + k->line + b;

        memcpy(wide->frac, padded, sizeof(wide->frac));
        wide->meta = (int16_t)(INT16_MAX - (int32_t)n);
    }
}

/* The points into their lines and, in order, into cold[]. */
INLINE void
put_points(const struct block *k, uint64_t *at, const uint32_t *node)
{
    int16_t *lines = (cwi_lines(k->t) + k->line)->frac;
    uint32_t i;

    if (k->t->mode == CWI_TABLE_NARROW) {
        const size_t owners = offsetof(struct cwi_line, owner) / 2;

        for (i = 0; i < k->points; i++) {
            int16_t *slot = lines + k->slot[i];

            at[k->to[i]] = k->at[i];
            slot[0] = k->frac[i];
            slot[owners] = (int16_t)node[i];
        }
    } else {
        struct cwi_line_wide *first = cwi_lines_wide(k->t) + k->line;

        for (i = 0; i < k->points; i++) {
            uint32_t line = (uint32_t)k->slot[i] / 32;

            at[k->to[i]] = k->at[i];
            lines[k->slot[i]] = k->frac[i];
            first[line].owner[k->slot[i] % 32] = node[i];
        }
    }
}

/* The n fractions of points at at[], padded with the largest one to `slots`;
 * returns what meta is for a crowded line that holds these. */
static int16_t
crowd_fractions(const struct cwi_table *t, const uint64_t *at, uint32_t n,
                int16_t *frac, uint32_t slots)
{
    int16_t most = (int16_t)(INT16_MAX - 1 - (int32_t)slots);
    uint32_t i;

    for (i = 0; i < n; i++)
        cwi_locate(t, at[i], &frac[i]);
    for (; i < slots; i++)
        frac[i] = INT16_MAX;
    return frac[n - 1] < most ? frac[n - 1] : most;
}

void
cwi_line_crowd(struct cwi_table *t, uint64_t b, const uint64_t *at, uint32_t n,
               uint32_t index)
{
    struct cwi_line *line = cwi_lines(t) + b;
    struct cwi_line_wide *wide = cwi_lines_wide(t) + b;
    const void *spill = cwi_table_part(t, t->spill_at);

    if (t->mode == CWI_TABLE_NARROW) {
        line->meta = crowd_fractions(t, at, CWI_CROWDED, line->frac,
                                     CWI_LINE_SLOTS);
        memcpy(line->owner, (const uint16_t *)spill + index,
               CWI_CROWDED * sizeof(*line->owner));
        line->owner[13] = (uint16_t)n;
        line->owner[14] = (uint16_t)index;
        line->owner[15] = (uint16_t)(index >> 16);
    } else {
        wide->meta = crowd_fractions(t, at, CWI_CROWDED_WIDE, wide->frac,
                                     CWI_LINE_WIDE);
        memcpy(wide->owner, (const uint32_t *)spill + index,
               CWI_CROWDED_WIDE * sizeof(*wide->owner));
        wide->owner[9] = n;
        wide->index[0] = (uint16_t)index;
        wide->index[1] = (uint16_t)(index >> 16);
    }
}

/* A line of more points than fit it, which are in order. */
static void
spill_line(struct cwi_table *t, uint64_t b, const uint64_t *at,
           const uint32_t *node, uint32_t n)
{
    void *spill = cwi_table_part(t, t->spill_at);
    uint32_t i;

    for (i = 0; i < n; i++) {
        if (t->mode == CWI_TABLE_NARROW)
            ((uint16_t *)spill)[t->spilled + i] = (uint16_t)node[i];
        else
            ((uint32_t *)spill)[t->spilled + i] = node[i];
    }
    cwi_line_crowd(t, b, at, n, t->spilled);
    t->spilled += cwi_spilled_by(t, n);
}

/* What is known of the way round the ring. */
struct round {
    uint64_t open;              /* first line that waits for a successor    */
    uint32_t first;             /* owner of the first point, or CW_NONE     */
};

/* Lines r->open .. last - 1 get the owner of the point behind their own. */
static inline void
set_successor(struct cwi_table *t, struct round *r, uint64_t last,
              uint32_t node)
{
    for (; r->open < last; r->open++) {
        struct cwi_line *line = cwi_lines(t) + r->open;
        struct cwi_bucket b;

        if (t->mode == CWI_TABLE_NARROW && !cwi_crowded(line)) {
            line->owner[INT16_MAX - line->meta] = (uint16_t)node;
            continue;
        }
        b = cwi_bucket_get(t, r->open);
        if (b.narrow)
            ((uint16_t *)(uintptr_t)b.narrow)[b.count] = (uint16_t)node;
        else
            ((uint32_t *)(uintptr_t)b.wide)[b.count] = node;
    }
}

/* The next lines, whose points are there. */
INLINE void
go_round(struct cwi_table *t, struct round *r, uint64_t line, uint64_t last)
{
    for (; line < last; line++) {
        const struct cwi_line *l = cwi_lines(t) + line;
        struct cwi_bucket b = { 0, NULL, NULL };

        if (t->mode == CWI_TABLE_NARROW && !cwi_crowded(l)) {
            b.count = (uint32_t)(INT16_MAX - l->meta);
            b.narrow = l->owner;
        } else {
            b = cwi_bucket_get(t, line);
        }
        if (b.count > 0) {
            uint32_t node = cwi_bucket_owner(&b, 0);

            set_successor(t, r, line, node);
            if (r->first == CW_NONE)
                r->first = node;
        }
    }
}

INLINE void
fill_lines(struct cwi_table *t, uint32_t *node, void *room)
{
    const uint32_t slots = t->mode == CWI_TABLE_NARROW ? CWI_LINE_SLOTS
                                                       : CWI_LINE_WIDE;
    uint32_t *start = cwi_start(t), from = 0;
    uint64_t *cold = cwi_cold(t);
    uint64_t b;
    struct round round = { 0, CW_NONE };
    struct block k;

    k.t = t;
    for (b = 0; b < t->buckets; b += k.lines) {
        k.line = b;
        k.lines = 0;
        k.base = from;
        while (k.lines < BLOCK_LINES && b + k.lines < t->buckets &&
               start[b + k.lines] - from <= slots)
            from = start[b + k.lines++];
        k.points = from - k.base;
        take_points(&k, cold + k.base);
        from = k.base;
        for (uint32_t i = 0; i < k.lines; i++) {
            uint32_t end = start[b + i];

            start_line(&k, i, from - k.base, end - from);
            start[b + i] = from;
            from = end;
        }
        put_points(&k, cold + k.base, node + k.base);
        if (k.lines == 0) {
            uint32_t n = start[b] - from;

            cwi_points_sort(cold + from, node + from, n, room);
            spill_line(t, b, cold + from, node + from, n);
            start[b] = from;
            from += n;
            k.lines = 1;
        }
        go_round(t, &round, b, b + k.lines);
    }
    set_successor(t, &round, t->buckets, round.first);
}

#ifdef CWI_X86
static CWI_AVX2 void
fill_lines_avx2(struct cwi_table *t, uint32_t *node, void *room)
{
    fill_lines(t, node, room);
}
#endif

void
cwi_lines_fill(struct cwi_table *t, uint32_t *node, void *room)
{
#ifdef CWI_X86
    if (t->isa == CWI_ISA_AVX2) {
        fill_lines_avx2(t, node, room);
        return;
    }
#endif
    fill_lines(t, node, room);
}
