/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_list.c - what this build knows, from the library's tables. */
#include <stdio.h>
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/equal.h"
#include "cli/evidence/evidence.h"
#include "clockwise/clockwise.h"
#include "conf/conf_model.h"

static const struct {
    const char *name;
    cw_table    table;
} tables[] = {
    { "algorithms", CW_TABLE_ALGORITHMS },
    { "hashes",     CW_TABLE_HASHES },
    { "compat",     CW_TABLE_COMPAT },
};

enum { TABLES = sizeof tables / sizeof *tables };

static const struct {
    unsigned    bit;
    const char *name;
} traits[] = {
    { CW_TRAIT_ORDER_FREE, "order-free" },
    { CW_TRAIT_MINIMAL,    "minimal" },
    { CW_TRAIT_RESTORES,   "restores" },
    { CW_TRAIT_WEIGHTED,   "weighted" },
    { CW_TRAIT_ARCS,       "arcs" },
    { CW_TRAIT_POSITIONS,  "positions" },
    { CW_TRAIT_BALANCED,   "balanced" },
    { CW_TRAIT_WHOLE,      "whole-weights" },
};

enum { TRAITS = sizeof traits / sizeof *traits };

/* A hash's width, or a placement's traits with commas between. */
static void
describe(const cw_row *row, cw_table table, struct buf *out)
{
    unsigned t;

    if (table == CW_TABLE_HASHES) {
        buf_print(out, "%u bits%s", row->bits, row->keyed ? ", keyed" : "");
        return;
    }
    for (t = 0; t < TRAITS; t++)
        if (row->traits & traits[t].bit)
            buf_print(out, "%s%s", out->len ? "," : "", traits[t].name);
    if (out->len == 0)
        buf_str(out, "-");
}

/* "a whole number, 1 to 1000000". */
static void
expected(struct buf *out, const cw_row_option *o)
{
    buf_str(out, o->expected);
    if (o->max > 0)
        buf_print(out, ", %" PRIu64 " to %" PRIu64, o->min, o->max);
}

static void
text_table(struct cli *c, unsigned t)
{
    struct out *out = &c->out;
    cw_row row;
    unsigned i, k;

    for (i = 0; cw_table_row(tables[t].table, i, &row) == CW_OK; i++) {
        struct buf what = { 0 };
        cw_row_option o;

        describe(&row, tables[t].table, &what);
        out_print(out, "%s\t%s\t%s\t%s\n", row.name, what.data, row.summary,
                  row.source);
        if (c->quiet) {
            buf_free(&what);
            continue;
        }
        for (k = 0; cw_table_row_option(tables[t].table, i, k, &o) == CW_OK;
             k++) {
            what.len = 0;
            expected(&what, &o);
            out_print(out, "#\t%s: %s; %s%s%s\n", o.name, o.summary,
                      what.data, *o.fallback ? "; default " : "",
                      o.fallback);
        }
        buf_free(&what);
    }
}

