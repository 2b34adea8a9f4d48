/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - what a change will move, before it is made. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/plan/plan.h"

enum {
    ADD = CLI_OWN, REMOVE, WEIGHT, RENAME, PLACEMENT, SET_OLD, SET_NEW, RATE,
    REPLICAS, MAX_MOVED, MAX_PEAK, REPORT
};

static const struct opt_spec options[] = {
    { 'k', "keys",      "FILE",         CLI_KEYS },
    { '0', "null",      NULL,           CLI_KEYS + 1 },
    EVIDENCE_OPTIONS,
    { 0,   "add",       "NAME[=WEIGHT]", ADD },
    { 0,   "remove",    "NAME",         REMOVE },
    { 0,   "weight",    "NAME=WEIGHT",  WEIGHT },
    { 0,   "rename",    "OLD=NEW",      RENAME },
    { 0,   "placement", "NAME",         PLACEMENT },
    { 0,   "set-old",   "OPTION=VALUE", SET_OLD },
    { 0,   "set-new",   "OPTION=VALUE", SET_NEW },
    { 0,   "rate",      "REQUESTS",     RATE },
    { 'r', "replicas",  "COUNT",        REPLICAS },
    { 0,   "max-moved", "PERCENT",      MAX_MOVED },
    { 0,   "max-peak",  "RATIO",        MAX_PEAK },
    { 0,   "report",    "FILE",         REPORT },
    { 0,   NULL,        NULL,           0 }
};

/* A change of the one fleet that is given. */
struct edit {
    int         id;
    const char *value;
};

struct args {
    struct cli     *c;
    struct plan_ask ask;
    struct evidence_args how;
    struct edit    *edits;
    size_t          edit_count;
    struct load_sets set_old;
    struct load_sets set_new;
    struct buf      algorithm;      /* "algorithm=NAME" of --placement      */
};

/* ---- options ------------------------------------------------------------ */

/* A number of 0 or more; or a share, "0.12" or "12%": a bare 12 would be
 * taken for per cent by who writes it. */
static int
number(struct args *a, const char *option, const char *value, bool percent,
       double *out)
{
    char *end;
    double x = value[0] >= '0' && value[0] <= '9' ? strtod(value, &end) : -1;

    if (x >= 0 && percent && strcmp(end, "%") == 0)
        x /= 100;
    else if (x < 0 || *end != '\0' || x > (percent ? 1 : 1e15))
        return cli_usage(a->c, "--%s %s: expected %s", option, value,
                         percent ? "0 to 1, such as 0.12, or 12%"
                                 : "a number of 0 or more");
    *out = x;
    return CLI_DONE;
}

static int
placement(struct args *a, const char *value)
{
    size_t len;

    if (!str_assignment(value, &len)) {
        buf_free(&a->algorithm);
        memset(&a->algorithm, 0, sizeof a->algorithm);
        buf_print(&a->algorithm, "algorithm=%s", value);
        value = a->algorithm.data;
    }
    return load_sets_add(a->c, &a->set_new, "new", value);
}

static int
option(struct args *a, int id)
{
    const char *value = a->c->opt.value;
    uint64_t n;

    switch (id) {
    case CLI_KEYS:
        a->ask.keys = value;
        return CLI_DONE;
    case CLI_KEYS + 1:
        a->how.nul = true;
        return CLI_DONE;
    case SET_OLD:
    case SET_NEW:
        return load_sets_add(a->c, id == SET_OLD ? &a->set_old : &a->set_new,
                             id == SET_OLD ? "old" : "new", value);
    case PLACEMENT:
        return placement(a, value);
    case RATE:
        return number(a, "rate", value, false, &a->ask.rate);
    case REPLICAS:
        if (!str_uint(value, strlen(value), 1000, &n) || n == 0)
            return cli_usage(a->c, "--replicas %s: expected 1 to 1000",
                             value);
        a->ask.replicas = (uint32_t)n;
        return CLI_DONE;
    case MAX_MOVED:
        return number(a, "max-moved", value, true, &a->ask.max_moved);
    case MAX_PEAK:
        return number(a, "max-peak", value, false, &a->ask.max_peak);
    case REPORT:
        a->ask.report = value;
        return CLI_DONE;
    case EVIDENCE_FORMAT:
    case EVIDENCE_FIELD:
    case EVIDENCE_REGEX:
    case EVIDENCE_PORT:
        return evidence_option(a->c, &a->how, id);
    default:
        a->edits = mem_resize(a->edits, a->edit_count + 1, sizeof *a->edits);
        a->edits[a->edit_count].id = id;
        a->edits[a->edit_count++].value = value;
        return CLI_DONE;
    }
}

