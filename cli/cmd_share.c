/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_share.c - how much of the key space each node owns. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/key_set.h"
#include "cli/load_fleet.h"
#include "cli/pins_note.h"
#include "cli/show.h"
#include "cli/slots_note.h"
#include "cli/stats.h"

static const struct opt_spec options[] = {
    KEYS_OPTIONS,
    { 0, NULL, NULL, 0 }
};

struct report {
    struct cli         *c;
    struct keys_args    keys_args;
    struct loaded       fleet;
    cw_shares          *shares;
    bool                counted;
    uint64_t           *seen;       /* keys of each node                    */
    uint64_t            keys;
    bool                pins;       /* of keys or prefixes                  */
    uint64_t           *pinned;     /* keys of each node by them            */
    uint64_t            keys_pinned;
    unsigned            bound;      /* in per cent; 0: none, or no keys     */
    struct key_set      set;        /* with a bound                         */
    uint64_t           *under;      /* keys of each node under it           */
    size_t              passed;
    bool                arcs;
    struct stats_spread spread;
};

/* What a pin of its text places says nothing of how even the ring is. */
static void
count_pinned(struct report *r, const cw_key *key, uint32_t owner)
{
    cw_pin pin;

    if (cw_map_pin(r->fleet.map, key->data, key->len, &pin) != CW_OK ||
        pin.kind == CW_PIN_RANGE)
        return;
    r->pinned[owner]++;
    r->keys_pinned++;
}

static int
count_keys(struct report *r)
{
    struct keys k;
    uint32_t owner[KEYS_BATCH];
    size_t n, i;
    int status = keys_open(&k, r->c, &r->keys_args, NULL, 0,
                           cw_map_top(r->fleet.map));

    if (status != CLI_DONE)
        return status;
    while ((n = keys_next(&k)) > 0 && status == CLI_DONE) {
        if (cw_map_owner_many(r->fleet.map, k.key, n, owner) != CW_OK) {
            cli_say("share: no node has a weight above 0; no key has an "
                    "owner");
            status = CLI_NO;
            break;
        }
        for (i = 0; i < n; i++)
            r->seen[owner[i]]++;
        for (i = 0; i < n && r->pins; i++)
            count_pinned(r, &k.key[i], owner[i]);
        for (i = 0; i < n && r->bound != 0; i++)
            key_set_add(&r->set, &k.key[i]);
        r->keys += n;
    }
    if (keys_close(&k) != CLI_DONE)
        status = k.status;
    return status;
}

/* The same keys where no node may have more than the bound. */
static void
count_bounded(struct report *r)
{
    uint32_t *node = mem_alloc(r->set.n, sizeof *node);
    size_t i;

    r->passed = key_set_place(&r->set, r->fleet.map, r->bound, node);
    for (i = 0; i < r->set.n; i++)
        r->under[node[i]]++;
    mem_free(node);
}

static double
ratio(const struct report *r, uint32_t i)
{
    return r->shares->fair[i] > 0 ? r->shares->part[i] / r->shares->fair[i]
                                  : 0;
}

/* Of the keys that the ring places, in standard errors. */
static double
deviation(const struct report *r, uint32_t i)
{
    return stats_deviation(r->seen[i] - r->pinned[i],
                           r->keys - r->keys_pinned, r->shares->part[i]);
}

static void
print_row(struct report *r, uint32_t i)
{
    struct out *out = &r->c->out;
    char weight[32];
    cw_node node;

    cw_map_node(r->fleet.map, i, &node);
    out_add(out, node.name, node.name_len);
    out_print(out, "\t%s\t", show_weight(node.weight, weight));
    if (node.zone_len > 0)
        out_add(out, node.zone, node.zone_len);
    else
        out_char(out, '-');
    out_print(out, "\t%" PRIu64 "\t%.6f\t%.4f",
              cw_map_node_points(r->fleet.map, i), 100 * r->shares->part[i],
              ratio(r, i));
    if (r->counted)
        out_print(out, "\t%" PRIu64 "\t%.6f\t%+.2f", r->seen[i],
                  r->keys ? 100 * (double)r->seen[i] / (double)r->keys : 0,
                  deviation(r, i));
    if (r->bound != 0)
        out_print(out, "\t%" PRIu64, r->under[i]);
    out_char(out, '\n');
}

