/* SPDX-License-Identifier: Apache-2.0 */
/* compat_java_hash.c - hash functions of Java clients by number. */
#include "compat/compat_java_hash.h"

#include "core/hash.h"

uint32_t
cwi_java_hash(enum cwi_java_hash kind, const uint8_t *p, size_t len)
{
    switch (kind) {
    case CWI_JAVA_KETAMA:
        return cwi_md5_le(p, len);
    case CWI_JAVA_NATIVE:
        return cwi_utf16_hash(CWI_UTF16_NATIVE, p, len);
    case CWI_JAVA_CRC15:
        return cwi_crc15(p, len);
    case CWI_JAVA_FNV1_64:
        return cwi_utf16_hash(CWI_UTF16_FNV1_64, p, len);
    case CWI_JAVA_FNV1A_64:
        return cwi_utf16_hash(CWI_UTF16_FNV1A_64, p, len);
    case CWI_JAVA_FNV1_32:
        return cwi_utf16_hash(CWI_UTF16_FNV1_32, p, len);
    case CWI_JAVA_FNV1A_32:
        return cwi_utf16_hash(CWI_UTF16_FNV1A_32, p, len);
    case CWI_JAVA_ONE_AT_A_TIME:
        return cwi_oaat(p, len, CWI_UNSIGNED);
    }
    return 0;
}

uint64_t
cwi_java_hash_top(enum cwi_java_hash kind)
{
    return kind == CWI_JAVA_CRC15 ? 0x7fff : UINT32_MAX;
}
