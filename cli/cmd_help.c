/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_help.c - help, made from the table of commands. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"

static void
help_all(struct out *out)
{
    const struct cmd *cmd;
    unsigned i;

    out_str(out,
        "usage: clockwise COMMAND [OPTION ...] [ARGUMENT ...]\n"
        "Place keys on nodes so that few keys move when nodes change.\n\n");
    for (i = 0; (cmd = cmd_at(i)) != NULL; i++)
        out_print(out, "  %-12s %s\n", cmd->name, cmd->summary);
    out_str(out,
        "  -f FILE (YAML, a node a line, a program's own; --pool NAME), "
        "--nodes a,b=2;\n"
        "  --set OPTION=VALUE; --json; -q; -h, --help (or: help COMMAND); -V, "
        "--version\n"
        "Exit status: 0 done, 1 no or wrong input, 2 wrong usage, 3 "
        "input/output failed.\n"
        "Try: clockwise route --nodes a,b,c=2 user:1 user:2\n");
}

static void
help_one(struct out *out, const struct cmd *cmd)
{
    const char *s = cmd->usage;
    bool first = true;

    while (s != NULL) {
        const char *end = strchr(s, '\n');
        size_t len = end ? (size_t)(end - s) : strlen(s);

        out_print(out, "%s clockwise %s%s%.*s\n", first ? "usage:"
                  : "      ", cmd->name, len > 0 ? " " : "", (int)len, s);
        first = false;
        s = end ? end + 1 : NULL;
    }
    out_print(out, "\n%c%s.\n\n%s", cmd->summary[0] - 'a' + 'A',
              cmd->summary + 1, cmd->help);
    out_str(out, "\nOptions of all commands: clockwise --help. The whole "
            "story: man clockwise.\n");
}

void
cli_help(struct out *out, const struct cmd *cmd)
{
    if (cmd == NULL)
        help_all(out);
    else
        help_one(out, cmd);
}

int
cli_unknown_command(struct cli *c, const char *name)
{
    struct str_nearest near;
    struct buf shown = { 0 };
    const struct cmd *cmd;
    unsigned i;

    c->cmd = NULL;
    str_escape(&shown, name, strlen(name), 60);
    str_nearest_init(&near, name, strlen(name));
    for (i = 0; (cmd = cmd_at(i)) != NULL; i++)
        str_nearest_try(&near, cmd->name);
    if (near.best != NULL)
        cli_usage(c, "unknown command \"%s\"; did you mean \"%s\"?",
                  shown.data, near.best);
    else
        cli_usage(c, "unknown command \"%s\"", shown.len ? shown.data : "");
    buf_free(&shown);
    return CLI_USAGE;
}

static int
run(struct cli *c)
{
    const struct cmd *cmd = NULL;

    if (!cli_no_options(c))
        return c->status;
    if (c->arg_count > 1)
        return cli_usage(c, "unexpected argument \"%s\"", c->args[1]);
    if (c->arg_count == 1) {
        cmd = cmd_find(c->args[0]);
        if (cmd == NULL)
            return cli_unknown_command(c, c->args[0]);
    }
    cli_help(&c->out, cmd);
    return CLI_DONE;
}

const struct cmd cmd_help = {
    "help", "print this help, or that of a command", "[COMMAND]",
    "  As --help and COMMAND --help do.\n", NULL, false, run
};
