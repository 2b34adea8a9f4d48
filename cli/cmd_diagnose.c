/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_diagnose.c - why is a node hot? From evidence, in words. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/diagnose/diagnose.h"

enum { NODE = CLI_OWN, BEFORE, BEFORE_FLEET, LEAST, LIVE, SECONDS };

static const struct opt_spec options[] = {
    { 'e', "evidence", "FILE",      CLI_KEYS },
    { 0,   "at",       "NODE=FILE", NODE },
    { 0,   "before",   "FILE",      BEFORE },
    { 0,   "before-fleet", "FLEET", BEFORE_FLEET },
    EVIDENCE_OPTIONS,
    { 0,   "least",    "PERCENT",   LEAST },
    { 0,   "live",     "INTERFACE", LIVE },
    { 0,   "seconds",  "NUMBER",    SECONDS },
    { 0,   NULL,       NULL,        0 }
};

static void
add_source(struct source **list, size_t *count, const char *path,
           const char *node)
{
    *list = mem_resize(*list, *count + 1, sizeof **list);
    (*list)[*count].path = path;
    (*list)[(*count)++].node = node;
}

/* NODE=FILE; the node's name is copied and lives as long as the program. */
static int
at_node(struct cli *c, struct diagnose_ask *a, const char *value)
{
    const char *equals = strrchr(value, '=');
    char *node;

    if (equals == NULL || equals == value)
        return cli_usage(c, "--at %s: expected NODE=FILE", value);
    node = mem_alloc((size_t)(equals - value) + 1, 1);
    memcpy(node, value, (size_t)(equals - value));
    node[equals - value] = '\0';
    add_source(&a->sources, &a->source_count, equals + 1, node);
    return CLI_DONE;
}

/* Options with a whole number. */
static int
number_option(struct cli *c, struct diagnose_ask *a, int id)
{
    static const struct {
        int         id;
        const char *name;
        uint64_t    least, most;
    } rows[] = {
        { LEAST, "least", 0, 100 }, { SECONDS, "seconds", 1, 86400 }
    };
    size_t i = 0;
    uint64_t n;

    while (rows[i].id != id)
        i++;
    if (!str_uint(c->opt.value, strlen(c->opt.value), rows[i].most, &n)
        || n < rows[i].least)
        return cli_usage(c, "--%s %s: expected %llu to %llu", rows[i].name,
                         c->opt.value, (unsigned long long)rows[i].least,
                         (unsigned long long)rows[i].most);
    if (id == LEAST)
        a->least = (double)n / 100;
    else
        a->seconds = (unsigned)n;
    return CLI_DONE;
}

static int
one_option(struct cli *c, struct diagnose_ask *a, int id)
{
    const char *value = c->opt.value;

    switch (id) {
    case CLI_KEYS:
        add_source(&a->sources, &a->source_count, value, NULL);
        return CLI_DONE;
    case BEFORE:
        add_source(&a->before, &a->before_count, value, NULL);
        return CLI_DONE;
    case BEFORE_FLEET:
        a->before_fleet = value;
        return CLI_DONE;
    case LIVE:
        a->live = value;
        return CLI_DONE;
    case NODE:
        return at_node(c, a, value);
    case LEAST:
    case SECONDS:
        return number_option(c, a, id);
    default:
        return evidence_option(c, &a->how, id);
    }
}

static int
read_options(struct cli *c, struct diagnose_ask *a)
{
    int id;

    while ((id = cli_next(c)) != OPT_END)
        if (id == OPT_ERROR || one_option(c, a, id) != CLI_DONE)
            return c->status;
    if (c->source_count != 1)
        return cli_usage(c, "%d fleets are given; expected one",
                         c->source_count);
    if (a->source_count == 0 && a->live == NULL)
        return cli_usage(c, "no evidence is given; expected --evidence FILE");
    if (a->before_fleet != NULL && a->before_count == 0)
        return cli_usage(c, "--before-fleet is of the evidence before; "
                         "expected --before FILE");
    return CLI_DONE;
}

/* ---- text --------------------------------------------------------------- */

static void
node_table(const struct diagnosis *d, struct out *out)
{
    uint32_t i;
    cw_node node;

    out_str(out, "# node\trequests\tload %\tby arcs %\tof fair\tkeys about\t"
            "standard errors\n");
    for (i = 0; i < d->shares->count; i++) {
        double p = d->shares->part[i], n = (double)d->load->carried_all;
        double load = (double)d->load->carried[i] / n;
        double se = p > 0 && p < 1 ? (load - p) / sqrt(p * (1 - p) / n)
                                   : 0;

        cw_map_node(d->map, i, &node);
        out_add(out, node.name, node.name_len);
        out_print(out, "\t%" PRIu64 "\t%.3f\t%.3f\t%.3f\t",
                  d->load->carried[i], 100 * load, 100 * p,
                  d->shares->fair[i] > 0 ? load / d->shares->fair[i] : 0);
        if (d->load->requests > 0)
            out_print(out, "%.0f", distinct_count(&d->load->distinct[i]));
        else
            out_char(out, '-');     /* counters name no keys */
        out_print(out, "\t%+.1f\n", se);
    }
}

