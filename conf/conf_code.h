/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_code.h - the words of a program's text (VCL, Lua, PHP, Python), for
 * readers that look for plain data in it.
 */
#ifndef CONF_CODE_H
#define CONF_CODE_H

#include "conf/conf_scan.h"

enum code_kind { CODE_END, CODE_WORD, CODE_NUMBER, CODE_STRING, CODE_SIGN };

/* What begins a comment up to the line's end, or-ed. */
enum { CODE_HASH = 1, CODE_SLASHES = 2, CODE_DASHES = 4 };

struct code_token {
    enum code_kind   kind;
    struct conf_text text;      /* of a string: without quotes, followed by
                                   a NUL                                    */
};

struct conf_code {
    struct conf_build *b;       /* NULL: texts are not kept                 */
    struct conf_scan   scan;
    unsigned           comments;
    struct code_token  token;   /* the one in hand                          */
};

void code_init(struct conf_code *c, struct conf_build *b, unsigned comments,
               const char *data, size_t len);

/* Go to the next token; false at the end. Comments are passed over, those in
 * slash and star too; "=>", "::" and "->" are one sign, words may hold '.'
 * and '_', and in PHP begin with '$'. */
bool code_next(struct conf_code *c);

/* Is it this word or sign? */
bool code_is(const struct conf_code *c, const char *text);

/* If it is, go past it. */
bool code_take(struct conf_code *c, const char *text);

/* Past a bracket and all up to its partner; at "(", "[" or "{". */
void code_skip_bracket(struct conf_code *c);

/* To the end of an expression: a comma, semicolon, or closing bracket that
 * is not part of it. */
void code_skip_value(struct conf_code *c);

#endif
