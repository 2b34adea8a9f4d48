/* SPDX-License-Identifier: Apache-2.0 */
/* evidence_keys.c - a key a line, with optional columns: requests, bytes. */
#include <string.h>

#include "base/str.h"
#include "cli/evidence/evidence.h"

static bool
claims(const char *line, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        if (line[i] == '\0')
            return false;
    return len <= 65536;
}

static enum line_result
line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .key = s, .len = len, .requests = 1 };
    const char *tab = memchr(s, '\t', len), *end = s + len, *second;

    if (tab != NULL) {
        event.len = (size_t)(tab - s);
        tab++;
        second = memchr(tab, '\t', (size_t)(end - tab));
        if (!str_uint(tab, (size_t)((second ? second : end) - tab),
                      UINT64_MAX, &event.requests))
            return LINE_DAMAGED;
        if (second && !str_uint(second + 1, (size_t)(end - second - 1),
                                UINT64_MAX, &event.bytes))
            return LINE_DAMAGED;
    }
    if (memchr(s, '\0', event.len) != NULL)
        return LINE_DAMAGED;        /* binary: no key list has that */
    e->event(e->context, &event);
    return LINE_USED;
}

const struct evidence_format evidence_keys = {
    "keys", "a key a line, with optional columns for requests and bytes",
    false, claims, line, NULL
};
