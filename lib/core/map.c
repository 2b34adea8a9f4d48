/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - one block of memory: header, nodes, texts, and the placement's
 * state. Built once, never changed.
 */
#include <string.h>

#include "core/compat.h"
#include "core/core.h"
#include "core/points_table.h"

#define STATE_ALIGN 64u

/* What is needed only while building. */
struct build {
    const cw_fleet      *fleet;
    struct cwi_member  **order;         /* members as the map numbers them  */
    uint32_t            *numbers;       /* for sorting, twice the count     */
    struct cwi_node     *v;
    uint32_t            *zones;         /* open addressing: node + 1        */
    size_t               zones_size;
    uint64_t            *points;        /* a node                           */
    struct cwi_nodes     nodes;
    struct cwi_plan      plan;
    struct cwi_rule      rule;          /* ring: points go node by node     */
    int                  roomy;         /* cwi_map_build_roomy()            */
    const cw_map        *older;         /* to derive from, or NULL          */
    uint32_t            *before;        /* struct cwi_older                 */
    uint32_t            *after;
    uint8_t             *text;          /* of points; NULL: not derived     */
};

/* ---- what the row is given --------------------------------------------- */

void
cwi_member_node(const struct cwi_member *m, struct cwi_node *out)
{
    const struct cwi_text *label = m->label.data ? &m->label : &m->name;

    out->name = (const uint8_t *)m->name.data;
    out->name_len = m->name.len;
    out->label = (const uint8_t *)label->data;
    out->label_len = label->len;
    out->zone = (const uint8_t *)m->zone.data;
    out->zone_len = m->zone.len;
    out->positions = m->positions;
    out->position_count = m->position_count;
    out->weight = m->weight;
}

static void
gather(struct build *b, int order_free)
{
    const cw_fleet *f = b->fleet;

    if (order_free)
        cwi_sort_members(b->numbers, b->numbers + f->count, f->count,
                         f->list, cwi_by_label_then_name);
    for (uint32_t i = 0; i < f->count; i++)
        b->order[i] = f->list[order_free ? b->numbers[i] : i];
    b->nodes.v = b->v;
    b->nodes.n = f->count;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct cwi_member *m = b->order[i];

        cwi_member_node(m, &b->v[i]);
        b->nodes.active += m->weight != 0;
        b->nodes.total += m->weight;
    }
}

/*
 * Two nodes with one label would have the same points: only one of them would
 * ever own a key. b->order is by label. (In list order the place in the list
 * tells nodes apart.)
 */
static cw_status
refuse_twins(const struct build *b, cw_error *err)
{
    const struct cwi_node *last = NULL;

    for (uint32_t i = 0; i < b->nodes.n; i++) {
        const struct cwi_node *n = &b->v[i];

        if (n->weight == 0 || n->position_count)
            continue;
        if (last && cwi_bytes_order(last->label, last->label_len, n->label,
                                    n->label_len) == 0)
            return cwi_fail(err, CW_EINVAL,
                            "nodes %n and %n both have the label %n: expected "
                            "labels that differ", last->name,
                            (size_t)last->name_len, n->name,
                            (size_t)n->name_len, n->label,
                            (size_t)n->label_len);
        last = n;
    }
    return CW_OK;
}

static cw_status
refuse_positions(const struct cwi_placement *p, const struct cwi_nodes *nodes,
                 cw_error *err)
{
    if (p->algo->traits & CW_TRAIT_POSITIONS)
        return CW_OK;
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].position_count)
            return cwi_fail(err, CW_EINVAL,
                            "node %n has positions, which \"%s\" does not "
                            "take", nodes->v[i].name,
                            (size_t)nodes->v[i].name_len, p->algo->name);
    }
    return CW_OK;
}

/* ---- fingerprint ------------------------------------------------------- */

/* Fold one value in; the order of the values counts. */
static uint64_t
fold(uint64_t h, uint64_t value)
{
    return cwi_mix64(h ^ value) + UINT64_C(0x9e3779b97f4a7c15);
}

/* A field: its length first, so that "ab","c" is not "a","bc". */
static uint64_t
fold_bytes(uint64_t h, const void *data, size_t len)
{
    return fold(fold(h, len), cwi_xxh3(data, len));
}

