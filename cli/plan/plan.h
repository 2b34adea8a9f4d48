/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - what a change of a fleet will move, why, in which order to make
 * it, and what would move less: one result, computed here, shown by
 * plan_text.c, plan_json.c and plan_html.c.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/evidence/evidence.h"
#include "cli/load_fleet.h"
#include "clockwise/clockwise.h"

/* ---- what was asked ---------------------------------------------------- */

struct plan_ask {
    const char *keys;           /* evidence of the keys in use; NULL: none  */
    const struct evidence_args *how;        /* to read it                   */
    bool        quiet;          /* without a line on how it was understood  */
    double      rate;           /* requests a second in all; 0: not given   */
    uint32_t    replicas;       /* 0: not asked                             */
    double      max_moved;      /* share 0..1; negative: no limit           */
    double      max_peak;       /* max/avg; negative: no limit              */
    const char *report;         /* HTML file to write; NULL: none           */
    const char *from_options;   /* --set of the old placement, as they
                                   follow it on a command line              */
};

/* ---- what comes out ---------------------------------------------------- */

enum plan_kind {
    PLAN_ADD, PLAN_REMOVE, PLAN_WEIGHT, PLAN_RENAME, PLAN_LABEL, PLAN_ZONE,
    PLAN_ADDRESS, PLAN_STATE, PLAN_POSITIONS, PLAN_PLACEMENT, PLAN_ORDER,
    PLAN_PINS, PLAN_BOUND
};

/* One thing that differs between the two fleets. */
struct plan_change {
    enum plan_kind kind;
    uint32_t       old_index;   /* in the old map, or CW_NONE               */
    uint32_t       new_index;
    char          *text;        /* "weight of cache-a from 1 to 2"          */
};

/* Why more moves than must, and what follows. */
struct plan_reason {
    const char *id;             /* a word for scripts: "weights-as-shares"  */
    char       *text;
};

/* One change made alone, after those before it. */
struct plan_step {
    char  *text;
    double moved;               /* by this step                             */
    double ideal;
    double excess;
    double max_avg;             /* of the shares after it                   */
    double busiest;             /* largest share after it                   */
    char  *node;                /* whose it is                              */
};

struct plan_remedy {
    char  *text;
    char  *command;             /* that plans it                            */
    double moved;               /* by this way, once                        */
    double excess;
    double max_avg;             /* reached                                  */
};

/* What the keys that were given say. Counts are of requests. */
struct plan_load {
    uint64_t keys;
    uint64_t requests;
    uint64_t bytes;
};

struct plan_traffic {
    bool              given;
    bool              counted;  /* some key had a count other than 1        */
    bool              sized;    /* some key had bytes                       */
    bool              estimated;    /* keys and bytes, from a sample of the
                                   keys of a log                            */
    struct plan_load  all;
    struct plan_load  moved;
    bool              bounded;  /* one of the fleets has a bound            */
    uint64_t          bounded_moved;    /* keys, with both bounds held to   */
    struct plan_load *before;   /* of each node of the old map              */
    struct plan_load *after;    /* of each node of the new map              */
    double            peak_before;  /* max requests / fair share            */
    double            peak_after;
    double            misses_at_first;  /* a second; with a rate only       */
    double            seconds_to_half;  /* until half of them are filled    */
    double            seconds_to_tenth; /* until a tenth is left            */
};

struct plan_sets {
    bool     asked;
    uint32_t r;
    uint32_t samples;
    double   changed;           /* share of keys whose replica set changes  */
    double   copies;            /* share of all copies that are new         */
    double   zones_lost;        /* share of keys in fewer zones than before */
    uint32_t zones_before, zones_after;
};

struct plan {
    const struct plan_ask *ask;
    struct loaded         *from;
    struct loaded         *to;
    const char            *from_name;
    const char            *to_name;
    cw_diff               *diff;
    cw_shares             *old_shares;
    cw_shares             *new_shares;
    struct plan_change    *changes;
    size_t                 change_count;
    struct plan_reason    *reasons;
    size_t                 reason_count;
    struct plan_step      *steps;
    size_t                 step_count;
    struct plan_remedy    *remedies;
    size_t                 remedy_count;
    char                 **warnings;
    size_t                 warning_count;
    char                 **refusals;    /* limits that are passed           */
    size_t                 refusal_count;
    struct plan_traffic    traffic;
    struct plan_sets       sets;
};

/*
 * Compute everything; from and to are borrowed and outlive the plan. Returns
 * CLI_DONE, or a status after a message (keys that cannot be read). p may be
 * freed in both cases.
 */
int plan_make(struct plan *p, struct cli *c, const struct plan_ask *ask,
              struct loaded *from, const char *from_name, struct loaded *to,
              const char *to_name);
void plan_free(struct plan *p);

/* The parts of plan_make(), one file each. */
void plan_changes(struct plan *p);
void plan_reasons(struct plan *p);
void plan_steps(struct plan *p);
void plan_remedies(struct plan *p);
int  plan_traffic(struct plan *p, struct cli *c);
void plan_replica_sets(struct plan *p);

void plan_warn(struct plan *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Formatted text in memory of the caller's (mem_free()). */
char *plan_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* A node's name for a sentence: escaped, in memory of the caller's. */
char *plan_name(const cw_node *node);

/* True when the two placements differ in row, hash or options. */
bool plan_placement_differs(const struct plan *p);

/* ---- how it is shown --------------------------------------------------- */

void plan_text(const struct plan *p, struct out *out, bool quiet);
void plan_json(const struct plan *p, struct out *out);
void plan_html(const struct plan *p, struct out *out);

#endif
