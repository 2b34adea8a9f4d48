/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_fmix.h - the 32-bit finaliser of MurmurHash3: a bijection that spreads
 * every bit. Source: Austin Appleby, MurmurHash3.cpp (public domain).
 */
#ifndef CWI_HASH_FMIX_H
#define CWI_HASH_FMIX_H

#include <stdint.h>

static inline uint32_t
cwi_fmix32(uint32_t h)
{
    h ^= h >> 16;
    h *= UINT32_C(0x85ebca6b);
    h ^= h >> 13;
    h *= UINT32_C(0xc2b2ae35);
    return h ^ (h >> 16);
}

#endif
