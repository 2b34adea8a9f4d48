/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_code.h"

#include <string.h>

#include "conf/conf_text.h"

void
code_init(struct conf_code *c, struct conf_build *b, unsigned comments,
          const char *data, size_t len)
{
    memset(c, 0, sizeof *c);
    c->b = b;
    c->comments = comments;
    conf_scan_init(&c->scan, data, len);
    code_next(c);
}

static bool
at(const struct conf_code *c, const char *text)
{
    size_t n = strlen(text);

    return c->scan.len - c->scan.at >= n
        && memcmp(c->scan.data + c->scan.at, text, n) == 0;
}

/* To the end of what ends with `text`, or of the file. */
static void
pass(struct conf_code *c, const char *text)
{
    while (c->scan.at < c->scan.len && !at(c, text))
        c->scan.at++;
    c->scan.at += c->scan.at < c->scan.len ? strlen(text) : 0;
}

static void
skip_blank(struct conf_code *c)
{
    for (;;) {
        conf_scan_blank(&c->scan, true);
        if (at(c, "/*"))
            pass(c, "*/");
        else if ((c->comments & CODE_DASHES) && at(c, "--[["))
            pass(c, "]]");
        else if (((c->comments & CODE_HASH) && at(c, "#"))
                 || ((c->comments & CODE_SLASHES) && at(c, "//"))
                 || ((c->comments & CODE_DASHES) && at(c, "--")))
            pass(c, "\n");
        else
            return;
    }
}

static bool
is_word(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z')
        || (ch >= '0' && ch <= '9') || ch == '_' || ch == '.' || ch == '$'
        || (ch & 0x80);
}

static void
read_string(struct conf_code *c)
{
    struct conf_scan *s = &c->scan;
    char quote = s->data[s->at++];
    struct buf text = { 0 };

    while (s->at < s->len && s->data[s->at] != quote) {
        if (s->data[s->at] == '\\' && s->at + 1 < s->len)
            s->at++;
        buf_char(&text, s->data[s->at++]);
    }
    s->at += s->at < s->len;
    c->token.text.len = text.len;
    c->token.text.data = "";
    if (c->b != NULL)
        c->token.text.data = arena_copy(&c->b->arena, text.data ? text.data
                                        : "", text.len);
    buf_free(&text);
}

bool
code_next(struct conf_code *c)
{
    struct conf_scan *s = &c->scan;
    struct code_token *t = &c->token;
    size_t from;
    char ch;

    skip_blank(c);
    from = s->at;
    t->text = (struct conf_text){ s->data + from, 0, { 0, 0, 0 } };
    t->kind = CODE_END;
    if (from == s->len) {
        t->text.at = conf_scan_place(s, from, from);
        return false;
    }
    ch = s->data[from];
    if (ch == '"' || ch == '\'') {
        t->kind = CODE_STRING;
        read_string(c);
    } else if (is_word(ch) && ch != '.') {
        t->kind = ch >= '0' && ch <= '9' ? CODE_NUMBER : CODE_WORD;
        while (s->at < s->len && is_word(s->data[s->at]))
            s->at++;
        t->text.len = s->at - from;
    } else {
        t->kind = CODE_SIGN;
        s->at += at(c, "=>") || at(c, "::") || at(c, "->") ? 2 : 1;
        t->text.len = s->at - from;
    }
    t->text.at = conf_scan_place(s, from, s->at);
    return true;
}

bool
code_is(const struct conf_code *c, const char *text)
{
    return (c->token.kind == CODE_WORD || c->token.kind == CODE_SIGN)
        && conf_same(&c->token.text, text);
}

bool
code_take(struct conf_code *c, const char *text)
{
    if (!code_is(c, text))
        return false;
    code_next(c);
    return true;
}

static bool
opens(const struct conf_code *c)
{
    return code_is(c, "(") || code_is(c, "[") || code_is(c, "{");
}

static bool
closes(const struct conf_code *c)
{
    return code_is(c, ")") || code_is(c, "]") || code_is(c, "}");
}

void
code_skip_bracket(struct conf_code *c)
{
    size_t depth = 0;

    do {
        depth += opens(c);
        depth -= closes(c);
    } while (code_next(c) && depth > 0);
}

void
code_skip_value(struct conf_code *c)
{
    while (c->token.kind != CODE_END && !closes(c) && !code_is(c, ",")
           && !code_is(c, ";")) {
        if (opens(c))
            code_skip_bracket(c);
        else
            code_next(c);
    }
}
