/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_flat.c - the library for JavaScript: what the public interface says
 * with structures and callbacks, said with numbers and flat blocks.
 *
 * Fleets, placements and look-ups go through the cw_ functions themselves.
 * A block is an array of 8-byte cells in the byte order of WebAssembly, each
 * an uint64_t or a double, to be given back with free(); NULL: no memory.
 * "none" (CW_NONE) is UINT64_MAX in a cell.
 */
#include <clockwise/clockwise.h>
#include <stdlib.h>
#include <string.h>

#define FLAT __attribute__((visibility("default")))

union cell {
    uint64_t u;
    double   f;
};

/* Answers to calls that give a few numbers: one at a time. */
static uint32_t words[10];
static cw_error error;

/* Where a failed call with this error leaves its text. */
FLAT cw_error *
flat_error(void)
{
    return &error;
}

FLAT const char *
flat_error_text(void)
{
    return error.text;
}

static uint32_t
address_of(const void *p)
{
    return (uint32_t)(uintptr_t)p;
}

static uint64_t
number(uint32_t node)
{
    return node == CW_NONE ? UINT64_MAX : node;
}

/* ---- nodes and rows ---------------------------------------------------- */

/* name label address zone as (pointer, length), state, positions */
static const uint32_t *
words_of_node(const cw_node *n)
{
    words[0] = address_of(n->name);
    words[1] = (uint32_t)n->name_len;
    words[2] = address_of(n->label);
    words[3] = (uint32_t)n->label_len;
    words[4] = address_of(n->address);
    words[5] = (uint32_t)n->address_len;
    words[6] = address_of(n->zone);
    words[7] = (uint32_t)n->zone_len;
    words[8] = (uint32_t)n->state;
    words[9] = n->positions;
    return words;
}

FLAT const uint32_t *
flat_fleet_node(const cw_fleet *fleet, uint32_t i)
{
    cw_node node;

    cw_fleet_node(fleet, i, &node);
    return words_of_node(&node);
}

FLAT uint64_t
flat_fleet_weight(const cw_fleet *fleet, uint32_t i)
{
    cw_node node;

    cw_fleet_node(fleet, i, &node);
    return node.weight;
}

FLAT const uint32_t *
flat_map_node(const cw_map *map, uint32_t i)
{
    cw_node node;

    cw_map_node(map, i, &node);
    return words_of_node(&node);
}

FLAT uint64_t
flat_map_weight(const cw_map *map, uint32_t i)
{
    cw_node node;

    cw_map_node(map, i, &node);
    return node.weight;
}

static const uint32_t *
words_of_row(const cw_row *row)
{
    words[0] = address_of(row->name);
    words[1] = address_of(row->summary);
    words[2] = address_of(row->source);
    words[3] = row->traits;
    words[4] = row->bits;
    words[5] = row->keyed;
    words[6] = row->options;
    return words;
}

/* name summary source, traits bits keyed options; NULL past the end */
FLAT const uint32_t *
flat_row(cw_table table, unsigned i)
{
    cw_row row;

    return cw_table_row(table, i, &row) ? NULL : words_of_row(&row);
}

FLAT const uint32_t *
flat_map_row(const cw_map *map)
{
    cw_row row;

    cw_map_row(map, &row);
    return words_of_row(&row);
}

/* name summary expected fallback; NULL past the end */
FLAT const uint32_t *
flat_row_option(cw_table table, unsigned i, unsigned j)
{
    cw_row_option option;

    if (cw_table_row_option(table, i, j, &option))
        return NULL;
    words[0] = address_of(option.name);
    words[1] = address_of(option.summary);
    words[2] = address_of(option.expected);
    words[3] = address_of(option.fallback);
    return words;
}

/* ---- fleets and maps --------------------------------------------------- */

/* NULL: the reason is in flat_error(). */
FLAT cw_map *
flat_build(const cw_fleet *fleet, const cw_placement *placement)
{
    cw_map *map = NULL;
    cw_status st = cw_map_build(fleet, placement, &map, &error);

    if (st && !error.text[0])
        strcpy(error.text, cw_status_text(st));
    return st ? NULL : map;
}

/* The owner's number; CW_NONE: the map is empty. */
FLAT uint32_t
flat_owner(const cw_map *map, const void *key, size_t len)
{
    return cw_map_pick(map, key, len);
}

FLAT uint32_t
flat_owner_position(const cw_map *map, uint64_t position)
{
    uint32_t node = CW_NONE;

    return cw_map_owner_position(map, position, &node) ? CW_NONE : node;
}

