/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_crc16.c - CRC-16/XMODEM, eight bytes a step.
 *
 * Table k gives the CRC of a byte followed by k zero bytes, made from those
 * of the eight single bits (bit 0 first), as in hash_crc32.c.
 */
#include "compat/compat_hashes.h"

#ifdef CWI_SMALL        /* for a module that travels: no tables */
static uint32_t
crc_byte(uint32_t x)
{
    uint32_t t = x << 8;

    for (unsigned bit = 0; bit < 8; bit++)
        t = t & 0x8000 ? t << 1 ^ 0x1021 : t << 1;
    return t & 0xffff;
}
#else
#define BIT(i, n, sum) (((i) >> (n) & 1u) != 0 ? sum : 0)
#define SUM8(i, a, b, c, d, e, f, g, h)                       \
    (BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ \
     BIT(i, 4, e) ^ BIT(i, 5, f) ^ BIT(i, 6, g) ^ BIT(i, 7, h))

#define T0(i) SUM8(i, 0x1021, 0x2042, 0x4084, 0x8108, \
                      0x1231, 0x2462, 0x48c4, 0x9188)
#define T1(i) SUM8(i, 0x3331, 0x6662, 0xccc4, 0x89a9, \
                      0x0373, 0x06e6, 0x0dcc, 0x1b98)
#define T2(i) SUM8(i, 0x3730, 0x6e60, 0xdcc0, 0xa9a1, \
                      0x4363, 0x86c6, 0x1dad, 0x3b5a)
#define T3(i) SUM8(i, 0x76b4, 0xed68, 0xcaf1, 0x85c3, \
                      0x1ba7, 0x374e, 0x6e9c, 0xdd38)
#define T4(i) SUM8(i, 0xaa51, 0x4483, 0x8906, 0x022d, \
                      0x045a, 0x08b4, 0x1168, 0x22d0)
#define T5(i) SUM8(i, 0x45a0, 0x8b40, 0x06a1, 0x0d42, \
                      0x1a84, 0x3508, 0x6a10, 0xd420)
#define T6(i) SUM8(i, 0xb861, 0x60e3, 0xc1c6, 0x93ad, \
                      0x377b, 0x6ef6, 0xddec, 0xabf9)
#define T7(i) SUM8(i, 0x47d3, 0x8fa6, 0x0f6d, 0x1eda, \
                      0x3db4, 0x7b68, 0xf6d0, 0xfd81)

#define X4(t, i)   t((i)), t((i) + 1), t((i) + 2), t((i) + 3)
#define X16(t, i)  X4(t, (i)), X4(t, (i) + 4), X4(t, (i) + 8), X4(t, (i) + 12)
#define X64(t, i)                                                  \
    X16(t, (i)), X16(t, (i) + 16), X16(t, (i) + 32), X16(t, (i) + 48)
#define TABLE(t)   { X64(t, 0u), X64(t, 64u), X64(t, 128u), X64(t, 192u) }

static const uint16_t crc_table[8][256] = {
    TABLE(T0), TABLE(T1), TABLE(T2), TABLE(T3),
    TABLE(T4), TABLE(T5), TABLE(T6), TABLE(T7)
};

static inline uint32_t
crc_byte(uint32_t x)
{
    return crc_table[0][x];
}

static inline uint32_t
crc_eight(uint32_t crc, const uint8_t *p)
{
    uint32_t sum = crc_table[7][(crc >> 8 ^ p[0]) & 0xff] ^
                   crc_table[6][(crc ^ p[1]) & 0xff];

    for (unsigned i = 2; i < 8; i++)
        sum ^= crc_table[7 - i][p[i]];
    return sum;
}
#endif

/* A wider register has bits of the last four bytes only, and none that count
 * for its lower half. */
uint32_t
cwi_crc16(const uint8_t *p, size_t len, uint32_t mask)
{
    uint32_t crc = 0;

#ifndef CWI_SMALL
    size_t single = mask > 0xffff ? 4 : 0;

    for (; len >= 8 + single; len -= 8, p += 8)
        crc = crc_eight(crc, p);
#endif
    for (; len > 0; len--, p++)
        crc = (crc << 8 ^ crc_byte((crc >> 8 ^ *p) & 0xff)) & mask;
    return crc;
}
