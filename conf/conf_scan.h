/* SPDX-License-Identifier: Apache-2.0 */
/* conf_scan.h - where a reader of bytes is in its file. */
#ifndef CONF_SCAN_H
#define CONF_SCAN_H

#include "conf/conf_model.h"

struct conf_scan {
    const char *data;
    size_t      len;
    size_t      at;             /* offset of the next byte                  */
    size_t      counted;        /* the offset of ...                        */
    unsigned    line;           /* ... this line, from 1, and               */
    unsigned    column;         /* ... column, from 1, in characters        */
};

void conf_scan_init(struct conf_scan *s, const char *data, size_t len);

/* The place of bytes from .. to. Cost: the bytes since the last call's from;
 * all before it when it goes back. */
struct diag_place conf_scan_place(struct conf_scan *s, size_t from,
                                  size_t to);

/* The next byte, -1 at the end. */
int conf_scan_peek(const struct conf_scan *s);

/* Past blanks and, when lines, line ends. */
void conf_scan_blank(struct conf_scan *s, bool lines);

/* The rest of the line, without its end, and past it; false: no line more. */
bool conf_scan_line(struct conf_scan *s, struct conf_text *line);

/* The next word of a line's text from *at on: bytes up to a blank. */
bool conf_scan_word(const struct conf_text *line, size_t *at,
                    struct conf_text *word);

#endif