static uint64_t
fold_placement(uint64_t h, const struct cwi_placement *p, uint64_t top)
{
    const struct cwi_option *o = p->algo->options;

    h = fold_bytes(h, p->algo->name, strlen(p->algo->name));
    h = fold_bytes(h, p->hash->name, strlen(p->hash->name));
    h = fold(fold(h, p->hash_key.k0), p->hash_key.k1);
    h = fold(h, top);
    for (; o && o->name; o++) {
        h = fold_bytes(h, o->name, strlen(o->name));
        if (o->kind == CWI_OPT_TEXT)
            h = fold_bytes(h, p->text[o->slot], p->text_len[o->slot]);
        else if (o->kind == CWI_OPT_UINT || o->kind == CWI_OPT_ENUM)
            h = fold(h, p->num[o->slot]);
        /* a hash, key or size is in already */
    }
    return h;
}

static uint64_t
fingerprint(const struct build *b, const struct cwi_placement *p)
{
    uint64_t h = fold_placement(0, p, b->plan.top);
    /* Programs count every server they list, our own rows those with keys. */
    int all = cwi_compat_find(p->algo->name, strlen(p->algo->name)) ==
              p->algo;

    for (uint32_t i = 0; i < b->nodes.n; i++) {
        const struct cwi_member *m = b->order[i];

        if (m->weight == 0 && !all)
            continue;
        h = fold_bytes(h, m->name.data, m->name.len);
        h = fold_bytes(h, b->v[i].label, b->v[i].label_len);
        h = fold_bytes(h, m->zone.data ? m->zone.data : "", m->zone.len);
        h = fold(h, m->weight);
        h = fold(h, m->position_count);
        for (uint32_t k = 0; k < m->position_count; k++)
            h = fold(h, m->positions[k]);
    }
    return cwi_pins_fingerprint(h, p->pins, b->fleet);
}

/* ---- filling the block ------------------------------------------------- */

/* Positions and texts. */
static size_t
text_bytes(const struct build *b)
{
    size_t sum = 1;     /* an empty text that all may share */

    for (uint32_t i = 0; i < b->nodes.n; i++) {
        const struct cwi_member *m = b->order[i];

        sum = cwi_size_add(sum, cwi_size_mul(m->position_count,
                                             sizeof(uint64_t)));
        sum = cwi_size_add(sum, (size_t)m->name.len + 1);
        sum = cwi_size_add(sum, m->label.data ? (size_t)m->label.len + 1 : 0);
        sum = cwi_size_add(sum, m->address.data ? (size_t)m->address.len + 1
                                                : 0);
        sum = cwi_size_add(sum, m->zone.data ? (size_t)m->zone.len + 1 : 0);
    }
    return sum;
}

/* Copy a text to *at; an absent one shares the empty text at `empty`. */
static size_t
put_text(cw_map *map, size_t *at, const struct cwi_text *t, size_t empty)
{
    size_t start = *at;

    if (!t->data)
        return empty;
    memcpy((char *)map + start, t->data, t->len);   /* its NUL: zeroed block */
    *at += (size_t)t->len + 1;
    return start;
}

/* The number of the node's zone: the first node of that zone. */
static uint32_t
zone_id(struct build *b, uint32_t i)
{
    const struct cwi_text *z = &b->order[i]->zone;
    size_t mask = b->zones_size - 1;
    size_t slot;

    if (!z->data)
        return i;
    slot = (size_t)cwi_xxh3(z->data, z->len) & mask;
    while (b->zones[slot]) {
        uint32_t first = b->zones[slot] - 1;
        const struct cwi_text *y = &b->order[first]->zone;

        if (y->len == z->len && memcmp(y->data, z->data, z->len) == 0)
            return first;
        slot = (slot + 1) & mask;
    }
    b->zones[slot] = i + 1;
    return i;
}

/* Places for nodes in the block: a 16th more in a live map. */
static uint32_t
node_room(const struct build *b)
{
    uint32_t n = b->nodes.n, room = n + n / 16 + 16;

    if (!b->roomy || n > UINT32_MAX / 2)
        return n;
    if (n <= CWI_NARROW_NODES && room > CWI_NARROW_NODES)
        room = CWI_NARROW_NODES;
    return room;
}

