/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_twemproxy.c - nutcracker.yml, with the rules of nutcracker 0.5.0: what
 * it refuses is refused. docs/formats/files.md tells what is made of it.
 */
#include <string.h>

#include "base/str.h"
#include "conf/conf_native.h"
#include "conf/conf_text.h"
#include "conf/conf_tree.h"

enum {
    LISTEN, HASH, TAG, DISTRIBUTION, SERVERS, REDIS, PRECONNECT, EJECT,
    TIMEOUT, BACKLOG, CLIENTS, REDIS_DB, CONNECTIONS, RETRY, LIMIT, AUTH, KEYS
};

/* CONF_NULL: an empty text, which nutcracker judges as any other. */
#define ANY_SCALAR (CONF_SCALAR | CONF_NULL)

static const struct conf_key keys[KEYS] = {
    [LISTEN]       = { "listen", ANY_SCALAR, "host:port" },
    [HASH]         = { "hash", ANY_SCALAR, "the name of a hash" },
    [TAG]          = { "hash_tag", ANY_SCALAR, "two characters" },
    [DISTRIBUTION] = { "distribution", ANY_SCALAR,
                       "ketama, modula or random" },
    [SERVERS]      = { "servers", CONF_LIST, "a list of host:port:weight" },
    [REDIS]        = { "redis", ANY_SCALAR, "true or false" },
    [PRECONNECT]   = { "preconnect", ANY_SCALAR, "true or false" },
    [EJECT]        = { "auto_eject_hosts", ANY_SCALAR, "true or false" },
    [TIMEOUT]      = { "timeout", ANY_SCALAR, "a number" },
    [BACKLOG]      = { "backlog", ANY_SCALAR, "a number" },
    [CLIENTS]      = { "client_connections", ANY_SCALAR, "a number" },
    [REDIS_DB]     = { "redis_db", ANY_SCALAR, "a number" },
    [CONNECTIONS]  = { "server_connections", ANY_SCALAR, "a number" },
    [RETRY]        = { "server_retry_timeout", ANY_SCALAR, "a number" },
    [LIMIT]        = { "server_failure_limit", ANY_SCALAR, "a number" },
    [AUTH]         = { "redis_auth", ANY_SCALAR, "a text" },
};

/* A server line, cut as nutcracker does: from its end. */
struct server {
    struct conf_text host;      /* or the path of a socket                  */
    struct conf_text port;      /* data NULL: a socket                      */
    struct conf_text weight;
    struct conf_text name;      /* data NULL: none is given                 */
    struct conf_text label;     /* what is hashed                           */
};

static bool
claims(const struct conf_value *root)
{
    const struct conf_item *item;

    if (root->kind != CONF_MAP)
        return false;
    for (item = root->first; item != NULL; item = item->next)
        if (item->value->kind == CONF_MAP
            && (conf_tree_get(item->value, "servers") != NULL
                || conf_tree_get(item->value, "listen") != NULL))
            return true;
    return false;
}

/* What nutcracker's own reader of YAML has no place for. */
static void
check_form(struct conf_build *b, const struct conf_value *v)
{
    const struct conf_item *item;
    const char *what = NULL;

    if (v->form & CONF_FLOW)
        what = v->kind == CONF_LIST ? "a list in []" : "a mapping in {}";
    else if (v->form & CONF_ANCHORED)
        what = "an anchor (\"&\")";
    else if (v->form & CONF_TAGGED)
        what = "a tag (\"!\")";
    else if (v->form & CONF_MARKED)
        what = "\"---\" or a directive";
    if (what != NULL) {
        diag_error(b->diag, v->at, "nutcracker does not take %s", what);
        return;
    }
    for (item = v->first; item != NULL; item = item->next) {
        if (item->key != NULL)
            check_form(b, item->key);
        check_form(b, item->value);
    }
}

static bool
number(const struct conf_text *t, uint64_t *out)
{
    return t->len > 0 && str_uint(t->data, t->len, INT32_MAX, out);
}

