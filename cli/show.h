/* SPDX-License-Identifier: Apache-2.0 */
/* show.h - the library's numbers and names as text. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stddef.h>

#include "base/buf.h"
#include "clockwise/clockwise.h"

/* A weight in millionths as a decimal without needless zeros; returns out. */
char *show_weight(uint64_t weight, char out[32]);

/* Add a name or key, escaped, and cut with a mark at its end when it takes more
 * than so many columns of a terminal (0 and less: the mark alone). Returns the
 * columns it takes. */
int show_cut(struct buf *b, const char *s, size_t len, int columns);

/* The same with blanks behind it, up to so many columns. */
void show_padded(struct buf *b, const char *s, size_t len, int columns);

/* "exact", "independent", "sampled", "expected". */
const char *show_basis(cw_basis basis);

#endif
