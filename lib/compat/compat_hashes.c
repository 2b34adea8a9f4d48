/* SPDX-License-Identifier: Apache-2.0 */
/* compat_hashes.c - 32-bit and 64-bit functions; see compat_hashes.h. */
#include "compat/compat_hashes.h"

#include <string.h>

#include "core/hash.h"

static inline uint32_t
rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

/* As rotl32, for n = 0 too. */
static inline uint32_t
turn32(uint32_t x, unsigned n)
{
    return n == 0 ? x : rotl32(x, n);
}

uint32_t
cwi_oaat(const uint8_t *p, size_t len, enum cwi_char s)
{
    uint32_t h = 0;

    for (size_t i = 0; i < len; i++) {
        h += (uint32_t)cwi_byte(p[i], s);
        h += h << 10;
        h ^= h >> 6;
    }
    h += h << 3;
    h ^= h >> 11;
    return h + (h << 15);
}

uint32_t
cwi_fnv1_32_char(const uint8_t *p, size_t len, enum cwi_char s)
{
    uint32_t h = UINT32_C(2166136261);

    for (size_t i = 0; i < len; i++)
        h = h * UINT32_C(16777619) ^ (uint32_t)cwi_byte(p[i], s);
    return h;
}

uint32_t
cwi_fnv1a_32_char(const uint8_t *p, size_t len, enum cwi_char s)
{
    uint32_t h = UINT32_C(2166136261);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint32_t)cwi_byte(p[i], s)) * UINT32_C(16777619);
    return h;
}

uint32_t
cwi_fnv1_64_low(const uint8_t *p, size_t len, enum cwi_char s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        h = h * UINT64_C(0x100000001b3) ^ cwi_byte(p[i], s);
    return (uint32_t)h;
}

uint32_t
cwi_fnv1a_64_low(const uint8_t *p, size_t len, enum cwi_char s)
{
    uint32_t h = UINT32_C(0x84222325);

    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint32_t)cwi_byte(p[i], s)) * UINT32_C(0x1b3);
    return h;
}

uint32_t
cwi_crc15(const uint8_t *p, size_t len)
{
    return (cwi_crc32(0, p, len) >> 16) & 0x7fff;
}

uint32_t
cwi_murmur2(const uint8_t *p, size_t len, uint32_t seed)
{
    const uint32_t m = UINT32_C(0x5bd1e995);
    uint32_t h = seed ^ (uint32_t)len;

    for (; len >= 4; len -= 4, p += 4) {
        uint32_t k = cwi_load32le(p) * m;

        h = h * m ^ (k ^ k >> 24) * m;
    }
    if (len > 0) {
        uint32_t tail = 0;

        while (len > 0)
            tail = tail << 8 | p[--len];
        h = (h ^ tail) * m;
    }
    h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}

uint64_t
cwi_murmur64a(const uint8_t *p, size_t len, uint64_t seed)
{
    const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
    uint64_t h = seed ^ (uint64_t)len * m;

    for (; len >= 8; len -= 8, p += 8) {
        uint64_t k = cwi_load64le(p) * m;

        h = (h ^ (k ^ k >> 47) * m) * m;
    }
    if (len > 0) {
        uint64_t tail = 0;

        while (len > 0)
            tail = tail << 8 | p[--len];
        h = (h ^ tail) * m;
    }
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}

