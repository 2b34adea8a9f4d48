/* SPDX-License-Identifier: Apache-2.0 */
/* arcs.c - stretches of positions with one owner, of one map and of two. */
#include "core/core.h"

int
cwi_comparable_arcs(const cw_map *a, const cw_map *b)
{
    return (a->p.algo->traits & b->p.algo->traits & CW_TRAIT_ARCS) &&
           cwi_same_key_hash(&a->p, &b->p) &&
           (a->top == b->top || !a->active || !b->active);
}

/* Cut the stretch that begins at `from` where a pinned range begins or ends,
 * and give it to that range's node. */
static void
cut_by_pins(struct cwi_arcs *a, uint64_t from)
{
    uint64_t first, last;
    uint32_t node;

    while (cwi_pins_range(a->map, a->range, &first, &last, &node)) {
        if (last < from) {
            a->range++;
        } else if (first > from) {
            if (first <= a->last)
                a->last = first - 1;
            return;
        } else {
            if (last < a->last)
                a->last = last;
            if (node != CW_NONE) {
                a->owner = node;
                a->pinned = 1;
            }
            return;
        }
    }
}

void
cwi_arcs_next(struct cwi_arcs *a, uint64_t from)
{
    a->pinned = 0;
    if (a->map->active == 0) {
        a->last = UINT64_MAX;
        a->owner = CW_NONE;
        return;
    }
    if (!a->started || from > a->row_last)
        a->map->p.algo->arc(a->map->state, &a->cursor, from, &a->row_last,
                            &a->row_owner);
    a->started = 1;
    a->last = a->row_last;
    a->owner = a->row_owner;
    if (a->map->p.pins)
        cut_by_pins(a, from);
}

int
cwi_both_arcs(const cw_map *old_map, const cw_map *new_map,
              int (*visit)(void *context, const struct cwi_stretch *s),
              void *context)
{
    struct cwi_arcs a = { .map = old_map }, b = { .map = new_map };
    uint64_t top = old_map->active ? old_map->top : new_map->top;
    struct cwi_stretch s;
    int stop = 0;

    cwi_arcs_next(&a, 0);
    cwi_arcs_next(&b, 0);
    s.arc.first = 0;
    s.arc.from = a.owner;
    s.arc.to = b.owner;
    s.pinned = a.pinned || b.pinned;
    while (!stop) {
        s.arc.last = a.last < b.last ? a.last : b.last;
        if (s.arc.last == top)
            return visit(context, &s);
        if (a.last == s.arc.last)
            cwi_arcs_next(&a, s.arc.last + 1);
        if (b.last == s.arc.last)
            cwi_arcs_next(&b, s.arc.last + 1);
        if (a.owner == s.arc.from && b.owner == s.arc.to &&
            s.pinned == (a.pinned || b.pinned))
            continue;
        stop = visit(context, &s);
        s.arc.first = s.arc.last + 1;
        s.arc.from = a.owner;
        s.arc.to = b.owner;
        s.pinned = a.pinned || b.pinned;
    }
    return stop;
}

/* ---- for the caller's eyes --------------------------------------------- */

/* Puts together what differs in nothing but pins. */
struct joining {
    const uint32_t *new_to_old;     /* only what changes hands; NULL: all   */
    int           (*visit)(void *, const cw_arc *);
    void           *context;
    cw_arc          arc;            /* not handed on yet                    */
    int             has;
};

static int
hand_on(struct joining *j)
{
    if (!j->has)
        return 0;
    j->has = 0;
    return j->visit(j->context, &j->arc);
}

static int
visit_joined(void *context, const struct cwi_stretch *s)
{
    struct joining *j = context;
    const cw_arc *arc = &s->arc;
    int stop;

    if (j->has && j->arc.from == arc->from && j->arc.to == arc->to &&
        j->arc.last + 1 == arc->first) {
        j->arc.last = arc->last;
        return 0;
    }
    stop = hand_on(j);
    if (stop || (j->new_to_old && arc->from != CW_NONE &&
                 arc->to != CW_NONE && j->new_to_old[arc->to] == arc->from))
        return stop;
    j->arc = *arc;
    j->has = 1;
    return 0;
}

static int
joined_arcs(const cw_map *old_map, const cw_map *new_map, struct joining *j)
{
    int stop = cwi_both_arcs(old_map, new_map, visit_joined, j);

    return stop ? stop : hand_on(j);
}

cw_status
cw_map_arcs(const cw_map *map, int (*visit)(void *context, const cw_arc *arc),
            void *context, int *stopped)
{
    struct joining j = { .visit = visit, .context = context };
    int stop = 0;

    if (!(map->p.algo->traits & CW_TRAIT_ARCS))
        return CW_ENOTSUP;
    if (map->active)
        stop = joined_arcs(map, map, &j);
    if (stopped)
        *stopped = stop;
    return CW_OK;
}

cw_status
cw_diff_arcs(const cw_map *old_map, const cw_map *new_map,
             int (*visit)(void *context, const cw_arc *arc), void *context,
             int *stopped)
{
    struct joining j = { .visit = visit, .context = context };
    uint32_t *numbers;
    int stop = 0;

    if (!cwi_comparable_arcs(old_map, new_map))
        return CW_ENOTSUP;
    numbers = cwi_match(old_map, new_map);
    if (!numbers)
        return CW_ENOMEM;
    j.new_to_old = numbers;
    if (old_map->active || new_map->active)
        stop = joined_arcs(old_map, new_map, &j);
    cwi_free(&new_map->alloc, numbers);
    if (stopped)
        *stopped = stop;
    return CW_OK;
}
