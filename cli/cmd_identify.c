/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_identify.c - which placement put these keys where they are? */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/ask/ask.h"
#include "cli/identify/identify.h"
#include "cli/load_fleet.h"

enum { OPT_SAMPLE = CLI_OWN, OPT_ASK, OPT_PORT };
enum {
    SAMPLE_MAX = 256 << 20,
    TIES_MAX   = 64,        /* whose maps are kept to tell them apart       */
    ASKED      = 20000,     /* keys that are tried for it                   */
    TELLING    = 3,         /* shown                                        */
    NEAR       = 5,
    MANY       = 20         /* keys that do not share a node by chance      */
};

static const struct opt_spec options[] = {
    { 's', "sample", "FILE", OPT_SAMPLE },
    { 0,   "ask",    "FILE", OPT_ASK },
    { 0,   "port",   "PORT", OPT_PORT },
    { 0, NULL, NULL, 0 }
};

struct identify {
    struct cli            *c;
    const char            *file;
    bool                   ask;         /* it has keys, not pairs           */
    const char            *port;
    struct loaded          fleet;
    const cw_fleet        *nodes;
    struct identify_sample sample;
    struct identify_list   found;
    size_t                 best;        /* pairs that the best agree with   */
    size_t                 ties;        /* candidates that do               */
};

/* ---- the sample --------------------------------------------------------- */

static int
cut_sample(struct identify *x, const char *name)
{
    struct buf shown = { 0 };
    size_t line;

    if (!identify_sample_cut(&x->sample, x->nodes, &line)) {
        cli_say("%s:%zu: expected a key, a TAB and the node that has it; "
                "nothing was done", name, line);
        return CLI_NO;
    }
    buf_str(&shown, "");
    if (x->sample.unknown > 0)
        str_escape(&shown, x->sample.first_unknown.data
                   ? x->sample.first_unknown.data : "",
                   x->sample.first_unknown.len, 60);
    if (x->sample.count == 0 && x->sample.unknown == 0)
        cli_say("%s: it is empty; expected a key, a TAB and the node that has "
                "it, a line each; nothing was done", name);
    else if (x->sample.count == 0)
        cli_say("%s: no line names a node of the fleet, but such as \"%s\"; "
                "expected the names that the fleet has, as clockwise share "
                "prints them; nothing was done", name, shown.data);
    else if (x->sample.unknown > 0)
        cli_say("%s: %zu line%s of nodes that the fleet does not have, such "
                "as \"%s\", left out", name, x->sample.unknown,
                x->sample.unknown == 1 ? "" : "s", shown.data);
    buf_free(&shown);
    return x->sample.count == 0 ? CLI_NO : CLI_DONE;
}

static int
ask_nodes(struct identify *x, const char *name)
{
    struct identify_sample *s = &x->sample;
    size_t left;

    if (!identify_sample_ask(s, x->nodes, x->port)) {
        cli_say("no node answers; nothing was done");
        return CLI_IO;
    }
    left = s->several + s->nowhere;
    if (left > 0)
        cli_say("%s: of %zu keys no node holds %zu and several hold %zu: "
                "left out", name, s->count + left, s->nowhere, s->several);
    if (s->count > 0)
        return CLI_DONE;
    cli_say("%s: no key is held by one node of the fleet; nothing was done",
            name);
    return CLI_NO;
}

static int
read_sample(struct identify *x)
{
    const char *name = strcmp(x->file, "-") ? x->file : "standard input";
    int error = file_read(x->file, SAMPLE_MAX, &x->sample.bytes);

    if (error == EFBIG) {
        cli_say("%s: expected at most %d bytes of sample; nothing was done",
                name, (int)SAMPLE_MAX);
        return CLI_NO;
    }
    if (error != 0)
        return cli_cannot_read(x->file, error);
    return x->ask ? ask_nodes(x, name) : cut_sample(x, name);
}

/* ---- keys that tell ties apart ------------------------------------------ */

static size_t
telling_key(char *out, size_t room, unsigned i)
{
    static const char *const forms[] = {
        "key%u", "user:%u", "{tag%u}x", "\xc3\xa9%u"
    };

    return (size_t)snprintf(out, room, forms[i % 4], i / 4);
}

static void
say_key(struct identify *x, const char *key, size_t len,
        cw_map *const *maps, size_t n)
{
    struct out *out = &x->c->out;
    size_t shown = 0, i;

    out_str(out, "# ask for ");
    out_add(out, key, len);
    out_char(out, ':');
    for (i = 0; i < n && shown < 4; i++) {
        uint32_t owner, before;
        cw_node node, other;
        bool again = false;
        size_t k;

        if (cw_map_owner(maps[i], key, len, &owner) != CW_OK)
            continue;
        cw_map_node(maps[i], owner, &node);
        for (k = 0; k < i && !again; k++) {
            if (cw_map_owner(maps[k], key, len, &before) != CW_OK)
                continue;
            cw_map_node(maps[k], before, &other);
            again = node.name_len == other.name_len
                && memcmp(node.name, other.name, node.name_len) == 0;
        }
        if (again)
            continue;
        out_str(out, shown++ ? ", " : " ");
        out_add(out, node.name, node.name_len);
        out_print(out, " by %s", x->found.list[i].settings);
    }
    out_char(out, '\n');
}

