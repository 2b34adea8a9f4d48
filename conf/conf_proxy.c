/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_proxy.c - pools of memcached's built-in proxy as far as they are plain
 * data: pools{} of its route library, mcp.backend() and mcp.pool().
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_code.h"
#include "conf/conf_text.h"

struct backend {
    struct backend  *next;
    struct conf_text variable;
    struct conf_text label;
    struct conf_text host;
    struct conf_text port;
};

struct pool {
    struct conf_text  name;
    struct backend  **backends;
    size_t            count;
    bool              ring;
    struct conf_text  md5;          /* the hash of dist_ring_hash           */
    struct conf_text  seed;
    struct conf_text  omode;
    struct conf_text  obuckets;
    struct conf_text  filter;
    struct conf_text  filter_conf;
    struct conf_text  odd;          /* what is not plain data; data NULL: no */
};

struct proxy {
    struct conf_code code;
    struct backend  *known;         /* by their variables                   */
};

static bool
claims(const char *data, size_t len)
{
    struct conf_code c;

    code_init(&c, NULL, CODE_DASHES, data, len);
    for (; c.token.kind != CODE_END; code_next(&c)) {
        if (c.token.kind == CODE_SIGN && (code_is(&c, ";")
                                          || code_is(&c, ":")))
            return false;
        if (code_is(&c, "mcp.pool") || code_is(&c, "mcp.backend"))
            return true;
        if (code_take(&c, "pools"))
            return code_is(&c, "{") || (code_is(&c, "=") && code_next(&c)
                                        && code_is(&c, "{"));
    }
    return false;
}

/* ---- backends ---------------------------------------------------------- */

static struct backend *
new_backend(struct proxy *p)
{
    return arena_alloc(&p->code.b->arena, sizeof(struct backend));
}

/* "host:port" */
static struct backend *
from_text(struct proxy *p, const struct conf_text *t)
{
    struct backend *be = new_backend(p);
    size_t colon = conf_last(t, t->len, ':');

    be->host = *t;
    if (colon != SIZE_MAX && memchr(t->data + colon, ']', t->len - colon)
        == NULL) {
        be->host = conf_part(t, 0, colon);
        be->port = conf_part(t, colon + 1, t->len - colon - 1);
    }
    return be;
}

/* { label = "...", host = "...", port = 11211, ... } or the arguments of
 * mcp.backend(label, host, port), up to and past the bracket. */
static struct backend *
from_fields(struct proxy *p)
{
    struct conf_code *c = &p->code;
    struct backend *be = new_backend(p);
    struct conf_text name, value;
    size_t n;

    code_next(c);
    if (code_is(c, "{")) {          /* mcp.backend({...}) */
        be = from_fields(p);
        code_skip_value(c);
        code_next(c);
        return be;
    }
    for (n = 0; c->token.kind != CODE_END && !code_is(c, ")")
         && !code_is(c, "}"); n++) {
        name = (struct conf_text){ NULL, 0, { 0, 0, 0 } };
        value = c->token.text;
        code_next(c);
        if (code_take(c, "=")) {
            name = value;
            value = c->token.text;
            code_next(c);
        }
        if (name.data ? conf_same(&name, "label") : n == 0)
            be->label = value;
        else if (name.data ? conf_same(&name, "host") : n == 1)
            be->host = value;
        else if (name.data ? conf_same(&name, "port") : n == 2)
            be->port = value;
        code_skip_value(c);
        if (!code_take(c, ",") && !code_take(c, ";"))
            break;
    }
    code_next(c);
    return be;
}

static struct backend *
find_backend(const struct proxy *p, const struct conf_text *variable)
{
    struct backend *be = p->known;

    while (be != NULL && (be->variable.len != variable->len
                          || memcmp(be->variable.data, variable->data,
                                    variable->len) != 0))
        be = be->next;
    return be;
}

static void
add_backend(struct pool *pool, struct backend *be)
{
    pool->backends = mem_resize(pool->backends, pool->count + 1,
                                sizeof *pool->backends);
    pool->backends[pool->count++] = be;
}

