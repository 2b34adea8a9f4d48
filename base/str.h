/* SPDX-License-Identifier: Apache-2.0 */
/* str.h - words: escaping, UTF-8, the nearest of a list, numbers as text. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Bytes of the UTF-8 character at s (1..4), 0 when there is none: overlong
 * forms, surrogates and values above U+10FFFF are none. *code: its value. */
size_t str_utf8(const char *s, size_t len, uint32_t *code);

/* Offset of the first byte that is not UTF-8 or begins a control character
 * (below U+0020, U+007F to U+009F); len when there is none. */
size_t str_text_end(const char *s, size_t len);

/* Add s to b so that it fits one line of a message: printable UTF-8 as it is,
 * other bytes as \xNN, a backslash and a quote with a backslash; at most
 * about `most` bytes of s, then "...". */
void str_escape(struct buf *b, const char *s, size_t len, size_t most);

/* Add s as one word of a shell's command: as it is when it holds only
 * letters, digits and "_./:@%+,=-", else in single quotes. */
void str_shell(struct buf *b, const char *s, size_t len);

/* Edit distance (insert, delete, change, swap of two neighbours) or limit + 1
 * when it is larger. Words above 64 bytes are at limit + 1. */
unsigned str_distance(const char *a, size_t a_len, const char *b,
                      size_t b_len, unsigned limit);

/* Remembers the name nearest to a word, as long as it is near at all. */
struct str_nearest {
    const char *word;
    size_t      len;
    const char *best;       /* NULL: none is near */
    unsigned    distance;
};

void str_nearest_init(struct str_nearest *n, const char *word, size_t len);
void str_nearest_try(struct str_nearest *n, const char *name);

/* Decimal digits only, no sign, no blank; false when there is anything else
 * or the value exceeds max. *out is untouched then. */
bool str_uint(const char *s, size_t len, uint64_t max, uint64_t *out);

/* hi * 2^64 + lo in decimal; returns out. */
char *str_u128(uint64_t hi, uint64_t lo, char out[40]);

/* The shortest decimal that reads back as x; returns out. */
char *str_double(double x, char out[32]);

/* 2n hex digits to n bytes at out (may be s itself); false: not hex. */
bool str_unhex(const char *s, size_t len, char *out);

/* False when s is no NAME=VALUE. *name_len: where the first '=' is. */
bool str_assignment(const char *s, size_t *name_len);

#endif
