/* SPDX-License-Identifier: Apache-2.0 */
/* compare_work.h - what the parts of a comparison share while it is made. */
#ifndef COMPARE_WORK_H
#define COMPARE_WORK_H

#include "base/progress.h"
#include "cli/compare/compare.h"

struct compare_work {
    struct compare  *c;
    struct progress  progress;
    uint64_t         steps;
    const cw_fleet  *fleet;
    bool             numbered;      /* its labels are bucket numbers        */
};

/* Hash number i of an evenly mixed stream. */
uint64_t compare_hash(uint64_t i);

/* Never NULL; the caller frees it. */
cw_fleet *compare_copy(const cw_fleet *fleet);

/* A map of a row with at most one option set; NULL, and the reason in err
 * (may be NULL), where the row refuses the fleet. */
cw_map *compare_map(const cw_fleet *fleet, const char *row,
                    const char *option, const char *value, cw_error *err);

/* basis may be NULL. */
cw_balance compare_balance(const cw_map *map, cw_basis *basis);

/* The parts of compare_measure(), one file each: what changes move, times,
 * how points and hashes spread, and which row to take. */
void compare_moves(struct compare_work *w, struct compare_row *r,
                   const cw_map *map);
void compare_times(struct compare_work *w, struct compare_row *r,
                   const cw_map *map);
void compare_rings(struct compare_work *w);
void compare_choose(struct compare *c);

#endif
