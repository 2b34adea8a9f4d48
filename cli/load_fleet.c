/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/load_fleet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/load_pool.h"

const char *
load_name(const struct cli_source *s)
{
    if (s->is_inline)
        return "--nodes";
    return strcmp(s->text, "-") == 0 ? "standard input" : s->text;
}

/* Print the errors and what they lead to. */
static int
refuse(struct diag *d)
{
    struct buf text = { 0 };

    diag_print(d, &text, diag_color());
    buf_print(&text, "clockwise: %zu error%s in %s; nothing was done\n",
              d->errors, d->errors == 1 ? "" : "s", d->file);
    fwrite(text.data, 1, text.len, stderr);
    buf_free(&text);
    return CLI_NO;
}

/* every: keep all pools; else the one that s means. */
static int
read_model(const struct cli_source *s, bool every, struct conf_model *out)
{
    struct conf_ask ask = { NULL, s->version };
    struct buf bytes = { 0 };
    struct diag d;
    int status = CLI_DONE;
    bool ok;

    if (s->is_inline) {
        diag_init(&d, load_name(s), s->text, strlen(s->text));
        ok = conf_read_inline(s->text, d.len, &d, out);
    } else {
        int error = file_read(s->text, CONF_FILE_MAX, &bytes);

        if (error == EFBIG) {
            cli_say("%s: expected at most %zu bytes of fleet file; nothing "
                    "was done", load_name(s), CONF_FILE_MAX);
            return CLI_NO;
        }
        if (error != 0)
            return cli_cannot_read(s->text, error);
        if (s->format != NULL)
            ask.format = conf_format_find(s->format);
        diag_init(&d, load_name(s), bytes.data ? bytes.data : "", bytes.len);
        ok = conf_read_asked(&ask, d.text, d.len, &d, out);
    }
    if (ok && !every && !load_choose(s, &d, out)) {
        conf_model_free(out);
        ok = false;
    }
    if (!ok)
        status = refuse(&d);
    else if (!s->quiet && !s->again)
        load_warn(&d, out);
    diag_free(&d);
    buf_free(&bytes);
    return status;
}

int
load_sets_add(struct cli *c, struct load_sets *sets, const char *which,
              const char *value)
{
    size_t len;

    if (!str_assignment(value, &len))
        return cli_usage(c, "--set-%s %s: expected OPTION=VALUE", which,
                         value);
    sets->list = mem_resize(sets->list, (size_t)sets->count + 1,
                            sizeof *sets->list);
    sets->list[sets->count++] = value;
    return CLI_DONE;
}

/* "bound" is the fleet's, all else the placement's. */
static cw_status
set_one(struct conf_pool *p, const char *option, const char *value,
        cw_error *err)
{
    cw_status status;

    if (strcmp(option, "bound") == 0) {
        if (conf_bound_parse(value, strlen(value), &p->bound))
            return CW_OK;
        snprintf(err->text, sizeof err->text, "expected %s",
                 CONF_BOUND_EXPECTED);
        return CW_EINVAL;
    }
    status = cw_placement_set(p->placement, option, value, err);

    if (status == CW_OK)
        conf_pool_setting(p, option, value);
    return status;
}

