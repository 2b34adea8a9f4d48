/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup_ring.c - the owner of a key or hash on a ring, without a detour: a
 * map of a ring-shaped row holds pointers to the functions here that fit its
 * line table, this processor and its hash. All others go the general way of
 * lookup.c, which gives the same answers, less its questions where they do
 * not arise.
 *
 * With a ready hash 24 instructions, with a key of 16 bytes 50 (gcc 12, AVX2,
 * counted by tests/bench/test_callgrind.py).
 */
#include "core/core.h"
#include "core/points_find.h"
#ifdef CWI_SMALL        /* no second copy of the hash */
#define cwi_xxh3_inline cwi_xxh3
#else
#include "hash/hash_xxh3_inline.h"
#endif

/* What a line does not tell; out of line, so that the usual way needs no
 * stack frame. */
static __attribute__((noinline)) cw_status
exact(const cw_map *map, uint64_t at, uint32_t *out)
{
    *out = cwi_points_exact(map->state, at);
    return CW_OK;
}

/* XXH3 has a way of its own for 9 to 16 bytes: keys of these lengths are
 * hashed in place, others in a function of their own, whose registers the
 * usual keys need not save. */
#define MIDDLE_MIN 9u
#define MIDDLE_MAX 16u

/* For one way to read lines: on the whole 64-bit ring, on a smaller one, and
 * on the whole one for keys under XXH3. */
#define LOOKUPS(way, attribute)                                         \
    static attribute cw_status                                          \
    hash_##way(const cw_map *map, uint64_t hash, uint32_t *out)         \
    {                                                                   \
        if (CWI_UNLIKELY(!cwi_try_##way(map->state, hash, out)))        \
            return exact(map, hash, out);                               \
        return CW_OK;                                                   \
    }                                                                   \
                                                                        \
    static attribute cw_status                                          \
    part_##way(const cw_map *map, uint64_t hash, uint32_t *out)         \
    {                                                                   \
        return hash_##way(map, cwi_position(map, hash), out);           \
    }                                                                   \
                                                                        \
    static __attribute__((noinline)) attribute cw_status                \
    other_##way(const cw_map *map, const void *key, size_t len,         \
                uint32_t *out)                                          \
    {                                                                   \
        return hash_##way(map, cwi_xxh3_inline(key, len), out);         \
    }                                                                   \
                                                                        \
    static attribute cw_status                                          \
    key_##way(const cw_map *map, const void *key, size_t len,           \
              uint32_t *out)                                            \
    {                                                                   \
        if (CWI_UNLIKELY(len - MIDDLE_MIN > MIDDLE_MAX - MIDDLE_MIN))   \
            return other_##way(map, key, len, out);                     \
        return hash_##way(map, cwi_xxh3_inline(key, len), out);         \
    }

#define NO_ATTRIBUTE

LOOKUPS(c, NO_ATTRIBUTE)
LOOKUPS(wide_c, NO_ATTRIBUTE)
#ifdef CWI_X86
LOOKUPS(sse2, NO_ATTRIBUTE)
LOOKUPS(wide_sse2, NO_ATTRIBUTE)
LOOKUPS(avx2, CWI_AVX2)
LOOKUPS(wide_avx2, CWI_AVX2)
#endif

extern const struct cwi_hash_ops cwi_hash_xxh3;

struct ways {
    cwi_owner_hash_fn *hash;
    cwi_owner_hash_fn *part;
    cwi_owner_key_fn  *key;
};

#define WAYS(way) { hash_##way, part_##way, key_##way }

/* By instruction set, then narrow and wide. */
static const struct ways ways[][2] = {
    { WAYS(c), WAYS(wide_c) },
#ifdef CWI_X86
    { WAYS(sse2), WAYS(wide_sse2) },
    { WAYS(avx2), WAYS(wide_avx2) }
#endif
};

/* Any row that finds a hash, when there is nothing to ask before. */
static cw_status
direct(const cw_map *map, uint64_t hash, uint32_t *out)
{
    *out = map->p.algo->find(map->state, cwi_position(map, hash));
    return CW_OK;
}

/* Pins are looked at on the general way. */
static int
is_ring(const cw_map *map)
{
    return map->active > 0 && map->p.algo->find == cwi_points_find &&
           !map->p.pins;
}

static int
under_xxh3(const cw_map *map)
{
    return !map->p.algo->hash_key && map->p.hash == &cwi_hash_xxh3;
}

void
cwi_lookup_choose(cw_map *map)
{
    const struct cwi_table *t = map->state;
    const struct ways *w;

    map->owner_hash = map->active > 0 && map->p.algo->find && !map->p.pins
        ? direct : cwi_owner_hash;
    map->owner_key = cwi_owner_key;
    if (!is_ring(map) || t->mode == CWI_TABLE_PLAIN)
        return;
    w = &ways[t->isa][t->mode == CWI_TABLE_WIDE];
    map->owner_hash = map->top == UINT64_MAX ? w->hash : w->part;
    if (map->top == UINT64_MAX && under_xxh3(map))
        map->owner_key = w->key;
}

/* ---- many at once ------------------------------------------------------ */

/* Keys whose positions are held at a time: as many as
 * cwi_points_find_many() looks ahead, few enough for the stack. */
#define BLOCK 64u

cw_status
cw_map_owner_hash_many(const cw_map *map, const uint64_t *hashes, size_t n,
                       uint32_t *out)
{
    uint64_t at[BLOCK];
    cw_status st = CW_OK;
    size_t i, k, len;

    if (is_ring(map) && map->top == UINT64_MAX) {
        cwi_points_find_many(map->state, hashes, n, out);
        return CW_OK;
    }
    for (i = 0; i < n && is_ring(map); i += len) {
        len = n - i < BLOCK ? n - i : BLOCK;
        for (k = 0; k < len; k++)
            at[k] = cwi_position(map, hashes[i + k]);
        cwi_points_find_many(map->state, at, len, out + i);
    }
    for (; i < n && st == CW_OK; i++)
        st = cw_map_owner_hash(map, hashes[i], &out[i]);
    return st;
}

/* Positions of up to BLOCK keys. */
static void
hash_block(const cw_map *map, const cw_key *keys, size_t n, uint64_t *at)
{
    size_t k;

    if (under_xxh3(map)) {
        for (k = 0; k < n; k++)
            at[k] = cwi_xxh3_inline(keys[k].data, keys[k].len);
    } else if (map->p.algo->hash_keys) {
        map->p.algo->hash_keys(&map->p, keys, n, at);
    } else {
        for (k = 0; k < n; k++)
            at[k] = cwi_key_hash(&map->p, keys[k].data, keys[k].len);
    }
    for (k = 0; k < n && map->top != UINT64_MAX; k++)
        at[k] = cwi_position(map, at[k]);
}

cw_status
cw_map_owner_many(const cw_map *map, const cw_key *keys, size_t n,
                  uint32_t *out)
{
    uint64_t at[BLOCK];
    cw_status st = CW_OK;
    size_t i, len;

    for (i = 0; i < n && is_ring(map); i += len) {
        len = n - i < BLOCK ? n - i : BLOCK;
        hash_block(map, keys + i, len, at);
        cwi_points_find_many(map->state, at, len, out + i);
    }
    for (; i < n && st == CW_OK; i++)
        st = cw_map_owner(map, keys[i].data, keys[i].len, &out[i]);
    return st;
}
