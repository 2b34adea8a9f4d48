/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_slots.c - a table of slots, dealt by stable matching.
 *
 * The hash space is cut into 2^k slots. Each node ranks the slots by a
 * permutation that its label gives, and slots and nodes are matched stably
 * by weighted rendezvous scores of those ranks under a cap for each node. So
 * the result depends on the set of nodes alone, loads are bounded, and a
 * change moves little beyond what it must. A look-up is one load.
 *
 * Rendezvous: Thaler, Ravishankar 1998. Stable matching with quotas: Gale,
 * Shapley 1962. docs/formats/slots.md is the exact rule.
 */
#include <string.h>

#include "core/algo.h"
#include "core/rank.h"
#include "slots.h"

enum { NUM_SLOTS, NUM_CAP, NUM_SLACK, NUM_REPLICAS };
enum { CAP_SQRT, CAP_FIXED };

struct slots {
    uint32_t n;             /* nodes of weight > 0                          */
    uint32_t k;
    uint32_t shift;         /* position >> shift is the slot                */
    uint32_t copies;        /* nodes of a slot                              */
    uint64_t unused[6];     /* the table begins on a cache line             */
    /* uint16_t owner[2^k], other[2^k][copies - 1]; struct slots_node node[n];
     * uint32_t number[n] */
};

