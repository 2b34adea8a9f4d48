/* SPDX-License-Identifier: Apache-2.0 */
/* conf_nginx_write.c - a pool as an upstream block of nginx. */
#include <inttypes.h>
#include <string.h>

#include "conf/conf_native.h"
#include "conf/conf_write.h"

/* Does nginx connect to the node's address when this is its text? The port
 * may be left out, and is 80 then. */
static bool
is_address(const cw_node *n)
{
    size_t len = n->name_len;

    if (n->address_len == 0
        || conf_write_same(n->address, n->address_len, n->name, len))
        return true;
    return n->address_len == len + 3
        && memcmp(n->address, n->name, len) == 0
        && memcmp(n->address + len, ":80", 3) == 0;
}

static bool
write_server(const struct conf_pool *pool, uint32_t i, struct buf *out,
             struct buf *why)
{
    uint64_t weight;
    cw_node n;

    cw_fleet_node(pool->fleet, i, &n);
    if (!conf_write_plain(pool, i, why)
        || !conf_write_weight(&n, 0, INT32_MAX, &weight, why))
        return false;
    if (weight == 0) {
        buf_str(out, "    # weight 0: ");
        buf_add(out, n.name, n.name_len);
        buf_char(out, '\n');
        return true;
    }
    if (!conf_write_same(n.name, n.name_len, n.label, n.label_len)
        || !is_address(&n) || !conf_write_word(n.name, n.name_len, ";{}#$")) {
        conf_write_node_why(why, &n);
        buf_str(why, "nginx hashes a server's address as it is written; the "
                "node's name, label and address must be one text");
        return false;
    }
    buf_str(out, "    server ");
    buf_add(out, n.name, n.name_len);
    if (weight != 1)
        buf_print(out, " weight=%" PRIu64, weight);
    buf_str(out, n.state == CW_DOWN ? " down;\n" : ";\n");
    return true;
}

bool
conf_nginx_write(const struct conf_pool *pool, struct buf *out,
                 struct buf *why)
{
    static const char *const rows[] = { "nginx-consistent", "nginx-hash" };
    const char *key = pool->key ? pool->key : "$request_uri";
    uint32_t i, n = cw_fleet_count(pool->fleet);
    size_t which;

    if (!conf_write_row(pool, rows, 2, &which, why)
        || !conf_write_unbound(pool, why))
        return false;
    buf_str(out, "upstream ");
    if (pool->name != NULL
        && conf_write_word(pool->name, pool->name_len, ";{}#$/"))
        buf_add(out, pool->name, pool->name_len);
    else
        buf_str(out, "fleet");
    if (key[0] != '$')
        key = "$request_uri";   /* another program's words */
    buf_print(out, " {\n    hash \"%s\"%s;\n", key, which ? ""
              : " consistent");
    if (pool->key != key)
        buf_str(out, "    # yours: the variable that holds a request's "
                "key\n");
    for (i = 0; i < n; i++)
        if (!write_server(pool, i, out, why))
            return false;
    buf_str(out, "}\n");
    return true;
}
