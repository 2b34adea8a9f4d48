/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_memcached.c - what memcached prints: `watch` of fetchers,
 * mutations, evictions and deletions; `lru_crawler metadump` and `mgdump`;
 * `stats` of one or more nodes.
 */
#include <string.h>

#include "base/str.h"
#include "cli/evidence/evidence.h"

static bool
begins(const char *s, size_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && memcmp(s, with, n) == 0;
}

/* ---- watch -------------------------------------------------------------- */

static bool
watch_claims(const char *s, size_t len)
{
    return begins(s, len, "ts=") && len > 3 && s[3] >= '0' && s[3] <= '9';
}

/* "1700000000.52": the part behind the point is microseconds as a number,
 * not padded with zeros: .52 is 52 microseconds. */
static void
watch_time(struct evidence *e, const char *s, size_t len)
{
    const char *point = memchr(s, '.', len);
    uint64_t seconds, micro = 0;

    if (!evidence_number(s, len, &seconds))
        return;
    if (point != NULL)
        evidence_number(point + 1, len - (size_t)(point + 1 - s), &micro);
    evidence_time(e, (double)seconds + (double)micro / 1e6);
}

static bool
watch_kind(const char *type, size_t len, enum event_kind *out)
{
    static const struct {
        const char     *name;
        enum event_kind kind;
    } kinds[] = {
        { "item_get", EVENT_GET },   { "item_store", EVENT_SET },
        { "eviction", EVENT_EVICT }, { "deleted", EVENT_DELETE }
    };
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == len
            && memcmp(kinds[i].name, type, len) == 0) {
            *out = kinds[i].kind;
            return true;
        }
    return false;
}

static enum line_result
watch_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .requests = 1 };
    size_t type_len, key_len, size_len;
    const char *type, *key, *size;

    if (begins(s, len, "OK") || begins(s, len, "END"))
        return LINE_OTHER;
    if (!begins(s, len, "ts="))
        return LINE_DAMAGED;
    watch_time(e, s + 3, len - 3);
    type = evidence_field(s, len, "type", &type_len);
    if (type == NULL)
        return LINE_DAMAGED;
    if (!watch_kind(type, type_len, &event.kind))
        return LINE_OTHER;
    key = evidence_field(s, len, "key", &key_len);
    if (key == NULL)
        return LINE_DAMAGED;
    event.len = evidence_unescape(e, key, key_len);
    if (event.len == SIZE_MAX)
        return LINE_DAMAGED;
    event.key = e->key;
    size = evidence_field(s, len, "size", &size_len);
    if (size != NULL)
        evidence_number(size, size_len, &event.bytes);
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_watch = {
    "watch", "memcached: watch fetchers, mutations, evictions, deletions",
    watch_claims, watch_line
};

/* ---- metadump, mgdump --------------------------------------------------- */

static bool
metadump_claims(const char *s, size_t len)
{
    size_t n;

    return begins(s, len, "key=")
           && evidence_field(s, len, "exp", &n) != NULL;
}

static enum line_result
metadump_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .kind = EVENT_HELD, .requests = 1 };
    size_t key_len, size_len;
    const char *key = evidence_field(s, len, "key", &key_len), *size;

    if (begins(s, len, "END"))
        return LINE_OTHER;
    if (key == NULL || !begins(s, len, "key="))
        return LINE_DAMAGED;
    event.len = evidence_unescape(e, key, key_len);
    if (event.len == SIZE_MAX)
        return LINE_DAMAGED;
    event.key = e->key;
    size = evidence_field(s, len, "size", &size_len);
    if (size != NULL)
        evidence_number(size, size_len, &event.bytes);
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_metadump = {
    "metadump", "memcached: lru_crawler metadump, the keys that it holds",
    metadump_claims, metadump_line
};

static bool
mgdump_claims(const char *s, size_t len)
{
    return begins(s, len, "mg ") && len > 3;
}

static enum line_result
mgdump_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .kind = EVENT_HELD, .requests = 1 };
    const char *stop;

    if (begins(s, len, "EN"))
        return LINE_OTHER;
    if (!mgdump_claims(s, len))
        return LINE_DAMAGED;
    stop = memchr(s + 3, ' ', len - 3);
    event.key = s + 3;
    event.len = (size_t)((stop ? stop : s + len) - (s + 3));
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_mgdump = {
    "mgdump", "memcached: lru_crawler mgdump, the keys that it holds",
    mgdump_claims, mgdump_line
};

/* ---- stats -------------------------------------------------------------- */

static bool
stats_claims(const char *s, size_t len)
{
    return begins(s, len, "STAT ") || begins(s, len, "PREFIX ");
}

/* "PREFIX user get 10 hit 8 set 2 del 0" of stats detail dump. */
static enum line_result
stats_line(struct evidence *e, const char *s, size_t len)
{
    static const char *const verbs[] = { " get ", " set ", " del " };
    struct event event = { .kind = EVENT_GET };
    const char *stop;
    size_t i;

    if (begins(s, len, "STAT ") || begins(s, len, "END"))
        return LINE_OTHER;
    if (!begins(s, len, "PREFIX "))
        return LINE_DAMAGED;
    event.key = s + 7;
    stop = memchr(event.key, ' ', len - 7);
    if (stop == NULL)
        return LINE_DAMAGED;
    event.len = (size_t)(stop - event.key);
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
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_stats = {
    "stats", "memcached: stats detail dump, requests of key prefixes",
    stats_claims, stats_line
};
