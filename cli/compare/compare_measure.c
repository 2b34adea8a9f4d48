/* SPDX-License-Identifier: Apache-2.0 */
/* compare_measure.c - balance, movement, memory and time of every row. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/progress.h"
#include "cli/compare/compare.h"

#define SAMPLES     65536u      /* hashes, for rows without arcs            */
#define LOSSES      8u          /* nodes whose loss is tried                */
#define LOOKUPS     20000u      /* timed at once; best of ROUNDS            */
#define ROUNDS      5
#define NEW_NODE    "clockwise-compare-added-node"

struct work {
    struct compare  *c;
    struct progress  progress;
    uint64_t         steps;
    const cw_fleet  *fleet;
    bool             numbered;      /* its labels are bucket numbers        */
};

static uint64_t
sample_hash(uint64_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static cw_fleet *
copy_of(const cw_fleet *fleet)
{
    cw_fleet *copy = cw_fleet_copy(fleet);

    if (copy == NULL)
        mem_fail();
    return copy;
}

/* A map of a row with at most one option set; NULL and the reason. */
static cw_map *
map_of(const cw_fleet *fleet, const char *row, const char *option,
       const char *value, cw_error *err)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_map       *map = NULL;
    cw_status     status;

    if (p == NULL)
        mem_fail();
    status = cw_placement_set(p, "algorithm", row, err);
    if (status == CW_OK && option != NULL)
        status = cw_placement_set(p, option, value, err);
    if (status == CW_OK)
        status = cw_map_build(fleet, p, &map, err);
    cw_placement_free(p);
    if (status == CW_ENOMEM)
        mem_fail();
    return map;
}

/* ---- movement ----------------------------------------------------------- */

/* From the arcs: the library says all. */
static void
move_exact(const cw_map *old, const cw_map *new, struct compare_move *m)
{
    cw_diff *diff;
    uint32_t i;
    double   gave = 0;

    if (cw_diff_new(old, new, &diff) != CW_OK)
        mem_fail();
    m->moved = diff->moved;
    m->excess = diff->excess_churn;
    m->ideal = diff->ideal;
    for (i = 0; i < diff->node_count; i++) {
        const cw_diff_node *n = &diff->nodes[i];

        if (n->new_index != CW_NONE && n->new_fair > 0)
            continue;
        if (n->gave > gave) {
            gave = n->gave;
            m->receivers = n->receivers;
            m->largest = n->largest;
        }
    }
    cw_diff_free(diff);
}

static double
fair_of(const cw_map *map, uint32_t i, double total)
{
    cw_node node;

    if (i == CW_NONE)
        return 0;
    cw_map_node(map, i, &node);
    return (double)node.weight / total;
}

static double
total_of(const cw_map *map)
{
    double   total = 0;
    uint32_t i;
    cw_node  node;

    for (i = 0; i < cw_map_count(map); i++) {
        cw_map_node(map, i, &node);
        total += (double)node.weight;
    }
    return total;
}

static double
half_difference(double a, double b)
{
    return (a > b ? a - b : b - a) / 2;
}

/* What must move: half the sum of the differences of fair shares. Writes the
 * old number of each new node, and of each old node whether it is gone (0),
 * has another weight (1), or stays as it is (2). */
static double
pair_nodes(const cw_map *old, const cw_map *new, uint32_t *old_of,
           uint8_t *stays)
{
    double   old_total = total_of(old), new_total = total_of(new), ideal = 0;
    uint32_t i;

    memset(stays, 0, cw_map_count(old));
    for (i = 0; i < cw_map_count(new); i++) {
        cw_node a, b;

        cw_map_node(new, i, &a);
        old_of[i] = cw_map_find(old, a.name, a.name_len);
        ideal += half_difference(fair_of(new, i, new_total),
                                 fair_of(old, old_of[i], old_total));
        if (old_of[i] == CW_NONE)
            continue;
        cw_map_node(old, old_of[i], &b);
        stays[old_of[i]] = b.weight == a.weight ? 2 : 1;
    }
    for (i = 0; i < cw_map_count(old); i++)
        if (stays[i] == 0)
            ideal += half_difference(0, fair_of(old, i, old_total));
    return ideal;
}

