/* SPDX-License-Identifier: Apache-2.0 */
/* compare_choose.c - which row to take, from what was measured. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare/compare_work.h"

static const struct compare_row *
row_named(const struct compare *c, const char *name)
{
    unsigned i;

    for (i = 0; i < c->rows; i++)
        if (strcmp(c->row[i].row.name, name) == 0)
            return c->row[i].works ? &c->row[i] : NULL;
    return NULL;
}

__attribute__((format(printf, 3, 4)))
static void
choose(struct compare *c, const char *name, const char *format, ...)
{
    va_list args;

    c->choice = name;
    va_start(args, format);
    vsnprintf(c->reason, sizeof c->reason, format, args);
    va_end(args);
}

/* Excess of all that must move, in per cent. */
static double
needless(const struct compare_move *m)
{
    return m->ideal > 0 ? 100 * m->excess / m->ideal : 0;
}

/* The nodes come and go: what moves counts. */
static void
choose_changing(struct compare *c)
{
    const struct compare_row *slots = row_named(c, "slots");

    if (slots != NULL && c->lightest * 262144 >= 64 &&
        slots->add.excess <= 0.05 * slots->add.ideal)
        choose(c, "slots",
               "its busiest node has %.4f of its fair share, and a bound holds "
               "for every fleet; a new node moves %.2f %% more than must move; "
               "the order and history of the nodes do not matter, any node may "
               "leave, and a look-up is one load. If no key may ever move "
               "between two nodes that did not change, take \"rendezvous\" "
               "(up to some ten nodes) or \"ring\"; if the fleet never "
               "changes, ask with --for fixed; if keys are few and placed by "
               "hand, --for by-hand", slots->balance.max_avg,
               needless(&slots->add));
    else
        choose(c, "ring",
               "the lightest node would have fewer than 64 slots, too few for "
               "an even table: points of its own keep it fair and no key moves "
               "between nodes that did not change. More points level the "
               "shares");
}

/* Nothing ever moves: what counts is an even load and no state. */
static void
choose_fixed(struct compare *c)
{
    const struct compare_row *modulo = row_named(c, "modulo");

    if (modulo != NULL)
        choose(c, "modulo",
               "the nodes never change and have equal weights: the remainder "
               "of a hash is even, keeps nothing, and every client has it. "
               "Were a node added after all, %.1f %% of the keys would move",
               100 * modulo->add.moved);
    else
        choose(c, "rendezvous",
               "the nodes never change but have unequal weights, which "
               "\"modulo\" does not take: shares are exact and nothing is "
               "kept");
}

void
compare_choose(struct compare *c)
{
    switch (c->want) {
    case COMPARE_CHANGING:
        choose_changing(c);
        break;
    case COMPARE_FIXED:
        choose_fixed(c);
        break;
    case COMPARE_BY_HAND:
        choose(c, "directory",
               "keys are few and somebody decides where each one is: a table "
               "says it, moves one key at a time, and needs no hash to be "
               "even. It has to be kept and read by all; where only some keys "
               "are placed by hand, pin them over another placement");
        break;
    }
}
