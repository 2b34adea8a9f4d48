/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence/requests.h"

#include <string.h>

#include "base/str.h"

enum { WORDS = 8, ARGS_MAX = 1 << 20 };

void
requests_gap(struct requests *r)
{
    r->len = 0;
    r->skip = 0;
}

static void
give(struct evidence *e, const char *key, size_t len, uint64_t bytes,
     enum event_kind kind)
{
    struct event event = {
        .key = key, .len = len, .requests = 1, .bytes = bytes, .kind = kind
    };

    e->event(e->context, &event);
}

/* ---- memcached ---------------------------------------------------------- */

struct word {
    const char *s;
    size_t      len;
};

/* The words of a line; *rest: behind the last one taken. */
static size_t
split(const char *s, size_t len, struct word *words, size_t most,
      const char **rest)
{
    const char *end = s + len;
    size_t n = 0;

    while (n < most) {
        while (s < end && *s == ' ')
            s++;
        if (s == end)
            break;
        words[n].s = s;
        while (s < end && *s != ' ')
            s++;
        words[n].len = (size_t)(s - words[n].s);
        n++;
    }
    *rest = s;
    return n;
}

static bool
is(const struct word *w, const char *text)
{
    return strlen(text) == w->len && memcmp(w->s, text, w->len) == 0;
}

static bool
is_any(const struct word *w, const char *const *list)
{
    for (; *list != NULL; list++)
        if (is(w, *list))
            return true;
    return false;
}

/* Bytes of the value that follows the line; UINT64_MAX: no such command. */
static uint64_t
text_command(struct evidence *e, const char *s, size_t len)
{
    static const char *const reads[] = { "get", "gets", NULL };
    static const char *const stores[] = {
        "set", "add", "replace", "append", "prepend", "cas", NULL
    };
    static const char *const others[] = {
        "incr", "decr", "touch", "delete", "mg", "md", "ma", "me", NULL
    };
    struct word w[WORDS];
    const char *rest;
    size_t n = split(s, len, w, 1, &rest), skip;
    uint64_t bytes = 0;

    if (n == 0)
        return UINT64_MAX;
    if (is_any(&w[0], reads) || is(&w[0], "gat") || is(&w[0], "gats")) {
        skip = w[0].s[1] == 'a';            /* gat: the time comes first */
        while (split(rest, (size_t)(s + len - rest), w, 1, &rest) == 1)
            if (skip > 0)
                skip--;
            else
                give(e, w[0].s, w[0].len, 0, EVENT_GET);
        return 0;
    }
    n = split(s, len, w, WORDS, &rest);
    if (n >= 5 && is_any(&w[0], stores)
        && str_uint(w[4].s, w[4].len, 1u << 30, &bytes)) {
        give(e, w[1].s, w[1].len, bytes, EVENT_SET);
        return bytes + 2;
    }
    if (n >= 3 && is(&w[0], "ms")
        && str_uint(w[2].s, w[2].len, 1u << 30, &bytes)) {
        give(e, w[1].s, w[1].len, bytes, EVENT_SET);
        return bytes + 2;
    }
    if (n >= 2 && is_any(&w[0], others)) {
        give(e, w[1].s, w[1].len, 0, w[0].s[0] == 'm' && w[0].s[1] == 'g'
             ? EVENT_GET : is(&w[0], "delete") || is(&w[0], "md")
             ? EVENT_DELETE : EVENT_SET);
        return 0;
    }
    return UINT64_MAX;
}

/* ---- Redis -------------------------------------------------------------- */

/* "*2" or "$5": the number, and behind its line; NULL: not all here, or not
 * so (*bad). */
static const char *
count(const char *s, const char *end, char type, uint64_t *n, bool *bad)
{
    const char *stop = memchr(s, '\n', (size_t)(end - s));

    if (s < end && *s != type)
        *bad = true;
    if (*bad || stop == NULL || stop - s < 3)
        return NULL;
    if (!str_uint(s + 1, (size_t)(stop - s) - 2, ARGS_MAX, n))
        *bad = true;
    return *bad ? NULL : stop + 1;
}

