/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_haproxy.c - "hash-type consistent" of HAProxy: 2.x and repaired
 * versions, and 3.0 to 3.2 as released. Rules and quirks: docs/formats/
 * haproxy.md.
 */
#include "compat/compat_haproxy.h"

#include "compat/compat_quirks.h"
#include "core/points.h"

#define POINTS 16u              /* per unit of weight */

enum { KEY_ID, KEY_ADDR, KEY_ADDR_PORT };

static const struct cwi_option options[] = {
    CWI_HAPROXY_OPTIONS("hash function; default: none named, sdbm with "
                        "avalanche"),
    CWI_OPTIONS_END
};

static const struct cwi_option options_3_0[] = {
    CWI_HAPROXY_OPTIONS("hash function; default: none named, sdbm with "
                        "avalanche"),
    { "hash-key", "server option hash-key: what the points come from; labels "
      "are addresses for addr and addr-port", CWI_OPT_ENUM, CWI_HAPROXY_KEY,
      0, 0, "id", "id addr addr-port" },
    CWI_OPTIONS_END
};

static uint64_t
consistent_key(const struct cwi_placement *p, const void *key, size_t len)
{
    uint32_t h = cwi_haproxy_hash(p, key, len);

    /* A configuration that names no function gets avalanche on top. */
    if (p->num[CWI_HAPROXY_HASH] == 0 && p->num[CWI_HAPROXY_AVALANCHE] == 0)
        h = cwi_full_avalanche(h);
    return h;
}

/* ---- what a server's points come from ---------------------------------- */

/* "a.b.c.d" as the word that x86 loads; 0 for other text. */
static int
read_ipv4(struct cwi_span s, uint32_t *out)
{
    uint32_t address = 0, byte = 0;
    unsigned dots = 0;
    size_t digits = 0;

    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] >= '0' && s.p[i] <= '9' && digits < 3) {
            byte = byte * 10 + (s.p[i] - (uint32_t)'0');
            digits++;
        } else if (s.p[i] == '.' && digits > 0 && byte < 256 && dots < 3) {
            address |= byte << 8 * dots++;
            byte = 0;
            digits = 0;
        } else {
            return 0;
        }
    }
    *out = address | byte << 24;
    return dots == 3 && digits > 0 && byte < 256;
}

/* The value that point number 0 hashes; 0 when the label is not an address
 * as the option wants it. */
static int
seed_of(const struct cwi_placement *p, const struct cwi_node *n, uint32_t id,
        uint32_t *out)
{
    struct cwi_hostport hp = cwi_split_port(n->label, n->label_len);
    uint32_t address, port = 0;

    if (p->num[CWI_HAPROXY_KEY] == KEY_ID) {
        *out = cwi_full_avalanche(id);
        return 1;
    }
    if (!read_ipv4(hp.host, &address))
        return 0;
    *out = cwi_full_avalanche(address);
    if (p->num[CWI_HAPROXY_KEY] == KEY_ADDR)
        return 1;
    for (size_t i = 0; i < hp.port.len; i++)
        port = port * 10 + (hp.port.p[i] - (uint32_t)'0');
    *out = cwi_full_avalanche(cwi_full_avalanche(port) + address);
    return hp.port.len > 0 && hp.port.len < 6;
}

/* ---- build ------------------------------------------------------------- */

/* Ids stand behind the points in scratch. */
static size_t
ids_at(const struct cwi_plan *points)
{
    return (points->scratch + 7) & ~(size_t)7;
}

static uint64_t
count_points(const struct cwi_nodes *nodes)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < nodes->n; i++)
        n += POINTS * cwi_whole(nodes->v[i].weight);
    return n;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, CWI_HAPROXY_WEIGHT_MAX,
                                     err);
    uint64_t n = count_points(nodes);
    uint32_t seed;

    for (uint32_t i = 0; i < nodes->n && st == CW_OK; i++) {
        if (nodes->v[i].weight > 0 && !seed_of(p, &nodes->v[i], 1, &seed))
            st = cwi_fail(err, CW_EINVAL,
                          "node %n: hash-key takes the label as an IPv4 "
                          "address (addr) or address:port (addr-port), not "
                          "%n", nodes->v[i].name,
                          (size_t)nodes->v[i].name_len, nodes->v[i].label,
                          (size_t)nodes->v[i].label_len);
    }
    if (st == CW_OK && n > CWI_POINTS_MAX)
        st = cwi_fail(err, CW_ELIMIT, "%u points are more than the %u that a "
                      "ring holds", n, CWI_POINTS_MAX);
    if (st != CW_OK)
        return st;
    st = cwi_points_plan(n, nodes->n, out);
    out->top = UINT32_MAX;
    out->scratch = ids_at(out) + (size_t)nodes->n * sizeof(uint32_t);
    return st;
}