/* Over hashes, for the other rows. */
static void
move_sampled(const cw_map *old, const cw_map *new, struct compare_move *m)
{
    uint32_t  n = cw_map_count(new), i, most = 0;
    uint32_t *old_of = mem_alloc(n, sizeof *old_of);
    uint32_t *taken = mem_alloc(n, sizeof *taken);
    uint8_t  *stays = mem_alloc(cw_map_count(old), 1);
    uint32_t  moved = 0, excess = 0, lost = 0;

    memset(taken, 0, n * sizeof *taken);
    m->ideal = pair_nodes(old, new, old_of, stays);
    for (i = 0; i < SAMPLES; i++) {
        uint64_t hash = sample_hash(i);
        uint32_t a = 0, b = 0;

        cw_map_owner_hash(old, hash, &a);
        cw_map_owner_hash(new, hash, &b);
        if (old_of[b] == a)
            continue;
        moved++;
        /* Neither changed: what moved between them need not have. */
        excess += stays[a] == 2 && old_of[b] != CW_NONE &&
                  stays[old_of[b]] == 2;
        if (stays[a] == 0) {
            lost++;
            taken[b]++;
        }
    }
    for (i = 0; i < n; i++) {
        m->receivers += taken[i] > 0;
        most = taken[i] > most ? taken[i] : most;
    }
    m->moved = (double)moved / SAMPLES;
    m->excess = (double)excess / SAMPLES;
    m->largest = lost ? (double)most / lost : 0;
    mem_free(old_of);
    mem_free(taken);
    mem_free(stays);
}

/* The row on a changed fleet; frees it. */
static struct compare_move
move_to(const struct compare_row *r, const cw_map *old, cw_fleet *fleet)
{
    struct compare_move m = { .known = false };
    cw_map             *new = map_of(fleet, r->row.name, r->option,
                                     r->value, NULL);
    uint32_t            owner;

    cw_fleet_free(fleet);
    if (new == NULL)
        return m;
    m.known = cw_map_owner_hash(new, 0, &owner) == CW_OK;
    if (m.known && r->exact)
        move_exact(old, new, &m);
    else if (m.known)
        move_sampled(old, new, &m);
    cw_map_unref(new);
    return m;
}

/* ---- the changes -------------------------------------------------------- */

static double
effort(const struct compare_move *m)
{
    return m->ideal > 0 ? m->moved / m->ideal : 0;
}

/* Nodes all over the list, one after the other. */
static void
lose_nodes(struct work *w, struct compare_row *r, const cw_map *old)
{
    uint32_t n = cw_fleet_count(w->fleet), tries = n < LOSSES ? n : LOSSES, i;
    uint32_t known = 0;

    for (i = 0; i < tries && n > 1; i++) {
        cw_fleet           *fleet = copy_of(w->fleet);
        struct compare_move m;
        cw_node             node;

        cw_fleet_node(fleet, (uint32_t)((uint64_t)i * n / tries), &node);
        cw_fleet_remove(fleet, node.name, node.name_len, NULL);
        m = move_to(r, old, fleet);
        if (!m.known)
            continue;
        known++;
        r->lose.moved += m.moved;
        r->lose.excess += m.excess;
        r->lose.ideal += m.ideal;
        r->lose.largest += m.largest;
        r->lose.receivers += m.receivers;
        if (known == 1 || effort(&m) > effort(&r->lose_worst))
            r->lose_worst = m;
        progress_tick(&w->progress, ++w->steps);
    }
    if (known == 0)
        return;
    r->lose.known = true;
    r->lose.moved /= known;
    r->lose.excess /= known;
    r->lose.ideal /= known;
    r->lose.largest /= known;
    r->lose.receivers /= known;
}

/* All nodes of the zone with the most of them. */
static cw_fleet *
without_zone(const cw_fleet *from)
{
    cw_fleet *fleet;
    uint32_t  n = cw_fleet_count(from), i, j, most = 0, best = 0, kept = 0;
    cw_node   a, b, zone;

    for (i = 0; i < n; i++) {
        uint32_t same = 0;

        cw_fleet_node(from, i, &a);
        for (j = 0; j < n && a.zone_len > 0; j++) {
            cw_fleet_node(from, j, &b);
            same += a.zone_len == b.zone_len &&
                    memcmp(a.zone, b.zone, a.zone_len) == 0;
        }
        if (same > most) {
            most = same;
            best = i;
        }
    }
    if (most == 0 || most == n)
        return NULL;
    fleet = copy_of(from);
    cw_fleet_node(from, best, &zone);
    while (kept < cw_fleet_count(fleet)) {
        cw_fleet_node(fleet, kept, &a);
        if (a.zone_len == zone.zone_len &&
            memcmp(a.zone, zone.zone, a.zone_len) == 0)
            cw_fleet_remove(fleet, a.name, a.name_len, NULL);
        else
            kept++;
    }
    return fleet;
}

static bool
add_node(const struct work *w, cw_fleet *fleet, uint64_t weight)
{
    char label[16];
    int  len = snprintf(label, sizeof label, "%u", cw_fleet_count(fleet));

    return cw_fleet_add(fleet, NEW_NODE, strlen(NEW_NODE), weight, NULL) ==
           CW_OK &&
           (!w->numbered ||
            cw_fleet_set_label(fleet, NEW_NODE, strlen(NEW_NODE), label,
                               (size_t)len, NULL) == CW_OK);
}