static bool
keyless(const char *s, size_t len)
{
    static const char *const list[] = {
        "ping", "auth", "select", "info", "client", "config", "multi", "exec",
        "command", "scan", "monitor", "cluster", "hello", "quit", "dbsize",
        "keys", "publish", "subscribe", "echo", "eval", "evalsha", "script",
        "flushall", "flushdb", "wait", "discard", NULL
    };
    char lower[16];
    struct word w = { lower, len };
    size_t i;

    if (len > sizeof lower)
        return false;
    for (i = 0; i < len; i++)
        lower[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 32 : s[i]);
    return is_any(&w, list);
}

/* The whole command at s: where it ends; NULL: not all here, or *bad. */
static const char *
resp_command(struct evidence *e, const char *s, const char *end, bool *bad)
{
    const char *arg[2] = { NULL, NULL };
    uint64_t n = 0, len[2] = { 0, 0 }, i;
    const char *p = count(s, end, '*', &n, bad);

    for (i = 0; p != NULL && i < n; i++) {
        uint64_t size = 0;

        p = count(p, end, '$', &size, bad);
        if (p == NULL || (uint64_t)(end - p) < size + 2)
            return NULL;
        if (i < 2) {
            arg[i] = p;
            len[i] = size;
        }
        p += size + 2;
    }
    if (p != NULL && n >= 2 && !keyless(arg[0], (size_t)len[0]))
        give(e, arg[1], (size_t)len[1], 0,
             len[0] > 0 && (arg[0][0] | 32) == 's' ? EVENT_SET : EVENT_GET);
    return p;
}

/* ---- both --------------------------------------------------------------- */

/* Take one command off s; how many bytes, 0: more must come. */
static size_t
take(struct requests *r, struct evidence *e, const char *s, size_t len)
{
    const char *stop = memchr(s, '\n', len);
    bool bad = false;
    uint64_t value;
    size_t line;

    if (len > 0 && *s == '*') {
        const char *end = resp_command(e, s, s + len, &bad);

        if (end != NULL) {
            evidence_count(e, LINE_USED);
            return (size_t)(end - s);
        }
        if (!bad)
            return 0;
    }
    if (stop == NULL)
        return 0;
    line = (size_t)(stop - s);
    value = bad ? UINT64_MAX
                : text_command(e, s, line > 0 && s[line - 1] == '\r'
                                     ? line - 1 : line);
    evidence_count(e, value != UINT64_MAX ? LINE_USED : LINE_DAMAGED);
    if (value != UINT64_MAX)
        r->skip = value;
    return line + 1;
}

void
requests_feed(struct requests *r, struct evidence *e, const char *data,
              size_t len)
{
    while (len > 0 || r->len > 0) {
        size_t room = sizeof r->data - r->len, n, at = 0;

        if (r->skip > 0 && r->len == 0) {
            n = r->skip < len ? (size_t)r->skip : len;
            r->skip -= n;
            data += n;
            len -= n;
            if (len == 0)
                return;
            continue;
        }
        n = len < room ? len : room;
        memcpy(r->data + r->len, data, n);
        r->len += n;
        data += n;
        len -= n;
        for (;;) {
            size_t used;

            if (r->skip > 0) {
                used = r->skip < r->len - at ? (size_t)r->skip : r->len - at;
                r->skip -= used;
            } else {
                used = take(r, e, r->data + at, r->len - at);
            }
            if (used == 0)
                break;
            at += used;
            if (at == r->len)
                break;
        }
        memmove(r->data, r->data + at, r->len - at);
        r->len -= at;
        if (r->len == sizeof r->data) {
            evidence_count(e, LINE_DAMAGED);    /* a command without end */
            requests_gap(r);
        }
        if (len == 0)
            return;
    }
}
