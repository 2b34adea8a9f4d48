/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_import.c - a native file as a fleet file of ours. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/ask/ask.h"
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

enum { OPT_RESOLVE = CLI_OWN };

static const struct opt_spec options[] = {
    { 0, "resolve", NULL, OPT_RESOLVE },
    { 0, NULL,      NULL, 0 }
};

/* A line for each name: how many machines one node of the ring is. */
static void
resolve_names(const struct loaded *l, struct buf *text)
{
    const struct conf_pool *pool = l->model.pools;
    bool in_turn = strcmp(l->model.format, "nginx") == 0;
    uint32_t i;

    for (i = 0; i < cw_fleet_count(pool->fleet); i++) {
        struct buf list = { 0 };
        const char *address;
        cw_node node;
        unsigned n;

        cw_fleet_node(pool->fleet, i, &node);
        address = node.address_len ? node.address : node.name;
        n = ask_resolve(address, &list);
        if (n == 0)
            buf_print(text, "# %s: the name is not known here\n", address);
        else if (n > 1)
            buf_print(text, "# %s: 1 node of the ring, %u addresses (%s)%s\n",
                      address, n, list.data, in_turn ? ", taken in turn: a "
                      "key has no affinity among them"
                      : ": which of them is used is the program's choice");
        buf_free(&list);
    }
}

/* Have keys with bytes above 0x7f another hash, or owner, where char is
 * unsigned? Which hashes mind is the row's business, so it is tried. */
static bool
minds_char(const struct conf_pool *pool, const cw_map *map,
           const char *fallback)
{
    bool differs = false;
    cw_map *other = NULL;
    unsigned i;

    if (cw_placement_set(pool->placement, "char", "unsigned", NULL) != CW_OK
        || cw_map_build(pool->fleet, pool->placement, &other, NULL) != CW_OK)
        mem_fail();
    for (i = 0; i < 4096 && !differs; i++) {
        char text[16];
        size_t len = (size_t)snprintf(text, sizeof text, "\xd0\x96%u\xff", i);
        uint64_t hash = 0, other_hash = 0;
        uint32_t node = CW_NONE, other_node = CW_NONE;

        cw_map_hash(map, text, len, &hash);
        cw_map_hash(other, text, len, &other_hash);
        cw_map_owner(map, text, len, &node);
        cw_map_owner(other, text, len, &other_node);
        differs = hash != other_hash || node != other_node;
    }
    cw_map_unref(other);
    cw_placement_set(pool->placement, "char", fallback, NULL);
    return differs;
}

/* How a client reads bytes above 0x7f is its machine's choice and stands in no
 * file: the fleet file says which one was taken, where that matters. */
static void
name_variant(struct loaded *l, struct buf *text)
{
    struct conf_pool *pool = l->model.pools;
    cw_row row, other;
    cw_row_option o;
    unsigned i, k;

    cw_map_row(l->map, &row);
    for (i = 0; cw_table_row(CW_TABLE_COMPAT, i, &other) == CW_OK; i++) {
        if (strcmp(other.name, row.name) != 0)
            continue;
        for (k = 0; cw_table_row_option(CW_TABLE_COMPAT, i, k, &o) == CW_OK;
             k++) {
            if (strcmp(o.name, "char") != 0
                || conf_pool_value(pool, "char") != NULL
                || !minds_char(pool, l->map, o.fallback))
                continue;
            conf_pool_setting(pool, "char", o.fallback);
            buf_str(text, "# char: as on x86-64; unsigned where the clients "
                    "run on ARM\n");
        }
    }
}

static int
run(struct cli *c)
{
    struct load_sets sets = { 0 }, none = { NULL, 0 };
    struct cli_source source = { .is_inline = false };
    struct loaded l;
    struct buf text = { 0 };
    bool resolve = false;
    int id, status;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        resolve = true;
    }
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
    if (resolve)
        resolve_names(&l, &text);
    name_variant(&l, &text);
    conf_write_fleet(l.model.pools, &l.model.notes, &text);
    out_add(&c->out, text.data, text.len);
    buf_free(&text);
    load_free(&l);
    return CLI_DONE;
}

const struct cmd cmd_import = {
    .name = "import",
    .summary = "turn a program's own file into a fleet file",
    .usage = "[--resolve] FORMAT|auto FILE [--pool NAME]",
    .help =
    "  Prints YAML: nodes, weights and the placement that the file means, "
    "with\n"
    "  comments on what was inferred and what could not be taken over. The "
    "formats:\n"
    "  clockwise list formats. All commands take such a file directly: "
    "-f FILE, and\n"
    "  --pool NAME when it has several pools.\n"
    "      --resolve    look names up: how many addresses is each node?\n",
    .options = options,
    .run = run
};