static bool
clustered(const struct report *r)
{
    return stats_clustered(&r->spread);
}

static void
print_spread(struct report *r)
{
    const struct stats_test *parts = &r->spread.parts;
    const struct stats_test *shares = &r->spread.shares;
    struct out *out = &r->c->out;

    if (!stats_spread_known(&r->spread))
        return;
    out_str(out, "# points: ");
    if (parts->freedom > 0)
        out_print(out, "chi-square %.1f over %.0f parts of the ring, p = "
                  "%.2g", parts->chi_square, parts->freedom + 1,
                  parts->probability);
    if (shares->freedom > 0)
        out_print(out, "%schi-square %.1f of the shares of %.0f nodes, p = "
                  "%.2g", parts->freedom > 0 ? "; " : "",
                  shares->chi_square, shares->freedom + 1,
                  shares->probability);
    out_str(out, clustered(r) ? ": WARNING, this hash clusters\n" : "\n");
}

/* What a table of slots guarantees; its remedy when it is too small. */
static void
print_slots(struct report *r)
{
    struct out *out = &r->c->out;
    struct slots_note note;

    if (!slots_note(&r->fleet.model.pools[0], r->fleet.map, &note))
        return;
    out_print(out, "# slots: %.4f of its fair share at most is guaranteed to "
              "each node; a change\n# moves about %.2g %% more than it must"
              "\n", note.bound, 100 * note.excess);
    if (note.better > note.slots)
        out_print(out, "# WARNING: the lightest node has a share of %.1f "
                  "slots, which is too few for even\n# shares; set slots to "
                  "%u (all keys are placed anew then)\n", note.lightest,
                  note.better);
    else if (note.better != 0)
        out_print(out, "# WARNING: the lightest node has a share of %.1f "
                  "slots, which is too few for even\n# shares, and there "
                  "cannot be more: take algorithm=ring\n", note.lightest);
    if (note.replicas > 1)
        out_print(out, "# roles: %u nodes in distinct zones have a slot; the "
                  "busiest has %.4f of what is\n# due to it in all, the idlest "
                  "%.4f\n", note.replicas, note.roles_max, note.roles_min);
    if (note.excess > 0.1)
        out_str(out, "# WARNING: that is over 10 %: allow more slack, or "
                "leave cap at sqrt\n");
}

/* What of the pins the shares count. */
static void
print_pins(struct report *r)
{
    struct pins_note n = pins_note(cw_map_pins(r->fleet.map));
    struct out *out = &r->c->out;

    if (n.ranges > 0)
        out_print(out, "# pins: the shares are with %zu pinned range%s\n",
                  n.ranges, n.ranges == 1 ? "" : "s");
    if (n.keys + n.prefixes > 0)
        out_print(out, "# pins: of keys %zu, of prefixes %zu: no part of the "
                  "ring; count keys with --keys\n", n.keys, n.prefixes);
}

/* Said of shares that more points, or another placement, would level. */
static bool
skewed(const cw_balance *b)
{
    return b->max_avg > 2 * b->min_avg;
}

