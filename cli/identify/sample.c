/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - pairs of key and node. */
#include <string.h>

#include "base/mem.h"
#include "cli/identify/identify.h"

/* The number of a node by its name, else by its address; CW_NONE. */
static uint32_t
find_node(const cw_fleet *fleet, const char *text, size_t len)
{
    uint32_t n = cw_fleet_count(fleet), i, by_address = CW_NONE;
    cw_node node;

    for (i = 0; i < n; i++) {
        cw_fleet_node(fleet, i, &node);
        if (node.name_len == len && memcmp(node.name, text, len) == 0)
            return i;
        if (node.address_len == len && memcmp(node.address, text, len) == 0)
            by_address = i;
    }
    return by_address;
}

void
identify_sample_nodes(struct identify_sample *s, uint32_t n)
{
    bool *seen = mem_alloc(n + 1, sizeof *seen);
    size_t i;

    memset(seen, 0, n * sizeof *seen);
    for (i = 0; i < s->count; i++) {
        s->nodes += !seen[s->pairs[i].node];
        seen[s->pairs[i].node] = true;
    }
    mem_free(seen);
}

bool
identify_sample_cut(struct identify_sample *s, const cw_fleet *fleet,
                    size_t *line)
{
    const char *at = s->bytes.data, *end = at + s->bytes.len;
    size_t room = 0;

    for (*line = 1; at < end; (*line)++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *tab;
        uint32_t node;

        if (stop == NULL)
            stop = end;
        tab = memchr(at, '\t', (size_t)(stop - at));
        if (tab == NULL)
            return false;
        node = find_node(fleet, tab + 1, (size_t)(stop - tab - 1));
        if (node == CW_NONE) {
            if (s->unknown++ == 0)
                buf_add(&s->first_unknown, tab + 1, (size_t)(stop - tab - 1));
        } else {
            if (s->count == room) {
                room = room ? 2 * room : 1024;
                s->pairs = mem_resize(s->pairs, room, sizeof *s->pairs);
            }
            s->pairs[s->count++] = (struct identify_pair){
                at, (size_t)(tab - at), node
            };
        }
        at = stop < end ? stop + 1 : end;
    }
    identify_sample_nodes(s, cw_fleet_count(fleet));
    return true;
}

void
identify_sample_free(struct identify_sample *s)
{
    buf_free(&s->bytes);
    buf_free(&s->first_unknown);
    mem_free(s->pairs);
}