/* { "host:port", b1, mcp.backend(...), {...} }, at its "{". */
static void
read_backends(struct proxy *p, struct pool *pool)
{
    struct conf_code *c = &p->code;
    struct backend *be;

    if (!code_take(c, "{")) {
        pool->odd = c->token.text;
        code_skip_value(c);
        return;
    }
    while (c->token.kind != CODE_END && !code_is(c, "}")) {
        struct conf_text at = c->token.text;

        be = NULL;
        if (c->token.kind == CODE_STRING) {
            be = from_text(p, &at);
            code_next(c);
        } else if (code_is(c, "{")) {
            be = from_fields(p);
        } else if (code_take(c, "mcp.backend")) {
            if (code_is(c, "(") || code_is(c, "{"))
                be = from_fields(p);
        } else if (c->token.kind == CODE_WORD) {
            be = find_backend(p, &at);
            code_next(c);
        }
        if (be != NULL)
            add_backend(pool, be);
        else
            pool->odd = at;
        code_skip_value(c);
        if (!code_take(c, ",") && !code_take(c, ";"))
            break;
    }
    code_take(c, "}");
}

/* ---- pools ------------------------------------------------------------- */

/* { dist = mcp.dist_ring_hash, omode = "ketama", ... }, at its "{". */
static void
read_options(struct proxy *p, struct pool *pool)
{
    struct conf_code *c = &p->code;

    if (!code_take(c, "{")) {
        pool->odd = c->token.text;
        code_skip_value(c);
        return;
    }
    while (c->token.kind != CODE_END && !code_is(c, "}")) {
        struct conf_text name = c->token.text, value;

        code_next(c);
        if (!code_take(c, "="))
            pool->odd = name;
        value = c->token.text;
        if (conf_same(&name, "dist"))
            pool->ring = conf_same(&value, "mcp.dist_ring_hash");
        if (conf_same(&name, "dist") && !pool->ring
            && !conf_same(&value, "mcp.dist_jump_hash"))
            pool->odd = value;
        else if (conf_same(&name, "hash")
                 && conf_same(&value, "mcp.dist_ring_hash.hash"))
            pool->md5 = value;
        else if (conf_same(&name, "hash")
                 && !conf_same(&value, "mcp.hash_xxhash"))
            pool->odd = value;
        else if (conf_same(&name, "seed"))
            pool->seed = value;
        else if (conf_same(&name, "omode"))
            pool->omode = value;
        else if (conf_same(&name, "obuckets"))
            pool->obuckets = value;
        else if (conf_same(&name, "filter"))
            pool->filter = value;
        else if (conf_same(&name, "filter_conf"))
            pool->filter_conf = value;
        code_skip_value(c);
        if (!code_take(c, ",") && !code_take(c, ";"))
            break;
    }
    code_take(c, "}");
}

static void
add_node(struct conf_build *b, const struct pool *pool,
         const struct backend *be)
{
    struct conf_node node = { .positions = NULL };
    uint64_t port = 11211;
    struct conf_text plain;
    cw_node old;
    size_t n;

    if (be->port.data != NULL
        && (be->port.len == 0 || !str_uint(be->port.data, be->port.len,
                                           65535, &port))) {
        diag_error(b->diag, be->port.at, "bad port \"%s\"",
                   conf_shown(b, &be->port));
        return;
    }
    node.address = conf_host_port(b, &be->host, (unsigned long)port);
    node.name = be->label.len > 0 ? be->label : node.address;
    plain = node.name;
    if (be->label.len > 0 && pool->ring)
        node.label = node.address;
    for (n = 2; !pool->ring && cw_fleet_find(b->pool.fleet, node.name.data,
         node.name.len, &old) == CW_OK; n++)
        node.name = conf_format_text(b, plain.at, "%.*s#%zu",
                                     (int)plain.len, plain.data, n);
    conf_add_node(b, &node);
}

static void
set_text(struct conf_build *b, const char *option, const struct conf_text *t)
{
    if (t->data != NULL)
        conf_set(b, t->at, option, conf_format_text(b, t->at, "%.*s",
                 (int)t->len, t->data).data);
}

