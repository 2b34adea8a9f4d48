/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_crc32.c - CRC-32 of IEEE 802.3 (zlib, PNG), eight bytes a step.
 *
 * Table k gives the CRC of a byte followed by k zero bytes; the compiler makes
 * all 2,048 entries from the 64 of the single bits below.
 */
#include "../core/hash.h"
#include "hash_crc_table.h"

#define T0(i) CWI_CRC_SUM(i, 0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, \
                          0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320)
#define T1(i) CWI_CRC_SUM(i, 0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, \
                          0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b)
#define T2(i) CWI_CRC_SUM(i, 0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, \
                          0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80)
#define T3(i) CWI_CRC_SUM(i, 0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, \
                          0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b)
#define T4(i) CWI_CRC_SUM(i, 0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, \
                          0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092)
#define T5(i) CWI_CRC_SUM(i, 0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, \
                          0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8)
#define T6(i) CWI_CRC_SUM(i, 0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, \
                          0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2)
#define T7(i) CWI_CRC_SUM(i, 0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, \
                          0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da)

/* CWI_SMALL, for a module that travels: half a byte a step. The entry of four
 * bits is that of a byte which has them on top. */
#ifdef CWI_SMALL
#define HIGH4(i) T0((i) << 4)

static const uint32_t crc_table[16] = { CWI_CRC_16(HIGH4, 0u) };
#else
static const uint32_t crc_table[8][256] = {
    CWI_CRC_TABLE(T0), CWI_CRC_TABLE(T1), CWI_CRC_TABLE(T2), CWI_CRC_TABLE(T3),
    CWI_CRC_TABLE(T4), CWI_CRC_TABLE(T5), CWI_CRC_TABLE(T6), CWI_CRC_TABLE(T7)
};

/* The part of four bytes that stand `after` bytes before the end of a step. */
static inline uint32_t
crc_word(uint32_t x, unsigned after)
{
    return crc_table[after + 3][x & 0xff] ^
           crc_table[after + 2][x >> 8 & 0xff] ^
           crc_table[after + 1][x >> 16 & 0xff] ^
           crc_table[after][x >> 24];
}
#endif

uint32_t
cwi_crc32(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;

    crc = ~crc;
#ifdef CWI_SMALL
    for (; len > 0; len--, p++) {
        crc = crc >> 4 ^ crc_table[(crc ^ *p) & 15];
        crc = crc >> 4 ^ crc_table[(crc ^ (uint32_t)*p >> 4) & 15];
    }
#else
    for (; len >= 8; len -= 8, p += 8)
        crc = crc_word(crc ^ cwi_load32le(p), 4) ^
              crc_word(cwi_load32le(p + 4), 0);
    for (; len > 0; len--, p++)
        crc = crc >> 8 ^ crc_table[0][(crc ^ *p) & 0xff];
#endif
    return ~crc;
}

static uint64_t
crc32_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    (void)key;
    return cwi_crc32(0, data, len);
}

const struct cwi_hash_ops cwi_hash_crc32 = {
    .name    = "crc32",
    .summary = "CRC-32 (IEEE 802.3, as in zlib)",
    .source  = "IEEE 802.3; RFC 1952 section 8",
    .bits    = 32,
    .traits  = CWI_HASH_WEAK,
    .hash    = crc32_hash,
};
