/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence/requests.h"

#include <string.h>

#include "base/str.h"

enum {
    WORDS = 8, ARGS_MOST = 1 << 20, VALUE_MOST = 1 << 30, KEY_MOST = 4096,
    HEADER = 24                 /* of a binary command */
};

/* What take() could make of the bytes, besides how many it took. */
enum { MORE = 0 };              /* nothing: the command is not all here */

#define NO_COMMAND UINT64_MAX

void
requests_begin(struct requests *r, bool lost)
{
    r->lost = lost;
    r->len = 0;
    r->skip = 0;
    r->args = 0;
}

bool
requests_gap(struct requests *r, uint64_t n)
{
    if (r->len == 0 && r->skip >= n) {
        r->skip -= n;
        return true;
    }
    requests_begin(r, true);
    return false;
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

/* The key w[1]; a meta command with the flag b has it in base64. */
static void
meta_key(struct evidence *e, const struct word *w, size_t n, size_t flags,
         uint64_t bytes, enum event_kind kind)
{
    size_t i, len;

    for (i = flags; i < n && w[0].len == 2; i++) {
        if (!is(&w[i], "b"))
            continue;
        len = evidence_base64(e, w[1].s, w[1].len);
        if (len != SIZE_MAX && len > 0)
            give(e, e->key, len, bytes, kind);
        return;
    }
    give(e, w[1].s, w[1].len, bytes, kind);
}

/* Bytes of the value that follows the line; NO_COMMAND: no such command. */
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
        return NO_COMMAND;
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
        && str_uint(w[4].s, w[4].len, VALUE_MOST, &bytes)) {
        give(e, w[1].s, w[1].len, bytes, EVENT_SET);
        return bytes + 2;
    }
    if (n >= 3 && is(&w[0], "ms")
        && str_uint(w[2].s, w[2].len, VALUE_MOST, &bytes)) {
        meta_key(e, w, n, 3, bytes, EVENT_SET);
        return bytes + 2;
    }
    if (n >= 2 && is_any(&w[0], others)) {
        meta_key(e, w, n, 2, 0, is(&w[0], "mg") || is(&w[0], "me")
                 ? EVENT_GET : is(&w[0], "delete") || is(&w[0], "md")
                 ? EVENT_DELETE : EVENT_SET);
        return 0;
    }
    return NO_COMMAND;
}

/* A command in binary: header, extras, key, value. *bad: it is none. */
static size_t
binary_command(struct requests *r, struct evidence *e, const char *s,
               size_t len, bool *bad)
{
    static const char stores[] = "\x01\x02\x03\x0e\x0f\x11\x12\x13\x19\x1a";
    static const char removes[] = "\x04\x14";
    const unsigned char *h = (const unsigned char *)s;
    size_t key, extras, body;
    unsigned op;

    if (len < HEADER)
        return MORE;
    op = h[1];
    key = (size_t)h[2] << 8 | h[3];
    extras = h[4];
    body = (size_t)h[8] << 24 | (size_t)h[9] << 16 | (size_t)h[10] << 8
           | h[11];
    if (op > 0x30 || key > 250 || extras > 20 || h[5] != 0
        || body > VALUE_MOST || body < key + extras) {
        *bad = true;
        return MORE;
    }
    if (len < HEADER + extras + key)
        return MORE;
    if (key > 0 && op != 0x10)          /* not of STAT */
        give(e, s + HEADER + extras, key, body - key - extras,
             op != 0 && strchr(stores, (int)op) ? EVENT_SET
             : op != 0 && strchr(removes, (int)op) ? EVENT_DELETE
                                                   : EVENT_GET);
    evidence_count(e, key > 0 ? LINE_USED : LINE_OTHER);
    r->skip = body - key - extras;
    return HEADER + extras + key;
}

/* ---- Redis -------------------------------------------------------------- */

/* "*2" or "$5": the bytes of the line, 0: not all here, or not so (*bad). */
static size_t
count(const char *s, size_t len, char type, uint64_t most, uint64_t *n,
      bool *bad)
{
    const char *stop = memchr(s, '\n', len < 16 ? len : 16);
    size_t line;

    if (*s != type || (stop == NULL && len >= 16)) {
        *bad = true;
        return MORE;
    }
    if (stop == NULL)
        return MORE;
    line = (size_t)(stop - s);
    *bad = line < 3 || s[line - 1] != '\r'
           || !str_uint(s + 1, line - 2, most, n);
    return *bad ? MORE : line + 1;
}

