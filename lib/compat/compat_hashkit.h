/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_hashkit.h - the hash functions of libhashkit, which libmemcached and
 * twemproxy share, with that library's names and quirks.
 */
#ifndef CWI_COMPAT_HASHKIT_H
#define CWI_COMPAT_HASHKIT_H

#include "compat/compat_hashes.h"

enum cwi_hashkit {
    CWI_HASHKIT_ONE_AT_A_TIME,
    CWI_HASHKIT_MD5,            /* first 4 bytes, little-endian             */
    CWI_HASHKIT_CRC15,          /* "crc", "crc32": 15 bits of the CRC-32    */
    CWI_HASHKIT_CRC32,          /* "crc32a": the CRC-32                     */
    CWI_HASHKIT_CRC16,          /* 32-bit register, not masked              */
    CWI_HASHKIT_FNV1_64,        /* low half                                 */
    CWI_HASHKIT_FNV1A_64,       /* 32-bit register                          */
    CWI_HASHKIT_FNV1_32,
    CWI_HASHKIT_FNV1A_32,
    CWI_HASHKIT_HSIEH,
    CWI_HASHKIT_MURMUR,         /* MurmurHash2, seed 0xdeadbeef * length    */
    CWI_HASHKIT_MURMUR3,        /* x86_32, the same seed                    */
    CWI_HASHKIT_JENKINS         /* lookup3, initval 13                      */
};

uint32_t cwi_hashkit(enum cwi_hashkit kind, const uint8_t *p, size_t len,
                     enum cwi_char s);

/* Does it read bytes as char, so that `s` matters? */
int cwi_hashkit_reads_char(enum cwi_hashkit kind);

/* Largest value. */
uint64_t cwi_hashkit_top(enum cwi_hashkit kind);

#endif
