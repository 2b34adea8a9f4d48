/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_patch.c - change one node of a map in place: a copy inside a live
 * map, which no reader looks at.
 *
 * The copies number nodes in the order of joining; the last node takes the
 * number of one that leaves. Only what zones and labels of their own need
 * depends on how many nodes there are: to go through them once.
 */
#include <string.h>

#include "core/live.h"
#include "core/points_table.h"

static struct cwi_table *
table(const cw_map *map)
{
    return (struct cwi_table *)(uintptr_t)map->state;
}

static struct cwi_map_node *
node_of(const cw_map *map, uint32_t i)
{
    return (struct cwi_map_node *)(uintptr_t)&map->nodes[i];
}

/* Node i as its row sees it. */
static struct cwi_node
row_node(const cw_map *map, uint32_t i, uint64_t weight)
{
    const struct cwi_map_node *n = &map->nodes[i];
    struct cwi_node v;

    memset(&v, 0, sizeof v);
    v.name = (const uint8_t *)cwi_map_text(map, n->name);
    v.name_len = n->name_len;
    v.label = (const uint8_t *)cwi_map_text(map, n->label);
    v.label_len = n->label_len;
    v.weight = weight;
    v.position_count = n->positions;
    if (n->positions)
        v.positions = cwi_map_positions(map, i);
    return v;
}

/* A node that is to be added, as its row sees it. */
static struct cwi_node
member_node(const struct cwi_member *m)
{
    struct cwi_node v;

    memset(&v, 0, sizeof v);
    v.name = v.label = (const uint8_t *)m->name.data;
    v.name_len = v.label_len = m->name.len;
    v.weight = m->weight;
    return v;
}

/* Equal positions go by label, then by name. */
static int
before(const void *context, uint32_t a, uint32_t b)
{
    const cw_map *map = context;
    const struct cwi_map_node *x = &map->nodes[a], *y = &map->nodes[b];
    int c = cwi_bytes_order(cwi_map_text(map, x->label), x->label_len,
                            cwi_map_text(map, y->label), y->label_len);

    if (c == 0)
        c = cwi_bytes_order(cwi_map_text(map, x->name), x->name_len,
                            cwi_map_text(map, y->name), y->name_len);
    return c < 0;
}

/* ---- zones ------------------------------------------------------------- */

/*
 * The nodes of a zone have the number of one of them in common, which keeps
 * whether the zone has a weight. A node without a zone is one of its own;
 * only for others are all nodes gone through.
 */
static int
has_zone(const struct cwi_map_node *n)
{
    return n->zone_len > 0;
}

/* The zone of node i, whose weight has changed. */
static void
count_zone(cw_map *map, uint32_t i)
{
    uint32_t zone = map->nodes[i].zone_id;
    uint32_t active = map->nodes[i].weight != 0;

    for (uint32_t k = 0; has_zone(&map->nodes[i]) && k < map->count; k++)
        active |= map->nodes[k].zone_id == zone && map->nodes[k].weight != 0;
    map->zones += active - map->nodes[zone].zone_active;
    node_of(map, zone)->zone_active = active;
}

/* The zone that has the number `from` gets the number of node `to`. */
static void
renumber_zone(cw_map *map, uint32_t from, uint32_t to)
{
    node_of(map, to)->zone_active = map->nodes[from].zone_active;
    for (uint32_t k = 0; has_zone(&map->nodes[from]) && k < map->count; k++) {
        if (map->nodes[k].zone_id == from)
            node_of(map, k)->zone_id = to;
    }
    node_of(map, to)->zone_id = to;
}

/* Node i leaves: another one gives its number to the zone. */
static void
leave_zone(cw_map *map, uint32_t i)
{
    if (map->nodes[i].zone_id != i || !has_zone(&map->nodes[i]))
        return;
    for (uint32_t k = 0; k < map->count; k++) {
        if (k != i && map->nodes[k].zone_id == i) {
            renumber_zone(map, i, k);
            return;
        }
    }
}

/* ---- before a change --------------------------------------------------- */

/* Is there an active node with that label already? Such a fleet is refused,
 * which the build does. */
static int
label_taken(const cw_map *map, const struct cwi_node *n, uint32_t but)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const struct cwi_map_node *other = &map->nodes[i];

        if (i != but && other->weight != 0 &&
            cwi_bytes_order(cwi_map_text(map, other->label), other->label_len,
                            n->label, n->label_len) == 0)
            return 1;
    }
    return 0;
}

