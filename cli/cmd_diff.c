/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_diff.c - what moves when one fleet becomes another. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/diff_report.h"
#include "cli/key_set.h"
#include "cli/load_fleet.h"
#include "clockwise/clockwise_pins.h"

enum { ARCS = CLI_OWN, MOVED, SET_OLD, SET_NEW };

static const struct opt_spec options[] = {
    KEYS_OPTIONS,
    { 0, "arcs",    NULL,           ARCS },
    { 0, "moved",   NULL,           MOVED },
    { 0, "set-old", "OPTION=VALUE", SET_OLD },
    { 0, "set-new", "OPTION=VALUE", SET_NEW },
    { 0, NULL,      NULL,           0 }
};

struct args {
    unsigned         bound[2];      /* of OLD and NEW, in per cent          */
    struct cli      *c;
    struct keys_args keys;
    bool             arcs;
    bool             moved;
    struct load_sets sets[2];       /* --set-old, --set-new                 */
};

static int
read_options(struct args *a)
{
    struct cli *c = a->c;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        if (keys_option(&a->keys, id, c->opt.value))
            continue;
        if (id == ARCS)
            a->arcs = true;
        else if (id == MOVED)
            a->moved = true;
        else if (load_sets_add(c, &a->sets[id == SET_NEW],
                               id == SET_NEW ? "new" : "old", c->opt.value)
                 != CLI_DONE)
            return c->status;
    }
    if (c->source_count != 2)
        return cli_usage(c, "%d fleet%s given; expected OLD and NEW",
                         c->source_count, c->source_count == 1 ? " is"
                         : "s are");
    if (a->moved && a->keys.file == NULL)
        return cli_usage(c, "--moved prints the keys that move; expected "
                         "keys with --keys FILE");
    if (a->keys.positions)
        return cli_usage(c, "--positions: the keys of --keys are compared");
    return CLI_DONE;
}

/*
 * May a key leave this node, or come to it? Only when the change took weight
 * from it, or gave it some: otherwise its move is excess churn.
 */
static void
classify(struct diff_report *r)
{
    uint32_t i, n = r->diff->node_count;

    r->took_from = mem_alloc(cw_map_count(r->old_map), sizeof(bool));
    r->gave_to = mem_alloc(cw_map_count(r->new_map), sizeof(bool));
    for (i = 0; i < n; i++) {
        const cw_diff_node *d = &r->diff->nodes[i];
        cw_node before = { .weight = 0 }, after = { .weight = 0 };

        if (d->old_index != CW_NONE)
            cw_map_node(r->old_map, d->old_index, &before);
        if (d->new_index != CW_NONE)
            cw_map_node(r->new_map, d->new_index, &after);
        if (d->old_index != CW_NONE)
            r->took_from[d->old_index] = after.weight < before.weight;
        if (d->new_index != CW_NONE)
            r->gave_to[d->new_index] = after.weight > before.weight;
    }
}

static bool
same_node(const struct diff_report *r, uint32_t before, uint32_t after)
{
    return before != CW_NONE && r->new_of[before] == after;
}

/* What a pin moves was asked for. */
static bool
pinned(const cw_map *map, const cw_key *key)
{
    cw_pin pin;

    return cw_map_pin(map, key->data, key->len, &pin) == CW_OK;
}

static void
count_key(struct diff_report *r, const struct lines_record *shown,
          const cw_key *key, uint32_t before, uint32_t after, bool print)
{
    struct out *out = &r->c->out;

    r->keys++;
    if (same_node(r, before, after) || (before == CW_NONE
                                        && after == CW_NONE))
        return;
    r->keys_moved++;
    if (before != CW_NONE && after != CW_NONE && !r->took_from[before]
        && !r->gave_to[after] && !pinned(r->old_map, key)
        && !pinned(r->new_map, key))
        r->keys_excess++;
    if (print) {
        out_add(out, shown->data, shown->len);
        out_char(out, '\t');
        diff_report_node(out, r->old_map, before);
        out_char(out, '\t');
        diff_report_node(out, r->new_map, after);
        out_char(out, r->separator);
    }
}

static void
owners(const cw_map *map, const cw_key *keys, size_t n, uint32_t *out)
{
    size_t i;

    if (cw_map_owner_many(map, keys, n, out) != CW_OK)
        for (i = 0; i < n; i++)
            out[i] = CW_NONE;       /* an empty map */
}

