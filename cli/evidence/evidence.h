/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.h - what operators hold of their traffic, as one stream of events:
 * key lists, dumps, logs of many programs, plain or compressed, of any size,
 * in constant memory. A format is one file evidence_NAME.c and one row in
 * evidence_rows.h.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli;

enum event_kind {
    EVENT_GET,          /* a read                                           */
    EVENT_SET,          /* a write                                          */
    EVENT_DELETE,
    EVENT_EVICT,        /* a server made room: no request                   */
    EVENT_HELD,         /* a key that a server holds: no request            */
    EVENT_PREFIX        /* no key: requests of all keys that begin with it,
                           which the node's counters have as well           */
};

struct event {
    const char     *key;
    size_t          len;
    uint64_t        requests;
    uint64_t        bytes;      /* 0: not said                              */
    enum event_kind kind;
};

/* What a node counts of itself, since it started; from the items on, what is
 * now. */
enum counter {
    COUNT_REQUESTS,
    COUNT_COMMANDS,     /* the same with those about no key                 */
    COUNT_BYTES,        /* in and out                                       */
    COUNT_HITS,
    COUNT_MISSES,
    COUNT_EVICTIONS,
    COUNT_PREFIX_REQUESTS,      /* those of keys with a prefix              */
    COUNT_CLASS_EVICTIONS,      /* the same, summed over slab classes       */
    COUNT_BUSY_US,      /* microseconds spent in commands                   */
    COUNT_UPTIME,       /* seconds                                          */
    COUNT_ITEMS,        /* held now                                         */
    COUNT_CLASS_ITEMS,  /* the same, summed over slab classes               */
    COUNT_CAPACITY,     /* bytes that it may hold                           */
    COUNTERS
};

enum { NODE_NAME = 256, TEXT_MOST = 16384 };

/* Counters of one node, as they were at one time. */
struct sample {
    char     node[NODE_NAME];   /* as the file names it; "": it does not    */
    size_t   node_len;
    unsigned has;               /* 1 << counter, for those that it has      */
    uint64_t count[COUNTERS];
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
    uint64_t    first_back;     /* line whose clock went back first         */
    uint64_t    bytes;          /* read, after decompression                */
    bool        truncated;      /* the file breaks off                      */
    uint64_t    gaps;           /* of a capture: places where packets miss  */
    uint64_t    clock_back;     /* times that went back by over a second    */
    double      first_time;     /* seconds, 0: none was said                */
    double      last_time;
    double      latest;         /* of the line before this one              */
};

/* What was said on the command line of how to read. */
struct evidence_args {
    const struct evidence_format *format;   /* NULL: recognised             */
    unsigned    field;          /* of an access log, from 1; 0: not given   */
    bool        by_regex;
    regex_t     regex;          /* of an access log, when by_regex          */
    unsigned    ports[8];       /* servers in a capture; none: 11211, 6379  */
    unsigned    port_count;
    bool        nul;            /* lines end with NUL                       */
};

/* Where a reader of JSON is (evidence_twemproxy.c). */
struct json_place {
    unsigned depth;
    bool     text;              /* inside a string                          */
    bool     escape;            /* behind a backslash in it                 */
    bool     value;             /* behind the colon                         */
    bool     number;            /* inside a number                          */
    size_t   len;
    char     word[NODE_NAME];   /* the string or number at hand             */
    char     key[NODE_NAME];    /* whose value it is                        */
};

/* A reader at work; what a format's functions are given. */
struct evidence {
    void                (*event)(void *context, const struct event *e);
    void                (*sample_of)(void *context, const struct sample *s);
                                        /* NULL: counters are passed over   */
    bool                (*idle)(void *context);
                                        /* called now and then, also while
                                           nothing comes; false: read no
                                           more. May be NULL                */
    void                 *context;
    const struct evidence_args *args;
    bool                  stop;         /* set by event(): read no more     */
    bool                  repeats;      /* as in the format that is read    */
    struct evidence_tally tally;
    struct sample         sample;       /* being put together               */
    char                  section[32];  /* of INFO, the sample's first      */
    struct json_place     json;
    uint64_t              uptime;       /* of twemproxy                     */
    uint64_t              got[256];     /* of watch, by connection: what was
                                           looked up last, as a hash        */
    char                  key[4096];    /* a key that had to be decoded     */
    char                  text[TEXT_MOST + 1];  /* for a regular expression */
};

struct evidence_format {
    const char      *name;
    const char      *summary;
    bool             repeats;   /* a key comes as often as it is asked for  */
    bool           (*claims)(const char *line, size_t len);
    enum line_result (*line)(struct evidence *e, const char *line,
                             size_t len);
    void           (*end)(struct evidence *e);  /* of the file; or NULL     */
};

/*
 * Read a file ("-": standard input). False after a message; the tally is
 * filled in either way.
 */
bool evidence_read(struct evidence *e, const char *path);

/* Options of every command that reads evidence; rows of its option table. */
enum { EVIDENCE_FORMAT = 150, EVIDENCE_FIELD, EVIDENCE_REGEX, EVIDENCE_PORT };

#define EVIDENCE_OPTIONS                                \
    { 0, "format", "NAME",       EVIDENCE_FORMAT },     \
    { 0, "field",  "NUMBER",     EVIDENCE_FIELD },      \
    { 0, "regex",  "EXPRESSION", EVIDENCE_REGEX },      \
    { 0, "port",   "NUMBER",     EVIDENCE_PORT }

/* Take one of them from c->opt; CLI_DONE, or a status after a message. */
int evidence_option(struct cli *c, struct evidence_args *a, int id);
void evidence_args_free(struct evidence_args *a);

/* Rows, NULL past the end; by name. */
const struct evidence_format *evidence_at(unsigned i);
const struct evidence_format *evidence_find(const char *name);

/* One line of what was understood, on standard error. */
void evidence_report(const struct evidence_tally *t, const char *path);

/* "standard input" for "-". */
const char *evidence_name(const char *path);

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

/* Nothing is left of what was read before. */
void evidence_begin(struct evidence *e);

/* One line more, and what became of it. */
void evidence_count(struct evidence *e, enum line_result r);

void evidence_time(struct evidence *e, double seconds);

/* A counter of the sample at hand; several are added up. */
void evidence_counter(struct evidence *e, enum counter c, uint64_t value);

/* The sample is complete, if there is one; the next one's node is not said. */
void evidence_sample(struct evidence *e);

/* Complete, and the next one is of this node. */
void evidence_node(struct evidence *e, const char *name, size_t len);

/* Does the line begin with this text? */
bool evidence_begins(const char *s, size_t len, const char *with);

/* What a command of Redis does with keys, by its name in any case. */
enum redis_kind { REDIS_READ, REDIS_WRITE, REDIS_DELETE, REDIS_NO_KEY };

/* *many: every argument is a key, not the first alone. */
enum redis_kind redis_command(const char *name, size_t len, bool *many);

/* Base64 into e->key; the length, or SIZE_MAX: it is none, or too long. */
size_t evidence_base64(struct evidence *e, const char *s, size_t len);

#endif
