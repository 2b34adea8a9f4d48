/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_route.c - keys in, nodes out. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/explain.h"
#include "cli/key_set.h"
#include "cli/keys.h"
#include "cli/load_fleet.h"
#include "cli/pick.h"

enum { COUNT = CLI_OWN, ADDRESS, OWNER, EXPLAIN, BOUND };

static const struct opt_spec options[] = {
    KEYS_OPTIONS,
    { 'n', "count",   "COUNT", COUNT },
    { 'a', "address", NULL,    ADDRESS },
    { 'o', "owner",   NULL,    OWNER },
    { 0,   "explain", "KEY",   EXPLAIN },
    { 0,   "bound",   NULL,    BOUND },
    { 0,   NULL,      NULL,    0 }
};

/* What is printed for a node. */
struct tail {
    const char *text;
    size_t      len;
};

struct route {
    struct cli      *c;
    struct keys_args keys_args;
    uint32_t         count;         /* -n; 0: not given                     */
    bool             address;
    bool             owner;
    bool             bound;         /* place all keys at once under it      */
    const char      *explain;
    char             separator;
    struct loaded    fleet;
    struct pick      pick;
    struct tail     *node;          /* name or address                      */
    struct tail     *tail;          /* the same as "\tTEXT\n"               */
    struct buf       tails;
};

static int
read_options(struct route *r)
{
    struct cli *c = r->c;
    uint64_t count;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        if (keys_option(&r->keys_args, id, c->opt.value))
            continue;
        switch (id) {
        case COUNT:
            if (!str_uint(c->opt.value, strlen(c->opt.value), UINT32_MAX,
                          &count) || count == 0)
                return cli_usage(c, "-n %s: expected a whole number from 1 "
                                 "to %" PRIu32, c->opt.value, UINT32_MAX);
            r->count = (uint32_t)count;
            break;
        case ADDRESS: r->address = true; break;
        case OWNER:   r->owner = true; break;
        case EXPLAIN: r->explain = c->opt.value; break;
        case BOUND:   r->bound = true; break;
        default:      break;
        }
    }
    if (r->bound && (r->count > 0 || r->keys_args.positions
                     || r->explain != NULL))
        return cli_usage(c, "--bound gives each key one node; it does not go "
                         "with -n, --positions or --explain");
    if (r->explain != NULL && (c->json || c->arg_count > 0
                               || r->keys_args.file != NULL))
        return cli_usage(c, "--explain tells of its one KEY in words; it "
                         "goes with no other key and not with --json");
    return CLI_DONE;
}

/* Render each node's text once. */
static void
prepare_nodes(struct route *r)
{
    uint32_t n = cw_map_count(r->fleet.map), i;
    size_t at = 0;

    r->separator = r->keys_args.nul ? '\0' : '\n';
    r->node = mem_alloc(n, sizeof *r->node);
    r->tail = mem_alloc(n, sizeof *r->tail);
    for (i = 0; i < n; i++) {
        cw_node node;

        cw_map_node(r->fleet.map, i, &node);
        r->node[i].text = node.name;
        r->node[i].len = node.name_len;
        if (r->address && node.address_len > 0) {
            r->node[i].text = node.address;
            r->node[i].len = node.address_len;
        }
        buf_char(&r->tails, '\t');
        buf_add(&r->tails, r->node[i].text, r->node[i].len);
        buf_char(&r->tails, r->separator);
    }
    for (i = 0; i < n; i++) {
        r->tail[i].text = r->tails.data + at;
        r->tail[i].len = r->node[i].len + 2;
        at += r->tail[i].len;
    }
}

static int
nobody_is_up(struct route *r)
{
    (void)r;
    cli_say("route: no node is up; stopped (--owner prints owners whatever "
            "their state)");
    return CLI_NO;
}

/* Owners of the batch into out[]. */
static int
find_owners(struct route *r, const struct keys *k, size_t n, uint32_t *out)
{
    cw_status status = CW_OK;
    size_t i;

    if (!r->keys_args.positions) {
        status = cw_map_owner_many(r->fleet.map, k->key, n, out);
    } else {
        for (i = 0; i < n && status == CW_OK; i++)
            status = cw_map_owner_position(r->fleet.map, k->position[i],
                                           &out[i]);
    }
    if (status != CW_OK) {
        cli_say("route: %s; stopped", cw_status_text(status));
        return CLI_NO;
    }
    if (r->pick.all_up)
        return CLI_DONE;
    for (i = 0; i < n; i++) {
        if (r->pick.up[out[i]])
            continue;
        out[i] = pick_first(&r->pick, r->keys_args.positions ? NULL
                            : &k->key[i], k->position[i]);
        if (out[i] == CW_NONE)
            return nobody_is_up(r);
    }
    return CLI_DONE;
}

