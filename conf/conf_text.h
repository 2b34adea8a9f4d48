/* SPDX-License-Identifier: Apache-2.0 */
/* conf_text.h - pieces of text that readers of native files share. */
#ifndef CONF_TEXT_H
#define CONF_TEXT_H

#include <string.h>

#include "conf/conf_model.h"

/* Is c one of the characters of a text? NUL is none. */
static inline bool
conf_any(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* Bytes from .. from + len of t, with their place (of a text in one line). */
struct conf_text conf_part(const struct conf_text *t, size_t from, size_t len);

/* Offset of the last c in the first `before` bytes, SIZE_MAX: none. */
size_t conf_last(const struct conf_text *t, size_t before, char c);

bool conf_same(const struct conf_text *t, const char *word);

/* Without regard to the case of ASCII letters. */
bool conf_same_nocase(const struct conf_text *t, const char *word);

/* The number of `word` in the list, n when it is none of them. */
size_t conf_word(const struct conf_text *t, const char *const *words,
                 size_t n);

/* "host:port", "[v6]:port"; host as written, with or without brackets. */
struct conf_text conf_host_port(struct conf_build *b,
                                const struct conf_text *host,
                                unsigned long port);

/* "unix:PATH". */
struct conf_text conf_unix(struct conf_build *b, const struct conf_text *path);

/* An address of IPv4 or IPv6 (in brackets or not), and no name. */
bool conf_is_ip(const struct conf_text *host);

/* conf_escape()d bytes of t for a message; of the build's arena. */
const char *conf_shown(struct conf_build *b, const struct conf_text *t);

#endif