static bool
cut_server(struct conf_build *b, const struct conf_value *v, struct server *s)
{
    struct conf_text t = conf_tree_text(v);
    size_t end = t.len, at = conf_last(&t, end, ' ');
    bool is_path = t.len > 0 && t.data[0] == '/';

    memset(s, 0, sizeof *s);
    if (at != SIZE_MAX) {
        s->name = conf_part(&t, at + 1, end - at - 1);
        end = at;
    }
    at = conf_last(&t, end, ':');
    if (at != SIZE_MAX) {
        s->weight = conf_part(&t, at + 1, end - at - 1);
        end = at;
        if (!is_path) {
            at = conf_last(&t, end, ':');
            if (at != SIZE_MAX)
                s->port = conf_part(&t, at + 1, end - at - 1);
        }
    }
    if (at == SIZE_MAX) {
        diag_error(b->diag, v->at, "server \"%s\" has no %s",
                   conf_shown(b, &t), s->weight.data ? "port" : "weight");
        diag_hint(b->diag, "expected: host:port:weight [name], or "
                  "/path/of/socket:weight [name]");
        return false;
    }
    s->host = conf_part(&t, 0, at);
    s->label = s->name;
    if (s->name.data == NULL) {
        /* the port that memcached has by default is not hashed; of a socket
         * the colon behind it is */
        s->label = conf_same(&s->port, "11211") ? s->host
            : conf_part(&t, 0, end + (is_path ? 1 : 0));
    }
    return true;
}

static bool
check_server(struct conf_build *b, const struct server *s)
{
    uint64_t n = 0;

    if (!number(&s->weight, &n) || n == 0) {
        diag_error(b->diag, s->weight.at, "bad weight \"%s\"",
                   conf_shown(b, &s->weight));
        diag_hint(b->diag, "expected: a whole number from 1 on");
        return false;
    }
    if (s->port.data != NULL && (!number(&s->port, &n) || n < 1
                                 || n > 65535)) {
        diag_error(b->diag, s->port.at, "bad port \"%s\"",
                   conf_shown(b, &s->port));
        diag_hint(b->diag, "expected: a number from 1 to 65535");
        return false;
    }
    if (s->name.data != NULL && s->name.len == 0) {
        diag_error(b->diag, s->name.at, "the server's name is empty");
        return false;
    }
    return true;
}

static void
add_server(struct conf_build *b, const struct server *s, bool labels)
{
    struct conf_node node = { .name = s->name, .weight = s->weight };
    uint64_t port = 0;

    if (s->port.data != NULL) {
        str_uint(s->port.data, s->port.len, 65535, &port);
        node.address = conf_host_port(b, &s->host, (unsigned long)port);
    } else {
        node.address = conf_unix(b, &s->host);
    }
    if (node.name.data == NULL) {
        node.name = s->host;
        if (s->port.data != NULL)
            node.name.len = (size_t)(s->port.data + s->port.len
                                     - s->host.data);
    }
    if ((labels || s->port.data == NULL)
        && (node.name.len != s->label.len
            || memcmp(node.name.data, s->label.data, s->label.len) != 0))
        node.label = s->label;
    conf_add_node(b, &node);
}

/* Two servers of one hashed name are refused; the nodes' names may differ. */
static bool
check_twice(struct conf_build *b, cw_fleet *labels, const struct server *s)
{
    cw_status status;

    if (s->label.len == 0 || s->label.len > CW_NAME_MAX)
        return true;        /* the model says what is wrong with it */
    status = cw_fleet_add(labels, s->label.data, s->label.len,
                          CW_WEIGHT_ONE, NULL);
    if (status == CW_EEXIST)
        diag_error(b->diag, s->label.at, "two servers have the same name "
                   "\"%s\"", conf_shown(b, &s->label));
    return status != CW_EEXIST;
}

static void
read_servers(struct conf_build *b, const struct conf_value *list, bool keep)
{
    cw_fleet *labels = cw_fleet_new(NULL);
    const struct conf_item *item;
    struct server s;

    for (item = list->first; item != NULL; item = item->next) {
        if (item->value->kind != CONF_SCALAR) {
            diag_error(b->diag, item->value->at, "a server is %s",
                       conf_kind_text(item->value->kind));
            diag_hint(b->diag, "expected: host:port:weight [name]");
        } else if (cut_server(b, item->value, &s) && check_server(b, &s)
                   && labels != NULL && check_twice(b, labels, &s)) {
            add_server(b, &s, keep);
        }
    }
    if (list->count == 0)
        diag_error(b->diag, list->at, "the pool has no servers");
    cw_fleet_free(labels);
}

