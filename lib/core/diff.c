/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - which share of the keys moves between two maps, from whom to
 * whom, and how much of it had to.
 */
#include <string.h>

#include "core/core.h"

#define SAMPLES (UINT64_C(1) << 20)

/* ---- flows ------------------------------------------------------------- */

struct cell {
    cwi_u128 num;
    double   part;          /* used instead of num when independent */
    uint32_t from, to;      /* numbers in the old map and of the union */
    int      used;
};

/* A table of (from, to) pairs that grows. */
struct flows {
    const cw_allocator *alloc;
    struct cell        *cells;
    size_t              size;       /* a power of two */
    size_t              used;
    int                 failed;
};

static struct cell *
flow_cell(struct cell *cells, size_t size, uint32_t from, uint32_t to)
{
    uint64_t h = cwi_mix64((uint64_t)from << 32 | to);
    size_t i = (size_t)h & (size - 1);

    while (cells[i].used && (cells[i].from != from || cells[i].to != to))
        i = (i + 1) & (size - 1);
    return &cells[i];
}

static int
flows_grow(struct flows *f)
{
    size_t size = f->size ? f->size * 2 : 64;
    struct cell *cells = cwi_alloc(f->alloc, size, sizeof *cells);

    if (!cells)
        return 0;
    for (size_t i = 0; i < f->size; i++) {
        if (f->cells[i].used)
            *flow_cell(cells, size, f->cells[i].from, f->cells[i].to) =
                f->cells[i];
    }
    cwi_free(f->alloc, f->cells);
    f->cells = cells;
    f->size = size;
    return 1;
}

static void
flow_add(struct flows *f, uint32_t from, uint32_t to, cwi_u128 num,
         double part)
{
    struct cell *c;

    if (f->failed || ((f->used + 1) * 3 > f->size * 2 && !flows_grow(f))) {
        f->failed = 1;
        return;
    }
    c = flow_cell(f->cells, f->size, from, to);
    if (!c->used) {
        c->used = 1;
        c->from = from;
        c->to = to;
        f->used++;
    }
    c->num += num;
    c->part += part;
}

/* ---- the result -------------------------------------------------------- */

struct diff {
    cw_diff      public;
    cw_allocator alloc;
};

/* What is needed while comparing. */
struct work {
    const cw_map  *old_map;
    const cw_map  *new_map;
    uint32_t      *new_to_old;  /* as cwi_match() says                      */
    uint32_t      *to_union;    /* new map's number -> union's number       */
    struct flows   flows;
    cw_diff_node  *nodes;
    cw_shares     *old_shares;
    cw_shares     *new_shares;
    struct diff   *diff;
    cwi_u128       excess;      /* moved positions or samples that need not */
    double         excess_part; /* the same when independent                */
};

static uint64_t
weight_in(const cw_map *map, uint32_t i)
{
    return i == CW_NONE ? 0 : map->nodes[i].weight;
}

/* Did the change take from this node (lower weight, removed)? */
static int
was_taken_from(const struct work *w, uint32_t i)
{
    return i == CW_NONE || weight_in(w->new_map, w->nodes[i].new_index) <
                               weight_in(w->old_map, w->nodes[i].old_index);
}

static int
was_given_to(const struct work *w, uint32_t i)
{
    return i == CW_NONE || weight_in(w->new_map, w->nodes[i].new_index) >
                               weight_in(w->old_map, w->nodes[i].old_index);
}

/* `to` is a number of the union. What a pin moves was asked for: no churn. */
static void
move(struct work *w, uint32_t from, uint32_t to, cwi_u128 num, double part,
     int pinned)
{
    flow_add(&w->flows, from, to, num, part);
    if (!pinned && !was_taken_from(w, from) && !was_given_to(w, to)) {
        w->excess += num;
        w->excess_part += part;
    }
}

static void
move_share(struct work *w, uint32_t from, uint32_t to, cw_u128 num)
{
    if (num.hi || num.lo)
        move(w, from, to, (cwi_u128)num.hi << 64 | num.lo, 0.0, 0);
}

static int
add_arc(void *context, const struct cwi_stretch *s)
{
    struct work *w = context;
    uint32_t from = s->arc.from;
    uint32_t to = s->arc.to == CW_NONE ? CW_NONE : w->to_union[s->arc.to];

    if (from != to)
        move(w, from, to, (cwi_u128)(s->arc.last - s->arc.first) + 1, 0.0,
             s->pinned);
    return w->flows.failed;
}

/* Both maps work on the key's bytes alone: no hash is there to sample. */
static int
by_key_bytes(const cw_map *a, const cw_map *b)
{
    return a->p.algo->owner_key && b->p.algo->owner_key;
}

