/* SPDX-License-Identifier: Apache-2.0 */
/* ask_keys.c - the keys that a server holds, and removing one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/ask/ask.h"

enum { BUSY_PAUSE_MS = 50, REDIS_MOST_BYTES = 512 << 20 };

struct asking {
    struct ask *a;
    uint64_t    left;
    bool      (*visit)(void *, const struct ask_key *);
    void       *context;
};

static bool
give(struct asking *q, const char *key, size_t len, uint64_t bytes)
{
    struct ask_key k = { key, len, bytes };

    if (q->left == 0)
        return false;
    q->left--;
    return q->visit(q->context, &k);
}

/* ---- memcached ---------------------------------------------------------- */

/* Undo %XX in place; returns the length. */
static size_t
unescape(char *s, size_t len)
{
    size_t in, out = 0;

    for (in = 0; in < len; in++, out++) {
        char byte;

        if (s[in] == '%' && len - in > 2 && str_unhex(s + in + 1, 2, &byte)) {
            s[out] = byte;
            in += 2;
        } else {
            s[out] = s[in];
        }
    }
    return out;
}

/* The value behind " name=" in a line of metadump. */
static uint64_t
field(const char *line, size_t len, const char *name)
{
    size_t n = strlen(name), i, end;
    uint64_t value = 0;

    for (i = 0; i + n < len; i++) {
        if (memcmp(line + i, name, n) != 0)
            continue;
        for (end = i + n; end < len && line[end] != ' '; end++)
            continue;
        str_uint(line + i + n, end - i - n, UINT64_MAX, &value);
        break;
    }
    return value;
}

/*
 * Ask for the dump and read its first line. The server's own crawler may be at
 * work, which ends soon: then it says BUSY, and is asked again.
 */
static bool
metadump(struct ask *a, const char **line, size_t *len)
{
    const struct timespec pause = { 0, BUSY_PAUSE_MS * 1000000L };
    int tries = 0;

    for (;;) {
        if (!ask_send(a, "lru_crawler metadump all\r\n", 26)
            || !ask_line(a, line, len))
            return false;
        if (*len < 4 || memcmp(*line, "BUSY", 4) != 0
            || ++tries == ASK_TIMEOUT_MS / BUSY_PAUSE_MS)
            return true;
        nanosleep(&pause, NULL);
    }
}

/* "key=a%20b exp=-1 la=1 cas=2 fetch=no cls=1 size=63", then "END". */
static bool
memcached_keys(struct asking *q)
{
    struct buf key = { 0 };
    const char *line;
    size_t len;
    bool ok = metadump(q->a, &line, &len), on = true;

    for (; ok; ok = ask_line(q->a, &line, &len)) {
        size_t end = 4;

        if (len == 3 && memcmp(line, "END", 3) == 0)
            break;
        if (len < 5 || memcmp(line, "key=", 4) != 0 || line[4] == ' ') {
            snprintf(q->a->error, sizeof q->a->error,
                     "metadump is refused: %.*s", (int)(len < 80 ? len : 80),
                     line);
            ok = false;
            break;
        }
        while (end < len && line[end] != ' ')
            end++;
        key.len = 0;
        buf_add(&key, line + 4, end - 4);
        if (on)     /* the rest is read, so that the connection stays in step */
            on = give(q, key.data, unescape(key.data, key.len),
                      field(line, len, " size="));
    }
    buf_free(&key);
    return ok;
}

/* ---- Redis -------------------------------------------------------------- */

static bool
redis_error(struct ask *a, const char *line, size_t len)
{
    snprintf(a->error, sizeof a->error, "unexpected answer: %.*s",
             (int)(len < 120 ? len : 120), line);
    return false;
}

/* "$5" or "*2": the number behind the type. */
static bool
redis_count(struct ask *a, char type, long *n)
{
    const char *line;
    size_t len;
    char *end;

    if (!ask_line(a, &line, &len))
        return false;
    if (len < 2 || line[0] != type)
        return redis_error(a, line, len);
    *n = strtol(line + 1, &end, 10);
    if (end != line + len || *n < 0 || *n > REDIS_MOST_BYTES)
        return redis_error(a, line, len);
    return true;
}

bool
ask_bulk(struct ask *a, size_t *len)
{
    long n;

    if (!redis_count(a, '$', &n))
        return false;
    *len = (size_t)n;
    return true;
}

