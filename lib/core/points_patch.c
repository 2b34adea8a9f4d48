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

#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ---- segments ---------------------------------------------------------- */

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
    uint32_t *start = cwi_start(t), *block = cwi_free_blocks(t);
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

/* Segments looked through for room, on either side. */
#define REACH 64u

static uint32_t
room_behind(const struct cwi_segment *seg)
{
    return seg[1].base - seg[0].base - seg[0].used;
}

/* Give segment s half of the nearest room, by moving those between. */
static int
borrow(struct cwi_table *t, uint64_t s)
{
    struct cwi_segment *seg = cwi_segments(t);
    uint64_t j;
    uint32_t by;

    for (j = s + 1; j < t->segments && j <= s + REACH; j++) {
        by = (room_behind(seg + j) + 1) / 2;
        for (; by && j > s; j--)
            move_segment(t, j, seg[j].base + by);
        if (by)
            return 1;
    }
    for (j = s; j > 0 && j + REACH > s; j--) {
        by = (room_behind(seg + j - 1) + 1) / 2;
        for (; by && j <= s; j++)
            move_segment(t, j, seg[j].base - by);
        if (by)
            return 1;
    }
    return 0;
}

/* A place in the segment of bucket b; 0 when all of cold[] is taken. */
static int
cold_fits(struct cwi_table *t, uint64_t b)
{
    uint64_t s = b / CWI_SEGMENT_LINES;

    if (room_behind(cwi_segments(t) + s) || borrow(t, s))
        return 1;
    compact(t);
    spread(t);
    return room_behind(cwi_segments(t) + s) > 0;
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
 * Put a value before lane k, or take that lane out: all lanes at once, without
 * a branch on k, which nobody foresees. The lane before v, or behind, is read,
 * too: a table goes on there. k may be that of another vector's lane.
 */
#define LANE_CHANGES(lanes, bytes, ...)                                 \
    typedef int16_t lanes __attribute__((vector_size(bytes)));          \
                                                                        \
    INLINE void                                                         \
    lanes##_in(int16_t *v, int16_t k, int16_t value)                    \
    {                                                                   \
        lanes number = { __VA_ARGS__ }, old, moved;                     \
        lanes above = number > k, is = number == k;                     \
                                                                        \
        memcpy(&old, v, sizeof(old));                                   \
        memcpy(&moved, v - 1, sizeof(moved));                           \
        old = (above & moved) | (is & value) | (~(above | is) & old);   \
        memcpy(v, &old, sizeof(old));                                   \
    }                                                                   \
                                                                        \
    INLINE void                                                         \
    lanes##_out(int16_t *v, int16_t k)                                  \
    {                                                                   \
        lanes number = { __VA_ARGS__ }, old, moved, below = number < k; \
                                                                        \
        memcpy(&old, v, sizeof(old));                                   \
        memcpy(&moved, v + 1, sizeof(moved));                           \
        old = (below & old) | (~below & moved);                         \
        memcpy(v, &old, sizeof(old));                                   \
    }

LANE_CHANGES(eight, 16, 0, 1, 2, 3, 4, 5, 6, 7)
LANE_CHANGES(sixteen, 32, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

/* The same with 16 lanes, in vectors that the processor has: wider ones gcc 12
 * takes apart lane by lane. */
INLINE void
lane_in(int avx2, int16_t *v, uint32_t k, int16_t value)
{
    if (avx2) {
        sixteen_in(v, (int16_t)k, value);
        return;
    }
    eight_in(v + 8, (int16_t)((int16_t)k - 8), value);
    eight_in(v, (int16_t)k, value);
}

INLINE void
lane_out(int avx2, int16_t *v, uint32_t k)
{
    if (avx2) {
        sixteen_out(v, (int16_t)k);
        return;
    }
    eight_out(v, (int16_t)k);
    eight_out(v + 8, (int16_t)((int16_t)k - 8));
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
        !room_behind(seg) || !line_tells(t, b, count, f, &k))
        return 0;
    cold_in(t, b, k, at);
    lane_in(avx2, v + CWI_LINE_SLOTS + 1, k, (int16_t)node);
    lane_in(avx2, v, k, f);
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
    lane_out(avx2, v, k);
    line->frac[CWI_LINE_SLOTS - 1] = INT16_MAX;
    line->meta = (int16_t)(INT16_MAX + 1 - (int32_t)count);
    lane_out(avx2, v + CWI_LINE_SLOTS + 1, k);
    line->owner[CWI_LINE_SLOTS] = 0;
    if (k == 0)
        tell_before(t, b);
    return 1;
}

static __attribute__((noinline)) int
usual_in_any(struct cwi_table *t, uint64_t at, uint32_t node)
{
    return usual_in(0, t, at, node);
}

static __attribute__((noinline)) int
usual_out_any(struct cwi_table *t, uint64_t at)
{
    return usual_out(0, t, at);
}

#ifdef CWI_X86
static CWI_AVX2 int
usual_in_avx2(struct cwi_table *t, uint64_t at, uint32_t node)
{
    return usual_in(1, t, at, node);
}

static CWI_AVX2 int
usual_out_avx2(struct cwi_table *t, uint64_t at)
{
    return usual_out(1, t, at);
}
#else
#define usual_in_avx2  usual_in_any
#define usual_out_avx2 usual_out_any
#endif

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
    if (!owner_fits(t, bucket.count) || !cold_fits(t, b))
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

int
cwi_points_insert(struct cwi_table *t, uint64_t at, uint32_t node,
                  cwi_before_fn *before, const void *context)
{
    if (t->isa == CWI_ISA_AVX2 ? usual_in_avx2(t, at, node)
                               : usual_in_any(t, at, node))
        return 1;
    return unusual_in(t, at, node, before, context);
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

void
cwi_points_remove(struct cwi_table *t, uint64_t at, uint32_t node)
{
    if (!(t->isa == CWI_ISA_AVX2 ? usual_out_avx2(t, at)
                                 : usual_out_any(t, at)))
        unusual_out(t, at, node);
}

void
cwi_points_renumber(struct cwi_table *t, uint64_t at, uint32_t node,
                    uint32_t to)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    struct cwi_bucket bucket = cwi_bucket_get(t, b);
    struct owners o = owners_of(&bucket);
    uint32_t k = index_of(t, &bucket, b, at, node);

    set_owner(&o, k, to);
    if (bucket.count > slots(t))
        write_crowded(t, b, bucket.count, block_of(t, &bucket));
    if (k == 0)
        tell_before(t, b);
}