/* rows: only "algorithm" and "compat", else only the others. */
static int
apply_sets(struct load_sets sets, bool rows, struct conf_pool *p)
{
    int i;

    for (i = 0; i < sets.count; i++) {
        struct buf name = { 0 };
        size_t len = 0;
        cw_status status = CW_OK;
        cw_error err;

        str_assignment(sets.list[i], &len);
        buf_add(&name, sets.list[i], len);
        if ((strcmp(name.data, "algorithm") == 0
             || strcmp(name.data, "compat") == 0) == rows)
            status = set_one(p, name.data, sets.list[i] + len + 1, &err);
        buf_free(&name);
        if (status == CW_ENOMEM)
            mem_fail();
        if (status != CW_OK) {
            cli_say("--set %s: %s; nothing was done", sets.list[i], err.text);
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

/* Texts that were printed already: a change has two fleets of one kind. */
struct said {
    const char *row;
    char        text[8][256];
    unsigned    count;
};

static int
say_quirk(void *context, const char *what, const char *remedy)
{
    struct said *said = context;
    unsigned i;

    for (i = 0; i < said->count; i++)
        if (strcmp(said->text[i], what) == 0)
            return 0;
    cli_say("%s: warning: %s; remedy: %s", said->row, what, remedy);
    if (said->count < 8 && strlen(what) < sizeof said->text[0])
        memcpy(said->text[said->count++], what, strlen(what) + 1);
    return 0;
}

static void
say_quirks(const cw_map *map)
{
    static struct said said;
    cw_row row;

    cw_map_row(map, &row);
    said.row = row.name;
    if (cw_map_quirks(map, say_quirk, &said) == CW_ENOMEM)
        mem_fail();
}

/* Where in the file stands what no map can be built of: the pins, when there
 * is one without them, else the placement. */
static struct diag_place
place_of_error(struct conf_pool *pool)
{
    cw_map *map = NULL;
    bool pins = false;

    if (pool->pins != NULL) {
        cw_placement_pin(pool->placement, NULL);
        pins = cw_map_build(pool->fleet, pool->placement, &map, NULL)
            == CW_OK;
        cw_placement_pin(pool->placement, pool->pins);
        cw_map_unref(map);
    }
    return pins ? pool->pins_at : pool->placement_at;
}

/* Apply the settings to the first pool of l's model, and build its map. */
static int
build(const struct cli_source *s, struct load_sets a, struct load_sets b,
      struct loaded *l)
{
    struct conf_pool *pool = l->model.pools;
    cw_status built;
    struct diag d;
    cw_error err;
    int status;

    if ((status = apply_sets(a, true, pool)) != CLI_DONE
        || (status = apply_sets(b, true, pool)) != CLI_DONE
        || (status = apply_sets(a, false, pool)) != CLI_DONE
        || (status = apply_sets(b, false, pool)) != CLI_DONE)
        return status;
    built = cw_map_build(pool->fleet, pool->placement, &l->map, &err);
    if (built == CW_OK)
        return CLI_DONE;
    if (built == CW_ENOMEM)
        mem_fail();
    diag_init(&d, load_name(s), NULL, 0);
    diag_error(&d, place_of_error(pool), "%s", err.text);
    status = refuse(&d);
    diag_free(&d);
    return status;
}

int
load_source(const struct cli_source *s, struct load_sets a,
            struct load_sets b, struct loaded *out)
{
    struct loaded l = { .map = NULL };
    int status = read_model(s, false, &l.model);

    if (status != CLI_DONE)
        return status;
    status = build(s, a, b, &l);
    if (status == CLI_DONE && !s->quiet)
        say_quirks(l.map);
    if (status != CLI_DONE)
        conf_model_free(&l.model);
    else
        *out = l;
    return status;
}

int
load_each(const struct cli_source *s, struct load_sets sets,
          int (*visit)(void *context, const struct loaded *one),
          void *context)
{
    struct load_sets none = { NULL, 0 };
    struct conf_model all;
    int status = read_model(s, s->pool == NULL, &all), one;
    size_t i;

    for (i = 0; status == CLI_DONE && i < all.pool_count; i++) {
        struct loaded l = { { all.format, &all.pools[i], 1, { NULL, 0 } },
                            NULL };

        one = all.pools[i].refusal != NULL ? CLI_DONE
            : build(s, sets, none, &l);
        if (one == CLI_DONE)
            one = visit(context, &l);
        cw_map_unref(l.map);
        if (one != CLI_DONE) {
            conf_model_free(&all);
            return one;
        }
    }
    if (status == CLI_DONE)
        conf_model_free(&all);
    return status;
}

int
load_fleet(struct cli *c, struct loaded *out)
{
    struct load_sets sets = { c->sets, c->set_count };
    struct load_sets none = { NULL, 0 };

    if (c->source_count == 0)
        return cli_usage(c, "no fleet is given; expected -f FILE or --nodes "
                         "LIST");
    if (c->source_count > 1)
        return cli_usage(c, "%d fleets are given; expected one",
                         c->source_count);
    return load_source(c->sources, sets, none, out);
}

void
load_free(struct loaded *l)
{
    cw_map_unref(l->map);
    conf_model_free(&l->model);
    l->map = NULL;
}

bool
load_uses_stdin(const struct cli *c)
{
    int i;

    for (i = 0; i < c->source_count; i++)
        if (!c->sources[i].is_inline && strcmp(c->sources[i].text, "-") == 0)
            return true;
    return false;
}
