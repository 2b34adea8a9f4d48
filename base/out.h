/* SPDX-License-Identifier: Apache-2.0 */
/* out.h - standard output in large pieces, with its errors noticed. */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>

enum { OUT_BUFFER = 1 << 18 };

struct out {
    int    fd;
    int    error;           /* errno of the first failed write; then nothing
                               more is written                              */
    size_t len;
    char  *data;            /* OUT_BUFFER bytes                             */
};

void out_init(struct out *o, int fd);

/* Flush, free; true when everything was written. */
bool out_close(struct out *o);

void out_flush(struct out *o);
void out_add(struct out *o, const void *data, size_t len);
void out_str(struct out *o, const char *text);
void out_char(struct out *o, char c);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void out_print(struct out *o, const char *format, ...);

/* Room for n bytes, 1..OUT_BUFFER; write there, then add what was written
 * to o->len. */
static inline char *
out_room(struct out *o, size_t n)
{
    if (OUT_BUFFER - o->len < n)
        out_flush(o);
    return o->data + o->len;
}

#endif