static const struct cwi_option slots_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { "slots", "number of slots, a power of two", CWI_OPT_UINT, NUM_SLOTS, 8,
      1048576, "262144", NULL },
    { "cap", "most slots of a node: its share + 1.5 sqrt(share), or `slack`",
      CWI_OPT_ENUM, NUM_CAP, 0, 0, "sqrt", "sqrt fixed" },
    { "slack", "with `cap: fixed`, thousandths of its share above it",
      CWI_OPT_UINT, NUM_SLACK, 0, 1000, "50", NULL },
    { "replicas", "nodes of a slot, in distinct zones, with bounded roles",
      CWI_OPT_UINT, NUM_REPLICAS, 1, SLOTS_COPIES, "1", NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static const uint16_t *
table_of(const struct slots *t)
{
    return (const uint16_t *)(const void *)(t + 1);
}

/* Replicas of slot s besides its owner, copies - 1 of them. */
static const uint16_t *
others_of(const struct slots *t, uint64_t s)
{
    return table_of(t) + ((size_t)1 << t->k) + (size_t)s * (t->copies - 1);
}

static const struct slots_node *
nodes_of(const struct slots *t)
{
    return (const struct slots_node *)(const void *)
        others_of(t, UINT64_C(1) << t->k);
}

static const uint32_t *
numbers_of(const struct slots *t)
{
    return (const uint32_t *)(const void *)(nodes_of(t) + t->n);
}

static unsigned
log2_of(uint64_t slots)
{
    unsigned k = 0;

    while (slots >> k > 1)
        k++;
    return k;
}

/* ---- zones ------------------------------------------------------------- */

static int
same_zone(const struct cwi_node *a, const struct cwi_node *b)
{
    return a->zone_len > 0 && a->zone_len == b->zone_len &&
           memcmp(a->zone, b->zone, a->zone_len) == 0;
}

/* How many zones have an active node; `most` is enough. */
static uint64_t
count_zones(const struct cwi_nodes *nodes, uint64_t most)
{
    uint32_t first[SLOTS_COPIES], i, j, n = 0;

    for (i = 0; i < nodes->n && n < most; i++) {
        if (nodes->v[i].weight == 0)
            continue;
        for (j = 0; j < n && !same_zone(&nodes->v[first[j]],
                                        &nodes->v[i]); j++)
            ;
        if (j == n)
            first[n++] = i;
    }
    return n;
}

/* Zones as they are ordered: by the hash of their name, else of the node's
 * label, then by that text; a zone before a node without one. */
struct zoning {
    const struct cwi_nodes *nodes;
    struct slots_node      *node;
    uint64_t               *hash;
};

static int
zone_before(const void *context, uint32_t a, uint32_t b)
{
    const struct zoning   *z = context;
    const struct cwi_node *x = &z->nodes->v[z->node[a].number];
    const struct cwi_node *y = &z->nodes->v[z->node[b].number];

    if (z->hash[a] != z->hash[b])
        return z->hash[a] < z->hash[b];
    if (x->zone_len != y->zone_len)
        return x->zone_len > y->zone_len;
    if (x->zone_len > 0 && memcmp(x->zone, y->zone, x->zone_len) != 0)
        return memcmp(x->zone, y->zone, x->zone_len) < 0;
    return a < b;
}

/* Number the zones of n nodes; returns how many there are. */
static uint32_t
number_zones(const struct cwi_nodes *nodes, struct slots_node *node,
             uint32_t n, void *scratch)
{
    struct zoning z = { nodes, node, scratch };
    uint32_t     *order = (uint32_t *)(void *)(z.hash + n), zone = 0, i;

    for (i = 0; i < n; i++) {
        const struct cwi_node *v = &nodes->v[node[i].number];

        z.hash[i] = v->zone_len > 0
                    ? cwi_mix64(cwi_fnv1a_64(v->zone, v->zone_len))
                    : node[i].id;
    }
    cwi_rank(zone_before, &z, n, CW_NONE, order, n);
    for (i = 0; i < n; i++) {
        zone += i > 0 && !same_zone(&nodes->v[node[order[i - 1]].number],
                                    &nodes->v[node[order[i]].number]);
        node[order[i]].zone = zone;
    }
    return zone + 1;
}

/* ---- plan -------------------------------------------------------------- */

static size_t
state_size(uint64_t slots, uint64_t copies, uint32_t n)
{
    return sizeof(struct slots) +
           (size_t)slots * (size_t)copies * sizeof(uint16_t) +
           (size_t)n * (sizeof(struct slots_node) + sizeof(uint32_t));
}

static cw_status
slots_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
           const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    uint64_t slots = p->num[NUM_SLOTS], copies = p->num[NUM_REPLICAS];
    unsigned k = log2_of(slots);
    size_t   roles;

    if (slots != UINT64_C(1) << k)
        return cwi_fail(err, CW_EINVAL, "slots: %u is not a power of two; "
                        "the nearest are %u and %u", slots, UINT64_C(1) << k,
                        UINT64_C(2) << k);
    if (nodes->n > SLOTS_NODES_MAX)
        return cwi_fail(err, CW_ELIMIT, "\"%s\" takes at most %u nodes, not "
                        "%u", self->name, (uint64_t)SLOTS_NODES_MAX,
                        (uint64_t)nodes->n);
    if (nodes->active > slots)
        return cwi_fail(err, CW_EINVAL, "%u nodes cannot share %u slots: "
                        "give `slots` at least 64 times the number of nodes",
                        (uint64_t)nodes->active, slots);
    if (count_zones(nodes, copies) < copies)
        return cwi_fail(err, CW_EINVAL, "%u replicas need as many zones with "
                        "a node, and there are only %u; a node without a zone "
                        "is one of its own", copies,
                        count_zones(nodes, copies));
    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    out->state = state_size(slots, copies, nodes->active);
    out->scratch = cwi_slots_scratch(nodes->active, k);
    if (copies > 1) {
        roles = cwi_slots_roles_scratch(nodes->active, k, (unsigned)copies);
        out->scratch = roles > out->scratch ? roles : out->scratch;
    }
    return CW_OK;
}

/* ---- caps -------------------------------------------------------------- */

static uint64_t
square_root(uint64_t x)
{
    uint64_t r = 0, bit = UINT64_C(1) << 62;

    for (; bit > 0; bit >>= 2) {
        if (x >= r + bit) {
            x -= r + bit;
            r = (r >> 1) + bit;
        } else {
            r >>= 1;
        }
    }
    return r;
}

uint32_t
cwi_slots_cap(uint64_t q)
{
    uint64_t t = square_root(256 * q) + 1;

    return (uint32_t)((2 * q + 3 * t + 511) / 512);
}

