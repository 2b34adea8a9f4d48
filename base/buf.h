/* SPDX-License-Identifier: Apache-2.0 */
/* buf.h - bytes that grow. A zeroed struct buf is an empty one. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char  *data;        /* followed by a NUL that len does not count, once
                           anything was added                              */
    size_t len;
    size_t cap;
};

void buf_free(struct buf *b);

/* Make room for n bytes more behind len; returns where they go. */
char *buf_room(struct buf *b, size_t n);

void buf_add(struct buf *b, const void *data, size_t len);
void buf_str(struct buf *b, const char *text);
void buf_char(struct buf *b, char c);

/* As printf. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void buf_print(struct buf *b, const char *format, ...);

void buf_vprint(struct buf *b, const char *format, va_list args);

#endif
