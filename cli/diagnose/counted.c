/* SPDX-License-Identifier: Apache-2.0 */
/* counted.c - what the nodes counted themselves: samples into counts. */
#include <string.h>

#include "base/mem.h"
#include "cli/diagnose/diagnose.h"

enum { SECONDS_LEAST = 60 };

/* The node that a file of counters names: its name or address; the port may
 * be left out when it is memcached's or Redis's own. */
static uint32_t
node_of(const cw_map *map, const char *name, size_t len)
{
    uint32_t i, n = cw_map_count(map);
    cw_node node;

    i = cw_map_find(map, name, len);
    for (; i == CW_NONE && n > 0; n--) {
        const char *port;

        cw_map_node(map, n - 1, &node);
        if (node.address_len < len || memcmp(node.address, name, len) != 0)
            continue;
        port = node.address + len;
        if (node.address_len == len
            || (node.address_len - len == 6 && memcmp(port, ":11211", 6) == 0)
            || (node.address_len - len == 5 && memcmp(port, ":6379", 5) == 0))
            i = n - 1;
    }
    return i;
}

void
counted_sample(struct load *l, const cw_map *map, uint32_t at,
               const struct sample *s)
{
    uint32_t i = s->node_len > 0 ? node_of(map, s->node, s->node_len) : at;
    struct counted *c;
    unsigned k;

    if (i == CW_NONE) {
        l->unnamed += s->node_len == 0;
        l->unknown += s->node_len > 0;
        return;
    }
    c = &l->counted[i];
    c->only_since = l->only_since;
    l->samples++;
    for (k = 0; k < COUNTERS; k++) {
        uint64_t now = s->count[k];

        if (!(s->has >> k & 1))
            continue;
        if (c->seen[k] > 0)     /* below the last one: it was restarted */
            c->since[k] += now >= c->last[k] ? now - c->last[k] : now;
        c->last[k] = now;
        c->seen[k]++;
    }
}

static bool
value(const struct counted *c, enum counter k, uint64_t *out)
{
    bool now = k >= COUNT_ITEMS;

    *out = now || (c->seen[k] == 1 && !c->only_since) ? c->last[k]
                                                      : c->since[k];
    return c->seen[k] > 0;
}

bool
counted_value(const struct counted *c, enum counter k, uint64_t *out)
{
    static const struct {
        enum counter counter, instead;
    } rows[] = {
        { COUNT_REQUESTS, COUNT_COMMANDS },
        { COUNT_REQUESTS, COUNT_PREFIX_REQUESTS },
        { COUNT_EVICTIONS, COUNT_CLASS_EVICTIONS },
        { COUNT_ITEMS, COUNT_CLASS_ITEMS }
    };
    size_t i;

    if (value(c, k, out))
        return true;
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].counter == k && value(c, rows[i].instead, out))
            return true;
    return false;
}

double
counted_rate(const struct counted *c)
{
    uint64_t requests, seconds;

    if (!counted_value(c, COUNT_REQUESTS, &requests)
        || !counted_value(c, COUNT_UPTIME, &seconds) || seconds == 0)
        return 0;
    return (double)requests / (double)seconds;
}

/* Longest time that a node counted for; 0 when one does not say, or it is so
 * short that whole seconds do not measure it. */
static uint64_t
longest(const struct load *l, uint32_t nodes)
{
    uint64_t most = 0, seconds, requests;
    uint32_t i;

    for (i = 0; i < nodes; i++) {
        if (!counted_value(&l->counted[i], COUNT_REQUESTS, &requests))
            continue;
        if (!counted_value(&l->counted[i], COUNT_UPTIME, &seconds)
            || seconds == 0)
            return 0;
        most = seconds > most ? seconds : most;
    }
    return most >= SECONDS_LEAST ? most : 0;
}

void
counted_carry(struct load *l, const cw_map *map)
{
    uint32_t i, nodes = cw_map_count(map);
    uint64_t all = longest(l, nodes), n, seconds;

    l->carried_all = 0;
    for (i = 0; i < nodes; i++) {
        if (!counted_value(&l->counted[i], COUNT_REQUESTS, &n))
            n = 0;
        else if (all > 0 && counted_value(&l->counted[i], COUNT_UPTIME,
                                          &seconds) && seconds < all)
            n = (uint64_t)((double)n * (double)all / (double)seconds);
        l->carried[i] = n;
        l->carried_all += n;
    }
}
