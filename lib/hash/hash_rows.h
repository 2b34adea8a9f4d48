/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_rows.h - one row per hash function, in alphabetical order. Row NAME is
 * `cwi_hash_NAME` in hash_NAME.c and needs tests/golden/hash/NAME.txt.
 */
#ifndef CWI_HASH_ROWS_H
#define CWI_HASH_ROWS_H

#define CW_HASH_ROWS(ROW)    \
    ROW(crc32)               \
    ROW(fnv1_32)             \
    ROW(fnv1_32_avalanche)   \
    ROW(fnv1_64)             \
    ROW(fnv1_64_avalanche)   \
    ROW(fnv1a_32)            \
    ROW(fnv1a_32_avalanche)  \
    ROW(fnv1a_64)            \
    ROW(fnv1a_64_avalanche)  \
    ROW(md5)                 \
    ROW(murmur3_128)         \
    ROW(murmur3_32)          \
    ROW(sha1)                \
    ROW(siphash)             \
    ROW(xxh3)                \
    ROW(xxh64)

#endif
