/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_nginx.c - "hash KEY" and "hash KEY consistent" of nginx's upstreams.
 * Rules and quirks: docs/formats/nginx.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_crc_chain.h"
#include "compat/compat_hashes.h"
#include "compat/compat_list.h"
#include "core/points.h"

#define TRIES 20u       /* then nginx goes over to round robin */

/* ---- consistent -------------------------------------------------------- */

/* As nginx cuts a server's text: the last ':' followed by digits only. */
static void
split(const uint8_t *text, size_t len, struct cwi_span *host,
      struct cwi_span *port)
{
    size_t at = len;

    *host = (struct cwi_span){ text, len };
    *port = (struct cwi_span){ text, 0 };
    if (len >= 5 && memcmp(text, "unix:", 5) == 0) {
        host->p += 5;
        host->len -= 5;
        return;
    }
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
        at--;
    if (at == 0 || at == len || text[at - 1] != ':')
        return;
    host->len = at - 1;
    *port = (struct cwi_span){ text + at, len - at };
}

static void
consistent_points(const struct cwi_placement *p, const struct cwi_label *l,
                  uint8_t *scratch, uint64_t *out)
{
    struct cwi_span host, port;

    (void)p;
    split(l->node, l->node_len, &host, &port);
    *out = cwi_crc_chain(host, port, l->i, scratch);
}

static uint64_t
consistent_labels(const struct cwi_placement *p,
                  const struct cwi_nodes *nodes, uint32_t node)
{
    (void)p;
    return 160 * cwi_whole(nodes->v[node].weight);
}

static cw_status
consistent_plan(const struct cwi_algo_ops *self,
                const struct cwi_nodes *nodes, const struct cwi_placement *p,
                struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, INT32_MAX, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

static uint64_t
crc32_key(const struct cwi_placement *p, const void *key, size_t len)
{
    (void)p;
    return cwi_crc32(0, key, len);
}

static const struct cwi_compat_ring ring = {
    .points = consistent_points, .per_label = 1, .labels = consistent_labels,
    .top = UINT32_MAX
};

const struct cwi_compat_ops cwi_compat_nginx_consistent = {
    .algo = {
        .name     = "nginx-consistent",
        .summary  = "hash KEY consistent: 160 chained CRC-32 points a weight",
        .source   = "nginx 1.22, ngx_http_upstream_hash_module.c",
        .traits   = CW_TRAIT_MINIMAL | CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,
        .plan     = consistent_plan,
        .hash_key = crc32_key,
        CWI_COMPAT_RING_OPS
    },
    .ring = &ring
};

/* ---- hash -------------------------------------------------------------- */

static cw_status
hash_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
          const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, INT32_MAX, err);

    (void)p;
    return st == CW_OK ? cwi_list_plan(nodes, 0x7fff, out) : st;
}

static void
hash_build(const struct cwi_algo_ops *self, void *state, void *scratch,
           const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    (void)p;
    cwi_list_build(state, scratch, 0x7fff, nodes, CWI_LIST_WEIGHTED, NULL);
}

static uint32_t
hash_owner(const void *state, const void *key, size_t len)
{
    return cwi_list_find(state, cwi_crc15(key, len));
}

/* Each further try adds its own hash to the sum. */
static void
hash_walk_key(const void *state, const void *key, size_t len,
              struct cwi_walk *w)
{
    uint64_t total = cwi_list_total(state), sum = 0;

    for (uint64_t number = 0; number <= TRIES; number++) {
        sum += cwi_crc15_try(number, key, len);
        if (cwi_walk_visit(w, cwi_list_at(state, sum % total)))
            return;
    }
    cwi_list_walk(state, 0, w);
}

const struct cwi_compat_ops cwi_compat_nginx_hash = {
    .algo = {
        .name      = "nginx-hash",
        .quirks    = cwi_quirks_modulo,
        .summary   = "hash KEY: 15 bits of the CRC-32 % sum of weights",
        .source    = "nginx 1.22, ngx_http_upstream_hash_module.c",
        .traits    = CWI_WHOLE_WEIGHTS,
        .plan      = hash_plan,
        .build     = hash_build,
        .owner_key = hash_owner,
        .walk_key  = hash_walk_key,
        .share     = cwi_list_share
    }
};
