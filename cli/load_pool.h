/* SPDX-License-Identifier: Apache-2.0 */
/* load_pool.h - which pool of a file with several is meant. */
#ifndef LOAD_POOL_H
#define LOAD_POOL_H

#include "cli/cli.h"
#include "conf/conf_model.h"

/* Keep the pool that s names, or the only one there is; false: an error was
 * added to d. */
bool load_choose(const struct cli_source *s, struct diag *d,
                 struct conf_model *m);

/* Print the model's warnings on standard error. */
void load_warn(const struct diag *d, const struct conf_model *m);

#endif
