/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_bound.c - what a bound on load costs: keys placed at once under caps,
 * and a stream of requests in flight, for several factors side by side.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/str.h"
#include "cli/key_set.h"
#include "cli/load_fleet.h"
#include "clockwise/clockwise_bound.h"

enum { FACTOR = CLI_OWN, ZIPF, REQUESTS, IN_FLIGHT };

static const struct opt_spec options[] = {
    KEYS_OPTIONS,
    { 0, "factor",    "LIST", FACTOR },
    { 0, "zipf",      "S",    ZIPF },
    { 0, "requests",  "N",    REQUESTS },
    { 0, "in-flight", "N",    IN_FLIGHT },
    { 0, NULL,        NULL,   0 }
};

enum { FACTORS_MAX = 32, KEYS = 100000 };

struct asked {
    struct cli      *c;
    struct keys_args keys_args;
    unsigned         factor[FACTORS_MAX];   /* in per cent; 0: none         */
    unsigned         factors;
    double           zipf;      /* key of rank r is asked for 1/r^zipf times */
    uint64_t         requests;
    uint64_t         in_flight;
};

/* One factor's row. */
struct result {
    double keys_passed;         /* share of the keys                        */
    double keys_peak;           /* max over nodes of keys / fair            */
    double stream_passed;       /* share of the requests                    */
    double stream_peak;
};

struct run {
    const struct asked *a;
    const cw_map       *map;
    struct key_set      set;
    double             *rank;       /* of each key: sum of 1/r^s up to it   */
    double             *fair;       /* of each node                         */
    uint64_t            outside;    /* keys pinned to nodes of weight 0     */
    struct progress     progress;
    uint64_t            done;
};

/* ---- options ------------------------------------------------------------ */

/* "105,125,150": 0 for none comes by itself. */
static int
read_factors(struct asked *a, const char *list)
{
    a->factors = 0;
    for (;;) {
        size_t len = strcspn(list, ",");

        if (a->factors == FACTORS_MAX - 1 ||
            !conf_bound_parse(list, len, &a->factor[a->factors]))
            return cli_usage(a->c, "--factor %s: expected up to %d of: %s",
                             list, FACTORS_MAX - 1, CONF_BOUND_EXPECTED);
        a->factors++;
        list += len;
        if (*list++ == '\0')
            return CLI_DONE;
    }
}

static int
read_number(struct asked *a, const char *name, uint64_t max, uint64_t *out)
{
    const char *value = a->c->opt.value;

    if (str_uint(value, strlen(value), max, out) && *out > 0)
        return CLI_DONE;
    return cli_usage(a->c, "--%s %s: expected a whole number from 1 to %"
                     PRIu64, name, value, max);
}

static int
read_zipf(struct asked *a)
{
    char *end;

    a->zipf = strtod(a->c->opt.value, &end);
    if (end == a->c->opt.value || *end != '\0' ||
        !(a->zipf >= 0 && a->zipf <= 10))
        return cli_usage(a->c, "--zipf %s: expected 0 (all keys alike) to 10",
                         a->c->opt.value);
    return CLI_DONE;
}

static int
read_options(struct asked *a)
{
    int id, status = CLI_DONE;

    while (status == CLI_DONE && (id = cli_next(a->c)) != OPT_END) {
        if (id == OPT_ERROR)
            return a->c->status;
        if (keys_option(&a->keys_args, id, a->c->opt.value))
            continue;
        if (id == FACTOR)
            status = read_factors(a, a->c->opt.value);
        else if (id == ZIPF)
            status = read_zipf(a);
        else if (id == REQUESTS)
            status = read_number(a, "requests", 1000000000, &a->requests);
        else
            status = read_number(a, "in-flight", 1000000, &a->in_flight);
    }
    if (status != CLI_DONE)
        return status;
    if (a->c->arg_count > 0)
        return cli_usage(a->c, "unexpected argument \"%s\"; expected keys "
                         "with --keys FILE", a->c->args[0]);
    if (a->keys_args.positions)
        return cli_usage(a->c, "--positions: a bound is on keys");
    return CLI_DONE;
}

/* ---- keys --------------------------------------------------------------- */

