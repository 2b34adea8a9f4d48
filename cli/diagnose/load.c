/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - evidence into counts of each node. */
#include <string.h>

#include "base/mem.h"
#include "cli/diagnose/diagnose.h"
#include "cli/evidence/packets.h"

struct reading {
    struct load  *l;
    const cw_map *map;
    uint32_t      at;           /* the node the evidence is from            */
    bool          known_at;
};

void
load_event(struct load *l, const cw_map *map, bool known_at, uint32_t at,
           const struct event *e)
{
    uint64_t hash = sketch_hash(e->key, e->len), position;
    uint32_t owner = CW_NONE, place;
    cw_status known;

    if (e->kind == EVENT_EVICT) {
        l->evictions += e->requests;
        return;
    }
    if (e->kind == EVENT_PREFIX) {
        top_add(&l->prefixes, hash, e->key, e->len, CW_NONE, e->requests, 0);
        return;
    }
    l->keys++;
    l->requests += e->requests;
    l->bytes += e->bytes;
    if (cw_map_hash(map, e->key, e->len, &position) == CW_OK) {
        distinct_add(&l->positions, position * UINT64_C(0x9e3779b97f4a7c15));
        known = cw_map_owner_hash(map, position, &owner);
    } else {
        known = cw_map_owner(map, e->key, e->len, &owner);
    }
    if (known == CW_OK) {
        l->of_node[owner] += e->requests;
        l->bytes_of_node[owner] += e->bytes;
    }
    distinct_add(&l->distinct[owner == CW_NONE ? l->nodes : owner], hash);
    /* at another node than its owner: counted apart, as that one's load */
    place = known_at && at != CW_NONE ? at : owner;
    if (place != owner)
        hash = sketch_mix(hash, (uint64_t)place + 1);
    top_add(&l->top, hash, e->key, e->len, place, e->requests, e->bytes);
    if (known_at) {
        l->seen += e->requests;
        if (at == CW_NONE)
            l->strangers += e->requests;
        else
            l->seen_at[at] += e->requests;
        if (at != owner)
            l->strayed += e->requests;
    }
}

static void
take(void *context, const struct event *e)
{
    struct reading *r = context;

    load_event(r->l, r->map, r->known_at, r->at, e);
}

static void
take_sample(void *context, const struct sample *s)
{
    struct reading *r = context;

    counted_sample(r->l, r->map, r->known_at ? r->at : CW_NONE, s);
}

static uint64_t *
zeros(size_t n)
{
    uint64_t *list = mem_alloc(n, sizeof *list);

    memset(list, 0, n * sizeof *list);
    return list;
}

void
load_init(struct load *l, const cw_map *map)
{
    size_t n = cw_map_count(map) + 1;

    memset(l, 0, sizeof *l);
    l->nodes = cw_map_count(map);
    l->of_node = zeros(n);
    l->bytes_of_node = zeros(n);
    l->seen_at = zeros(n);
    l->carried = zeros(n);
    l->counted = mem_alloc(n, sizeof *l->counted);
    memset(l->counted, 0, n * sizeof *l->counted);
    l->distinct = mem_alloc(n, sizeof *l->distinct);
    memset(l->distinct, 0, n * sizeof *l->distinct);
    top_init(&l->top);
    top_init(&l->prefixes);
}

/* Where requests were seen says more than who should have had them; what
 * nodes count is all there is when no key is named. */
void
load_carry(struct load *l, const cw_map *map)
{
    uint32_t i, n = cw_map_count(map);
    bool seen = l->seen == l->requests && l->strangers < l->seen;
    const uint64_t *from = seen ? l->seen_at : l->of_node;

    memset(&l->all, 0, sizeof l->all);
    for (i = 0; i <= n; i++)
        distinct_merge(&l->all, &l->distinct[i]);
    l->carried_all = 0;
    l->basis = l->requests == 0 ? "counters" : seen ? "nodes" : "keys";
    if (l->requests == 0) {
        counted_carry(l, map);
        return;
    }
    for (i = 0; i < n; i++) {
        l->carried[i] = from[i];
        l->carried_all += from[i];
    }
}

/* Why nothing can be concluded; NULL: it can. */
static const char *
too_little(const struct load *l, double told, double understood, double least)
{
    if (told > 0 && understood < least * told)
        return "too little of the evidence is understood; expected what "
               "clockwise list evidence names";
    if (l->carried_all > 0)
        return NULL;
    if (l->unnamed > 0)
        return "the counters are of a node that is not said; expected --at "
               "NODE=FILE, or a line \"# NODE\" before them";
    if (l->unknown > 0)
        return "the counters are of nodes that the fleet does not have";
    if (l->evictions > 0)
        return "the evidence has evictions, and no request";
    return l->samples > 0 ? "the nodes counted no request"
                          : "the evidence names no key";
}

struct share_read {
    double told;
    double understood;
};

static void
reported(const struct evidence *e, const char *name, bool report,
         struct share_read *s)
{
    const struct evidence_tally *t = &e->tally;

    if (report)
        evidence_report(t, name);
    s->told += (double)(t->used + t->other + t->damaged);
    s->understood += (double)(t->used + t->other);
}

int
load_read(struct load *l, const cw_map *map, const struct diagnose_ask *ask,
          const struct source *sources, size_t count, bool report)
{
    struct reading r = { .l = l, .map = map, .at = CW_NONE };
    struct evidence *e = mem_alloc(1, sizeof *e);
    struct share_read s = { 0, 0 };
    const char *why;
    bool ok = true;
    size_t i;

    load_init(l, map);
    memset(e, 0, sizeof *e);
    e->event = take;
    e->sample_of = take_sample;
    e->context = &r;
    e->args = &ask->how;
    if (ask->live && sources == ask->sources) {
        ok = packets_live(e, ask->live, ask->seconds);
        if (ok)
            reported(e, ask->live, report, &s);
    }
    for (i = 0; i < count && ok; i++) {
        r.known_at = sources[i].node != NULL;
        r.at = r.known_at ? cw_map_find(map, sources[i].node,
                                        strlen(sources[i].node)) : CW_NONE;
        ok = evidence_read(e, sources[i].path);
        if (ok)
            reported(e, sources[i].path, report, &s);
    }
    mem_free(e);
    if (!ok)
        return CLI_IO;
    load_carry(l, map);
    why = too_little(l, s.told, s.understood, ask->least);
    if (why != NULL)
        cli_say("%s; nothing is concluded from it", why);
    return why == NULL ? CLI_DONE : CLI_NO;
}

void
load_clear(struct load *l)
{
    mem_free(l->of_node);
    mem_free(l->bytes_of_node);
    mem_free(l->seen_at);
    mem_free(l->carried);
    mem_free(l->counted);
    mem_free(l->distinct);
    top_free(&l->top);
    top_free(&l->prefixes);
}
