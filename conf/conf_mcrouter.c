/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_mcrouter.c - pools of mcrouter's JSON, and the hash that the first
 * route to a pool gives it.
 */
#include <string.h>

#include "base/str.h"
#include "conf/conf_text.h"
#include "conf/conf_tree.h"

enum { CH3, CRC32, WCH3, RENDEZVOUS, WRENDEZVOUS, OTHER };

static const char *const functions[] = {
    "Ch3", "Crc32", "WeightedCh3", "Rendezvous", "WeightedRendezvous"
};

static const char *const rows[] = {
    "mcrouter-ch3", "mcrouter-crc32", "mcrouter-wch3", "mcrouter-rendezvous",
    "mcrouter-wrendezvous"
};

/* How a route sends keys to a pool. */
struct route {
    const struct conf_value *at;        /* NULL: no route was found         */
    size_t                   function;
    struct conf_text         name;      /* of the function                  */
    struct conf_text         salt;
    const struct conf_value *weights;
    const struct conf_value *tags;
};

static const struct conf_value *
pools_of(const struct conf_value *root)
{
    const struct conf_value *pools = conf_tree_get(root, "pools");

    return pools != NULL && pools->kind == CONF_MAP ? pools : NULL;
}

static bool
claims(const struct conf_value *root)
{
    const struct conf_value *pools = pools_of(root);
    const struct conf_item *item = pools ? pools->first : NULL;

    if (pools != NULL && (conf_tree_get(root, "route") != NULL
                          || conf_tree_get(root, "routes") != NULL))
        return true;
    return item != NULL && conf_tree_get(item->value, "servers") != NULL;
}

static struct conf_text
text(const struct conf_value *v)
{
    return conf_tree_text(v != NULL && v->kind == CONF_SCALAR ? v : NULL);
}

/* "PoolRoute|A" names pool A. */
static bool
names_pool(const struct conf_text *t, const struct conf_text *pool)
{
    static const char *const short_forms[] = { "PoolRoute|", "HashRoute|",
                                               "Pool|" };
    size_t i, n;

    for (i = 0; t->data != NULL && i < 3; i++) {
        n = strlen(short_forms[i]);
        if (t->len == n + pool->len
            && memcmp(t->data, short_forms[i], n) == 0
            && memcmp(t->data + n, pool->data, pool->len) == 0)
            return true;
    }
    return false;
}

static void
read_hash(struct route *r, const struct conf_value *hash)
{
    const struct conf_value *function = hash;

    if (hash == NULL)
        return;
    if (hash->kind == CONF_MAP) {
        function = conf_tree_get(hash, "hash_func");
        r->salt = text(conf_tree_get(hash, "salt"));
        r->weights = conf_tree_get(hash, "weights");
        r->tags = conf_tree_get(hash, "tags");
    }
    r->name = text(function);
    if (r->name.data != NULL)
        r->function = conf_word(&r->name, functions, OTHER);
}

/* The first route to the pool below v, in the order of the file. */
static bool
find_route(const struct conf_value *v, const struct conf_text *pool,
           struct route *r)
{
    const struct conf_item *item;
    struct conf_text t = text(v), name;

    if (names_pool(&t, pool)) {
        r->at = v;
        return true;
    }
    if (v->kind == CONF_MAP) {
        const struct conf_value *named = conf_tree_get(v, "pool");

        name = text(named);
        if (name.data == NULL)
            name = text(conf_tree_get(named, "name"));
        if (name.data != NULL && name.len == pool->len
            && memcmp(name.data, pool->data, pool->len) == 0) {
            r->at = v;
            read_hash(r, conf_tree_get(v, "hash"));
            return true;
        }
        name = text(conf_tree_get(v, "children"));
        if (names_pool(&name, pool)) {
            r->at = v;
            read_hash(r, v);
            return true;
        }
    }
    for (item = v->kind & (CONF_MAP | CONF_LIST) ? v->first : NULL;
         item != NULL; item = item->next)
        if (find_route(item->value, pool, r))
            return true;
    return false;
}

/* "host:port[:protocol[:security]]" to host:port. */
static bool
read_server(struct conf_build *b, const struct conf_text *t,
            struct conf_text *out)
{
    size_t end = 0, colon;
    uint64_t port;

    if (t->len > 0 && t->data[0] == '/') {
        *out = conf_unix(b, t);
        return true;
    }
    if (t->len > 0 && t->data[0] == '[') {
        while (end < t->len && t->data[end] != ']')
            end++;
    }
    while (end < t->len && t->data[end] != ':')
        end++;
    colon = end++;
    while (end < t->len && t->data[end] != ':')
        end++;
    if (colon == 0 || end <= colon + 1 || end > t->len
        || !str_uint(t->data + colon + 1, end - colon - 1, 65535, &port)) {
        diag_error(b->diag, t->at, "bad server \"%s\"", conf_shown(b, t));
        diag_hint(b->diag, "expected: host:port, or [v6]:port");
        return false;
    }
    *out = conf_part(t, 0, end);
    return true;
}

