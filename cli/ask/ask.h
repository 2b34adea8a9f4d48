/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - questions to memcached and Redis servers: one connection, one
 * question at a time, every wait bounded.
 */
#ifndef ASK_H
#define ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { ASK_TIMEOUT_MS = 3000 };

struct ask {
    int        fd;              /* -1: closed                               */
    int        timeout_ms;      /* of every wait                            */
    bool       redis;           /* it answered as Redis does                */
    struct buf in;              /* read and not yet used: from `at`         */
    size_t     at;
    char       error[160];      /* why the last call failed                 */
};

/*
 * Connect to "host:port", "[v6]:port", "host" (then `port`), or a path of a
 * unix socket, and find out which protocol it speaks. False: see error. Each
 * wait, here and later, is bound by ASK_TIMEOUT_MS, or timeout_ms.
 */
bool ask_open(struct ask *a, const char *address, const char *port);
bool ask_open_within(struct ask *a, const char *address, const char *port,
                     int timeout_ms);
void ask_close(struct ask *a);

/* Is that the number of a port, 1 to 65535? */
bool ask_is_port(const char *text);

/* Look up the host of an address; adds its addresses, with ", " between, to
 * list. Returns how many there are: 0 when it is not known. */
unsigned ask_resolve(const char *address, struct buf *list);

/* Send bytes; false on failure. */
bool ask_send(struct ask *a, const void *data, size_t len);

/* The next line without its CR LF; it lives until the next call. False on
 * failure, at the end, or when it is longer than 64 KiB. */
bool ask_line(struct ask *a, const char **line, size_t *len);

/* The next n bytes and the CR LF behind them. */
bool ask_bytes(struct ask *a, size_t n, const char **data);

/* Of Redis: "$5", how many bytes follow. */
bool ask_bulk(struct ask *a, size_t *len);

/* A key that a server holds. */
struct ask_key {
    const char *key;
    size_t      len;
    uint64_t    bytes;          /* that it takes, as far as it says         */
};

/*
 * Every key that the server holds (at most `most`), in its own order, through
 * memcached's metadump or Redis's SCAN. visit returns false to stop.
 */
bool ask_keys(struct ask *a, uint64_t most,
              bool (*visit)(void *context, const struct ask_key *key),
              void *context);

/* Remove one key; *removed: it was there, and memcached's text protocol can
 * name it. False on failure. */
bool ask_delete(struct ask *a, const char *key, size_t len, bool *removed);

/*
 * held[i]: does the server hold key i? Asked by memcached's meta get, which
 * neither sends the value nor makes the item younger, or Redis's EXISTS. A key
 * that memcached's text protocol cannot name counts as not held. False on
 * failure.
 */
bool ask_holds(struct ask *a, const struct ask_key *keys, size_t n,
               bool *held);

/*
 * Can memcached's text protocol name this key? One that was stored in binary
 * may hold a blank or a line's end, behind which another command could stand.
 */
bool ask_text_key(const char *key, size_t len);

/* Add a command of Redis to b. */
void ask_command(struct buf *b, const char *const *words, const size_t *lens,
                 size_t n);

#endif
