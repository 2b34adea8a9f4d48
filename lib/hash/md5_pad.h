/* SPDX-License-Identifier: Apache-2.0 */
/*
 * md5_pad.h - a short text as the first half of its only MD5 block, without
 * a call and without a loop over bytes. Of the other half only word 14, the
 * length, is not 0.
 */
#ifndef CWI_MD5_PAD_H
#define CWI_MD5_PAD_H

#include "../core/hash.h"

#define CWI_MD5_SHORT 31u       /* most bytes of a short text               */

/* 4 to 7 bytes by two words that overlap, fewer one by one. */
static inline uint64_t
cwi_md5_tail(const uint8_t *p, size_t len)
{
    uint64_t x = 0;

    if (len >= 4)
        return cwi_load32le(p) |
               (uint64_t)cwi_load32le(p + len - 4) << (8 * len - 32);
    for (size_t i = 0; i < len; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

/* len <= CWI_MD5_SHORT bytes, the bit behind them, and zeros. */
static inline void
cwi_md5_pad(const void *text, size_t len, uint64_t out[4])
{
    const uint8_t *p = text;
    unsigned over = 8 * (unsigned)(len % 8);
    uint64_t last;

    out[0] = out[1] = out[2] = out[3] = 0;
    if (len < 8) {
        out[0] = cwi_md5_tail(p, len) | UINT64_C(0x80) << over;
        return;
    }
    out[0] = cwi_load64le(p);
    if (len >= 16)
        out[1] = cwi_load64le(p + 8);
    if (len >= 24)
        out[2] = cwi_load64le(p + 16);
    last = cwi_load64le(p + len - 8) >> 1 >> (63 - over);
    out[len / 8] = last | UINT64_C(0x80) << over;
}

#endif