/* Whole per cent, without a minus in front of nothing. */
static double
percent(double part)
{
    return fabs(part) < 0.005 ? 0 : 100 * part;
}

static void
verdict(const struct diagnosis *d, struct out *out)
{
    double total = d->observed - d->base;
    cw_node node;
    size_t i;

    cw_map_node(d->map, d->node, &node);
    if (d->stands_out)
        out_print(out, "%s is %s: %.2f %% of the requests, an equal part is "
                  "%.2f %%\n", node.name, d->hot ? "hot" : "cold",
                  100 * d->observed, 100 * d->base);
    else
        out_print(out, "no node stands out; the furthest is %s with %.2f %% "
                  "of the requests, an equal part is %.2f %%\n", node.name,
                  100 * d->observed, 100 * d->base);
    for (i = 0; i < d->finding_count; i++)
        out_print(out, "%zu. %s\n", i + 1, d->findings[i].text);
    if (d->stands_out)
        out_print(out, "Imbalance explained by: arcs %.0f %%, weights %.0f "
                  "%%, hot keys %.0f %%, rest %.0f %%\n",
                  percent(d->by_arcs / total), percent(d->by_weight / total),
                  percent(d->by_hot / total), percent(d->by_rest / total));
    for (i = 0; i < d->remedy_count; i++) {
        const struct remedy *r = &d->remedies[i];

        out_print(out, "remedy: %s", r->text);
        if (r->max_avg > 0)
            out_print(out, ": moves %.1f %% of the keys, max/avg then %.2f",
                      100 * r->moved, r->max_avg);
        out_char(out, '\n');
        if (r->command)
            out_print(out, "    %s\n", r->command);
    }
}

/* What the nodes counted, where they did; a column that nobody has is a
 * dash. */
static void
counter_table(const struct diagnosis *d, struct out *out)
{
    static const enum counter columns[] = {
        COUNT_REQUESTS, COUNT_HITS, COUNT_MISSES, COUNT_EVICTIONS,
        COUNT_ITEMS, COUNT_BYTES, COUNT_BUSY_US
    };
    uint32_t i;
    size_t k;
    cw_node node;

    out_str(out, "# node, by its counters\ta second\trequests\thits\t"
            "misses\tevictions\titems\tbytes\tbusy us\n");
    for (i = 0; i < d->shares->count; i++) {
        const struct counted *c = &d->load->counted[i];
        uint64_t x;

        cw_map_node(d->map, i, &node);
        out_add(out, node.name, node.name_len);
        out_print(out, "\t%.1f", counted_rate(c));
        for (k = 0; k < sizeof columns / sizeof *columns; k++) {
            if (counted_value(c, columns[k], &x))
                out_print(out, "\t%" PRIu64, x);
            else
                out_str(out, "\t-");
        }
        out_char(out, '\n');
    }
}

static void
hottest(const struct diagnosis *d, struct out *out)
{
    size_t i;

    out_str(out, "# hottest key\trequests\t% of all\tnode\n");
    for (i = 0; i < d->top_count && i < 10; i++) {
        const struct top_slot *s = d->top[i];
        struct buf b = { 0 };
        cw_node node = { .name = "(none)" };
        size_t len;
        const char *key = top_key(&d->load->top, s, &len);

        if (s->node != CW_NONE)
            cw_map_node(d->map, s->node, &node);
        str_escape(&b, key, len, 100);
        out_print(out, "%s\t%" PRIu64 "\t%.3f\t%s\n", b.data ? b.data : "",
                  s->requests,
                  100 * (double)s->requests / (double)d->load->requests,
                  node.name);
        buf_free(&b);
    }
    out_print(out, "# counts are at most %" PRIu64 " too low; about %.0f "
              "distinct keys\n", d->load->top.error,
              distinct_count(&d->load->all));
}

/* What `stats detail` counted, at all nodes together. */
static void
prefixes(const struct top *t, struct out *out)
{
    size_t n, i, len;
    const struct top_slot **list = top_sorted(t, &n);

    if (n > 0)
        out_str(out, "# prefix of keys\trequests\t% of those with one\n");
    for (i = 0; i < n && i < 10; i++) {
        struct buf b = { 0 };
        const char *prefix = top_key(t, list[i], &len);

        str_escape(&b, prefix, len, 100);
        out_print(out, "%s\t%" PRIu64 "\t%.3f\n", b.data ? b.data : "",
                  list[i]->requests,
                  100 * (double)list[i]->requests / (double)t->requests);
        buf_free(&b);
    }
    mem_free(list);
}

