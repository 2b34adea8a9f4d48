/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_import.c - a native file as a fleet file of ours. */
#include <string.h>

#include "base/str.h"
#include "cli/load_fleet.h"
#include "conf/conf_write.h"

/* "a, b, c": names of all formats, or of those that can be written. */
static void
list_formats(struct buf *out, bool written)
{
    const struct conf_format *f;
    size_t i;

    for (i = 0; (f = conf_format_at(i)) != NULL; i++)
        if (!written || f->write != NULL)
            buf_print(out, "%s%s", out->len ? ", " : "", f->name);
}

int
load_bad_format(struct cli *c, const char *name, bool written)
{
    struct str_nearest near;
    struct buf known = { 0 };
    const struct conf_format *f;
    int status;
    size_t i;

    list_formats(&known, written);
    str_nearest_init(&near, name, strlen(name));
    for (i = 0; (f = conf_format_at(i)) != NULL; i++)
        if (!written || f->write != NULL)
            str_nearest_try(&near, f->name);
    if (near.best != NULL)
        status = cli_usage(c, "unknown format \"%s\"; did you mean \"%s\"? "
                           "known: %s", name, near.best, known.data);
    else
        status = cli_usage(c, "unknown format \"%s\"; known: %s%s", name,
                           written ? "" : "auto, ", known.data);
    buf_free(&known);
    return status;
}

static int
run(struct cli *c)
{
    struct load_sets sets = { 0 }, none = { NULL, 0 };
    struct cli_source source = { .is_inline = false };
    struct loaded l;
    struct buf text = { 0 };
    int status;

    if (!cli_no_options(c))
        return c->status;
    sets = (struct load_sets){ c->sets, c->set_count };
    if (c->arg_count + c->source_count != 2 || c->arg_count < 1)
        return cli_usage(c, "expected a format (or auto) and one file");
    if (c->source_count == 1)
        source = c->sources[0];
    else
        source = (struct cli_source){
            .text = c->args[1], .version = c->version, .quiet = c->quiet,
            .pool = c->pool_count > 0 ? c->pools[0] : NULL
        };
    if (strcmp(c->args[0], "auto") != 0) {
        if (conf_format_find(c->args[0]) == NULL)
            return load_bad_format(c, c->args[0], false);
        source.format = c->args[0];
    }
    status = load_source(&source, sets, none, &l);
    if (status != CLI_DONE)
        return status;
    if (!c->quiet)
        buf_print(&text, "# From %s, read as \"%s\".\n", load_name(&source),
                  l.model.format);
    conf_write_fleet(l.model.pools, &l.model.notes, &text);
    out_add(&c->out, text.data, text.len);
    buf_free(&text);
    load_free(&l);
    return CLI_DONE;
}

const struct cmd cmd_import = {
    .name = "import",
    .summary = "turn a program's own file into a fleet file",
    .usage = "FORMAT|auto FILE [--pool NAME]",
    .help =
    "  Prints YAML: nodes, weights and the placement that the file means, "
    "with\n"
    "  comments on what was inferred and what could not be taken over. The "
    "formats:\n"
    "  clockwise list formats. All commands take such a file directly: "
    "-f FILE, and\n"
    "  --pool NAME when it has several pools.\n",
    .run = run
};
