/* SPDX-License-Identifier: Apache-2.0 */
/* compat_hashkit.c - libhashkit's functions by number. */
#include "compat/compat_hashkit.h"

#include "core/hash.h"

uint32_t
cwi_hashkit(enum cwi_hashkit kind, const uint8_t *p, size_t len,
            enum cwi_char s)
{
    uint32_t seed = UINT32_C(0xdeadbeef) * (uint32_t)len;

    switch (kind) {
    case CWI_HASHKIT_ONE_AT_A_TIME: return cwi_oaat(p, len, s);
    case CWI_HASHKIT_MD5:           return cwi_md5_le(p, len);
    case CWI_HASHKIT_CRC15:         return cwi_crc15(p, len);
    case CWI_HASHKIT_CRC32:         return cwi_crc32(0, p, len);
    case CWI_HASHKIT_CRC16:         return cwi_crc16(p, len, UINT32_MAX);
    case CWI_HASHKIT_FNV1_64:       return cwi_fnv1_64_low(p, len, s);
    case CWI_HASHKIT_FNV1A_64:      return cwi_fnv1a_64_low(p, len, s);
    case CWI_HASHKIT_FNV1_32:       return cwi_fnv1_32_char(p, len, s);
    case CWI_HASHKIT_FNV1A_32:      return cwi_fnv1a_32_char(p, len, s);
    case CWI_HASHKIT_HSIEH:         return cwi_hsieh(p, len, s);
    case CWI_HASHKIT_MURMUR:        return cwi_murmur2(p, len, seed);
    case CWI_HASHKIT_MURMUR3:       return cwi_murmur3(p, len, seed);
    case CWI_HASHKIT_JENKINS:       return cwi_lookup3(p, len, 13);
    }
    return 0;
}

uint64_t
cwi_hashkit_top(enum cwi_hashkit kind)
{
    return kind == CWI_HASHKIT_CRC15 ? 0x7fff : UINT32_MAX;
}

int
cwi_hashkit_reads_char(enum cwi_hashkit kind)
{
    return kind == CWI_HASHKIT_ONE_AT_A_TIME || kind == CWI_HASHKIT_HSIEH ||
           (kind >= CWI_HASHKIT_FNV1_64 && kind <= CWI_HASHKIT_FNV1A_32);
}
