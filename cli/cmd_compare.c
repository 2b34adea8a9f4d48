/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_compare.c - all placements side by side on one fleet. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/compare/compare.h"
#include "cli/load_fleet.h"

enum { REPORT = CLI_OWN, NO_TIMES, FOR };

#define NODES_MAX 10000u

static const struct opt_spec options[] = {
    { 0, "report",   "FILE", REPORT },
    { 0, "no-times", NULL,   NO_TIMES },
    { 0, "for",      "WHAT", FOR },
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

/* "--nodes 100": so many made-up nodes, 0 for too many; false when the text is
 * no number. */
static bool
is_count(const struct cli *c, uint64_t *n)
{
    const char *s = c->source_count == 1 && c->sources[0].is_inline
                    ? c->sources[0].text : "";
    size_t      len = strlen(s);

    *n = 0;
    str_uint(s, len, NODES_MAX, n);
    return len > 0 && strspn(s, "0123456789") == len;
}

struct asked {
    const char       *path;     /* of the report, or NULL                   */
    bool              timed;
    enum compare_want want;
};

static int
read_want(struct cli *c, enum compare_want *want)
{
    static const char *const words[] = { "changing", "fixed", "by-hand" };
    unsigned i;

    for (i = 0; i < 3; i++)
        if (strcmp(c->opt.value, words[i]) == 0) {
            *want = (enum compare_want)i;
            return CLI_DONE;
        }
    return cli_usage(c, "--for %s: expected changing, fixed or by-hand",
                     c->opt.value);
}

static int
read_options(struct cli *c, struct asked *a)
{
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        if (id == REPORT)
            a->path = c->opt.value;
        else if (id == NO_TIMES)
            a->timed = false;
        else if (read_want(c, &a->want) != CLI_DONE)
            return c->status;
    }
    if (c->arg_count > 0)
        return cli_usage(c, "unexpected argument \"%s\"; expected a fleet "
                         "with -f or --nodes", c->args[0]);
    return CLI_DONE;
}

static int
report(struct cli *c, const cw_fleet *fleet, const cw_pins *pins,
       const struct asked *a)
{
    struct compare *result = mem_alloc(1, sizeof *result);
    int             status = CLI_DONE;

    compare_measure(result, fleet, a->timed, a->want);
    result->pins = pins != NULL ? cw_pins_count(pins) : 0;
    if (result->active == 0) {
        cli_say("compare: no node has a weight above 0; there is nothing to "
                "compare");
        status = CLI_NO;
    } else if (c->json) {
        compare_json(result, &c->out);
    } else {
        compare_text(result, &c->out);
    }
    if (status == CLI_DONE && a->path != NULL)
        status = write_report(result, a->path);
    mem_free(result);
    return status;
}

static int
run(struct cli *c)
{
    struct loaded l;
    cw_fleet     *made;
    struct asked  a = { NULL, true, COMPARE_CHANGING };
    int           status = read_options(c, &a);
    uint64_t      n;

    if (status != CLI_DONE || c->stop)
        return status;
    if (is_count(c, &n)) {
        if (n == 0)
            return cli_usage(c, "--nodes %s: expected 1 to %u nodes to "
                             "compare, or their names", c->sources[0].text,
                             NODES_MAX);
        made = compare_fleet((uint32_t)n);
        status = report(c, made, NULL, &a);
        cw_fleet_free(made);
        return status;
    }
    status = load_fleet(c, &l);
    if (status != CLI_DONE)
        return status;
    status = report(c, l.model.pools[0].fleet, l.model.pools[0].pins, &a);
    load_free(&l);
    return status;
}

const struct cmd cmd_compare = {
    "compare", "measure all placements side by side on one fleet",
    "[--for WHAT] [--no-times] [--report FILE]",
    "  The fleet's nodes, or --nodes N for N equal ones, under every placement "
    "of\n"
    "  ours: balance; what moves when a node is added or lost (mean, worst), a"
    "\n"
    "  weight doubled, a zone lost; memory, build and look-up times; what "
    "text-books\n"
    "  say; a ring's spread by points and by hash; and which one to take.\n"
    "      --for WHAT     fleets that are changing (default) or fixed, or "
    "keys\n"
    "                     placed by-hand: which placement is recommended\n"
    "      --no-times     measure no times\n"
    "      --report FILE  write a page with charts, to read or print\n",
    options, false, run
};
