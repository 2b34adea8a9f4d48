/* SPDX-License-Identifier: Apache-2.0 */
/* load_fleet.h - a fleet of the command line, read, judged, and as a map. */
#ifndef LOAD_FLEET_H
#define LOAD_FLEET_H

#include "cli/cli.h"
#include "conf/conf_model.h"

struct loaded {
    struct conf_model model;
    cw_map           *map;
};

/* What --set, --set-old or --set-new change. */
struct load_sets {
    const char **list;
    int          count;
};

/* Take the value of --set-old ("old") or --set-new ("new"): CLI_DONE, or
 * CLI_USAGE after a message. The list is the caller's, mem_free() it. */
int load_sets_add(struct cli *c, struct load_sets *sets, const char *which,
                  const char *value);

/*
 * Read s, apply the two lists of settings in order, and build the map.
 *
 * CLI_DONE, or a status after a message: CLI_NO for a wrong fleet, CLI_USAGE
 * for a wrong setting, CLI_IO. Free the result in the first case only.
 */
int load_source(const struct cli_source *s, struct load_sets a,
                struct load_sets b, struct loaded *out);

/*
 * The same for every pool of a file: visit() is called for each, with no map
 * for one whose keys cannot be placed; its result other than CLI_DONE ends
 * all. The pools are freed behind it.
 */
int load_each(const struct cli_source *s, struct load_sets sets,
              int (*visit)(void *context, const struct loaded *one),
              void *context);

/* "unknown format ...": CLI_USAGE. written: it should be one that can be. */
int load_bad_format(struct cli *c, const char *name, bool written);

/* The one fleet of commands that work on one: -f or --nodes with --set. */
int load_fleet(struct cli *c, struct loaded *out);

/* How a source is called in messages. */
const char *load_name(const struct cli_source *s);

void load_free(struct loaded *l);

/* True when one of the sources is standard input. */
bool load_uses_stdin(const struct cli *c);

#endif
