/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h - the keys of a command, in batches, from arguments, a file or
 * standard input. */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include "base/lines.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "clockwise/clockwise.h"

/* Rows for the option table of a command that takes keys. */
#define KEYS_OPTIONS                            \
    { 'k', "keys",      "FILE", CLI_KEYS },     \
    { '0', "null",      NULL,   CLI_KEYS + 1 }, \
    { 0,   "hex",       NULL,   CLI_KEYS + 2 }, \
    { 0,   "positions", NULL,   CLI_KEYS + 3 }

struct keys_args {
    const char *file;           /* NULL: none                               */
    bool        nul;
    bool        hex;
    bool        positions;
};

/* Take one of those options; false when id is another one. */
bool keys_option(struct keys_args *a, int id, const char *value);

enum { KEYS_BATCH = 256 };

struct keys {
    const struct keys_args *args;
    const char             *name;       /* of the source, for messages      */
    const char *const      *words;      /* or NULL: a stream                */
    size_t                  word_count;
    struct lines            lines;
    uint64_t                count;      /* records before this batch        */
    uint64_t                top;        /* largest position                 */
    int                     status;     /* CLI_DONE until something is wrong */
    char                   *hex;        /* decoded bytes of the batch       */
    size_t                  hex_cap;
    struct progress         progress;
    struct lines_record     shown[KEYS_BATCH];  /* as they were given       */
    cw_key                  key[KEYS_BATCH];
    uint64_t                position[KEYS_BATCH];
};

/*
 * words, n  keys that stand on the command line; n 0: from a->file, or from
 *           standard input when that is NULL
 * top       of the map, for --positions
 *
 * CLI_DONE, or a status after a message.
 */
int keys_open(struct keys *k, struct cli *c, const struct keys_args *a,
              const char *const *words, size_t n, uint64_t top);

/* The next batch into shown[] and key[] or position[]: how many; 0 at the
 * end, or when k->status says that a message was printed. */
size_t keys_next(struct keys *k);

/* Close; returns k->status. */
int keys_close(struct keys *k);

#endif