/* Busiest node's load over an equal part. */
static double
peak(const struct load *l, uint32_t nodes)
{
    uint64_t most = 0;
    uint32_t i;

    for (i = 0; i < nodes; i++)
        most = l->carried[i] > most ? l->carried[i] : most;
    return (double)most / (double)l->carried_all * nodes;
}

/* What --before says. */
struct before {
    struct loaded fleet;        /* of --before-fleet; its map is NULL: none  */
    const cw_map *map;          /* that fleet's, else that of now            */
    struct load   load;
};

/* A node's part of the load then, found by its name; false: it was not in
 * the fleet. */
static bool
load_before(const struct before *b, const cw_node *node, double *part)
{
    uint32_t was = cw_map_find(b->map, node->name, node->name_len);

    if (was == CW_NONE)
        return false;
    *part = (double)b->load.carried[was] / (double)b->load.carried_all;
    return true;
}

/* Load of each node before the mend and now. */
static void
compare(const struct diagnosis *d, const struct before *before,
        struct out *out)
{
    uint32_t i;
    cw_node node;

    out_str(out, "# node\tload before %\tload now %\n");
    for (i = 0; i < d->shares->count; i++) {
        double a = 0, n = (double)d->load->carried_all;

        cw_map_node(d->map, i, &node);
        load_before(before, &node, &a);
        out_add(out, node.name, node.name_len);
        out_print(out, "\t%.3f\t%.3f\n", 100 * a,
                  100 * (double)d->load->carried[i] / n);
    }
    out_print(out, "# max/avg before %.3f, now %.3f\n",
              peak(&before->load, cw_map_count(before->map)),
              peak(d->load, d->shares->count));
}

/* ---- JSON --------------------------------------------------------------- */

static void
json_nodes(const struct diagnosis *d, const struct before *before,
           struct json *j)
{
    uint32_t i;
    double was;
    cw_node node;