/* The same keys where no node may have more than the bound. */
static void
compare_bounded(struct diff_report *r, const struct args *a,
                const struct key_set *set)
{
    uint32_t *before = mem_alloc(set->n, sizeof *before);
    uint32_t *after = mem_alloc(set->n, sizeof *after);
    size_t i;

    r->has_bound = true;
    key_set_place(set, r->old_map, a->bound[0], before);
    key_set_place(set, r->new_map, a->bound[1], after);
    for (i = 0; i < set->n; i++)
        r->bounded_moved += !same_node(r, before[i], after[i]);
    mem_free(before);
    mem_free(after);
}

static bool
is_empty(const cw_map *map)
{
    uint32_t i;

    return cw_map_owner(map, "", 0, &i) != CW_OK;
}

static int
compare_keys(struct diff_report *r, const struct args *a)
{
    uint32_t before[KEYS_BATCH], after[KEYS_BATCH], v;
    bool bounded = (a->bound[0] || a->bound[1]) && !is_empty(r->old_map)
        && !is_empty(r->new_map);
    struct key_set set = { .n = 0 };
    struct keys k;
    size_t n, i;
    int status = keys_open(&k, r->c, &a->keys, NULL, 0, 0);

    if (status != CLI_DONE)
        return status;
    r->separator = a->keys.nul ? '\0' : '\n';
    r->new_of = mem_alloc(cw_map_count(r->old_map), sizeof *r->new_of);
    for (v = 0; v < r->diff->node_count; v++)
        if (r->diff->nodes[v].old_index != CW_NONE)
            r->new_of[r->diff->nodes[v].old_index]
                = r->diff->nodes[v].new_index;
    classify(r);
    while (r->c->out.error == 0 && (n = keys_next(&k)) > 0) {
        owners(r->old_map, k.key, n, before);
        owners(r->new_map, k.key, n, after);
        for (i = 0; i < n; i++)
            count_key(r, &k.shown[i], &k.key[i], before[i], after[i],
                      a->moved);
        for (i = 0; i < n && bounded; i++)
            key_set_add(&set, &k.key[i]);
    }
    if (bounded)
        compare_bounded(r, a, &set);
    key_set_free(&set);
    mem_free(r->new_of);
    mem_free(r->took_from);
    mem_free(r->gave_to);
    return keys_close(&k);
}

static int
report(struct args *a, const cw_map *old_map, const cw_map *new_map)
{
    struct diff_report r = {
        .c = a->c, .old_map = old_map, .new_map = new_map, .arcs = a->arcs
    };
    cw_diff *diff = NULL;
    int status = CLI_DONE;

    if (cw_diff_new(old_map, new_map, &diff) != CW_OK)
        mem_fail();
    r.diff = diff;
    if (a->arcs && diff->basis != CW_EXACT)
        status = cli_usage(a->c, "--arcs: these two placements have no arcs "
                           "in common (basis: %s)",
                           show_basis(diff->basis));
    if (status == CLI_DONE && a->keys.file != NULL) {
        r.has_keys = true;
        status = compare_keys(&r, a);
    }
    if (status == CLI_DONE && !a->moved)
        diff_report_print(&r);
    cw_diff_free(diff);
    return status;
}

static int
run(struct cli *c)
{
    struct args a = { .c = c };
    struct loaded fleet[2] = { { .map = NULL }, { .map = NULL } };
    struct load_sets sets = { c->sets, c->set_count };
    int status = read_options(&a), i;

    sets.list = c->sets;
    sets.count = c->set_count;
    if (status == CLI_DONE && !c->stop) {
        for (i = 0; i < 2 && status == CLI_DONE; i++)
            status = load_source(&c->sources[i], sets, a.sets[i], &fleet[i]);
        for (i = 0; i < 2 && status == CLI_DONE; i++)
            a.bound[i] = fleet[i].model.pools[0].bound;
        if (status == CLI_DONE)
            status = report(&a, fleet[0].map, fleet[1].map);
    }
    for (i = 0; i < 2; i++) {
        if (fleet[i].map != NULL)
            load_free(&fleet[i]);
        mem_free(a.sets[i].list);
    }
    return status;
}

const struct cmd cmd_diff = {
    "diff", "print what moves when fleet OLD becomes NEW",
    "[--arcs] [-k FILE [--moved]] OLD NEW",
    "  Share of the keys that moves, the least it could be (ideal), what "
    "moves\n"
    "  needlessly (excess churn), from which node to which, in per cent. "
    "OLD and NEW\n"
    "  are files or --nodes LIST.\n"
    "      --arcs     also the stretches of the ring that change hands\n"
    "  -k, --keys FILE  also compare the owners of the keys in FILE\n"
    "      --moved    print only the keys that move, with both owners\n"
    "  -0, --null     keys end with NUL, not with a new line\n"
    "      --hex      keys are given in hexadecimal digits\n"
    "      --set-old, --set-new OPTION=VALUE  change one placement only\n",
    options, true, run
};
