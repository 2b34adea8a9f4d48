/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare.c - all placements side by side on one fleet. */
#include <string.h>

#include "base/mem.h"
#include "cli/compare/compare.h"
#include "cli/load_fleet.h"

enum { REPORT = CLI_OWN, NO_TIMES };

#define NODES_MAX 10000u

static const struct opt_spec options[] = {
    { 0, "report",   "FILE", REPORT },
    { 0, "no-times", NULL,   NO_TIMES },
    { 0, NULL,       NULL,   0 }
};

static int
write_report(const struct compare *c, const char *path)
{
    struct out out;

    cli_file_open(&out, path);
    compare_html(c, &out);
    return cli_file_close(&out, path, "the report");
}

/* "--nodes 100": so many made-up nodes; 0 when the text is no number. */
static uint32_t
node_count(const struct cli *c)
{
    const char *s = c->source_count == 1 && c->sources[0].is_inline
                    ? c->sources[0].text : "";
    uint32_t    n = 0;

    for (; *s >= '0' && *s <= '9' && n <= NODES_MAX; s++)
        n = n * 10 + (uint32_t)(*s - '0');
    return *s == '\0' ? n : 0;
}

static int
report(struct cli *c, const cw_fleet *fleet, bool timed, const char *path)
{
    struct compare *result = mem_alloc(1, sizeof *result);
    int             status = CLI_DONE;

    compare_measure(result, fleet, timed);
    if (result->active == 0) {
        cli_say("compare: no node has a weight above 0; there is nothing to "
                "compare");
        status = CLI_NO;
    } else if (c->json) {
        compare_json(result, &c->out);
    } else {
        compare_text(result, &c->out);
    }
    if (status == CLI_DONE && path != NULL)
        status = write_report(result, path);
    mem_free(result);
    return status;
}

static int
run(struct cli *c)
{
    struct loaded l;
    cw_fleet     *made;
    const char   *path = NULL;
    bool          timed = true;
    uint32_t      n;
    int           id, status;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        if (id == REPORT)
            path = c->opt.value;
        else if (id == NO_TIMES)
            timed = false;
    }
    if (c->arg_count > 0)
        return cli_usage(c, "unexpected argument \"%s\"; expected a fleet "
                         "with -f or --nodes", c->args[0]);
    n = node_count(c);
    if (n > NODES_MAX)
        return cli_usage(c, "--nodes: expected at most %u nodes to compare",
                         NODES_MAX);
    if (n > 0) {
        made = compare_fleet(n);
        status = report(c, made, timed, path);
        cw_fleet_free(made);
        return status;
    }
    status = load_fleet(c, &l);
    if (status != CLI_DONE)
        return status;
    status = report(c, l.model.pools[0].fleet, timed, path);
    load_free(&l);
    return status;
}

const struct cmd cmd_compare = {
    "compare", "measure all placements side by side on one fleet",
    "[--no-times] [--report FILE]",
    "  The fleet's nodes, or --nodes N for N equal ones, under every placement "
    "of\n"
    "  ours: balance; what moves when a node is added or lost (mean, worst), a"
    "\n"
    "  weight doubled, a zone lost; memory, build and look-up times; what "
    "text-books\n"
    "  say; a ring's spread by points and by hash; and which one to take.\n"
    "      --no-times     measure no times\n"
    "      --report FILE  write a page with charts, to read or print\n",
    options, false, run
};