static void
fill_nodes(cw_map *map, struct cwi_map_node *nodes, struct build *b)
{
    size_t empty = sizeof *map + (size_t)node_room(b) * sizeof *nodes;
    size_t positions = empty, at;

    for (uint32_t i = 0; i < map->count; i++)
        empty += b->order[i]->position_count * sizeof(uint64_t);
    at = empty + 1;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct cwi_member *m = b->order[i];
        struct cwi_map_node *n = &nodes[i];

        n->name = put_text(map, &at, &m->name, empty);
        n->name_len = m->name.len;
        n->label = put_text(map, &at, &m->label, n->name);
        n->label_len = b->v[i].label_len;
        n->address = put_text(map, &at, &m->address, empty);
        n->address_len = m->address.len;
        n->zone = put_text(map, &at, &m->zone, empty);
        n->zone_len = m->zone.len;
        n->zone_id = zone_id(b, i);
        map->zones += m->weight && !nodes[n->zone_id].zone_active;
        nodes[n->zone_id].zone_active |= m->weight != 0;
        n->weight = m->weight;
        n->points = b->points[i];
        n->joined = i;
        n->state = (uint32_t)m->state;
        n->positions = m->position_count;
        n->positions_at = positions;
        if (m->position_count)
            memcpy((char *)map + positions, m->positions,
                   m->position_count * sizeof(uint64_t));
        positions += m->position_count * sizeof(uint64_t);
    }
}

/* nodes[k].by_name: the node that is number k in the byte order of names. */
static void
fill_by_name(struct cwi_map_node *nodes, struct build *b)
{
    uint32_t n = b->nodes.n;

    cwi_sort_members(b->numbers, b->numbers + n, n, b->order, cwi_by_name);
    for (uint32_t k = 0; k < n; k++)
        nodes[k].by_name = b->numbers[k];
}

/* ---- building ---------------------------------------------------------- */

static cw_status
build_start(struct build *b, const cw_allocator *a)
{
    size_t n = b->fleet->count;

    b->zones_size = 4;
    while (b->zones_size < 2 * n)
        b->zones_size *= 2;
    b->order = cwi_alloc(a, n, sizeof *b->order);
    b->numbers = cwi_alloc(a, 2 * n, sizeof *b->numbers);
    b->v = cwi_alloc(a, n, sizeof *b->v);
    b->zones = cwi_alloc(a, b->zones_size, sizeof *b->zones);
    b->points = cwi_alloc(a, n, sizeof *b->points);
    if (b->older) {
        b->before = cwi_alloc(a, n, sizeof *b->before);
        b->after = cwi_alloc(a, b->older->count, sizeof *b->after);
        if (!b->before || !b->after)
            return CW_ENOMEM;
    }
    return b->order && b->numbers && b->v && b->zones && b->points
               ? CW_OK : CW_ENOMEM;
}

static void
build_end(struct build *b, const cw_allocator *a)
{
    cwi_free(a, b->order);
    cwi_free(a, b->numbers);
    cwi_free(a, b->v);
    cwi_free(a, b->zones);
    cwi_free(a, b->points);
    cwi_free(a, b->text);
    cwi_free(a, b->before);
    cwi_free(a, b->after);
}

