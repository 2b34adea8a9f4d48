/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_export.c - a fleet as the file of a program. */
#include <string.h>

#include "cli/load_fleet.h"
#include "conf/conf_write.h"

/* Read the text again: true when it means the same as l. */
static bool
means_the_same(const struct loaded *l, const struct conf_format *format,
               const struct buf *text, struct buf *why)
{
    struct conf_ask ask = { format, "2.6" };
    struct conf_model m;
    struct diag d;
    cw_map *map = NULL;
    cw_error err;
    bool same = false;

    if (strcmp(conf_row_name(l->model.pools), "haproxy-consistent-3-0") == 0)
        ask.version = "3.2.0";
    diag_init(&d, format->name, text->data, text->len);
    if (!conf_read_asked(&ask, text->data, text->len, &d, &m)) {
        buf_str(why, "what would be written cannot be read back:\n");
        diag_print(&d, why, false);
    } else {
        if (m.pools[0].refusal != NULL)
            buf_str(why, m.pools[0].refusal);
        else if (cw_map_build(m.pools[0].fleet, m.pools[0].placement, &map,
                              &err) != CW_OK)
            buf_str(why, err.text);
        else if (cw_map_fingerprint(map) != cw_map_fingerprint(l->map))
            buf_str(why, "what it can say would not be the same placement "
                    "(another fingerprint)");
        else
            same = true;
        cw_map_unref(map);
        conf_model_free(&m);
    }
    diag_free(&d);
    return same;
}

static int
run(struct cli *c)
{
    const struct conf_format *format;
    struct buf text = { 0 }, why = { 0 };
    struct loaded l;
    int status;

    if (!cli_no_options(c))
        return c->status;
    if (c->arg_count != 1)
        return cli_usage(c, "expected one format, and the fleet by -f FILE "
                         "or --nodes LIST");
    format = conf_format_find(c->args[0]);
    if (format == NULL || format->write == NULL)
        return load_bad_format(c, c->args[0], true);
    status = load_fleet(c, &l);
    if (status != CLI_DONE)
        return status;
    if (format->write(l.model.pools, &text, &why)
        && means_the_same(&l, format, &text, &why)) {
        out_add(&c->out, text.data, text.len);
    } else {
        cli_say("the fleet cannot be written as \"%s\": %s; nothing was "
                "written", format->name, why.data);
        status = CLI_NO;
    }
    buf_free(&text);
    buf_free(&why);
    load_free(&l);
    return status;
}

const struct cmd cmd_export = {
    .name = "export",
    .summary = "turn a fleet into a program's own file",
    .usage = "FORMAT -f FILE [--pool NAME]",
    .help =
    "  Writes the file as far as the format can say what the fleet means, "
    "else says\n"
    "  why not. Read back, it has the same fingerprint. The formats: "
    "clockwise list\n"
    "  formats.\n",
    .run = run
};
