/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_traffic.c - what the change means for keys that are really asked for,
 * from evidence in any format: a list of keys, each with its requests and
 * bytes, or a log in which a key comes as often as it was asked for. Streams
 * in constant memory; with a bound all keys are kept, to be placed at once.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/evidence/sketch.h"
#include "cli/key_set.h"
#include "cli/plan/census.h"
#include "cli/plan/plan.h"

enum { BATCH = 256, TEXT = 1 << 15 };

/* The share of the lines that must be understood. */
#define LEAST 0.5

/* Moved keys by how often they are asked for: 16 steps a doubling. */
enum { STEPS = 16, BINS = 64 * STEPS };

struct refill {
    double keys[BINS];
    double requests[BINS];
};

struct reading {
    struct plan     *p;
    struct evidence  evidence;
    uint32_t        *to_union;      /* new map's number -> diff's           */
    struct refill    refill;
    struct census    census;        /* of a log                             */
    bool             in_census;
    size_t           count;         /* in the batch                         */
    size_t           text_len;
    char             text[TEXT];    /* the keys of the batch                */
    struct key_set   set;           /* all keys, when there is a bound      */
    cw_key           key[BATCH];
    struct plan_load load[BATCH];
    uint32_t         old_owner[BATCH];
    uint32_t         new_owner[BATCH];
};

static void
sum(struct plan_load *a, const struct plan_load *b)
{
    a->keys += b->keys;
    a->requests += b->requests;
    a->bytes += b->bytes;
}

static unsigned
bin_of(uint64_t requests)
{
    unsigned power = 0;

    while (requests >> power > 31)
        power++;
    if (requests < STEPS)
        return (unsigned)requests;
    return (power + 1) * STEPS + (unsigned)(requests >> power) - STEPS;
}

static bool
moves(const struct reading *r, uint32_t old_owner, uint32_t new_owner)
{
    return r->to_union[new_owner] != old_owner;
}

/* A key, or as many as it stands for, that moves. */
static void
refill(struct reading *r, uint64_t requests, double times)
{
    unsigned b = bin_of(requests);

    r->refill.keys[b] += times;
    r->refill.requests[b] += (double)requests * times;
}

/* One of the batch: of a log the requests alone, its keys come at the end. */
static void
count_one(struct reading *r, size_t i)
{
    struct plan_traffic *t = &r->p->traffic;
    struct plan_load *l = &r->load[i];
    struct census_key k = {
        sketch_hash(r->key[i].data, r->key[i].len), l->requests, l->bytes,
        r->old_owner[i], r->new_owner[i]
    };
    bool is_new = true;

    t->counted |= l->requests != 1;
    t->sized |= l->bytes != 0;
    if (r->in_census) {
        is_new = census_add(&r->census, &k);
        l->keys = l->bytes = 0;
    }
    if (t->bounded && is_new)
        key_set_add(&r->set, &r->key[i]);
    sum(&t->all, l);
    sum(&t->before[k.old_owner], l);
    sum(&t->after[k.new_owner], l);
    if (moves(r, k.old_owner, k.new_owner)) {
        sum(&t->moved, l);
        if (!r->in_census)
            refill(r, l->requests, 1);
    }
}

static void
flush(struct reading *r)
{
    size_t i;

    cw_map_owner_many(r->p->from->map, r->key, r->count, r->old_owner);
    cw_map_owner_many(r->p->to->map, r->key, r->count, r->new_owner);
    for (i = 0; i < r->count; i++)
        count_one(r, i);
    r->count = 0;
    r->text_len = 0;
}

/* Keys are copied, as they live as long as their line only. */
static void
take(void *context, const struct event *e)
{
    struct reading *r = context;
    size_t i;

    if (e->kind == EVENT_EVICT || e->kind == EVENT_PREFIX)
        return;
    if (r->count == BATCH || r->text_len + e->len > TEXT)
        flush(r);
    i = r->count++;
    r->key[i].data = e->key;
    r->key[i].len = e->len;
    r->load[i] = (struct plan_load){ 1, e->requests, e->bytes };
    r->in_census = r->evidence.repeats;
    if (e->len > TEXT) {
        flush(r);
        return;
    }
    memcpy(r->text + r->text_len, e->key, e->len);
    r->key[i].data = r->text + r->text_len;
    r->text_len += e->len;
}

/* The keys of a log, each once. */
static void
count_census(struct reading *r)
{
    struct plan_traffic *t = &r->p->traffic;
    uint64_t times = UINT64_C(1) << r->census.level;
    const struct census_key *k;
    size_t at = 0;

    t->estimated = r->census.level > 0;
    while ((k = census_next(&r->census, &at)) != NULL) {
        struct plan_load l = { times, 0, k->bytes * times };

        t->counted |= k->requests != 1;
        sum(&t->all, &l);
        sum(&t->before[k->old_owner], &l);
        sum(&t->after[k->new_owner], &l);
        if (moves(r, k->old_owner, k->new_owner)) {
            sum(&t->moved, &l);
            refill(r, k->requests, (double)times);
        }
    }
}

