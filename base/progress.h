/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - how far a long run is, on standard error if somebody looks:
 * it is a terminal and standard output is not. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
    const char     *what;       /* "keys"                                   */
    bool            on;
    bool            shown;
    uint64_t        next;       /* count at which the clock is read         */
    struct timespec start;
    struct timespec last;
};

void progress_start(struct progress *p, const char *what);
void progress_show(struct progress *p, uint64_t count);

/* Takes the line away. */
void progress_end(struct progress *p);

/* Cheap: to be called for each batch. */
static inline void
progress_tick(struct progress *p, uint64_t count)
{
    if (p->on && count >= p->next)
        progress_show(p, count);
}

#endif
