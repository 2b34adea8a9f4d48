/* SPDX-License-Identifier: Apache-2.0 */
/* conf_envoy_hosts.c - hosts and their weights, and a cluster in YAML. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "conf/conf_envoy.h"
#include "conf/conf_native.h"
#include "conf/conf_text.h"
#include "conf/conf_write.h"

static uint64_t
divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/*
 * A host has the part of its locality's weight that its own weight is of
 * those in there. Times a number that makes all of them whole: false when
 * that would be too large.
 */
static bool
weigh(struct envoy *e)
{
    const uint64_t most = CW_WEIGHT_MAX / CW_WEIGHT_ONE;
    uint64_t *sum = mem_alloc(e->localities + 1, sizeof *sum);
    uint64_t all = 1, common = 0;
    bool ok = true;
    size_t i;

    memset(sum, 0, e->localities * sizeof *sum);
    for (i = 0; i < e->count; i++)
        sum[e->hosts[i].locality] += e->hosts[i].weight;
    for (i = 0; i < e->localities && ok; i++) {
        if (sum[i] == 0)
            continue;
        all = all / divisor(all, sum[i]) * sum[i];
        ok = all < UINT64_C(1) << 32;
    }
    for (i = 0; i < e->count && ok; i++) {
        struct envoy_host *h = &e->hosts[i];

        h->weight *= all / sum[h->locality];
        ok = h->weight < UINT64_C(1) << 32;
        h->weight *= e->locality[h->locality].weight;
        common = divisor(h->weight, common);
    }
    for (i = 0; i < e->count && ok; i++) {
        e->hosts[i].weight /= common;
        ok = e->hosts[i].weight <= most;
    }
    mem_free(sum);
    return ok;
}

void
envoy_add_hosts(struct envoy *e)
{
    struct diag_place at = e->b->pool.at;
    size_t i;
    cw_node old;

    if (e->by_locality && e->b->diag->errors == 0) {
        if (!weigh(e))
            conf_unplaced(e->b, at, "the weights of hosts and localities "
                          "have no common measure that fits");
        else
            conf_infer(e->b, at, "weights are those of localities and of "
                       "hosts in them, multiplied out");
    }
    for (i = 0; i < e->count; i++) {
        const struct envoy_host *h = &e->hosts[i];
        struct conf_node node = {
            .name = h->name, .address = h->address, .label = h->label,
            .zone = e->locality[h->locality].zone
        };

        if (node.zone.len == 0)
            node.zone.data = NULL;
        node.weight = conf_format_text(e->b, h->name.at, "%" PRIu64,
                                       h->weight);
        if (h->down || h->drain)
            node.state = conf_format_text(e->b, h->name.at, "%s",
                                          h->down ? "down" : "drain");
        if (cw_fleet_find(e->b->pool.fleet, h->name.data, h->name.len, &old)
            == CW_OK)
            conf_warn(e->b, h->name.at, "endpoint %s is given twice; the "
                      "second one is left out", conf_shown(e->b, &h->name));
        else
            conf_add_node(e->b, &node);
    }
}

/* ---- writing ----------------------------------------------------------- */

static bool
write_host(const struct conf_pool *pool, uint32_t i, struct buf *out,
           struct buf *why)
{
    struct conf_place p;
    uint64_t weight;
    cw_node n;

    cw_fleet_node(pool->fleet, i, &n);
    if (!conf_write_weight(&n, 1, 1000000, &weight, why)
        || !conf_write_place(&n, &p, why))
        return false;
    if (p.is_path || n.positions > 0
        || !conf_write_same(n.name, n.name_len, n.address, n.address_len)) {
        conf_write_node_why(why, &n);
        buf_str(why, "Envoy knows a host by its address; the name must be "
                "that, and a label is its hash_key");
        return false;
    }
    buf_str(out, "  - lb_endpoints:\n    - endpoint: {address: "
            "{socket_address: {address: ");
    conf_write_yaml(out, p.host, p.host_len);
    buf_print(out, ", port_value: %" PRIu64 "}}}\n", p.port);
    buf_print(out, "      load_balancing_weight: %" PRIu64 "\n", weight);
    if (!conf_write_same(n.name, n.name_len, n.label, n.label_len)) {
        buf_str(out, "      metadata: {filter_metadata: {envoy.lb: "
                "{hash_key: ");
        conf_write_yaml(out, n.label, n.label_len);
        buf_str(out, "}}}\n");
    }
    if (n.state != CW_UP)
        buf_print(out, "      health_status: %s\n", n.state == CW_DOWN
                  ? "UNHEALTHY" : "DRAINING");
    if (n.zone_len > 0) {
        buf_str(out, "    locality: {zone: ");
        conf_write_yaml(out, n.zone, n.zone_len);
        buf_str(out, "}\n");
    }
    return true;
}

static void
write_option(const struct conf_pool *pool, const char *option,
             const char *field, const char *upper, struct buf *out)
{
    const char *value = conf_pool_value(pool, option);

    if (value != NULL)
        buf_print(out, "  %s: %s\n", field, upper ? upper : value);
}

bool
conf_envoy_write(const struct conf_pool *pool, struct buf *out,
                 struct buf *why)
{
    static const char *const rows[] = { "envoy-ring-hash", "envoy-maglev" };
    const char *hash = conf_write_option(pool, "hash", "xx_hash");
    const char *name = pool->name ? pool->name : "fleet";
    uint32_t i, n = cw_fleet_count(pool->fleet);
    size_t which;

    if (!conf_write_row(pool, rows, 2, &which, why))
        return false;
    buf_str(out, "name: ");
    conf_write_yaml(out, name, strlen(name));
    buf_print(out, "\ntype: STATIC\nconnect_timeout: 1s     # yours\n"
              "lb_policy: %s\n", which ? "MAGLEV" : "RING_HASH");
    if (pool->setting_count > 1)
        buf_str(out, which ? "maglev_lb_config:\n"
                : "ring_hash_lb_config:\n");
    write_option(pool, "hash", "hash_function", strcmp(hash, "xx_hash")
                 ? "MURMUR_HASH_2" : "XX_HASH", out);
    write_option(pool, "min-ring-size", "minimum_ring_size", NULL, out);
    write_option(pool, "max-ring-size", "maximum_ring_size", NULL, out);
    write_option(pool, "table-size", "table_size", NULL, out);
    if (pool->bound != 0)
        buf_print(out, "common_lb_config:\n  consistent_hashing_lb_config: "
                  "{hash_balance_factor: %u}\n", pool->bound);
    buf_str(out, "load_assignment:\n  cluster_name: ");
    conf_write_yaml(out, name, strlen(name));
    buf_str(out, "\n  endpoints:\n");
    for (i = 0; i < n; i++)
        if (!write_host(pool, i, out, why))
            return false;
    return true;
}
