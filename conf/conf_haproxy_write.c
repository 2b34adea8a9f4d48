/* SPDX-License-Identifier: Apache-2.0 */
/* conf_haproxy_write.c - a pool as a backend of HAProxy. */
#include <inttypes.h>
#include <string.h>

#include "conf/conf_native.h"
#include "conf/conf_write.h"

/* The number behind "id=" in a label, 0 when the label is the name; false:
 * neither. */
static bool
label_id(const cw_node *n, uint64_t *id)
{
    size_t i = 3;

    *id = 0;
    if (conf_write_same(n->name, n->name_len, n->label, n->label_len))
        return true;
    if (n->label_len < 4 || n->label_len > 13
        || memcmp(n->label, "id=", 3) != 0)
        return false;
    for (; i < n->label_len; i++) {
        if (n->label[i] < '0' || n->label[i] > '9')
            return false;
        *id = *id * 10 + (uint64_t)(n->label[i] - '0');
    }
    return *id > 0 && *id <= INT32_MAX && n->label[3] != '0';
}

static bool
write_label(const cw_node *n, const char *hash_key, bool map_based,
            struct buf *out, struct buf *why)
{
    uint64_t id;

    if (hash_key != NULL && strcmp(hash_key, "id") != 0) {
        if (conf_write_same(n->label, n->label_len, n->address,
                            n->address_len)) {
            buf_print(out, " hash-key %s", hash_key);
            return true;
        }
    } else if (label_id(n, &id) && (id == 0 || !map_based)) {
        if (id > 0)
            buf_print(out, " id %" PRIu64, id);
        return true;
    }
    conf_write_node_why(why, n);
    buf_str(why, "its label is neither its name nor what HAProxy hashes");
    return false;
}

static bool
write_server(const struct conf_pool *pool, uint32_t i, bool map_based,
             struct buf *out, struct buf *why)
{
    struct conf_place p;
    uint64_t weight;
    cw_node n;

    cw_fleet_node(pool->fleet, i, &n);
    if (!conf_write_plain(pool, i, why)
        || !conf_write_weight(&n, 0, 256, &weight, why)
        || !conf_write_place(&n, &p, why))
        return false;
    if (!conf_write_word(n.name, n.name_len, "/#")) {
        conf_write_node_why(why, &n);
        buf_str(why, "a server's name is one word without \"/\"");
        return false;
    }
    buf_str(out, "    server ");
    buf_add(out, n.name, n.name_len);
    buf_char(out, ' ');
    if (p.is_path)
        buf_str(out, "unix@");
    if (p.is_path)
        buf_add(out, p.host, p.host_len);
    else
        buf_add(out, n.address, n.address_len);
    if (!write_label(&n, conf_pool_value(pool, "hash-key"), map_based, out,
                     why))
        return false;
    if (weight != 1)
        buf_print(out, " weight %" PRIu64, weight);
    buf_char(out, '\n');
    return true;
}

/* "balance ..." from the key's rule. */
static void
write_balance(const struct conf_pool *pool, struct buf *out)
{
    static const char *const ours[] = { "hdr(", "url_param ", "hash " };
    const char *rule = conf_pool_value(pool, "key");
    const char *len = conf_pool_value(pool, "uri-len");
    const char *depth = conf_pool_value(pool, "uri-depth");
    size_t i;

    if (rule != NULL && strncmp(rule, "uri", 3) == 0) {
        buf_print(out, "    balance uri%s", rule[3] ? " whole" : "");
        if (len != NULL)
            buf_print(out, " len %s", len);
        if (depth != NULL)
            buf_print(out, " depth %s", depth);
        buf_char(out, '\n');
        return;
    }
    if (rule != NULL && strcmp(rule, "source") == 0) {
        buf_str(out, "    balance source\n");
        return;
    }
    for (i = 0; pool->key != NULL && i < 3; i++) {
        if (strncmp(pool->key, ours[i], strlen(ours[i])) == 0) {
            buf_print(out, "    balance %s\n", pool->key);
            return;
        }
    }
    buf_str(out, "    balance hdr(x-key)     # yours: the header that holds "
            "a request's key\n");
}

bool
conf_haproxy_write(const struct conf_pool *pool, struct buf *out,
                   struct buf *why)
{
    static const char *const rows[] = {
        "haproxy-consistent", "haproxy-consistent-3-0", "haproxy-map-based"
    };
    const char *hash = conf_write_option(pool, "hash", "default");
    bool avalanche = strcmp(conf_write_option(pool, "avalanche", "no"),
                            "yes") == 0;
    uint32_t i, n = cw_fleet_count(pool->fleet);
    size_t which;

    if (!conf_write_row(pool, rows, 3, &which, why)
        || (which == 2 && !conf_write_unbound(pool, why)))
        return false;
    if (strcmp(hash, "default") == 0 && avalanche) {
        buf_str(why, "\"avalanche\" needs a hash that is named: hash: sdbm");
        return false;
    }
    buf_str(out, "backend ");
    if (pool->name != NULL && conf_write_word(pool->name, pool->name_len,
                                              "#/"))
        buf_add(out, pool->name, pool->name_len);
    else
        buf_str(out, "fleet");
    buf_str(out, "\n    mode http\n");
    write_balance(pool, out);
    buf_print(out, "    hash-type %s", which == 2 ? "map-based"
              : "consistent");
    if (strcmp(hash, "default") != 0)
        buf_print(out, " %s%s", hash, avalanche ? " avalanche" : "");
    buf_char(out, '\n');
    if (pool->bound != 0)
        buf_print(out, "    hash-balance-factor %u\n", pool->bound);
    for (i = 0; i < n; i++)
        if (!write_server(pool, i, which == 2, out, why))
            return false;
    return true;
}
