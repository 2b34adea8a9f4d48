/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_kubernetes.c - EndpointSlices of Kubernetes: the machines behind a
 * service, by `kubectl get endpointslices -o json` (or yaml).
 */
#include <string.h>

#include "base/str.h"
#include "conf/conf_text.h"
#include "conf/conf_tree.h"

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
is_kind(const struct conf_value *v, const char *kind)
{
    struct conf_text t = text(conf_tree_get(v, "kind"));

    return conf_same(&t, kind);
}

static bool
claims(const struct conf_value *root)
{
    const struct conf_item *item = list(conf_tree_get(root, "items"));

    return is_kind(root, "EndpointSlice") || is_kind(root,
                                                     "EndpointSliceList")
        || (is_kind(root, "List") && item != NULL
            && is_kind(item->value, "EndpointSlice"));
}

static struct conf_text
service_of(const struct conf_value *slice)
{
    const struct conf_value *meta = conf_tree_get(slice, "metadata");
    struct conf_text name = text(conf_tree_get(
        conf_tree_get(meta, "labels"), "kubernetes.io/service-name"));

    return name.len > 0 ? name : text(conf_tree_get(meta, "name"));
}

static bool
same(const struct conf_text *a, const struct conf_text *b)
{
    return a->len == b->len && (a->len == 0
                                || memcmp(a->data, b->data, a->len) == 0);
}

/* "down" when it is not ready, "drain" when it still serves. */
static void
read_state(struct conf_build *b, const struct conf_value *endpoint,
           struct conf_node *node)
{
    const struct conf_value *c = conf_tree_get(endpoint, "conditions");
    struct conf_text ready = text(conf_tree_get(c, "ready"));
    struct conf_text serving = text(conf_tree_get(c, "serving"));

    if (conf_same(&ready, "false"))
        node->state = conf_format_text(b, ready.at, "%s",
                                       conf_same(&serving, "true")
                                       ? "drain" : "down");
}

static void
read_endpoint(struct conf_build *b, const struct conf_value *v, uint64_t port)
{
    const struct conf_item *addresses = list(conf_tree_get(v, "addresses"));
    struct conf_text address = text(addresses ? addresses->value : NULL);
    struct conf_node node = {
        .name = text(conf_tree_get(conf_tree_get(v, "targetRef"), "name")),
        .zone = text(conf_tree_get(v, "zone"))
    };
    cw_node old;

    if (address.len == 0) {
        diag_error(b->diag, v->at, "this endpoint has no address");
        return;
    }
    node.address = port ? conf_host_port(b, &address, (unsigned long)port)
        : address;
    if (node.name.len == 0) {
        conf_warn(b, v->at, "endpoint %s has no pod's name: it is known by "
                  "its address, and a new one is another node",
                  conf_shown(b, &address));
        node.name = node.address;
    }
    if (node.zone.len == 0)
        node.zone.data = NULL;
    read_state(b, v, &node);
    if (cw_fleet_find(b->pool.fleet, node.name.data, node.name.len, &old)
        == CW_OK)
        conf_infer(b, v->at, "%s is known already: its second address is "
                   "left out", conf_shown(b, &node.name));
    else
        conf_add_node(b, &node);
}

static void
read_slice(struct conf_build *b, const struct conf_value *slice)
{
    const struct conf_item *ports = list(conf_tree_get(slice, "ports"));
    struct conf_text port = text(conf_tree_get(ports ? ports->value : NULL,
                                               "port"));
    const struct conf_item *item;
    uint64_t n = 0;

    if (port.data != NULL && (port.len == 0
                              || !str_uint(port.data, port.len, 65535, &n)))
        diag_error(b->diag, port.at, "bad port \"%s\"", conf_shown(b, &port));
    if (ports != NULL && ports->next != NULL)
        conf_warn(b, ports->value->at, "the slice has several ports; taken: "
                  "%llu", (unsigned long long)n);
    for (item = list(conf_tree_get(slice, "endpoints")); item != NULL;
         item = item->next)
        read_endpoint(b, item->value, n);
}

/* All slices of one service are one pool. */
static void
read_service(struct conf_build *b, const struct conf_item *from)
{
    struct conf_text name = service_of(from->value), other;
    const struct conf_item *item;

    if (name.data == NULL)
        name.at = from->value->at;
    conf_pool_begin(b, &name);
    conf_infer(b, name.at, "Kubernetes does not say how keys are placed: "
               "taken for our own default");
    for (item = from; item != NULL; item = item->next) {
        other = service_of(item->value);
        if (is_kind(item->value, "EndpointSlice") && same(&name, &other))
            read_slice(b, item->value);
    }
    if (cw_fleet_count(b->pool.fleet) == 0)
        conf_unplaced(b, name.at, "it has no endpoints");
}

static void
read_file(struct conf_build *b, const struct conf_value *root)
{
    struct conf_item one = { NULL, NULL, root };
    const struct conf_item *all = conf_tree_get(root, "items")
        ? list(conf_tree_get(root, "items")) : &one;
    cw_fleet *seen = cw_fleet_new(NULL);
    const struct conf_item *item;
    struct conf_text name;

    for (item = all; item != NULL && seen != NULL; item = item->next) {
        if (!is_kind(item->value, "EndpointSlice"))
            continue;
        name = service_of(item->value);
        if (name.len > 0 && name.len <= CW_NAME_MAX
            && cw_fleet_add(seen, name.data, name.len, CW_WEIGHT_ONE, NULL)
            == CW_EEXIST)
            continue;
        read_service(b, item);
    }
    cw_fleet_free(seen);
    if (b->begun == 0 && b->diag->errors == 0)
        diag_error(b->diag, root->at, "there is no EndpointSlice in it");
}

const struct conf_format conf_format_kubernetes = {
    .name = "kubernetes", .summary = "EndpointSlices of Kubernetes",
    .claims_tree = claims, .read_tree = read_file
};
