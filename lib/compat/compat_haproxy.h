/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_haproxy.h - hash functions and server ids of HAProxy.
 */
#ifndef CWI_COMPAT_HAPROXY_H
#define CWI_COMPAT_HAPROXY_H

#include "compat/compat_text.h"

enum cwi_haproxy_slot {
    CWI_HAPROXY_HASH,
    CWI_HAPROXY_AVALANCHE,
    CWI_HAPROXY_KEY             /* hash-key, of the rings of 3.0            */
};

#define CWI_HAPROXY_HASH_READS 3u

#define CWI_HAPROXY_WEIGHT_MAX 256u

/* The options "hash" and "avalanche". */
#define CWI_HAPROXY_OPTIONS(about)                                          \
    { "hash", about, CWI_OPT_ENUM, CWI_HAPROXY_HASH, 0, 0, "default",       \
      "default sdbm djb2 wt6 crc32 none" },                                 \
    { "avalanche", "the modifier \"avalanche\" of hash-type", CWI_OPT_ENUM, \
      CWI_HAPROXY_AVALANCHE, 0, 0, "no", "no yes" }

/* The hash as named, avalanche as asked; "default" is sdbm. */
uint32_t cwi_haproxy_hash(const struct cwi_placement *p, const uint8_t *key,
                          size_t len);

/*
 * ids[i] becomes the id of server i: the number in a label "id=N" or
 * "NAME id=N", else the next free one.
 */
void cwi_haproxy_ids(const struct cwi_nodes *nodes, uint32_t *ids);

#endif