static void
print_text(struct report *r)
{
    struct out *out = &r->c->out;
    const cw_balance *b = &r->shares->balance;
    uint32_t i;

    if (!r->c->quiet)
        out_print(out, "# node\tweight\tzone\tpoints\tshare %%\tof fair%s%s\n",
                  r->counted ? "\tkeys\tkeys %\tdeviation" : "",
                  r->bound ? "\tbounded" : "");
    for (i = 0; i < r->shares->count; i++)
        print_row(r, i);
    if (r->c->quiet)
        return;
    if (r->counted)
        out_print(out, "# keys: %" PRIu64 "; deviation in standard errors\n",
                  r->keys);
    if (r->keys_pinned > 0)
        out_print(out, "# pinned, by key or prefix: %" PRIu64 " of them, which "
                  "the deviation leaves out\n", r->keys_pinned);
    if (r->bound != 0)
        out_print(out, "# bounded: at most %u %% of its fair share on each "
                  "node; %zu keys (%.4f %%) go on\n# to a later node of their "
                  "list%s\n", r->bound, r->passed, r->keys
                  ? 100 * (double)r->passed / (double)r->keys : 0,
                  r->keys_pinned ? "; pinned keys stay, over it or not" : "");
    if (r->shares->basis == CW_EXPECTED)
        out_str(out, "# the placement has no arcs: shares are what the "
                "weights say\n");
    print_spread(r);
    out_print(out, "# balance: max/avg %.4f, min/avg %.4f, CV %.4f%s\n",
              b->max_avg, b->min_avg, b->cv, skewed(b) ? ": WARNING, the "
              "busiest node has more than twice the share of the idlest"
              : "");
    print_slots(r);
    print_pins(r);
    out_print(out, "# map: %" PRIu64 " points, %zu bytes\n",
              cw_map_points(r->fleet.map), cw_map_bytes(r->fleet.map));
}

static void
json_row(struct report *r, struct json *j, uint32_t i)
{
    char text[40];
    cw_node node;

    cw_map_node(r->fleet.map, i, &node);
    json_open(j, '{');
    json_bytes(j, "node", node.name, node.name_len);
    json_pair_double(j, "weight", (double)node.weight / 1e6);
    if (node.zone_len > 0)
        json_bytes(j, "zone", node.zone, node.zone_len);
    json_pair_uint(j, "points", cw_map_node_points(r->fleet.map, i));
    json_pair_double(j, "share", r->shares->part[i]);
    str_u128(r->shares->num[i].hi, r->shares->num[i].lo, text);
    json_pair(j, "positions", text, strlen(text));
    json_pair_double(j, "fair", r->shares->fair[i]);
    json_pair_double(j, "of_fair", ratio(r, i));
    if (r->counted) {
        json_pair_uint(j, "keys", r->seen[i]);
        json_pair_double(j, "deviation", deviation(r, i));
    }
    json_close(j, '}');
}

static void
json_test(struct json *j, const char *key, const struct stats_test *t)
{
    if (t->freedom <= 0)
        return;
    json_key(j, key);
    json_open(j, '{');
    json_pair_double(j, "chi_square", t->chi_square);
    json_pair_double(j, "freedom", t->freedom);
    json_pair_double(j, "probability", t->probability);
    json_close(j, '}');
}

static void
json_spread(const struct report *r, struct json *j)
{
    json_key(j, "spread");
    json_open(j, '{');
    json_test(j, "parts", &r->spread.parts);
    json_test(j, "shares", &r->spread.shares);
    json_pair_bool(j, "clustered", clustered(r));
    json_close(j, '}');
}

static void
json_slots(struct report *r, struct json *j)
{
    struct slots_note note;

    if (!slots_note(&r->fleet.model.pools[0], r->fleet.map, &note))
        return;
    json_key(j, "slots");
    json_open(j, '{');
    json_pair_uint(j, "count", note.slots);
    json_pair_double(j, "lightest", note.lightest);
    json_pair_double(j, "guaranteed", note.bound);
    json_pair_double(j, "excess", note.excess);
    if (note.better > note.slots)
        json_pair_uint(j, "better", note.better);
    if (note.replicas > 1) {
        json_pair_uint(j, "replicas", note.replicas);
        json_pair_double(j, "roles_max", note.roles_max);
        json_pair_double(j, "roles_min", note.roles_min);
    }
    json_close(j, '}');
}

