/* SPDX-License-Identifier: Apache-2.0 */
/* equal.h - which placements of programs give the same answers. */
#ifndef CLI_EQUAL_H
#define CLI_EQUAL_H

#include "cli/cli.h"

/* A row a pair of compat rows that agree on every key of one of a few fleets
 * or more, with their default options: both names, and those fleets. */
void equal_print(struct cli *c);

#endif