/* The owner of sample number x, an even 64-bit value: as the key's hash, or
 * as a key of 16 hexadecimal digits. */
static uint32_t
owner_of_sample(const cw_map *map, uint64_t x)
{
    uint32_t i = CW_NONE;
    char key[16];

    if (!map->p.algo->owner_key) {
        cw_map_owner_hash(map, x >> (64 - map->p.hash->bits), &i);
        return i;
    }
    for (unsigned k = 0; k < 16; k++)
        key[k] = "0123456789abcdef"[x >> 4 * k & 15];
    cw_map_owner(map, key, sizeof key, &i);
    return i;
}

/* Is the sample in a pinned range? */
static int
pinned_sample(const cw_map *map, uint64_t x)
{
    uint32_t node;

    return cwi_pins_ranges(map) &&
           cwi_pins_position(map, cwi_position(map, x >>
                                               (64 - map->p.hash->bits)),
                             &node, 1);
}

/* No common arcs, yet keys can be followed: a fixed stream of samples. */
static void
add_samples(struct work *w)
{
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t x = cwi_mix64((i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        uint32_t from = owner_of_sample(w->old_map, x);
        uint32_t to = owner_of_sample(w->new_map, x);

        to = to == CW_NONE ? to : w->to_union[to];
        if (from != to)
            move(w, from, to, 1, 0.0, pinned_sample(w->old_map, x) ||
                                      pinned_sample(w->new_map, x));
    }
}

/* All keys come from nowhere, or go there: what each node has. */
static void
add_from_or_to_nothing(struct work *w)
{
    for (uint32_t i = 0; w->old_map->active && i < w->old_map->count; i++)
        move_share(w, i, CW_NONE, w->old_shares->num[i]);
    for (uint32_t j = 0; w->new_map->active && j < w->new_map->count; j++)
        move_share(w, CW_NONE, w->to_union[j], w->new_shares->num[j]);
}

/* Different key hashes: where a key is now says nothing of where it goes. */
static void
add_independent(struct work *w)
{
    for (uint32_t i = 0; i < w->old_map->count; i++) {
        for (uint32_t j = 0; j < w->new_map->count; j++) {
            double part = w->old_shares->part[i] * w->new_shares->part[j];

            if (part > 0.0 && i != w->to_union[j])
                move(w, i, w->to_union[j], 0, part, 0);
        }
    }
}

/* The union of both maps' nodes: those of the old one keep their numbers. */
static void
fill_union(struct work *w)
{
    cw_diff *d = &w->diff->public;
    uint32_t n = w->old_map->count;

    for (uint32_t i = 0; i < n; i++) {
        cw_map_node(w->old_map, i, &w->nodes[i].node);
        w->nodes[i].old_index = i;
        w->nodes[i].new_index = CW_NONE;
        w->nodes[i].old_share = w->old_shares->part[i];
        w->nodes[i].old_fair = w->old_shares->fair[i];
    }
    for (uint32_t j = 0; j < w->new_map->count; j++) {
        uint32_t i = w->new_to_old[j];

        if (i == CW_NONE) {
            i = n++;
            w->nodes[i].old_index = CW_NONE;
        }
        w->to_union[j] = i;
        cw_map_node(w->new_map, j, &w->nodes[i].node);
        w->nodes[i].new_index = j;
        w->nodes[i].new_share = w->new_shares->part[j];
        w->nodes[i].new_fair = w->new_shares->fair[j];
    }
    d->node_count = n;
    d->nodes = w->nodes;
}

/* Larger first; then by numbers, so that the order is one. */
static int
flow_before(const cw_flow *a, const cw_flow *b)
{
    if (a->part != b->part)
        return a->part > b->part;
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

static void
sift(cw_flow *v, size_t i, size_t n)
{
    cw_flow x = v[i];

    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && flow_before(&v[child], &v[child + 1]))
            child++;
        if (!flow_before(&x, &v[child]))
            break;
        v[i] = v[child];
    }
    v[i] = x;
}

static void
sort_flows(cw_flow *v, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(v, i, n);
    for (size_t i = n; i-- > 1;) {
        cw_flow x = v[0];

        v[0] = v[i];
        v[i] = x;
        sift(v, 0, i);
    }
}

static void
count_flow(struct work *w, const cw_flow *flow)
{
    cw_diff *d = &w->diff->public;

    d->moved += flow->part;
    if (flow->from != CW_NONE) {
        cw_diff_node *n = &w->nodes[flow->from];

        n->gave += flow->part;
        n->receivers++;
        if (flow->part > n->largest)
            n->largest = flow->part;
    }
    if (flow->to != CW_NONE)
        w->nodes[flow->to].took += flow->part;
}

