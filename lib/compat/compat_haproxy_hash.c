/* SPDX-License-Identifier: Apache-2.0 */
/* compat_haproxy_hash.c - hash functions and server ids of HAProxy. */
#include "compat/compat_haproxy.h"

#include "core/hash.h"

enum { DEFAULT, SDBM, DJB2, WT6, CRC32, NONE };

/* "none": a decimal number with an optional sign, cut to 32 bits; 0 for a
 * text that does not begin so. */
static uint32_t
read_integer(const uint8_t *key, size_t len)
{
    uint64_t n = 0;
    size_t i = 0;
    int minus = 0;

    if (len > 0 && (key[0] == '-' || key[0] == '+')) {
        minus = key[0] == '-';
        i = 1;
    }
    for (; i < len && key[i] >= '0' && key[i] <= '9'; i++)
        n = n * 10 + (key[i] - (uint64_t)'0');
    return (uint32_t)(minus ? 0 - n : n);
}

uint32_t
cwi_haproxy_hash(const struct cwi_placement *p, const uint8_t *key, size_t len)
{
    uint32_t h = 0;

    switch (p->num[CWI_HAPROXY_HASH]) {
    case DEFAULT:
    case SDBM:  h = cwi_sdbm(key, len); break;
    case DJB2:  h = cwi_djb2(key, len); break;
    case WT6:   h = cwi_wt6(key, len); break;
    case CRC32: h = cwi_crc32(0, key, len); break;
    case NONE:  h = read_integer(key, len); break;
    }
    return p->num[CWI_HAPROXY_AVALANCHE] ? cwi_full_avalanche(h) : h;
}

static int
id_in_use(const uint32_t *ids, uint32_t n, uint32_t id)
{
    for (uint32_t i = 0; i < n; i++) {
        if (ids[i] == id)
            return 1;
    }
    return 0;
}

/* Explicit ids are taken first, then each line without one gets the next
 * free number; the counter rises by one a line in any case. */
void
cwi_haproxy_ids(const struct cwi_nodes *nodes, uint32_t *ids)
{
    uint32_t next = 1;

    for (uint32_t i = 0; i < nodes->n; i++) {
        struct cwi_span label = { nodes->v[i].label, nodes->v[i].label_len };
        uint64_t id = 0;

        cwi_label_number(&label, "id", &id);
        ids[i] = id <= UINT32_MAX ? (uint32_t)id : 0;
    }
    for (uint32_t i = 0; i < nodes->n; i++, next++) {
        if (ids[i] != 0)
            continue;
        while (id_in_use(ids, nodes->n, next))
            next++;
        ids[i] = next;
    }
}