static void
json_node(struct route *r, struct json *j, const char *key, uint32_t i)
{
    if (key != NULL)
        json_key(j, key);
    json_text(j, r->node[i].text, r->node[i].len);
}

/* A row of JSON: one node as "node", a list as "nodes". */
static void
print_json(struct route *r, const struct keys *k, size_t i,
           const uint32_t *nodes, uint32_t n)
{
    struct json j = { &r->c->out, false };
    uint32_t v;

    json_open(&j, '{');
    if (r->keys_args.positions) {
        json_pair_uint(&j, "position", k->position[i]);
    } else {
        json_bytes(&j, "key", k->key[i].data, k->key[i].len);
    }
    if (r->count == 0) {
        json_node(r, &j, r->address ? "address" : "node", nodes[0]);
    } else {
        json_key(&j, r->address ? "addresses" : "nodes");
        json_open(&j, '[');
        for (v = 0; v < n; v++)
            json_node(r, &j, NULL, nodes[v]);
        json_close(&j, ']');
    }
    json_close(&j, '}');
    json_end(&j, r->separator);
}

/* The rows that the tool is fast for: key, tab, one node. */
static void
print_owners(struct route *r, const struct keys *k, size_t n,
             const uint32_t *owner)
{
    struct out *out = &r->c->out;
    size_t i;

    for (i = 0; i < n; i++) {
        const struct lines_record *key = &k->shown[i];
        const struct tail *tail = &r->tail[owner[i]];
        char *to;

        if (key->len + tail->len > OUT_BUFFER) {
            out_add(out, key->data, key->len);
            out_add(out, tail->text, tail->len);
            continue;
        }
        to = out_room(out, key->len + tail->len);
        memcpy(to, key->data, key->len);
        memcpy(to + key->len, tail->text, tail->len);
        out->len += key->len + tail->len;
    }
}

static int
route_one_node(struct route *r, struct keys *k, size_t n)
{
    uint32_t owner[KEYS_BATCH];
    int status = find_owners(r, k, n, owner);
    size_t i;

    if (status != CLI_DONE)
        return status;
    if (r->c->json) {
        for (i = 0; i < n; i++)
            print_json(r, k, i, &owner[i], 1);
    } else {
        print_owners(r, k, n, owner);
    }
    return CLI_DONE;
}

static int
route_list(struct route *r, struct keys *k, size_t n)
{
    struct out *out = &r->c->out;
    size_t i;

    for (i = 0; i < n; i++) {
        uint32_t v, got = pick_nodes(&r->pick, r->keys_args.positions ? NULL
                                     : &k->key[i], k->position[i], r->count);

        if (got == 0)
            return nobody_is_up(r);
        if (r->c->json) {
            print_json(r, k, i, r->pick.out, got);
            continue;
        }
        out_add(out, k->shown[i].data, k->shown[i].len);
        for (v = 0; v < got; v++) {
            const struct tail *node = &r->node[r->pick.out[v]];

            out_char(out, '\t');
            out_add(out, node->text, node->len);
        }
        out_char(out, r->separator);
    }
    return CLI_DONE;
}

static int
route_keys(struct route *r, const char *const *words, size_t word_count)
{
    struct keys k;
    size_t n;
    int status = keys_open(&k, r->c, &r->keys_args, words, word_count,
                           cw_map_top(r->fleet.map));
    int closed;

    if (status != CLI_DONE)
        return status;
    while (status == CLI_DONE && r->c->out.error == 0
           && (n = keys_next(&k)) > 0)
        status = r->count > 0 ? route_list(r, &k, n)
                              : route_one_node(r, &k, n);
    closed = keys_close(&k);
    return status != CLI_DONE ? status : closed;
}

/* Keys in memory, and their lines as they were given. */
struct bounded {
    struct key_set keys, shown;
    uint32_t      *node;
};

static void
print_bounded(struct route *r, struct bounded *b)
{
    struct keys *k = mem_alloc(1, sizeof *k);
    size_t i;

    for (i = 0; i < b->keys.n; i++) {
        k->shown[0].data = b->shown.key[i].data;
        k->shown[0].len = b->shown.key[i].len;
        k->key[0] = b->keys.key[i];
        if (r->c->json)
            print_json(r, k, 0, &b->node[i], 1);
        else
            print_owners(r, k, 1, &b->node[i]);
    }
    mem_free(k);
}

