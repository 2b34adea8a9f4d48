/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_java_hash.h - the hash functions that spymemcached and xmemcached
 * offer, by number.
 */
#ifndef CWI_COMPAT_JAVA_HASH_H
#define CWI_COMPAT_JAVA_HASH_H

#include "compat/compat_hashes.h"

enum cwi_java_hash {
    CWI_JAVA_KETAMA,        /* first 4 bytes of MD5, little-endian          */
    CWI_JAVA_NATIVE,        /* String.hashCode()                            */
    CWI_JAVA_CRC15,         /* 15 bits of the CRC-32                        */
    CWI_JAVA_FNV1_64,
    CWI_JAVA_FNV1A_64,
    CWI_JAVA_FNV1_32,
    CWI_JAVA_FNV1A_32,
    CWI_JAVA_ONE_AT_A_TIME  /* bytes unsigned; xmemcached only              */
};

#define CWI_JAVA_HASHES \
    "ketama native crc fnv1_64 fnv1a_64 fnv1_32 fnv1a_32"

uint32_t cwi_java_hash(enum cwi_java_hash kind, const uint8_t *p, size_t len);
uint64_t cwi_java_hash_top(enum cwi_java_hash kind);

#endif
