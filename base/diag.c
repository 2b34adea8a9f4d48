/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/width.h"

/* Characters of a line that are shown: JSON files have one long line. */
enum { EXCERPT = 76, EXCERPT_BEFORE = 40 };

struct diag_item {
    struct diag_place at;
    size_t            number;   /* in the order found, for a stable sort */
    struct buf        text;
    struct buf        hints;
};

void
diag_init(struct diag *d, const char *file, const char *text, size_t len)
{
    memset(d, 0, sizeof *d);
    d->file = file;
    d->text = text;
    d->len = len;
}

void
diag_free(struct diag *d)
{
    size_t i;

    for (i = 0; i < d->kept; i++) {
        buf_free(&d->items[i].text);
        buf_free(&d->items[i].hints);
    }
    mem_free(d->items);
    diag_init(d, d->file, d->text, d->len);
}

/* Bytes of the character at s, or 1 for a byte that is none. */
static size_t
character(const char *s, size_t len)
{
    uint32_t code = 0;
    size_t n = str_utf8(s, len, &code);

    return n ? n : 1;
}

static size_t
characters(const char *s, size_t len)
{
    size_t n = 0, i;

    for (i = 0; i < len; i += character(s + i, len - i))
        n++;
    return n;
}

struct diag_place
diag_place_of(const struct diag *d, size_t offset, size_t bytes)
{
    struct diag_place at = { 1, 1, 1 };
    size_t i, start = 0;

    if (offset > d->len)
        offset = d->len;
    if (bytes > d->len - offset)
        bytes = d->len - offset;
    for (i = 0; i < offset; i++) {
        if (d->text[i] == '\n') {
            at.line++;
            start = i + 1;
        }
    }
    at.column = (unsigned)characters(d->text + start, offset - start) + 1;
    if (bytes > 1)
        at.width = (unsigned)characters(d->text + offset, bytes);
    return at;
}

void
diag_error(struct diag *d, struct diag_place at, const char *format, ...)
{
    struct diag_item *item;
    va_list args;

    d->errors++;
    if (d->errors > DIAG_KEPT)
        return;
    if (d->items == NULL)
        d->items = mem_alloc(DIAG_KEPT, sizeof *d->items);
    item = &d->items[d->kept];
    memset(item, 0, sizeof *item);
    item->at = at;
    item->number = d->kept++;
    va_start(args, format);
    buf_vprint(&item->text, format, args);
    va_end(args);
}

void
diag_hint(struct diag *d, const char *format, ...)
{
    struct diag_item *item;
    va_list args;

    if (d->errors == 0 || d->errors > DIAG_KEPT)
        return;
    item = &d->items[d->kept - 1];
    buf_str(&item->hints, "  ");
    va_start(args, format);
    buf_vprint(&item->hints, format, args);
    va_end(args);
    buf_char(&item->hints, '\n');
}

/* Line number `line` of the file, without its end. */
static const char *
find_line(const struct diag *d, unsigned line, size_t *len)
{
    const char *s = d->text;
    const char *end = d->text + d->len;
    const char *stop;

    while (--line > 0) {
        s = memchr(s, '\n', (size_t)(end - s));
        if (s == NULL)
            return NULL;
        s++;
    }
    stop = memchr(s, '\n', (size_t)(end - s));
    *len = (size_t)((stop ? stop : end) - s);
    return s;
}

/* One character of a line; returns the columns it takes. */
static size_t
print_character(struct buf *out, const char *s, size_t n)
{
    if (*s == '\t') {
        buf_char(out, ' ');
    } else if (str_text_end(s, n) == n) {
        buf_add(out, s, n);
        return width_text(s, n);
    } else if (*s != '\r') {
        buf_char(out, '?');
    }
    return 1;
}

/* The line with the word underlined: "    text\n    ^~~~\n". */
static void
print_excerpt(const struct diag *d, struct diag_place at, struct buf *out,
              bool color)
{
    size_t len = 0, i, column = 1, from = 1, width, indent, stop;
    const char *s = find_line(d, at.line, &len);

    if (s == NULL)
        return;
    if (at.column > EXCERPT - EXCERPT_BEFORE)
        from = at.column - EXCERPT_BEFORE;
    if (characters(s, len) < EXCERPT)
        from = 1;
    stop = from + EXCERPT;
    indent = at.column - from;
    width = at.width < stop - at.column ? at.width : stop - at.column;
    stop = at.column + width;
    buf_str(out, from > 1 ? "... " : "    ");
    for (i = 0; i < len && column < from + EXCERPT; column++) {
        size_t n = character(s + i, len - i), columns;

        if (column >= from) {
            columns = print_character(out, s + i, n);
            if (column < at.column)
                indent = indent + columns - 1;
            else if (column < stop)
                width = width + columns - 1;
        }
        i += n;
    }
    buf_print(out, "\n    %*s%s^", (int)indent, "",
              color ? "\033[1;31m" : "");
    while (width-- > 1)
        buf_char(out, '~');
    buf_print(out, "%s\n", color ? "\033[0m" : "");
}

static int
by_place(const void *a, const void *b)
{
    const struct diag_item *x = a;
    const struct diag_item *y = b;

    if (x->at.line != y->at.line)
        return x->at.line < y->at.line ? -1 : 1;
    if (x->at.column != y->at.column)
        return x->at.column < y->at.column ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

void
diag_print(struct diag *d, struct buf *out, bool color)
{
    size_t i;

    if (d->kept > 1)
        qsort(d->items, d->kept, sizeof *d->items, by_place);
    for (i = 0; i < d->kept; i++) {
        const struct diag_item *item = &d->items[i];

        if (color)
            buf_str(out, "\033[1m");
        buf_str(out, d->file);
        if (item->at.line > 0)
            buf_print(out, ":%u:%u", item->at.line, item->at.column);
        buf_print(out, ":%s ", color ? "\033[0m" : "");
        buf_add(out, item->text.data, item->text.len);
        buf_char(out, '\n');
        if (item->at.line > 0 && item->at.width > 0 && d->text != NULL)
            print_excerpt(d, item->at, out, color);
        if (item->hints.len > 0)
            buf_add(out, item->hints.data, item->hints.len);
    }
    if (d->errors > d->kept)
        buf_print(out, "%s: %zu more errors are not shown\n", d->file,
                  d->errors - d->kept);
}

bool
diag_color(void)
{
    const char *term = getenv("TERM");
    const char *no = getenv("NO_COLOR");

    return isatty(STDERR_FILENO) && (no == NULL || *no == '\0')
        && term != NULL && strcmp(term, "dumb") != 0;
}
