/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt.h - command line options, from tables.
 *
 * Options may stand before, between and after the arguments; "--" ends them.
 * Short ones take their value in the same word or the next (-n3, -n 3) and
 * may be joined (-0q); long ones likewise (--count=3, --count 3) and may be
 * shortened as long as only one fits.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>

struct opt_spec {
    char        letter;     /* 0: long form only                            */
    const char *name;       /* without "--"; NULL ends the table            */
    const char *value;      /* what it takes, for help; NULL: nothing       */
    int         id;         /* what opt_next() returns; above 0             */
};

enum { OPT_END = 0, OPT_ARGUMENT = -1, OPT_ERROR = -2 };

struct opt {
    const struct opt_spec *tables[2];
    char                 **argv;
    int                    argc;
    int                    at;
    const char            *joined;  /* rest of a word of short options      */
    bool                   ended;   /* "--" was met                         */
    const char            *value;   /* of the option or argument met last   */
    char                   error[160];
};

/* argv[first] is looked at first. b may be NULL. */
void opt_init(struct opt *o, int argc, char **argv, int first,
              const struct opt_spec *a, const struct opt_spec *b);

/* The id of the next option (its value in o->value), OPT_ARGUMENT,
 * OPT_ERROR (text in o->error), or OPT_END. */
int opt_next(struct opt *o);

#endif
