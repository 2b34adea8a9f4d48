/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_spooky.c - SpookyHash V2 (Bob Jenkins, public domain) and
 * MurmurHash64A over a key with something appended, without a copy of it.
 */
#include "compat/compat_hashes.h"

#include <string.h>

#include "core/hash.h"

#define SPOOKY_CONST UINT64_C(0xdeadbeefdeadbeef)
#define SPOOKY_BLOCK 96u

static inline uint64_t
rotl64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static size_t
pieces_len(const struct cwi_pieces *k)
{
    return k->a_len + k->b_len;
}

/* Copies n bytes from offset `at`, all inside the pieces. */
static void
pieces_copy(const struct cwi_pieces *k, size_t at, uint8_t *out, size_t n)
{
    size_t first = 0;

    if (at < k->a_len) {
        first = k->a_len - at < n ? k->a_len - at : n;
        memcpy(out, k->a + at, first);
    }
    if (n > first)
        memcpy(out + first, k->b + (at + first - k->a_len), n - first);
}

static uint64_t
pieces_load(const struct cwi_pieces *k, size_t at)
{
    uint8_t word[8];

    pieces_copy(k, at, word, sizeof word);
    return cwi_load64le(word);
}

uint64_t
cwi_murmur64a_pieces(const struct cwi_pieces *k, uint64_t seed)
{
    const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
    size_t len = pieces_len(k), at = 0;
    uint64_t h = seed ^ (uint64_t)len * m;
    uint8_t last[8] = { 0 };

    for (; len - at >= 8; at += 8) {
        uint64_t w = pieces_load(k, at) * m;

        h = (h ^ (w ^ w >> 47) * m) * m;
    }
    if (len > at) {
        pieces_copy(k, at, last, len - at);
        h = (h ^ cwi_load64le(last)) * m;
    }
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}

/* ---- short messages: less than 192 bytes ------------------------------- */

static void
spooky_short_mix(uint64_t h[4])
{
    static const uint8_t turn[12] = {
        50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36
    };

    for (unsigned i = 0; i < 12; i++) {
        uint64_t *x = &h[(i + 2) & 3];

        *x = rotl64(*x, turn[i]) + h[(i + 3) & 3];
        h[i & 3] ^= *x;
    }
}

static void
spooky_short_end(uint64_t h[4])
{
    static const uint8_t turn[11] = {
        15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63
    };

    for (unsigned i = 0; i < 11; i++) {
        uint64_t *x = &h[(i + 3) & 3], *y = &h[(i + 2) & 3];

        *x ^= *y;
        *y = rotl64(*y, turn[i]);
        *x += *y;
    }
}

static uint64_t
spooky_short(const struct cwi_pieces *k, uint64_t seed)
{
    uint64_t h[4] = { seed, seed, SPOOKY_CONST, SPOOKY_CONST };
    size_t len = pieces_len(k), at = 0;
    uint8_t last[16] = { 0 };

    for (; len - at >= 32; at += 32) {
        h[2] += pieces_load(k, at);
        h[3] += pieces_load(k, at + 8);
        spooky_short_mix(h);
        h[0] += pieces_load(k, at + 16);
        h[1] += pieces_load(k, at + 24);
    }
    if (len - at >= 16) {
        h[2] += pieces_load(k, at);
        h[3] += pieces_load(k, at + 8);
        spooky_short_mix(h);
        at += 16;
    }
    h[3] += (uint64_t)len << 56;
    if (len == at) {
        h[2] += SPOOKY_CONST;
        h[3] += SPOOKY_CONST;
    } else {
        pieces_copy(k, at, last, len - at);
        h[2] += cwi_load64le(last);
        h[3] += cwi_load64le(last + 8);
    }
    spooky_short_end(h);
    return h[0];
}

/* ---- long messages ----------------------------------------------------- */

static void
spooky_mix(uint64_t s[12], const uint8_t *block)
{
    static const uint8_t turn[12] = {
        11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46
    };

    for (unsigned i = 0; i < 12; i++) {
        s[i] += cwi_load64le(block + 8 * i);
        s[(i + 2) % 12] ^= s[(i + 10) % 12];
        s[(i + 11) % 12] ^= s[i];
        s[i] = rotl64(s[i], turn[i]);
        s[(i + 11) % 12] += s[(i + 1) % 12];
    }
}

static void
spooky_end(uint64_t s[12])
{
    static const uint8_t turn[12] = {
        44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54
    };

    for (unsigned i = 0; i < 12; i++) {
        uint64_t *x = &s[(i + 11) % 12], *y = &s[(i + 1) % 12];

        *x += *y;
        s[(i + 2) % 12] ^= *x;
        *y = rotl64(*y, turn[i]);
    }
}

static uint64_t
spooky_long(const struct cwi_pieces *k, uint64_t seed)
{
    uint64_t s[12];
    uint8_t block[SPOOKY_BLOCK];
    size_t len = pieces_len(k), at = 0;

    for (unsigned i = 0; i < 12; i++)
        s[i] = i % 3 == 2 ? SPOOKY_CONST : seed;
    for (; len - at >= SPOOKY_BLOCK; at += SPOOKY_BLOCK) {
        pieces_copy(k, at, block, SPOOKY_BLOCK);
        spooky_mix(s, block);
    }
    memset(block, 0, sizeof block);
    pieces_copy(k, at, block, len - at);
    block[SPOOKY_BLOCK - 1] = (uint8_t)(len - at);
    for (unsigned i = 0; i < 12; i++)
        s[i] += cwi_load64le(block + 8 * i);
    for (unsigned i = 0; i < 3; i++)
        spooky_end(s);
    return s[0];
}

uint32_t
cwi_spooky32(const struct cwi_pieces *k, uint32_t seed)
{
    return (uint32_t)(pieces_len(k) < 2 * SPOOKY_BLOCK
                          ? spooky_short(k, seed) : spooky_long(k, seed));
}
