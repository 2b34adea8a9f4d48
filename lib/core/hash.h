/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - what a hash function provides: the plug-in interface of lib/hash.
 *
 * A hash function is one file lib/hash/hash_NAME.c that defines
 * `const struct cwi_hash_ops cwi_hash_NAME`, and one row in hash_rows.h.
 *
 * All arithmetic is on uint32_t and uint64_t, all bytes are unsigned, all
 * multi-byte loads are spelled out: the same bytes give the same value on
 * every processor.
 */
#ifndef CWI_HASH_H
#define CWI_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The key of a keyed hash; both 0 for a hash without CWI_HASH_KEYED. */
struct cwi_hash_key {
    uint64_t k0;    /* bytes 0..7 of the 16-byte key, little-endian  */
    uint64_t k1;    /* bytes 8..15, little-endian                    */
};

enum cwi_hash_trait {
    CWI_HASH_KEYED = 1u << 0,   /* reads the key; a placement must give one */
    CWI_HASH_WEAK  = 1u << 1    /* close inputs give close values: a ring
                                   of such points is badly balanced         */
};

struct cwi_hash_ops {
    const char *name;       /* as written in fleet files: "fnv1a_64"         */
    const char *summary;    /* one line for `clockwise list hashes`          */
    const char *source;     /* paper, RFC or program that defines it         */
    unsigned    bits;       /* values are 0 .. 2^bits - 1; 32 or 64          */
    unsigned    traits;     /* of enum cwi_hash_trait                        */

    /* Hash len bytes; data may be NULL when len is 0. key is never NULL. */
    uint64_t  (*hash)(const void *data, size_t len,
                      const struct cwi_hash_key *key);

    /* The whole digest in the byte order of its specification, for the rows
     * that cut several points out of one digest; NULL and 0 when bits say
     * all. At most CWI_DIGEST_MAX bytes. */
    unsigned    digest_len;
    void      (*digest)(const void *data, size_t len, uint8_t *out);
};

#define CWI_DIGEST_MAX 20u

/* Rows by number, 0 .. cwi_hash_count() - 1, in the order of hash_rows.h. */
unsigned cwi_hash_count(void);
const struct cwi_hash_ops *cwi_hash_at(unsigned i);

/* The row of that name, NULL when there is none. */
const struct cwi_hash_ops *cwi_hash_find(const char *name, size_t len);

/*
 * Primitives that algorithms and compat rows use directly, without a row in
 * between. Each is defined in the file of its hash.
 */
uint64_t cwi_xxh3(const void *data, size_t len);
uint64_t cwi_xxh3_seed(const void *data, size_t len, uint64_t seed);
uint64_t cwi_xxh64_seed(const void *data, size_t len, uint64_t seed);
uint32_t cwi_xxh32_seed(const void *data, size_t len, uint32_t seed);
uint64_t cwi_fnv1a_64(const void *data, size_t len);
uint32_t cwi_fnv1a_32(const void *data, size_t len);
uint32_t cwi_crc32(uint32_t crc, const void *data, size_t len);
                            /* IEEE; chains: start with 0, feed the result */
void cwi_md5(const void *data, size_t len, uint8_t out[16]);
uint32_t cwi_md5_le(const void *data, size_t len);
                            /* its first 4 bytes, little-endian             */

/* MD5 of many texts, as four little-endian words each: the fastest way of
 * this processor, and one of its ways (up to the best). */
struct cwi_text_ref {
    const void *data;
    size_t      len;
};

enum cwi_md5_way {
    CWI_MD5_C,
    CWI_MD5_AVX2,
    CWI_MD5_AVX512
};

void cwi_md5_many(const struct cwi_text_ref *text, size_t n,
                  uint32_t (*out)[4]);
enum cwi_md5_way cwi_md5_best(void);
void cwi_md5_by(enum cwi_md5_way way, const struct cwi_text_ref *text,
                size_t n, uint32_t (*out)[4]);

void cwi_sha1(const void *data, size_t len, uint8_t out[20]);

/* The finaliser of splitmix64: a bijection that spreads every bit. */
static inline uint64_t
cwi_mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint32_t
cwi_load32le(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static inline uint64_t
cwi_load64le(const uint8_t *p)
{
    return (uint64_t)cwi_load32le(p) | (uint64_t)cwi_load32le(p + 4) << 32;
}

#endif
