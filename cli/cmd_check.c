/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_check.c - every problem of a fleet file. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/load_fleet.h"

static void
print_sound(struct cli *c, const char *name, const struct loaded *l)
{
    uint32_t n = cw_map_count(l->map);
    struct json j = { &c->out, false };
    cw_row row;

    cw_map_row(l->map, &row);
    if (c->json) {
        json_open(&j, '{');
        json_bytes(&j, "file", name, strlen(name));
        json_key(&j, "sound");
        json_bool(&j, true);
        json_key(&j, "nodes");
        json_uint(&j, n);
        json_pair(&j, "placement", row.name, strlen(row.name));
        json_close(&j, '}');
        json_end(&j, '\n');
    } else if (!c->quiet) {
        out_print(&c->out, "%s: sound: %" PRIu32 " node%s, %s, %" PRIu64
                  " points\n", name, n, n == 1 ? "" : "s", row.name,
                  cw_map_points(l->map));
    }
}

static int
check(struct cli *c, const struct cli_source *s)
{
    struct load_sets sets = { c->sets, c->set_count };
    struct load_sets none = { NULL, 0 };
    const char *name = load_name(s);
    struct loaded l;
    cw_error err;
    int status = load_source(s, sets, none, &l);

    if (status != CLI_DONE)
        return status;
    if (cw_map_check(l.map, &err) != CW_OK) {
        cli_say("%s: the map built from it is not sound: %s; please report "
                "this", name, err.text);
        status = CLI_NO;
    } else {
        print_sound(c, name, &l);
    }
    load_free(&l);
    return status;
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
        one = check(c, &c->sources[i]);
        status = one > status ? one : status;
    }
    return status;
}

const struct cmd cmd_check = {
    "check", "print every problem of a fleet file; exit 1 if there is one",
    "FILE ...",
    "  Prints one line for a file that is sound. -q prints nothing then.\n",
    NULL, true, run
};
