/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - records of a stream, separated by '\n' or NUL.
 *
 * Every record is taken byte for byte: empty ones count, blanks and '\r' are
 * kept, and the last one needs no separator. Memory: one buffer, which grows
 * only for a record that does not fit.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct lines {
    int    fd;
    char   separator;
    bool   ended;           /* read(2) said so                              */
    int    error;           /* errno of a failed read                       */
    char  *data;
    size_t cap;
    size_t start;           /* first byte not yet given out                 */
    size_t end;
};

struct lines_record {
    const char *data;
    size_t      len;
};

void lines_init(struct lines *l, int fd, char separator);
void lines_free(struct lines *l);

/*
 * Up to n records into out, at least one unless the stream is at its end
 * (or failed: l->error). They live until the next call.
 */
size_t lines_next(struct lines *l, struct lines_record *out, size_t n);

#endif
