/* SPDX-License-Identifier: Apache-2.0 */
/* conf_twemproxy_write.c - a pool as nutcracker.yml. */
#include <inttypes.h>
#include <string.h>

#include "conf/conf_native.h"
#include "conf/conf_write.h"

/* host:port as nutcracker wants it: IPv6 without brackets. */
static void
write_place(const struct conf_place *p, struct buf *out)
{
    buf_add(out, p->host, p->host_len);
    if (!p->is_path)
        buf_print(out, ":%" PRIu64, p->port);
}

static bool
write_server(const struct conf_pool *pool, uint32_t i, struct buf *out,
             struct buf *why)
{
    struct buf place = { 0 };
    struct conf_place p;
    uint64_t weight;
    cw_node n;
    bool ok = true;

    cw_fleet_node(pool->fleet, i, &n);
    if (!conf_write_plain(pool, i, why)
        || !conf_write_weight(&n, 1, INT32_MAX, &weight, why)
        || !conf_write_place(&n, &p, why))
        return false;
    write_place(&p, &place);
    buf_str(out, "    - ");
    buf_add(out, place.data, place.len);
    buf_print(out, ":%" PRIu64, weight);
    if (!conf_write_same(n.name, n.name_len, place.data, place.len)) {
        ok = conf_write_word(n.name, n.name_len, "")
            && memchr(n.name, '#', n.name_len) == NULL
            && conf_write_same(n.name, n.name_len, n.label, n.label_len);
        buf_char(out, ' ');
        buf_add(out, n.name, n.name_len);
    }
    if (!ok) {
        conf_write_node_why(why, &n);
        buf_str(why, "nutcracker hashes a server's name, which is one word; "
                "its label is another text");
    }
    buf_char(out, '\n');
    buf_free(&place);
    return ok;
}

bool
conf_twemproxy_write(const struct conf_pool *pool, struct buf *out,
                     struct buf *why)
{
    static const char *const rows[] = {
        "twemproxy-ketama", "twemproxy-modula"
    };
    const char *tag = conf_pool_value(pool, "hash-tag");
    uint32_t i, n = cw_fleet_count(pool->fleet);
    size_t which;

    if (!conf_write_row(pool, rows, 2, &which, why)
        || !conf_write_unbound(pool, why))
        return false;
    if (strcmp(conf_write_option(pool, "char", "signed"), "signed") != 0) {
        buf_str(why, "\"char\" is a matter of the machine that nutcracker "
                "runs on, not of its file");
        return false;
    }
    conf_write_yaml(out, pool->name ? pool->name : "pool",
                    pool->name ? pool->name_len : 4);
    buf_print(out, ":\n  listen: 127.0.0.1:22121    # yours\n"
              "  hash: %s\n  distribution: %s\n",
              conf_write_option(pool, "hash", "fnv1a_64"),
              which ? "modula" : "ketama");
    if (tag != NULL)
        buf_print(out, "  hash_tag: \"%s%s\"\n", strchr("\"\\", tag[0])
                  ? "\\" : "", tag);
    buf_str(out, "  auto_eject_hosts: false\n  servers:\n");
    for (i = 0; i < n; i++)
        if (!write_server(pool, i, out, why))
            return false;
    return true;
}
