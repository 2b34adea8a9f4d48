/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diag.h - messages about a file: where, what, what was expected.
 *
 *     fleet.yaml:9:16: unknown hash "xxh46"
 *         hash: xxh46
 *               ^~~~~
 *       did you mean "xxh64"?
 *
 * All errors of a file are collected, and printed in the order of its lines.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Line and column from 1; column and width in characters. line 0: the file
 * as a whole; width 0: no line is shown. */
struct diag_place {
    unsigned line;
    unsigned column;
    unsigned width;
};

struct diag_item;

struct diag {
    const char       *file;     /* as shown; borrowed                       */
    const char       *text;     /* the file's bytes, borrowed; may be NULL  */
    size_t            len;
    struct diag_item *items;    /* the first DIAG_KEPT errors               */
    size_t            kept;
    size_t            errors;   /* all of them                              */
};

enum { DIAG_KEPT = 50 };

void diag_init(struct diag *d, const char *file, const char *text,
               size_t len);
void diag_free(struct diag *d);

/* The place of bytes offset .. offset + bytes of the file. */
struct diag_place diag_place_of(const struct diag *d, size_t offset,
                                size_t bytes);

#if defined(__GNUC__)
#define DIAG_FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define DIAG_FORMAT(f, a)
#endif

/* One error more. */
DIAG_FORMAT(3, 4)
void diag_error(struct diag *d, struct diag_place at, const char *format, ...);

/* A line below the last error: what is accepted, where the first one was. */
DIAG_FORMAT(2, 3)
void diag_hint(struct diag *d, const char *format, ...);

/* All errors as text, without a last line that counts them. */
void diag_print(struct diag *d, struct buf *out, bool color);

/* True when standard error is a terminal that may be coloured: TERM is not
 * "dumb" and NO_COLOR is not set (no-color.org). */
bool diag_color(void);

#endif