void
ask_command(struct buf *b, const char *const *words, const size_t *lens,
            size_t n)
{
    size_t i;

    buf_print(b, "*%zu\r\n", n);
    for (i = 0; i < n; i++) {
        buf_print(b, "$%zu\r\n", lens[i]);
        buf_add(b, words[i], lens[i]);
        buf_str(b, "\r\n");
    }
}

/* Bytes that a key takes, by MEMORY USAGE; 0 where that is refused. */
static uint64_t
redis_usage(struct ask *a, const char *key, size_t len)
{
    const char *words[] = { "MEMORY", "USAGE", key };
    const size_t lens[] = { 6, 5, len };
    struct buf b = { 0 };
    const char *line;
    uint64_t value = 0;
    size_t n;

    ask_command(&b, words, lens, 3);
    if (ask_send(a, b.data, b.len) && ask_line(a, &line, &n) && n > 1
        && line[0] == ':')
        str_uint(line + 1, n - 1, UINT64_MAX, &value);
    buf_free(&b);
    return value;
}

/* One SCAN: the next cursor, and its keys as (length, bytes) into keys. */
static bool
redis_scan(struct ask *a, char cursor[32], struct buf *keys, long *count)
{
    char text[80];
    const char *data;
    long n, cursor_len, i;

    snprintf(text, sizeof text, "SCAN %s COUNT 1000\r\n", cursor);
    if (!ask_send(a, text, strlen(text)) || !redis_count(a, '*', &n)
        || !redis_count(a, '$', &cursor_len))
        return false;
    if (n != 2 || cursor_len < 1 || cursor_len > 30)
        return redis_error(a, "no cursor", 9);
    if (!ask_bytes(a, (size_t)cursor_len, &data))
        return false;
    memcpy(cursor, data, (size_t)cursor_len);
    cursor[cursor_len] = '\0';
    if (!redis_count(a, '*', count))
        return false;
    for (i = 0; i < *count; i++) {
        size_t len;

        if (!redis_count(a, '$', &n)
            || !ask_bytes(a, (size_t)n, &data))
            return false;
        len = (size_t)n;
        buf_add(keys, &len, sizeof len);
        buf_add(keys, data, len);
    }
    return true;
}

static bool
redis_keys(struct asking *q)
{
    struct buf keys = { 0 };
    char cursor[32] = "0";
    bool ok = true, on = true;

    do {
        size_t at = 0, len;
        long count = 0, i;

        keys.len = 0;
        ok = redis_scan(q->a, cursor, &keys, &count);
        for (i = 0; ok && on && i < count; i++) {
            memcpy(&len, keys.data + at, sizeof len);
            at += sizeof len;
            on = give(q, keys.data + at, len,
                      redis_usage(q->a, keys.data + at, len));
            at += len;
        }
    } while (ok && on && strcmp(cursor, "0") != 0);
    buf_free(&keys);
    return ok;
}

/* ---- both --------------------------------------------------------------- */

bool
ask_keys(struct ask *a, uint64_t most,
         bool (*visit)(void *context, const struct ask_key *key),
         void *context)
{
    struct asking q = { a, most, visit, context };

    return a->redis ? redis_keys(&q) : memcached_keys(&q);
}

bool
ask_text_key(const char *key, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        if ((unsigned char)key[i] <= ' ' || key[i] == 0x7f)
            return false;
    return len > 0 && len <= 250;
}

bool
ask_delete(struct ask *a, const char *key, size_t len, bool *removed)
{
    const char *words[] = { "DEL", key };
    const size_t lens[] = { 3, len };
    struct buf b = { 0 };
    const char *line;
    size_t n;
    bool ok;

    *removed = false;
    if (!a->redis && !ask_text_key(key, len))
        return true;
    if (a->redis) {
        ask_command(&b, words, lens, 2);
    } else {
        buf_str(&b, "delete ");
        buf_add(&b, key, len);
        buf_str(&b, "\r\n");
    }
    ok = ask_send(a, b.data, b.len) && ask_line(a, &line, &n);
    buf_free(&b);
    if (!ok)
        return false;
    *removed = a->redis ? n == 2 && line[1] == '1'
                        : n == 7 && memcmp(line, "DELETED", 7) == 0;
    if (!*removed && !(a->redis ? line[0] == ':'
                                : n == 9 && memcmp(line, "NOT_FOUND", 9)
                                            == 0))
        return redis_error(a, line, n);
    return true;
}
