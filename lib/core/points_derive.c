/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_derive.c - a ring from an older one: a merge of the points that
 * stay, which are in order already, with those of the nodes that changed.
 *
 * Meanwhile nodes have their ranks in place of their numbers: the smaller one
 * wins a tie.
 */
#include "core/points_table.h"

#include <string.h>

/* The merged points: cold[] of the new table and node[]. */
struct merged {
    uint64_t *at;
    uint32_t *node;
    uint64_t  len;
};

/* The fresh points, in order. */
struct fresh {
    const uint64_t *at;
    const uint32_t *node;
    uint64_t        left;
};

static void
take(struct merged *m, uint64_t at, uint32_t node)
{
    m->at[m->len] = at;
    m->node[m->len++] = node;
}

/* All fresh points before (at, node). */
static void
take_fresh(struct merged *m, struct fresh *f, uint64_t at, uint32_t node)
{
    while (f->left > 0 &&
           (*f->at < at || (*f->at == at && *f->node < node))) {
        take(m, *f->at++, *f->node++);
        f->left--;
    }
}

/*
 * Owners of lines that follow each other: some lines at a time, so that no
 * loop takes the few points of one line, whose number nobody foresees. Their
 * positions lie together, as only tables inside live maps have gaps.
 */
#define SOME_LINES 32u

struct some {
    uint32_t lines;
    uint32_t points;
    uint16_t owner[SOME_LINES * CWI_LINE_SLOTS + CWI_LINE_SLOTS + 1];
};

/* Narrow lines from b on, none of them crowded. */
static void
get_lines(struct some *s, const struct cwi_table *t, uint64_t b)
{
    const struct cwi_line *line = cwi_lines(t) + b;
    uint64_t most = t->buckets - b;

    s->lines = s->points = 0;
    while (s->lines < SOME_LINES && s->lines < most && !cwi_crowded(line)) {
        /* All of it: what is too much is written over. */
        memcpy(s->owner + s->points, line->owner, sizeof(line->owner));
        s->points += (uint32_t)(INT16_MAX - line++->meta);
        s->lines++;
    }
}

static inline void
take_older(struct merged *m, struct fresh *f, uint64_t at, uint32_t node)
{
    if (node == CW_NONE)
        return;
    if (f->left > 0 && *f->at <= at)
        take_fresh(m, f, at, node);
    take(m, at, node);
}

static void
merge_older(struct merged *m, struct fresh *f, const struct cwi_table *older,
            const uint32_t *after)
{
    struct some some = { 0, 0, { 0 } };
    uint64_t b;
    uint32_t k;

    for (b = 0; b < older->buckets; b += some.lines) {
        const uint64_t *at = cwi_cold(older) + cwi_start(older)[b];
        struct cwi_bucket bucket;

        if (older->mode == CWI_TABLE_NARROW)
            get_lines(&some, older, b);
        for (k = 0; k < some.points; k++)
            take_older(m, f, at[k], after[some.owner[k]]);
        if (some.lines > 0)
            continue;
        bucket = cwi_bucket_get(older, b++);
        for (k = 0; k < bucket.count; k++)
            take_older(m, f, at[k], after[cwi_bucket_owner(&bucket, k)]);
    }
    take_fresh(m, f, UINT64_MAX, UINT32_MAX);
}

/* Are two of the n rising positions equal? */
static int
has_equal(const uint64_t *at, uint64_t n)
{
    uint64_t i, equal = 0;

    for (i = 1; i < n; i++)
        equal |= at[i] == at[i - 1];
    return equal != 0;
}

/* Nodes that changed their place in the list are new, too, where the rest
 * keep theirs. Returns how many points are new, and all in *sum. */
static uint64_t
count_fresh(const struct cwi_nodes *nodes, const struct cwi_rule *rule,
            const uint64_t *counts, const struct cwi_older *older,
            uint64_t *sum)
{
    uint32_t least = 0, i, k;
    uint64_t fresh = 0;

    *sum = 0;
    for (i = 0; i < nodes->n; i++) {
        k = older->before[i];
        if (k != CW_NONE && (k < least || (rule->by_place && k != i)))
            older->before[i] = older->after[k] = CW_NONE;
        if (older->before[i] == CW_NONE)
            fresh += counts[i];
        else
            least = k + 1;
        *sum += counts[i];
    }
    return fresh;
}

