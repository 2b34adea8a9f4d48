/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.c - questions to a ring but the fast one: order, arcs, counts, and
 * the exact owner. The layout is that of points_table.h; points_build.c
 * fills it, points_find.c has the fast look-up.
 */
#include "core/points_find.h"

static inline struct cwi_bucket
bucket_get(const struct cwi_table *t, uint64_t b)
{
    struct cwi_bucket bucket = { 0, NULL, NULL };

    if (t->mode == CWI_TABLE_PLAIN) {
        const uint32_t *start = cwi_start(t);

        bucket.count = start[b + 1] - start[b];
        bucket.wide = cwi_plain_owners(t) + start[b];
    } else if (t->mode == CWI_TABLE_NARROW) {
        const struct cwi_line *line = cwi_lines(t) + b;
        const uint16_t *spill = cwi_table_part(t, t->spill_at);

        bucket.count = (uint32_t)(INT16_MAX - line->meta);
        bucket.narrow = line->owner;
        if (CWI_UNLIKELY(cwi_crowded(line))) {
            bucket.count = line->owner[13];
            bucket.narrow = spill + (line->owner[14] |
                                     (uint32_t)line->owner[15] << 16);
        }
    } else {
        const struct cwi_line_wide *line = cwi_lines_wide(t) + b;
        const uint32_t *spill = cwi_table_part(t, t->spill_at);

        bucket.count = (uint32_t)(INT16_MAX - line->meta);
        bucket.wide = line->owner;
        if (CWI_UNLIKELY(cwi_crowded_wide(line))) {
            bucket.count = line->owner[9];
            bucket.wide = spill + (line->index[0] |
                                   (uint32_t)line->index[1] << 16);
        }
    }
    return bucket;
}

uint32_t
cwi_points_exact(const struct cwi_table *t, uint64_t at)
{
    int16_t f;
    uint64_t i = cwi_locate(t, at, &f);
    struct cwi_bucket b = bucket_get(t, i);
    uint32_t first = cwi_start(t)[i];
    uint32_t k = cwi_count_below(cwi_cold(t) + first, b.count, at);

    /* A plain table has no successors: its points simply go on. */
    if (t->mode == CWI_TABLE_PLAIN && first + (uint64_t)k == t->total)
        return cwi_plain_owners(t)[0];
    return cwi_bucket_owner(&b, k);
}

/* Where one goes round the ring: point k of bucket b. */
struct round {
    const struct cwi_table *t;
    uint64_t                b;
    uint32_t                k;
    struct cwi_bucket       bucket;
};

/* By the fractions where they tell, so that the positions, which are in
 * other cache lines, need not be read. */
static void
round_from(struct round *w, const struct cwi_table *t, uint64_t at)
{
    const int16_t *frac = NULL;
    unsigned slots = CWI_LINE_SLOTS;
    int16_t f;

    w->t = t;
    w->b = cwi_locate(t, at, &f);
    w->bucket = bucket_get(t, w->b);
    if (t->mode == CWI_TABLE_NARROW) {
        frac = cwi_lines(t)[w->b].frac;
    } else if (t->mode == CWI_TABLE_WIDE) {
        frac = cwi_lines_wide(t)[w->b].frac;
        slots = CWI_LINE_WIDE;
    }
    if (frac != NULL && w->bucket.count <= slots) {
        w->k = cwi_rank(frac, slots, f);
        if (frac[w->k] != f)    /* the lane behind is that of meta */
            return;
    }
    w->k = cwi_count_below(cwi_cold(t) + cwi_start(t)[w->b],
                           w->bucket.count, at);
}

/* Owner of the point that w is at; w goes on to the next one. */
static uint32_t
round_next(struct round *w)
{
    while (w->k == w->bucket.count) {
        w->b = w->b + 1 == w->t->buckets ? 0 : w->b + 1;
        w->bucket = bucket_get(w->t, w->b);
        w->k = 0;
    }
    return cwi_bucket_owner(&w->bucket, w->k++);
}