/* One argument more: the command's name, a key, or nothing of interest. */
static size_t
argument(struct requests *r, struct evidence *e, const char *s, size_t len,
         bool *bad)
{
    uint64_t size = 0;
    size_t line = count(s, len, '$', VALUE_MOST, &size, bad), n;

    if (line == MORE)
        return MORE;
    if (!r->verb && !r->keyed) {
        r->skip = size + 2;
    } else if (size > KEY_MOST) {
        *bad = true;
        return MORE;
    } else if (len - line < size + 2) {
        return MORE;
    }
    n = (size_t)size;
    if (r->verb) {
        enum redis_kind kind = redis_command(s + line, n, &r->many);

        r->keyed = kind != REDIS_NO_KEY;
        r->kind = kind == REDIS_READ ? EVENT_GET
                : kind == REDIS_WRITE ? EVENT_SET : EVENT_DELETE;
        r->verb = false;
        line += n + 2;
    } else if (r->keyed) {
        give(e, s + line, n, 0, r->kind);
        r->keyed = r->many;
        line += n + 2;
    }
    if (--r->args == 0)
        evidence_count(e, LINE_USED);
    return line;
}

static size_t
resp_begin(struct requests *r, const char *s, size_t len, bool *bad)
{
    size_t line = count(s, len, '*', ARGS_MOST, &r->args, bad);

    r->verb = true;
    r->keyed = false;
    return line;
}

/* ---- all of them -------------------------------------------------------- */

/* What is here is no command, and where the next begins is not known. */
static void
lose(struct requests *r, struct evidence *e)
{
    if (!r->lost)
        evidence_count(e, LINE_DAMAGED);
    r->lost = true;
    r->args = 0;
}

static size_t
text_line(struct requests *r, struct evidence *e, const char *s, size_t len)
{
    const char *stop = memchr(s, '\n', len);
    uint64_t value;
    size_t line;

    if (stop == NULL)
        return MORE;
    line = (size_t)(stop - s);
    value = text_command(e, s, line > 0 && s[line - 1] == '\r' ? line - 1
                                                               : line);
    if (value == NO_COMMAND) {
        lose(r, e);
    } else {
        evidence_count(e, LINE_USED);
        r->lost = false;
        r->skip = value;
    }
    return line + 1;
}

/* Take one command, or a part of one, off s; how many bytes. */
static size_t
take(struct requests *r, struct evidence *e, const char *s, size_t len)
{
    bool bad = false;
    size_t used;

    if (len == 0)
        return MORE;
    if (r->args > 0)
        used = argument(r, e, s, len, &bad);
    else if (*s == '*')
        used = resp_begin(r, s, len, &bad);
    else if ((unsigned char)*s == 0x80)
        used = binary_command(r, e, s, len, &bad);
    else
        return text_line(r, e, s, len);
    if (bad) {
        lose(r, e);
        return 1;
    }
    r->lost &= used == MORE;
    return used;
}

/* As many commands as the buffer holds. */
static void
take_all(struct requests *r, struct evidence *e)
{
    size_t at = 0, used;

    do {
        if (r->skip > 0) {
            used = r->skip < r->len - at ? (size_t)r->skip : r->len - at;
            r->skip -= used;
        } else {
            used = take(r, e, r->data + at, r->len - at);
        }
        at += used;
    } while (used > 0 && at < r->len);
    memmove(r->data, r->data + at, r->len - at);
    r->len -= at;
    if (r->len == sizeof r->data) {     /* a command without end */
        lose(r, e);
        r->len = 0;
    }
}

void
requests_feed(struct requests *r, struct evidence *e, const char *data,
              size_t len)
{
    while (len > 0) {
        size_t room = sizeof r->data - r->len, n;

        if (r->skip > 0 && r->len == 0) {
            n = r->skip < len ? (size_t)r->skip : len;
            r->skip -= n;
        } else {
            n = len < room ? len : room;
            memcpy(r->data + r->len, data, n);
            r->len += n;
            take_all(r, e);
        }
        data += n;
        len -= n;
    }
}
