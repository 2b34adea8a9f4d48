/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup_ring.c - the owner of a key or hash on a ring, without a detour: a
 * map of a ring-shaped row holds pointers to the functions here that fit its
 * line table, this processor and its hash. All others go the general way of
 * lookup.c, which gives the same answers, less its questions where they do
 * not arise.
 *
 * With a ready hash 21 instructions, with a key of 16 bytes 45 (gcc 12, AVX2,
 * counted by tests/bench/test_callgrind.py).
 */
#include "core/core.h"
#include "core/points_find.h"
#ifdef CWI_SMALL        /* no second copy of the hash */
#define cwi_xxh3_inline cwi_xxh3
#else
#include "hash/hash_xxh3_inline.h"
#endif

/* XXH3 has a way of its own for 9 to 16 bytes: keys of these lengths are
 * hashed in place, others in a function of their own, whose registers the
 * usual keys need not save. */
#define MIDDLE_MIN 9u
#define MIDDLE_MAX 16u

/* For one way to read lines: on the whole 64-bit ring, on a smaller one, and
 * on the whole one for keys under XXH3. What a line does not tell is found by
 * a call in the end, so that the usual way needs no stack frame. */
#define LOOKUPS(way, attribute)                                         \
    static attribute uint32_t                                           \
    hash_##way(const void *state, uint64_t at)                          \
    {                                                                   \
        uint32_t node;                                                  \
                                                                        \
        if (CWI_UNLIKELY(!cwi_try_##way(state, at, &node)))             \
            return cwi_points_exact(state, at);                         \
        return node;                                                    \
    }                                                                   \
                                                                        \
    static attribute uint32_t                                           \
    part_##way(const void *in, uint64_t hash)                           \
    {                                                                   \
        const cw_map *map = in;                                         \
                                                                        \
        return hash_##way(map->state, cwi_position(map, hash));         \
    }                                                                   \
                                                                        \
    static __attribute__((noinline)) attribute uint32_t                 \
    other_##way(const cw_map *map, const void *key, size_t len)         \
    {                                                                   \
        return hash_##way(map->state, cwi_xxh3_inline(key, len));       \
    }                                                                   \
                                                                        \
    static attribute uint32_t                                           \
    key_##way(const cw_map *map, const void *key, size_t len)           \
    {                                                                   \
        if (CWI_UNLIKELY(len - MIDDLE_MIN > MIDDLE_MAX - MIDDLE_MIN))   \
            return other_##way(map, key, len);                          \
        return hash_##way(map->state, cwi_xxh3_inline(key, len));       \
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

#define WAYS(way) { hash_##way, part_##way, key_##way }

/* By instruction set, then narrow and wide. */
static const struct {
    uint32_t (*hash)(const void *state, uint64_t at);
    uint32_t (*part)(const void *map, uint64_t hash);
    uint32_t (*key)(const cw_map *map, const void *key, size_t len);
} ways[][2] = {
    { WAYS(c), WAYS(wide_c) },
#ifdef CWI_X86
    { WAYS(sse2), WAYS(wide_sse2) },
    { WAYS(avx2), WAYS(wide_avx2) }
#endif
};

/* Three nodes, as many as hold a key as a rule. */
static uint32_t
three_any(const cw_map *map, uint64_t hash, uint32_t *out)
{
    uint32_t n = cwi_three_any(map->state, hash, out);

    return n ? n : cwi_order_at(map, hash, out, 3);
}

#ifdef CWI_X86
static CWI_AVX2 uint32_t
three_avx2(const cw_map *map, uint64_t hash, uint32_t *out)
{
    uint32_t n = cwi_three_avx2(map->state, hash, out);

    return n ? n : cwi_order_at(map, hash, out, 3);
}
#endif

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

/* Of a row that finds any 64-bit hash, when there is nothing to ask before,
 * the function itself. */
void
cwi_lookup_choose(cw_map *map)
{
    const struct cwi_table *t = map->state;
    int whole = map->top == UINT64_MAX, wide;

    map->ways = (struct cw_map_ways){ map, cwi_pick_hash, cwi_pick_key };
    map->three = NULL;
    if (map->active == 0 || !map->p.algo->find || map->p.pins)
        return;
    if (whole) {
        map->ways.in = map->state;
        map->ways.hash = map->p.algo->find;
    }
    if (!is_ring(map) || t->mode == CWI_TABLE_PLAIN)
        return;
    wide = t->mode == CWI_TABLE_WIDE;
    map->ways.hash = whole ? ways[t->isa][wide].hash : ways[t->isa][wide].part;
    if (whole && under_xxh3(map))
        map->ways.key = ways[t->isa][wide].key;
    if (whole && !wide && map->p.algo->walk == cwi_points_walk)
        map->three = three_any;
#ifdef CWI_X86
    if (map->three && t->isa == CWI_ISA_AVX2)
        map->three = three_avx2;
#endif
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
