/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_stats.c - counters of memcached: `stats`, `stats items`, `stats
 * detail dump`. Nodes that share a file stand behind a line "# NODE"; a node
 * that is asked again gives what came in between.
 */
#include <string.h>

#include "base/str.h"
#include "cli/evidence/evidence.h"

static bool
claims(const char *s, size_t len)
{
    return evidence_begins(s, len, "STAT ")
           || evidence_begins(s, len, "PREFIX ");
}

static const struct {
    const char  *name;
    enum counter counter;
} rows[] = {
    { "uptime", COUNT_UPTIME },         { "cmd_get", COUNT_REQUESTS },
    { "cmd_set", COUNT_REQUESTS },      { "cmd_touch", COUNT_REQUESTS },
    { "delete_hits", COUNT_REQUESTS },  { "delete_misses", COUNT_REQUESTS },
    { "incr_hits", COUNT_REQUESTS },    { "incr_misses", COUNT_REQUESTS },
    { "decr_hits", COUNT_REQUESTS },    { "decr_misses", COUNT_REQUESTS },
    { "bytes_read", COUNT_BYTES },      { "bytes_written", COUNT_BYTES },
    { "get_hits", COUNT_HITS },         { "get_misses", COUNT_MISSES },
    { "evictions", COUNT_EVICTIONS },   { "curr_items", COUNT_ITEMS },
    { "limit_maxbytes", COUNT_CAPACITY }
};

/* "items:1:number 5": of one slab class. */
static bool
class_stat(struct evidence *e, const char *s, size_t len, uint64_t value)
{
    const char *last = memchr(s + 6, ':', len - 6);
    size_t n;

    if (last == NULL)
        return false;
    last++;
    n = len - (size_t)(last - s);
    if (n == 6 && memcmp(last, "number", 6) == 0)
        evidence_counter(e, COUNT_CLASS_ITEMS, value);
    else if (n == 7 && memcmp(last, "evicted", 7) == 0)
        evidence_counter(e, COUNT_CLASS_EVICTIONS, value);
    else
        return false;
    return true;
}

/* "pid 7" begins `stats`: what came before it is of another answer. */
static enum line_result
stat(struct evidence *e, const char *s, size_t len)
{
    const char *blank = memchr(s, ' ', len);
    size_t n, i;
    uint64_t value;

    if (blank == NULL)
        return LINE_DAMAGED;
    n = (size_t)(blank - s);
    if (n == 3 && memcmp(s, "pid", 3) == 0)
        evidence_sample(e);
    if (n == 4 && memcmp(s, "time", 4) == 0
        && evidence_number(blank + 1, len - n - 1, &value))
        evidence_time(e, (double)value);
    if (!str_uint(blank + 1, len - n - 1, UINT64_MAX, &value))
        return LINE_OTHER;          /* a version, a name, a fraction */
    if (evidence_begins(s, n, "items:"))
        return class_stat(e, s, n, value) ? LINE_USED : LINE_OTHER;
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == n && memcmp(rows[i].name, s, n) == 0) {
            evidence_counter(e, rows[i].counter, value);
            return LINE_USED;
        }
    return LINE_OTHER;
}

/* "user get 10 hit 8 set 2 del 0": requests of the keys with a prefix. */
static enum line_result
prefix(struct evidence *e, const char *s, size_t len)
{
    static const char *const verbs[] = { " get ", " set ", " del " };
    struct event event = { .kind = EVENT_PREFIX, .key = s };
    const char *stop = memchr(s, ' ', len);
    size_t i;

    if (stop == NULL)
        return LINE_DAMAGED;
    event.len = (size_t)(stop - s);
    for (i = 0; i < 3; i++) {
        const char *p = stop;
        uint64_t n;

        for (; p + 5 < s + len; p++) {
            if (memcmp(p, verbs[i], 5) == 0
                && evidence_number(p + 5, (size_t)(s + len - p - 5), &n)) {
                event.requests += n;
                break;
            }
        }
    }
    evidence_counter(e, COUNT_PREFIX_REQUESTS, event.requests);
    e->event(e->context, &event);
    return LINE_USED;
}

static enum line_result
line(struct evidence *e, const char *s, size_t len)
{
    if (evidence_begins(s, len, "STAT "))
        return stat(e, s + 5, len - 5);
    if (evidence_begins(s, len, "PREFIX "))
        return prefix(e, s + 7, len - 7);
    if (evidence_begins(s, len, "# ")) {
        evidence_node(e, s + 2, len - 2);
        return LINE_OTHER;
    }
    if (len == 3 && memcmp(s, "END", 3) == 0) {
        evidence_sample(e);
        return LINE_OTHER;
    }
    return LINE_DAMAGED;
}

const struct evidence_format evidence_stats = {
    "stats", "memcached: stats, stats items, stats detail dump, of one node "
    "or several", false, claims, line, evidence_sample
};
