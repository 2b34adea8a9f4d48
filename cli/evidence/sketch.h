/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sketch.h - the keys asked for most and the number of distinct keys, of a
 * stream of any length in constant memory; both can be merged.
 */
#ifndef SKETCH_H
#define SKETCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t
sketch_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* A hash of the key for the sketches, whatever the placement's. Not stored,
 * so the order of bytes in a word does not matter. */
static inline uint64_t
sketch_hash(const char *key, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ len, word = 0;
    size_t i;

    for (i = 0; i + 8 <= len; i += 8) {
        memcpy(&word, key + i, 8);
        h = sketch_mix(h, word);
    }
    if (len >= 8) {
        memcpy(&word, key + len - 8, 8);    /* the rest, and some again */
    } else {
        for (word = 0; i < len; i++)
            word = word << 8 | (unsigned char)key[i];
    }
    h = sketch_mix(h, word);
    h ^= h >> 30;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 27;
    h *= UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/*
 * Heavy hitters: a table of counters; when it is full, the median count is
 * taken from all and what is left of none goes. A count is never too high,
 * and too low by at most `error`, which is below
 * 2 * requests / TOP_SLOTS for any stream.
 * Source: Misra and Gries 1982, with the purge of Anderson et al., "A
 * High-Performance Algorithm for Identifying Frequent Items", 2017.
 */
enum { TOP_SLOTS = 8192, TOP_KEY = 112 };

struct top_slot {
    uint64_t hash;              /* 0: empty                                 */
    uint64_t requests;
    uint64_t bytes;             /* of the counted requests                  */
    uint32_t node;              /* that carries it                          */
    uint32_t text;              /* index into texts                         */
};

/* Kept apart, so that a purge moves small slots only. */
struct top_text {
    uint16_t len;               /* may exceed TOP_KEY: then it is cut       */
    char     key[TOP_KEY - 2];
};

struct top {
    struct top_slot *slots;     /* 2 * TOP_SLOTS of them                    */
    struct top_slot *spare;     /* as many, for a purge                     */
    struct top_text *texts;     /* TOP_SLOTS                                */
    uint32_t        *free_texts;
    size_t           free_count;
    size_t           used;
    uint64_t         error;     /* most that a count is too low by          */
    uint64_t         requests;  /* of all keys                              */
};

/* The key of a slot; at most TOP_KEY - 2 bytes of it are kept. */
const char *top_key(const struct top *t, const struct top_slot *s,
                    size_t *len);

void top_init(struct top *t);
void top_free(struct top *t);
void top_add(struct top *t, uint64_t hash, const char *key, size_t len,
             uint32_t node, uint64_t requests, uint64_t bytes);
void top_merge(struct top *t, const struct top *other);

/* The slots in use, most requests first; the caller frees the list. */
const struct top_slot **top_sorted(const struct top *t, size_t *count);

/* Distinct keys: HyperLogLog with 4,096 registers, standard error 1.6 %.
 * Source: Flajolet et al. 2007. */
enum { DISTINCT_REGISTERS = 4096 };

struct distinct {
    uint8_t registers[DISTINCT_REGISTERS];
};

static inline void
distinct_add(struct distinct *d, uint64_t hash)
{
    unsigned i = (unsigned)(hash >> 52);
    unsigned rank = 1 + (unsigned)__builtin_clzll(hash << 12 | 1u << 11);

    if (rank > d->registers[i])
        d->registers[i] = (uint8_t)rank;
}

double distinct_count(const struct distinct *d);
void distinct_merge(struct distinct *d, const struct distinct *other);

#endif
