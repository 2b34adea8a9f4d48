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

/* Is every byte a blank or above: no column, nothing binary? Most lines are
 * so, and eight bytes at once tell it faster than two searches. */
static bool
is_plain(const char *s, size_t len)
{
    const uint64_t blanks = UINT64_C(0x2020202020202020);
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t word, low = 0;
    size_t i;

    for (i = 0; i + 8 <= len; i += 8) {
        memcpy(&word, s + i, 8);
        low |= (word - blanks) & ~word & high;
    }
    if (len >= 8) {
        memcpy(&word, s + len - 8, 8);
        return ((low | ((word - blanks) & ~word)) & high) == 0;
    }
    for (; i < len; i++)
        if ((unsigned char)s[i] < ' ')
            return false;
    return true;
}

static enum line_result
line(struct evidence *e, const char *s, size_t len)
{
    struct event event = { .key = s, .len = len, .requests = 1 };
    const char *tab, *end = s + len, *second;

    if (is_plain(s, len)) {
        e->event(e->context, &event);
        return LINE_USED;
    }
    tab = memchr(s, '\t', len);
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