static const struct conf_value *
nth(const struct conf_value *list, size_t n)
{
    const struct conf_item *item = list && list->kind == CONF_LIST
        ? list->first : NULL;

    while (item != NULL && n-- > 0)
        item = item->next;
    return item ? item->value : NULL;
}

/* A server's name; a second one of that name has its own place all the
 * same. */
static void
unique_name(struct conf_build *b, struct conf_node *node)
{
    struct conf_text plain = node->name;
    cw_node old;
    size_t n;

    for (n = 2; cw_fleet_find(b->pool.fleet, node->name.data,
                              node->name.len, &old) == CW_OK; n++)
        node->name = conf_format_text(b, plain.at, "%.*s#%zu",
                                      (int)plain.len, plain.data, n);
}

static void
add_server(struct conf_build *b, const struct route *r,
           const struct conf_item *weight, const struct conf_item *tag,
           const struct conf_text *server)
{
    struct conf_node node = { .positions = NULL };

    if (!read_server(b, server, &node.address))
        return;
    node.name = node.address;
    unique_name(b, &node);
    if (r->function == WCH3 || r->function == WRENDEZVOUS) {
        node.weight = text(weight ? weight->value : NULL);
        if (node.weight.data == NULL)
            node.weight = conf_format_text(b, server->at, "0.5");
        if (cw_weight_parse(node.weight.data, node.weight.len,
                            &(uint64_t){ 0 }, NULL) != CW_OK) {
            conf_unplaced(b, node.weight.at, "weight \"%s\" has more than "
                          "six digits behind the point, or is none",
                          conf_shown(b, &node.weight));
            node.weight.data = NULL;
        }
    }
    if (r->function == RENDEZVOUS || r->function == WRENDEZVOUS) {
        node.label = text(tag ? tag->value : NULL);
        if (node.label.data == NULL)
            diag_error(b->diag, server->at, "this server has no tag; "
                       "\"%s\" needs \"tags\"", functions[r->function]);
    }
    conf_add_node(b, &node);
}

static const struct conf_item *
first(const struct conf_value *list)
{
    return list != NULL && list->kind == CONF_LIST ? list->first : NULL;
}

static void
add_servers(struct conf_build *b, const struct route *r,
            const struct conf_value *list)
{
    const struct conf_item *weight = first(r->weights);
    const struct conf_item *tag = first(r->tags), *item;

    for (item = list->first; item != NULL; item = item->next) {
        struct conf_text server = text(item->value);

        if (server.data == NULL)
            server = text(conf_tree_get(item->value, "hostname"));
        if (server.data == NULL)
            diag_error(b->diag, item->value->at, "a server is %s; expected "
                       "host:port", conf_kind_text(item->value->kind));
        else
            add_server(b, r, weight, tag, &server);
        weight = weight ? weight->next : NULL;
        tag = tag ? tag->next : NULL;
    }
}

static void
read_pool(struct conf_build *b, const struct conf_value *root,
          const struct conf_item *item)
{
    struct conf_text name = conf_tree_text(item->key);
    const struct conf_value *servers = conf_tree_get(item->value, "servers");
    struct route r = { .function = CH3 };
    const struct conf_item *top;
    struct diag_place at;

    conf_pool_begin(b, &name);
    for (top = root->first; top != NULL && r.at == NULL; top = top->next) {
        struct conf_text key = conf_tree_text(top->key);

        if (!conf_same(&key, "pools"))
            find_route(top->value, &name, &r);
    }
    at = r.at ? r.at->at : name.at;
    if (r.at == NULL)
        conf_warn(b, at, "no route to this pool is in the file: taken for "
                  "Ch3, the default");
    if (r.function == OTHER) {
        conf_unplaced(b, r.name.at, "hash \"%s\" is not one of those that "
                      "are known here", conf_shown(b, &r.name));
        r.function = CH3;
    }
    conf_set(b, at, "compat", rows[r.function]);
    if (r.salt.len > 0)
        conf_set(b, r.salt.at, "salt", r.salt.data);
    if (r.function != RENDEZVOUS && r.function != WRENDEZVOUS)
        conf_warn(b, at, "servers are known by their place in the list: "
                  "never take one out of its middle");
    if (servers == NULL || nth(servers, 0) == NULL)
        conf_unplaced(b, name.at, "it has no list of servers in this file");
    else
        add_servers(b, &r, servers);
}

static void
read_file(struct conf_build *b, const struct conf_value *root)
{
    const struct conf_value *pools = pools_of(root);
    const struct conf_item *item = pools ? pools->first : NULL;

    if (item == NULL)
        diag_error(b->diag, root->at, "there is no map of \"pools\" in it");
    for (; item != NULL; item = item->next)
        read_pool(b, root, item);
}

const struct conf_format conf_format_mcrouter = {
    .name = "mcrouter", .summary = "pools of mcrouter's JSON",
    .claims_tree = claims, .read_tree = read_file
};