/* order[rank] becomes the number of a node. */
static void
rank_nodes(const struct cwi_nodes *nodes, const struct cwi_rule *rule,
           uint32_t *order)
{
    uint32_t i, k, swap;

    cwi_order_nodes(order, order + nodes->n, nodes, rule->before);
    if (rule->tie != CWI_TIE_LAST)
        return;
    for (i = 0, k = nodes->n; i + 1 < k; i++) {
        swap = order[i];
        order[i] = order[--k];
        order[k] = swap;
    }
}

/* The points of nodes that are new, by rank; after[] leads to ranks. */
static void
make_fresh(const struct cwi_nodes *nodes, const struct cwi_placement *p,
           const struct cwi_rule *rule, const uint64_t *counts,
           const struct cwi_older *older, const uint32_t *order,
           uint8_t *text, struct cwi_point *raw)
{
    uint32_t rank, i;
    uint64_t k;

    for (rank = 0; rank < nodes->n; rank++) {
        i = order[rank];
        if (older->before[i] != CW_NONE) {
            older->after[older->before[i]] = rank;
            continue;
        }
        p->algo->patch->points(p, rule, &nodes->v[i], i, counts[i], text,
                               raw);
        for (k = 0; k < counts[i]; k++)
            raw++->node = rank;
    }
}

/*
 * Scratch is n raw points of 16 bytes, the first `fresh` of them set, and n
 * owners of 4 bytes. The fresh points are taken apart where they are, into
 * positions (n * 8 bytes) and owners (n * 4); behind these there is room to
 * sort them, up to half of all points, before the merge fills the last part.
 */
static void
merge_all(struct cwi_table *t, struct cwi_point *raw, uint64_t fresh,
          const struct cwi_older *older)
{
    uint64_t n = t->total, i;
    uint32_t *node = (uint32_t *)(raw + n);
    uint64_t *at = (uint64_t *)(void *)raw;
    uint32_t *owner = (uint32_t *)(at + n);
    struct merged m = { cwi_cold(t), node, 0 };
    struct fresh f = { at, owner, fresh };

    for (i = 0; i < fresh; i++)
        node[i] = raw[i].node;
    for (i = 0; i < fresh; i++)
        at[i] = raw[i].at;
    memcpy(owner, node, (size_t)fresh * sizeof(*node));
    cwi_points_sort(at, owner, (uint32_t)fresh, owner + n + n % 2);
    merge_older(&m, &f, older->state, older->after);
}

int
cwi_points_derive(void *state, void *scratch, const struct cwi_nodes *nodes,
                  const struct cwi_placement *p, const struct cwi_rule *rule,
                  uint64_t top, const uint64_t *counts,
                  const struct cwi_older *older, uint32_t *order,
                  uint8_t *text)
{
    const struct cwi_table *from = older->state;
    struct cwi_table *t = state;
    struct cwi_point *raw = cwi_points_raw(scratch);
    uint64_t sum, fresh = count_fresh(nodes, rule, counts, older, &sum), i;
    uint32_t *node = (uint32_t *)(raw + sum);

    /* Mostly new: sorting is as fast. Where nodes take turns, each node at
     * a position changes the turn of the others. */
    if (fresh > sum / 2 ||
        (rule->tie == CWI_TIE_TURN && has_equal(cwi_cold(from), from->total)))
        return 0;
    rank_nodes(nodes, rule, order);
    make_fresh(nodes, p, rule, counts, older, order, text, raw);
    cwi_table_begin(t, sum, nodes->n, top);
    merge_all(t, raw, fresh, older);
    if (rule->tie == CWI_TIE_TURN && has_equal(cwi_cold(t), sum)) {
        cwi_points_again(state);
        return 0;
    }
    /* Else ranks are numbers. */
    for (i = 0; i < sum && (rule->before || rule->tie == CWI_TIE_LAST); i++)
        node[i] = order[node[i]];
    cwi_table_fill(t, node, scratch);
    return 1;
}
