/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_memcached.c - what memcached prints: `watch` of fetchers,
 * mutations, evictions and deletions; `lru_crawler metadump` and `mgdump`.
 */
#include <string.h>

#include "base/str.h"
#include "cli/evidence/evidence.h"
#include "cli/evidence/sketch.h"

/* ---- watch -------------------------------------------------------------- */

static bool
watch_claims(const char *s, size_t len)
{
    return evidence_begins(s, len, "ts=") && len > 3 && s[3] >= '0'
           && s[3] <= '9';
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

/*
 * memcached looks a key up before it stores it, and logs both: a store is a
 * request of its own only where the look-up was not watched.
 */
static bool
watch_told(struct evidence *e, const struct event *event, const char *s,
           size_t len)
{
    uint64_t hash, cfd = 0;
    size_t n;
    const char *text = evidence_field(s, len, "cfd", &n);
    uint64_t *got;
    bool told;

    if (text != NULL)
        evidence_number(text, n, &cfd);
    hash = (sketch_hash(event->key, event->len) ^ cfd) | 1;
    got = &e->got[cfd % 256];
    told = event->kind == EVENT_SET && *got == hash;
    *got = event->kind == EVENT_GET ? hash : 0;
    return told;
}

static enum line_result
watch_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .requests = 1 };
    size_t type_len, key_len, size_len;
    const char *type, *key, *size;

    if (evidence_begins(s, len, "OK") || evidence_begins(s, len, "END"))
        return LINE_OTHER;
    if (!evidence_begins(s, len, "ts="))
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
    if (watch_told(e, &event, s, len))
        event.requests = 0;
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_watch = {
    "watch", "memcached: watch fetchers, mutations, evictions, deletions",
    true, watch_claims, watch_line, NULL
};

/* ---- metadump, mgdump --------------------------------------------------- */

static bool
metadump_claims(const char *s, size_t len)
{
    size_t n;

    return evidence_begins(s, len, "key=")
           && evidence_field(s, len, "exp", &n) != NULL;
}

static enum line_result
metadump_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .kind = EVENT_HELD, .requests = 1 };
    size_t key_len, size_len;
    const char *key = evidence_field(s, len, "key", &key_len), *size;

    if (evidence_begins(s, len, "END") || evidence_begins(s, len, "OK"))
        return LINE_OTHER;
    if (key == NULL || !evidence_begins(s, len, "key="))
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
    false, metadump_claims, metadump_line, NULL
};

static bool
mgdump_claims(const char *s, size_t len)
{
    return evidence_begins(s, len, "mg ") && len > 3;
}

/* "mg KEY" is a command that can be sent back: the key as it is, or, with the
 * flag b, in base64. */
static enum line_result
mgdump_line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .kind = EVENT_HELD, .requests = 1 };
    const char *stop;

    if (evidence_begins(s, len, "EN") || evidence_begins(s, len, "OK"))
        return LINE_OTHER;
    if (!mgdump_claims(s, len))
        return LINE_DAMAGED;
    stop = memchr(s + 3, ' ', len - 3);
    event.key = s + 3;
    event.len = (size_t)((stop ? stop : s + len) - (s + 3));
    if (stop != NULL && len - (size_t)(stop - s) == 2 && stop[1] == 'b') {
        event.len = evidence_base64(e, event.key, event.len);
        event.key = e->key;
    }
    if (event.len == 0 || event.len == SIZE_MAX)
        return LINE_DAMAGED;
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_mgdump = {
    "mgdump", "memcached: lru_crawler mgdump, the keys that it holds",
    false, mgdump_claims, mgdump_line, NULL
};