/* seeds[i]: what server i adds to the number of its point. */
static void
build_ring(const uint32_t *seeds, void *state, void *scratch,
           const struct cwi_nodes *nodes)
{
    struct cwi_point *raw = cwi_points_raw(scratch);
    uint64_t n = count_points(nodes);

    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t count = POINTS * (uint32_t)cwi_whole(nodes->v[i].weight);

        for (uint32_t k = 0; k < count; k++)
            *raw++ = (struct cwi_point){ cwi_full_avalanche(seeds[i] + k),
                                         i };
    }
    cwi_compat_ring_sort(CWI_NEAREST, state, scratch, n, nodes->n,
                         UINT32_MAX);
}

static uint32_t *
ids_of(void *scratch, const struct cwi_nodes *nodes)
{
    struct cwi_plan points;
    uint32_t *ids;

    cwi_points_plan(count_points(nodes), nodes->n, &points);
    ids = (uint32_t *)(void *)((uint8_t *)scratch + ids_at(&points));
    cwi_haproxy_ids(nodes, ids);
    return ids;
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    uint32_t *ids = ids_of(scratch, nodes);

    (void)self;
    (void)p;
    for (uint32_t i = 0; i < nodes->n; i++)
        ids[i] *= 4096;
    build_ring(ids, state, scratch, nodes);
}

static void
build_3_0(const struct cwi_algo_ops *self, void *state, void *scratch,
          const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    uint32_t *ids = ids_of(scratch, nodes);

    (void)self;
    for (uint32_t i = 0; i < nodes->n; i++)
        seed_of(p, &nodes->v[i], ids[i], &ids[i]);
    build_ring(ids, state, scratch, nodes);
}

static int
ids_by_line(const struct cwi_placement *p, const struct cwi_nodes *nodes,
            uint64_t top)
{
    (void)top;
    if (p->num[CWI_HAPROXY_KEY] != KEY_ID || nodes->active < 2)
        return 0;
    for (uint32_t i = 0; i < nodes->n; i++) {
        struct cwi_span label = { nodes->v[i].label, nodes->v[i].label_len };
        uint64_t id;

        if (!cwi_label_number(&label, "id", &id))
            return 1;
    }
    return 0;
}

static const struct cwi_quirk quirk_ids = {
    ids_by_line,
    "points come from server ids, which follow the lines of the backend: "
    "removing a line moves the keys of the servers behind it",
    "write `id N` at every server before the first change"
};

static const struct cwi_quirk quirk_3_0 = {
    cwi_several,
    "3.0 to 3.2 have another ring than 2.x and 3.3: an upgrade moves keys",
    "plan the upgrade as a move, or hash-key addr-port on both sides"
};

static const struct cwi_quirk *const quirks_all[] = { &quirk_ids, NULL };
static const struct cwi_quirk *const quirks_of_3_0[] = {
    &quirk_ids, &quirk_3_0, NULL
};

#define CONSISTENT(id, text, about, from, list, option_list, builder)   \
    const struct cwi_compat_ops cwi_compat_##id = {                     \
        .algo = {                                                       \
            .name       = text,                                         \
            .summary    = about,                                        \
            .source     = from,                                         \
            .quirks     = list,                                         \
            .traits     = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,            \
            .options    = option_list,                                  \
            .plan       = plan,                                         \
            .build      = builder,                                      \
            .hash_key   = consistent_key,                               \
            .hash_reads = CWI_HAPROXY_HASH_READS,                       \
            .find       = cwi_points_find,                              \
            .walk       = cwi_points_walk,                              \
            .arc        = cwi_points_arc,                               \
            .count      = cwi_compat_moved_count,                       \
            .check      = CWI_UNLESS_PAGE(cwi_points_check)                 \
        }                                                               \
    }

CONSISTENT(haproxy_consistent, "haproxy-consistent",
           "hash-type consistent: nearest of 16 points a weight, by server id",
           "HAProxy 2.6, lb_chash.c", quirks_all, options, build);

CONSISTENT(haproxy_consistent_3_0, "haproxy-consistent-3-0",
           "hash-type consistent of 3.0 to 3.2, with their other points",
           "HAProxy 3.2.0, lb_chash.c", quirks_of_3_0, options_3_0, build_3_0);