static void
json_options(struct json *j, cw_table table, unsigned row)
{
    cw_row_option o;
    unsigned k;

    json_key(j, "options");
    json_open(j, '[');
    for (k = 0; cw_table_row_option(table, row, k, &o) == CW_OK; k++) {
        json_open(j, '{');
        json_pair(j, "name", o.name, strlen(o.name));
        json_pair(j, "summary", o.summary, strlen(o.summary));
        json_pair(j, "expected", o.expected, strlen(o.expected));
        if (o.max > 0) {
            json_pair_uint(j, "min", o.min);
            json_pair_uint(j, "max", o.max);
        }
        json_pair(j, "default", o.fallback, strlen(o.fallback));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
json_table(struct json *j, unsigned t)
{
    cw_row row;
    unsigned i, k;

    json_key(j, tables[t].name);
    json_open(j, '[');
    for (i = 0; cw_table_row(tables[t].table, i, &row) == CW_OK; i++) {
        json_open(j, '{');
        json_pair(j, "name", row.name, strlen(row.name));
        json_pair(j, "summary", row.summary, strlen(row.summary));
        json_pair(j, "source", row.source, strlen(row.source));
        if (tables[t].table == CW_TABLE_HASHES) {
            json_pair_uint(j, "bits", row.bits);
            json_pair_bool(j, "keyed", row.keyed != 0);
        } else {
            json_key(j, "traits");
            json_open(j, '[');
            for (k = 0; k < TRAITS; k++)
                if (row.traits & traits[k].bit)
                    json_text(j, traits[k].name, strlen(traits[k].name));
            json_close(j, ']');
            json_options(j, tables[t].table, i);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* The formats of evidence: a table of the program's own. */
static void
evidence(struct cli *c, struct json *j)
{
    const struct evidence_format *f;
    unsigned i;

    if (c->json) {
        json_key(j, "evidence");
        json_open(j, '[');
    }
    for (i = 0; (f = evidence_at(i)) != NULL; i++) {
        if (!c->json) {
            out_print(&c->out, "%s\t%s\n", f->name, f->summary);
            continue;
        }
        json_open(j, '{');
        json_pair(j, "name", f->name, strlen(f->name));
        json_pair(j, "summary", f->summary, strlen(f->summary));
        json_close(j, '}');
    }
    if (c->json)
        json_close(j, ']');
}

/* ---- formats of fleet files --------------------------------------------- */

static void
text_formats(struct cli *c)
{
    const struct conf_format *f;
    size_t i;

    for (i = 0; (f = conf_format_at(i)) != NULL; i++)
        out_print(&c->out, "%s\t%s\t%s\n", f->name,
                  f->write ? "import,export" : "import", f->summary);
}

static void
json_formats(struct json *j)
{
    const struct conf_format *f;
    size_t i;

    json_key(j, "formats");
    json_open(j, '[');
    for (i = 0; (f = conf_format_at(i)) != NULL; i++) {
        json_open(j, '{');
        json_pair(j, "name", f->name, strlen(f->name));
        json_pair(j, "summary", f->summary, strlen(f->summary));
        json_pair_bool(j, "export", f->write != NULL);
        json_close(j, '}');
    }
    json_close(j, ']');
}

enum { FORMATS = TABLES, EVIDENCE, LISTS };

static const char *
list_name(unsigned t)
{
    return t < TABLES ? tables[t].name : t == FORMATS ? "formats"
        : "evidence";
}

static void
print_list(struct cli *c, struct json *j, unsigned t)
{
    if (t == EVIDENCE)
        evidence(c, j);
    else if (t == FORMATS && c->json)
        json_formats(j);
    else if (t == FORMATS)
        text_formats(c);
    else if (c->json)
        json_table(j, t);
    else
        text_table(c, t);
}

static const struct opt_spec options[] = {
    { 0, "equal", NULL, CLI_OWN },
    { 0, NULL,    NULL, 0 }
};

static int
run(struct cli *c)
{
    struct json j = { &c->out, false };
    unsigned first = 0, last = LISTS - 1, t;
    bool equal = false;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        equal = true;
    }
    if (equal && (c->arg_count != 1 || strcmp(c->args[0], "compat") != 0))
        return cli_usage(c, "--equal compares placements of programs: "
                         "clockwise list compat --equal");
    if (equal) {
        equal_print(c);
        return CLI_DONE;
    }
    if (c->arg_count > 1)
        return cli_usage(c, "unexpected argument \"%s\"", c->args[1]);
    if (c->arg_count == 1) {
        while (first < LISTS && strcmp(list_name(first), c->args[0]) != 0)
            first++;
        if (first == LISTS)
            return cli_usage(c, "there is no list \"%s\"; expected "
                             "algorithms, hashes, compat, formats or "
                             "evidence", c->args[0]);
        last = first;
    }
    if (c->json)
        json_open(&j, '{');
    for (t = first; t <= last; t++) {
        if (!c->json && !c->quiet && first != last)
            out_print(&c->out, "%s# %s\n", t > first ? "\n" : "",
                      list_name(t));
        print_list(c, &j, t);
    }
    if (c->json) {
        json_close(&j, '}');
        json_end(&j, '\n');
    }
    return CLI_DONE;
}

const struct cmd cmd_list = {
    "list", "print what this build knows",
    "[algorithms | hashes | compat | formats | evidence]\n"
    "compat --equal",
    "  A row each: name, traits (of a hash: its width; of a file format: "
    "import,\n"
    "  export), what it is, where it comes from. Lines with \"#\" below are "
    "the\n"
    "  options that it takes.\n"
    "      --equal    pairs of compat rows that agree, and on which fleets\n",
    options, false, run
};