static void
change_fleet(struct work *w, struct compare_row *r, const cw_map *old)
{
    cw_fleet *fleet = copy_of(w->fleet);
    cw_node   node;
    uint32_t  i = 0;

    do      /* of the fleet that stays: the copies go */
        cw_fleet_node(w->fleet, i, &node);
    while (node.weight == 0 && ++i < cw_fleet_count(w->fleet));
    if (add_node(w, fleet, node.weight))
        r->add = move_to(r, old, fleet);
    else
        cw_fleet_free(fleet);
    progress_tick(&w->progress, ++w->steps);
    lose_nodes(w, r, old);
    fleet = copy_of(w->fleet);
    if (r->row.traits & CW_TRAIT_WEIGHTED &&
        cw_fleet_set_weight(fleet, node.name, node.name_len,
                            2 * node.weight, NULL) == CW_OK)
        r->reweigh = move_to(r, old, fleet);
    else
        cw_fleet_free(fleet);
    progress_tick(&w->progress, ++w->steps);
    fleet = without_zone(w->fleet);
    if (fleet != NULL)
        r->zone = move_to(r, old, fleet);
}

/* ---- time --------------------------------------------------------------- */

static double
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Best of a few: the rest is what else the machine did. */
static double
time_lookup(const cw_map *map)
{
    double   best = 1e18;
    uint64_t i, n = LOOKUPS;
    uint32_t owner;
    int      round;

    for (round = 0; round < ROUNDS; round++) {
        double start = now_ns(), took;

        for (i = 0; i < n; i++)
            cw_map_owner_hash(map, sample_hash(i), &owner);
        took = (now_ns() - start) / (double)n;
        best = took < best ? took : best;
        /* A row that visits all nodes needs no more to be timed well. */
        if (took * (double)n > 2e7)
            n = LOOKUPS / 10;
    }
    return best;
}

static double
time_build(struct work *w, const char *row)
{
    double best = 1e18;
    int    round;

    for (round = 0; round < 3; round++) {
        double  start = now_ns(), took;
        cw_map *map = map_of(w->fleet, row, NULL, NULL, NULL);

        took = now_ns() - start;
        cw_map_unref(map);
        best = took < best ? took : best;
    }
    return best / 1e6;
}

/* A look-up among n equal nodes; 0 when the row takes no such fleet. */
static double
time_size(const char *row, uint32_t n)
{
    cw_fleet *fleet = compare_fleet(n);
    cw_map   *map = map_of(fleet, row, NULL, NULL, NULL);
    double    ns = map != NULL ? time_lookup(map) : 0;

    cw_map_unref(map);
    cw_fleet_free(fleet);
    return ns;
}

/* ---- rows --------------------------------------------------------------- */

static cw_balance
balance_of(const cw_map *map, cw_basis *basis)
{
    cw_shares *shares;
    cw_balance b;

    if (cw_shares_new(map, &shares) != CW_OK)
        mem_fail();
    b = shares->balance;
    if (basis != NULL)
        *basis = shares->basis;
    cw_shares_free(shares);
    return b;
}

static void
measure_row(struct work *w, struct compare_row *r)
{
    cw_error err = { CW_OK, "" };
    cw_map  *map = map_of(w->fleet, r->row.name, r->option, r->value, &err);

    r->works = map != NULL;
    if (!r->works) {
        memcpy(r->why, err.text, sizeof r->why);
        return;
    }
    r->balance = balance_of(map, &r->basis);
    r->exact = (r->row.traits & CW_TRAIT_ARCS) != 0;
    r->points = cw_map_points(map);
    r->bytes = cw_map_bytes(map);
    change_fleet(w, r, map);
    if (w->c->timed) {
        r->build_ms = time_build(w, r->row.name);
        r->lookup_ns = time_lookup(map);
        r->ns_10 = time_size(r->row.name, 10);
        r->ns_10000 = time_size(r->row.name, 10000);
        progress_tick(&w->progress, ++w->steps);
    }
    cw_map_unref(map);
}

/* A row whose labels are bucket numbers gets such, and a free one for the
 * node that is added: what a fleet file of it would say. */
static void
measure_stable(struct work *w, struct compare_row *r)
{
    const cw_fleet *fleet = w->fleet;
    cw_fleet       *numbered = copy_of(fleet);
    uint32_t        i;

    for (i = 0; i < cw_fleet_count(numbered); i++) {
        char    label[16];
        int     len = snprintf(label, sizeof label, "%u", i);
        cw_node node;

        cw_fleet_node(numbered, i, &node);
        if (cw_fleet_set_label(numbered, node.name, node.name_len, label,
                               (size_t)len, NULL) != CW_OK)
            mem_fail();
    }
    r->option = "buckets";
    snprintf(r->value, sizeof r->value, "%u", i + 1);
    w->fleet = numbered;
    w->numbered = true;
    measure_row(w, r);
    w->numbered = false;
    w->fleet = fleet;
    cw_fleet_free(numbered);
}