static void
print_json(struct report *r)
{
    struct json j = { &r->c->out, false };
    char text[40];
    uint32_t i;

    json_open(&j, '{');
    json_key(&j, "basis");
    json_text(&j, show_basis(r->shares->basis),
              strlen(show_basis(r->shares->basis)));
    str_u128(r->shares->size.hi, r->shares->size.lo, text);
    json_pair(&j, "size", text, strlen(text));
    json_key(&j, "nodes");
    json_open(&j, '[');
    for (i = 0; i < r->shares->count; i++)
        json_row(r, &j, i);
    json_close(&j, ']');
    if (r->counted) {
        json_pair_uint(&j, "keys", r->keys);
        if (r->pins)
            json_pair_uint(&j, "keys_pinned", r->keys_pinned);
        if (r->bound != 0) {
            json_pair_uint(&j, "bound", r->bound);
            json_pair_uint(&j, "passed", r->passed);
        }
    }
    if (stats_spread_known(&r->spread))
        json_spread(r, &j);
    json_pair_double(&j, "max_avg", r->shares->balance.max_avg);
    json_pair_double(&j, "min_avg", r->shares->balance.min_avg);
    json_pair_double(&j, "cv", r->shares->balance.cv);
    json_slots(r, &j);
    if (cw_map_pins(r->fleet.map) != NULL)
        pins_note_json(&j, cw_map_pins(r->fleet.map));
    json_pair_uint(&j, "points", cw_map_points(r->fleet.map));
    json_pair_uint(&j, "bytes", cw_map_bytes(r->fleet.map));
    json_close(&j, '}');
    json_end(&j, '\n');
}

static uint64_t *
counters(uint32_t n)
{
    uint64_t *of = mem_alloc(n, sizeof *of);

    memset(of, 0, n * sizeof *of);
    return of;
}

static int
report(struct report *r)
{
    uint32_t n = cw_map_count(r->fleet.map);
    int status = CLI_DONE;

    if (cw_shares_new(r->fleet.map, &r->shares) != CW_OK)
        mem_fail();
    stats_spread(r->fleet.map, r->shares, &r->spread);
    if (r->counted) {
        const struct pins_note pins = pins_note(cw_map_pins(r->fleet.map));

        r->pins = pins.keys + pins.prefixes > 0;
        r->bound = r->fleet.model.pools[0].bound;
        r->seen = counters(n);
        r->pinned = counters(n);
        r->under = counters(n);
        status = count_keys(r);
        if (status == CLI_DONE && r->bound != 0)
            count_bounded(r);
    }
    if (status == CLI_DONE && r->c->json)
        print_json(r);
    else if (status == CLI_DONE)
        print_text(r);
    mem_free(r->seen);
    mem_free(r->pinned);
    mem_free(r->under);
    key_set_free(&r->set);
    cw_shares_free(r->shares);
    return status;
}

static int
run(struct cli *c)
{
    struct report r = { .c = c };
    int id, status;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        keys_option(&r.keys_args, id, c->opt.value);
    }
    if (r.keys_args.positions)
        return cli_usage(c, "--positions: shares are of keys");
    r.counted = r.keys_args.file != NULL;
    status = load_fleet(c, &r.fleet);
    if (status != CLI_DONE)
        return status;
    status = report(&r);
    load_free(&r.fleet);
    return status;
}

const struct cmd cmd_share = {
    "share", "print how much of the key space each node owns",
    "[-k FILE [-0] [--hex]] FLEET",
    "  A row a node: name, weight, zone, points, share in per cent (exact, "
    "from the\n"
    "  arcs), share / fair share. Then balance, points and bytes of the "
    "map.\n"
    "  -k, --keys FILE  also count the keys of FILE (\"-\": standard input) "
    "and print\n"
    "                 how many standard errors they are off\n"
    "  -0, --null     keys end with NUL, not with a new line\n"
    "      --hex      keys are given in hexadecimal digits\n",
    options, true, run
};
