/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_conf.c - fleet files for JavaScript, by the readers of conf/.
 *
 * YAML comes as a tree that JavaScript has made of it: conf_yaml_read() of
 * this file builds the tree from its words, which stand for one value each:
 *
 *     kind (of enum conf_kind), quoted, line, column, width, n
 *
 * and then, for a scalar, n bytes padded to a multiple of 4; for a list n
 * values; for a map n keys with their values. A kind of 0 is an error: n
 * bytes of text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "conf/conf_model.h"
#include "conf/conf_tree.h"

#define FLAT __attribute__((visibility("default")))

enum { HEAD = 6, DEPTH = CONF_DEPTH_MAX + 1 };

/* ---- memory: what base/mem.c does with a message and an exit ----------- */

void
mem_fail(void)
{
    __builtin_trap();
}

void *
mem_alloc(size_t count, size_t size)
{
    void *p;

    if (size && count > SIZE_MAX / size)
        mem_fail();
    p = malloc(count * size ? count * size : 1);
    if (p == NULL)
        mem_fail();
    return p;
}

void *
mem_resize(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        mem_fail();
    p = realloc(p, count * size ? count * size : 1);
    if (p == NULL)
        mem_fail();
    return p;
}

void
mem_free(void *p)
{
    free(p);
}

/* ---- the tree ---------------------------------------------------------- */

static struct {
    const uint32_t *at, *end;
} words;

static bool read_value(struct conf_tree *t, struct conf_value *v,
                       struct diag *d, unsigned depth);

static struct conf_value *
child(struct conf_tree *t, struct diag *d, unsigned depth)
{
    struct conf_value *v = arena_alloc(&t->arena, sizeof *v);

    return read_value(t, v, d, depth) ? v : NULL;
}

static bool
read_items(struct conf_tree *t, struct conf_value *v, uint32_t n,
           struct diag *d, unsigned depth)
{
    for (uint32_t i = 0; i < n; i++) {
        struct conf_item *item = arena_alloc(&t->arena, sizeof *item);

        if (v->kind == CONF_MAP) {
            item->key = child(t, d, depth);
            if (item->key == NULL)
                return false;
            v->size += item->key->size;
        }
        item->value = child(t, d, depth);
        if (item->value == NULL)
            return false;
        v->size += item->value->size;
        if (v->last != NULL)
            v->last->next = item;
        else
            v->first = item;
        v->last = item;
        v->count++;
    }
    return true;
}

static bool
read_value(struct conf_tree *t, struct conf_value *v, struct diag *d,
           unsigned depth)
{
    const uint32_t *w = words.at;
    uint32_t n;

    if (words.end - w < HEAD || depth > DEPTH)
        return false;
    n = w[5];
    v->kind = (enum conf_kind)w[0];
    v->quoted = w[1] != 0;
    v->at = (struct diag_place){ w[2], w[3], w[4] };
    v->size = 1;
    words.at += HEAD;
    if (w[0] == CONF_LIST || w[0] == CONF_MAP)
        return read_items(t, v, n, d, depth + 1);
    if (n > (size_t)(words.end - words.at) * 4)
        return false;
    v->text = arena_copy(&t->arena, words.at, n);
    v->len = n;
    words.at += (n + 3) / 4;
    if (w[0] == 0) {
        diag_error(d, v->at, "%s", v->text);
        return false;
    }
    return true;
}

bool
conf_yaml_read(struct conf_tree *t, const char *data, size_t len,
               struct diag *d)
{
    struct conf_value *root;

    (void)data;
    (void)len;
    memset(t, 0, sizeof *t);
    if (words.at == words.end)
        return true;
    root = child(t, d, 0);
    t->root = root;
    if (root == NULL && d->errors == 0)
        diag_error(d, (struct diag_place){ 0, 0, 0 }, "the tree is broken");
    return root != NULL;
}

/* ---- a file ------------------------------------------------------------ */

/* Does a file need a tree? */
FLAT uint32_t
flat_conf_is_tree(const char *data, size_t len)
{
    struct conf_source source = { data, len, NULL };

    return conf_format_of(&source) == NULL && conf_is_tree(data, len);
}

static struct conf_model model;
static struct buf said, names;
static uint32_t result[9];

static void
print_notes(const struct conf_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        const struct conf_note *n = &notes->list[i];

        buf_print(&said, "%s", n->warning ? "warning: " : "");
        if (n->at.line)
            buf_print(&said, "line %u: ", n->at.line);
        buf_print(&said, "%s\n", n->text);
    }
}

static uint32_t
address_of(const void *p)
{
    return (uint32_t)(uintptr_t)p;
}

/*
 * Read a file; `pool` of those in it is kept. The answer, until the next
 * call: 1 or 0, fleet and placement (the caller's from now on), the format's
 * name, number of pools, text (pointer, length): the pool's refusal and the
 * notes, a line each, or all errors; the names of all pools (pointer,
 * length), each with a 0 behind it.
 */
FLAT const uint32_t *
flat_conf_read(const char *data, size_t len, const uint32_t *tree,
               size_t tree_words, uint32_t pool)
{
    struct diag d;
    bool ok;

    conf_model_free(&model);
    buf_free(&said);
    buf_free(&names);
    memset(result, 0, sizeof result);
    words.at = tree;
    words.end = tree + tree_words;
    diag_init(&d, "fleet", data, len);
    ok = conf_read(data, len, &d, &model);
    if (ok) {
        for (size_t i = 0; i < model.pool_count; i++)
            buf_add(&names, model.pools[i].name == NULL ? ""
                    : model.pools[i].name, model.pools[i].name_len + 1);
        result[4] = (uint32_t)model.pool_count;
        conf_model_choose(&model, pool < model.pool_count ? pool : 0);
        if (model.pools[0].refusal != NULL)
            buf_print(&said, "warning: %s\n", model.pools[0].refusal);
        print_notes(&model.notes);
        print_notes(&model.pools[0].notes);
        result[0] = 1;
        result[1] = address_of(model.pools[0].fleet);
        result[2] = address_of(model.pools[0].placement);
        result[3] = address_of(model.format);
        model.pools[0].fleet = NULL;
        model.pools[0].placement = NULL;
    } else {
        diag_print(&d, &said, false);
    }
    diag_free(&d);
    result[5] = address_of(said.data);
    result[6] = (uint32_t)said.len;
    result[7] = address_of(names.data);
    result[8] = (uint32_t)names.len;
    return result;
}
