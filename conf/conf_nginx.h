/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_nginx.h - the reader of nginx configurations: words and statements
 * (conf_nginx_words.c), `server` lines (conf_nginx_server.c), and `upstream`
 * blocks in a file (conf_nginx.c).
 */
#ifndef CONF_NGINX_H
#define CONF_NGINX_H

#include "conf/conf_native.h"
#include "conf/conf_scan.h"
#include "conf/conf_text.h"

enum { NGINX_WORDS_MAX = 64 };

enum nginx_stop {
    NGINX_END, NGINX_SEMICOLON, NGINX_OPEN, NGINX_CLOSE, NGINX_ERROR
};

struct nginx {
    struct conf_scan   scan;
    struct conf_build *b;           /* NULL: only looking                   */
    struct conf_text   word[NGINX_WORDS_MAX];
    size_t             words;       /* of the statement; more are counted   */
    bool               stream;
};

struct nginx_server {
    struct conf_text text;
    struct conf_text address;
    uint64_t         weight;
    bool             down;
    bool             backup;
};

/* Read the words up to ";", "{" or "}", and say which it was. */
enum nginx_stop nginx_statement(struct nginx *x);

/* Past a block that is of no interest; its "{" was read. False: an error. */
bool nginx_skip(struct nginx *x);

void nginx_error(struct nginx *x, size_t at, const char *text);

/* "invalid parameter", and what was expected; returns false. */
bool nginx_bad(struct nginx *x, const struct conf_text *w,
                    const char *want);

/* The `server` statement that was read; after_hash: "hash" stands before it.
 * False: it is refused, which was said. */
bool nginx_server(struct nginx *x, bool after_hash,
                       struct nginx_server *out);

#endif
