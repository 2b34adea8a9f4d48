/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - every placement of ours measured on one fleet: one result,
 * which text, JSON and HTML render.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"
#include "clockwise/clockwise.h"

/* What a change moves, as shares of all keys. */
struct compare_move {
    bool     known;         /* the row can make this change                 */
    double   moved;
    double   excess;        /* between nodes that the change left alone     */
    double   ideal;
    uint32_t receivers;     /* of a lost node's keys                        */
    double   largest;       /* largest part of these that one node takes    */
};

struct compare_row {
    cw_row              row;
    const char         *option;         /* set besides, or NULL             */
    char                value[16];
    bool                works;
    char                why[248];       /* or why the fleet cannot have it  */
    cw_balance          balance;
    cw_basis            basis;          /* of the shares                    */
    bool                exact;          /* moves are counted from arcs      */
    uint64_t            points;
    size_t              bytes;
    struct compare_move add;
    struct compare_move lose;           /* mean of the nodes tried          */
    struct compare_move lose_worst;     /* by moved / ideal                 */
    struct compare_move reweigh;        /* one weight doubled               */
    struct compare_move zone;           /* the largest zone lost            */
    double              build_ms;       /* 0: not timed                     */
    double              lookup_ns;
    double              ns_10, ns_10000;    /* look-up with so many nodes   */
};

struct compare_points {     /* the row "ring" with so many points a weight  */
    unsigned   points;
    cw_balance balance;
};

struct compare_hash {       /* the row "ring" with this hash                */
    const char *name;
    cw_balance  balance;
};

struct compare_names {      /* a ring of 4 nodes over usual sets of names   */
    const char *hash;
    unsigned    points;
    unsigned    sets;
    double      least, median, most;    /* max/avg                          */
};

enum {
    COMPARE_ROWS = 32, COMPARE_HASHES = 32, COMPARE_SWEEP = 10,
    COMPARE_NAMES = 7
};

/* What the placement is for: it decides the recommendation. */
enum compare_want { COMPARE_CHANGING, COMPARE_FIXED, COMPARE_BY_HAND };

struct compare {
    uint32_t              nodes;
    uint32_t              active;
    bool                  equal;        /* all weights                      */
    double                lightest;     /* its fair share                   */
    struct compare_row    row[COMPARE_ROWS];
    unsigned              rows;
    struct compare_points sweep[COMPARE_SWEEP];
    unsigned              sweeps;
    struct compare_hash   hash[COMPARE_HASHES];
    unsigned              hashes;
    struct compare_names  names[COMPARE_NAMES];
    enum compare_want     want;
    size_t                pins;         /* of the fleet; not measured       */
    bool                  timed;
    const char           *choice;       /* name of the row recommended      */
    char                  reason[640];
};

/* node-1 .. node-n of weight 1, in turn in zones a, b and c. */
cw_fleet *compare_fleet(uint32_t n);

/* Measure; `timed` reads the clock for build and look-up. Shows progress. */
void compare_measure(struct compare *c, const cw_fleet *fleet, bool timed,
                     enum compare_want want);

/* What no measurement tells; never NULL. */
struct compare_facts {
    const char *name;
    const char *structure;      /* kept beside the list of nodes            */
    const char *balance;        /* without extra work                       */
    const char *capacity;       /* unequal capacity                         */
    const char *removal;        /* of any node                              */
    const char *use;
};
const struct compare_facts *compare_facts(const char *name);

/* Said of the fleet's pins, in text and pages. */
#define COMPARE_PINS "the fleet has pins, which hold over any placement " \
    "alike: the figures are without them"

void compare_text(const struct compare *c, struct out *out);
void compare_json(const struct compare *c, struct out *out);
void compare_html(const struct compare *c, struct out *out);

#endif