/* Do all maps give the key one node, by name? */
static bool
all_agree(cw_map *const *maps, size_t n, const char *key, size_t len)
{
    uint32_t owner;
    cw_node first, node;
    size_t i;

    if (cw_map_owner(maps[0], key, len, &owner) != CW_OK)
        return true;
    cw_map_node(maps[0], owner, &first);
    for (i = 1; i < n; i++) {
        if (cw_map_owner(maps[i], key, len, &owner) != CW_OK)
            continue;
        cw_map_node(maps[i], owner, &node);
        if (node.name_len != first.name_len
            || memcmp(node.name, first.name, first.name_len) != 0)
            return false;
    }
    return true;
}

static void
tell_apart(struct identify *x)
{
    cw_map *maps[TIES_MAX];
    size_t n = 0, said = 0, i;
    unsigned k;

    for (i = 0; i < x->ties && n < TIES_MAX; i++) {
        maps[n] = identify_map(x->nodes, &x->found.list[i]);
        n += maps[n] != NULL;
    }
    for (k = 0; k < ASKED && said < TELLING && n > 1; k++) {
        char key[64];
        size_t len = telling_key(key, sizeof key, k);

        if (all_agree(maps, n, key, len))
            continue;
        say_key(x, key, len, maps, n);
        said++;
    }
    if (n > 1 && said == 0)
        out_print(&x->c->out, "# they agree on %d further keys: on this "
                  "fleet it is one placement\n", (int)ASKED);
    for (i = 0; i < n; i++)
        cw_map_unref(maps[i]);
}

/* ---- printing ----------------------------------------------------------- */

static void
print_candidate(struct identify *x, const struct identify_candidate *c,
                size_t variants)
{
    struct out *out = &x->c->out;
    double part = (double)c->right / (double)x->sample.count;

    out_print(out, "%.2f\t%zu/%zu\t%s", 100 * part, c->right,
              x->sample.count, c->settings);
    if (c->label != IDENTIFY_AS_IT_IS)
        out_print(out, "\t%s", identify_label_text(c->label));
    if (variants > 0)
        out_print(out, "\t%zu more setting%s", variants,
                  variants == 1 ? "" : "s");
    out_char(out, '\n');
}

static bool
same_row(const struct identify_candidate *a,
         const struct identify_candidate *b)
{
    return a->row_len == b->row_len
        && memcmp(a->settings, b->settings, a->row_len) == 0;
}

/* The simplest settings of each row among found[from .. to), at most `most`
 * of them, without the rows before `from`. */
static void
print_rows(struct identify *x, size_t from, size_t to, size_t most)
{
    const struct identify_candidate *l = x->found.list;
    size_t i, k;

    for (i = from; i < to && most > 0; i++) {
        size_t variants = 0;

        for (k = 0; k < i && !same_row(&l[k], &l[i]); k++)
            ;
        if (k < i)
            continue;
        for (k = i + 1; k < to; k++)
            variants += l[k].right == l[i].right && same_row(&l[k], &l[i]);
        print_candidate(x, &l[i], variants);
        most--;
    }
}

static void
print_text(struct identify *x)
{
    struct out *out = &x->c->out;
    bool all = x->best == x->sample.count;

    if (!x->c->quiet)
        out_print(out, "# %% agree\tagree\tplacement%s; %zu tried\n",
                  all ? "" : " (none explains all)", x->found.tried);
    print_rows(x, 0, x->ties, SIZE_MAX);
    if (x->c->quiet)
        return;
    if (x->ties > 1)
        tell_apart(x);
    if (x->ties < x->found.count) {
        out_str(out, "# near misses\n");
        print_rows(x, x->ties, x->found.count, NEAR);
    }
}