/* Most slots a node of weight w may hold when all weigh `total`. */
static uint32_t
cap_of(const struct cwi_placement *p, uint64_t w, uint64_t total)
{
    cwi_u128 share = (cwi_u128)p->num[NUM_SLOTS] * w;   /* times total */

    if (p->num[NUM_CAP] == CAP_FIXED) {
        cwi_u128 whole = (cwi_u128)1000 * total;

        return (uint32_t)((share * (1000 + p->num[NUM_SLACK]) + whole - 1) /
                          whole);
    }
    return cwi_slots_cap((uint64_t)((share * 256 + total - 1) / total));
}

/* ---- build ------------------------------------------------------------- */

static uint64_t
common_divisor(const struct cwi_nodes *nodes)
{
    uint64_t d = 0;
    uint32_t i;

    for (i = 0; i < nodes->n; i++) {
        uint64_t a = nodes->v[i].weight;

        while (a != 0) {
            uint64_t rest = d % a;

            d = a;
            a = rest;
        }
    }
    return d;
}

static void
fill_node(struct slots_node *out, const struct cwi_node *node)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t       z1, z2, z3;

    out->id = cwi_mix64(cwi_fnv1a_64(node->label, node->label_len));
    z1 = cwi_mix64(out->id ^ step);
    z2 = cwi_mix64(z1 + step);
    z3 = cwi_mix64(z2 + step);
    out->a = (uint32_t)z1;
    out->m1 = (uint32_t)(z1 >> 32) | 1;
    out->m2 = (uint32_t)z2 | 1;
    out->m3 = (uint32_t)(z2 >> 32) | 1;
    out->m4 = (uint32_t)z3 | 1;
}

static void
slots_build(const struct cwi_algo_ops *self, void *state, void *scratch,
            const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct slots      *t = state;
    uint64_t           unit = common_divisor(nodes), total;
    uint16_t          *owner = (uint16_t *)(void *)(t + 1);
    struct slots_node *node;
    uint32_t          *number, zones, i, n = 0;
    int                equal = 1;

    (void)self;
    t->k = log2_of(p->num[NUM_SLOTS]);
    t->shift = p->hash->bits - t->k;
    t->n = nodes->active;
    t->copies = (uint32_t)p->num[NUM_REPLICAS];
    node = (struct slots_node *)(void *)(owner +
                                         ((size_t)t->copies << t->k));
    number = (uint32_t *)(void *)(node + t->n);
    total = nodes->total / unit;
    for (i = 0; i < nodes->n; i++) {
        uint64_t w = nodes->v[i].weight / unit;

        if (w == 0)
            continue;
        fill_node(&node[n], &nodes->v[i]);
        node[n].weight = w;
        node[n].lift = cwi_log_weight(w);
        node[n].cap = cap_of(p, w, total);
        node[n].number = i;
        number[n] = i;
        equal &= node[n].lift == node[0].lift;
        n++;
    }
    cwi_slots_deal(node, n, t->k, equal, owner, scratch);
    if (t->copies == 1)
        return;
    zones = number_zones(nodes, node, n, scratch);
    cwi_slots_roles(node, n, zones, t->k, t->copies, owner,
                    owner + ((size_t)1 << t->k), scratch);
}

/* ---- look-up ----------------------------------------------------------- */

static uint32_t
slots_find(const void *state, uint64_t at)
{
    const struct slots *t = state;

    return table_of(t)[at >> t->shift];
}

struct ranking {
    struct slots_shape       shape;
    const struct slots_node *node;
    uint32_t                 slot;
};

static int
ranks_before(const void *context, uint32_t a, uint32_t b)
{
    const struct ranking *r = context;

    return cwi_slots_before(
        &r->node[a], cwi_slots_rank(r->shape, &r->node[a], r->slot),
        &r->node[b], cwi_slots_rank(r->shape, &r->node[b], r->slot));
}

