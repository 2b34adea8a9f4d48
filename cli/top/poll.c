/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/poll.h"

#include <string.h>

#include "base/mem.h"

static void
take_sample(void *context, const struct sample *s)
{
    struct poller *p = context;

    counted_sample(p->load, p->map, p->at, s);
}

/* A Redis that answers INFO ALL tells of every command. */
static bool
ask_counters(struct poller *p, struct ask *a)
{
    const struct evidence_format *f = evidence_find(a->redis ? "info"
                                                             : "stats");
    const char *question = a->redis ? "INFO ALL\r\n" : "stats\r\n";
    const char *line;
    size_t len, left = 0;

    evidence_begin(p->reader);
    if (!ask_send(a, question, strlen(question)))
        return false;
    if (a->redis && !ask_bulk(a, &left))
        return false;
    do {
        if (!ask_line(a, &line, &len))
            return false;
        if (len > 0)
            f->line(p->reader, line, len);
        left -= a->redis ? (len + 2 < left ? len + 2 : left) : 0;
    } while (a->redis ? left > 0 : len != 3 || memcmp(line, "END", 3) != 0);
    f->end(p->reader);
    return true;
}

static void
poll_node(struct poller *p, struct poll_node *n)
{
    struct ask a;
    cw_node node;
    bool ok;

    cw_map_node(p->map, p->at, &node);
    ok = ask_open_within(&a, node.address_len ? node.address : node.name,
                         p->port, POLL_TIMEOUT_MS) && ask_counters(p, &a);
    n->down = !ok;
    if (ok) {
        n->failures = 0;
    } else {
        memcpy(n->error, a.error, sizeof n->error);
        n->failures++;
        n->rest = n->failures < POLL_REST_MOST ? n->failures - 1
                                               : POLL_REST_MOST;
    }
    ask_close(&a);
}

uint32_t
poll_round(struct poller *p)
{
    uint32_t down = 0, n = cw_map_count(p->map);

    for (p->at = 0; p->at < n; p->at++) {
        struct poll_node *one = &p->nodes[p->at];

        if (one->rest > 0)
            one->rest--;
        else
            poll_node(p, one);
        down += one->down;
    }
    return down;
}

void
poll_init(struct poller *p, const cw_map *map, struct load *load,
          const char *port)
{
    size_t n = cw_map_count(map) + 1;

    memset(p, 0, sizeof *p);
    p->map = map;
    p->load = load;
    p->port = port;
    p->nodes = mem_alloc(n, sizeof *p->nodes);
    memset(p->nodes, 0, n * sizeof *p->nodes);
    p->reader = mem_alloc(1, sizeof *p->reader);
    memset(p->reader, 0, sizeof *p->reader);
    p->reader->sample_of = take_sample;
    p->reader->context = p;
}

void
poll_free(struct poller *p)
{
    mem_free(p->nodes);
    mem_free(p->reader);
}
