/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_lines.c - one node a line: NAME [weight=2] [zone=a] [address=...]
 * [state=down] [label=...]; words are separated by blanks, and one that
 * begins with '#' starts a comment.
 */
#include <string.h>

#include "base/str.h"
#include "conf/conf_model.h"

static const char *const field_names[] = {
    "address", "label", "state", "weight", "zone"
};

enum { FIELDS = sizeof field_names / sizeof *field_names };

static struct conf_text *
field(struct conf_node *node, size_t i)
{
    struct conf_text *fields[FIELDS] = {
        &node->address, &node->label, &node->state, &node->weight,
        &node->zone
    };

    return fields[i];
}

static void
bad_word(struct conf_build *b, struct diag_place at, const char *word,
         size_t len, size_t name_len)
{
    struct str_nearest near;
    struct buf shown = { 0 };
    size_t i;

    str_escape(&shown, word, name_len, 80);
    if (name_len == len) {
        diag_error(b->diag, at, "unexpected word \"%s\"",
                   shown.len ? shown.data : "");
        diag_hint(b->diag, "expected: one node a line: NAME [weight=2] "
                  "[zone=a] [address=HOST:PORT]");
    } else {
        diag_error(b->diag, at, "unknown key \"%s\"",
                   shown.len ? shown.data : "");
        str_nearest_init(&near, word, name_len);
        for (i = 0; i < FIELDS; i++)
            str_nearest_try(&near, field_names[i]);
        if (near.best != NULL)
            diag_hint(b->diag, "did you mean \"%s\"?  known: address, label, "
                      "state, weight, zone", near.best);
        else
            diag_hint(b->diag, "known: address, label, state, weight, zone");
    }
    buf_free(&shown);
}

/* A word behind the name, at column `at`. */
static void
read_word(struct conf_build *b, struct conf_node *node, const char *word,
          size_t len, struct diag_place at)
{
    const char *eq = memchr(word, '=', len);
    size_t name_len = eq ? (size_t)(eq - word) : len;
    struct conf_text *text;
    size_t i = 0;

    while (i < FIELDS && (strlen(field_names[i]) != name_len
                          || memcmp(field_names[i], word, name_len) != 0))
        i++;
    if (eq == NULL || i == FIELDS) {
        bad_word(b, at, word, len, name_len);
        return;
    }
    text = field(node, i);
    if (text->data != NULL) {
        diag_error(b->diag, at, "key \"%s\" is given twice",
                   field_names[i]);
        return;
    }
    text->data = eq + 1;
    text->len = len - name_len - 1;
    text->at = at;
    text->at.column += (unsigned)name_len + 1;
    text->at.width = at.width > name_len + 1
        ? at.width - (unsigned)name_len - 1 : 1;
}

static bool
blank(char c)
{
    return c == ' ' || c == '\t';
}

static unsigned
characters(const char *s, size_t len)
{
    unsigned n = 0;
    size_t i = 0;

    while (i < len) {
        uint32_t code;
        size_t step = str_utf8(s + i, len - i, &code);

        i += step ? step : 1;
        n++;
    }
    return n;
}

static void
read_line(struct conf_build *b, const char *s, size_t len, unsigned line)
{
    struct conf_node node = { .positions = NULL };
    struct diag_place at = { line, 1, 1 };
    size_t i = 0, start;

    if (len > 0 && s[len - 1] == '\r')
        len--;
    while (i < len) {
        for (start = i; i < len && blank(s[i]); i++)
            continue;
        at.column += (unsigned)(i - start);
        if (i == len || s[i] == '#')
            break;
        for (start = i; i < len && !blank(s[i]); i++)
            continue;
        at.width = characters(s + start, i - start);
        if (node.name.data == NULL) {
            node.name.data = s + start;
            node.name.len = i - start;
            node.name.at = at;
        } else {
            read_word(b, &node, s + start, i - start, at);
        }
        at.column += at.width;
    }
    if (node.name.data != NULL)
        conf_add_node(b, &node);
}

static void
read_lines(struct conf_build *b, const char *data, size_t len)
{
    const char *nul = len > 0 ? memchr(data, '\0', len) : NULL;
    unsigned line = 1;

    if (nul != NULL) {
        diag_error(b->diag, (struct diag_place){ 0, 0, 0 }, "this is no text: "
                   "byte %zu is NUL", (size_t)(nul - data) + 1);
        diag_hint(b->diag, "expected: YAML, JSON, one node a line, or the "
                  "file of a program that clockwise list formats names");
        return;
    }
    while (len > 0) {
        const char *stop = memchr(data, '\n', len);
        size_t n = stop ? (size_t)(stop - data) : len;

        read_line(b, data, n, line++);
        if (stop != NULL)
            n++;
        data += n;
        len -= n;
    }
}

/* Takes what nobody else claims: no claim of its own. */
const struct conf_format conf_format_lines = {
    .name = "lines", .summary = "one node a line", .read = read_lines
};
