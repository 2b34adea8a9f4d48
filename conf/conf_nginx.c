/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_nginx.c - `upstream` blocks of an nginx configuration, whole or in
 * part. docs/formats/files.md tells what is made of them.
 */
#include <string.h>

#include "base/mem.h"
#include "conf/conf_nginx.h"

struct upstream {
    struct conf_text     name;
    struct conf_text     hash;      /* the word "hash"; data NULL: none     */
    struct conf_text     key;
    bool                 consistent;
    struct nginx_server *servers;
    size_t               count;
};

/* ---- upstream ---------------------------------------------------------- */

static void
read_server(struct nginx *x, struct upstream *u)
{
    struct nginx_server s;

    if (!nginx_server(x, u->hash.data != NULL, &s))
        return;
    u->servers = mem_resize(u->servers, u->count + 1, sizeof *u->servers);
    u->servers[u->count++] = s;
}

static void
read_hash(struct nginx *x, struct upstream *u)
{
    if (x->words < 2 || x->words > 3) {
        diag_error(x->b->diag, x->word[0].at, "\"hash\" has %zu arguments",
                   x->words - 1);
        diag_hint(x->b->diag, "expected: hash KEY [consistent]");
    } else if (x->words == 3 && !conf_same(&x->word[2], "consistent")) {
        nginx_bad(x, &x->word[2], "\"consistent\", or nothing");
    } else {
        u->hash = x->word[0];
        u->key = x->word[1];
        u->consistent = x->words == 3;
    }
}

static void
read_directive(struct nginx *x, struct upstream *u)
{
    static const char *const methods[] = {
        "ip_hash", "least_conn", "random", "least_time", "fair", "sticky",
        "balancer_by_lua_block", "balancer_by_lua_file", "jvm_route"
    };
    static const char *const others[] = {
        "zone", "state", "keepalive", "keepalive_requests", "keepalive_time",
        "keepalive_timeout", "ntlm", "queue", "resolver", "resolver_timeout",
        "check", "check_http_send", "check_http_expect_alive",
        "check_keepalive_requests", "session_cookie"
    };
    const struct conf_text *w = &x->word[0];
    size_t i = conf_word(w, methods, sizeof methods / sizeof *methods);

    if (conf_same(w, "server"))
        read_server(x, u);
    else if (conf_same(w, "hash"))
        read_hash(x, u);
    else if (i < sizeof methods / sizeof *methods)
        conf_unplaced(x->b, w->at, "nginx chooses servers by \"%s\", not by "
                      "the hash of a key", methods[i]);
    else if (conf_same(w, "include"))
        conf_warn(x->b, w->at, "include: that file is not read; give the "
                  "output of nginx -T");
    else if (conf_word(w, others, sizeof others / sizeof *others)
             == sizeof others / sizeof *others)
        conf_warn(x->b, w->at, "directive \"%s\" is not known here and not "
                  "looked at", conf_shown(x->b, w));
}

/* A second line for a server; true when it was taken care of. */
static bool
again(struct nginx *x, const struct upstream *u, const struct nginx_server *s,
      struct conf_node *node)
{
    cw_fleet *fleet = x->b->pool.fleet;
    const char *name = s->text.data;
    cw_node old;
    size_t n;

    if (cw_fleet_find(fleet, name, s->text.len, &old) != CW_OK)
        return false;
    if (u->consistent) {
        /* the points of equal texts are the same ones */
        conf_warn(x->b, s->text.at, "server %s is given again: one node "
                  "of the ring, with the larger weight", conf_shown(x->b,
                                                                  &s->text));
        if (s->weight * CW_WEIGHT_ONE > old.weight
            && cw_fleet_set_weight(fleet, name, s->text.len,
                                   s->weight * CW_WEIGHT_ONE, NULL) != CW_OK)
            diag_error(x->b->diag, s->text.at, "the weight is too large");
        return true;
    }
    for (n = 2; cw_fleet_find(fleet, node->name.data, node->name.len, &old)
         == CW_OK; n++)
        node->name = conf_format_text(x->b, s->text.at, "%s#%zu", name, n);
    return false;
}

static void
add_servers(struct nginx *x, const struct upstream *u)
{
    static const struct diag_place nowhere;
    size_t i;

    for (i = 0; i < u->count; i++) {
        const struct nginx_server *s = &u->servers[i];
        struct conf_node node = { .name = s->text, .address = s->address };

        if (again(x, u, s, &node))
            continue;
        node.weight = conf_format_text(x->b, nowhere, "%llu",
                                       (unsigned long long)s->weight);
        node.weight.at = s->text.at;
        if (s->backup) {
            conf_warn(x->b, s->text.at, "server %s: a backup owns no key",
                      conf_shown(x->b, &s->text));
            node.weight = conf_format_text(x->b, s->text.at, "0");
        }
        if (s->down)
            node.state = conf_format_text(x->b, s->text.at, "down");
        conf_add_node(x->b, &node);
    }
}

