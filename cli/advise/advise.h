/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advise.h - the design checklist of a hashed fleet as a program: each check
 * measures, or says that it is unknown and which command would measure it.
 */
#ifndef ADVISE_H
#define ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/load_fleet.h"

enum verdict { PASS, WARN, FAIL, UNKNOWN };

/* What the keys in use say, when they were given. */
struct advise_keys {
    bool      given;
    uint64_t  keys;
    uint64_t  requests;
    uint64_t *of_node;          /* requests of each node                    */
    uint64_t  hottest;          /* requests of the key asked for most       */
    char     *hottest_key;
    uint32_t  hottest_node;     /* its owner                                */
    uint64_t  parts[64];        /* keys in 64 equal parts of the hash       */
};

/* What the loss of any one node does, tried node by node. */
struct advise_losses {
    uint32_t tried;
    bool     partly;            /* only the first LOSSES_TRIED nodes        */
    double   moved;             /* largest share of keys that moves         */
    double   excess;            /* largest excess churn                     */
    double   survivor;          /* largest new share / old share            */
    uint32_t receivers;         /* fewest nodes that share a lost one's     */
};

enum { LOSSES_TRIED = 100 };

void advise_losses(struct loaded *fleet, struct advise_losses *out);

struct advise {
    struct loaded     *fleet;
    struct loaded     *others;      /* further fleet files: other views     */
    int                other_count;
    cw_shares         *shares;
    cw_row             row;
    uint32_t           replicas;    /* 0: not given                         */
    const char        *words;       /* the fleet as on a command line       */
    const char        *old_words;   /* the same as plan's old placement     */
    struct advise_keys keys;
    struct advise_losses losses;
};

/* What a check found. */
struct finding {
    enum verdict verdict;
    struct buf   figure;        /* what was measured                        */
    struct buf   remedy;        /* what to do, or what would measure it     */
};

struct advise_check {
    const char *id;
    const char *question;
    void      (*run)(const struct advise *a, struct finding *f);
};

extern const struct advise_check advise_checks[];
extern const size_t advise_check_count;

#endif
