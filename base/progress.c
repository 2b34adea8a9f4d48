/* SPDX-License-Identifier: Apache-2.0 */
#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROGRESS_STEP = 1 << 18 };

static double
seconds(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec)
        + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

void
progress_start(struct progress *p, const char *what)
{
    memset(p, 0, sizeof *p);
    p->what = what;
    p->on = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
    p->next = PROGRESS_STEP;
    if (p->on) {
        clock_gettime(CLOCK_MONOTONIC, &p->start);
        p->last = p->start;
    }
}

void
progress_show(struct progress *p, uint64_t count)
{
    struct timespec now;

    p->next = count + PROGRESS_STEP;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds(&p->last, &now) < 0.5)
        return;
    p->last = now;
    p->shown = true;
    fprintf(stderr, "\r%" PRIu64 " %s, %.1f million a second ", count,
            p->what, 1e-6 * (double)count / seconds(&p->start, &now));
}

void
progress_end(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
}
