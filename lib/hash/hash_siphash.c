/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_siphash.c - SipHash-2-4: who does not know the key cannot choose names
 * or keys that meet in one place.
 */
#include "../core/hash.h"

struct sip_state {
    uint64_t v0, v1, v2, v3;
};

static inline uint64_t
rotl64(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static inline void
sip_round(struct sip_state *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotl64(s->v1, 13) ^ s->v0;
    s->v3 = rotl64(s->v3, 16) ^ s->v2;
    s->v0 = rotl64(s->v0, 32);
    s->v2 += s->v1;
    s->v0 += s->v3;
    s->v1 = rotl64(s->v1, 17) ^ s->v2;
    s->v3 = rotl64(s->v3, 21) ^ s->v0;
    s->v2 = rotl64(s->v2, 32);
}

static inline void
sip_word(struct sip_state *s, uint64_t m)
{
    s->v3 ^= m;
    sip_round(s);
    sip_round(s);
    s->v0 ^= m;
}

static uint64_t
siphash_hash(const void *data, size_t len, const struct cwi_hash_key *key)
{
    const uint8_t *p = data;
    struct sip_state s = {
        .v0 = key->k0 ^ UINT64_C(0x736f6d6570736575),
        .v1 = key->k1 ^ UINT64_C(0x646f72616e646f6d),
        .v2 = key->k0 ^ UINT64_C(0x6c7967656e657261),
        .v3 = key->k1 ^ UINT64_C(0x7465646279746573),
    };
    uint64_t last = 0;
    size_t left = len;

    for (; left >= 8; left -= 8, p += 8)
        sip_word(&s, cwi_load64le(p));
    while (left > 0)
        last = last << 8 | p[--left];
    sip_word(&s, last | (uint64_t)(len & 0xff) << 56);

    s.v2 ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

const struct cwi_hash_ops cwi_hash_siphash = {
    .name    = "siphash",
    .summary = "SipHash-2-4, keyed: placement that outsiders cannot aim at",
    .source  = "Aumasson and Bernstein 2012, SipHash: a fast short-input PRF",
    .bits    = 64,
    .traits  = CWI_HASH_KEYED,
    .hash    = siphash_hash,
};
