/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - lines of a file that may be compressed (gzip, zstd), in constant
 * memory: a line above STREAM_LINE_MAX bytes is said to be endless. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { STREAM_LINE_MAX = 1 << 20, STREAM_CHUNK = 1 << 18, STREAM_PEEK = 4 };

struct stream {
    int         fd;
    bool      (*idle)(void *);  /* called while nothing comes; false: that
                                   is the end. NULL: none                   */
    void       *idle_context;
    char        delimiter;      /* that ends a line                         */
    int         error;          /* errno of a failed read                   */
    bool        ended;
    bool        truncated;      /* the compressed stream breaks off         */
    bool        damaged;        /* it is no longer what it began as         */
    void       *zlib;           /* z_stream, or NULL                        */
    void       *zstd;           /* ZSTD_DStream, or NULL                    */
    bool        between;        /* a compressed frame has just ended        */
    char       *raw;            /* compressed bytes: raw_at .. raw_len      */
    size_t      raw_at;
    size_t      raw_len;
    char       *data;           /* plain bytes: start .. end                */
    size_t      start;
    size_t      end;
    bool        endless;        /* inside a line that is too long           */
    uint64_t    bytes;          /* plain bytes so far                       */
};

/* False: errno says why it cannot be opened. */
bool stream_open(struct stream *s, const char *path, char delimiter);
void stream_close(struct stream *s);

/* What comes next, without taking it: STREAM_PEEK bytes, or fewer at the end.
 * False: nothing comes. It lives until the next call. */
bool stream_peek(struct stream *s, const char **data, size_t *len);

/* Some of the next bytes into to; how many, 0: the end. */
size_t stream_bytes(struct stream *s, char *to, size_t room);

/* The same when the line's end may not be in the buffer yet. */
bool stream_more(struct stream *s, const char **line, size_t *len,
                 bool *endless);

/* The next line without its end and a '\r' before it; *endless: it was too
 * long and is not given. False at the end. It lives until the next call. */
static inline bool
stream_line(struct stream *s, const char **line, size_t *len, bool *endless)
{
    const char *start = s->data + s->start;
    const char *stop = memchr(start, s->delimiter, s->end - s->start);

    if (stop == NULL || s->endless)
        return stream_more(s, line, len, endless);
    *line = start;
    *len = (size_t)(stop - start);
    *endless = false;
    s->start += *len + 1;
    if (*len > 0 && stop[-1] == '\r' && s->delimiter == '\n')
        --*len;
    return true;
}

#endif
