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
row_node(const cw_map *map, uint32_t i)
{
    const struct cwi_map_node *n = &map->nodes[i];
    struct cwi_node v;

    memset(&v, 0, sizeof v);
    v.name = (const uint8_t *)cwi_map_text(map, n->name);
    v.name_len = n->name_len;
    v.label = (const uint8_t *)cwi_map_text(map, n->label);
    v.label_len = n->label_len;
    v.weight = n->weight;
    v.position_count = n->positions;
    if (n->positions)
        v.positions = cwi_map_positions(map, i);
    return v;
}

/* Does node a stand before node b in the fleet, or by label and name? */
static int
stands_before(const cw_map *map, uint32_t a, uint32_t b)
{
    const struct cwi_map_node *x = &map->nodes[a], *y = &map->nodes[b];
    int c;

    if (map->rule.before) {
        struct cwi_node m = row_node(map, a), n = row_node(map, b);

        if (map->rule.before(&m, &n))
            return 1;
        if (map->rule.before(&n, &m))
            return 0;
    }
    if (!(map->p.algo->traits & CW_TRAIT_ORDER_FREE))
        return x->joined < y->joined;
    c = cwi_bytes_order(cwi_map_text(map, x->label), x->label_len,
                        cwi_map_text(map, y->label), y->label_len);
    if (c == 0)
        c = cwi_bytes_order(cwi_map_text(map, x->name), x->name_len,
                            cwi_map_text(map, y->name), y->name_len);
    return c < 0;
}