static int
read_keys(struct run *r)
{
    struct keys k;
    size_t n, i;
    int status;

    if (r->a->keys_args.file == NULL) {
        for (i = 0; i < KEYS; i++) {
            char text[24];
            cw_key key = { text, (size_t)snprintf(text, sizeof text, "key-%zu",
                                                  i) };

            key_set_add(&r->set, &key);
        }
        return CLI_DONE;
    }
    status = keys_open(&k, r->a->c, &r->a->keys_args, NULL, 0, 0);
    if (status != CLI_DONE)
        return status;
    while ((n = keys_next(&k)) > 0)
        for (i = 0; i < n; i++)
            key_set_add(&r->set, &k.key[i]);
    status = keys_close(&k);
    if (status == CLI_DONE && r->set.n == 0) {
        cli_say("bound: there is no key in %s; nothing was done",
                r->a->keys_args.file);
        status = CLI_NO;
    }
    return status;
}

/* ---- measuring ---------------------------------------------------------- */

/* No number: only nodes of weight 0 have any, of which no part is fair. */
static double
peak(const struct run *r, const uint64_t *of, uint64_t all)
{
    double most = 0;
    uint32_t i;

    for (i = 0; i < cw_map_count(r->map); i++) {
        double ratio = r->fair[i] > 0 ? (double)of[i] / (double)all
                                        / r->fair[i] : 0;

        most = ratio > most ? ratio : most;
    }
    return most > 0 ? most : NAN;
}

static void
place_keys(struct run *r, unsigned percent, struct result *out)
{
    uint64_t *of = mem_alloc(cw_map_count(r->map), sizeof *of);
    uint32_t *node = mem_alloc(r->set.n, sizeof *node);
    size_t i;

    memset(of, 0, cw_map_count(r->map) * sizeof *of);
    out->keys_passed = (double)key_set_place(&r->set, r->map, percent, node)
                       / (double)r->set.n;
    for (i = 0; i < r->set.n; i++)
        of[node[i]]++;
    for (i = 0, r->outside = 0; i < cw_map_count(r->map); i++)
        r->outside += r->fair[i] > 0 ? 0 : of[i];
    out->keys_peak = peak(r, of, r->set.n);
    mem_free(of);
    mem_free(node);
}

/* xorshift64*: the same stream for every factor and on every machine. */
static double
random_part(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (double)(x * UINT64_C(2685821657736338717) >> 11)
           / 9007199254740992.0;
}

