/* SPDX-License-Identifier: Apache-2.0 */
/* plan_sets.c - replica sets before and after, over even samples. */
#include <string.h>

#include "base/mem.h"
#include "cli/plan/plan.h"

enum { SAMPLES = 1 << 15 };

/* Numbers of one map's nodes in the union, and a number for each zone. */
struct side {
    const cw_map *map;
    uint32_t     *node;
    uint32_t     *set;
    uint32_t      n;
};

static bool
zones_equal(const cw_node *a, const cw_node *b)
{
    return a->zone_len > 0 && a->zone_len == b->zone_len
           && memcmp(a->zone, b->zone, a->zone_len) == 0;
}

/* In how many zones the set is; a node without one is its own. */
static uint32_t
zones_of(const struct side *s)
{
    uint32_t i, j, zones = 0;
    cw_node a, b;

    for (i = 0; i < s->n; i++) {
        cw_map_node(s->map, s->set[i], &a);
        for (j = 0; j < i; j++) {
            cw_map_node(s->map, s->set[j], &b);
            if (zones_equal(&a, &b))
                break;
        }
        zones += j == i;
    }
    return zones;
}

static void
side_init(struct side *s, const struct plan *p, const cw_map *map, bool old)
{
    uint32_t i;

    s->map = map;
    s->node = mem_alloc(cw_map_count(map), sizeof *s->node);
    s->set = mem_alloc(p->sets.r, sizeof *s->set);
    for (i = 0; i < p->diff->node_count; i++) {
        const cw_diff_node *d = &p->diff->nodes[i];
        uint32_t index = old ? d->old_index : d->new_index;

        if (index != CW_NONE)
            s->node[index] = i;
    }
}

static void
side_free(struct side *s)
{
    mem_free(s->node);
    mem_free(s->set);
}

/* Copies of b that a does not hold. */
static uint32_t
new_copies(const struct side *a, const struct side *b)
{
    uint32_t i, j, n = 0;

    for (i = 0; i < b->n; i++) {
        for (j = 0; j < a->n; j++)
            if (a->node[a->set[j]] == b->node[b->set[i]])
                break;
        n += j == a->n;
    }
    return n;
}

/* Sample number i as a key: even over every hash. */
static void
sample_key(uint32_t i, char key[16])
{
    uint64_t x = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    unsigned k;

    for (k = 0; k < 16; k++)
        key[k] = "0123456789abcdef"[x >> 4 * k & 15];
}

static uint32_t
zones_in(const cw_map *map)
{
    uint32_t i, j, zones = 0;
    cw_node a, b;

    for (i = 0; i < cw_map_count(map); i++) {
        cw_map_node(map, i, &a);
        for (j = 0; j < i; j++) {
            cw_map_node(map, j, &b);
            if (zones_equal(&a, &b))
                break;
        }
        zones += j == i;
    }
    return zones;
}

void
plan_replica_sets(struct plan *p)
{
    struct side a, b;
    uint64_t copies = 0, fresh_copies = 0, changed = 0, lost = 0;
    uint32_t i;
    char key[16];

    if (p->ask->replicas == 0)
        return;
    p->sets.asked = true;
    p->sets.r = p->ask->replicas;
    p->sets.samples = SAMPLES;
    p->sets.zones_before = zones_in(p->from->map);
    p->sets.zones_after = zones_in(p->to->map);
    side_init(&a, p, p->from->map, true);
    side_init(&b, p, p->to->map, false);
    for (i = 0; i < SAMPLES; i++) {
        uint32_t fresh;

        sample_key(i, key);
        a.n = cw_map_replicas(a.map, key, sizeof key, a.set, p->sets.r);
        b.n = cw_map_replicas(b.map, key, sizeof key, b.set, p->sets.r);
        fresh = new_copies(&a, &b);
        fresh_copies += fresh;
        copies += b.n;
        changed += fresh > 0 || a.n != b.n;
        lost += zones_of(&b) < zones_of(&a);
    }
    p->sets.changed = (double)changed / SAMPLES;
    p->sets.copies = copies ? (double)fresh_copies / (double)copies : 0;
    p->sets.zones_lost = (double)lost / SAMPLES;
    if (lost > 0)
        plan_warn(p, "%.2f %% of the keys will have their %u copies in fewer "
                  "zones than now", 100 * p->sets.zones_lost, p->sets.r);
    if (p->sets.r > p->sets.zones_after)
        plan_warn(p, "%u copies in %u zones: some zone holds two of a key",
                  p->sets.r, p->sets.zones_after);
    side_free(&a);
    side_free(&b);
}