/* Which of equal positions comes first. */
static int
before(const void *context, uint32_t a, uint32_t b)
{
    const cw_map *map = context;

    return map->rule.tie == CWI_TIE_LAST ? stands_before(map, b, a)
                                         : stands_before(map, a, b);
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

/* ---- names ------------------------------------------------------------- */

/* Only pins ask a copy for a node by its name: by_name[] is kept for them.
 * Node i, the last one, joins; or leaves, and the last one gets its number. */
static void
join_names(cw_map *map, uint32_t i)
{
    const struct cwi_map_node *n = &map->nodes[i], *other;
    uint32_t k = i;

    for (; map->p.pins && k > 0; k--) {
        other = &map->nodes[map->nodes[k - 1].by_name];
        if (cwi_bytes_order(cwi_map_text(map, other->name), other->name_len,
                            cwi_map_text(map, n->name), n->name_len) < 0)
            break;
        node_of(map, k)->by_name = map->nodes[k - 1].by_name;
    }
    node_of(map, k)->by_name = i;
}

static void
leave_names(cw_map *map, uint32_t i)
{
    uint32_t last = map->count - 1, to = 0;

    for (uint32_t k = 0; map->p.pins && k <= last; k++) {
        uint32_t node = map->nodes[k].by_name;

        if (node != i)
            node_of(map, to++)->by_name = node == last ? i : node;
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

/* The fleet after a change as its row sees it. */
struct after {
    struct cwi_nodes nodes;
    uint32_t         at;    /* of the changed node, CW_NONE: it is gone     */
};

static void
push(struct after *after, struct cwi_node *v, const struct cwi_member *m,
     uint64_t weight)
{
    cwi_member_node(m, v + after->nodes.n);
    v[after->nodes.n++].weight = weight;
    after->nodes.active += weight != 0;
    after->nodes.total += weight;
}

/* All nodes; where points depend on the node alone, another one with a
 * weight, beside which the row must allow the changed node, and this. */
static void
after_change(struct after *after, struct cwi_node *v, int alone,
             const cw_fleet *fleet, const struct cwi_change *change)
{
    const struct cwi_member *m;

    *after = (struct after){ { v, 0, 0, 0 }, CW_NONE };
    for (uint32_t i = 0; i < fleet->count; i++) {
        m = fleet->list[i];
        if (m != change->member) {
            if (!alone || m->weight != 0)
                push(after, v, m, m->weight);
            if (alone && m->weight != 0)
                break;
        } else if (!alone && change->kind != CWI_CHANGE_REMOVE) {
            after->at = after->nodes.n;
            push(after, v, m, change->weight);
        }
    }
    if (alone && change->kind != CWI_CHANGE_REMOVE) {
        after->at = after->nodes.n;
        push(after, v, change->member, change->weight);
    }
}

/* Do all other nodes keep their points? */
static int
others_stay(const cw_map *map, const cw_fleet *fleet,
            const struct cwi_change *change, const uint64_t *counts)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < fleet->count; i++) {
        const struct cwi_member *m = fleet->list[i];

        if (m != change->member && counts[k] != map->nodes[m->number].points)
            return 0;
        k += m != change->member || change->kind != CWI_CHANGE_REMOVE;
    }
    return 1;
}

static cw_status
grow_nodes(struct cwi_patch_room *room, uint32_t n, const cw_allocator *a)
{
    if (n <= room->nodes_len)
        return CW_OK;
    cwi_free(a, room->nodes);
    cwi_free(a, room->counts);
    room->nodes_len = n + n / 16;
    room->nodes = cwi_alloc(a, room->nodes_len, sizeof *room->nodes);
    room->counts = cwi_alloc(a, room->nodes_len, sizeof *room->counts);
    if (room->nodes && room->counts)
        return CW_OK;
    room->nodes_len = 0;
    return CW_ENOMEM;
}

/* Does the row allow the change, and does only this node's part change?
 * Sets room->to. A node with a weight and without a point would come last in
 * each preference list, by its number. */
static cw_status
ask_row(const cw_map *map, const cw_fleet *fleet,
        const struct cwi_change *change, struct cwi_patch_room *room,
        const cw_allocator *a)
{
    const struct cwi_algo_ops *row = map->p.algo;
    int alone = (row->traits & CW_TRAIT_MINIMAL) != 0;
    struct cwi_plan plan = { 0, 0, 0, 0 };
    struct cwi_node few[2];
    uint64_t few_counts[2], *counts = few_counts;
    struct cwi_rule rule;
    struct after after;

    if (!alone && grow_nodes(room, fleet->count, a) != CW_OK)
        return CW_ENOMEM;
    after_change(&after, alone ? few : room->nodes, alone, fleet, change);
    if (row->plan(row, &after.nodes, &map->p, &plan, NULL) != CW_OK)
        return CW_ENOTSUP;
    row->patch->rule(&map->p, &after.nodes, &rule);
    if (rule.ring != map->rule.ring)
        return CW_ENOTSUP;
    if (!alone)
        counts = room->counts;
    row->patch->counts(&map->p, &rule, &after.nodes, counts);
    room->to = after.at == CW_NONE ? 0 : counts[after.at];
    if ((change->weight && !room->to) ||
        (!alone && !others_stay(map, fleet, change, counts)))
        return CW_ENOTSUP;
    return CW_OK;
}

/* How many points lie at that position? */
static uint32_t
points_at(const struct cwi_table *t, uint64_t at)
{
    int16_t f;
    uint64_t b = cwi_locate(t, at, &f);
    uint32_t count = cwi_bucket_get(t, b).count;
    const uint64_t *cold = cwi_cold(t) + cwi_start(t)[b];
    uint32_t first = cwi_count_below(cold, count, at), k = first;

    while (k < count && cold[k] == at)
        k++;
    return k - first;
}

/* Where nodes take turns: a point that comes or goes must be alone at its
 * position, or the others have another turn. */
static int
turns_stay(const cw_map *map, const struct cwi_patch_room *room,
           uint64_t from)
{
    uint64_t k = from < room->to ? from : room->to;

    for (; map->rule.tie == CWI_TIE_TURN && k < room->most; k++) {
        if (points_at(table(map), room->points[k].at) > (from > room->to))
            return 0;
    }
    return 1;
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

/* Make the points that change, and those of node `last` if it is to get
 * another number. */
static cw_status
make_points(const cw_map *map, const struct cwi_change *change, uint64_t from,
            struct cwi_patch_room *room, const cw_allocator *a)
{
    const struct cwi_patch *patch = map->p.algo->patch;
    uint32_t last = map->count - 1;
    int moves = change->kind == CWI_CHANGE_REMOVE && change->number != last;
    struct cwi_node n, other;
    uint32_t longest;
    cw_status st;

    cwi_member_node(change->member, &n);
    other = moves ? row_node(map, last) : n;
    longest = other.label_len > n.label_len ? other.label_len : n.label_len;
    room->most = from > room->to ? from : room->to;
    /* One place more, so that there is memory for no points, too. */
    st = grow(room, room->most + (moves ? map->nodes[last].points : 0) + 1,
              CWI_TEXT_ROOM(longest), a);
    if (st != CW_OK)
        return st;
    patch->points(&map->p, &map->rule, &n, change->number, room->most,
                  room->text, room->points);
    if (moves)
        patch->points(&map->p, &map->rule, &other, last,
                      map->nodes[last].points, room->text,
                      room->points + room->most);
    return turns_stay(map, room, from) ? CW_OK : CW_ENOTSUP;
}

/* Is there room in the block for one more node? */
static int
node_fits(const cw_map *map, const struct cwi_member *m)
{
    return map->count < map->room && map->joined < UINT32_MAX &&
           (size_t)m->name.len + 2 <= map->text_end - map->text_at;
}

/* Are the points of a build dealt in another order than that of the list,
 * in which the row is asked here? */
static int
dealt_otherwise(const cw_map *map)
{
    return map->rule.by_order && (map->p.algo->traits & CW_TRAIT_ORDER_FREE);
}

cw_status
cwi_patch_ready(const cw_map *map, const cw_fleet *fleet,
                const struct cwi_change *change, struct cwi_patch_room *room,
                const cw_allocator *a)
{
    int adds = change->kind == CWI_CHANGE_ADD;
    uint64_t from = 0, weight = 0;
    struct cwi_node n;
    cw_status st;

    if (change->kind == CWI_CHANGE_STATE)
        return CW_OK;
    if (!map->rule.ring || map->rule.by_place || change->pointless ||
        dealt_otherwise(map) || map->active == 0 ||
        table(map)->mode == CWI_TABLE_PLAIN ||
        (adds && !node_fits(map, change->member)))
        return CW_ENOTSUP;
    if (!adds) {
        from = map->nodes[change->number].points;
        weight = map->nodes[change->number].weight;
    }
    if (weight && map->active == 1)
        return CW_ENOTSUP;      /* perhaps the last one with keys */
    cwi_member_node(change->member, &n);
    if (change->labelled && !weight && change->weight &&
        (map->p.algo->traits & CW_TRAIT_ORDER_FREE) &&
        label_taken(map, &n, adds ? CW_NONE : change->number))
        return CW_ENOTSUP;
    st = ask_row(map, fleet, change, room, a);
    if (st != CW_OK)
        return st;
    if (!cwi_spare_fits(table(map), table(map)->total + room->to - from))
        return CW_ENOTSUP;
    return make_points(map, change, from, room, a);
}

/* ---- changes ----------------------------------------------------------- */

/* Let node `number` have the points that room says. */
static int
set_points(cw_map *map, uint32_t number, const struct cwi_patch_room *room)
{
    struct cwi_table *t = table(map);
    uint64_t from = map->nodes[number].points, to = room->to;

    if (from < to && !cwi_points_insert(t, room->points + from, to - from,
                                        before, map))
        return 0;
    if (to < from)
        cwi_points_remove(t, room->points + to, from - to);
    map->points += to - from;
    node_of(map, number)->points = to;
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

    memset(n, 0, sizeof *n);
    n->name = n->label = put_text(map, &m->name);
    n->name_len = n->label_len = m->name.len;
    n->address = n->zone = n->name + n->name_len;   /* its NUL: empty */
    n->weight = m->weight;
    n->zone_id = i;
    n->zone_active = m->weight != 0;
    n->joined = map->joined++;
    join_names(map, i);
    map->count++;
    map->active += m->weight != 0;
    map->zones += m->weight != 0;
    map->total_weight += m->weight;
    return set_points(map, i, room);
}

/* Give node `from`, the last one, the number `to`, which is free. */
static void
renumber(cw_map *map, uint32_t from, uint32_t to,
         const struct cwi_patch_room *room)
{
    const struct cwi_point *points = room->points + room->most;
    uint32_t by_name = map->nodes[to].by_name;

    cwi_points_renumber(table(map), points, map->nodes[from].points, to);
    *node_of(map, to) = map->nodes[from];
    node_of(map, to)->by_name = by_name;
    if (map->nodes[from].zone_id == from)
        renumber_zone(map, from, to);
}

static int
make_remove(cw_map *map, uint32_t i, const struct cwi_patch_room *room)
{
    uint64_t weight = map->nodes[i].weight;
    int made = set_points(map, i, room);

    map->active -= weight != 0;
    map->total_weight -= weight;
    node_of(map, i)->weight = 0;
    count_zone(map, i);
    leave_zone(map, i);
    leave_names(map, i);
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

    map->total_weight += weight - old;
    map->active += (weight != 0) - (uint32_t)(old != 0);
    n->weight = weight;
    count_zone(map, i);
    return set_points(map, i, room);
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
