/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_memc.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { PORT = 11211, SERVERS_MAX = 100 };

static const char *const hashes[] = {
    "default", "md5", "crc", "fnv1_64", "fnv1a_64", "fnv1_32", "fnv1a_32",
    "hsieh", "murmur", "murmur3", "jenkins"
};

enum { HASHES = sizeof hashes / sizeof *hashes };

void
memc_init(struct memc *m, struct conf_build *b)
{
    memset(m, 0, sizeof *m);
    m->b = b;
    m->hash = m->point_hash = hashes[0];
}

static void
rebuild(struct memc *m)
{
    m->point_hash = m->hash;
}

void
memc_distribution(struct memc *m, enum memc_dist dist, struct diag_place at)
{
    m->dist = dist;
    m->dist_at = at;
    m->weighted = dist == MEMC_WEIGHTED;
    if (dist == MEMC_WEIGHTED)
        m->hash = "md5";
    rebuild(m);
}

bool
memc_hash(struct memc *m, const struct conf_text *name)
{
    struct buf known = { 0 };
    size_t i = 0, k;

    while (i < HASHES && !conf_same_nocase(name, hashes[i]))
        i++;
    if (i < HASHES) {
        m->hash = hashes[i];
        m->hash_at = name->at;
        return true;
    }
    for (k = 0; k < HASHES; k++)
        buf_print(&known, "%s%s", k ? ", " : "", hashes[k]);
    diag_error(m->b->diag, name->at, "unknown hash \"%s\"",
               conf_shown(m->b, name));
    diag_hint(m->b->diag, "known: %s", known.data);
    buf_free(&known);
    return false;
}

void
memc_sort(struct memc *m)
{
    m->sort = true;
    rebuild(m);
}

void
memc_server(struct memc *m, const struct conf_text *host, uint64_t port,
            uint64_t weight)
{
    m->servers = mem_resize(m->servers, m->count + 1, sizeof *m->servers);
    m->servers[m->count].host = *host;
    m->servers[m->count].port = port;
    m->servers[m->count++].weight = weight > 0 ? weight : 1;
    if (weight > 1 && m->dist != MEMC_MODULA)
        m->weighted = true;
    rebuild(m);
}

static bool
bad_server(struct memc *m, const struct conf_text *text)
{
    diag_error(m->b->diag, text->at, "bad server \"%s\"",
               conf_shown(m->b, text));
    diag_hint(m->b->diag, "expected: host, host:port or host:port:weight");
    return false;
}

bool
memc_server_text(struct memc *m, const struct conf_text *text)
{
    struct conf_text host = *text;
    uint64_t number[2] = { PORT, 1 };
    size_t colon, part = 0, end = 0;

    if (text->len == 0)
        return bad_server(m, text);
    if (text->data[0] == '[') {
        const char *close = memchr(text->data, ']', text->len);

        if (close == NULL)
            return bad_server(m, text);
        end = (size_t)(close - text->data) + 1;
        host = conf_part(text, 1, end - 2);
    } else {
        while (end < text->len && text->data[end] != ':')
            end++;
        host.len = end;
    }
    while (end < text->len) {
        colon = end++;
        while (end < text->len && text->data[end] != ':')
            end++;
        if (text->data[colon] != ':' || part == 2
            || end == colon + 1
            || !str_uint(text->data + colon + 1, end - colon - 1,
                         part == 0 ? 65535 : INT32_MAX, &number[part]))
            return bad_server(m, text);
        part++;
    }
    if (host.len == 0)
        return bad_server(m, text);
    if (host.data[0] == '/')
        number[0] = 0;
    else if (number[0] == 0)
        number[0] = PORT;
    memc_server(m, &host, number[0], number[1]);
    return true;
}

/* ---- the pool ---------------------------------------------------------- */