/* The owner, the other replicas, then all nodes by the slot's preference. */
static void
slots_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct slots *t = state;
    struct ranking      r;
    uint32_t            i;

    if (cwi_walk_visit(w, slots_find(state, at)))
        return;
    for (i = 0; i + 1 < t->copies; i++)
        if (cwi_walk_visit(w, others_of(t, at >> t->shift)[i]))
            return;
    r.shape = cwi_slots_shape(t->k);
    r.node = nodes_of(t);
    r.slot = (uint32_t)(at >> t->shift);
    cwi_rank_walk(ranks_before, &r, t->n, numbers_of(t), w);
}

static void
slots_arc(const void *state, uint64_t *cursor, uint64_t from, uint64_t *last,
          uint32_t *owner)
{
    const struct slots *t = state;
    const uint16_t     *table = table_of(t);
    uint64_t            slot = from >> t->shift, end;

    (void)cursor;
    end = slot;
    while (end >> t->k == 0 && table[end] == table[slot])
        end++;
    *owner = table[slot];
    /* For 64-bit hashes the last end is 2^64: then this is the largest one. */
    *last = (end << t->shift) - 1;
}

/* ---- check ------------------------------------------------------------- */

static const char *
check_node(const struct slots *t, uint32_t i, const struct cwi_nodes *nodes)
{
    const struct slots_node *node = &nodes_of(t)[i];
    struct slots_node        fresh;
    const uint16_t          *table = table_of(t);
    uint32_t                 load = 0, s;

    if (node->number >= nodes->n || nodes->v[node->number].weight == 0)
        return "slots: an entry is no active node";
    if (i > 0 && node->number <= nodes_of(t)[i - 1].number)
        return "slots: nodes are out of order";
    memset(&fresh, 0, sizeof(fresh));
    fill_node(&fresh, &nodes->v[node->number]);
    if (fresh.id != node->id || fresh.a != node->a || fresh.m1 != node->m1 ||
        fresh.m2 != node->m2 || fresh.m3 != node->m3 || fresh.m4 != node->m4)
        return "slots: constants are not those of the label";
    for (s = 0; s >> t->k == 0; s++)
        load += table[s] == node->number;
    return load <= node->cap ? NULL : "slots: a node holds more than its cap";
}

/* The nodes of slot s: active ones, no two of a zone. */
static const char *
check_slot(const struct slots *t, uint32_t s, const struct cwi_nodes *nodes)
{
    uint32_t set[SLOTS_COPIES], i, j;

    for (i = 0; i < t->copies; i++) {
        set[i] = i == 0 ? table_of(t)[s] : others_of(t, s)[i - 1];
        if (set[i] >= nodes->n || nodes->v[set[i]].weight == 0)
            return "slots: a slot's node is no active one";
        for (j = 0; j < i; j++)
            if (set[j] == set[i] || same_zone(&nodes->v[set[j]],
                                              &nodes->v[set[i]]))
                return "slots: two replicas are in one zone";
    }
    return NULL;
}

static const char *
slots_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct slots *t = state;
    const char         *rule = NULL;
    uint32_t            i, s;

    if (t->n != nodes->active)
        return "slots: entries are not the active nodes";
    if (t->copies == 0 || t->copies > SLOTS_COPIES)
        return "slots: more replicas than there can be";
    for (s = 0; s >> t->k == 0 && rule == NULL; s++)
        rule = check_slot(t, s, nodes);
    /* Counting is O(slots) a node: enough of them. */
    for (i = 0; i < t->n && rule == NULL; i += 1 + t->n / 64)
        rule = check_node(t, i, nodes);
    return rule;
}

const struct cwi_algo_ops cwi_algo_slots = {
    .name = "slots",
    .summary = "a table of slots, dealt by stable matching under a cap; "
               "one load a look-up",
    .source = "rendezvous (Thaler, Ravishankar 1998) under quotas (Gale, "
              "Shapley 1962)",
    .traits = CW_TRAIT_ORDER_FREE | CW_TRAIT_RESTORES | CW_TRAIT_WEIGHTED |
              CW_TRAIT_ARCS | CW_TRAIT_BALANCED,
    .options = slots_options,
    .plan = slots_plan,
    .build = slots_build,
    .find = slots_find,
    .walk = slots_walk,
    .arc = slots_arc,
    .check = CWI_UNLESS_PAGE(slots_check)
};