    json_key(j, "nodes");
    json_open(j, '[');
    for (i = 0; i < d->shares->count; i++) {
        cw_map_node(d->map, i, &node);
        json_open(j, '{');
        json_bytes(j, "node", node.name, node.name_len);
        json_pair_uint(j, "requests", d->load->carried[i]);
        json_pair_uint(j, "bytes", d->load->bytes_of_node[i]);
        json_pair_double(j, "load", (double)d->load->carried[i]
                          / (double)d->load->carried_all);
        if (before != NULL && load_before(before, &node, &was))
            json_pair_double(j, "load_before", was);
        json_pair_double(j, "share", d->shares->part[i]);
        json_pair_double(j, "fair", d->shares->fair[i]);
        json_pair_double(j, "distinct_keys",
                         distinct_count(&d->load->distinct[i]));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static const char *
cause_word(enum cause c)
{
    static const char *const words[] = {
        "chance", "hot-key", "weight", "arcs", "hash", "collapsed-keys",
        "view", "machine", "missing-node", "capacity", "evidence"
    };

    return words[c];
}

static void
json_findings(const struct diagnosis *d, struct json *j)
{
    size_t i;

    json_key(j, "findings");
    json_open(j, '[');
    for (i = 0; i < d->finding_count; i++) {
        const char *cause = cause_word(d->findings[i].cause);

        json_open(j, '{');
        json_pair(j, "cause", cause, strlen(cause));
        json_pair(j, "text", d->findings[i].text,
                  strlen(d->findings[i].text));
        json_close(j, '}');
    }
    json_close(j, ']');
    json_key(j, "remedies");
    json_open(j, '[');
    for (i = 0; i < d->remedy_count; i++) {
        const struct remedy *r = &d->remedies[i];

        json_open(j, '{');
        json_pair(j, "text", r->text, strlen(r->text));
        if (r->command)
            json_pair(j, "command", r->command, strlen(r->command));
        json_pair_double(j, "moved", r->moved);
        if (r->max_avg > 0)
            json_pair_double(j, "max_avg", r->max_avg);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
show_json(const struct diagnosis *d, const struct before *before,
          struct out *out)
{
    const char *verdict_word = !d->stands_out ? "even"
                               : d->hot ? "hot" : "cold";
    struct json j = { out, false };
    cw_node node;

    cw_map_node(d->map, d->node, &node);
    json_open(&j, '{');
    json_pair(&j, "schema", "clockwise.diagnosis/1", 21);
    json_pair(&j, "verdict", verdict_word, strlen(verdict_word));
    json_bytes(&j, "node", node.name, node.name_len);
    json_pair_double(&j, "load", d->observed);
    json_pair_double(&j, "equal_part", d->base);
    json_pair_double(&j, "by_arcs", d->by_arcs);
    json_pair_double(&j, "by_weight", d->by_weight);
    json_pair_double(&j, "by_hot_keys", d->by_hot);
    json_pair_double(&j, "by_rest", d->by_rest);
    json_pair_uint(&j, "requests", d->load->carried_all);
    json_pair(&j, "basis", d->load->basis, strlen(d->load->basis));
    json_findings(d, &j);
    json_nodes(d, before, &j);
    json_close(&j, '}');
    json_end(&j, '\n');
}

/* ---- the command -------------------------------------------------------- */

/* All is read before anything is printed. */
static int
read_before(struct cli *c, const struct diagnose_ask *a,
            const struct loaded *now, struct before *b)
{
    struct load_sets none = { NULL, 0 };
    struct load_sets sets = { c->sets, c->set_count };
    struct cli_source source = c->sources[0];
    int status = CLI_DONE;

    b->map = now->map;
    if (a->before_fleet != NULL) {
        source.is_inline = false;
        source.text = a->before_fleet;
        status = load_source(&source, sets, none, &b->fleet);
        b->map = b->fleet.map;
    }
    if (status == CLI_DONE)
        status = load_read(&b->load, b->map, a, a->before, a->before_count,
                           !c->quiet);
    return status;
}

static void
before_clear(struct before *b)
{
    load_clear(&b->load);
    if (b->fleet.map != NULL)
        load_free(&b->fleet);
}

/* before: NULL when there is none. */
static void
diagnose(struct cli *c, struct loaded *fleet, const struct load *load,
         const struct before *before)
{
    struct cli_words words;
    struct diagnosis d;

    cli_words(c, &words);
    diagnose_make(&d, fleet, &words, load);
    if (c->json) {
        show_json(&d, before, &c->out);
    } else {
        verdict(&d, &c->out);
        if (!c->quiet) {
            node_table(&d, &c->out);
            if (load->samples > 0)
                counter_table(&d, &c->out);
            if (load->requests > 0)
                hottest(&d, &c->out);
            prefixes(&load->prefixes, &c->out);
        }
        if (before != NULL)
            compare(&d, before, &c->out);
    }
    diagnose_free(&d);
    cli_words_free(&words);
}

static void
ask_free(struct diagnose_ask *a)
{
    size_t i;

    for (i = 0; i < a->source_count; i++)
        mem_free((void *)(uintptr_t)a->sources[i].node);
    mem_free(a->sources);
    mem_free(a->before);
    evidence_args_free(&a->how);
}

static int
run(struct cli *c)
{
    struct diagnose_ask a = { .least = 0.5, .seconds = 10 };
    struct load_sets none = { NULL, 0 };
    struct before before = { .map = NULL };
    struct loaded fleet;
    struct load load;
    int status = read_options(c, &a);
    struct load_sets sets = { c->sets, c->set_count };

    if (status != CLI_DONE || c->stop) {
        ask_free(&a);
        return c->status;
    }
    status = load_source(&c->sources[0], sets, none, &fleet);
    if (status != CLI_DONE) {
        ask_free(&a);
        return status;
    }
    if (cw_map_count(fleet.map) == 0) {
        cli_say("diagnose: the fleet has no node");
        status = CLI_NO;
    } else {
        status = load_read(&load, fleet.map, &a, a.sources, a.source_count,
                           !c->quiet);
        if (status == CLI_DONE && a.before_count > 0)
            status = read_before(c, &a, &fleet, &before);
        if (status == CLI_DONE)
            diagnose(c, &fleet, &load, a.before_count > 0 ? &before : NULL);
        before_clear(&before);
        load_clear(&load);
    }
    load_free(&fleet);
    ask_free(&a);
    return status;
}

const struct cmd cmd_diagnose = {
    "diagnose", "say why a node is hot or cold, from logs, dumps and counts",
    "-e FILE [-e FILE ...] FLEET",
    "  The node that stands out, its causes in words, most likely first, what "
    "each\n"
    "  explains, and remedies with what they move and the command that plans "
    "them.\n"
    "  -e, --evidence FILE  logs, dumps, counters, captures, key lists; gzip, "
    "zstd;\n"
    "                 \"-\": as it comes; clockwise list evidence names the "
    "formats\n"
    "      --at NODE=FILE  the same, taken at that node: keys at the wrong "
    "node show\n"
    "      --before FILE [--before-fleet FLEET]  evidence from before a mend\n"
    "      --format NAME  of the evidence, if not recognised\n"
    "      --field NUMBER, --regex EXPRESSION  the key in a log: a field, or "
    "what the\n"
    "                 first group matches; else it is what was requested\n"
    "      --live INTERFACE [--seconds NUMBER]  traffic as it passes\n"
    "      --port NUMBER  of servers in a capture (default: 11211 and 6379)\n"
    "      --least PERCENT  lines that must be understood (default: 50)\n",
    options, true, run
};
