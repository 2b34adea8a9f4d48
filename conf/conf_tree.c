/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_tree.h"

#include <string.h>

#include "base/str.h"

const char *
conf_kind_text(enum conf_kind kind)
{
    switch (kind) {
    case CONF_NULL:   return "nothing";
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
