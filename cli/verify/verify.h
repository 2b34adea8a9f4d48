/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - the three questions of `clockwise verify`. */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/load_fleet.h"

struct verify_ask {
    bool        holders;
    const char *sample;
    bool        delete_strays;
    bool        apply;
    uint64_t    most;           /* keys of each node                        */
    const char *port;
};

/* Each prints its answer; CLI_DONE, CLI_NO when something is not as it
 * should be, or another status after a message. */
int verify_views(struct cli *c, struct loaded *fleets, int count);
int verify_sample(struct cli *c, const struct verify_ask *a,
                  struct loaded *fleet);
int verify_holders(struct cli *c, const struct verify_ask *a,
                   struct loaded *fleet);

#endif
