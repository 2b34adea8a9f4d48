/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h - how a key finds its node, in words. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/cli.h"
#include "cli/pick.h"
#include "conf/conf_model.h"

/* key NULL: position is explained; pool: whose settings are told. Returns a
 * status of the program. */
int explain(struct cli *c, const cw_map *map, struct pick *pick,
            const cw_key *key, uint64_t position,
            const struct conf_pool *pool);

#endif