static void
measure_ring(struct work *w)
{
    static const unsigned points[COMPARE_SWEEP] = {
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000
    };
    struct compare *c = w->c;
    cw_row          hash;
    unsigned        i;

    for (i = 0; i < COMPARE_SWEEP; i++) {
        char    text[16];
        cw_map *map;

        snprintf(text, sizeof text, "%u", points[i]);
        map = map_of(w->fleet, "ring", "points", text, NULL);
        if (map == NULL)
            break;
        c->sweep[c->sweeps].points = points[i];
        c->sweep[c->sweeps++].balance = balance_of(map, NULL);
        cw_map_unref(map);
        progress_tick(&w->progress, ++w->steps);
    }
    for (i = 0; c->hashes < COMPARE_HASHES &&
                cw_table_row(CW_TABLE_HASHES, i, &hash) == CW_OK; i++) {
        cw_map *map = hash.keyed ? NULL : map_of(w->fleet, "ring", "hash",
                                                 hash.name, NULL);

        if (map == NULL)
            continue;
        c->hash[c->hashes].name = hash.name;
        c->hash[c->hashes++].balance = balance_of(map, NULL);
        cw_map_unref(map);
    }
}

static const struct compare_row *
row_named(const struct compare *c, const char *name)
{
    unsigned i;

    for (i = 0; i < c->rows; i++)
        if (strcmp(c->row[i].row.name, name) == 0)
            return c->row[i].works ? &c->row[i] : NULL;
    return NULL;
}

static void
choose(struct compare *c)
{
    const struct compare_row *slots = row_named(c, "slots");

    if (slots != NULL && c->lightest * 262144 >= 64 &&
        slots->add.excess <= 0.05 * slots->add.ideal) {
        c->choice = "slots";
        c->reason = "its load is bounded, the order and history of the nodes "
                    "do not matter, any node may leave, and a look-up is one "
                    "load; of what must move, little more does. The bound is "
                    "on keys, not on traffic, and there is none for the "
                    "idlest node. If no key may ever move between two nodes "
                    "that did not change, take \"rendezvous\" (up to some "
                    "ten nodes) or \"ring\"; \"ring\" also for clients that "
                    "have one already, a fleet that may grow a hundredfold, "
                    "many changes a second, or keys that are ranges; "
                    "\"maglev\" if even shares matter more than moves; if "
                    "the fleet never changes, \"modulo\" is enough; if keys "
                    "are few and placed by hand, keep a directory";
        return;
    }
    c->choice = "ring";
    c->reason = "the lightest node would have fewer than 64 slots, too few "
                "for an even table: points of its own keep it fair and no key "
                "moves between nodes that did not change. More points level "
                "the shares";
}

cw_fleet *
compare_fleet(uint32_t n)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    uint32_t  i;

    for (i = 0; fleet != NULL && i < n; i++) {
        char name[32];
        int  len = snprintf(name, sizeof name, "node-%u", i + 1);

        if (cw_fleet_add(fleet, name, (size_t)len, CW_WEIGHT_ONE, NULL) !=
            CW_OK)
            mem_fail();
    }
    if (fleet == NULL)
        mem_fail();
    return fleet;
}

void
compare_measure(struct compare *c, const cw_fleet *fleet, bool timed)
{
    struct work w = { .c = c, .fleet = fleet };
    double      total = 0, least = 0;
    uint64_t    first = 0;
    uint32_t    i;

    memset(c, 0, sizeof *c);
    c->nodes = cw_fleet_count(fleet);
    c->timed = timed;
    c->equal = true;
    for (i = 0; i < c->nodes; i++) {
        cw_node node;

        cw_fleet_node(fleet, i, &node);
        if (node.weight == 0)
            continue;
        first = first ? first : node.weight;
        c->equal = c->equal && node.weight == first;
        total += (double)node.weight;
        if (c->active++ == 0 || (double)node.weight < least)
            least = (double)node.weight;
    }
    c->lightest = total > 0 ? least / total : 0;
    if (c->active == 0)
        return;
    progress_start(&w.progress, "measurements");
    while (c->rows < COMPARE_ROWS &&
           cw_table_row(CW_TABLE_ALGORITHMS, c->rows,
                        &c->row[c->rows].row) == CW_OK) {
        struct compare_row *r = &c->row[c->rows++];

        if (strcmp(r->row.name, "stable-jump") == 0)
            measure_stable(&w, r);
        else if (strcmp(r->row.name, "directory") == 0)
            snprintf(r->why, sizeof r->why, "its entries decide, and there "
                     "are none to measure");
        else
            measure_row(&w, r);
    }
    measure_ring(&w);
    progress_end(&w.progress);
    choose(c);
}
