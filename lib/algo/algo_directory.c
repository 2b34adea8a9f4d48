/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_directory.c - a table that says where each key is: its entries are the
 * pins of the placement (clockwise_pins.h: a key, a prefix, a range), and
 * what no entry holds is with one node, the option `default`.
 */
#include <string.h>

#include "core/algo.h"

enum { SIZE, DEFAULT = 0 };         /* slots of numbers, and of texts       */

struct directory {
    uint64_t top;
    uint32_t node;          /* of keys in no entry                          */
};

static const struct cwi_option options[] = {
    { "hash", "hash of the keys, for ranges", CWI_OPT_HASH, 0, 0, 0, "xxh3",
      NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { "size", "number of positions", CWI_OPT_SIZE, SIZE, 0, 0,
      "18446744073709551616", NULL },
    { "default", "node of the keys in no entry", CWI_OPT_TEXT, DEFAULT, 1,
      CWI_TEXT_MAX, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

/* Without `default` the first node by label: as good as any, and the same on
 * every machine. */
static const struct cwi_node *
default_node(const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (p->text_len[DEFAULT] == 0
                ? n->weight > 0
                : n->name_len == p->text_len[DEFAULT] &&
                      memcmp(n->name, p->text[DEFAULT], n->name_len) == 0)
            return n;
    }
    return NULL;
}

static cw_status
directory_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
               const struct cwi_placement *p, struct cwi_plan *out,
               cw_error *err)
{
    const struct cwi_node *n = default_node(nodes, p);

    if (!n || n->weight == 0)
        return cwi_fail(err, CW_EINVAL, "default %n: expected a node with a "
                        "weight above 0", p->text[DEFAULT],
                        (size_t)p->text_len[DEFAULT]);
    out->state = sizeof(struct directory);
    out->top = p->num[SIZE];
    return cwi_equal_weights(self, nodes, err);
}

static void
directory_build(const struct cwi_algo_ops *self, void *state, void *scratch,
                const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct directory *d = state;

    (void)self;
    (void)scratch;
    d->top = p->num[SIZE];
    d->node = (uint32_t)(default_node(nodes, p) - nodes->v);
}

static uint32_t
directory_find(const void *state, uint64_t at)
{
    (void)at;
    return ((const struct directory *)state)->node;
}

static void
directory_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    cwi_walk_visit(w, directory_find(state, at));
}

static void
directory_arc(const void *state, uint64_t *cursor, uint64_t from,
              uint64_t *last, uint32_t *owner)
{
    (void)cursor;
    (void)from;
    *last = ((const struct directory *)state)->top;
    *owner = ((const struct directory *)state)->node;
}

static const char *
directory_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct directory *d = state;

    return d->node < nodes->n && nodes->v[d->node].weight > 0
               ? NULL : "keys in no entry are with an active node";
}

static int
no_default(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           uint64_t top)
{
    (void)nodes;
    (void)top;
    return p->text_len[DEFAULT] == 0;
}

static const struct cwi_quirk quirk_no_default = {
    .applies = no_default,
    .what = "a key that no entry holds goes to the first node by name, which "
            "another node may become",
    .remedy = "name that node: default: NODE"
};

static const struct cwi_quirk *const quirks[] = { &quirk_no_default, NULL };

const struct cwi_algo_ops cwi_algo_directory = {
    .name    = "directory",
    .summary = "a table: its pins say where a key, prefix or range is",
    .source  = "the directory of a storage service; pins are its entries",
    .traits  = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL | CW_TRAIT_RESTORES |
               CW_TRAIT_ARCS,
    .options = options,
    .plan    = directory_plan,
    .build   = directory_build,
    .quirks  = quirks,
    .find    = directory_find,
    .walk    = directory_walk,
    .arc     = directory_arc,
    .check   = CWI_UNLESS_PAGE(directory_check)
};
