/* SPDX-License-Identifier: Apache-2.0 */
/* show.h - the library's numbers as text. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "clockwise/clockwise.h"

/* A weight in millionths as a decimal without needless zeros; returns out. */
char *show_weight(uint64_t weight, char out[32]);

/* "exact", "independent", "sampled", "expected". */
const char *show_basis(cw_basis basis);

#endif
