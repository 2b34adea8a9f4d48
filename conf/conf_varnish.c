/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_varnish.c - shard directors of a VCL file: backends, the director's
 * add_backend() and reconfigure() with plain arguments.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_code.h"
#include "conf/conf_text.h"

struct backend {
    struct backend  *next;
    struct conf_text name;
    struct conf_text host;
    struct conf_text port;
    struct conf_text path;
};

struct director {
    struct director *next;
    struct conf_text name;
    struct conf_node *nodes;
    size_t           count;
    struct conf_text replicas;
    struct conf_text by;        /* of backend(): KEY, URL, HASH, BLOB       */
    struct conf_text altered;   /* data NULL: plain, else why not           */
};

struct varnish {
    struct conf_code code;
    struct backend  *backends;
    struct director *directors;
};

static const struct conf_text none = { NULL, 0, { 0, 0, 0 } };

static bool
claims(const char *data, size_t len)
{
    struct conf_code c;
    bool vcl = false;

    code_init(&c, NULL, CODE_HASH | CODE_SLASHES, data, len);
    vcl = c.token.kind == CODE_WORD && conf_same(&c.token.text, "vcl");
    for (; c.token.kind != CODE_END; code_next(&c)) {
        if (c.token.kind != CODE_WORD)
            continue;
        if (vcl || conf_same(&c.token.text, "directors.shard"))
            return true;
        if (conf_same(&c.token.text, "backend") && code_next(&c)
            && c.token.kind == CODE_WORD && code_next(&c)
            && code_is(&c, "{") && code_next(&c) && code_is(&c, "."))
            return true;
    }
    return false;
}

/* backend NAME { .host = "..."; .port = "..."; } */
static void
read_backend(struct varnish *v)
{
    struct conf_code *c = &v->code;
    struct backend *be = arena_alloc(&c->b->arena, sizeof *be);

    be->name = c->token.text;
    be->host = be->port = be->path = none;
    code_next(c);
    if (!code_take(c, "{"))
        return;
    while (c->token.kind != CODE_END && !code_is(c, "}")) {
        struct conf_text *field = NULL;

        if (code_take(c, ".")) {
            field = code_is(c, "host") ? &be->host : code_is(c, "port")
                ? &be->port : code_is(c, "path") ? &be->path : NULL;
            code_next(c);
            if (code_take(c, "=") && field != NULL)
                *field = c->token.text;
        }
        code_skip_value(c);
        if (!code_take(c, ";") && !code_is(c, "}"))
            code_next(c);
    }
    be->next = v->backends;
    v->backends = be;
}

static struct director *
find_director(struct varnish *v, const struct conf_text *name)
{
    struct director *d = v->directors;

    while (d != NULL && (d->name.len != name->len
                         || memcmp(d->name.data, name->data, name->len)
                         != 0))
        d = d->next;
    return d;
}

/* new NAME = directors.shard(...); */
static void
read_new(struct varnish *v)
{
    struct conf_code *c = &v->code;
    struct conf_text name = c->token.text;
    struct director *d;

    code_next(c);
    if (!code_take(c, "=") || !code_is(c, "directors.shard"))
        return;
    d = arena_alloc(&c->b->arena, sizeof *d);
    d->name = name;
    d->replicas = d->by = d->altered = none;
    d->next = v->directors;
    v->directors = d;
}

/* An argument: "name =" if any into *name, then a plain value. */
static bool
read_argument(struct conf_code *c, struct conf_text *name,
              struct conf_text *value)
{
    *name = none;
    *value = none;
    if (c->token.kind == CODE_END || code_is(c, ")"))
        return false;
    *value = c->token.text;
    code_next(c);
    if (code_take(c, "=")) {
        *name = *value;
        *value = c->token.text;
        code_next(c);
    }
    if (!code_is(c, ",") && !code_is(c, ")"))
        *value = (struct conf_text){ NULL, 0, value->at };
    code_skip_value(c);
    code_take(c, ",");
    return true;
}

static struct conf_node
node_of(struct varnish *v, const struct conf_text *name)
{
    struct conf_node node = { .name = *name };
    const struct backend *be = v->backends;
    uint64_t port = 80;

    while (be != NULL && (be->name.len != name->len
                          || memcmp(be->name.data, name->data, name->len)
                          != 0))
        be = be->next;
    if (be == NULL) {
        diag_error(v->code.b->diag, name->at, "there is no backend \"%s\"",
                   conf_shown(v->code.b, name));
    } else if (be->path.data != NULL) {
        node.address = conf_unix(v->code.b, &be->path);
    } else if (be->host.data != NULL) {
        if (be->port.data != NULL && !str_uint(be->port.data, be->port.len,
                                               65535, &port))
            conf_warn(v->code.b, be->port.at, "port \"%s\" is a name: taken "
                      "for 80", conf_shown(v->code.b, &be->port));
        node.address = conf_host_port(v->code.b, &be->host,
                                      (unsigned long)port);
    }
    return node;
}