static cw_status
grow(struct cwi_patch_room *room, uint64_t points, size_t text,
     const cw_allocator *a)
{
    if (points > room->count) {
        struct cwi_point *p = cwi_alloc(a, (size_t)points, sizeof *p);

        if (!p)
            return CW_ENOMEM;
        cwi_free(a, room->points);
        room->points = p;
        room->count = points;
    }
    if (text > room->text_len) {
        uint8_t *t = cwi_alloc(a, text, 1);

        if (!t)
            return CW_ENOMEM;
        cwi_free(a, room->text);
        room->text = t;
        room->text_len = text;
    }
    return CW_OK;
}

/* Node i, points of it now and after the change; the larger of both. */
static uint64_t
points_of(const cw_map *map, uint32_t i, uint64_t weight)
{
    struct cwi_node n = row_node(map, i, weight);

    return map->p.algo->patch->count(&map->p, &n);
}

cw_status
cwi_patch_ready(const cw_map *map, const struct cwi_change *change,
                struct cwi_patch_room *room, const cw_allocator *a)
{
    const struct cwi_map_node *last;
    uint64_t now = 0, then = 0, most;
    size_t label_len;

    if (change->kind == CWI_CHANGE_STATE)
        return CW_OK;
    if (!map->p.algo->patch || map->active == 0 ||
        table(map)->mode == CWI_TABLE_PLAIN)
        return CW_ENOTSUP;
    if (change->kind == CWI_CHANGE_ADD) {
        struct cwi_node n = member_node(change->member);

        if (map->count == map->room ||
            (size_t)n.name_len + 2 > map->text_end - map->text_at ||
            (change->labelled && n.weight && label_taken(map, &n, CW_NONE)))
            return CW_ENOTSUP;
        then = map->p.algo->patch->count(&map->p, &n);
        label_len = n.label_len;
    } else {
        uint64_t weight = map->nodes[change->number].weight;

        label_len = map->nodes[change->number].label_len;
        now = points_of(map, change->number, weight);
        if (change->kind == CWI_CHANGE_WEIGHT) {
            struct cwi_node n = row_node(map, change->number, change->weight);

            if (change->labelled && n.weight && !weight &&
                label_taken(map, &n, change->number))
                return CW_ENOTSUP;
            then = points_of(map, change->number, change->weight);
        }
        if (weight && map->active == 1)
            return CW_ENOTSUP;      /* perhaps the last one with keys */
    }
    if (!cwi_spare_fits(table(map), table(map)->total + then - now))
        return CW_ENOTSUP;
    most = now > then ? now : then;
    if (change->kind == CWI_CHANGE_REMOVE) {
        last = &map->nodes[map->count - 1];
        now = points_of(map, map->count - 1, last->weight);
        most = now > most ? now : most;
        label_len = last->label_len > label_len ? last->label_len : label_len;
    }
    return grow(room, most, label_len + 9, a);
}

/* ---- changes ----------------------------------------------------------- */

/* Cache lines of positions that move with one, half a segment. */
#define COLD_ASKED 6u

/*
 * The lines of n points, asked for together: their misses overlap. Inlined by
 * force: gcc 12 holds a function that only prefetches for one without effect
 * and drops the call: a node added to 1,000 took 140 us in both copies, with
 * the call about 60 (busy machine).
 */
static inline __attribute__((always_inline)) void
ask(const struct cwi_table *t, const struct cwi_point *p, uint64_t n)
{
    uint64_t i, k;
    int16_t f;

    for (i = 0; i < n; i++) {
        uint64_t b = cwi_locate(t, p[i].at, &f);

        __builtin_prefetch(cwi_lines(t) + b, 1);
        __builtin_prefetch(cwi_start(t) + b, 1);
        __builtin_prefetch(cwi_segments(t) + b / CWI_SEGMENT_LINES, 1);
    }
    for (i = 0; i < n; i++) {
        const uint64_t *cold =
            cwi_cold(t) + cwi_start(t)[cwi_locate(t, p[i].at, &f)];

        for (k = 0; k < COLD_ASKED; k++)
            __builtin_prefetch(cold + k * 8, 1);
    }
}

