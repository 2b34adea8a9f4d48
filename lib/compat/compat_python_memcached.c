/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_python_memcached.c - python-memcached: 15 bits of the CRC-32 over a
 * list. Rule and quirks: docs/formats/python-memcached.md.
 */
#include "compat/compat_hashes.h"
#include "compat/compat_list.h"
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"

#define TRIES 10u       /* _SERVER_RETRIES */

static uint64_t
hash_key(const struct cwi_placement *p, const void *key, size_t len)
{
    uint32_t h = cwi_crc15(key, len);

    (void)p;
    return h ? h : 1;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, 1000000, err);

    (void)p;
    return st == CW_OK ? cwi_list_plan(nodes, 0x7fff, out) : st;
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    (void)self;
    (void)p;
    cwi_list_build(state, scratch, 0x7fff, nodes, CWI_LIST_WEIGHTED, NULL);
}

/* The next try hashes the text of the last hash and of its number. */
static void
walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint64_t total = cwi_list_total(state);
    uint8_t text[40];

    for (uint64_t number = 0; number < TRIES; number++) {
        if (cwi_walk_visit(w, cwi_list_at(state, at % total)))
            return;
        at = hash_key(NULL, text,
                      (size_t)(cwi_put_number(cwi_put_number(text, at),
                                              number) - text));
    }
    cwi_list_walk(state, at, w);
}

const struct cwi_compat_ops cwi_compat_python_memcached = {
    .algo = {
        .name     = "python-memcached",
        .quirks   = cwi_quirks_modulo,
        .summary  = "15 bits of the CRC-32 % sum of weights",
        .source   = "python-memcached 1.59, memcache.py",
        .traits   = CWI_WHOLE_WEIGHTS,
        .plan     = plan,
        .build    = build,
        .hash_key = hash_key,
        .find     = cwi_list_find,
        .walk     = walk,
        .share    = cwi_list_share
    }
};
