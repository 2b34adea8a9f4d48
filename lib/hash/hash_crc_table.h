/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_crc_table.h - tables of a CRC, made by the compiler.
 *
 * A CRC is linear: the entry of a byte is the sum (xor) of the entries of its
 * bits, here a (bit 0) to h.
 */
#ifndef CWI_HASH_CRC_TABLE_H
#define CWI_HASH_CRC_TABLE_H

#include <stdint.h>

#define CWI_CRC_BIT(i, n, sum) \
    (((i) >> (n) & 1u) != 0 ? UINT32_C(sum) : UINT32_C(0))
#define CWI_CRC_SUM(i, a, b, c, d, e, f, g, h)                \
    (CWI_CRC_BIT(i, 0, a) ^ CWI_CRC_BIT(i, 1, b) ^            \
     CWI_CRC_BIT(i, 2, c) ^ CWI_CRC_BIT(i, 3, d) ^            \
     CWI_CRC_BIT(i, 4, e) ^ CWI_CRC_BIT(i, 5, f) ^            \
     CWI_CRC_BIT(i, 6, g) ^ CWI_CRC_BIT(i, 7, h))

/* Entries from i on by macro t, which takes a number. */
#define CWI_CRC_4(t, i) t((i)), t((i) + 1), t((i) + 2), t((i) + 3)
#define CWI_CRC_16(t, i)                                      \
    CWI_CRC_4(t, (i)), CWI_CRC_4(t, (i) + 4),                 \
        CWI_CRC_4(t, (i) + 8), CWI_CRC_4(t, (i) + 12)
#define CWI_CRC_64(t, i)                                      \
    CWI_CRC_16(t, (i)), CWI_CRC_16(t, (i) + 16),              \
        CWI_CRC_16(t, (i) + 32), CWI_CRC_16(t, (i) + 48)
#define CWI_CRC_TABLE(t)                                      \
    {                                                         \
        CWI_CRC_64(t, 0u), CWI_CRC_64(t, 64u),                \
        CWI_CRC_64(t, 128u), CWI_CRC_64(t, 192u)              \
    }

#endif