/* The block with everything but the placement's state. */
static cw_map *
block_new(struct build *b, const struct cwi_placement *p,
          const cw_allocator *a)
{
    uint32_t room = node_room(b);
    size_t nodes = cwi_size_mul(room, sizeof(struct cwi_map_node));
    size_t texts = text_bytes(b);
    size_t spare = b->roomy ? texts / 4 + 4096 : 0;
    size_t head = cwi_size_add(cwi_size_add(sizeof(cw_map), nodes),
                               cwi_size_add(texts, spare));
    size_t state = b->plan.state, bytes, clear;
    cw_map *map;

    if (b->roomy && b->rule.ring)
        state = (size_t)cwi_spare_size(b->plan.points, room);
    bytes = cwi_size_add(cwi_size_add(head, STATE_ALIGN), state);
    if (bytes >= SIZE_MAX / 2)
        return NULL;
    map = a->alloc(a->context, bytes);
    if (!map)
        return NULL;
    /* Of plain points the build itself clears what it does not write. */
    clear = b->rule.ring ? bytes - state + sizeof(struct cwi_table) : bytes;
    memset(map, 0, clear);
    map->alloc = *a;
    atomic_init(&map->refs, 1);
    map->count = b->nodes.n;
    map->active = b->nodes.active;
    map->total_weight = b->nodes.total;
    map->top = b->plan.top;
    map->points = b->plan.points;
    map->rule = b->rule;
    map->p = *p;
    cwi_pins_ref(map->p.pins);
    map->bytes = bytes;
    map->room = b->roomy ? room : 0;
    map->joined = map->count;
    map->text_at = head - spare;
    map->text_end = head;
    map->nodes = (struct cwi_map_node *)(map + 1);
    map->state = (char *)map + head +
                 (STATE_ALIGN - ((uintptr_t)map + head) % STATE_ALIGN);
    return map;
}

/* Has node i the points of node k of the older map? */
static int
same_points(const struct build *b, uint32_t i, uint32_t k)
{
    const struct cwi_map_node *o = &b->older->nodes[k];
    const struct cwi_node *n = &b->nodes.v[i];

    return o->points == b->points[i] && o->positions == n->position_count &&
           o->label_len == n->label_len &&
           memcmp(cwi_map_text(b->older, o->label), n->label,
                  n->label_len) == 0 &&
           (n->position_count == 0 ||
            memcmp(cwi_map_positions(b->older, k), n->positions,
                   n->position_count * sizeof *n->positions) == 0);
}

static void
match_older(struct build *b)
{
    for (uint32_t k = 0; k < b->older->count; k++)
        b->after[k] = CW_NONE;
    for (uint32_t i = 0; i < b->nodes.n; i++) {
        const struct cwi_node *n = &b->nodes.v[i];
        uint32_t k = cw_map_find(b->older, n->name, n->name_len);

        if (k != CW_NONE && !same_points(b, i, k))
            k = CW_NONE;
        b->before[i] = k;
        if (k != CW_NONE)
            b->after[k] = i;
    }
}

/* The state from that of the older map; 0: it is to be built. */
static int
derive_state(void *state, void *scratch, struct build *b,
             const struct cwi_placement *p)
{
    struct cwi_older older;

    if (!b->older || !CWI_UNLESS_PAGE(b->text))
        return 0;
    match_older(b);
    older = (struct cwi_older){ b->older->state, b->before, b->after };
    return cwi_points_derive(state, scratch, &b->nodes, p, &b->rule,
                             b->plan.top, b->points, &older, b->numbers,
                             b->text);
}

/* Derived where there is something to derive from, else built. */
static void
fill_state(void *state, void *scratch, struct build *b,
           const struct cwi_placement *p)
{
    if (b->nodes.active == 0)
        return;
    if (b->roomy && b->rule.ring)
        cwi_spare_ask(state, node_room(b));
    if (!derive_state(state, scratch, b, p))
        p->algo->build(p->algo, state, scratch, &b->nodes, p);
}

/* What is needed besides the block: scratch of the row, and text to derive
 * with. Points that go node by node write all of it; clearing it would cost
 * as much as a tenth of the build. */
static cw_status
scratch_new(struct build *b, const cw_allocator *a, void **scratch)
{
    size_t longest = 0;

    *scratch = NULL;
    if (b->plan.scratch) {
        *scratch = b->rule.ring ? a->alloc(a->context, b->plan.scratch)
                                : cwi_alloc(a, b->plan.scratch, 1);
        if (!*scratch)
            return CW_ENOMEM;
    }
    if (!b->older || !b->older->active || !b->rule.ring ||
        b->rule.ring != b->older->rule.ring)
        return CW_OK;
    for (uint32_t i = 0; i < b->nodes.n; i++) {
        if (b->v[i].label_len > longest)
            longest = b->v[i].label_len;
    }
    b->text = cwi_alloc(a, CWI_TEXT_ROOM(longest), 1);
    return b->text ? CW_OK : CW_ENOMEM;
}

