/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_patch.c - add and remove points of a table with spare room, in
 * place. Only the lines of these points, a few positions beside them and, if
 * a bucket's first point changes, the line before are written: a change costs
 * the same on a ring of 10,000 points and of 10,000,000.
 *
 * The table is that of the same points built afresh with spare room, but for
 * where in the cold and spill arrays they lie: it answers the same.
 */
#include "core/points_find.h"
#include "core/points_lanes.h"

#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ---- one bucket -------------------------------------------------------- */

/* Owners of bucket b, of one more than its count, to be written. */
struct owners {
    uint16_t *narrow;
    uint32_t *wide;
};

static struct owners
owners_of(const struct cwi_bucket *b)
{
    struct owners o = { (uint16_t *)(uintptr_t)b->narrow,
                        (uint32_t *)(uintptr_t)b->wide };

    return o;
}

static void
set_owner(const struct owners *o, uint32_t k, uint32_t node)
{
    if (o->narrow)
        o->narrow[k] = (uint16_t)node;
    else
        o->wide[k] = node;
}

/* Move owners from .. from + n - 1 to `to`. */
static void
move_owners(const struct owners *o, uint32_t to, uint32_t from, uint32_t n)
{
    if (o->narrow)
        memmove(o->narrow + to, o->narrow + from, n * sizeof(*o->narrow));
    else
        memmove(o->wide + to, o->wide + from, n * sizeof(*o->wide));
}

static uint32_t
slots(const struct cwi_table *t)
{
    return t->mode == CWI_TABLE_NARROW ? CWI_LINE_SLOTS : CWI_LINE_WIDE;
}

static int16_t *
fractions(const struct cwi_table *t, uint64_t b)
{
    return t->mode == CWI_TABLE_NARROW ? cwi_lines(t)[b].frac
                                       : cwi_lines_wide(t)[b].frac;
}

/* Write the line of bucket b anew for n points: count, and the fractions if
 * they fit. meta is the lane behind the last fraction. */
static void
write_fractions(struct cwi_table *t, uint64_t b, uint32_t n)
{
    int16_t *frac = fractions(t, b);
    const uint64_t *at = cwi_cold(t) + cwi_start(t)[b];
    uint32_t i;

    for (i = 0; i < n; i++)
        cwi_locate(t, at[i], &frac[i]);
    for (; i < slots(t); i++)
        frac[i] = INT16_MAX;
    frac[slots(t)] = (int16_t)(INT16_MAX - (int32_t)n);
}

/* The line of bucket b, of n points whose owners are in `block`. */
static void
write_crowded(struct cwi_table *t, uint64_t b, uint32_t n, uint32_t block)
{
    cwi_line_crowd(t, b, cwi_cold(t) + cwi_start(t)[b], n,
                   block * CWI_SPILL_BLOCK);
}

/* Where the owners of crowded bucket b are. */
static uint32_t
block_of(const struct cwi_table *t, const struct cwi_bucket *b)
{
    const void *spill = cwi_table_part(t, t->spill_at);
    ptrdiff_t at = b->narrow ? b->narrow - (const uint16_t *)spill
                             : b->wide - (const uint32_t *)spill;

    return (uint32_t)at / CWI_SPILL_BLOCK;
}

static struct owners
block_owners(const struct cwi_table *t, uint32_t block)
{
    struct owners o = { NULL, NULL };
    char *spill = cwi_table_part(t, t->spill_at);

    if (t->mode == CWI_TABLE_NARROW)
        o.narrow = (uint16_t *)(void *)spill + block * CWI_SPILL_BLOCK;
    else
        o.wide = (uint32_t *)(void *)spill + block * CWI_SPILL_BLOCK;
    return o;
}

/* The first point of bucket b has another owner: so has the way to it. */
static void
tell_before(struct cwi_table *t, uint64_t b)
{
    struct cwi_bucket bucket = cwi_bucket_get(t, b);
    uint32_t node = cwi_bucket_owner(&bucket, 0);
    uint64_t c = b;
    struct owners o;

    do {
        c = c == 0 ? t->buckets - 1u : c - 1;
        bucket = cwi_bucket_get(t, c);
        o = owners_of(&bucket);
        set_owner(&o, bucket.count, node);
    } while (bucket.count == 0 && c != b);
}

/* ---- points ------------------------------------------------------------ */

