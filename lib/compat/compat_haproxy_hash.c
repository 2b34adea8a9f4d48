/* SPDX-License-Identifier: Apache-2.0 */
/* compat_haproxy_hash.c - hash functions and server ids of HAProxy. */
#include "compat/compat_haproxy.h"

#include "core/hash.h"

enum { DEFAULT, SDBM, DJB2, WT6, CRC32, NONE };
enum { PART_BYTES, PART_URI, PART_URI_WHOLE, PART_SOURCE };

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

/* How much of a request target `balance uri` hashes: up to len bytes, the
 * '?' (unless all of it counts) or the slash number depth + 1. */
static size_t
uri_part(const struct cwi_placement *p, const uint8_t *key, size_t len)
{
    uint64_t most = p->num[CWI_HAPROXY_URI_LEN];
    uint64_t depth = p->num[CWI_HAPROXY_URI_DEPTH], slashes = 0;
    size_t i = 0;

    if (most > 0 && most < len)
        len = (size_t)most;
    for (; i < len; i++) {
        if (key[i] == '/' && slashes++ == depth && depth > 0)
            break;
        if (key[i] == '?' && p->num[CWI_HAPROXY_PART] == PART_URI)
            break;
    }
    return i;
}

static int
hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The 16-bit groups of an IPv6 address; 0 when the text is none. */
static int
read_ipv6(const uint8_t *key, size_t len, uint16_t group[8])
{
    unsigned n = 0, gap = 8;
    size_t i = 0;

    memset(group, 0, 8 * sizeof *group);
    while (i < len) {
        uint32_t value = 0;
        size_t from = i;

        if (len - i >= 2 && key[i] == ':' && key[i + 1] == ':' && gap == 8) {
            gap = n;
            i += 2;
            continue;
        }
        if (n > 0 && gap != n && key[i++] != ':')
            return 0;
        for (from = i; i < len && hex_digit(key[i]) >= 0; i++)
            value = value << 4 | (uint32_t)hex_digit(key[i]);
        if (i == from || i - from > 4 || n == 8)
            return 0;
        group[n++] = (uint16_t)value;
    }
    if (gap == 8 ? n != 8 : n > 7)
        return 0;
    for (unsigned k = 0; gap < 8 && k < n - gap; k++) {
        uint16_t value = group[n - 1 - k];

        group[n - 1 - k] = 0;
        group[7 - k] = value;
    }
    return 1;
}

/* The words of a client's address, exclusive-or-ed: the address of IPv4 or
 * IPv6 as text, or its bytes. */
static uint32_t
source_word(const uint8_t *key, size_t len)
{
    uint16_t group[8];
    uint32_t h = 0, byte = 0;
    unsigned dots = 0;
    size_t i;

    for (i = 0; i < len; i++) {
        if (key[i] >= '0' && key[i] <= '9' && byte < 26) {
            byte = byte * 10 + (key[i] - (uint32_t)'0');
        } else if (key[i] == '.' && dots < 3) {
            h = h << 8 | (byte & 0xff);
            byte = 0;
            dots++;
        } else {
            break;
        }
    }
    if (i == len && dots == 3)
        return h << 8 | (byte & 0xff);
    h = 0;
    if (read_ipv6(key, len, group)) {
        for (i = 0; i < 8; i += 2)
            h ^= (uint32_t)group[i] << 16 | group[i + 1];
        return h;
    }
    for (i = 0; i + 4 <= len; i += 4)
        h ^= (uint32_t)key[i] << 24 | (uint32_t)key[i + 1] << 16
            | (uint32_t)key[i + 2] << 8 | key[i + 3];
    return h;
}

uint32_t
cwi_haproxy_hash(const struct cwi_placement *p, const uint8_t *key, size_t len)
{
    uint64_t part = p->num[CWI_HAPROXY_PART];
    uint32_t h = 0;

    if (part == PART_URI || part == PART_URI_WHOLE)
        len = uri_part(p, key, len);
    if (part == PART_SOURCE)
        h = source_word(key, len);
    else switch (p->num[CWI_HAPROXY_HASH]) {
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
