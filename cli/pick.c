/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pick.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Nodes that are looked at before the whole list is asked for. */
enum { PICK_FIRST = 8 };

static int
by_zone(const void *a, const void *b)
{
    const cw_node *x = a;
    const cw_node *y = b;
    size_t len = x->zone_len < y->zone_len ? x->zone_len : y->zone_len;
    int c = len ? memcmp(x->zone, y->zone, len) : 0;

    return c ? c : (x->zone_len > y->zone_len) - (x->zone_len < y->zone_len);
}

/* Number the zones: equal names, equal numbers. */
static void
number_zones(struct pick *p)
{
    cw_node *nodes = mem_alloc(p->n, sizeof *nodes);
    uint32_t i, zone = 0;

    for (i = 0; i < p->n; i++) {
        cw_map_node(p->map, i, &nodes[i]);
        nodes[i].positions = i;         /* reused: who it is, once sorted */
    }
    if (p->n > 0)
        qsort(nodes, p->n, sizeof *nodes, by_zone);
    for (i = 0; i < p->n; i++) {
        if (i > 0) {
            if (nodes[i].zone_len > 0
                && by_zone(&nodes[i - 1], &nodes[i]) == 0)
                p->zones = true;
            else
                zone++;
        }
        p->zone[nodes[i].positions] = zone;
    }
    p->zone_count = p->n > 0 ? zone + 1 : 0;
    mem_free(nodes);
}

void
pick_init(struct pick *p, const cw_map *map, bool ignore_states)
{
    uint32_t i;

    memset(p, 0, sizeof *p);
    p->map = map;
    p->n = cw_map_count(map);
    p->all_up = true;
    p->up = mem_alloc(p->n, sizeof *p->up);
    p->zone = mem_alloc(p->n, sizeof *p->zone);
    p->order = mem_alloc(p->n, sizeof *p->order);
    p->out = mem_alloc(p->n, sizeof *p->out);
    p->seen = mem_alloc(p->n, sizeof *p->seen);
    for (i = 0; i < p->n; i++) {
        cw_node node;

        cw_map_node(map, i, &node);
        p->up[i] = ignore_states || node.state == CW_UP;
        p->all_up = p->all_up && p->up[i];
        p->seen[i] = 0;
    }
    number_zones(p);
}

void
pick_free(struct pick *p)
{
    mem_free(p->up);
    mem_free(p->zone);
    mem_free(p->order);
    mem_free(p->out);
    mem_free(p->seen);
}

/* The first n nodes of the preference list that are up, into p->order. */
static uint32_t
order_up(struct pick *p, const cw_key *key, uint64_t position, uint32_t n)
{
    uint32_t got, i, up = 0;

    if (key != NULL)
        got = cw_map_order(p->map, key->data, key->len, p->order, n);
    else
        got = cw_map_order_position(p->map, position, p->order, n);
    for (i = 0; i < got; i++)
        if (p->up[p->order[i]])
            p->order[up++] = p->order[i];
    return up;
}

uint32_t
pick_nodes(struct pick *p, const cw_key *key, uint64_t position, uint32_t r)
{
    bool whole = p->zones || !p->all_up;
    uint32_t n = order_up(p, key, position, whole ? p->n : r < p->n ? r
                          : p->n);
    uint32_t i, kept = 0, rest = 0;

    if (++p->stamp == 0) {
        memset(p->seen, 0, p->n * sizeof *p->seen);
        p->stamp = 1;
    }
    for (i = 0; i < n && kept < r; i++) {
        uint32_t node = p->order[i];

        if (p->seen[p->zone[node]] == p->stamp) {
            p->order[rest++] = node;        /* rest <= i: already read */
        } else {
            p->seen[p->zone[node]] = p->stamp;
            p->out[kept++] = node;
        }
    }
    for (i = 0; i < rest && kept < r; i++)
        p->out[kept++] = p->order[i];
    return kept;
}

uint32_t
pick_first(struct pick *p, const cw_key *key, uint64_t position)
{
    uint32_t few = p->n < PICK_FIRST ? p->n : PICK_FIRST;

    if (few > 0 && (order_up(p, key, position, few) > 0
                    || order_up(p, key, position, p->n) > 0))
        return p->order[0];
    return CW_NONE;
}
