/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_envoy.c - clusters of Envoy in YAML or JSON: a whole bootstrap, a list
 * of clusters, a file of CDS, or one cluster.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_envoy.h"
#include "conf/conf_native.h"
#include "conf/conf_text.h"

enum { NAME_MAX_LEN = 64 };

/* "lb_policy" as it is, or as "lbPolicy", which protobuf's JSON has. */
static const struct conf_value *
get(const struct conf_value *map, const char *snake)
{
    const struct conf_value *v = conf_tree_get(map, snake);
    char camel[NAME_MAX_LEN];
    size_t n = 0, i;

    for (i = 0; v == NULL && snake[i] != '\0' && n + 1 < sizeof camel; i++) {
        if (snake[i] == '_')
            camel[n++] = (char)(snake[++i] - 'a' + 'A');
        else
            camel[n++] = snake[i];
    }
    camel[n] = '\0';
    return v != NULL ? v : conf_tree_get(map, camel);
}

static struct conf_text
text(const struct conf_value *v)
{
    return conf_tree_text(v != NULL && v->kind == CONF_SCALAR ? v : NULL);
}

static const struct conf_item *
list(const struct conf_value *v)
{
    return v != NULL && v->kind == CONF_LIST ? v->first : NULL;
}

static bool
is_true(const struct conf_value *v)
{
    struct conf_text t = text(v);

    return conf_same(&t, "true");
}

/* ---- which values are clusters ----------------------------------------- */

static bool
is_cluster(const struct conf_value *v)
{
    return v->kind == CONF_MAP
        && (get(v, "lb_policy") != NULL || get(v, "load_assignment") != NULL
            || get(v, "load_balancing_policy") != NULL
            || get(v, "connect_timeout") != NULL
            || get(v, "eds_cluster_config") != NULL);
}

static const struct conf_value *
clusters_of(const struct conf_value *root)
{
    const struct conf_value *v = get(root, "static_resources");

    if (v != NULL)
        return get(v, "clusters");
    if ((v = conf_tree_get(root, "clusters")) != NULL)
        return v;
    return conf_tree_get(root, "resources");
}

static bool
claims(const struct conf_value *root)
{
    const struct conf_value *all = root->kind == CONF_LIST ? root
        : clusters_of(root);

    if (root->kind == CONF_MAP && (get(root, "static_resources") != NULL
                                   || is_cluster(root)))
        return true;
    return all != NULL && list(all) != NULL && is_cluster(all->first->value);
}

/* ---- policy ------------------------------------------------------------ */

static void
set_number(struct conf_build *b, const struct conf_value *v,
           const char *option)
{
    struct conf_text t = text(v);

    if (t.data != NULL)
        conf_set(b, t.at, option, t.data);
    else if (v != NULL)
        diag_error(b->diag, v->at, "%s is %s; expected a number", option,
                   conf_kind_text(v->kind));
}

static void
ring_hash(struct envoy *e, const struct conf_value *config,
          struct diag_place at)
{
    struct conf_text hash = text(get(config, "hash_function"));

    conf_set(e->b, at, "compat", "envoy-ring-hash");
    if (conf_same(&hash, "MURMUR_HASH_2"))
        conf_set(e->b, hash.at, "hash", "murmur_hash_2");
    else if (hash.data != NULL && !conf_same(&hash, "XX_HASH")
             && !conf_same(&hash, "DEFAULT_HASH")) {
        diag_error(e->b->diag, hash.at, "unknown hash_function \"%s\"",
                   conf_shown(e->b, &hash));
        diag_hint(e->b->diag, "known: XX_HASH, MURMUR_HASH_2");
    }
    set_number(e->b, get(config, "minimum_ring_size"), "min-ring-size");
    set_number(e->b, get(config, "maximum_ring_size"), "max-ring-size");
}

static void
maglev(struct envoy *e, const struct conf_value *config, struct diag_place at)
{
    conf_set(e->b, at, "compat", "envoy-maglev");
    set_number(e->b, get(config, "table_size"), "table-size");
}

static void
read_factor(struct conf_build *b, const struct conf_value *v)
{
    struct conf_text t = text(v);
    uint64_t factor;

    if (t.data != NULL && str_uint(t.data, t.len, UINT32_MAX, &factor)
        && factor >= 100) {
        conf_bound_of(b, t.at, "hash_balance_factor", factor);
        return;
    }
    diag_error(b->diag, v->at, "bad hash_balance_factor");
    diag_hint(b->diag, "expected: per cent, at least 100");
}

