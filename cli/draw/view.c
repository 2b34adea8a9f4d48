/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/draw/view.h"

#include <string.h>

#include "base/mem.h"

enum { OWNERS_MAX = 64 };

/* All arcs of a map, neighbours of one owner joined. */
struct arcs {
    cw_arc *list;
    size_t  count;
    size_t  room;
};

static int
collect(void *context, const cw_arc *arc)
{
    struct arcs *a = context;

    if (a->count == a->room) {
        a->room = a->room ? 2 * a->room : 1024;
        a->list = mem_resize(a->list, a->room, sizeof *a->list);
    }
    a->list[a->count++] = *arc;
    return 0;
}

double
ring_view_turn(const cw_map *map, uint64_t position)
{
    return (double)position / ((double)cw_map_top(map) + 1);
}

static void
one_by_one(struct ring_view *v, const struct arcs *a)
{
    size_t i;

    v->stretches = mem_alloc(a->count, sizeof *v->stretches);
    v->count = a->count;
    for (i = 0; i < a->count; i++) {
        v->stretches[i].from = ring_view_turn(v->map, a->list[i].first);
        v->stretches[i].to = ring_view_turn(v->map, a->list[i].last)
                             + 1 / ((double)cw_map_top(v->map) + 1);
        v->stretches[i].owner = a->list[i].to;
    }
}

/* Who owns most of [from, to)? *at: the first arc that may reach into it. */
static uint32_t
majority(const struct ring_view *v, const struct arcs *a, double from,
         double to, size_t *at)
{
    uint32_t owner[OWNERS_MAX];
    double part[OWNERS_MAX], first, last;
    size_t n = 0, best = 0, i, k;

    for (i = *at; i < a->count; i++) {
        first = ring_view_turn(v->map, a->list[i].first);
        last = ring_view_turn(v->map, a->list[i].last);
        if (first >= to)
            break;
        if (last < from) {
            *at = i + 1;
            continue;
        }
        first = first < from ? from : first;
        last = last > to ? to : last;
        for (k = 0; k < n && owner[k] != a->list[i].to; k++)
            continue;
        if (k == OWNERS_MAX)
            continue;       /* a cell this crowded has no owner to speak of */
        if (k == n) {
            owner[n] = a->list[i].to;
            part[n++] = 0;
        }
        part[k] += last - first;
        best = part[k] > part[best] ? k : best;
    }
    return n > 0 ? owner[best] : a->list[a->count - 1].to;
}

static void
in_cells(struct ring_view *v, const struct arcs *a)
{
    size_t at = 0, i;

    v->cells = true;
    v->stretches = mem_alloc(VIEW_CELLS, sizeof *v->stretches);
    for (i = 0; i < VIEW_CELLS; i++) {
        double from = (double)i / VIEW_CELLS, to = (double)(i + 1)
                                                   / VIEW_CELLS;
        uint32_t owner = majority(v, a, from, to, &at);

        if (v->count > 0 && v->stretches[v->count - 1].owner == owner) {
            v->stretches[v->count - 1].to = to;
            continue;
        }
        v->stretches[v->count].from = from;
        v->stretches[v->count].to = to;
        v->stretches[v->count++].owner = owner;
    }
}

bool
ring_view_init(struct ring_view *v, const cw_map *map)
{
    struct arcs a = { 0 };

    memset(v, 0, sizeof *v);
    v->map = map;
    if (cw_map_arcs(map, collect, &a, NULL) != CW_OK)
        return false;
    if (cw_shares_new(map, &v->shares) != CW_OK)
        mem_fail();
    v->arcs = a.count;
    if (a.count > VIEW_STRETCHES)
        in_cells(v, &a);
    else if (a.count > 0)
        one_by_one(v, &a);
    mem_free(a.list);
    return true;
}

void
ring_view_free(struct ring_view *v)
{
    cw_shares_free(v->shares);
    mem_free(v->stretches);
    memset(v, 0, sizeof *v);
}

uint32_t
ring_view_owner(const struct ring_view *v, double turn, uint32_t k)
{
    uint64_t top = cw_map_top(v->map);
    double at = turn * ((double)top + 1);
    uint64_t position = at >= (double)top ? top : (uint64_t)at;
    uint32_t out[64];

    if (k >= 64 || cw_map_order_position(v->map, position, out, k + 1) <= k)
        return CW_NONE;
    return out[k];
}