static void
json_candidates(struct identify *x, struct json *j, size_t from, size_t to)
{
    size_t i;

    json_open(j, '[');
    for (i = from; i < to; i++) {
        const struct identify_candidate *c = &x->found.list[i];

        json_open(j, '{');
        json_pair(j, "placement", c->settings, strlen(c->settings));
        json_pair(j, "labels", identify_label_text(c->label),
                  strlen(identify_label_text(c->label)));
        json_pair_uint(j, "agree", c->right);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
print_json(struct identify *x)
{
    struct json j = { &x->c->out, false };
    size_t near = x->found.count - x->ties;

    json_open(&j, '{');
    json_pair_uint(&j, "pairs", x->sample.count);
    json_pair_uint(&j, "tried", x->found.tried);
    json_key(&j, "best");
    json_candidates(x, &j, 0, x->ties);
    json_key(&j, "near");
    json_candidates(x, &j, x->ties, x->ties + (near < NEAR ? near : NEAR));
    json_close(&j, '}');
    json_end(&j, '\n');
}

/* ---- run ---------------------------------------------------------------- */

/* Pairs that agree by more than chance: half as many again. */
static size_t
least(const struct identify *x)
{
    size_t n = cw_fleet_count(x->nodes);
    size_t chance = x->sample.count * 3 / (2 * n);

    return chance < x->sample.count / 2 ? chance : x->sample.count / 2;
}

/* Nothing tells placements apart; but with so many keys chance is none. */
static int
one_answer(const struct identify *x)
{
    cw_node node;

    cli_say("identify: cannot be told: every key of the sample has one node; "
            "expected keys of two nodes at least");
    if (x->sample.count < MANY || cw_fleet_count(x->nodes) < 2)
        return CLI_NO;
    cw_fleet_node(x->nodes, x->sample.pairs[0].node, &node);
    cli_say("  %zu keys, all on %s: if keys were not chosen by their node, "
            "the program gives one node everything", x->sample.count,
            node.name);
    cli_say("  known to do so: npm hash-ring, which is defective "
            "(docs/formats/npm-hash-ring.md), and a hash of 15 bits on a "
            "ketama ring (twemproxy hash: crc32, libmemcached crc)");
    return CLI_NO;
}

static int
identify(struct identify *x)
{
    struct identify_list *l = &x->found;

    if (x->sample.nodes < 2)
        return one_answer(x);
    identify_try_all(x->nodes, &x->sample, least(x), l);
    if (l->count == 0) {
        cli_say("identify: of %zu placements none agrees with the %zu keys "
                "better than chance; are all nodes, weights and the order of "
                "the list those of the program?", l->tried, x->sample.count);
        return CLI_NO;
    }
    x->best = l->list[0].right;
    while (x->ties < l->count && l->list[x->ties].right == x->best)
        x->ties++;
    if (x->c->json)
        print_json(x);
    else
        print_text(x);
    return x->best == x->sample.count ? CLI_DONE : CLI_NO;
}

static int
read_options(struct identify *x)
{
    struct cli *c = x->c;
    const char *port = NULL;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        if (id == OPT_PORT) {
            port = c->opt.value;
            if (!ask_is_port(port))
                return cli_usage(c, "--port %s: expected 1 to 65535", port);
            continue;
        }
        if (x->file != NULL && x->ask != (id == OPT_ASK))
            return cli_usage(c, "--sample and --ask: expected one of them");
        x->file = c->opt.value;
        x->ask = id == OPT_ASK;
    }
    if (c->arg_count > 0)
        return cli_usage(c, "unexpected argument \"%s\"; expected pairs with "
                         "--sample FILE", c->args[0]);
    if (x->file == NULL)
        return cli_usage(c, "no sample is given; expected --sample FILE or "
                         "--ask FILE");
    if (port != NULL && !x->ask)
        return cli_usage(c, "--port goes with --ask");
    x->port = port != NULL ? port : "11211";
    return CLI_DONE;
}

static int
run(struct cli *c)
{
    struct identify x = { .c = c };
    int status = read_options(&x);

    if (status != CLI_DONE || c->stop)
        return status;
    status = load_fleet(c, &x.fleet);
    if (status != CLI_DONE)
        return status;
    x.nodes = x.fleet.model.pools->fleet;
    status = read_sample(&x);
    if (status == CLI_DONE)
        status = identify(&x);
    identify_sample_free(&x.sample);
    identify_list_free(&x.found);
    load_free(&x.fleet);
    return status;
}

const struct cmd cmd_identify = {
    "identify", "find the placement that put keys where they are",
    "(-s FILE | --ask FILE)",
    "  FILE holds pairs seen in production, a key, a TAB and its node a line. "
    "The\n"
    "  nodes of the fleet are tried with every placement this program knows "
    "and\n"
    "  every choice of its options. Prints those that agree best, a key that "
    "tells\n"
    "  them apart, and near misses. Status 1 unless one explains every "
    "pair.\n"
    "  -s, --sample FILE  the pairs (\"-\": standard input)\n"
    "      --ask FILE   a key a line: the nodes, memcached or Redis, are asked "
    "who\n"
    "                   holds it (meta get or EXISTS: no value is read)\n"
    "      --port PORT  of addresses that have none (default: 11211)\n",
    options, false, run
};
