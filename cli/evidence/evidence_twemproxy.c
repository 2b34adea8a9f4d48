/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_twemproxy.c - what twemproxy prints at its stats port: an object
 * of pools, which are objects of servers, which hold counters. Objects may
 * follow each other (a sample a second for a day) and be on one line or on
 * many, so they are read as they come, in constant memory.
 */
#include <string.h>

#include "cli/evidence/evidence.h"

enum { TOP = 1, POOL = 2, SERVER = 3, DEEPEST = 8 };

static bool
holds(const char *s, size_t len, const char *text)
{
    size_t n = strlen(text), i;

    for (i = 0; i + n <= len; i++)
        if (memcmp(s + i, text, n) == 0)
            return true;
    return false;
}

/* On one line, or a line of many: a bracket alone, or "name": ... */
static bool
claims(const char *s, size_t len)
{
    while (len > 0 && *s == ' ') {
        s++;
        len--;
    }
    if (len == 0)
        return false;
    if (*s == '{' || *s == '}')
        return len <= 2 || holds(s, len < 80 ? len : 80, "\"service\"");
    return *s == '"' && holds(s, len < 300 ? len : 300, "\":");
}

static bool
key_is(const struct json_place *j, const char *name)
{
    return strcmp(j->key, name) == 0;
}

static void
number(struct evidence *e)
{
    struct json_place *j = &e->json;
    uint64_t x;

    if (!evidence_number(j->word, j->len, &x))
        return;                     /* negative: nothing that is counted */
    if (j->depth == TOP && key_is(j, "timestamp")) {
        evidence_time(e, (double)x);
    } else if (j->depth == TOP && key_is(j, "uptime")) {
        e->uptime = x;
    } else if (j->depth == SERVER) {
        if (key_is(j, "requests"))
            evidence_counter(e, COUNT_REQUESTS, x);
        else if (key_is(j, "request_bytes") || key_is(j, "response_bytes"))
            evidence_counter(e, COUNT_BYTES, x);
    }
}

/* A bracket; false: more close than open, or too deep. */
static bool
bracket(struct evidence *e, char c)
{
    struct json_place *j = &e->json;

    j->value = false;
    if (c == '{' || c == '[') {
        if (++j->depth > DEEPEST)
            return false;
        if (j->depth == SERVER) {
            evidence_node(e, j->key, strlen(j->key));
            evidence_counter(e, COUNT_UPTIME, e->uptime);
        }
        return true;
    }
    if (j->depth == 0)
        return false;
    if (j->depth-- == SERVER)
        evidence_sample(e);
    return true;
}

static void
keep(struct json_place *j, char c)
{
    if (j->len < sizeof j->word - 1)
        j->word[j->len++] = c;
    j->word[j->len] = '\0';
}

/* Inside a string: its end, or one byte more. */
static void
in_text(struct json_place *j, char c)
{
    if (!j->escape && c == '"') {
        j->text = false;
        if (!j->value)
            memcpy(j->key, j->word, j->len + 1);
        return;
    }
    j->escape = !j->escape && c == '\\';
    if (!j->escape)
        keep(j, c);
}

static bool
outside(struct evidence *e, char c)
{
    struct json_place *j = &e->json;

    switch (c) {
    case '"':
        j->text = true;
        j->len = 0;
        j->word[0] = '\0';
        return j->depth > 0;
    case ':':
        j->value = true;
        return true;
    case ',':
        j->value = false;
        return true;
    case '{': case '[': case '}': case ']':
        return bracket(e, c);
    case ' ': case '\t': case '\r':
        return true;
    default:
        j->number = j->value;
        j->len = 0;
        keep(j, c);
        return j->value;
    }
}

/* The line's bytes, and its end, which ends a number. */
static bool
bytes(struct evidence *e, const char *s, size_t len)
{
    struct json_place *j = &e->json;
    size_t i;

    for (i = 0; i <= len; i++) {
        char c = i < len ? s[i] : ' ';

        if (j->text) {
            in_text(j, c);
            continue;
        }
        if (j->number) {
            if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.'
                || c == '-') {
                keep(j, c);
                continue;
            }
            j->number = false;
            number(e);
        }
        if (!outside(e, c))
            return false;
    }
    return true;
}

static enum line_result
line(struct evidence *e, const char *s, size_t len)
{
    if (bytes(e, s, len))
        return LINE_USED;
    memset(&e->json, 0, sizeof e->json);    /* anew at the next object */
    evidence_sample(e);
    return LINE_DAMAGED;
}

static void
end(struct evidence *e)
{
    e->tally.truncated |= e->json.depth > 0;
    evidence_sample(e);
}

const struct evidence_format evidence_twemproxy = {
    "twemproxy", "twemproxy: the JSON of its stats port", false, claims, line,
    end
};