/* Room for one more owner in bucket b, which has n points? */
static int
owner_fits(const struct cwi_table *t, uint32_t n)
{
    if (n == slots(t))
        return t->blocks_free > 0;
    return n + 2 <= CWI_SPILL_BLOCK;
}

/* The points of the buckets behind b, in its segment, begin `by` places
 * later. All lines of the segment are gone through, which is done in vectors
 * without a branch on b. */
INLINE void
shift_starts(struct cwi_table *t, uint64_t b, uint32_t by)
{
    uint64_t first = b / CWI_SEGMENT_LINES * CWI_SEGMENT_LINES;
    uint32_t *start = cwi_start(t) + first;
    uint32_t at = (uint32_t)(b - first), i;

    if (first + CWI_SEGMENT_LINES <= t->buckets) {
        for (i = 0; i < CWI_SEGMENT_LINES; i++)
            start[i] += by & (0u - (uint32_t)(i > at));
    } else {
        for (i = at + 1; i < t->buckets - first; i++)
            start[i] += by;
    }
}

/* Put a position before place k of bucket b in cold[]; take that place out. */
INLINE void
cold_in(struct cwi_table *t, uint64_t b, uint32_t k, uint64_t at)
{
    struct cwi_segment *seg = cwi_segments(t) + b / CWI_SEGMENT_LINES;
    uint32_t place = cwi_start(t)[b] + k;
    uint64_t *cold = cwi_cold(t) + place;

    memmove(cold + 1, cold, (seg->base + seg->used - place) * sizeof(*cold));
    *cold = at;
    seg->used++;
    t->total++;
    shift_starts(t, b, 1);
}

INLINE void
cold_out(struct cwi_table *t, uint64_t b, uint32_t k)
{
    struct cwi_segment *seg = cwi_segments(t) + b / CWI_SEGMENT_LINES;
    uint32_t place = cwi_start(t)[b] + k + 1;
    uint64_t *cold = cwi_cold(t) + place;

    memmove(cold - 1, cold, (seg->base + seg->used - place) * sizeof(*cold));
    seg->used--;
    t->total--;
    shift_starts(t, b, UINT32_MAX);     /* by -1 */
}

/* The number of points of bucket b below a position of fraction f, if its
 * line tells: it does as a rule. */
INLINE int
line_tells(const struct cwi_table *t, uint64_t b, uint32_t n, int16_t f,
           uint32_t *k)
{
    const int16_t *frac = fractions(t, b);

    *k = cwi_rank(frac, slots(t), f);
    return n <= slots(t) && frac[*k] != f;
}

/*
 * The usual case: a narrow line that has room, tells the place, and a segment
 * with a place. 0: it is not, and nothing has changed. Nothing is read again
 * that was just written in another width, which would wait.
 */
INLINE int
usual_in(int avx2, struct cwi_table *t, uint64_t at, uint32_t node)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    struct cwi_line *line = cwi_lines(t) + b;
    struct cwi_segment *seg = cwi_segments(t) + b / CWI_SEGMENT_LINES;
    uint32_t count = (uint32_t)(INT16_MAX - line->meta), k;
    int16_t *v = (int16_t *)(void *)line;

    if (t->mode != CWI_TABLE_NARROW || count >= CWI_LINE_SLOTS ||
        !cwi_room_behind(seg) || !line_tells(t, b, count, f, &k))
        return 0;
    cold_in(t, b, k, at);
    cwi_lane_in(avx2, v + CWI_LINE_SLOTS + 1, k, (int16_t)node);
    cwi_lane_in(avx2, v, k, f);
    line->meta = (int16_t)(INT16_MAX - 1 - (int32_t)count);
    if (k == 0)
        tell_before(t, b);
    return 1;
}

/* Of the only point of its fraction. */
INLINE int
usual_out(int avx2, struct cwi_table *t, uint64_t at)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    struct cwi_line *line = cwi_lines(t) + b;
    uint32_t count = (uint32_t)(INT16_MAX - line->meta), k;
    int16_t *v = (int16_t *)(void *)line;

    k = cwi_rank(line->frac, CWI_LINE_SLOTS, f);
    if (t->mode != CWI_TABLE_NARROW || count > CWI_LINE_SLOTS ||
        v[k + 1] == f)
        return 0;
    cold_out(t, b, k);
    cwi_lane_out(avx2, v, k);
    line->frac[CWI_LINE_SLOTS - 1] = INT16_MAX;
    line->meta = (int16_t)(INT16_MAX + 1 - (int32_t)count);
    cwi_lane_out(avx2, v + CWI_LINE_SLOTS + 1, k);
    line->owner[CWI_LINE_SLOTS] = 0;
    if (k == 0)
        tell_before(t, b);
    return 1;
}