static void
add_server(struct memc *m, const struct memc_server *s)
{
    struct conf_build *b = m->b;
    struct conf_node node = { .positions = NULL };
    cw_node old;
    size_t n;

    if (s->port == 0) {
        node.name = s->host;
        node.address = conf_unix(b, &s->host);
        if (m->dist != MEMC_MODULA)
            node.label = conf_format_text(b, s->host.at, "%.*s:0",
                                          (int)s->host.len, s->host.data);
    } else {
        node.address = conf_host_port(b, &s->host, (unsigned long)s->port);
        node.name = node.address;
        if (memchr(s->host.data, ':', s->host.len) != NULL)
            node.label = conf_format_text(b, s->host.at, "%.*s:%llu",
                                          (int)s->host.len, s->host.data,
                                          (unsigned long long)s->port);
    }
    if (cw_fleet_find(b->pool.fleet, node.name.data, node.name.len, &old)
        == CW_OK && m->dist == MEMC_MODULA) {
        struct conf_text plain = node.name;

        /* a place in the list each */
        for (n = 2; cw_fleet_find(b->pool.fleet, node.name.data,
                                  node.name.len, &old) == CW_OK; n++)
            node.name = conf_format_text(b, plain.at, "%.*s#%zu",
                                         (int)plain.len, plain.data, n);
    }
    if (cw_fleet_find(b->pool.fleet, node.name.data, node.name.len, &old)
        == CW_OK) {
        /* its points are those of the first one, which win */
        if (m->weighted && !m->equal)
            conf_unplaced(b, s->host.at, "server %s is given twice, which "
                          "changes the points of all servers",
                          conf_shown(b, &node.name));
        conf_warn(b, s->host.at, "server %s is given twice: the second one "
                  "owns no key", conf_shown(b, &node.name));
        return;
    }
    node.weight = conf_format_text(b, s->host.at, "%llu",
                                   (unsigned long long)s->weight);
    conf_add_node(b, &node);
}

static const char *
row_of(const struct memc *m)
{
    switch (m->dist) {
    case MEMC_CONSISTENT: return "libmemcached-consistent";
    case MEMC_WEIGHTED:   return "libmemcached-ketama-weighted";
    case MEMC_SPY:        return "libmemcached-ketama-spy";
    case MEMC_MODULA:
    case MEMC_RANDOM:
    case MEMC_BUCKET:     break;
    }
    return "libmemcached-modula";
}

/* Weights and hash of a ring's points, where they are not what the row
 * takes by itself. */
static void
ring_options(struct memc *m)
{
    bool above_1 = false;
    size_t i;

    for (i = 0; i < m->count; i++)
        above_1 |= m->servers[i].weight > 1;
    if (m->weighted != above_1)
        conf_set(m->b, m->dist_at, "weights", m->weighted ? "on" : "off");
    if (above_1 && m->weighted)
        conf_warn(m->b, m->dist_at, "a weight above 1 switches libmemcached "
                  "from 100 points a server to weighted points, another "
                  "placement of nearly all keys");
    else if (above_1)
        conf_warn(m->b, m->dist_at, "the distribution was set after the "
                  "servers: libmemcached ignores their weights");
    if (!m->weighted && strcmp(m->point_hash, m->hash) != 0) {
        conf_warn(m->b, m->hash_at, "the hash was set after the servers: "
                  "their points keep the one before it");
        conf_set(m->b, m->hash_at, "point-hash", m->point_hash);
    }
}

void
memc_finish(struct memc *m)
{
    struct conf_build *b = m->b;
    size_t i;

    if (m->dist == MEMC_RANDOM)
        conf_unplaced(b, m->dist_at, "distribution \"random\": no key has "
                      "an owner");
    if (m->dist == MEMC_BUCKET)
        conf_unplaced(b, m->dist_at, "virtual buckets come from a table that "
                      "is not in this file");
    if (m->not_plain != NULL)
        conf_unplaced(b, m->not_plain_at, "%s", m->not_plain);
    conf_set(b, m->dist_at, "compat", row_of(m));
    if (strcmp(m->hash, m->dist == MEMC_WEIGHTED ? "md5" : "default") != 0)
        conf_set(b, m->hash_at, "hash", m->hash);
    if (m->dist == MEMC_CONSISTENT || m->dist == MEMC_SPY)
        ring_options(m);
    if (strcmp(m->hash, "hsieh") == 0)
        conf_warn(b, m->hash_at, "most builds of libmemcached, Debian's "
                  "among them, refuse the hash hsieh");
    if (m->sort)
        conf_set(b, m->dist_at, "sort-hosts", "yes");
    if (m->prefix.len > 0 && m->hash_prefix)
        conf_set(b, m->prefix.at, "prefix",
                 conf_format_text(b, m->prefix.at, "%.*s",
                                  (int)m->prefix.len, m->prefix.data).data);
    else if (m->prefix.len > 0)
        conf_infer(b, m->prefix.at, "the prefix \"%s\" is not hashed: give "
                   "keys without it", conf_shown(b, &m->prefix));
    if (m->count > SERVERS_MAX && m->dist != MEMC_MODULA)
        conf_warn(b, m->dist_at, "libmemcached was seen to refuse more than "
                  "%d servers on a ring", SERVERS_MAX);
    m->equal = true;
    for (i = 1; i < m->count; i++)
        m->equal &= m->servers[i].weight == m->servers[0].weight;
    for (i = 0; i < m->count; i++)
        add_server(m, &m->servers[i]);
    mem_free(m->servers);
}
