/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_scan.h"

#include <string.h>

#include "base/str.h"
#include "conf/conf_text.h"

void
conf_scan_init(struct conf_scan *s, const char *data, size_t len)
{
    memset(s, 0, sizeof *s);
    s->data = data;
    s->len = len;
    s->line = 1;
    s->column = 1;
}

struct diag_place
conf_scan_place(struct conf_scan *s, size_t from, size_t to)
{
    struct diag_place at = { 0, 0, 1 };
    uint32_t code;

    if (from < s->counted) {        /* for an error further up */
        s->counted = 0;
        s->line = 1;
        s->column = 1;
    }
    while (s->counted < from && s->counted < s->len) {
        size_t n = str_utf8(s->data + s->counted, s->len - s->counted, &code);

        s->column++;
        if (s->data[s->counted] == '\n') {
            s->line++;
            s->column = 1;
        }
        s->counted += n > 0 ? n : 1;
    }
    at.line = s->line;
    at.column = s->column;
    if (to > from + 1)
        at.width = (unsigned)(to - from);
    return at;
}

int
conf_scan_peek(const struct conf_scan *s)
{
    return s->at < s->len ? (unsigned char)s->data[s->at] : -1;
}

void
conf_scan_blank(struct conf_scan *s, bool lines)
{
    while (s->at < s->len
           && (s->data[s->at] == ' ' || s->data[s->at] == '\t'
               || (lines && (s->data[s->at] == '\n'
                             || s->data[s->at] == '\r'))))
        s->at++;
}

bool
conf_scan_line(struct conf_scan *s, struct conf_text *line)
{
    const char *end;
    size_t from = s->at;

    if (s->at >= s->len)
        return false;
    end = memchr(s->data + from, '\n', s->len - from);
    line->data = s->data + from;
    line->len = end != NULL ? (size_t)(end - line->data) : s->len - from;
    s->at += line->len + (end != NULL);
    line->at = conf_scan_place(s, from, from + line->len);
    if (line->len > 0 && line->data[line->len - 1] == '\r')
        line->len--;
    return true;
}

static bool
blank(char c)
{
    return c == ' ' || c == '\t';
}

bool
conf_scan_word(const struct conf_text *line, size_t *at,
               struct conf_text *word)
{
    size_t from, i = *at;

    while (i < line->len && blank(line->data[i]))
        i++;
    from = i;
    while (i < line->len && !blank(line->data[i]))
        i++;
    *at = i;
    *word = conf_part(line, from, i - from);
    return i > from;
}
