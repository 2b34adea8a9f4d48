/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_fnv.h - the loop of Fowler, Noll and Vo in its four forms.
 *
 * FNV-1 multiplies and then takes in a byte, FNV-1a takes it in first. Bytes
 * are unsigned here as in the published function; programs that read them as
 * plain char agree for ASCII only, and on some processors only.
 */
#ifndef CWI_HASH_FNV_H
#define CWI_HASH_FNV_H

#include <stddef.h>
#include <stdint.h>

#define CWI_FNV_SOURCE "draft-eastlake-fnv (Fowler, Noll, Vo)"

#define CWI_FNV_START32 UINT32_C(0x811c9dc5)
#define CWI_FNV_PRIME32 UINT32_C(0x01000193)
#define CWI_FNV_START64 UINT64_C(0xcbf29ce484222325)
#define CWI_FNV_PRIME64 UINT64_C(0x00000100000001b3)

static inline uint32_t
cwi_fnv1_32_of(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint32_t h = CWI_FNV_START32;

    for (size_t i = 0; i < len; i++)
        h = (h * CWI_FNV_PRIME32) ^ p[i];
    return h;
}

static inline uint32_t
cwi_fnv1a_32_of(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint32_t h = CWI_FNV_START32;

    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * CWI_FNV_PRIME32;
    return h;
}

static inline uint64_t
cwi_fnv1_64_of(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t h = CWI_FNV_START64;

    for (size_t i = 0; i < len; i++)
        h = (h * CWI_FNV_PRIME64) ^ p[i];
    return h;
}

static inline uint64_t
cwi_fnv1a_64_of(const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t h = CWI_FNV_START64;

    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * CWI_FNV_PRIME64;
    return h;
}

#endif
