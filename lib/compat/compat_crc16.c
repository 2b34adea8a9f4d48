/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_crc16.c - CRC-16/XMODEM, eight bytes a step.
 *
 * Table k gives the CRC of a byte followed by k zero bytes.
 */
#include "compat/compat_hashes.h"
#include "hash/hash_crc_table.h"

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
#define T0(i) CWI_CRC_SUM(i, 0x1021, 0x2042, 0x4084, 0x8108, \
                          0x1231, 0x2462, 0x48c4, 0x9188)
#define T1(i) CWI_CRC_SUM(i, 0x3331, 0x6662, 0xccc4, 0x89a9, \
                          0x0373, 0x06e6, 0x0dcc, 0x1b98)
#define T2(i) CWI_CRC_SUM(i, 0x3730, 0x6e60, 0xdcc0, 0xa9a1, \
                          0x4363, 0x86c6, 0x1dad, 0x3b5a)
#define T3(i) CWI_CRC_SUM(i, 0x76b4, 0xed68, 0xcaf1, 0x85c3, \
                          0x1ba7, 0x374e, 0x6e9c, 0xdd38)
#define T4(i) CWI_CRC_SUM(i, 0xaa51, 0x4483, 0x8906, 0x022d, \
                          0x045a, 0x08b4, 0x1168, 0x22d0)
#define T5(i) CWI_CRC_SUM(i, 0x45a0, 0x8b40, 0x06a1, 0x0d42, \
                          0x1a84, 0x3508, 0x6a10, 0xd420)
#define T6(i) CWI_CRC_SUM(i, 0xb861, 0x60e3, 0xc1c6, 0x93ad, \
                          0x377b, 0x6ef6, 0xddec, 0xabf9)
#define T7(i) CWI_CRC_SUM(i, 0x47d3, 0x8fa6, 0x0f6d, 0x1eda, \
                          0x3db4, 0x7b68, 0xf6d0, 0xfd81)

static const uint16_t crc_table[8][256] = {
    CWI_CRC_TABLE(T0), CWI_CRC_TABLE(T1), CWI_CRC_TABLE(T2), CWI_CRC_TABLE(T3),
    CWI_CRC_TABLE(T4), CWI_CRC_TABLE(T5), CWI_CRC_TABLE(T6), CWI_CRC_TABLE(T7)
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