/* The row's rule for these nodes, and how many points each one has. */
static void
ask_rule(struct build *b, const struct cwi_placement *p)
{
    const struct cwi_patch *patch = p->algo->patch;

    if (!patch || !b->nodes.active)
        return;
    patch->rule(p, &b->nodes, &b->rule);
    if (b->rule.ring)
        patch->counts(p, &b->rule, &b->nodes, b->points);
}

static cw_status
build_map(struct build *b, const struct cwi_placement *p,
          const cw_allocator *a, cw_map **out, cw_error *err)
{
    const struct cwi_algo_ops *row = p->algo;
    cw_status st = cwi_placement_complete(p, err);
    struct cwi_map_node *nodes;
    void *scratch = NULL;
    cw_map *map;

    gather(b, (row->traits & CW_TRAIT_ORDER_FREE) != 0);
    if (st == CW_OK)
        st = refuse_positions(p, &b->nodes, err);
    if (st == CW_OK && (row->traits & CW_TRAIT_ORDER_FREE))
        st = refuse_twins(b, err);
    b->plan.top = UINT64_MAX;
    if (st == CW_OK && b->nodes.active)
        st = row->plan(row, &b->nodes, p, &b->plan, err);
    if (st == CW_OK)
        st = cwi_pins_fit(p, b->plan.top, err);
    if (st != CW_OK)
        return st;
    ask_rule(b, p);
    map = block_new(b, p, a);
    st = map ? scratch_new(b, a, &scratch) : CW_ENOMEM;
    if (st != CW_OK) {
        cwi_free(a, scratch);
        cw_map_unref(map);
        return st;
    }
    nodes = (struct cwi_map_node *)(map + 1);
    fill_state((char *)map + ((const char *)map->state - (const char *)map),
               scratch, b, p);
    cwi_free(a, scratch);
    if (b->nodes.active && row->count && !b->rule.ring)
        row->count(map->state, b->points);
    map->fingerprint = fingerprint(b, p);
    fill_nodes(map, nodes, b);
    fill_by_name(nodes, b);
    cwi_lookup_choose(map);
    *out = map;
    return CW_OK;
}

cw_status
cw_map_build(const cw_fleet *fleet, const cw_placement *placement,
             cw_map **out, cw_error *err)
{
    struct build b = { .fleet = fleet };
    struct cwi_placement p;
    cw_status st;

    if (placement)
        p = placement->p;
    else
        cwi_placement_default(&p);
    st = build_start(&b, &fleet->alloc);
    if (st == CW_OK)
        st = build_map(&b, &p, &fleet->alloc, out, err);
    build_end(&b, &fleet->alloc);
    return st == CW_ENOMEM ? cwi_fail(err, st, "no memory for the map") : st;
}

cw_status
cwi_map_build_roomy(const cw_fleet *fleet, const struct cwi_placement *p,
                    cw_map **out, cw_error *err)
{
    struct build b = { .fleet = fleet, .roomy = 1 };
    cw_status st = build_start(&b, &fleet->alloc);

    if (st == CW_OK)
        st = build_map(&b, p, &fleet->alloc, out, err);
    build_end(&b, &fleet->alloc);
    return st == CW_ENOMEM ? cwi_fail(err, st, "no memory for the map") : st;
}

cw_status
cw_map_derive(const cw_map *old, const cw_fleet *fleet, cw_map **out,
              cw_error *err)
{
    struct build b = { .fleet = fleet, .older = old };
    cw_status st = build_start(&b, &fleet->alloc);

    if (st == CW_OK)
        st = build_map(&b, &old->p, &fleet->alloc, out, err);
    build_end(&b, &fleet->alloc);
    return st == CW_ENOMEM ? cwi_fail(err, st, "no memory for the map") : st;
}

cw_map *
cw_map_ref(cw_map *map)
{
    atomic_fetch_add_explicit(&map->refs, 1, memory_order_relaxed);
    return map;
}

void
cw_map_unref(cw_map *map)
{
    cw_allocator a;

    if (!map)
        return;
    /* Pairs with itself: the last one sees all that the others did. */
    if (atomic_fetch_sub_explicit(&map->refs, 1, memory_order_acq_rel) != 1)
        return;
    a = map->alloc;
    cw_pins_free(map->p.pins);
    cwi_free(&a, map);
}
