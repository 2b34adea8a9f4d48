/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_tree.h"

#include <string.h>

#include "base/str.h"
#include "conf/conf_text.h"

const char *
conf_kind_text(enum conf_kind kind)
{
    switch (kind) {
    case CONF_NULL:   return "empty";
    case CONF_SCALAR: return "a single value";
    case CONF_LIST:   return "a list";
    case CONF_MAP:    return "a mapping";
    }
    return "something else";
}

void
conf_tree_free(struct conf_tree *t)
{
    arena_free(&t->arena);
    t->root = NULL;
}

static bool
is_text(const struct conf_value *v, const char *text)
{
    return v->kind == CONF_SCALAR && v->len == strlen(text)
        && memcmp(v->text, text, v->len) == 0;
}

static void
unknown_key(struct diag *d, const struct conf_item *item, const char *what,
            const struct conf_key *keys, size_t n)
{
    const struct conf_value *key = item->key;
    struct buf shown = { 0 };
    struct str_nearest near;
    uint64_t number;
    size_t i;

    if (key->kind != CONF_SCALAR) {
        diag_error(d, key->at, "%s: a key is a word, not %s", what,
                   conf_kind_text(key->kind));
        return;
    }
    str_escape(&shown, key->text, key->len, 80);
    diag_error(d, key->at, "%s: unknown key \"%s\"", what,
               shown.len ? shown.data : "");
    str_nearest_init(&near, key->text, key->len);
    buf_free(&shown);
    for (i = 0; i < n; i++) {
        str_nearest_try(&near, keys[i].name);
        buf_print(&shown, "%s%s", i ? ", " : "", keys[i].name);
    }
    if (item->value->kind == CONF_NULL
        && str_uint(key->text, key->len, UINT64_MAX, &number))
        diag_hint(d, "a decimal number is written with a point: 0.5");
    else if (near.best != NULL)
        diag_hint(d, "did you mean \"%s\"?  known: %s", near.best,
                  shown.data);
    else
        diag_hint(d, "known: %s", shown.data);
    buf_free(&shown);
}

void
conf_map_keys(struct diag *d, const struct conf_value *map, const char *what,
              const struct conf_key *keys, size_t n,
              const struct conf_value **found)
{
    unsigned first_line[32] = { 0 };
    const struct conf_item *item;
    size_t i;

    for (i = 0; i < n; i++)
        found[i] = NULL;
    for (item = map->first; item != NULL; item = item->next) {
        for (i = 0; i < n && !is_text(item->key, keys[i].name); i++)
            continue;
        if (i == n) {
            unknown_key(d, item, what, keys, n);
        } else if (first_line[i] != 0) {
            diag_error(d, item->key->at, "%s: key \"%s\" is given twice",
                       what, keys[i].name);
            diag_hint(d, "the first one is in line %u", first_line[i]);
        } else {
            first_line[i] = item->key->at.line;
            if (item->value->kind & keys[i].kinds) {
                found[i] = item->value;
                continue;
            }
            diag_error(d, item->value->kind == CONF_NULL ? item->key->at
                       : item->value->at, "%s: \"%s\" is %s", what,
                       keys[i].name, conf_kind_text(item->value->kind));
            diag_hint(d, "expected: %s", keys[i].expected);
        }
    }
}

/*
 * Decided by the first line that is neither blank, comment, directive nor
 * "---": "{", "- ", a list or comment of JSON, or a word (or quoted text) with
 * a colon that a blank or the line's end follows. A line of the other format
 * has no such colon.
 */
bool
conf_is_tree(const char *data, size_t len)
{
    const char *s = data, *end = data + len, *colon, *stop;

    for (; s < end; s = stop < end ? stop + 1 : end) {
        stop = memchr(s, '\n', (size_t)(end - s));
        if (stop == NULL)
            stop = end;
        while (s < stop && (*s == ' ' || *s == '\t' || *s == '\r'))
            s++;
        if (s < stop && *s != '#' && *s != '%'
            && !(stop - s >= 3 && memcmp(s, "---", 3) == 0))
            break;
    }
    if (s >= end)
        return false;
    if (*s == '[') {
        /* a list of JSON, or a node whose address is IPv6? */
        for (s++; s < end && conf_any(*s, " \t\r\n"); s++)
            continue;
        return s < end && (*s == '[' || *s == '{' || *s == '"');
    }
    if (end - s >= 2 && *s == '/' && (s[1] == '/' || s[1] == '*'))
        return true;        /* JSON with comments */
    if (*s == '{' || (*s == '-' && (s + 1 == stop || s[1] == ' ')))
        return true;
    if (*s == '"' || *s == '\'') {
        colon = memchr(s + 1, *s, (size_t)(stop - s - 1));
        if (colon == NULL)
            return false;
        for (colon++; colon < stop && *colon == ' '; colon++)
            continue;
    } else {
        for (colon = s; colon < stop && *colon != ' ' && *colon != '\t';
             colon++)
            if (*colon == ':' && (colon + 1 == stop || colon[1] == ' '
                                  || colon[1] == '\t' || colon[1] == '\r'))
                break;
        while (colon < stop && *colon == ' ')
            colon++;
    }
    return colon < stop && *colon == ':'
        && (colon + 1 == stop || conf_any(colon[1], " \t\r"));
}

const struct conf_value *
conf_tree_get(const struct conf_value *map, const char *key)
{
    const struct conf_item *item;

    if (map == NULL || map->kind != CONF_MAP)
        return NULL;
    for (item = map->first; item != NULL; item = item->next)
        if (is_text(item->key, key))
            return item->value;
    return NULL;
}

struct conf_text
conf_tree_text(const struct conf_value *v)
{
    struct conf_text t = { NULL, 0, { 0, 0, 0 } };

    if (v != NULL) {
        t.data = v->text;
        t.len = v->len;
        t.at = v->at;
    }
    return t;
}
