/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - which node of one map is which of another: by name, else by
 * label, which a renamed node keeps. */
#include <string.h>

#include "core/core.h"

/* Labels of old nodes that no name matched: open addressing, node + 1. */
struct labels {
    uint32_t *slot;
    size_t    size;         /* a power of two */
};

/* The slot of a label, or the empty one where its search ends. */
static uint32_t *
label_slot(const struct labels *t, const cw_map *old_map, const char *label,
           size_t len)
{
    size_t i = (size_t)cwi_xxh3(label, len) & (t->size - 1);

    while (t->slot[i]) {
        const struct cwi_map_node *n = &old_map->nodes[(t->slot[i] - 1) &
                                                       INT32_MAX];

        /* A taken one (see below) stays, so that searches go past it. */
        if (!(t->slot[i] >> 31) && n->label_len == len &&
            memcmp(cwi_map_text(old_map, n->label), label, len) == 0)
            break;
        i = (i + 1) & (t->size - 1);
    }
    return &t->slot[i];
}

/*
 * A node that has another name but its former label was renamed: it has its
 * points still, and is the same node. named[i]: old node i was matched by
 * its name.
 */
static int
match_labels(const cw_map *old_map, const cw_map *new_map,
             const uint8_t *named, uint32_t *new_to_old)
{
    const cw_allocator *a = &new_map->alloc;
    struct labels t = { NULL, 4 };

    while (t.size < 2 * (size_t)old_map->count)
        t.size *= 2;
    t.slot = cwi_alloc(a, t.size, sizeof *t.slot);
    if (!t.slot)
        return 0;
    for (uint32_t i = 0; i < old_map->count; i++) {
        const struct cwi_map_node *n = &old_map->nodes[i];
        uint32_t *slot = label_slot(&t, old_map,
                                    cwi_map_text(old_map, n->label),
                                    n->label_len);

        if (!named[i] && !*slot)
            *slot = i + 1;
    }
    for (uint32_t j = 0; j < new_map->count; j++) {
        const struct cwi_map_node *n = &new_map->nodes[j];
        uint32_t *slot;

        if (new_to_old[j] != CW_NONE)
            continue;
        slot = label_slot(&t, old_map, cwi_map_text(new_map, n->label),
                          n->label_len);
        if (*slot) {
            new_to_old[j] = *slot - 1;
            *slot |= UINT32_C(1) << 31;     /* taken: no node twice */
        }
    }
    cwi_free(a, t.slot);
    return 1;
}

uint32_t *
cwi_match(const cw_map *old_map, const cw_map *new_map)
{
    const cw_allocator *a = &new_map->alloc;
    uint32_t *v = cwi_alloc(a, new_map->count, sizeof *v);
    uint8_t *named = cwi_alloc(a, old_map->count, 1);
    uint32_t left = new_map->count;

    for (uint32_t j = 0; v && named && j < new_map->count; j++) {
        const struct cwi_map_node *n = &new_map->nodes[j];

        v[j] = cw_map_find(old_map, cwi_map_text(new_map, n->name),
                           n->name_len);
        if (v[j] != CW_NONE) {
            named[v[j]] = 1;
            left--;
        }
    }
    if (v && (!named || (left && !match_labels(old_map, new_map, named, v)))) {
        cwi_free(a, v);
        v = NULL;
    }
    cwi_free(a, named);
    return v;
}
