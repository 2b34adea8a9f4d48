/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

void
buf_free(struct buf *b)
{
    mem_free(b->data);
    memset(b, 0, sizeof *b);
}

char *
buf_room(struct buf *b, size_t n)
{
    size_t cap = b->cap ? b->cap : 64;

    if (n >= SIZE_MAX / 2 - b->len)
        mem_fail();
    while (cap < b->len + n + 1)
        cap *= 2;
    if (cap != b->cap) {
        b->data = mem_resize(b->data, cap, 1);
        b->cap = cap;
    }
    return b->data + b->len;
}

void
buf_add(struct buf *b, const void *data, size_t len)
{
    char *to = buf_room(b, len);

    if (len > 0)
        memcpy(to, data, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void
buf_str(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void
buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void
buf_vprint(struct buf *b, const char *format, va_list args)
{
    va_list again;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0)
        return;
    vsnprintf(buf_room(b, (size_t)n), (size_t)n + 1, format, args);
    b->len += (size_t)n;
}

void
buf_print(struct buf *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vprint(b, format, args);
    va_end(args);
}
