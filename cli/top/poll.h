/* SPDX-License-Identifier: Apache-2.0 */
/* poll.h - the counters of running servers, asked for again and again. */
#ifndef TOP_POLL_H
#define TOP_POLL_H

#include "cli/ask/ask.h"
#include "cli/diagnose/diagnose.h"

enum { POLL_TIMEOUT_MS = 500, POLL_REST_MOST = 8 };

struct poll_node {
    bool     down;              /* it did not answer the last time          */
    unsigned rest;              /* rounds that it is left alone             */
    unsigned failures;          /* in a row                                 */
    char     error[160];
};

struct poller {
    const cw_map      *map;
    struct load       *load;
    const char        *port;    /* of addresses without one                 */
    struct poll_node  *nodes;
    struct evidence   *reader;
    uint32_t           at;      /* the node that is asked                   */
};

void poll_init(struct poller *p, const cw_map *map, struct load *load,
               const char *port);
void poll_free(struct poller *p);

/* Ask every node once; what they say goes into the load. A node that does not
 * answer is asked less often, and counts on where it was when it is back.
 * Returns how many are down. */
uint32_t poll_round(struct poller *p);

#endif
