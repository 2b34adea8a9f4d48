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
    CWI_HAPROXY_KEY,            /* hash-key, of the rings of 3.0            */
    CWI_HAPROXY_PART,           /* what of a key is hashed                  */
    CWI_HAPROXY_URI_LEN,
    CWI_HAPROXY_URI_DEPTH
};

#define CWI_HAPROXY_HASH_READS                                              \
    (1u << CWI_HAPROXY_HASH | 1u << CWI_HAPROXY_AVALANCHE                   \
     | 1u << CWI_HAPROXY_PART | 1u << CWI_HAPROXY_URI_LEN                   \
     | 1u << CWI_HAPROXY_URI_DEPTH)

#define CWI_HAPROXY_WEIGHT_MAX 256u

/* The options of all rows. */
#define CWI_HAPROXY_OPTIONS(about)                                          \
    { "hash", about, CWI_OPT_ENUM, CWI_HAPROXY_HASH, 0, 0, "default",       \
      "default sdbm djb2 wt6 crc32 none" },                                 \
    { "avalanche", "the modifier \"avalanche\" of hash-type", CWI_OPT_ENUM, \
      CWI_HAPROXY_AVALANCHE, 0, 0, "no", "no yes" },                        \
    { "key", "balance: bytes as they are; uri and uri-whole cut a request "  \
      "target; source: a client's address, as text", CWI_OPT_ENUM,          \
      CWI_HAPROXY_PART, 0, 0, "bytes", "bytes uri uri-whole source" },      \
    { "uri-len", "balance uri len; 0: no limit", CWI_OPT_UINT,              \
      CWI_HAPROXY_URI_LEN, 0, UINT32_MAX, "0", NULL },                      \
    { "uri-depth", "balance uri depth, in slashes; 0: no limit",            \
      CWI_OPT_UINT, CWI_HAPROXY_URI_DEPTH, 0, UINT32_MAX, "0", NULL }

/* The hash as named, avalanche as asked; "default" is sdbm. */
uint32_t cwi_haproxy_hash(const struct cwi_placement *p, const uint8_t *key,
                          size_t len);

/*
 * ids[i] becomes the id of server i: the number in a label "id=N" or
 * "NAME id=N", else the next free one.
 */
void cwi_haproxy_ids(const struct cwi_nodes *nodes, uint32_t *ids);

#endif