/* Let node `number` have `to` points where it has `from`. */
static int
set_points(cw_map *map, uint32_t number, const struct cwi_node *n,
           uint64_t from, uint64_t to, const struct cwi_patch_room *room)
{
    struct cwi_table *t = table(map);
    struct cwi_node more = *n;
    uint64_t i;

    if (from == to)
        return 1;
    map->p.algo->patch->points(&map->p, &more, room->text, room->points);
    ask(t, room->points + (from < to ? from : to),
        from < to ? to - from : from - to);
    for (i = from; i < to; i++) {
        if (!cwi_points_insert(t, room->points[i].at, number, before, map))
            return 0;
    }
    for (i = to; i < from; i++)
        cwi_points_remove(t, room->points[i].at, number);
    map->points += to - from;
    node_of(map, number)->points += to - from;
    return 1;
}

static size_t
put_text(cw_map *map, const struct cwi_text *text)
{
    size_t at = map->text_at;

    memcpy((char *)map + at, text->data, text->len);
    ((char *)map)[at + text->len] = '\0';
    map->text_at += (size_t)text->len + 1;
    return at;
}

static int
make_add(cw_map *map, const struct cwi_member *m,
         const struct cwi_patch_room *room)
{
    uint32_t i = map->count;
    struct cwi_map_node *n = node_of(map, i);
    struct cwi_node row;

    memset(n, 0, sizeof *n);
    n->name = n->label = put_text(map, &m->name);
    n->name_len = n->label_len = m->name.len;
    n->address = n->zone = n->name + n->name_len;   /* its NUL: empty */
    n->weight = m->weight;
    n->zone_id = i;
    n->zone_active = m->weight != 0;
    map->count++;
    map->active += m->weight != 0;
    map->zones += m->weight != 0;
    map->total_weight += m->weight;
    row = row_node(map, i, m->weight);
    return set_points(map, i, &row, 0,
                      map->p.algo->patch->count(&map->p, &row), room);
}

/* Give node `from`, the last one, the number `to`, which is free. */
static void
renumber(cw_map *map, uint32_t from, uint32_t to,
         const struct cwi_patch_room *room)
{
    struct cwi_node row = row_node(map, from, map->nodes[from].weight);
    uint64_t i, count = map->p.algo->patch->count(&map->p, &row);

    map->p.algo->patch->points(&map->p, &row, room->text, room->points);
    ask(table(map), room->points, count);
    for (i = 0; i < count; i++)
        cwi_points_renumber(table(map), room->points[i].at, from, to);
    *node_of(map, to) = map->nodes[from];
    if (map->nodes[from].zone_id == from)
        renumber_zone(map, from, to);
}

static int
make_remove(cw_map *map, uint32_t i, const struct cwi_patch_room *room)
{
    uint64_t weight = map->nodes[i].weight;
    struct cwi_node row = row_node(map, i, weight);
    int made = set_points(map, i, &row,
                          map->p.algo->patch->count(&map->p, &row), 0, room);

    map->active -= weight != 0;
    map->total_weight -= weight;
    node_of(map, i)->weight = 0;
    count_zone(map, i);
    leave_zone(map, i);
    map->count--;
    if (i != map->count)
        renumber(map, map->count, i, room);
    return made;
}

static int
make_weight(cw_map *map, uint32_t i, uint64_t weight,
            const struct cwi_patch_room *room)
{
    struct cwi_map_node *n = node_of(map, i);
    uint64_t old = n->weight;
    struct cwi_node row = row_node(map, i, weight > old ? weight : old);

    map->total_weight += weight - old;
    map->active += (weight != 0) - (uint32_t)(old != 0);
    n->weight = weight;
    count_zone(map, i);
    return set_points(map, i, &row, points_of(map, i, old),
                      points_of(map, i, weight), room);
}

int
cwi_patch_make(cw_map *map, const struct cwi_change *change,
               const struct cwi_patch_room *room)
{
    switch (change->kind) {
    case CWI_CHANGE_NONE:
        return 1;
    case CWI_CHANGE_ADD:
        return make_add(map, change->member, room);
    case CWI_CHANGE_REMOVE:
        return make_remove(map, change->number, room);
    case CWI_CHANGE_WEIGHT:
        return make_weight(map, change->number, change->weight, room);
    case CWI_CHANGE_STATE:
        node_of(map, change->number)->state = (uint32_t)change->state;
        return 1;
    }
    return 0;
}