/* Owners of n keys that stand one behind the other; key i ends at ends[i]. */
FLAT void
flat_owners(const cw_map *map, const char *keys, const uint32_t *ends,
            uint32_t n, uint32_t *out)
{
    uint32_t begin = 0;

    for (uint32_t i = 0; i < n; i++) {
        out[i] = flat_owner(map, keys + begin, ends[i] - begin);
        begin = ends[i];
    }
}

/* The hash of a key; *ok = 0 for a row that works on its bytes. */
FLAT uint64_t
flat_hash(const cw_map *map, const void *key, size_t len, uint32_t *ok)
{
    uint64_t hash = 0;

    *ok = cw_map_hash(map, key, len, &hash) == CW_OK;
    return hash;
}

/* Where n keys stand: position / size, 0 <= out[i] < 1, for drawing. */
FLAT void
flat_turns(const cw_map *map, const char *keys, const uint32_t *ends,
           uint32_t n, double *out)
{
    double size = (double)cw_map_top(map) + 1.0;
    uint32_t begin = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t hash = 0;

        cw_map_hash(map, keys + begin, ends[i] - begin, &hash);
        out[i] = (double)cw_map_position(map, hash) / size;
        begin = ends[i];
    }
}

/* ---- shares and movement ----------------------------------------------- */

/* count basis size.hi size.lo max_avg min_avg cv,
 * and for each node num.hi num.lo part fair */
FLAT union cell *
flat_shares(const cw_map *map)
{
    cw_shares *s;
    union cell *block, *at;

    if (cw_shares_new(map, &s) != CW_OK)
        return NULL;
    block = malloc((7 + (size_t)s->count * 4) * sizeof(*block));
    if (!block) {
        cw_shares_free(s);
        return NULL;
    }
    block[0].u = s->count;
    block[1].u = s->basis;
    block[2].u = s->size.hi;
    block[3].u = s->size.lo;
    block[4].f = s->balance.max_avg;
    block[5].f = s->balance.min_avg;
    block[6].f = s->balance.cv;
    at = block + 7;
    for (uint32_t i = 0; i < s->count; i++, at += 4) {
        at[0].u = s->num[i].hi;
        at[1].u = s->num[i].lo;
        at[2].f = s->part[i];
        at[3].f = s->fair[i];
    }
    cw_shares_free(s);
    return block;
}

static void
cells_of_node(union cell *at, const cw_diff_node *n)
{
    at[0].u = number(n->old_index);
    at[1].u = number(n->new_index);
    at[2].f = n->old_share;
    at[3].f = n->new_share;
    at[4].f = n->old_fair;
    at[5].f = n->new_fair;
    at[6].f = n->gave;
    at[7].f = n->took;
    at[8].u = n->receivers;
    at[9].f = n->largest;
}

/* basis samples size.hi size.lo moved_num.hi moved_num.lo moved ideal
 * excess_churn node_count flow_count; for each node the members of
 * cw_diff_node but the first, in order; for each flow from to num.hi num.lo
 * part */
FLAT union cell *
flat_diff(const cw_map *old_map, const cw_map *new_map)
{
    cw_diff *d;
    union cell *block, *at;

    if (cw_diff_new(old_map, new_map, &d) != CW_OK)
        return NULL;
    block = malloc((11 + (size_t)d->node_count * 10 +
                    (size_t)d->flow_count * 5) * sizeof(*block));
    if (!block) {
        cw_diff_free(d);
        return NULL;
    }
    block[0].u = d->basis;
    block[1].u = d->samples;
    block[2].u = d->size.hi;
    block[3].u = d->size.lo;
    block[4].u = d->moved_num.hi;
    block[5].u = d->moved_num.lo;
    block[6].f = d->moved;
    block[7].f = d->ideal;
    block[8].f = d->excess_churn;
    block[9].u = d->node_count;
    block[10].u = d->flow_count;
    at = block + 11;
    for (uint32_t i = 0; i < d->node_count; i++, at += 10)
        cells_of_node(at, &d->nodes[i]);
    for (uint32_t i = 0; i < d->flow_count; i++, at += 5) {
        at[0].u = number(d->flows[i].from);
        at[1].u = number(d->flows[i].to);
        at[2].u = d->flows[i].num.hi;
        at[3].u = d->flows[i].num.lo;
        at[4].f = d->flows[i].part;
    }
    cw_diff_free(d);
    return block;
}

/* ---- lists of unknown length ------------------------------------------- */

