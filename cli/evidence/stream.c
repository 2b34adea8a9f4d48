/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/file.h"
#include "base/mem.h"

enum { IDLE_MS = 100 };

static size_t
read_some(struct stream *s, char *to, size_t room)
{
    struct pollfd wait = { s->fd, POLLIN, 0 };
    ssize_t n;

    while (s->idle != NULL && poll(&wait, 1, IDLE_MS) <= 0)
        if (!s->idle(s->idle_context))
            return 0;
    do
        n = read(s->fd, to, room);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        s->error = errno;
    return n > 0 ? (size_t)n : 0;
}

static bool
more_raw(struct stream *s)
{
    if (s->raw_at < s->raw_len)
        return true;
    s->raw_at = 0;
    s->raw_len = read_some(s, s->raw, STREAM_CHUNK);
    return s->raw_len > 0;
}

bool
stream_open(struct stream *s, const char *path, char delimiter)
{
    static const unsigned char gzip[] = { 0x1f, 0x8b };
    static const unsigned char zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

    memset(s, 0, sizeof *s);
    s->delimiter = delimiter;
    s->fd = file_open(path);
    if (s->fd < 0)
        return false;
    s->raw = mem_alloc(STREAM_CHUNK, 1);
    s->data = mem_alloc(STREAM_LINE_MAX + STREAM_CHUNK, 1);
    while (s->raw_len < 4) {
        size_t n = read_some(s, s->raw + s->raw_len, STREAM_CHUNK
                                                     - s->raw_len);

        if (n == 0)
            break;
        s->raw_len += n;
    }
    if (s->raw_len >= 2 && memcmp(s->raw, gzip, 2) == 0) {
        z_stream *z = mem_alloc(1, sizeof *z);

        memset(z, 0, sizeof *z);
        if (inflateInit2(z, 15 + 32) != Z_OK)
            mem_fail();
        s->zlib = z;
    } else if (s->raw_len >= 4 && memcmp(s->raw, zstd, 4) == 0) {
        s->zstd = ZSTD_createDStream();
        if (s->zstd == NULL)
            mem_fail();
    }
    return true;
}

void
stream_close(struct stream *s)
{
    if (s->zlib) {
        inflateEnd(s->zlib);
        mem_free(s->zlib);
    }
    if (s->zstd)
        ZSTD_freeDStream(s->zstd);
    mem_free(s->raw);
    mem_free(s->data);
    if (s->fd > STDIN_FILENO)
        close(s->fd);
}

/* ---- plain bytes -------------------------------------------------------- */

static size_t
inflate_some(struct stream *s, char *to, size_t room)
{
    z_stream *z = s->zlib;

    z->next_out = (unsigned char *)to;
    z->avail_out = (unsigned)room;
    while (z->avail_out == room) {
        int code;

        if (!more_raw(s)) {
            s->truncated = !s->between;
            break;
        }
        if (s->between)
            inflateReset(z);        /* gzip files may follow each other */
        s->between = false;
        z->next_in = (unsigned char *)s->raw + s->raw_at;
        z->avail_in = (unsigned)(s->raw_len - s->raw_at);
        code = inflate(z, Z_NO_FLUSH);
        s->raw_at = s->raw_len - z->avail_in;
        s->between = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            s->damaged = true;
            break;
        }
    }
    return room - z->avail_out;
}

static size_t
unzstd_some(struct stream *s, char *to, size_t room)
{
    ZSTD_outBuffer out = { to, room, 0 };

    while (out.pos == 0) {
        ZSTD_inBuffer in;
        size_t code;

        if (!more_raw(s)) {
            s->truncated = !s->between;
            break;
        }
        in.src = s->raw;
        in.size = s->raw_len;
        in.pos = s->raw_at;
        code = ZSTD_decompressStream(s->zstd, &out, &in);
        s->raw_at = in.pos;
        s->between = code == 0;
        if (ZSTD_isError(code)) {
            s->damaged = true;
            break;
        }
    }
    return out.pos;
}

static size_t
plain_some(struct stream *s, char *to, size_t room)
{
    size_t n = s->raw_len - s->raw_at;

    if (n == 0)
        return read_some(s, to, room);
    n = n < room ? n : room;        /* what stream_open() looked at */
    memcpy(to, s->raw + s->raw_at, n);
    s->raw_at += n;
    return n;
}

static bool
refill(struct stream *s)
{
    size_t n;

    if (s->ended || s->damaged)
        return false;
    if (s->start > 0) {
        memmove(s->data, s->data + s->start, s->end - s->start);
        s->end -= s->start;
        s->start = 0;
    }
    n = s->zlib ? inflate_some(s, s->data + s->end, STREAM_CHUNK)
      : s->zstd ? unzstd_some(s, s->data + s->end, STREAM_CHUNK)
                : plain_some(s, s->data + s->end, STREAM_CHUNK);
    s->end += n;
    s->bytes += n;
    s->ended = n == 0;
    return n > 0;
}

static bool
give(struct stream *s, size_t len, size_t used, const char **line,
     size_t *out, bool *endless)
{
    *line = s->data + s->start;
    *endless = s->endless;
    *out = len - (len > 0 && s->delimiter == '\n'
                  && (*line)[len - 1] == '\r');
    s->start += used;
    s->endless = false;
    return true;
}

bool
stream_peek(struct stream *s, const char **data, size_t *len)
{
    while (s->end - s->start < STREAM_PEEK && refill(s))
        continue;
    *data = s->data + s->start;
    *len = s->end - s->start;
    return *len > 0;
}

size_t
stream_bytes(struct stream *s, char *to, size_t room)
{
    size_t n;

    if (s->start == s->end && !refill(s))
        return 0;
    n = s->end - s->start < room ? s->end - s->start : room;
    memcpy(to, s->data + s->start, n);
    s->start += n;
    return n;
}

bool
stream_more(struct stream *s, const char **line, size_t *len, bool *endless)
{
    size_t looked = 0;

    for (;;) {
        size_t left = s->end - s->start;
        const char *stop = left > looked
            ? memchr(s->data + s->start + looked, s->delimiter,
                     left - looked) : NULL;

        if (stop != NULL) {
            size_t n = (size_t)(stop - (s->data + s->start));

            return give(s, n, n + 1, line, len, endless);
        }
        if (left >= STREAM_LINE_MAX) {
            s->endless = true;      /* dropped as it comes */
            s->start = s->end;
            left = 0;
        }
        looked = left;
        if (!refill(s))
            break;
    }
    if (s->end == s->start && !s->endless)
        return false;
    return give(s, s->end - s->start, s->end - s->start, line, len, endless);
}