/* NAME.add_backend(backend, ident, rampup, weight) */
static void
add_backend(struct varnish *v, struct director *d)
{
    struct conf_code *c = &v->code;
    struct conf_text name, value;
    struct conf_node node = { .positions = NULL };
    size_t n;

    for (n = 0; read_argument(c, &name, &value); n++) {
        if (value.data == NULL)
            d->altered = value;
        else if (name.data ? conf_same(&name, "backend") : n == 0)
            node = node_of(v, &value);
        else if (name.data ? conf_same(&name, "ident") : n == 1)
            node.label = value;
        else if (name.data ? conf_same(&name, "weight") : n == 3)
            node.weight = value;
    }
    d->nodes = mem_resize(d->nodes, d->count + 1, sizeof *d->nodes);
    d->nodes[d->count++] = node;
}

static void
read_call(struct varnish *v, struct director *d, const struct conf_text *what)
{
    struct conf_code *c = &v->code;
    struct conf_text name, value;
    size_t n;

    if (!code_take(c, "("))
        return;
    if (conf_same(what, "add_backend")) {
        add_backend(v, d);
    } else if (conf_same(what, "reconfigure")) {
        for (n = 0; read_argument(c, &name, &value); n++)
            if (name.data ? conf_same(&name, "replicas") : n == 0)
                d->replicas = value;
    } else if (conf_same(what, "backend")) {
        for (n = 0; read_argument(c, &name, &value); n++)
            if (name.data ? conf_same(&name, "by") : n == 0)
                d->by = value;
    } else if (conf_same(what, "remove_backend")
               || conf_same(what, "clear")) {
        d->altered = *what;
    }
}

/* "NAME.method": cut at the dot, for directors that are known. */
static void
read_word(struct varnish *v, struct conf_text word)
{
    size_t dot = conf_last(&word, word.len, '.');
    struct conf_text name, method;
    struct director *d;

    if (dot == SIZE_MAX)
        return;
    name = conf_part(&word, 0, dot);
    method = conf_part(&word, dot + 1, word.len - dot - 1);
    d = find_director(v, &name);
    if (d != NULL)
        read_call(v, d, &method);
}

static void
finish_director(struct varnish *v, struct director *d)
{
    struct conf_build *b = v->code.b;
    size_t i;

    conf_pool_begin(b, &d->name);
    if (d->altered.data != NULL || d->altered.at.line > 0)
        conf_unplaced(b, d->altered.at, "its backends change while Varnish "
                      "runs, or are not written plainly");
    if (d->count == 0)
        conf_unplaced(b, d->name.at, "it has no backends");
    conf_set(b, d->name.at, "compat", "varnish-shard");
    if (d->replicas.len > 0)
        conf_set(b, d->replicas.at, "replicas", conf_format_text(b,
                 d->replicas.at, "%.*s", (int)d->replicas.len,
                 d->replicas.data).data);
    if (conf_same(&d->by, "KEY")) {
        conf_infer(b, d->by.at, "a key is the text that is given to key()");
    } else if (conf_same(&d->by, "URL")) {
        conf_key_from(b, "req.url");
        conf_infer(b, d->by.at, "a key is the request's URL");
    } else {
        conf_warn(b, d->by.data ? d->by.at : d->name.at, "by HASH or BLOB "
                  "the director takes a digest that Varnish makes of the "
                  "request: give by=URL or by=KEY for known keys");
    }
    for (i = 0; i < d->count; i++)
        if (d->nodes[i].name.data != NULL)
            conf_add_node(b, &d->nodes[i]);
    mem_free(d->nodes);
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct varnish *v = arena_alloc(&b->arena, sizeof *v);
    struct conf_code *c = &v->code;
    struct director *d, *in_order = NULL;

    code_init(c, b, CODE_HASH | CODE_SLASHES, data, len);
    while (c->token.kind != CODE_END) {
        struct conf_text word = c->token.text;
        bool is_word = c->token.kind == CODE_WORD;

        code_next(c);
        if (is_word && conf_same(&word, "backend")
            && c->token.kind == CODE_WORD)
            read_backend(v);
        else if (is_word && conf_same(&word, "new")
                 && c->token.kind == CODE_WORD)
            read_new(v);
        else if (is_word && code_is(c, "("))
            read_word(v, word);
        else if (is_word && conf_same(&word, "include"))
            conf_warn(b, word.at, "include: that file is not read");
    }
    while ((d = v->directors) != NULL) {
        v->directors = d->next;
        d->next = in_order;
        in_order = d;
    }
    for (d = in_order; d != NULL; d = d->next)
        finish_director(v, d);
    if (b->begun == 0 && b->diag->errors == 0)
        diag_error(b->diag, (struct diag_place){ 1, 1, 0 }, "there is no "
                   "shard director in it");
}

const struct conf_format conf_format_varnish = {
    .name = "varnish", .summary = "shard directors of a VCL file",
    .claims = claims, .read = read_file
};
