/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_chord.c - a Chord overlay simulated: how many hops a look-up takes when
 * no node knows all others, and what failures do to it.
 *
 * I. Stoica et al.: Chord: a scalable peer-to-peer lookup service for
 * internet applications (SIGCOMM 2001). Identifiers are the first 64 bits of
 * SHA-1; a node knows its successors and, for each i, the first node at or
 * after its identifier + 2^i (its fingers).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "clockwise/clockwise.h"

enum { LOOKUPS = CLI_OWN, FAIL, SUCCESSORS };

#define NODES_MAX   10000000u
#define HOPS_MAX    256u        /* a look-up that takes more has failed     */

static const struct opt_spec options[] = {
    { 0, "lookups",    "N",       LOOKUPS },
    { 0, "fail",       "PERCENT", FAIL },
    { 0, "successors", "N",       SUCCESSORS },
    { 0, NULL,         NULL,      0 }
};

struct overlay {
    uint64_t *id;               /* rising                                   */
    uint8_t  *dead;
    uint32_t  n;
    uint32_t  successors;       /* a node knows so many                     */
    uint32_t *start;            /* of 2^bits parts: first node there        */
    unsigned  bits;
};

/* Hops of many look-ups. */
struct tally {
    uint64_t count[HOPS_MAX + 1];
    uint64_t found;
    uint64_t failed;
};

struct asked {
    uint32_t nodes;
    uint64_t lookups;
    double   fail;              /* per cent of the nodes                    */
    uint32_t successors;
};

/* ---- the nodes ---------------------------------------------------------- */

