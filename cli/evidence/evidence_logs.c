/* SPDX-License-Identifier: Apache-2.0 */
/* evidence_logs.c - Redis MONITOR, and cache traces as CSV. */
#include <string.h>

#include "base/str.h"
#include "cli/evidence/evidence.h"

/* ---- Redis MONITOR ------------------------------------------------------ */

/* 1700000000.123456 [0 127.0.0.1:50000] "GET" "user:1" */
static bool
monitor_claims(const char *s, size_t len)
{
    const char *p = memchr(s, ' ', len);

    return len > 20 && s[0] >= '0' && s[0] <= '9' && p != NULL
           && memchr(s, '.', (size_t)(p - s)) != NULL
           && p + 1 < s + len && p[1] == '['
           && memchr(p, '"', (size_t)(s + len - p)) != NULL;
}

/* The quoted word that begins at or after p, with its escapes undone, into
 * out; SIZE_MAX when there is none. *after: behind it. */
static size_t
quoted(const char *p, const char *end, char *out, size_t room,
       const char **after)
{
    size_t n = 0;

    while (p < end && *p != '"')
        p++;
    for (p++; p < end && *p != '"'; p++, n++) {
        char c = *p;

        if (n == room)
            return SIZE_MAX;
        if (c == '\\' && end - p > 1) {
            p++;
            c = *p == 'n' ? '\n' : *p == 'r' ? '\r' : *p == 't' ? '\t'
              : *p == 'a' ? '\a' : *p == 'b' ? '\b' : *p;
            if (*p == 'x' && end - p > 2 && str_unhex(p + 1, 2, &c))
                p += 2;
        }
        out[n] = c;
    }
    *after = p + 1;
    return p < end ? n : SIZE_MAX;
}

static enum line_result
monitor_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .requests = 1 };
    const char *p, *end = s + len;
    char verb[32];
    size_t verb_len;
    enum redis_kind kind;
    uint64_t seconds;
    bool all;

    if (len == 2 && memcmp(s, "OK", 2) == 0)
        return LINE_OTHER;
    if (!monitor_claims(s, len) || !evidence_number(s, len, &seconds))
        return LINE_DAMAGED;
    evidence_time(e, (double)seconds);
    p = memchr(s, ']', len);
    if (p == NULL)
        return LINE_DAMAGED;
    verb_len = quoted(p, end, verb, sizeof verb, &p);
    if (verb_len == SIZE_MAX)
        return LINE_DAMAGED;
    kind = redis_command(verb, verb_len, &all);
    if (kind == REDIS_NO_KEY || p >= end)
        return LINE_OTHER;
    event.kind = kind == REDIS_READ ? EVENT_GET
               : kind == REDIS_WRITE ? EVENT_SET : EVENT_DELETE;
    do {
        event.len = quoted(p, end, e->key, sizeof e->key, &p);
        if (event.len == SIZE_MAX)
            return LINE_DAMAGED;
        event.key = e->key;
        e->event(e->context, &event);
    } while (all && p < end);
    return LINE_USED;
}

const struct evidence_format evidence_monitor = {
    "monitor", "Redis: MONITOR", true, monitor_claims, monitor_line, NULL
};

/* ---- cache trace -------------------------------------------------------- */

/* timestamp,key,key_size,value_size,client_id,op,ttl; keys may hold commas,
 * so the numbers are counted from the end. */
static bool
trace_split(const char *s, size_t len, const char **key, size_t *key_len,
            const char *column[6])
{
    const char *first = memchr(s, ',', len), *p = s + len;
    int i;

    for (i = 5; i > 0; i--) {
        while (p > s && p[-1] != ',')
            p--;
        if (p == s)
            return false;
        column[i] = p;
        p--;
    }
    if (first == NULL || p <= first)
        return false;
    *key = first + 1;
    *key_len = (size_t)(p - *key);
    return true;
}

static bool
trace_claims(const char *s, size_t len)
{
    const char *key, *column[6];
    size_t key_len;
    uint64_t n;

    return trace_split(s, len, &key, &key_len, column)
           && evidence_number(s, len, &n)
           && evidence_number(column[1], 20, &n)
           && column[4][0] >= 'a' && column[4][0] <= 'z';
}

static enum line_result
trace_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .requests = 1 };
    const char *column[6];
    uint64_t seconds;

    if (!trace_split(s, len, &event.key, &event.len, column)
        || !evidence_number(s, len, &seconds))
        return LINE_DAMAGED;
    evidence_number(column[2], (size_t)(s + len - column[2]), &event.bytes);
    evidence_time(e, (double)seconds);
    event.kind = column[4][0] == 'g' ? EVENT_GET
               : column[4][0] == 'd' && column[4][2] == 'l' ? EVENT_DELETE
                                                            : EVENT_SET;
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_trace = {
    "trace", "cache trace: time,key,key size,value size,client,op,ttl",
    true, trace_claims, trace_line, NULL
};