/* A server's own name that ends as host:11211 does is hashed whole. */
static bool
keeps_port(const struct conf_value *list)
{
    const struct conf_item *item;

    for (item = list->first; item != NULL; item = item->next) {
        const struct conf_value *v = item->value;

        if (v->kind == CONF_SCALAR && v->len > 6
            && memchr(v->text, ' ', v->len) != NULL
            && memcmp(v->text + v->len - 6, ":11211", 6) == 0)
            return true;
    }
    return false;
}

static void
read_placement(struct conf_build *b, const struct conf_value *pool,
               const struct conf_value *const *found, bool keep)
{
    static const char *const words[] = { "ketama", "modula", "random" };
    struct conf_text dist = conf_tree_text(found[DISTRIBUTION]);
    struct conf_text hash = conf_tree_text(found[HASH]);
    struct conf_text tag = conf_tree_text(found[TAG]);
    size_t i = dist.data ? conf_word(&dist, words, 3) : 0;

    if (i == 3) {
        diag_error(b->diag, dist.at, "unknown distribution \"%s\"",
                   conf_shown(b, &dist));
        diag_hint(b->diag, "known: ketama, modula, random");
        return;
    }
    if (i == 2)
        conf_unplaced(b, dist.at, "distribution \"random\" sends a key to "
                      "any server: no key has an owner");
    if (dist.data == NULL)
        conf_infer(b, pool->at, "distribution: none given, ketama is its "
                   "default");
    conf_set(b, dist.data ? dist.at : pool->at, "compat",
             i == 1 ? "twemproxy-modula" : "twemproxy-ketama");
    if (hash.data != NULL)
        conf_set(b, hash.at, "hash", conf_format_text(b, hash.at, "%.*s",
                 (int)hash.len, hash.data).data);
    else
        conf_infer(b, pool->at, "hash: none given, fnv1a_64 is its default");
    if (tag.data != NULL && tag.len == 2)
        conf_set(b, tag.at, "hash-tag", tag.data);
    else if (found[TAG] != NULL)
        diag_error(b->diag, found[TAG]->at, "hash_tag has %zu bytes; "
                   "expected 2", tag.len);
    if (keep)
        conf_set(b, pool->at, "port", "keep");
}

static void
check_numbers(struct conf_build *b, const struct conf_value *const *found)
{
    struct conf_text t;
    uint64_t n;
    int i;

    for (i = REDIS; i <= EJECT; i++) {
        t = conf_tree_text(found[i]);
        if (found[i] != NULL && !conf_same(&t, "true")
            && !conf_same(&t, "false"))
            diag_error(b->diag, found[i]->at, "\"%s\" is \"%s\"; expected "
                       "true or false", keys[i].name, conf_shown(b, &t));
    }
    for (i = TIMEOUT; i <= LIMIT; i++) {
        t = conf_tree_text(found[i]);
        n = 1;
        if (found[i] != NULL && !number(&t, &n))
            diag_error(b->diag, found[i]->at, "\"%s\" is \"%s\"; expected a "
                       "whole number", keys[i].name, conf_shown(b, &t));
        if (i == CONNECTIONS && n == 0)
            diag_error(b->diag, found[i]->at, "\"%s\" is 0; expected 1 or "
                       "more", keys[i].name);
    }
}