static void
finish_upstream(struct nginx *x, struct upstream *u)
{
    struct conf_build *b = x->b;

    if (u->count == 0)
        diag_error(b->diag, u->name.at, "no servers are inside upstream "
                   "\"%s\"", conf_shown(b, &u->name));
    if (u->hash.data != NULL) {
        conf_set(b, u->hash.at, "compat", u->consistent ? "nginx-consistent"
                 : "nginx-hash");
        conf_key_from(b, "%s", u->key.data);
        conf_infer(b, u->key.at, "a key is what %s is for a request, byte "
                   "for byte", conf_shown(b, &u->key));
    } else {
        conf_unplaced(b, u->name.at, "it has no \"hash\": nginx gives its "
                      "servers requests in turn");
    }
    add_servers(x, u);
    mem_free(u->servers);
}

static bool
read_upstream(struct nginx *x)
{
    struct upstream u = { .count = 0 };
    size_t open = x->scan.at;
    enum nginx_stop stop;

    u.name = x->word[1];
    conf_pool_begin(x->b, &u.name);
    if (x->words != 2)
        diag_error(x->b->diag, x->word[0].at, "\"upstream\" has %zu "
                   "arguments; expected its name", x->words - 1);
    while ((stop = nginx_statement(x)) != NGINX_CLOSE) {
        if (stop == NGINX_END)
            nginx_error(x, open - 1, "this block is not closed");
        if (stop == NGINX_END || stop == NGINX_ERROR) {
            mem_free(u.servers);
            return false;
        }
        if (x->words > NGINX_WORDS_MAX)
            diag_error(x->b->diag, x->word[0].at, "more than %d words",
                       NGINX_WORDS_MAX);
        else
            read_directive(x, &u);
        if (stop == NGINX_OPEN && !nginx_skip(x)) {
            mem_free(u.servers);
            return false;
        }
    }
    finish_upstream(x, &u);
    return true;
}

/* ---- the file ---------------------------------------------------------- */

static bool
named_block(const struct nginx *x, enum nginx_stop stop, const char *word)
{
    return stop == NGINX_OPEN && x->words == 1 && conf_same(x->word, word);
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct nginx *x = arena_alloc(&b->arena, sizeof *x);
    cw_fleet *names = cw_fleet_new(NULL);
    unsigned depth = 0;
    bool ok = names != NULL;

    conf_scan_init(&x->scan, data, len);
    x->b = b;
    while (ok) {
        enum nginx_stop stop = nginx_statement(x);

        if (stop == NGINX_END || stop == NGINX_ERROR) {
            if (stop == NGINX_END && depth > 0)
                nginx_error(x, x->scan.len, "a block is not closed at the end "
                            "of the file");
            break;
        }
        if (stop == NGINX_CLOSE && depth-- == 0) {
            nginx_error(x, x->scan.at - 1, "unexpected \"}\"");
            break;
        }
        if (named_block(x, stop, "http") || named_block(x, stop, "stream")) {
            x->stream = x->word[0].len == 6;
            depth++;
        } else if (stop == NGINX_OPEN && conf_same(x->word, "upstream")
                   && x->words > 1) {
            if (x->word[1].len > 0 && x->word[1].len <= CW_NAME_MAX
                && cw_fleet_add(names, x->word[1].data, x->word[1].len,
                                CW_WEIGHT_ONE, NULL) == CW_EEXIST)
                diag_error(b->diag, x->word[1].at, "upstream \"%s\" is "
                           "given twice", conf_shown(b, &x->word[1]));
            ok = read_upstream(x);
        } else if (stop == NGINX_OPEN) {
            ok = nginx_skip(x);
        } else if (stop == NGINX_SEMICOLON && conf_same(x->word, "include")
                   && x->words == 2 && !conf_same(&x->word[1], "mime.types")
                   && !conf_same(&x->word[1], "/etc/nginx/mime.types")) {
            conf_warn(b, x->word[0].at, "include %s: that file is not read; "
                      "give the output of nginx -T", conf_shown(b,
                                                                &x->word[1]));
        }
    }
    if (b->begun == 0 && b->diag->errors == 0) {
        struct diag_place at = { 1, 1, 0 };

        diag_error(b->diag, at, "there is no \"upstream\" block in it");
    }
    cw_fleet_free(names);
}

/* The words "upstream NAME {" begin a statement, or "http {" does. */
static bool
claims(const char *data, size_t len)
{
    struct nginx x;
    enum nginx_stop stop;

    memset(&x, 0, sizeof x);
    conf_scan_init(&x.scan, data, len);
    while ((stop = nginx_statement(&x)) != NGINX_END && stop != NGINX_ERROR)
        if (stop == NGINX_OPEN
            && ((x.words == 2 && conf_same(x.word, "upstream"))
                || named_block(&x, stop, "http")
                || named_block(&x, stop, "events")))
            return true;
    return false;
}

const struct conf_format conf_format_nginx = {
    .name = "nginx", .summary = "upstream blocks of nginx",
    .claims = claims, .read = read_file,
    .write = CONF_WRITER(conf_nginx_write)
};
