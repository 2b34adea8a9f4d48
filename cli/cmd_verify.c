/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_verify.c - do all parties place keys alike, and are the keys where the
 * placement says? */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/ask/ask.h"
#include "cli/keys.h"
#include "cli/load_fleet.h"
#include "cli/verify/verify.h"

enum { HOLDERS = CLI_OWN, SAMPLE, DELETE, APPLY, MOST, PORT };

static const struct opt_spec options[] = {
    { 0, "holders",       NULL,    HOLDERS },
    { 0, "sample",        "FILE",  SAMPLE },
    { 0, "delete-strays", NULL,    DELETE },
    { 0, "apply",         NULL,    APPLY },
    { 0, "most",          "COUNT", MOST },
    { 0, "port",          "PORT",  PORT },
    { 0, NULL,            NULL,    0 }
};

static int
read_options(struct verify_ask *a, struct cli *c)
{
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        switch (id) {
        case HOLDERS: a->holders = true;              break;
        case SAMPLE:  a->sample = c->opt.value;       break;
        case DELETE:  a->delete_strays = true;        break;
        case APPLY:   a->apply = true;                break;
        case PORT:
            a->port = c->opt.value;
            if (!ask_is_port(a->port))
                return cli_usage(c, "--port %s: expected 1 to 65535", a->port);
            break;
        default:
            if (!str_uint(c->opt.value, strlen(c->opt.value), UINT64_MAX,
                          &a->most) || a->most == 0)
                return cli_usage(c, "--most %s: expected a number of keys",
                                 c->opt.value);
        }
    }
    if (a->delete_strays && !a->holders)
        return cli_usage(c, "--delete-strays goes with --holders");
    if (a->apply && !a->delete_strays)
        return cli_usage(c, "--apply goes with --delete-strays");
    if (c->source_count == 0)
        return cli_usage(c, "no fleet is given; expected FILE ...");
    if (c->source_count < 2 && !a->holders && a->sample == NULL)
        return cli_usage(c, "one fleet is given; expected two or more, "
                         "--holders or --sample FILE");
    return CLI_DONE;
}

static int
run(struct cli *c)
{
    struct verify_ask a = { .most = 100000, .port = "11211" };
    struct loaded *fleets;
    struct load_sets none = { NULL, 0 };
    int status = read_options(&a, c), one, i, n;
    struct load_sets sets = { c->sets, c->set_count };

    if (status != CLI_DONE || c->stop)
        return c->status;
    fleets = mem_alloc((size_t)c->source_count, sizeof *fleets);
    for (n = 0; n < c->source_count && status == CLI_DONE; n++)
        status = load_source(&c->sources[n], sets, none, &fleets[n]);
    if (status != CLI_DONE)
        n--;
    if (status == CLI_DONE && n > 1)
        status = verify_views(c, fleets, n);
    if (a.sample != NULL && status <= CLI_NO) {
        one = verify_sample(c, &a, &fleets[0]);
        status = one > status ? one : status;
    }
    if (a.holders && status <= CLI_NO) {
        one = verify_holders(c, &a, &fleets[0]);
        status = one > status ? one : status;
    }
    for (i = 0; i < n; i++)
        load_free(&fleets[i]);
    mem_free(fleets);
    return status;
}

const struct cmd cmd_verify = {
    "verify", "check that all parties place keys alike, and keys are at home",
    "[--sample FILE] FLEET ...\n"
    "--holders [--delete-strays [--apply]] FLEET ...",
    "  Compares the views of several fleet files by fingerprint; where they "
    "differ,\n"
    "  says which share of the keys two send to different nodes. Exits 1 "
    "then.\n"
    "      --sample FILE  lines of key TAB node: is each key where the first "
    "says?\n"
    "      --holders  ask the nodes of the first fleet (memcached or Redis, "
    "at their\n"
    "                 addresses) for their keys, and count strays: keys on a "
    "node\n"
    "                 that does not own them\n"
    "      --delete-strays  list them; with --apply also remove them\n"
    "      --most COUNT  keys asked of each node (default: 100000)\n"
    "      --port PORT  of addresses that have none (default: 11211)\n",
    options, true, run
};
