/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_hashes.h - hash functions that only deployed programs need: old ones
 * and well-known ones with a twist (bytes read as signed char, a register cut
 * to 32 bits, UTF-16 units in place of bytes).
 *
 * `s` tells how a byte above 0x7f is read: CWI_SIGNED as plain char is on
 * x86-64, CWI_UNSIGNED as it is on ARM. Values never depend on the machine
 * that runs this code.
 */
#ifndef CWI_COMPAT_HASHES_H
#define CWI_COMPAT_HASHES_H

#include <stddef.h>
#include <stdint.h>

enum cwi_char {
    CWI_SIGNED,
    CWI_UNSIGNED
};

/* A byte as an operand of 32-bit or 64-bit arithmetic. */
static inline uint64_t
cwi_byte(uint8_t b, enum cwi_char s)
{
    return s == CWI_SIGNED && b > 0x7f ? (uint64_t)b - 256u : b;
}

/* ---- over bytes -------------------------------------------------------- */

uint32_t cwi_oaat(const uint8_t *p, size_t len, enum cwi_char s);
uint32_t cwi_fnv1_32_char(const uint8_t *p, size_t len, enum cwi_char s);
uint32_t cwi_fnv1a_32_char(const uint8_t *p, size_t len, enum cwi_char s);

/* Low half of the 64-bit FNV-1. */
uint32_t cwi_fnv1_64_low(const uint8_t *p, size_t len, enum cwi_char s);

/* "fnv1a_64" of libhashkit: a 32-bit register, start 0x84222325, prime
 * 0x1b3. */
uint32_t cwi_fnv1a_64_low(const uint8_t *p, size_t len, enum cwi_char s);

/* (crc32 >> 16) & 0x7fff, as Cache::Memcached has it. */
uint32_t cwi_crc15(const uint8_t *p, size_t len);

/* CRC-16/XMODEM in a register of `mask`: 0xffff is the CRC itself, 0xffffffff
 * what twemproxy computes. */
uint32_t cwi_crc16(const uint8_t *p, size_t len, uint32_t mask);

uint32_t cwi_murmur2(const uint8_t *p, size_t len, uint32_t seed);
uint64_t cwi_murmur64a(const uint8_t *p, size_t len, uint64_t seed);
uint32_t cwi_murmur3(const uint8_t *p, size_t len, uint32_t seed);

/* lookup3's hashlittle(). */
uint32_t cwi_lookup3(const uint8_t *p, size_t len, uint32_t initval);

/* SuperFastHash as libhashkit and twemproxy start it, from 0. */
uint32_t cwi_hsieh(const uint8_t *p, size_t len, enum cwi_char s);

uint32_t cwi_sdbm(const uint8_t *p, size_t len);
uint32_t cwi_djb2(const uint8_t *p, size_t len);
uint32_t cwi_wt6(const uint8_t *p, size_t len);

/* Bob Jenkins' hash of an integer, times 3221225473: HAProxy's full_hash. */
uint32_t cwi_full_avalanche(uint32_t a);

/* The MD5's four words. */
void cwi_md5_words(const uint8_t *p, size_t len, uint64_t out[4]);

void cwi_sha256(const uint8_t *p, size_t len, uint8_t out[32]);
void cwi_sha512(const uint8_t *p, size_t len, uint8_t out[64]);

/* Two pieces of bytes, hashed as if written one after the other: a key and
 * what a program appends to it. */
struct cwi_pieces {
    const uint8_t *a, *b;
    size_t         a_len, b_len;
};

uint64_t cwi_murmur64a_pieces(const struct cwi_pieces *k, uint64_t seed);

/* SpookyHash V2, 32 bits. */
uint32_t cwi_spooky32(const struct cwi_pieces *k, uint32_t seed);

/* ---- over UTF-16 units of UTF-8 text ----------------------------------- */

/*
 * The code point at p[*at], moving *at behind it. A byte that is not UTF-8
 * gives U+FFFD, as a decoder would have put there.
 */
uint32_t cwi_utf8_next(const uint8_t *p, size_t len, size_t *at);

enum cwi_utf16_hash {
    CWI_UTF16_NATIVE,       /* String.hashCode(), unsigned                  */
    CWI_UTF16_FNV1_32,
    CWI_UTF16_FNV1A_32,
    CWI_UTF16_FNV1_64,      /* low half                                     */
    CWI_UTF16_FNV1A_64      /* low half                                     */
};

uint32_t cwi_utf16_hash(enum cwi_utf16_hash kind, const uint8_t *p,
                        size_t len);

/* ---- keys -------------------------------------------------------------- */

/* The part of a key that is hashed; points into the key. */
struct cwi_span {
    const uint8_t *p;
    size_t         len;
};

/*
 * twemproxy, Redis: what stands between the first `open` and the first
 * `close` after it, when that is not empty; else the whole key.
 */
struct cwi_span cwi_hash_tag(const uint8_t *p, size_t len, char open,
                             char close);

#endif