static void
common(struct envoy *e, const struct conf_value *config)
{
    const struct conf_value *hashing = get(config,
                                           "consistent_hashing_lb_config");
    const struct conf_value *factor = get(hashing, "hash_balance_factor");

    if (is_true(get(hashing, "use_hostname_for_hashing")))
        e->by_hostname = true;
    if (factor != NULL)
        read_factor(e->b, factor);
    if (get(config, "locality_weighted_lb_config") != NULL)
        e->by_locality = true;
}

/* The first policy that is known, of load_balancing_policy. */
static bool
extension(struct envoy *e, const struct conf_value *policy)
{
    const struct conf_item *item = list(get(policy, "policies"));

    for (; item != NULL; item = item->next) {
        const struct conf_value *x = get(item->value,
                                         "typed_extension_config");
        const struct conf_value *config = get(x, "typed_config");
        struct conf_text name = text(conf_tree_get(config, "@type"));
        size_t dot;

        if (name.data == NULL)
            continue;
        dot = conf_last(&name, name.len, '.');
        if (dot != SIZE_MAX)
            name = conf_part(&name, dot + 1, name.len - dot - 1);
        common(e, config);
        if (conf_same(&name, "RingHash"))
            ring_hash(e, config, name.at);
        else if (conf_same(&name, "Maglev"))
            maglev(e, config, name.at);
        else
            conf_unplaced(e->b, name.at, "policy \"%s\" does not choose "
                          "hosts by the hash of a key", conf_shown(e->b,
                                                                   &name));
        return true;
    }
    return false;
}

static void
read_policy(struct envoy *e, const struct conf_value *cluster)
{
    struct conf_text policy = text(get(cluster, "lb_policy"));
    const struct conf_value *subset = get(cluster, "lb_subset_config");

    common(e, get(cluster, "common_lb_config"));
    if (subset != NULL)
        conf_unplaced(e->b, subset->at, "lb_subset_config: each subset has a "
                      "ring of its own");
    if (extension(e, get(cluster, "load_balancing_policy")))
        return;
    if (conf_same(&policy, "RING_HASH"))
        ring_hash(e, get(cluster, "ring_hash_lb_config"), policy.at);
    else if (conf_same(&policy, "MAGLEV"))
        maglev(e, get(cluster, "maglev_lb_config"), policy.at);
    else
        conf_unplaced(e->b, policy.data ? policy.at : cluster->at,
                      "lb_policy is %s: hosts are not chosen by the hash of a "
                      "key", policy.data ? conf_shown(e->b, &policy)
                      : "not given, ROUND_ROBIN");
}

/* ---- hosts ------------------------------------------------------------- */

static uint64_t
weight_of(struct envoy *e, const struct conf_value *v)
{
    const struct conf_value *inner = get(v, "value");
    struct conf_text t = text(inner != NULL ? inner : v);
    uint64_t n = 1;

    if (v != NULL && (t.len == 0 || !str_uint(t.data, t.len, 1000000, &n)
                      || n == 0)) {
        diag_error(e->b->diag, v->at, "bad load_balancing_weight");
        diag_hint(e->b->diag, "expected: a whole number from 1 on");
        n = 1;
    }
    return n;
}

static bool
read_address(struct envoy *e, const struct conf_value *endpoint,
             struct envoy_host *h)
{
    const struct conf_value *address = get(endpoint, "address");
    const struct conf_value *socket = get(address, "socket_address");
    struct conf_text path = text(get(get(address, "pipe"), "path"));
    struct conf_text host = text(get(socket, "address"));
    struct conf_text port = text(get(socket, "port_value"));
    uint64_t n;

    if (path.data != NULL) {
        h->name = path;
        h->address = conf_unix(e->b, &path);
        return true;
    }
    if (host.data == NULL || port.len == 0
        || !str_uint(port.data, port.len, 65535, &n)) {
        diag_error(e->b->diag, endpoint->at, "this endpoint has no address "
                   "with a port");
        diag_hint(e->b->diag, "expected: address: {socket_address: "
                  "{address: ..., port_value: ...}}");
        return false;
    }
    h->address = conf_host_port(e->b, &host, (unsigned long)n);
    h->name = h->address;
    if (!conf_is_ip(&host) && !e->by_hostname)
        conf_warn(e->b, host.at, "\"%s\" is a name: Envoy hashes the address "
                  "it resolves to, unless the endpoint has a hash_key",
                  conf_shown(e->b, &host));
    return true;
}