static int
read_options(struct args *a)
{
    struct cli *c = a->c;
    bool edited;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR || option(a, id) != CLI_DONE)
            return c->status;
    }
    edited = a->edit_count > 0 || a->set_new.count > 0;
    if (c->source_count == 2 && a->edit_count > 0)
        return cli_usage(c, "--add, --remove, --weight and --rename change "
                         "one fleet; two are given");
    if (c->source_count == 1 && !edited)
        return cli_usage(c, "one fleet is given; expected OLD and NEW, or a "
                         "change such as --add NAME");
    if (c->source_count != 1 && c->source_count != 2)
        return cli_usage(c, "%d fleets are given; expected OLD and NEW, or "
                         "one and a change", c->source_count);
    if (a->ask.rate > 0 && a->ask.keys == NULL)
        return cli_usage(c, "--rate is of the keys; expected --keys FILE");
    return CLI_DONE;
}

/* ---- the changed fleet -------------------------------------------------- */

/*
 * Where NAME ends in NAME=VALUE: a '=' may belong to a name, so the last one
 * counts, and none does when the whole word names a node.
 */
static size_t
name_end(const cw_fleet *fleet, const struct edit *e)
{
    const char *last = strrchr(e->value, '=');
    size_t len = strlen(e->value);
    cw_node node;

    if (last == NULL || e->id == REMOVE
        || cw_fleet_find(fleet, e->value, len, &node) == CW_OK)
        return len;
    return (size_t)(last - e->value);
}

static cw_status
apply(cw_fleet *fleet, const struct edit *e, cw_error *err)
{
    size_t len = name_end(fleet, e);
    const char *rest = e->value[len] ? e->value + len + 1 : NULL;
    uint64_t weight = CW_WEIGHT_ONE;
    cw_status st = CW_OK;

    if (rest && e->id != RENAME)
        st = cw_weight_parse(rest, strlen(rest), &weight, err);
    if (st != CW_OK)
        return st;
    switch (e->id) {
    case ADD:
        return cw_fleet_add(fleet, e->value, len, weight, err);
    case REMOVE:
        return cw_fleet_remove(fleet, e->value, len, err);
    case WEIGHT:
        return cw_fleet_set_weight(fleet, e->value, len, weight, err);
    default:
        return cw_fleet_rename(fleet, e->value, len, rest, strlen(rest), err);
    }
}

static const char *
edit_name(int id)
{
    return id == ADD ? "add" : id == REMOVE ? "remove"
         : id == WEIGHT ? "weight" : "rename";
}

static int
apply_all(struct args *a, struct loaded *to)
{
    struct conf_pool *pool = to->model.pools;
    cw_map *map = NULL;
    cw_error err;
    size_t i;

    for (i = 0; i < a->edit_count; i++) {
        const struct edit *e = &a->edits[i];
        bool needs = e->id == WEIGHT || e->id == RENAME;
        cw_status st;

        if (needs && e->value[name_end(pool->fleet, e)] == '\0')
            return cli_usage(a->c, "--%s %s: expected NAME=%s",
                             edit_name(e->id), e->value,
                             e->id == WEIGHT ? "WEIGHT" : "NEWNAME");
        st = apply(pool->fleet, e, &err);
        if (st == CW_ENOMEM)
            mem_fail();
        if (st != CW_OK)
            return cli_usage(a->c, "--%s %s: %s; nothing was planned",
                             edit_name(e->id), e->value, err.text);
    }
    switch (cw_map_build(pool->fleet, pool->placement, &map, &err)) {
    case CW_OK:
        cw_map_unref(to->map);
        to->map = map;
        return CLI_DONE;
    case CW_ENOMEM:
        mem_fail();
    default:
        cli_say("the changed fleet: %s; nothing was planned", err.text);
        return CLI_NO;
    }
}

/* The options that changed the fleet, as they were written. */
static void
edit_words(const struct args *a, struct buf *b)
{
    size_t i;

    buf_str(b, "");
    for (i = 0; i < a->edit_count; i++) {
        buf_print(b, "%s--%s ", i > 0 ? " " : "", edit_name(a->edits[i].id));
        str_shell(b, a->edits[i].value, strlen(a->edits[i].value));
    }
}