/* All keys at once, each where the bound leaves room. */
static int
route_bounded(struct route *r)
{
    unsigned percent = r->fleet.model.pools[0].bound;
    struct bounded b = { 0 };
    struct keys k;
    size_t n, i, passed;
    int status = keys_open(&k, r->c, &r->keys_args, r->c->args,
                           (size_t)r->c->arg_count, 0);

    if (status != CLI_DONE)
        return status;
    while ((n = keys_next(&k)) > 0)
        for (i = 0; i < n; i++) {
            cw_key shown = { k.shown[i].data, k.shown[i].len };

            key_set_add(&b.keys, &k.key[i]);
            key_set_add(&b.shown, &shown);
        }
    status = keys_close(&k);
    b.node = mem_alloc(b.keys.n, sizeof *b.node);
    if (status == CLI_DONE) {
        passed = key_set_place(&b.keys, r->fleet.map, percent, b.node);
        print_bounded(r, &b);
        if (!r->c->quiet)
            cli_say("route: bound %u %%: %zu of %zu keys went on to a later "
                    "node of their list", percent, passed, b.keys.n);
    }
    mem_free(b.node);
    key_set_free(&b.keys);
    key_set_free(&b.shown);
    return status;
}

static int
explain_key(struct route *r)
{
    struct keys k;
    int status = keys_open(&k, r->c, &r->keys_args, &r->explain, 1,
                           cw_map_top(r->fleet.map));

    if (status != CLI_DONE)
        return status;
    if (keys_next(&k) == 1)
        status = explain(r->c, r->fleet.map, &r->pick,
                         r->keys_args.positions ? NULL : &k.key[0],
                         k.position[0], r->fleet.model.pools);
    return keys_close(&k) != CLI_DONE ? CLI_NO : status;
}

static int
run_loaded(struct route *r)
{
    cw_row row;
    uint64_t weights = 0;
    uint32_t i;

    cw_map_row(r->fleet.map, &row);
    for (i = 0; i < cw_map_count(r->fleet.map); i++) {
        cw_node node;

        cw_map_node(r->fleet.map, i, &node);
        weights |= node.weight;
    }
    if (weights == 0) {
        cli_say("route: no node has a weight above 0; no key has an owner");
        return CLI_NO;
    }
    if (r->keys_args.positions && !(row.traits & CW_TRAIT_ARCS))
        return cli_usage(r->c, "--positions: \"%s\" has no ring whose "
                         "positions could be asked for", row.name);
    if (r->explain != NULL)
        return explain_key(r);
    if (r->bound && r->fleet.model.pools[0].bound == 0)
        return cli_usage(r->c, "--bound: the fleet has no bound; expected "
                         "one in its file, or --set bound=125%%");
    if (r->bound)
        return route_bounded(r);
    if (!r->c->quiet && r->count > r->pick.zone_count
        && r->count < r->pick.n)
        cli_say("route: warning: %" PRIu32 " nodes are asked for and there "
                "are %" PRIu32 " zones: some share one", r->count,
                r->pick.zone_count);
    return route_keys(r, r->c->args, (size_t)r->c->arg_count);
}

static int
run(struct cli *c)
{
    struct route r = { .c = c };
    int status = read_options(&r);

    if (status == CLI_DONE && !c->stop)
        status = load_fleet(c, &r.fleet);
    if (r.fleet.map == NULL)
        return status;
    pick_init(&r.pick, r.fleet.map, r.owner);
    prepare_nodes(&r);
    status = run_loaded(&r);
    pick_free(&r.pick);
    mem_free(r.node);
    mem_free(r.tail);
    buf_free(&r.tails);
    load_free(&r.fleet);
    return status;
}

const struct cmd cmd_route = {
    "route", "print the node that each key goes to",
    "[-n COUNT] [-a] [-o] [-0] [--bound] [-k FILE] [KEY ...]\n"
    "--explain KEY",
    "  -n COUNT       the first COUNT nodes, in distinct zones while there "
    "are any\n"
    "  -a, --address  print addresses (a node without one: its name)\n"
    "  -o, --owner    print the owner even when it is down or draining\n"
    "  -k, --keys FILE  read keys from FILE (default: arguments, else "
    "standard\n"
    "                 input); every line is a key, byte for byte, even an "
    "empty one\n"
    "  -0, --null     keys and output rows end with NUL, not with a new "
    "line\n"
    "      --hex      keys are given in hexadecimal digits\n"
    "      --positions  positions of the ring are given instead of keys\n"
    "      --bound    place all keys at once, no node above the fleet's bound"
    "\n"
    "      --explain KEY  tell in words how the node of KEY is found\n",
    options, false, run
};
