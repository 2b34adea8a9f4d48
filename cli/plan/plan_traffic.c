/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_traffic.c - what the change means for keys that are really asked for:
 * a line a key, "key", "key TAB requests" or "key TAB requests TAB bytes".
 * Streams in constant memory; with a bound all keys are kept, to be placed at
 * once.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/str.h"
#include "cli/key_set.h"
#include "cli/plan/plan.h"

enum { BATCH = 256 };

/* Moved keys by how often they are asked for: 16 steps a doubling. */
enum { STEPS = 16, BINS = 64 * STEPS };

struct refill {
    uint64_t keys[BINS];
    uint64_t requests[BINS];
};

struct reading {
    struct plan     *p;
    uint32_t        *to_union;      /* new map's number -> diff's           */
    struct refill    refill;
    uint64_t         line;
    struct key_set   set;           /* all keys, when there is a bound      */
    cw_key           key[BATCH];
    struct plan_load load[BATCH];
    uint32_t         old_owner[BATCH];
    uint32_t         new_owner[BATCH];
};

/* One record into key and load; false when a column is no number. */
static bool
split(const struct lines_record *r, cw_key *key, struct plan_load *load)
{
    const char *tab = memchr(r->data, '\t', r->len);
    const char *end = r->data + r->len, *second;

    key->data = r->data;
    key->len = tab ? (size_t)(tab - r->data) : r->len;
    load->keys = 1;
    load->requests = 1;
    load->bytes = 0;
    if (tab == NULL)
        return true;
    tab++;
    second = memchr(tab, '\t', (size_t)(end - tab));
    if (!str_uint(tab, (size_t)((second ? second : end) - tab), UINT64_MAX,
                  &load->requests))
        return false;
    return second == NULL
           || str_uint(second + 1, (size_t)(end - second - 1), UINT64_MAX,
                       &load->bytes);
}

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

static void
count(struct reading *r, size_t n)
{
    struct plan *p = r->p;
    struct plan_traffic *t = &p->traffic;
    size_t i;

    cw_map_owner_many(p->from->map, r->key, n, r->old_owner);
    cw_map_owner_many(p->to->map, r->key, n, r->new_owner);
    for (i = 0; i < n; i++) {
        const struct plan_load *l = &r->load[i];

        if (t->bounded)
            key_set_add(&r->set, &r->key[i]);
        sum(&t->all, l);
        sum(&t->before[r->old_owner[i]], l);
        sum(&t->after[r->new_owner[i]], l);
        t->counted |= l->requests != 1;
        t->sized |= l->bytes != 0;
        if (r->to_union[r->new_owner[i]] != r->old_owner[i]) {
            unsigned b = bin_of(l->requests);

            sum(&t->moved, l);
            r->refill.keys[b]++;
            r->refill.requests[b] += l->requests;
        }
    }
}

static int
read_all(struct reading *r, int fd, const char *name)
{
    struct lines lines;
    struct progress progress;
    struct lines_record record[BATCH];
    size_t n, i;
    int status = CLI_DONE;

    lines_init(&lines, fd, r->p->ask->nul ? '\0' : '\n');
    progress_start(&progress, "keys");
    while (status == CLI_DONE
           && (n = lines_next(&lines, record, BATCH)) > 0) {
        for (i = 0; i < n; i++) {
            r->line++;
            if (!split(&record[i], &r->key[i], &r->load[i])) {
                progress_end(&progress);
                cli_say("%s:%" PRIu64 ": expected key, key TAB requests, or "
                        "key TAB requests TAB bytes; nothing was planned",
                        name, r->line);
                status = CLI_NO;
                break;
            }
        }
        if (status == CLI_DONE)
            count(r, n);
        progress_tick(&progress, r->line);
    }
    progress_end(&progress);
    if (lines.error != 0)
        status = cli_cannot_read(name, lines.error);
    lines_free(&lines);
    return status;
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

        if (f->keys[b] == 0)
            continue;
        rate = (double)f->requests[b] * per_request;
        left += rate * exp(-rate / (double)f->keys[b] * t);
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

/* The keys where no node may have more than its fleet's bound. */
static void
compare_bounded(struct reading *r)
{
    struct plan *p = r->p;
    uint32_t *before = mem_alloc(r->set.n, sizeof *before);
    uint32_t *after = mem_alloc(r->set.n, sizeof *after);
    size_t i;

    key_set_place(&r->set, p->from->map, p->from->model.pools[0].bound,
                  before);
    key_set_place(&r->set, p->to->map, p->to->model.pools[0].bound, after);
    for (i = 0; i < r->set.n; i++)
        p->traffic.bounded_moved += r->to_union[after[i]] != before[i];
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
    struct reading *r;
    bool standard = strcmp(p->ask->keys, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(p->ask->keys, O_RDONLY);
    size_t n = cw_map_count(p->from->map), m = cw_map_count(p->to->map);
    int status;
    uint32_t i;

    (void)c;
    if (fd < 0)
        return cli_cannot_read(p->ask->keys, errno);
    if (is_empty(p->old_shares) || is_empty(p->new_shares)) {
        cli_say("--keys: one of the fleets has no node with a weight above "
                "0, so keys have no owner there; nothing was planned");
        status = CLI_NO;
    } else {
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
        status = read_all(r, fd, standard ? "standard input" : p->ask->keys);
        conclude(r);
        if (status == CLI_DONE && p->traffic.bounded)
            compare_bounded(r);
        key_set_free(&r->set);
        mem_free(r->to_union);
        mem_free(r);
    }
    if (!standard)
        close(fd);
    return status;
}