static void
finish_pool(struct proxy *p, struct pool *pool)
{
    struct conf_build *b = p->code.b;
    struct diag_place at = pool->name.at;
    size_t i;

    conf_pool_begin(b, &pool->name);
    if (pool->odd.data != NULL)
        conf_unplaced(b, pool->odd.at, "\"%s\" is not plain data: only Lua "
                      "can tell what it is", conf_shown(b, &pool->odd));
    if (pool->count == 0)
        conf_unplaced(b, at, "it has no backends");
    conf_set(b, at, "compat", pool->ring ? "memcached-proxy-ring"
             : "memcached-proxy-jump");
    if (pool->md5.data != NULL)
        conf_set(b, pool->md5.at, "hash", "md5");
    set_text(b, "seed", &pool->seed);
    set_text(b, "filter", &pool->filter);
    set_text(b, "filter-conf", &pool->filter_conf);
    if (pool->ring) {
        set_text(b, "omode", &pool->omode);
        set_text(b, "obuckets", &pool->obuckets);
    } else {
        conf_warn(b, at, "jump hash knows backends by their place in the "
                  "list: never take one out of its middle");
    }
    for (i = 0; i < pool->count; i++)
        add_node(b, pool, pool->backends[i]);
    mem_free(pool->backends);
}

/* mcp.pool(backends, options), at its "(". */
static void
read_call(struct proxy *p, const struct conf_text *variable)
{
    struct conf_code *c = &p->code;
    struct pool pool = { .name = *variable };
    size_t dot = conf_last(variable, variable->len, '.');

    if (dot != SIZE_MAX)
        pool.name = conf_part(variable, dot + 1, variable->len - dot - 1);
    if (!code_take(c, "("))
        return;
    read_backends(p, &pool);
    if (code_take(c, ","))
        read_options(p, &pool);
    code_take(c, ")");
    finish_pool(p, &pool);
}

/* { backends = {...}, options = {...} } or a set of such, at its "{". */
static void
read_pool(struct proxy *p, struct conf_text name)
{
    struct conf_code *c = &p->code;
    struct pool pool = { .name = name };
    unsigned n = 0;

    code_next(c);
    while (c->token.kind != CODE_END && !code_is(c, "}")) {
        struct conf_text field = c->token.text;

        if (code_is(c, "{")) {
            read_pool(p, conf_format_text(p->code.b, name.at, "%.*s.%u",
                                          (int)name.len, name.data, ++n));
        } else {
            code_next(c);
            if (!code_take(c, "="))
                pool.odd = field;
            else if (conf_same(&field, "backends"))
                read_backends(p, &pool);
            else if (conf_same(&field, "options"))
                read_options(p, &pool);
        }
        code_skip_value(c);
        if (!code_take(c, ",") && !code_take(c, ";"))
            break;
    }
    code_take(c, "}");
    if (n == 0)
        finish_pool(p, &pool);
    else
        mem_free(pool.backends);
}

/* NAME = {...}, ..., at the "{" of pools. */
static void
read_pools(struct proxy *p)
{
    struct conf_code *c = &p->code;

    code_next(c);
    while (c->token.kind != CODE_END && !code_is(c, "}")) {
        struct conf_text name = c->token.text;

        if (code_take(c, "[")) {    /* ["a name"] */
            name = c->token.text;
            code_next(c);
        }
        code_next(c);
        if (code_take(c, "=") && code_is(c, "{"))
            read_pool(p, name);
        else if (code_take(c, "mcp.pool"))
            read_call(p, &name);
        code_skip_value(c);
        if (!code_take(c, ",") && !code_take(c, ";"))
            break;
    }
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct proxy *p = arena_alloc(&b->arena, sizeof *p);
    struct conf_code *c = &p->code;
    struct backend *be;

    code_init(c, b, CODE_DASHES, data, len);
    while (c->token.kind != CODE_END) {
        struct conf_text word = c->token.text;
        bool is_word = c->token.kind == CODE_WORD;

        code_next(c);
        if (!is_word)
            continue;
        if (conf_same(&word, "pools")) {
            code_take(c, "=");
            if (code_is(c, "{"))
                read_pools(p);
        } else if (code_take(c, "=")) {
            if (code_take(c, "mcp.backend")
                && (code_is(c, "(") || code_is(c, "{"))) {
                be = from_fields(p);
                be->variable = word;
                be->next = p->known;
                p->known = be;
            } else if (code_take(c, "mcp.pool")) {
                read_call(p, &word);
            }
        } else if (conf_same(&word, "mcp.pool")) {
            word.data = "pool";
            word.len = 4;
            read_call(p, &word);
        }
    }
    if (b->begun == 0 && b->diag->errors == 0)
        diag_error(b->diag, (struct diag_place){ 1, 1, 0 }, "there is no "
                   "pool of plain data in it");
}

const struct conf_format conf_format_proxy = {
    .name = "memcached-proxy",
    .summary = "pools of memcached's proxy, as far as they are plain data",
    .claims = claims, .read = read_file
};