/* Owners of bucket b go from k on one place up, into a block if need be. */
static void
insert_owner(struct cwi_table *t, uint64_t b, const struct cwi_bucket *bucket,
             uint32_t k, uint32_t node, int16_t f)
{
    struct owners o = owners_of(bucket);
    uint32_t n = bucket->count, block = 0;

    if (n == slots(t)) {
        struct owners to;

        block = cwi_free_blocks(t)[--t->blocks_free];
        to = block_owners(t, block);
        if (to.narrow)
            memcpy(to.narrow, o.narrow, (n + 1) * sizeof(*to.narrow));
        else
            memcpy(to.wide, o.wide, (n + 1) * sizeof(*to.wide));
        o = to;
    } else if (n > slots(t)) {
        block = block_of(t, bucket);
    }
    move_owners(&o, k + 1, k, n + 1 - k);
    set_owner(&o, k, node);
    if (n >= slots(t)) {
        write_crowded(t, b, n + 1, block);
    } else {
        int16_t *frac = fractions(t, b);

        memmove(frac + k + 1, frac + k, (n - k) * sizeof(*frac));
        frac[k] = f;
        frac[slots(t)]--;       /* meta */
    }
}

/* Out of line, as the other unusual ways: the usual one saves no registers
 * for them. */
static __attribute__((noinline)) int
unusual_in(struct cwi_table *t, uint64_t at, uint32_t node,
           cwi_before_fn *before, const void *context)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    struct cwi_bucket bucket;
    const uint64_t *cold;
    uint32_t k;

    bucket = cwi_bucket_get(t, b);
    if (!owner_fits(t, bucket.count) || !cwi_spare_place(t, b))
        return 0;
    cold = cwi_cold(t) + cwi_start(t)[b];
    if (!line_tells(t, b, bucket.count, f, &k)) {
        k = cwi_count_below(cold, bucket.count, at);
        while (k < bucket.count && cold[k] == at &&
               before(context, cwi_bucket_owner(&bucket, k), node))
            k++;
    }
    cold_in(t, b, k, at);
    insert_owner(t, b, &bucket, k, node, f);
    if (k == 0)
        tell_before(t, b);
    return 1;
}

/* Owners of bucket b above k go one place down, out of a block if they fit
 * the line again. */
static void
remove_owner(struct cwi_table *t, uint64_t b, const struct cwi_bucket *bucket,
             uint32_t k)
{
    struct owners o = owners_of(bucket), from = o;
    uint32_t n = bucket->count;

    move_owners(&o, k, k + 1, n - k);
    if (n > slots(t) + 1) {
        write_crowded(t, b, n - 1, block_of(t, bucket));
        return;
    }
    if (n == slots(t) + 1) {
        cwi_free_blocks(t)[t->blocks_free++] = block_of(t, bucket);
        memset(cwi_lines(t) + b, 0, sizeof(struct cwi_line));
        if (from.narrow)
            memcpy(cwi_lines(t)[b].owner, from.narrow,
                   n * sizeof(*from.narrow));
        else
            memcpy(cwi_lines_wide(t)[b].owner, from.wide,
                   n * sizeof(*from.wide));
        write_fractions(t, b, n - 1);
    } else {
        int16_t *frac = fractions(t, b);

        set_owner(&o, n, 0);    /* unused owners are 0 */
        memmove(frac + k, frac + k + 1, (n - 1 - k) * sizeof(*frac));
        frac[n - 1] = INT16_MAX;
        frac[slots(t)]++;       /* meta */
    }
}

/* Index in its bucket of a point that is there. */
static uint32_t
index_of(const struct cwi_table *t, const struct cwi_bucket *bucket,
         uint64_t b, uint64_t at, uint32_t node)
{
    uint32_t k = cwi_count_below(cwi_cold(t) + cwi_start(t)[b], bucket->count,
                                 at);

    while (cwi_bucket_owner(bucket, k) != node)
        k++;
    return k;
}