static int
by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* A map whose only use is its hash. */
static cw_map *
sha1_map(void)
{
    cw_fleet     *fleet = cw_fleet_new(NULL);
    cw_placement *p = cw_placement_new(NULL);
    cw_map       *map = NULL;

    if (fleet == NULL || p == NULL ||
        cw_fleet_add(fleet, "node", 4, CW_WEIGHT_ONE, NULL) != CW_OK ||
        cw_placement_set(p, "algorithm", "rendezvous", NULL) != CW_OK ||
        cw_placement_set(p, "hash", "sha1", NULL) != CW_OK ||
        cw_map_build(fleet, p, &map, NULL) != CW_OK)
        mem_fail();
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

static uint64_t
sha1_of(const cw_map *map, const char *kind, uint64_t i)
{
    char     text[48];
    int      len = snprintf(text, sizeof text, "%s-%" PRIu64, kind, i);
    uint64_t hash = 0;

    cw_map_hash(map, text, (size_t)len, &hash);
    return hash;
}

static void
index_parts(struct overlay *o)
{
    uint32_t part, i = 0;

    for (part = 0; part >> o->bits == 0; part++) {
        while (i < o->n && o->id[i] >> (64 - o->bits) < part)
            i++;
        o->start[part] = i;
    }
}

static void
overlay_make(struct overlay *o, const cw_map *map, const struct asked *a)
{
    uint32_t i;

    o->n = a->nodes;
    o->successors = a->successors < o->n ? a->successors : o->n - 1;
    o->id = mem_alloc(o->n, sizeof *o->id);
    o->dead = mem_alloc(o->n, 1);
    memset(o->dead, 0, o->n);
    for (i = 0; i < o->n; i++)
        o->id[i] = sha1_of(map, "node", i);
    qsort(o->id, o->n, sizeof *o->id, by_id);
    for (o->bits = 1; o->n >> o->bits > 1; o->bits++)
        ;
    o->start = mem_alloc((size_t)1 << o->bits, sizeof *o->start);
    index_parts(o);
}

static void
overlay_free(struct overlay *o)
{
    mem_free(o->id);
    mem_free(o->dead);
    mem_free(o->start);
}

/* The first node at or after x, dead or alive. */
static uint32_t
successor(const struct overlay *o, uint64_t x)
{
    uint32_t i = o->start[x >> (64 - o->bits)];

    while (i < o->n && o->id[i] < x)
        i++;
    return i < o->n ? i : 0;
}

static uint32_t
after(const struct overlay *o, uint32_t node)
{
    return node + 1 == o->n ? 0 : node + 1;
}

/* ---- a look-up ---------------------------------------------------------- */

/* The next living node that `node` knows from its successor list. */
static uint32_t
next_alive(const struct overlay *o, uint32_t node)
{
    uint32_t i, next = node;

    for (i = 0; i < o->successors; i++) {
        next = after(o, next);
        if (!o->dead[next])
            return next;
    }
    return CW_NONE;
}

/* The farthest living finger before the key; CW_NONE when none is. */
static uint32_t
closest_finger(const struct overlay *o, uint32_t node, uint64_t key)
{
    uint64_t distance = key - o->id[node];
    int      i;

    for (i = 63; i >= 0; i--) {
        uint64_t step = UINT64_C(1) << i;
        uint32_t finger;

        if (step >= distance)
            continue;
        finger = successor(o, o->id[node] + step);
        if (o->id[finger] - o->id[node] < step)
            return CW_NONE;     /* round the ring: nodes are sparse here */
        if (!o->dead[finger] && o->id[finger] - o->id[node] < distance)
            return finger;
        /* Smaller fingers than the way to the successor are the same. */
        if (finger == after(o, node))
            return CW_NONE;
    }
    return CW_NONE;
}

/* Forwards until the node before the key is reached; HOPS_MAX + 1: never. */
static uint32_t
hops(const struct overlay *o, uint32_t node, uint64_t key)
{
    uint32_t count;

    for (count = 0; count <= HOPS_MAX; count++) {
        uint32_t next = next_alive(o, node);

        if (next == CW_NONE)
            return HOPS_MAX + 1;
        /* In (node, successor]: node answers that the successor owns it. */
        if (key - o->id[node] - 1 < o->id[next] - o->id[node])
            return count;
        node = closest_finger(o, node, key);
        if (node == CW_NONE)
            node = next;
    }
    return HOPS_MAX + 1;
}

static void
measure(const struct overlay *o, const cw_map *map, uint64_t lookups,
        struct tally *t)
{
    struct progress progress;
    uint64_t        i;

    memset(t, 0, sizeof *t);
    progress_start(&progress, "look-ups");
    for (i = 0; i < lookups; i++) {
        uint64_t key = sha1_of(map, "key", i);
        uint32_t from = (uint32_t)(sha1_of(map, "from", i) % o->n), h;

        while (o->dead[from])
            from = after(o, from);
        h = o->id[from] == key ? 0 : hops(o, from, key);
        if (h > HOPS_MAX) {
            t->failed++;
        } else {
            t->count[h]++;
            t->found++;
        }
        progress_tick(&progress, i);
    }
    progress_end(&progress);
}

/* ---- failures ----------------------------------------------------------- */

/* Every node fails with that chance, by its own hash; one stays. */
static uint32_t
fail_nodes(struct overlay *o, const cw_map *map, double percent)
{
    uint32_t i, dead = 0;

    for (i = 0; i < o->n && dead + 1 < o->n; i++) {
        double u = (double)sha1_of(map, "fate", o->id[i]) / 0x1p64;

        o->dead[i] = u < percent / 100;
        dead += o->dead[i];
    }
    return dead;
}

/* Stabilised: successors and fingers are those of the living. */
static void
stabilise(struct overlay *o)
{
    uint32_t i, kept = 0;

    for (i = 0; i < o->n; i++)
        if (!o->dead[i])
            o->id[kept++] = o->id[i];
    o->n = kept;
    o->successors = o->successors < kept ? o->successors : kept - 1;
    memset(o->dead, 0, kept);
    index_parts(o);
}

/* ---- output ------------------------------------------------------------- */

static double
mean(const struct tally *t)
{
    double   sum = 0;
    unsigned h;

    for (h = 0; h <= HOPS_MAX; h++)
        sum += (double)h * (double)t->count[h];
    return t->found ? sum / (double)t->found : 0;
}

static unsigned
percentile(const struct tally *t, double part)
{
    uint64_t sum = 0;
    unsigned h;

    for (h = 0; h < HOPS_MAX; h++) {
        sum += t->count[h];
        if ((double)sum >= part * (double)t->found)
            break;
    }
    return h;
}

static void
show_json(struct json *j, const char *name, const struct overlay *o,
          const struct tally *t)
{
    json_key(j, name);
    json_open(j, '{');
    json_pair_uint(j, "nodes", o->n);
    json_pair_double(j, "hops_mean", mean(t));
    json_pair_uint(j, "hops_p50", percentile(t, 0.5));
    json_pair_uint(j, "hops_p99", percentile(t, 0.99));
    json_pair_double(j, "half_log2_nodes", log2(o->n) / 2);
    json_pair_uint(j, "failed", t->failed);
    json_close(j, '}');
}

static void
show(struct cli *c, struct json *j, const char *name, uint32_t alive,
     const struct overlay *o, const struct tally *t)
{
    if (c->json)
        show_json(j, name, o, t);
    else
        out_print(&c->out, "%s\t%" PRIu32 "\t%.3f\t%u\t%u\t%.3f\t%" PRIu64
                  "\n", name, alive, mean(t), percentile(t, 0.5),
                  percentile(t, 0.99), log2(o->n) / 2, t->failed);
}

static int
simulate(struct cli *c, const struct asked *a)
{
    struct json    j = { &c->out, false };
    cw_map        *map = sha1_map();
    struct tally  *t = mem_alloc(1, sizeof *t);
    struct overlay o;
    uint32_t       dead;

    overlay_make(&o, map, a);
    if (c->json)
        json_open(&j, '{');
    else if (!c->quiet)
        out_str(&c->out, "# overlay\talive\thops mean\tp50\tp99\t1/2 log2 N"
                "\tfailed\n");
    measure(&o, map, a->lookups, t);
    show(c, &j, "whole", o.n, &o, t);
    dead = fail_nodes(&o, map, a->fail);
    if (dead > 0) {
        measure(&o, map, a->lookups, t);
        show(c, &j, "broken", o.n - dead, &o, t);
        stabilise(&o);
        measure(&o, map, a->lookups, t);
        show(c, &j, "stabilised", o.n, &o, t);
    }
    if (c->json) {
        json_close(&j, '}');
        json_end(&j, '\n');
    }
    overlay_free(&o);
    mem_free(t);
    cw_map_unref(map);
    return CLI_DONE;
}

/* ---- options ------------------------------------------------------------ */

/* A whole number from min to max; false when the text is another thing. */
static bool
number(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
    uint64_t x = 0;
    bool     any = *s != '\0';

    for (; *s >= '0' && *s <= '9' && x <= max; s++)
        x = x * 10 + (uint64_t)(*s - '0');
    *out = x;
    return any && *s == '\0' && x >= min && x <= max;
}

static int
take_option(struct cli *c, int id, struct asked *a)
{
    uint64_t x = 0;
    char    *end;

    switch (id) {
    case LOOKUPS:
        if (!number(c->opt.value, 1, 1000000000, &a->lookups))
            return cli_usage(c, "--lookups %s: expected 1 to 1000000000",
                             c->opt.value);
        return CLI_DONE;
    case SUCCESSORS:
        if (!number(c->opt.value, 1, 64, &x))
            return cli_usage(c, "--successors %s: expected 1 to 64",
                             c->opt.value);
        a->successors = (uint32_t)x;
        return CLI_DONE;
    default:
        a->fail = strtod(c->opt.value, &end);
        if (end == c->opt.value || *end != '\0' ||
            !(a->fail >= 0 && a->fail <= 90))
            return cli_usage(c, "--fail %s: expected 0 to 90 per cent",
                             c->opt.value);
        return CLI_DONE;
    }
}

static int
run(struct cli *c)
{
    struct asked a = { 1000, 100000, 10, 16 };
    uint64_t     n = a.nodes;
    int          id, status;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        status = take_option(c, id, &a);
        if (status != CLI_DONE)
            return status;
    }
    if (c->arg_count != 1 || strcmp(c->args[0], "simulate") != 0)
        return cli_usage(c, "expected \"simulate\" as the one argument");
    if (c->source_count > 1 ||
        (c->source_count == 1 &&
         (!c->sources[0].is_inline ||
          !number(c->sources[0].text, 2, NODES_MAX, &n))))
        return cli_usage(c, "expected --nodes with 2 to %u, how many there "
                         "are", NODES_MAX);
    a.nodes = (uint32_t)n;
    return simulate(c, &a);
}

const struct cmd cmd_chord = {
    "chord", "simulate a Chord overlay: hops, failures, stabilisation",
    "simulate [--lookups N] [--fail PERCENT] [--successors N]",
    "  --nodes N nodes (1000) with SHA-1 identifiers, fingers and successor\n"
    "  lists; hops of look-ups of keys from nodes, against 1/2 log2 N: with all"
    "\n"
    "  nodes, after some failed, and after the others stabilised.\n"
    "      --lookups N       how many are made (100000)\n"
    "      --fail PERCENT    of the nodes that fail at once (10)\n"
    "      --successors N    length of a node's successor list (16)\n",
    options, false, run
};
