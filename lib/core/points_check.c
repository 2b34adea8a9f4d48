/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_check.c - prove every invariant of a line table.
 */
#include "core/points_table.h"

/* Points of a bucket: in order, in their bucket, of known nodes, and as
 * many as start[] says. `before`: the position of the point before it. */
static const char *
check_bucket(const struct cwi_table *t, uint64_t b,
             const struct cwi_nodes *nodes, uint64_t *before)
{
    const uint64_t *cold = cwi_cold(t);
    const uint32_t *start = cwi_start(t);
    struct cwi_bucket bucket;
    uint32_t k;
    int16_t f;

    if (start[b] > start[b + 1] || start[b + 1] > t->cold_room)
        return "buckets begin in rising order";
    bucket = cwi_bucket_get(t, b);
    if (bucket.count > start[b + 1] - start[b] ||
        (bucket.count < start[b + 1] - start[b] && !t->spare_at))
        return "a line has as many points as its bucket";
    for (k = 0; k < bucket.count; k++) {
        uint64_t at = cold[start[b] + k];

        if (at < *before)
            return "points are in rising order";
        if (cwi_locate(t, at, &f) != b)
            return "a point is in the bucket of its position";
        if (cwi_bucket_owner(&bucket, k) >= nodes->n)
            return "a point belongs to a node";
        if (nodes->v[cwi_bucket_owner(&bucket, k)].weight == 0)
            return "a node of weight 0 has no point";
        *before = at;
    }
    return NULL;
}

static const char *
check_line(const struct cwi_table *t, uint64_t b)
{
    int narrow = t->mode == CWI_TABLE_NARROW;
    const int16_t *frac = narrow ? cwi_lines(t)[b].frac
                                 : cwi_lines_wide(t)[b].frac;
    int16_t meta = narrow ? cwi_lines(t)[b].meta : cwi_lines_wide(t)[b].meta;
    uint32_t slots = narrow ? CWI_LINE_SLOTS : CWI_LINE_WIDE;
    int crowded = narrow ? cwi_crowded(cwi_lines(t) + b)
                         : cwi_crowded_wide(cwi_lines_wide(t) + b);
    struct cwi_bucket bucket = cwi_bucket_get(t, b);
    uint32_t k, held = bucket.count;
    int16_t f;

    if (crowded)
        held = narrow ? CWI_CROWDED : CWI_CROWDED_WIDE;

    if (crowded != (bucket.count > slots))
        return "only crowded buckets spill";
    for (k = 0; k < slots; k++) {
        f = INT16_MAX;
        if (k < held)
            cwi_locate(t, cwi_cold(t)[cwi_start(t)[b] + k], &f);
        if (frac[k] != f)
            return "a fraction is that of its point";
        if (k < held && cwi_bucket_owner(&bucket, k) != (narrow
                            ? cwi_lines(t)[b].owner[k]
                            : cwi_lines_wide(t)[b].owner[k]))
            return "a crowded line has the owners of its first points";
    }
    if (crowded && meta > frac[held - 1])
        return "a crowded line tells nothing of points it does not hold";
    return NULL;
}

/* Every line, from the last to the first, ends with the owner of the first
 * point that follows. */
static const char *
check_successors(const struct cwi_table *t)
{
    uint64_t b = 0;
    struct cwi_bucket bucket = cwi_bucket_get(t, 0);
    uint32_t next;

    while (bucket.count == 0)
        bucket = cwi_bucket_get(t, ++b);
    next = cwi_bucket_owner(&bucket, 0);
    for (b = t->buckets; b-- > 0;) {
        bucket = cwi_bucket_get(t, b);
        if (cwi_bucket_owner(&bucket, bucket.count) != next)
            return "a line ends with the owner of the next point";
        if (bucket.count > 0)
            next = cwi_bucket_owner(&bucket, 0);
    }
    return NULL;
}

const char *
cwi_points_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct cwi_table *t = state;
    const char *broken;
    uint64_t b, before = 0, sum = 0;

    if (t->total == 0 || t->buckets == 0 || t->mode > CWI_TABLE_WIDE)
        return "a ring has points, buckets and a known layout";
    if (t->spare_at ? t->nodes < nodes->n : t->nodes != nodes->n)
        return "a ring is for as many nodes as the map has";
    if (t->isa > (uint8_t)cwi_isa_best())
        return "a ring is read with instructions of this processor";
    if (cwi_start(t)[0] != 0 ||
        cwi_start(t)[t->buckets] !=
            (t->mode == CWI_TABLE_PLAIN ? t->total : t->cold_room))
        return "buckets hold all points";
    for (b = 0; b < t->buckets; b++) {
        broken = check_bucket(t, b, nodes, &before);
        if (broken == NULL && t->mode != CWI_TABLE_PLAIN)
            broken = check_line(t, b);
        if (broken != NULL)
            return broken;
        sum += cwi_bucket_get(t, b).count;
    }
    if (sum != t->total)
        return "buckets hold all points";
    return t->mode == CWI_TABLE_PLAIN ? NULL : check_successors(t);
}