static __attribute__((noinline)) void
unusual_out(struct cwi_table *t, uint64_t at, uint32_t node)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    struct cwi_bucket bucket;
    uint32_t k;

    bucket = cwi_bucket_get(t, b);
    k = index_of(t, &bucket, b, at, node);
    cold_out(t, b, k);
    remove_owner(t, b, &bucket, k);
    if (k == 0)
        tell_before(t, b);
}

/* ---- points of a node -------------------------------------------------- */

/*
 * The lines of n points, those before, and the positions that may move with
 * them, to the end of their segment, asked for together: their misses
 * overlap. The positions of a line are about a cache line of them. Where they
 * end is not a branch, which nobody foresees. Inlined by force: gcc 12 holds a
 * function that only prefetches for one without effect and drops the call.
 */
INLINE void
ask(const struct cwi_table *t, const struct cwi_point *p, uint64_t n)
{
    uint32_t k, last;
    uint64_t i, b;
    int16_t f;

    for (i = 0; i < n; i++) {
        b = cwi_locate(t, p[i].at, &f);
        __builtin_prefetch(cwi_lines(t) + b, 1);
        __builtin_prefetch(cwi_lines(t) + b - 1, 1);
        __builtin_prefetch(cwi_start(t) + b, 1);
        __builtin_prefetch(cwi_segments(t) + b / CWI_SEGMENT_LINES, 1);
    }
    for (i = 0; i < n; i++) {
        const uint64_t *cold;

        b = cwi_locate(t, p[i].at, &f);
        cold = cwi_cold(t) + cwi_start(t)[b];
        last = CWI_SEGMENT_LINES - (uint32_t)b % CWI_SEGMENT_LINES;
        for (k = 0; k <= CWI_SEGMENT_LINES; k++)
            __builtin_prefetch(cold + 8 * (k & (0u - (k <= last))), 1);
    }
}

INLINE int
insert(int avx2, struct cwi_table *t, const struct cwi_point *p, uint64_t n,
       cwi_before_fn *before, const void *context)
{
    uint64_t i;

    ask(t, p, n);
    for (i = 0; i < n; i++) {
        if (!usual_in(avx2, t, p[i].at, p[i].node) &&
            !unusual_in(t, p[i].at, p[i].node, before, context))
            return 0;
    }
    return 1;
}

INLINE void
take_out(int avx2, struct cwi_table *t, const struct cwi_point *p, uint64_t n)
{
    uint64_t i;

    ask(t, p, n);
    for (i = 0; i < n; i++) {
        if (!usual_out(avx2, t, p[i].at))
            unusual_out(t, p[i].at, p[i].node);
    }
}

#ifdef CWI_X86
static CWI_AVX2 int
insert_avx2(struct cwi_table *t, const struct cwi_point *p, uint64_t n,
            cwi_before_fn *before, const void *context)
{
    return insert(1, t, p, n, before, context);
}

static CWI_AVX2 void
take_out_avx2(struct cwi_table *t, const struct cwi_point *p, uint64_t n)
{
    take_out(1, t, p, n);
}
#endif

int
cwi_points_insert(struct cwi_table *t, const struct cwi_point *p, uint64_t n,
                  cwi_before_fn *before, const void *context)
{
#ifdef CWI_X86
    if (t->isa == CWI_ISA_AVX2)
        return insert_avx2(t, p, n, before, context);
#endif
    return insert(0, t, p, n, before, context);
}

void
cwi_points_remove(struct cwi_table *t, const struct cwi_point *p, uint64_t n)
{
#ifdef CWI_X86
    if (t->isa == CWI_ISA_AVX2) {
        take_out_avx2(t, p, n);
        return;
    }
#endif
    take_out(0, t, p, n);
}

static void
renumber(struct cwi_table *t, const struct cwi_point *p, uint32_t to)
{
    int16_t f;
    uint64_t b = cwi_locate(t, p->at, &f);
    struct cwi_bucket bucket = cwi_bucket_get(t, b);
    struct owners o = owners_of(&bucket);
    uint32_t k = index_of(t, &bucket, b, p->at, p->node);

    set_owner(&o, k, to);
    if (bucket.count > slots(t))
        write_crowded(t, b, bucket.count, block_of(t, &bucket));
    if (k == 0)
        tell_before(t, b);
}

void
cwi_points_renumber(struct cwi_table *t, const struct cwi_point *p, uint64_t n,
                    uint32_t to)
{
    uint64_t i;

    ask(t, p, n);
    for (i = 0; i < n; i++)
        renumber(t, p + i, to);
}
