/* SPDX-License-Identifier: Apache-2.0 */
#include "base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

void
out_init(struct out *o, int fd)
{
    memset(o, 0, sizeof *o);
    o->fd = fd;
    o->data = mem_alloc(OUT_BUFFER, 1);
}

static void
write_all(struct out *o, const char *data, size_t len)
{
    while (len > 0 && o->error == 0) {
        ssize_t n = write(o->fd, data, len);

        if (n >= 0) {
            data += n;
            len -= (size_t)n;
        } else if (errno != EINTR) {
            o->error = errno;
        }
    }
}

void
out_flush(struct out *o)
{
    write_all(o, o->data, o->len);
    o->len = 0;
}

bool
out_close(struct out *o)
{
    out_flush(o);
    mem_free(o->data);
    o->data = NULL;
    return o->error == 0;
}

void
out_add(struct out *o, const void *data, size_t len)
{
    if (len > OUT_BUFFER / 2) {
        out_flush(o);
        write_all(o, data, len);
    } else if (len > 0) {
        memcpy(out_room(o, len), data, len);
        o->len += len;
    }
}

void
out_str(struct out *o, const char *text)
{
    out_add(o, text, strlen(text));
}

void
out_char(struct out *o, char c)
{
    *out_room(o, 1) = c;
    o->len++;
}

void
out_print(struct out *o, const char *format, ...)
{
    struct buf b = { 0 };
    va_list args;

    va_start(args, format);
    buf_vprint(&b, format, args);
    va_end(args);
    out_add(o, b.data, b.len);
    buf_free(&b);
}
