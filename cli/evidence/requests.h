/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.h - keys out of the bytes that clients send to memcached (text and
 * meta commands) or Redis (RESP), in pieces as they come, with gaps: after a
 * gap it starts anew at the next command that it knows.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "cli/evidence/evidence.h"

enum { REQUESTS_BUFFER = 1 << 16 };

struct requests {
    size_t   len;               /* bytes in data                            */
    uint64_t skip;              /* bytes of a value still to come           */
    char     data[REQUESTS_BUFFER];
};

/* Bytes were lost: what is half read is no use. */
void requests_gap(struct requests *r);

/* More bytes; events and tallies go to e. */
void requests_feed(struct requests *r, struct evidence *e, const char *data,
                   size_t len);

#endif
