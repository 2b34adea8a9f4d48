/* SPDX-License-Identifier: Apache-2.0 */
/* compat_crc_chain.c - chained CRC-32 points and retries. */
#include "compat/compat_crc_chain.h"

#include "core/hash.h"

static void
store32le(uint8_t *p, uint32_t x)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> 8 * i);
}

uint32_t
cwi_crc_chain(struct cwi_span host, struct cwi_span port, uint64_t i,
              uint8_t *scratch)
{
    uint8_t *base = scratch, *last = scratch + 4;
    uint32_t point;

    if (i == 0) {
        uint32_t crc = cwi_crc32(0, host.p, host.len);

        crc = cwi_crc32(crc, "", 1);        /* the NUL */
        store32le(base, cwi_crc32(crc, port.p, port.len));
        store32le(last, 0);
    }
    point = cwi_crc32(cwi_load32le(base), last, 4);
    store32le(last, point);
    return point;
}

uint32_t
cwi_crc15_try(uint64_t number, const uint8_t *key, size_t len)
{
    uint8_t digits[20];
    uint32_t crc = 0;

    if (number > 0)
        crc = cwi_crc32(0, digits, cwi_decimal(number, digits));
    return (cwi_crc32(crc, key, len) >> 16) & 0x7fff;
}