/* A key by its popularity. */
static size_t
draw_key(const struct run *r, uint64_t *state)
{
    double x = random_part(state) * r->rank[r->set.n - 1];
    size_t lo = 0, hi = r->set.n - 1;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (r->rank[mid] <= x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* in_flight requests at any time: each ends when that many have begun after
 * it. */
static void
stream(struct run *r, unsigned percent, struct result *out)
{
    const struct asked *a = r->a;
    uint64_t *of = mem_alloc(cw_map_count(r->map), sizeof *of);
    uint32_t *window = mem_alloc((size_t)a->in_flight, sizeof *window);
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15), i;
    cw_map *map = cw_map_ref((cw_map *)(uintptr_t)r->map);
    cw_bound *bound;

    if (cw_bound_new(map, percent, NULL, &bound, NULL) != CW_OK)
        mem_fail();
    memset(of, 0, cw_map_count(r->map) * sizeof *of);
    for (i = 0; i < a->requests; i++) {
        uint32_t *place = &window[i % a->in_flight];
        const cw_key *key = &r->set.key[draw_key(r, &state)];

        if (i >= a->in_flight)
            cw_bound_release(bound, *place);
        if (cw_bound_take(bound, key->data, key->len, place) != CW_OK)
            mem_fail();
        of[*place]++;
        progress_tick(&r->progress, ++r->done);
    }
    out->stream_passed = (double)cw_bound_passed(bound)
                         / (double)a->requests;
    out->stream_peak = peak(r, of, a->requests);
    cw_bound_free(bound);
    cw_map_unref(map);
    mem_free(window);
    mem_free(of);
}

static void
prepare(struct run *r)
{
    uint32_t i, n = cw_map_count(r->map);
    double sum = 0, weights = 0;
    cw_node node;
    size_t k;

    r->fair = mem_alloc(n, sizeof *r->fair);
    for (i = 0; i < n; i++) {
        cw_map_node(r->map, i, &node);
        r->fair[i] = (double)node.weight;
        weights += r->fair[i];
    }
    for (i = 0; i < n; i++)
        r->fair[i] /= weights;
    r->rank = mem_alloc(r->set.n, sizeof *r->rank);
    for (k = 0; k < r->set.n; k++) {
        sum += pow((double)(k + 1), -r->a->zipf);
        r->rank[k] = sum;
    }
}

/* ---- the table ---------------------------------------------------------- */

static void
text_part(struct out *out, double passed, double most)
{
    out_print(out, "\t%.3f\t", 100 * passed);
    if (isnan(most))
        out_char(out, '-');
    else
        out_print(out, "%.4f", most);
}

static void
show(struct cli *c, struct json *j, unsigned percent, const struct result *x)
{
    if (c->json) {
        json_open(j, '{');
        json_pair_uint(j, "percent", percent);
        json_pair_double(j, "keys_passed", x->keys_passed);
        json_pair_double(j, "keys_max_avg", x->keys_peak);
        json_pair_double(j, "stream_passed", x->stream_passed);
        json_pair_double(j, "stream_max_avg", x->stream_peak);
        json_close(j, '}');
        return;
    }
    if (percent == 0)
        out_str(&c->out, "none");
    else
        out_print(&c->out, "%u %%", percent);
    text_part(&c->out, x->keys_passed, x->keys_peak);
    text_part(&c->out, x->stream_passed, x->stream_peak);
    out_char(&c->out, '\n');
}

static void
measure(struct run *r)
{
    const struct asked *a = r->a;
    struct cli *c = a->c;
    struct json j = { &c->out, false };
    unsigned i;

    prepare(r);
    if (c->json)
        json_open(&j, '[');
    else if (!c->quiet)
        out_print(&c->out, "# of %zu keys placed at once; of a stream of %"
                  PRIu64 " requests, %" PRIu64 " in\n# flight, key of rank r "
                  "asked for 1/r^%g times as often as the first\n# bound\t"
                  "keys passed on %%\tmax/avg\trequests passed on %%\tmax/avg"
                  "\n", r->set.n, a->requests, a->in_flight, a->zipf);
    progress_start(&r->progress, "requests");
    for (i = 0; i <= a->factors; i++) {
        unsigned percent = i == 0 ? 0 : a->factor[i - 1];
        struct result x;

        place_keys(r, percent, &x);
        stream(r, percent, &x);
        show(c, &j, percent, &x);
    }
    progress_end(&r->progress);
    if (r->outside > 0 && !c->json && !c->quiet)
        out_print(&c->out, "# %" PRIu64 " keys are pinned to nodes of weight "
                  "0, which have no fair share\n", r->outside);
    if (c->json) {
        json_close(&j, ']');
        json_end(&j, '\n');
    }
    mem_free(r->fair);
    mem_free(r->rank);
}

static int
run(struct cli *c)
{
    struct asked a = {
        .c = c, .factor = { 105, 125, 150, 200 }, .factors = 4, .zipf = 1,
        .requests = 200000, .in_flight = 1000
    };
    struct run r = { .a = &a };
    struct loaded fleet = { .map = NULL };
    int status = read_options(&a);
    uint32_t i;

    if (status == CLI_DONE && !c->stop)
        status = load_fleet(c, &fleet);
    if (fleet.map == NULL)
        return status;
    r.map = fleet.map;
    if (cw_map_owner(r.map, "", 0, &i) != CW_OK) {
        cli_say("bound: no node has a weight above 0; no key has an owner");
        status = CLI_NO;
    } else {
        status = read_keys(&r);
        if (status == CLI_DONE)
            measure(&r);
    }
    key_set_free(&r.set);
    load_free(&fleet);
    return status;
}

const struct cmd cmd_bound = {
    "bound", "print what bounds on the nodes' load would do",
    "[--factor LIST] [-k FILE] [--zipf S] [--in-flight N]",
    "  A row a bound: how much does not go to its owner but to the next with "
    "room,\n"
    "  and the busiest node's part of the fair share; of keys placed at once, "
    "and of\n"
    "  requests that come and go.\n"
    "      --factor LIST    per cent of the fair share: 105,125,150,200\n"
    "  -k, --keys FILE      the keys, most wanted first (100000 made-up ones)"
    "\n"
    "  -0, --null     keys end with NUL, not with a new line\n"
    "      --hex      keys are given in hexadecimal digits\n"
    "      --zipf S         key of rank r is asked for 1/r^S as often (1; 0: "
    "alike)\n"
    "      --requests N     how many come (200000)\n"
    "      --in-flight N    at a time (1000)\n",
    options, false, run
};