/* A block that grows: its first cell is the number of those that follow. */
struct list {
    union cell *block;
    size_t      used, room;     /* cells, the first one included            */
};

static union cell *
list_more(struct list *l, size_t n)
{
    if (l->room - l->used < n) {
        size_t room = l->room * 2 + 1024;
        union cell *block = realloc(l->block, room * sizeof(*block));

        if (!block)
            return NULL;
        l->block = block;
        l->room = room;
    }
    l->used += n;
    return l->block + l->used - n;
}

static union cell *
list_end(struct list *l, cw_status st, int stopped)
{
    if (st || stopped) {
        free(l->block);
        return NULL;
    }
    l->block[0].u = l->used - 1;
    return l->block;
}

static int
add_arc(void *context, const cw_arc *arc)
{
    union cell *at = list_more(context, 4);

    if (!at)
        return 1;
    at[0].u = arc->first;
    at[1].u = arc->last;
    at[2].u = number(arc->from);
    at[3].u = number(arc->to);
    return 0;
}

/* number of cells, then first last from to of each arc */
FLAT union cell *
flat_arcs(const cw_map *map)
{
    struct list l = { NULL, 0, 0 };
    int stopped = 0;

    if (!list_more(&l, 1))
        return NULL;
    return list_end(&l, cw_map_arcs(map, add_arc, &l, &stopped), stopped);
}

/* the same for the arcs whose owner changes */
FLAT union cell *
flat_diff_arcs(const cw_map *old_map, const cw_map *new_map)
{
    struct list l = { NULL, 0, 0 };
    cw_status st;
    int stopped = 0;

    if (!list_more(&l, 1))
        return NULL;
    st = cw_diff_arcs(old_map, new_map, add_arc, &l, &stopped);
    return list_end(&l, st, stopped);
}

static int
add_point(void *context, uint64_t position, uint32_t node)
{
    union cell *at = list_more(context, 2);

    if (!at)
        return 1;
    at[0].u = position;
    at[1].u = node;
    return 0;
}

/* number of cells, then position and node of each point */
FLAT union cell *
flat_points(const cw_map *map)
{
    struct list l = { NULL, 0, 0 };
    int stopped = 0;

    if (!list_more(&l, 1))
        return NULL;
    return list_end(&l, cw_map_each_point(map, add_point, &l, &stopped),
                    stopped);
}

/* ---- the same for drawing: parts of a turn ----------------------------- */

struct turns {
    struct list list;
    double      size;
};

static union cell *
turns_more(struct turns *t, size_t n)
{
    return list_more(&t->list, n);
}

static double
node_or_less(uint32_t node)
{
    return node == CW_NONE ? -1.0 : (double)node;
}

static int
turn_arc(void *context, const cw_arc *arc)
{
    struct turns *t = context;
    union cell *at = turns_more(t, 4);

    if (!at)
        return 1;
    at[0].f = (double)arc->first / t->size;
    at[1].f = ((double)arc->last + 1.0) / t->size;
    at[2].f = node_or_less(arc->from);
    at[3].f = node_or_less(arc->to);
    return 0;
}

static int
turn_point(void *context, uint64_t position, uint32_t node)
{
    struct turns *t = context;
    union cell *at = turns_more(t, 2);

    if (!at)
        return 1;
    at[0].f = (double)position / t->size;
    at[1].f = (double)node;
    return 0;
}

/* As flat_arcs(), flat_diff_arcs() and flat_points(), but in doubles: begin
 * and end as parts of a turn, 0 to 1; no node is -1. */
FLAT union cell *
flat_turn_arcs(const cw_map *old_map, const cw_map *new_map)
{
    const cw_map *sized = cw_map_points(old_map) ? old_map : new_map;
    struct turns t = { { NULL, 0, 0 }, (double)cw_map_top(sized) + 1.0 };
    cw_status st;
    int stopped = 0;

    if (!turns_more(&t, 1))
        return NULL;
    st = old_map == new_map
         ? cw_map_arcs(old_map, turn_arc, &t, &stopped)
         : cw_diff_arcs(old_map, new_map, turn_arc, &t, &stopped);
    return list_end(&t.list, st, stopped);
}

FLAT union cell *
flat_turn_points(const cw_map *map)
{
    struct turns t = { { NULL, 0, 0 }, (double)cw_map_top(map) + 1.0 };
    int stopped = 0;

    if (!turns_more(&t, 1))
        return NULL;
    return list_end(&t.list, cw_map_each_point(map, turn_point, &t, &stopped),
                    stopped);
}
