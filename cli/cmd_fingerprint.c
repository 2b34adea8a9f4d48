/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_fingerprint.c - do two machines place keys alike? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/load_fleet.h"

static int
print_one(struct cli *c, const struct cli_source *s, bool named)
{
    struct load_sets sets = { c->sets, c->set_count };
    struct load_sets none = { NULL, 0 };
    const char *name = load_name(s);
    struct json j = { &c->out, false };
    struct loaded l;
    char text[17];
    int status = load_source(s, sets, none, &l);

    if (status != CLI_DONE)
        return status;
    snprintf(text, sizeof text, "%016" PRIx64, cw_map_fingerprint(l.map));
    if (c->json) {
        json_open(&j, '{');
        json_bytes(&j, "file", name, strlen(name));
        json_pair(&j, "fingerprint", text, strlen(text));
        json_close(&j, '}');
        json_end(&j, '\n');
    } else if (named) {
        out_print(&c->out, "%s\t%s\n", text, name);
    } else {
        out_print(&c->out, "%s\n", text);
    }
    load_free(&l);
    return CLI_DONE;
}

static int
run(struct cli *c)
{
    int status = CLI_DONE, one, i;

    if (!cli_no_options(c))
        return c->status;
    if (c->source_count == 0)
        return cli_usage(c, "no FILE is given");
    for (i = 0; i < c->source_count; i++) {
        one = print_one(c, &c->sources[i], c->source_count > 1);
        status = one > status ? one : status;
    }
    return status;
}

const struct cmd cmd_fingerprint = {
    "fingerprint", "print a hash of all that decides placement",
    "FILE ...",
    "  16 hexadecimal digits; where they are equal on two machines every key "
    "has the\n"
    "  same owner and replicas on both. Addresses and states are left out. "
    "With\n"
    "  several files their names follow.\n",
    NULL, true, run
};