static void
check_listen(struct conf_build *b, const struct conf_value *pool,
             const struct conf_value *listen)
{
    struct conf_text t = conf_tree_text(listen), port;
    size_t colon;
    uint64_t n;

    if (listen == NULL) {
        diag_error(b->diag, pool->at, "\"listen\" is missing");
        diag_hint(b->diag, "expected: the address that the pool serves, as "
                  "host:port");
        return;
    }
    if (t.len > 0 && t.data[0] == '/')
        return;
    colon = conf_last(&t, t.len, ':');
    if (colon != SIZE_MAX) {
        struct conf_text host = conf_part(&t, 0, colon);

        port = conf_part(&t, colon + 1, t.len - colon - 1);
        if (number(&port, &n) && n > 0 && n <= 65535) {
            if (!conf_is_ip(&host))
                conf_warn(b, listen->at, "listen %s: nutcracker looks the "
                          "name up at its start and refuses the file where "
                          "it is not known", conf_shown(b, &t));
            return;
        }
    }
    diag_error(b->diag, listen->at, "bad address \"%s\"", conf_shown(b, &t));
    diag_hint(b->diag, "expected: host:port, the port from 1 to 65535");
}

static void
read_pool(struct conf_build *b, const struct conf_item *item)
{
    const struct conf_value *found[KEYS];
    struct conf_text name = conf_tree_text(item->key);
    struct conf_text eject;
    size_t errors = b->diag->errors;
    bool keep;

    conf_pool_begin(b, &name);
    if (item->value->kind != CONF_MAP) {
        diag_error(b->diag, item->key->at, "the pool is %s",
                   conf_kind_text(item->value->kind));
        diag_hint(b->diag, "expected: a mapping with \"listen\" and "
                  "\"servers\"");
        return;
    }
    conf_map_keys(b->diag, item->value, "pool", keys, KEYS, found);
    check_listen(b, item->value, found[LISTEN]);
    check_numbers(b, found);
    if (found[SERVERS] == NULL) {
        if (b->diag->errors == errors)
            diag_error(b->diag, item->key->at, "the pool has no \"servers\"");
        return;
    }
    keep = keeps_port(found[SERVERS]);
    read_placement(b, item->key, found, keep);
    read_servers(b, found[SERVERS], keep);
    eject = conf_tree_text(found[EJECT]);
    if (conf_same(&eject, "true"))
        conf_warn(b, eject.at, "auto_eject_hosts: nutcracker takes a server "
                  "that fails out of the ring, and keys of the others move; "
                  "this is the ring with all of them");
}

/* Neither two names nor two addresses to listen at may be the same. */
static void
check_pools(struct conf_build *b, const struct conf_value *root)
{
    cw_fleet *names = cw_fleet_new(NULL), *listens = cw_fleet_new(NULL);
    const struct conf_item *item;

    for (item = root->first; item != NULL && names && listens;
         item = item->next) {
        const struct conf_value *listen = conf_tree_get(item->value,
                                                        "listen");

        if (item->key->len <= CW_NAME_MAX
            && cw_fleet_add(names, item->key->text, item->key->len,
                            CW_WEIGHT_ONE, NULL) == CW_EEXIST)
            diag_error(b->diag, item->key->at, "two pools have this name");
        if (listen != NULL && listen->kind == CONF_SCALAR
            && listen->len <= CW_NAME_MAX
            && cw_fleet_add(listens, listen->text, listen->len,
                            CW_WEIGHT_ONE, NULL) == CW_EEXIST)
            diag_error(b->diag, listen->at, "two pools listen at this "
                       "address");
    }
    cw_fleet_free(names);
    cw_fleet_free(listens);
}

static void
read_file(struct conf_build *b, const struct conf_value *root)
{
    const struct conf_item *item;

    check_form(b, root);
    if (root->kind != CONF_MAP) {
        diag_error(b->diag, root->at, "the file holds %s",
                   conf_kind_text(root->kind));
        diag_hint(b->diag, "expected: a mapping of pools");
        return;
    }
    for (item = root->first; item != NULL; item = item->next) {
        if (item->key->kind == CONF_SCALAR && item->key->len > 0)
            read_pool(b, item);
        else
            diag_error(b->diag, item->key->at, "a pool's name is %s",
                       conf_kind_text(item->key->kind));
    }
    check_pools(b, root);
}

const struct conf_format conf_format_twemproxy = {
    .name = "twemproxy", .summary = "nutcracker.yml of twemproxy",
    .claims_tree = claims, .read_tree = read_file,
    .write = CONF_WRITER(conf_twemproxy_write)
};
