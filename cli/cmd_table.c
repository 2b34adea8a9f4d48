/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd_rows.h"

#include <string.h>

#include "cli/cli.h"

#define DECLARE(id) extern const struct cmd cmd_##id;
#define ENTRY(id)   &cmd_##id,

CMD_ROWS(DECLARE)

static const struct cmd *const cmd_table[] = { CMD_ROWS(ENTRY) };

const struct cmd *
cmd_at(unsigned i)
{
    return i < sizeof cmd_table / sizeof *cmd_table ? cmd_table[i] : NULL;
}

const struct cmd *
cmd_find(const char *name)
{
    const struct cmd *cmd;
    unsigned i;

    for (i = 0; (cmd = cmd_at(i)) != NULL; i++)
        if (strcmp(cmd->name, name) == 0)
            return cmd;
    return NULL;
}
