/* SPDX-License-Identifier: Apache-2.0 */
/* conf_nginx_words.c - words, statements and blocks of nginx. */
#include <string.h>

#include "conf/conf_nginx.h"

void
nginx_error(struct nginx *x, size_t at, const char *text)
{
    if (x->b != NULL)
        diag_error(x->b->diag, conf_scan_place(&x->scan, at, at + 1), "%s",
                   text);
}

/* A word in quotes; s->at is behind the opening one. */
static bool
quoted(struct nginx *x, char quote, struct buf *out)
{
    struct conf_scan *s = &x->scan;

    while (s->at < s->len && s->data[s->at] != quote) {
        if (s->data[s->at] == '\\' && s->at + 1 < s->len) {
            s->at++;
            if (s->data[s->at] != quote && s->data[s->at] != '\\')
                buf_char(out, '\\');
        }
        buf_char(out, s->data[s->at++]);
    }
    if (s->at == s->len)
        return false;
    s->at++;
    return true;
}

static void
plain(struct nginx *x, struct buf *out)
{
    struct conf_scan *s = &x->scan;
    bool variable = false;

    for (; s->at < s->len; s->at++) {
        char c = s->data[s->at];

        if (variable && c == '{') {     /* of ${name} */
            variable = false;
        } else if (conf_any(c, " \t\r\n;{")) {
            break;
        } else {
            variable = c == '$';
            if (c == '\\' && s->at + 1 < s->len) {
                s->at++;
                c = s->data[s->at];
                if (!conf_any(c, "\"'\\ \t;{"))
                    buf_char(out, '\\');
            }
        }
        buf_char(out, c);
    }
}

static bool
read_word(struct nginx *x)
{
    struct conf_scan *s = &x->scan;
    struct buf text = { 0 };
    size_t from = s->at;
    char c = s->data[from];
    bool ok = true;

    if (c == '"' || c == '\'') {
        s->at++;
        ok = quoted(x, c, &text);
        if (!ok)
            nginx_error(x, from, "this quote is not closed");
        else if (s->at < s->len
                 && !conf_any(s->data[s->at], " \t\r\n;{)"))
            nginx_error(x, s->at, "a blank, \";\" or \"{\" must follow a text "
                        "in quotes");
    } else {
        plain(x, &text);
    }
    if (x->words < NGINX_WORDS_MAX) {
        struct conf_text *w = &x->word[x->words];

        w->len = text.len;
        if (x->b != NULL) {
            w->at = conf_scan_place(s, from, s->at);
            w->data = arena_copy(&x->b->arena, text.data ? text.data : "",
                                 text.len);
        } else {
            w->data = s->data + from;
        }
    }
    x->words++;
    buf_free(&text);
    return ok;
}

/* The words up to ";", "{" or "}". */
enum nginx_stop
nginx_statement(struct nginx *x)
{
    struct conf_scan *s = &x->scan;

    x->words = 0;
    for (;;) {
        conf_scan_blank(s, true);
        if (s->at == s->len) {
            if (x->words == 0)
                return NGINX_END;
            nginx_error(x, s->len, "the file ends within a statement; expected "
                        "\";\" or \"}\"");
            return NGINX_ERROR;
        }
        switch (s->data[s->at]) {
        case '#':
            while (s->at < s->len && s->data[s->at] != '\n')
                s->at++;
            break;
        case ';':
        case '{':
            if (x->words == 0) {
                nginx_error(x, s->at, "a statement begins with no word");
                return NGINX_ERROR;
            }
            return s->data[s->at++] == ';' ? NGINX_SEMICOLON : NGINX_OPEN;
        case '}':
            if (x->words > 0) {
                nginx_error(x, s->at, "unexpected \"}\"; expected \";\" before "
                            "it");
                return NGINX_ERROR;
            }
            s->at++;
            return NGINX_CLOSE;
        default:
            if (!read_word(x))
                return NGINX_ERROR;
        }
    }
}

/* Past a block that is of no interest. */
bool
nginx_skip(struct nginx *x)
{
    size_t open = x->scan.at;
    unsigned depth = 1;

    if (x->word[0].len > 10 && x->words > 0
        && memcmp(x->word[0].data + x->word[0].len - 10, "_lua_block", 10)
        == 0) {
        /* Lua has words of its own: only its braces are counted */
        for (; depth > 0 && x->scan.at < x->scan.len; x->scan.at++) {
            depth += x->scan.data[x->scan.at] == '{';
            depth -= x->scan.data[x->scan.at] == '}';
        }
    }
    while (depth > 0) {
        enum nginx_stop stop = nginx_statement(x);

        if (stop == NGINX_ERROR)
            return false;
        if (stop == NGINX_END) {
            nginx_error(x, open - 1, "this block is not closed");
            return false;
        }
        depth += stop == NGINX_OPEN;
        depth -= stop == NGINX_CLOSE;
    }
    return true;
}

