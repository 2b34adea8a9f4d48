/* SPDX-License-Identifier: Apache-2.0 */
/* compare_rings.c - how a ring spreads, by its points and by its hash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/compare/compare_work.h"

static void
sweep_points(struct compare_work *w)
{
    static const unsigned points[COMPARE_SWEEP] = {
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000
    };
    struct compare *c = w->c;
    unsigned        i;

    for (i = 0; i < COMPARE_SWEEP; i++) {
        char    text[16];
        cw_map *map;

        snprintf(text, sizeof text, "%u", points[i]);
        map = compare_map(w->fleet, "ring", "points", text, NULL);
        if (map == NULL)
            break;
        c->sweep[c->sweeps].points = points[i];
        c->sweep[c->sweeps++].balance = compare_balance(map, NULL);
        cw_map_unref(map);
        progress_tick(&w->progress, ++w->steps);
    }
}

static void
try_hashes(struct compare_work *w)
{
    struct compare *c = w->c;
    cw_row          hash;
    unsigned        i;

    for (i = 0; c->hashes < COMPARE_HASHES &&
                cw_table_row(CW_TABLE_HASHES, i, &hash) == CW_OK; i++) {
        cw_map *map = hash.keyed ? NULL : compare_map(w->fleet, "ring", "hash",
                                                 hash.name, NULL);

        if (map == NULL)
            continue;
        c->hash[c->hashes].name = hash.name;
        c->hash[c->hashes++].balance = compare_balance(map, NULL);
        cw_map_unref(map);
    }
}

/* ---- usual names ------------------------------------------------------- */

/* Names as fleets have them, numbered from 0 and from 1. */
static const char *const usual[] = {
    "%c", "node%u", "node-%u", "node_%u", "node.%u", "server%u", "server-%u",
    "server_%u", "cache%u", "cache-%u", "cache_%u", "host%u", "host-%u",
    "redis-%u", "redis-%u:6379", "memcached-%u", "memcached-%u:11211",
    "shard%u", "shard-%u", "10.0.0.%u:11211", "192.168.1.%u:11211",
    "127.0.0.1:1121%u", "cache-%u.example.com:11211"
};

enum { PATTERNS = sizeof usual / sizeof *usual, USUAL_NODES = 4 };

static cw_fleet *
usual_fleet(const char *pattern, unsigned first)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    unsigned  i;

    for (i = 0; fleet != NULL && i < USUAL_NODES; i++) {
        struct buf name = { 0 };
        const char *at = strchr(pattern, '%');

        buf_add(&name, pattern, (size_t)(at - pattern));
        if (at[1] == 'c')
            buf_char(&name, (char)((first ? 'A' : 'a') + (char)i));
        else
            buf_print(&name, "%u", first + i);
        buf_str(&name, at + 2);
        if (cw_fleet_add(fleet, name.data, name.len, CW_WEIGHT_ONE, NULL)
            != CW_OK)
            mem_fail();
        buf_free(&name);
    }
    if (fleet == NULL)
        mem_fail();
    return fleet;
}

/* hash: of the row "ring", or a text-book's ring. */
static double
peak_of(const cw_fleet *fleet, const char *hash, const char *points)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_map       *map = NULL;
    double        peak;
    bool          whole = strncmp(hash, "textbook-", 9) == 0;

    if (p == NULL ||
        cw_placement_set(p, whole ? "compat" : "hash", hash, NULL) != CW_OK ||
        cw_placement_set(p, "points", points, NULL) != CW_OK ||
        cw_map_build(fleet, p, &map, NULL) != CW_OK)
        mem_fail();
    peak = compare_balance(map, NULL).max_avg;
    cw_map_unref(map);
    cw_placement_free(p);
    return peak;
}

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct compare_names
usual_peaks(const char *hash, const char *points)
{
    struct compare_names n = { hash, (unsigned)atoi(points), 2 * PATTERNS,
                               0, 0, 0 };
    double   peak[2 * PATTERNS];
    unsigned i;

    for (i = 0; i < n.sets; i++) {
        cw_fleet *fleet = usual_fleet(usual[i / 2], i % 2);

        peak[i] = peak_of(fleet, hash, points);
        cw_fleet_free(fleet);
    }
    qsort(peak, n.sets, sizeof *peak, by_size);
    n.least = peak[0];
    n.median = (peak[PATTERNS - 1] + peak[PATTERNS]) / 2;
    n.most = peak[n.sets - 1];
    return n;
}

void
compare_rings(struct compare_work *w)
{
    static const char *const tried[COMPARE_NAMES][2] = {
        { "textbook-fnv1a", "128" }, { "textbook-fnv1a", "1024" },
        { "textbook-fnv1a-js", "128" }, { "fnv1a_64", "128" },
        { "fnv1a_64", "1024" }, { "fnv1a_64_avalanche", "128" },
        { "xxh3", "128" }
    };
    unsigned i;

    sweep_points(w);
    try_hashes(w);
    for (i = 0; i < COMPARE_NAMES; i++) {
        w->c->names[i] = usual_peaks(tried[i][0], tried[i][1]);
        progress_tick(&w->progress, ++w->steps);
    }
}
