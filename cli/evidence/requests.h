/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests.h - keys out of the bytes that clients send to memcached (text,
 * meta and binary commands) or Redis (RESP), in pieces as they come, with
 * gaps: after a gap it starts anew at the next command that it knows.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "cli/evidence/evidence.h"

enum { REQUESTS_BUFFER = 1 << 16 };

struct requests {
    bool            lost;       /* looking for where a command begins       */
    size_t          len;        /* bytes in data                            */
    uint64_t        skip;       /* bytes of a value still to come           */
    uint64_t        args;       /* of a RESP command, still to come         */
    bool            verb;       /* the next of them is its name             */
    bool            keyed;      /* it is a key                              */
    bool            many;       /* and so are those behind it               */
    enum event_kind kind;
    char            data[REQUESTS_BUFFER];
};

/* A connection begins (not `lost`), or is seen from somewhere inside. */
void requests_begin(struct requests *r, bool lost);

/* n bytes are missing. True: they belong to a value, and nothing is lost. */
bool requests_gap(struct requests *r, uint64_t n);

/* More bytes; events and tallies go to e. */
void requests_feed(struct requests *r, struct evidence *e, const char *data,
                   size_t len);

#endif