/* ---- the plan ----------------------------------------------------------- */

static int
write_report(const struct plan *p, const char *path)
{
    struct out out;

    cli_file_open(&out, path);
    plan_html(p, &out);
    return cli_file_close(&out, path, "the report");
}

/* The settings of the old placement. */
static void
option_words(const struct args *a, struct buf *b)
{
    int i, both = a->c->set_count;

    buf_str(b, "");
    for (i = 0; i < both + a->set_old.count; i++) {
        const char *set = i < both ? a->c->sets[i]
                                   : a->set_old.list[i - both];

        buf_str(b, " --set ");
        str_shell(b, set, strlen(set));
    }
}

static int
show(struct args *a, struct loaded *from, struct loaded *to)
{
    struct cli *c = a->c;
    struct buf from_words = { 0 }, to_words = { 0 }, rest = { 0 };
    struct plan p;
    int status;

    cli_source_words(c, 0, &from_words);
    if (c->source_count == 2)
        cli_source_words(c, 1, &to_words);
    else
        edit_words(a, &to_words);
    option_words(a, &rest);
    a->ask.from_options = rest.data;
    a->ask.how = &a->how;
    a->ask.quiet = c->quiet;
    status = plan_make(&p, c, &a->ask, from, from_words.data, to,
                       to_words.data);

    if (status == CLI_DONE) {
        if (c->json)
            plan_json(&p, &c->out);
        else
            plan_text(&p, &c->out, c->quiet);
        if (a->ask.report != NULL)
            status = write_report(&p, a->ask.report);
        if (status == CLI_DONE && p.refusal_count > 0)
            status = CLI_NO;
    }
    plan_free(&p);
    buf_free(&from_words);
    buf_free(&to_words);
    buf_free(&rest);
    return status;
}

static int
run(struct cli *c)
{
    struct args a = { .c = c, .ask = { .max_moved = -1, .max_peak = -1 } };
    struct loaded from = { .map = NULL }, to = { .map = NULL };
    int status = read_options(&a);
    struct load_sets both = { c->sets, c->set_count };
    struct cli_source new_source;

    if (status == CLI_DONE && !c->stop) {
        status = load_source(&c->sources[0], both, a.set_old, &from);
        new_source = c->sources[c->source_count - 1];
        new_source.again = c->source_count == 1;
        if (status == CLI_DONE)
            status = load_source(&new_source, both, a.set_new, &to);
        if (status == CLI_DONE && a.edit_count > 0)
            status = apply_all(&a, &to);
        if (status == CLI_DONE)
            status = show(&a, &from, &to);
    }
    if (from.map != NULL)
        load_free(&from);
    if (to.map != NULL)
        load_free(&to);
    mem_free(a.edits);
    mem_free(a.set_old.list);
    mem_free(a.set_new.list);
    buf_free(&a.algorithm);
    evidence_args_free(&a.how);
    return status;
}

const struct cmd cmd_plan = {
    "plan", "print what a change will move, why, and what would move less",
    "OLD NEW | FLEET --add|--remove|--weight|--rename ...",
    "  What moves, how much less would do, from whom to whom, why, in which "
    "order to\n"
    "  make several changes, and ways that move less with the command for "
    "each.\n"
    "      --add NAME[=WEIGHT], --remove NAME, --weight NAME=WEIGHT, "
    "--rename OLD=NEW\n"
    "                 change FLEET instead of reading NEW\n"
    "      --placement NAME  another algorithm; OPTION=VALUE another option\n"
    "      --set-old, --set-new OPTION=VALUE  change one placement only\n"
    "  -k, --keys FILE  keys in use: key, key TAB requests, or key TAB "
    "requests TAB\n"
    "                 bytes; or a log, dump or capture as in diagnose, with "
    "its\n"
    "                 --format, --field, --regex, --port; -0, --null: NUL "
    "ends lines\n"
    "      --rate REQUESTS  a second in all: gives misses and how long they "
    "last\n"
    "  -r, --replicas COUNT  also compare replica sets\n"
    "      --max-moved PERCENT, --max-peak RATIO  exit 1 when more moves, "
    "or a node\n"
    "                 gets more than RATIO times its fair share\n"
    "      --report FILE  write a page with the plan, to read or print\n",
    options, true, run
};