/* A node that is not yet in the list goes behind it; returns its length. */
static inline uint32_t
add_node(uint32_t *out, uint32_t len, uint32_t node)
{
    uint32_t i;

    for (i = 0; i < len && out[i] != node; i++)
        ;
    out[len] = node;            /* kept unless met before */
    return len + (i == len);
}

uint32_t
cwi_points_few(const void *state, uint64_t at, uint32_t *out, uint32_t n)
{
    const struct cwi_table *t = state;
    uint64_t left = t->total;
    struct round round;
    uint32_t len = 0;

    round_from(&round, t, at);
    for (; len < n && left > 0; left--)
        len = add_node(out, len, round_next(&round));
    return len;
}

void
cwi_points_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct cwi_table *t = state;
    struct round round;
    uint64_t left = t->total;

    round_from(&round, t, at);
    while (left-- > 0 && !cwi_walk_visit(w, round_next(&round)))
        ;
}

struct cwi_bucket
cwi_bucket_get(const struct cwi_table *t, uint64_t b)
{
    return bucket_get(t, b);
}

/* Owner of the first point, which owns what lies past the last one. */
static uint32_t
first_owner(const struct cwi_table *t)
{
    uint64_t b = 0;
    struct cwi_bucket bucket = bucket_get(t, 0);

    while (bucket.count == 0)
        bucket = bucket_get(t, ++b);
    return cwi_bucket_owner(&bucket, 0);
}

/*
 * The cursor is bucket << 32 | point within it, the first point at or after
 * `from`; a map may have at most 2^31 points, so both fit.
 */
void
cwi_points_arc(const void *state, uint64_t *cursor, uint64_t from,
               uint64_t *last, uint32_t *owner)
{
    const struct cwi_table *t = state;
    const uint64_t *cold = cwi_cold(t);
    uint64_t b = *cursor >> 32;
    uint32_t k = (uint32_t)*cursor;
    struct cwi_bucket bucket = { 0, NULL, NULL };
    int open = 0;       /* a stretch has begun */

    if (b < t->buckets)
        bucket = bucket_get(t, b);
    while (b < t->buckets) {
        uint32_t first = cwi_start(t)[b];

        for (; k < bucket.count; k++) {
            uint64_t at = cold[first + k];
            uint32_t node = cwi_bucket_owner(&bucket, k);

            if (at < from || (open && at == *last))
                continue;       /* hidden by an equal one, which was first */
            if (open && (node != *owner || *last == t->top)) {
                *cursor = b << 32 | k;
                return;
            }
            open = 1;
            *owner = node;
            *last = at < t->top ? at : t->top;
        }
        if (++b < t->buckets)
            bucket = bucket_get(t, b);
        k = 0;
    }
    *cursor = b << 32;
    if (open && *last == t->top)
        return;
    /* Past the last point the circle closes. */
    if (!open || *owner == first_owner(t)) {
        *owner = first_owner(t);
        *last = t->top;
    }
}

void
cwi_points_count(const void *state, uint64_t *per_node)
{
    const struct cwi_table *t = state;
    uint64_t b;
    uint32_t k;

    for (b = 0; b < t->buckets; b++) {
        struct cwi_bucket bucket = bucket_get(t, b);

        for (k = 0; k < bucket.count; k++)
            per_node[cwi_bucket_owner(&bucket, k)]++;
    }
}

struct cwi_point
cwi_points_at(const void *state, uint64_t i)
{
    const struct cwi_table *t = state;
    uint64_t at = cwi_cold(t)[i];
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    struct cwi_bucket bucket = bucket_get(t, b);
    struct cwi_point point = { 0, 0 };

    point.at = at;
    point.node = cwi_bucket_owner(&bucket, (uint32_t)(i - cwi_start(t)[b]));
    return point;
}

uint64_t
cwi_points_total(const void *state)
{
    return ((const struct cwi_table *)state)->total;
}
