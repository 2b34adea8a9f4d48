/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnose.h - why a node is hot: what its load consists of, in causes that
 * add up, and what would mend it.
 */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/evidence/evidence.h"
#include "cli/evidence/sketch.h"
#include "cli/load_fleet.h"

/* What a node counted itself, in one or more samples. */
struct counted {
    bool     only_since;            /* as in struct load                    */
    unsigned seen[COUNTERS];        /* samples that had it                  */
    uint64_t last[COUNTERS];        /* in the last one                      */
    uint64_t since[COUNTERS];       /* what came behind the first one       */
};

/* What the evidence says of one fleet. */
struct load {
    uint64_t         keys;          /* events                               */
    uint64_t         requests;
    uint64_t         bytes;
    uint64_t        *of_node;       /* requests of each node, by owner      */
    uint64_t        *bytes_of_node;
    uint32_t         nodes;
    struct distinct *distinct;      /* of each node, and of keys without    */
    struct distinct  all;           /* by load_carry()                      */
    struct distinct  positions;     /* distinct hashes of the keys          */
    struct top       top;
    struct top       prefixes;      /* of keys; counted holds their requests */
    uint64_t         seen;          /* requests with a node they were at    */
    uint64_t         strayed;       /* of those, not at their owner         */
    uint64_t        *seen_at;       /* of each node                         */
    uint64_t         strangers;     /* at a node that the fleet has not     */
    uint64_t         evictions;     /* events, which are no requests        */
    struct counted  *counted;       /* of each node                         */
    uint64_t         samples;       /* of counters                          */
    bool             only_since;    /* the first of a node is where to count
                                       from, not what it did                */
    uint64_t         unnamed;       /* samples of a node that is not said   */
    uint64_t         unknown;       /* samples of one that the fleet has not */
    const char      *basis;         /* "keys", "nodes", "counters": where
                                       carried is from                      */
    uint64_t        *carried;       /* requests of each node as they came:
                                       where they were seen, if that is
                                       known of all, or counted, else by
                                       owner                                */
    uint64_t         carried_all;
};

struct source {
    const char *path;
    const char *node;               /* where it was taken, or NULL          */
};

struct diagnose_ask {
    struct source *sources;
    size_t         source_count;
    struct evidence_args how;
    const char    *live;            /* an interface, or NULL                */
    unsigned       seconds;
    double         least;           /* share of lines to understand         */
    struct source *before;          /* evidence from before the mend        */
    size_t         before_count;
    const char    *before_fleet;    /* NULL: the same                       */
};

void load_init(struct load *l, const cw_map *map);
void load_clear(struct load *l);

/* One event more. at: the node it was seen at, when known_at. */
void load_event(struct load *l, const cw_map *map, bool known_at,
                uint32_t at, const struct event *e);

/* One sample more; at: the node it is of, unless it says itself. */
void counted_sample(struct load *l, const cw_map *map, uint32_t at,
                    const struct sample *s);

/* Between the first sample and the last, or since the node started when there
 * is one only; items: those of the last. False: it is not known. */
bool counted_value(const struct counted *c, enum counter k, uint64_t *out);

/* Requests a second; 0: not known. */
double counted_rate(const struct counted *c);

/* carried from the counters, over the longest time that one was seen. */
void counted_carry(struct load *l, const cw_map *map);

/* Put together what each node carried; after the last event and sample. */
void load_carry(struct load *l, const cw_map *map);

/* All sources, from load_init() on. CLI_DONE; after a message CLI_IO, or
 * CLI_NO when too little was understood. */
int load_read(struct load *l, const cw_map *map,
              const struct diagnose_ask *ask, const struct source *sources,
              size_t count, bool report);

enum cause {
    CAUSE_CHANCE, CAUSE_HOT_KEY, CAUSE_WEIGHT, CAUSE_ARCS, CAUSE_HASH,
    CAUSE_TAG, CAUSE_VIEW, CAUSE_MACHINE, CAUSE_MISSING, CAUSE_CAPACITY,
    CAUSE_EVIDENCE
};

struct remedy {
    char  *text;
    char  *command;
    double moved;
    double max_avg;
};

/* What was found; causes most likely first. */
struct finding_of {
    enum cause cause;
    double     weight;              /* for the order                        */
    char      *text;
};

struct diagnosis {
    const cw_map       *map;
    const struct load  *load;
    cw_shares          *shares;
    uint32_t            node;       /* the one that stands out              */
    bool                hot;        /* else cold, or nothing stands out     */
    bool                stands_out;
    double              base;       /* 1 / nodes                            */
    double              observed;   /* its share of the requests            */
    double              without;    /* without the hot keys                 */
    double              max_avg;    /* over the nodes, against fair share   */
    double              by_weight, by_arcs, by_hot, by_rest;
                                    /* parts of observed - base             */
    double              error;      /* standard error of its share          */
    bool                misweighted;    /* weights do not match capacity    */
    const struct top_slot **top;
    size_t              top_count;
    size_t              hot_keys;   /* of top: those that are hot           */
    struct finding_of  *findings;
    size_t              finding_count;
    struct remedy      *remedies;
    size_t              remedy_count;
};

void diagnose_make(struct diagnosis *d, struct loaded *fleet,
                   const struct cli_words *words, const struct load *load);
void diagnose_free(struct diagnosis *d);

void diagnose_remedies(struct diagnosis *d, struct loaded *fleet,
                       const struct cli_words *words);

/* Parts of diagnose_make(): what counters, and places of requests, say. */
void diagnose_capacity(struct diagnosis *d);
void diagnose_contradicted(struct diagnosis *d);
void diagnose_silent(struct diagnosis *d);

/* One finding more; the heavier the earlier. The text is taken over. */
void diagnose_find(struct diagnosis *d, enum cause cause, double weight,
                   char *text);

/* A node's name for a sentence, in memory of the caller's. */
char *diagnose_name(const struct diagnosis *d, uint32_t i);

/* A node's part of what was carried. */
double diagnose_share(const struct diagnosis *d, uint32_t i);

char *diagnose_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif
