/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - one picture of the load of a fleet, as lines of text. */
#ifndef TOP_FRAME_H
#define TOP_FRAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "cli/diagnose/diagnose.h"
#include "cli/top/poll.h"

struct frame {
    const cw_map      *map;
    const cw_shares   *shares;
    const struct load *load;        /* since the start                      */
    const uint64_t    *before;      /* carried at the last frame            */
    const struct poll_node *polled; /* nodes that are asked; NULL: none     */
    double             seconds;     /* since then; 0: there was none        */
    double             margin;      /* of load above the prediction         */
    bool               ascii;       /* the terminal has no Unicode          */
    int                columns;
    int                rows;
};

/* Load of the node that is furthest above what its arcs predict, over that;
 * 1 when nothing was seen. *node: which. */
double frame_worst(const struct frame *f, uint32_t *node);

/* Is that more than the margin, and more than chance? */
bool frame_exceeds(const struct frame *f);

enum { FRAME_HEAD = 2 };            /* lines of the standing signal         */

/* Lines, each ended by '\n', at most f->rows of f->columns columns. */
void frame_text(const struct frame *f, struct buf *out);

#endif
