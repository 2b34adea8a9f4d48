/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims.h - what text-books say of consistent hashing, measured.
 *
 * tests/claims/claims.tsv says what is claimed and what would confirm it; a
 * function here computes the figure, from runs of the library. The test
 * compares what comes out with what the table remembers.
 */
#ifndef CLI_CLAIMS_H
#define CLI_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

#include "clockwise/clockwise.h"

struct measured {
    double value;
    char   text[96];        /* used instead of value when not empty         */
};

struct claim_row {
    const char *id;         /* first column of the table                    */
    void      (*measure)(struct measured *out, int variant);
    int         variant;
};

/* One array a file; each ends with a row without id. */
extern const struct claim_row claims_text_rings[];
extern const struct claim_row claims_moves[];
extern const struct claim_row claims_spreads[];

/* ---- what the functions measure with; lack of memory ends the program -- */

/* A map of nodes named by names (commas between) under settings
 * ("algorithm=ring points=100", blanks between). */
cw_map *claim_map(const char *names, const char *settings);

/* n nodes named PREFIX0, PREFIX1, ... */
cw_map *claim_map_n(const char *prefix, unsigned n, const char *settings);

/* The text-book ring 0..99: A 5 42 71, B 18 55 88, C 30 63 95; with D at
 * 20 50 80. */
cw_map *claim_worked(bool with_d);

/* Owner of a key that consists of a prefix and a number. */
uint32_t claim_owner(const cw_map *map, const char *prefix, unsigned i);

/* Moved share between two maps, from cw_diff_new(); takes both maps. */
double claim_moved(cw_map *old_map, cw_map *new_map);

/* Mean and standard deviation of n values. */
double claim_mean(const double *v, size_t n);
double claim_sd(const double *v, size_t n);

/* The embedded table (build/generated/claims_data.c). */
extern const unsigned char claims_data[];
extern const size_t claims_data_len;

#endif