static void
read_host(struct envoy *e, const struct conf_value *v, size_t locality)
{
    const struct conf_value *endpoint = get(v, "endpoint");
    struct conf_text status = text(get(v, "health_status"));
    struct envoy_host h = { .locality = locality };
    struct conf_text hostname, key;

    if (endpoint == NULL || endpoint->kind != CONF_MAP) {
        diag_error(e->b->diag, v->at, "this is no endpoint");
        return;
    }
    if (!read_address(e, endpoint, &h))
        return;
    key = text(get(get(get(get(v, "metadata"), "filter_metadata"),
                       "envoy.lb"), "hash_key"));
    hostname = text(get(endpoint, "hostname"));
    if (key.len > 0)
        h.label = key;
    else if (e->by_hostname && hostname.len > 0)
        h.label = hostname;
    h.weight = weight_of(e, get(v, "load_balancing_weight"));
    h.down = conf_same(&status, "UNHEALTHY") || conf_same(&status, "TIMEOUT");
    h.drain = conf_same(&status, "DRAINING");
    e->hosts = mem_resize(e->hosts, e->count + 1, sizeof *e->hosts);
    e->hosts[e->count++] = h;
}

static void
read_locality(struct envoy *e, const struct conf_value *v)
{
    struct conf_text priority = text(get(v, "priority"));
    const struct conf_value *where = get(v, "locality");
    const struct conf_item *item;
    struct envoy_locality *l;
    size_t number = e->localities;

    if (priority.data != NULL && !conf_same(&priority, "0")) {
        conf_warn(e->b, priority.at, "hosts of priority %s get keys only "
                  "when those before them fail: they are left out",
                  conf_shown(e->b, &priority));
        return;
    }
    e->locality = mem_resize(e->locality, ++e->localities,
                             sizeof *e->locality);
    l = &e->locality[number];
    l->zone = text(get(where, "zone"));
    if (l->zone.len == 0)
        l->zone = text(get(where, "region"));
    l->weight = weight_of(e, get(v, "load_balancing_weight"));
    for (item = list(get(v, "lb_endpoints")); item != NULL;
         item = item->next)
        read_host(e, item->value, number);
}

static void
read_cluster(struct conf_build *b, const struct conf_value *v)
{
    struct conf_text name = text(get(v, "name"));
    const struct conf_value *load = get(v, "load_assignment");
    const struct conf_item *item;
    struct envoy e = { .b = b };

    if (v->kind != CONF_MAP) {
        diag_error(b->diag, v->at, "a cluster is %s",
                   conf_kind_text(v->kind));
        return;
    }
    if (name.data == NULL)
        name.at = v->at;
    conf_pool_begin(b, &name);
    if (name.data == NULL)
        diag_error(b->diag, v->at, "this cluster has no name");
    read_policy(&e, v);
    for (item = list(get(load, "endpoints")); item != NULL;
         item = item->next)
        read_locality(&e, item->value);
    if (load == NULL)
        conf_unplaced(b, v->at, "its endpoints are not in this file (EDS)");
    else if (e.count == 0)
        conf_unplaced(b, load->at, "it has no endpoint");
    envoy_add_hosts(&e);
    mem_free(e.hosts);
    mem_free(e.locality);
}

static void
read_file(struct conf_build *b, const struct conf_value *root)
{
    const struct conf_value *all = root->kind == CONF_LIST ? root
        : clusters_of(root);
    const struct conf_item *item;

    if (root->kind == CONF_MAP && is_cluster(root)) {
        read_cluster(b, root);
        return;
    }
    for (item = list(all); item != NULL; item = item->next)
        read_cluster(b, item->value);
    if (b->begun == 0 && b->diag->errors == 0)
        diag_error(b->diag, root->at, "there is no cluster in it");
}

const struct conf_format conf_format_envoy = {
    .name = "envoy", .summary = "clusters of Envoy, YAML or JSON",
    .claims_tree = claims, .read_tree = read_file,
    .write = CONF_WRITER(conf_envoy_write)
};
