/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.h - what operators hold of their traffic, as one stream of events:
 * key lists, dumps, logs of many programs, plain or compressed, of any size,
 * in constant memory. A format is one file evidence_NAME.c and one row in
 * evidence_rows.h.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
    EVENT_GET,          /* a read                                           */
    EVENT_SET,          /* a write                                          */
    EVENT_DELETE,
    EVENT_EVICT,
    EVENT_HELD          /* a key that a server holds: no request            */
};

struct event {
    const char     *key;
    size_t          len;
    uint64_t        requests;
    uint64_t        bytes;      /* 0: not said                              */
    enum event_kind kind;
};

enum line_result {
    LINE_USED,          /* gave an event                                    */
    LINE_OTHER,         /* of the format, but about no key                  */
    LINE_DAMAGED
};

enum { DAMAGE_SHOWN = 5 };

/* How much of it was understood. */
struct evidence_tally {
    const char *format;
    uint64_t    lines;
    uint64_t    used;
    uint64_t    other;
    uint64_t    damaged;
    uint64_t    first_damaged[DAMAGE_SHOWN];
    uint64_t    bytes;          /* read, after decompression                */
    bool        truncated;      /* the file breaks off                      */
    uint64_t    gaps;           /* of a capture: places where packets miss  */
    uint64_t    clock_back;     /* times that went back by over a second    */
    double      first_time;     /* seconds, 0: none was said                */
    double      last_time;
};

/* A reader at work; what a format's functions are given. */
struct evidence {
    void                (*event)(void *context, const struct event *e);
    void                 *context;
    unsigned              field;        /* --field: of an access log, from 1 */
    unsigned              ports[8];     /* --port: servers in a capture; none:
                                           11211 and 6379                   */
    unsigned              port_count;
    bool                  stop;         /* set by event(): read no more     */
    struct evidence_tally tally;
    char                  key[4096];    /* a key that had to be decoded     */
};

struct evidence_format {
    const char      *name;
    const char      *summary;
    bool           (*claims)(const char *line, size_t len);
    enum line_result (*line)(struct evidence *e, const char *line,
                             size_t len);
};

/*
 * Read a file ("-": standard input). format NULL: recognised by the first
 * lines. False after a message; the tally is filled in either way.
 */
bool evidence_read(struct evidence *e, const char *path, const char *format);

/* Rows, NULL past the end; by name. */
const struct evidence_format *evidence_at(unsigned i);
const struct evidence_format *evidence_find(const char *name);

/* One line of what was understood, on standard error. */
void evidence_report(const struct evidence_tally *t, const char *path);

/* Share of the lines that say anything which were understood, 0..1. */
double evidence_understood(const struct evidence_tally *t);

/* ---- help for formats -------------------------------------------------- */

/* The value behind "name=" (which a blank precedes), up to a blank; NULL
 * when there is none. */
const char *evidence_field(const char *line, size_t len, const char *name,
                           size_t *value_len);

/* %XX undone into e->key; the key's length, or SIZE_MAX when too long. */
size_t evidence_unescape(struct evidence *e, const char *s, size_t len);

/* Digits, then anything. False: no digit, or too large. */
bool evidence_number(const char *s, size_t len, uint64_t *out);

/* One line more, and what became of it. */
void evidence_count(struct evidence *e, enum line_result r);

void evidence_time(struct evidence *e, double seconds);

#endif
