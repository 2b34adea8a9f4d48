/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { LINES_BUFFER = 1 << 18 };

void
lines_init(struct lines *l, int fd, char separator)
{
    memset(l, 0, sizeof *l);
    l->fd = fd;
    l->separator = separator;
}

void
lines_free(struct lines *l)
{
    mem_free(l->data);
    l->data = NULL;
}

/* Read more behind what is left; false at the end. */
static bool
refill(struct lines *l)
{
    ssize_t n;

    if (l->start > 0) {
        memmove(l->data, l->data + l->start, l->end - l->start);
        l->end -= l->start;
        l->start = 0;
    }
    if (l->end == l->cap) {
        l->cap = l->cap ? l->cap * 2 : LINES_BUFFER;
        l->data = mem_resize(l->data, l->cap, 1);
    }
    do
        n = read(l->fd, l->data + l->end, l->cap - l->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        l->error = errno;
    if (n <= 0) {
        l->ended = true;
        return false;
    }
    l->end += (size_t)n;
    return true;
}

/* The records that are whole in the buffer. */
static size_t
take(struct lines *l, struct lines_record *out, size_t n)
{
    const char *p = l->data + l->start;
    const char *end = l->data + l->end;
    size_t got = 0;

    while (got < n && p < end) {
        const char *stop = memchr(p, l->separator, (size_t)(end - p));

        if (stop == NULL)
            break;
        out[got].data = p;
        out[got].len = (size_t)(stop - p);
        got++;
        p = stop + 1;
    }
    l->start = (size_t)(p - l->data);
    return got;
}

size_t
lines_next(struct lines *l, struct lines_record *out, size_t n)
{
    size_t got = l->end > l->start ? take(l, out, n) : 0;

    while (got == 0 && !l->ended) {
        size_t scanned = l->end - l->start;

        if (refill(l)
            && memchr(l->data + scanned, l->separator, l->end - scanned))
            got = take(l, out, n);
    }
    if (got == 0 && l->error == 0 && l->end > l->start) {
        out[0].data = l->data + l->start;
        out[0].len = l->end - l->start;
        l->start = l->end;
        got = 1;
    }
    return got;
}
