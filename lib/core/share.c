/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - the exact share of every node, and how even the shares are. */
#include "core/core.h"

#define TWO_64 18446744073709551616.0

double
cwi_u128_double(cwi_u128 n)
{
    return (double)(uint64_t)(n >> 64) * TWO_64 + (double)(uint64_t)n;
}

cw_u128
cwi_u128_public(cwi_u128 n)
{
    cw_u128 out = { (uint64_t)(n >> 64), (uint64_t)n };

    return out;
}

double
cwi_fair(const cw_map *map, uint32_t i)
{
    return map->total_weight ? (double)map->nodes[i].weight /
                                   (double)map->total_weight
                             : 0.0;
}

/* The correctly rounded square root; libm is no part of this library. */
static double
root(double x)
{
    double r = x > 1.0 ? x : 1.0;

    if (!(x > 0.0))
        return 0.0;
    for (int i = 0; i < 200; i++) {
        double next = 0.5 * (r + x / r);

        if (next >= r)          /* falls until it has arrived */
            break;
        r = next;
    }
    return r;
}

/* The object, its numerators, parts and fair shares in one block. */
struct shares {
    cw_shares    public;
    cw_allocator alloc;
};

/* Sum over the arcs. */
static void
from_arcs(const cw_map *map, cwi_u128 *num)
{
    struct cwi_arcs a = { .map = map };
    uint64_t from = 0;

    do {
        cwi_arcs_next(&a, from);
        num[a.owner] += (cwi_u128)(a.last - from) + 1;
        from = a.last + 1;
    } while (a.last < map->top);
}

/*
 * Rows without arcs: what is pinned goes to its nodes, from all in proportion
 * to what they have (an expectation: it is not known whose a position is).
 */
static void
with_pins(const cw_map *map, cwi_u128 *num)
{
    cwi_u128 size = cwi_ring_size(map), pinned = 0, sum = 0, before = 0;
    uint64_t first, last;
    uint32_t node;

    for (size_t r = 0; cwi_pins_range(map, r, &first, &last, &node); r++)
        pinned += node == CW_NONE ? 0 : (cwi_u128)(last - first) + 1;
    if (pinned == 0)
        return;
    /* By what all up to a node have, so that nothing is lost in rounding. */
    for (uint32_t i = 0; i < map->count; i++) {
        cwi_u128 upto;

        sum += num[i];
        upto = sum * (size - pinned) / size;
        num[i] = upto - before;
        before = upto;
    }
    for (size_t r = 0; cwi_pins_range(map, r, &first, &last, &node); r++) {
        if (node != CW_NONE)
            num[node] += (cwi_u128)(last - first) + 1;
    }
}

/* What the weights say, rounded so that it sums to the ring's size: node i
 * has the positions between the shares of the nodes up to it. */
static void
from_weights(const cw_map *map, cwi_u128 *num)
{
    uint64_t sum = 0, total = map->total_weight;
    cwi_u128 size = cwi_ring_size(map), before = 0;

    for (uint32_t i = 0; i < map->count; i++) {
        cwi_u128 upto;

        sum += map->nodes[i].weight;
        /* size * sum / total without passing 128 bits */
        upto = size / total * sum + size % total * sum / total;
        num[i] = upto - before;
        before = upto;
    }
}

static void
measure(const cw_map *map, const double *part, const double *fair,
        cw_balance *out)
{
    double sum_squares = 0.0;
    int first = 1;

    for (uint32_t i = 0; i < map->count; i++) {
        double ratio;

        if (map->nodes[i].weight == 0)
            continue;
        ratio = part[i] / fair[i];
        if (first || ratio > out->max_avg)
            out->max_avg = ratio;
        if (first || ratio < out->min_avg)
            out->min_avg = ratio;
        first = 0;
        sum_squares += (ratio - 1.0) * (ratio - 1.0);
    }
    if (map->active)
        out->cv = root(sum_squares / map->active);
}

static void
fill(const cw_map *map, cw_shares *s, cwi_u128 *num, cw_u128 *public_num,
     double *part, double *fair)
{
    const struct cwi_algo_ops *row = map->p.algo;
    cwi_u128 size = cwi_ring_size(map);
    double whole = cwi_u128_double(size);

    s->count = map->count;
    s->size = cwi_u128_public(size);
    if (map->active == 0)
        return;
    if (row->traits & CW_TRAIT_ARCS)
        from_arcs(map, num);
    else if (row->share)
        row->share(map->state, num);
    else {
        from_weights(map, num);
        s->basis = CW_EXPECTED;
    }
    if (cwi_pins_ranges(map) && !(row->traits & CW_TRAIT_ARCS)) {
        with_pins(map, num);
        s->basis = CW_EXPECTED;
    }
    for (uint32_t i = 0; i < map->count; i++) {
        public_num[i] = cwi_u128_public(num[i]);
        part[i] = cwi_u128_double(num[i]) / whole;
        fair[i] = cwi_fair(map, i);
    }
    measure(map, part, fair, &s->balance);
}

cw_status
cw_shares_new(const cw_map *map, cw_shares **out)
{
    size_t n = map->count;
    size_t each = sizeof(cw_u128) + 2 * sizeof(double);
    struct shares *s = cwi_alloc(&map->alloc,
                                 cwi_size_add(sizeof *s,
                                              cwi_size_mul(n, each)), 1);
    cwi_u128 *num = cwi_alloc(&map->alloc, n, sizeof *num);
    cw_u128 *public_num;
    double *part;

    if (!s || !num) {
        cwi_free(&map->alloc, s);
        cwi_free(&map->alloc, num);
        return CW_ENOMEM;
    }
    public_num = (cw_u128 *)(s + 1);
    part = (double *)(public_num + n);
    s->alloc = map->alloc;
    s->public.num = public_num;
    s->public.part = part;
    s->public.fair = part + n;
    fill(map, &s->public, num, public_num, part, part + n);
    cwi_free(&map->alloc, num);
    *out = &s->public;
    return CW_OK;
}

void
cw_shares_free(cw_shares *shares)
{
    struct shares *s = (struct shares *)shares;
    cw_allocator a;

    if (!s)
        return;
    a = s->alloc;
    cwi_free(&a, s);
}
