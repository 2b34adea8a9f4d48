/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_access.c - access logs of nginx, HAProxy and others: the request
 * target, or the key by field number or expression.
 */
#include <string.h>

#include "cli/evidence/evidence.h"

/* The request target inside "GET /path HTTP/1.1". */
static const char *
target(const char *s, size_t len, size_t *target_len)
{
    const char *p = s, *end = s + len, *stop;

    while ((p = memchr(p, '"', (size_t)(end - p))) != NULL) {
        const char *blank = memchr(p, ' ', (size_t)(end - p));

        stop = memchr(p + 1, '"', (size_t)(end - p - 1));
        if (blank != NULL && stop != NULL && blank < stop && blank - p < 12
            && blank[1] == '/') {
            p = blank + 1;
            blank = memchr(p, ' ', (size_t)(stop - p));
            *target_len = (size_t)((blank ? blank : stop) - p);
            return p;
        }
        p++;
    }
    return NULL;
}

static bool
claims(const char *s, size_t len)
{
    size_t n;

    return target(s, len, &n) != NULL;
}

/* Field number n of the line, from 1, cut at blanks. */
static const char *
field(const char *s, size_t len, unsigned n, size_t *field_len)
{
    size_t at = 0, stop = 0;

    for (; n > 0; n--) {
        for (at = stop; at < len && s[at] == ' '; at++)
            continue;
        if (at == len)
            return NULL;
        for (stop = at; stop < len && s[stop] != ' '; stop++)
            continue;
    }
    *field_len = stop - at;
    return s + at;
}

/* The first group of the expression, or all that it matches, in the first
 * TEXT_MOST bytes of the line: a copy, as regexec() wants an end. */
static const char *
match(struct evidence *e, const char *s, size_t len, size_t *match_len)
{
    const regex_t *regex = &e->args->regex;
    regmatch_t at[2] = { { -1, -1 }, { -1, -1 } };
    unsigned i = regex->re_nsub > 0;

    len = len < TEXT_MOST ? len : TEXT_MOST;
    memcpy(e->text, s, len);
    e->text[len] = '\0';
    if (regexec(regex, e->text, 2, at, 0) != 0 || at[i].rm_so < 0)
        return NULL;
    *match_len = (size_t)(at[i].rm_eo - at[i].rm_so);
    return e->text + at[i].rm_so;
}

static enum line_result
line(struct evidence *e, const char *s, size_t len)
{
    const struct evidence_args *a = e->args;
    struct event event = { .requests = 1 };

    event.key = a->by_regex ? match(e, s, len, &event.len)
              : a->field ? field(s, len, a->field, &event.len)
                         : target(s, len, &event.len);
    if (event.key == NULL)
        return LINE_DAMAGED;
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_access = {
    "access", "access log of nginx or HAProxy: the request target, --field or "
    "--regex", true, claims, line, NULL
};
