/* SPDX-License-Identifier: Apache-2.0 */
/* diff_report.h - the result of cw_diff_new() and of keys compared, as text
 * or JSON. */
#ifndef CLI_DIFF_REPORT_H
#define CLI_DIFF_REPORT_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/show.h"
#include "clockwise/clockwise.h"

struct diff_report {
    struct cli    *c;
    const cw_map  *old_map;
    const cw_map  *new_map;
    const cw_diff *diff;
    bool           arcs;            /* print them                           */
    bool           has_bound;       /* keys under a bound as well           */
    uint64_t       bounded_moved;
    bool           has_keys;        /* what follows is filled in            */
    char           separator;
    uint64_t       keys;
    uint64_t       keys_moved;
    uint64_t       keys_excess;
    uint32_t      *new_of;          /* new number of an old node            */
    bool          *took_from;       /* an old node that lost weight         */
    bool          *gave_to;         /* a new node that gained some          */
};

void diff_report_print(struct diff_report *r);

/* The name of node i, "-" for CW_NONE. */
void diff_report_node(struct out *out, const cw_map *map, uint32_t i);

#endif
