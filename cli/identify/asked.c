/* SPDX-License-Identifier: Apache-2.0 */
/* asked.c - a sample made by asking the nodes which of the keys they hold. */
#include <string.h>

#include "base/mem.h"
#include "cli/ask/ask.h"
#include "cli/cli.h"
#include "cli/identify/identify.h"

struct asked {
    struct ask_key *keys;
    size_t          count;
    uint32_t       *node;       /* of each: who holds it, or CW_NONE        */
    bool           *several;    /* more than one does                       */
};

/* Lines that are not empty. */
static void
cut_keys(struct asked *x, const struct buf *bytes)
{
    const char *at = bytes->data, *end = at + bytes->len;
    size_t room = 0;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        if (stop == NULL)
            stop = end;
        if (stop > at) {
            if (x->count == room) {
                room = room ? 2 * room : 1024;
                x->keys = mem_resize(x->keys, room, sizeof *x->keys);
            }
            x->keys[x->count++] = (struct ask_key){
                at, (size_t)(stop - at), 0
            };
        }
        at = stop + (stop < end);
    }
}

/* False: the node did not answer, which was said. */
static bool
ask_node(struct asked *x, const cw_node *node, uint32_t number,
         const char *port, bool *held)
{
    const char *address = node->address_len ? node->address : node->name;
    struct ask a;
    bool ok;
    size_t i;

    ok = ask_open(&a, address, port) && ask_holds(&a, x->keys, x->count,
                                                  held);
    if (!ok)
        cli_say("node %s at %s: %s; what it holds is left out", node->name,
                address, a.error);
    ask_close(&a);
    for (i = 0; ok && i < x->count; i++) {
        if (!held[i])
            continue;
        x->several[i] = x->node[i] != CW_NONE;
        x->node[i] = number;
    }
    return ok;
}

static void
keep_pairs(const struct asked *x, struct identify_sample *s)
{
    size_t i;

    s->pairs = mem_alloc(x->count + 1, sizeof *s->pairs);
    for (i = 0; i < x->count; i++) {
        if (x->several[i])
            s->several++;
        else if (x->node[i] == CW_NONE)
            s->nowhere++;
        else
            s->pairs[s->count++] = (struct identify_pair){
                x->keys[i].key, x->keys[i].len, x->node[i]
            };
    }
}

bool
identify_sample_ask(struct identify_sample *s, const cw_fleet *fleet,
                    const char *port)
{
    uint32_t n = cw_fleet_count(fleet), i;
    struct asked x = { NULL, 0, NULL, NULL };
    bool any = false, *held;
    cw_node node;
    size_t k;

    cut_keys(&x, &s->bytes);
    x.node = mem_alloc(x.count + 1, sizeof *x.node);
    x.several = mem_alloc(x.count + 1, sizeof *x.several);
    held = mem_alloc(x.count + 1, sizeof *held);
    for (k = 0; k < x.count; k++) {
        x.node[k] = CW_NONE;
        x.several[k] = false;
    }
    for (i = 0; i < n; i++) {
        cw_fleet_node(fleet, i, &node);
        any = ask_node(&x, &node, i, port, held) || any;
    }
    keep_pairs(&x, s);
    identify_sample_nodes(s, n);
    mem_free(x.keys);
    mem_free(x.node);
    mem_free(x.several);
    mem_free(held);
    return any;
}