static uint32_t
murmur3_word(uint32_t k)
{
    return rotl32(k * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

uint32_t
cwi_murmur3(const uint8_t *p, size_t len, uint32_t seed)
{
    uint32_t h = seed, tail = 0;
    size_t left = len;

    for (; left >= 4; left -= 4, p += 4) {
        h ^= murmur3_word(cwi_load32le(p));
        h = rotl32(h, 13) * 5 + UINT32_C(0xe6546b64);
    }
    while (left > 0)
        tail = tail << 8 | p[--left];
    h ^= murmur3_word(tail);
    h ^= (uint32_t)len;
    h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
    h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
    return h ^ h >> 16;
}

/* A step of lookup3: x -= y; x ^= rot(y); y += z. */
static inline void
lookup3_mix(uint32_t *x, uint32_t *y, uint32_t z, unsigned n)
{
    *x = (*x - *y) ^ rotl32(*y, n);
    *y += z;
}

static inline void
lookup3_final(uint32_t *x, uint32_t y, unsigned n)
{
    *x = (*x ^ y) - rotl32(y, n);
}

uint32_t
cwi_lookup3(const uint8_t *p, size_t len, uint32_t initval)
{
    uint32_t a = UINT32_C(0xdeadbeef) + (uint32_t)len + initval;
    uint32_t b = a, c = a;
    uint8_t last[12] = { 0 };

    for (; len > 12; len -= 12, p += 12) {
        a += cwi_load32le(p);
        b += cwi_load32le(p + 4);
        c += cwi_load32le(p + 8);
        lookup3_mix(&a, &c, b, 4);
        lookup3_mix(&b, &a, c, 6);
        lookup3_mix(&c, &b, a, 8);
        lookup3_mix(&a, &c, b, 16);
        lookup3_mix(&b, &a, c, 19);
        lookup3_mix(&c, &b, a, 4);
    }
    if (len == 0)
        return c;
    memcpy(last, p, len);
    a += cwi_load32le(last);
    b += cwi_load32le(last + 4);
    c += cwi_load32le(last + 8);
    lookup3_final(&c, b, 14);
    lookup3_final(&a, c, 11);
    lookup3_final(&b, a, 25);
    lookup3_final(&c, b, 16);
    lookup3_final(&a, c, 4);
    lookup3_final(&b, a, 14);
    lookup3_final(&c, b, 24);
    return c;
}

static inline uint32_t
load16le(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

uint32_t
cwi_hsieh(const uint8_t *p, size_t len, enum cwi_char s)
{
    uint32_t h = 0;

    if (len == 0)
        return 0;
    for (; len >= 4; len -= 4, p += 4) {
        h += load16le(p);
        h = h << 16 ^ (load16le(p + 2) << 11 ^ h);
        h += h >> 11;
    }
    if (len == 3) {
        h += load16le(p);
        h ^= h << 16;
        h ^= (uint32_t)cwi_byte(p[2], s) << 18;
        h += h >> 11;
    } else if (len == 2) {
        h += load16le(p);
        h ^= h << 11;
        h += h >> 17;
    } else if (len == 1) {
        h += p[0];
        h ^= h << 10;
        h += h >> 1;
    }
    h ^= h << 3;
    h += h >> 5;
    h ^= h << 4;
    h += h >> 17;
    h ^= h << 25;
    return h + (h >> 6);
}

uint32_t
cwi_sdbm(const uint8_t *p, size_t len)
{
    uint32_t h = 0;

    for (size_t i = 0; i < len; i++)
        h = p[i] + (h << 6) + (h << 16) - h;
    return h;
}

uint32_t
cwi_djb2(const uint8_t *p, size_t len)
{
    uint32_t h = 5381;

    for (size_t i = 0; i < len; i++)
        h = (h << 5) + h + p[i];
    return h;
}

uint32_t
cwi_wt6(const uint8_t *p, size_t len)
{
    uint32_t h0 = UINT32_C(0xa53c965a), h1 = UINT32_C(0x5ca6953a);
    unsigned turn0 = 6, turn1 = 18;

    for (size_t i = 0; i < len; i++) {
        uint32_t a = ~(h0 ^ p[i]), b = ~(h1 + p[i]);

        h0 = turn32(b, turn0);
        h1 = turn32(a, turn1);
        turn0 = (h0 >> 16 ^ h1) & 31;
        turn1 = ((h0 >> 16 ^ h1) & 0xffff) >> 11;
    }
    return h0 ^ h1;
}

uint32_t
cwi_full_avalanche(uint32_t a)
{
    a = (a + UINT32_C(0x7ed55d16)) + (a << 12);
    a = (a ^ UINT32_C(0xc761c23c)) ^ (a >> 19);
    a = (a + UINT32_C(0x165667b1)) + (a << 5);
    a = (a + UINT32_C(0xd3a2646c)) ^ (a << 9);
    a = (a + UINT32_C(0xfd7046c5)) + (a << 3);
    a = (a ^ UINT32_C(0xb55a4f09)) ^ (a >> 16);
    return a * UINT32_C(3221225473);
}

void
cwi_md5_words(const uint8_t *p, size_t len, uint64_t out[4])
{
    uint8_t digest[16];

    cwi_md5(p, len, digest);
    for (unsigned i = 0; i < 4; i++)
        out[i] = cwi_load32le(digest + 4 * i);
}

struct cwi_span
cwi_hash_tag(const uint8_t *p, size_t len, char open, char close)
{
    struct cwi_span whole = { p, len };
    const uint8_t *begin, *end;

    if (len == 0)
        return whole;
    begin = memchr(p, (unsigned char)open, len);
    if (begin == NULL)
        return whole;
    begin++;
    end = memchr(begin, (unsigned char)close, len - (size_t)(begin - p));
    if (end == NULL || end == begin)
        return whole;
    return (struct cwi_span){ begin, (size_t)(end - begin) };
}
