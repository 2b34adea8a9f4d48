/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census.h - how often each key comes, of a stream in which it comes again
 * and again, in constant memory: of all keys while CENSUS_KEYS suffice, then
 * of those whose hashes end in `level` zeros, a sample that is doubled in
 * step each time the table is full. Source: Gibbons and Tirthapura, "Estimating
 * Simple Functions on the Union of Data Streams", 2001.
 */
#ifndef PLAN_CENSUS_H
#define PLAN_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CENSUS_KEYS = 1 << 19 };

struct census_key {
    uint64_t hash;              /* 0: empty                                 */
    uint64_t requests;
    uint64_t bytes;             /* the last that was said                   */
    uint32_t old_owner;
    uint32_t new_owner;
};

struct census {
    struct census_key *slots;   /* twice CENSUS_KEYS                        */
    size_t             used;
    unsigned           level;   /* a key stands for 2^level                 */
};

void census_init(struct census *c);
void census_free(struct census *c);

/* Requests more of a key. True: it is new, and in the sample. */
bool census_add(struct census *c, const struct census_key *key);

/* The keys of the sample, one after the other from *at = 0; NULL: no more. */
const struct census_key *census_next(const struct census *c, size_t *at);

#endif