static int
read_all(struct reading *r, const char *path)
{
    const struct evidence_tally *t = &r->evidence.tally;
    struct plan *p = r->p;
    int status = CLI_DONE;

    r->evidence.event = take;
    r->evidence.context = r;
    r->evidence.args = p->ask->how;
    census_init(&r->census);
    if (!evidence_read(&r->evidence, path))
        status = CLI_IO;
    flush(r);
    count_census(r);
    census_free(&r->census);
    if (status != CLI_DONE)
        return status;
    /* that a list of keys was one need not be told */
    if (!p->ask->quiet && (strcmp(t->format, "keys") != 0 || t->damaged > 0
                           || t->truncated))
        evidence_report(t, path);
    if (evidence_understood(t) < LEAST && t->lines > 0) {
        cli_say("%s: too little is understood; expected key, key TAB "
                "requests, key TAB requests TAB bytes, or what clockwise list "
                "evidence names; nothing was planned", evidence_name(path));
        return CLI_NO;
    }
    if (t->damaged > 0 || t->truncated)
        plan_warn(p, "%.2f %% of %s were understood%s", 100
                  * evidence_understood(t), evidence_name(path),
                  t->truncated ? ", and it breaks off" : "");
    return CLI_DONE;
}

/* Misses a second after t seconds: each moved key misses until it is first
 * asked for, at its own rate. */
static double
misses_after(const struct refill *f, double per_request, double t)
{
    double left = 0;
    unsigned b;

    for (b = 0; b < BINS; b++) {
        double rate;

        if (f->keys[b] <= 0)
            continue;
        rate = f->requests[b] * per_request;
        left += rate * exp(-rate / f->keys[b] * t);
    }
    return left;
}

/* When that has fallen to a part of what it was at first. */
static double
time_until(const struct refill *f, double per_request, double part)
{
    double goal = part * misses_after(f, per_request, 0), lo = 0, hi = 1;
    int i;

    if (goal <= 0)
        return 0;
    while (misses_after(f, per_request, hi) > goal && hi < 1e12)
        hi *= 2;
    for (i = 0; i < 60; i++) {
        double mid = (lo + hi) / 2;

        if (misses_after(f, per_request, mid) > goal)
            lo = mid;
        else
            hi = mid;
    }
    return hi;
}

/* The keys where no node may have more than its fleet's bound; of a log whose
 * keys are too many, as many of all as there are of those that were kept. */
static void
compare_bounded(struct reading *r)
{
    struct plan *p = r->p;
    uint32_t *before = mem_alloc(r->set.n, sizeof *before);
    uint32_t *after = mem_alloc(r->set.n, sizeof *after);
    size_t i, moved = 0;

    key_set_place(&r->set, p->from->map, p->from->model.pools[0].bound,
                  before);
    key_set_place(&r->set, p->to->map, p->to->model.pools[0].bound, after);
    for (i = 0; i < r->set.n; i++)
        moved += r->to_union[after[i]] != before[i];
    if (r->set.n > 0)
        p->traffic.bounded_moved = (uint64_t)((double)moved
            / (double)r->set.n * (double)p->traffic.all.keys + 0.5);
    mem_free(before);
    mem_free(after);
}

static double
peak(const struct plan_load *of, const cw_shares *s, uint64_t all)
{
    double most = 0;
    uint32_t i;

    for (i = 0; i < s->count && all > 0; i++) {
        double ratio = s->fair[i] > 0 ? (double)of[i].requests / (double)all
                                        / s->fair[i] : 0;

        most = ratio > most ? ratio : most;
    }
    return most;
}

static void
conclude(struct reading *r)
{
    struct plan *p = r->p;
    struct plan_traffic *t = &p->traffic;

    t->peak_before = peak(t->before, p->old_shares, t->all.requests);
    t->peak_after = peak(t->after, p->new_shares, t->all.requests);
    if (p->ask->rate > 0 && t->all.requests > 0) {
        double per_request = p->ask->rate / (double)t->all.requests;

        t->misses_at_first = misses_after(&r->refill, per_request, 0);
        t->seconds_to_half = time_until(&r->refill, per_request, 0.5);
        t->seconds_to_tenth = time_until(&r->refill, per_request, 0.1);
    }
}

static bool
is_empty(const cw_shares *s)
{
    return s->balance.max_avg <= 0;
}

int
plan_traffic(struct plan *p, struct cli *c)
{
    size_t n = cw_map_count(p->from->map), m = cw_map_count(p->to->map);
    struct reading *r;
    int status;
    uint32_t i;

    (void)c;
    if (is_empty(p->old_shares) || is_empty(p->new_shares)) {
        cli_say("--keys: one of the fleets has no node with a weight above "
                "0, so keys have no owner there; nothing was planned");
        return CLI_NO;
    }
    r = mem_alloc(1, sizeof *r);
    memset(r, 0, sizeof *r);
    r->p = p;
    r->to_union = mem_alloc(m, sizeof *r->to_union);
    for (i = 0; i < p->diff->node_count; i++)
        if (p->diff->nodes[i].new_index != CW_NONE)
            r->to_union[p->diff->nodes[i].new_index] = i;
    p->traffic.given = true;
    p->traffic.before = mem_alloc(n, sizeof *p->traffic.before);
    p->traffic.after = mem_alloc(m, sizeof *p->traffic.after);
    memset(p->traffic.before, 0, n * sizeof *p->traffic.before);
    memset(p->traffic.after, 0, m * sizeof *p->traffic.after);
    p->traffic.bounded = p->from->model.pools[0].bound != 0
                         || p->to->model.pools[0].bound != 0;
    status = read_all(r, p->ask->keys);
    conclude(r);
    if (status == CLI_DONE && p->traffic.bounded)
        compare_bounded(r);
    key_set_free(&r->set);
    mem_free(r->to_union);
    mem_free(r);
    return status;
}
