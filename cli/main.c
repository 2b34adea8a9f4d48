/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - finds the command; everything else is in cmd_*.c. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/cli.h"

static int
run(struct cli *c, int argc, char **argv)
{
    const struct cmd *cmd;
    int id;

    opt_init(&c->opt, argc, argv, 1, cli_common, NULL);
    id = cli_next(c);
    if (id == OPT_ERROR)
        return c->status;
    if (id == OPT_END)
        return cli_usage(c, "no command is given");
    cmd = cmd_find(c->opt.value);
    if (cmd == NULL)
        return cli_unknown_command(c, c->opt.value);
    c->cmd = cmd;
    opt_init(&c->opt, argc, argv, c->opt.at, cli_common, cmd->options);
    return cmd->run(c);
}

int
main(int argc, char **argv)
{
    struct cli c;
    int status;

    file_guard_standard();
    /* a reader that leaves is a failed write, not a sudden death */
    signal(SIGPIPE, SIG_IGN);
    memset(&c, 0, sizeof c);
    out_init(&c.out, 1);
    status = run(&c, argc, argv);
    if (!out_close(&c.out)) {
        if (c.out.error != EPIPE)
            cli_say("cannot write standard output: %s; the output is not "
                    "complete", strerror(c.out.error));
        status = CLI_IO;
    }
    mem_free(c.sources);
    mem_free(c.pools);
    mem_free(c.sets);
    mem_free(c.args);
    return status;
}