static void
fill_flows(struct work *w, cw_flow *flows, cwi_u128 size)
{
    cw_diff *d = &w->diff->public;
    double whole = cwi_u128_double(size);
    cwi_u128 moved = 0;
    uint32_t n = 0;

    for (size_t i = 0; i < w->flows.size; i++) {
        const struct cell *c = &w->flows.cells[i];

        if (!c->used)
            continue;
        flows[n].from = c->from;
        flows[n].to = c->to;
        flows[n].num = cwi_u128_public(c->num);
        flows[n].part = d->basis == CW_INDEPENDENT
                            ? c->part : cwi_u128_double(c->num) / whole;
        moved += c->num;
        n++;
    }
    sort_flows(flows, n);
    d->flow_count = n;
    d->flows = flows;
    d->size = cwi_u128_public(size);
    d->moved_num = cwi_u128_public(moved);
    for (uint32_t i = 0; i < n; i++)
        count_flow(w, &flows[i]);
    d->excess_churn = w->excess_part;
    if (d->basis != CW_INDEPENDENT) {
        d->moved = cwi_u128_double(moved) / whole;
        d->excess_churn = cwi_u128_double(w->excess) / whole;
    }
    for (uint32_t i = 0; i < d->node_count; i++) {
        cw_diff_node *node = &w->nodes[i];
        double change = node->new_fair - node->old_fair;

        d->ideal += (change < 0 ? -change : change) / 2;
        if (node->gave > 0.0)
            node->largest /= node->gave;
    }
    /* From nothing, or to nothing: all keys, one way. */
    if (!w->old_map->active != !w->new_map->active)
        d->ideal *= 2;
}

/* Room for the result's arrays; 0 when there is none. */
static int
work_start(struct work *w, const cw_allocator *a)
{
    size_t n = (size_t)w->old_map->count + w->new_map->count;

    w->flows.alloc = a;
    w->new_to_old = cwi_match(w->old_map, w->new_map);
    w->to_union = cwi_alloc(a, w->new_map->count, sizeof *w->to_union);
    w->nodes = cwi_alloc(a, n, sizeof *w->nodes);
    w->diff = cwi_alloc(a, 1, sizeof *w->diff);
    return w->new_to_old && w->to_union && w->nodes && w->diff &&
           cw_shares_new(w->old_map, &w->old_shares) == CW_OK &&
           cw_shares_new(w->new_map, &w->new_shares) == CW_OK;
}

static cw_status
compare(struct work *w, const cw_allocator *a)
{
    cw_diff *d = &w->diff->public;
    cwi_u128 size;
    cw_flow *flows;

    fill_union(w);
    size = w->old_map->active ? cwi_ring_size(w->old_map)
                              : cwi_ring_size(w->new_map);
    if (!w->old_map->active || !w->new_map->active) {
        d->basis = (w->old_map->active ? w->old_shares
                                       : w->new_shares)->basis;
        add_from_or_to_nothing(w);
    } else if (cwi_comparable_arcs(w->old_map, w->new_map)) {
        cwi_both_arcs(w->old_map, w->new_map, add_arc, w);
    } else if (cwi_same_key_hash(&w->old_map->p, &w->new_map->p) ||
               by_key_bytes(w->old_map, w->new_map)) {
        d->basis = CW_SAMPLED;
        d->samples = SAMPLES;
        size = SAMPLES;
        add_samples(w);
    } else {
        d->basis = CW_INDEPENDENT;
        add_independent(w);
    }
    flows = w->flows.failed ? NULL : cwi_alloc(a, w->flows.used,
                                               sizeof *flows);
    if (!flows)
        return CW_ENOMEM;
    fill_flows(w, flows, size);
    w->diff->alloc = *a;
    return CW_OK;
}

cw_status
cw_diff_new(const cw_map *old_map, const cw_map *new_map, cw_diff **out)
{
    const cw_allocator *a = &new_map->alloc;
    struct work w = { .old_map = old_map, .new_map = new_map };
    cw_status st = CW_ENOMEM;

    if (work_start(&w, a))
        st = compare(&w, a);
    if (st == CW_OK) {
        *out = &w.diff->public;
    } else {
        cwi_free(a, w.diff);
        cwi_free(a, w.nodes);
    }
    cw_shares_free(w.old_shares);
    cw_shares_free(w.new_shares);
    cwi_free(a, w.flows.cells);
    cwi_free(a, w.to_union);
    cwi_free(a, w.new_to_old);
    return st;
}

void
cw_diff_free(cw_diff *diff)
{
    struct diff *d = (struct diff *)diff;
    cw_allocator a;

    if (!d)
        return;
    a = d->alloc;
    cwi_free(&a, (void *)(uintptr_t)d->public.nodes);
    cwi_free(&a, (void *)(uintptr_t)d->public.flows);
    cwi_free(&a, d);
}
