/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_text.h"

#include <string.h>

#include "base/str.h"

struct conf_text
conf_part(const struct conf_text *t, size_t from, size_t len)
{
    struct conf_text part = { t->data + from, len, t->at };

    part.at.column += (unsigned)from;
    part.at.width = len > 0 ? (unsigned)len : 1;
    return part;
}

size_t
conf_last(const struct conf_text *t, size_t before, char c)
{
    while (before > 0)
        if (t->data[--before] == c)
            return before;
    return SIZE_MAX;
}

bool
conf_same(const struct conf_text *t, const char *word)
{
    return t->data != NULL && t->len == strlen(word)
        && memcmp(t->data, word, t->len) == 0;
}

static int
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

bool
conf_same_nocase(const struct conf_text *t, const char *word)
{
    size_t i;

    if (t->data == NULL || t->len != strlen(word))
        return false;
    for (i = 0; i < t->len; i++)
        if (lower(t->data[i]) != lower(word[i]))
            return false;
    return true;
}

size_t
conf_word(const struct conf_text *t, const char *const *words, size_t n)
{
    size_t i = 0;

    while (i < n && !conf_same(t, words[i]))
        i++;
    return i;
}

struct conf_text
conf_host_port(struct conf_build *b, const struct conf_text *host,
               unsigned long port)
{
    bool bare = host->len > 0 && host->data[0] != '['
        && memchr(host->data, ':', host->len) != NULL;

    return conf_format_text(b, host->at, "%s%.*s%s:%lu", bare ? "[" : "",
                            (int)host->len, host->data, bare ? "]" : "",
                            port);
}

struct conf_text
conf_unix(struct conf_build *b, const struct conf_text *path)
{
    return conf_format_text(b, path->at, "unix:%.*s", (int)path->len,
                            path->data);
}

bool
conf_is_ip(const struct conf_text *host)
{
    size_t i, dots = 0, digits = 0;

    if (memchr(host->data, ':', host->len) != NULL)
        return true;        /* no name holds a colon */
    for (i = 0; i < host->len; i++) {
        if (host->data[i] == '.')
            dots++;
        else if (host->data[i] >= '0' && host->data[i] <= '9')
            digits++;
        else
            return false;
    }
    return dots == 3 && digits >= 4;
}

const char *
conf_shown(struct conf_build *b, const struct conf_text *t)
{
    struct buf shown = { 0 };
    const char *text;

    str_escape(&shown, t->data ? t->data : "", t->len, 80);
    text = arena_copy(&b->arena, shown.data ? shown.data : "", shown.len);
    buf_free(&shown);
    return text;
}
