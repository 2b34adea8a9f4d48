/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_diff.c - what moves between two maps: worked by hand on a ring of
 * 100, by brute force on random small rings, and on each of the three bases.
 */
#include <math.h>

#include "harness.h"
#include "ref/ref_ring.h"

static ref_u128
wide(cw_u128 n)
{
    return (ref_u128)n.hi << 64 | n.lo;
}

static int
near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static cw_map *
worked_map(int with_d)
{
    static const struct {
        const char *name;
        uint64_t    at[3];
    } nodes[] = {
        { "A", { 5, 42, 71 } }, { "B", { 18, 55, 88 } },
        { "C", { 30, 63, 95 } }, { "D", { 20, 50, 80 } },
    };
    cw_fleet *fleet = fleet_of(with_d ? "A,B,C,D" : "A,B,C");
    cw_placement *p = placement_of("size=100");
    cw_map *map;

    for (int i = 0; i < 3 + with_d; i++)
        CHECK_OK(cw_fleet_set_positions(fleet, nodes[i].name, 1, nodes[i].at,
                                        3, NULL));
    map = map_of(fleet, p);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

struct arcs {
    cw_arc list[64];
    int    n, stop_after;
};

static int
keep_arc(void *context, const cw_arc *arc)
{
    struct arcs *arcs = context;

    CHECK(arcs->n < (int)COUNT(arcs->list), "too many arcs");
    arcs->list[arcs->n++] = *arc;
    return arcs->n == arcs->stop_after ? -3 : 0;
}

/* D takes (18,20] from C, (42,50] and (71,80] from B. */
static void
the_worked_ring_of_the_text_books(void **state)
{
    static const struct {
        uint64_t first, last;
        const char *from;
    } want[] = { { 19, 20, "C" }, { 43, 50, "B" }, { 72, 80, "B" } };
    cw_map *old = worked_map(0), *new = worked_map(1);
    struct arcs arcs = { .stop_after = -1 };
    cw_diff *d = NULL;
    int stopped = 5;

    (void)state;
    CHECK_OK(cw_diff_new(old, new, &d));
    CHECK(d->basis == CW_EXACT && d->samples == 0, "basis");
    CHECK(wide(d->size) == 100 && wide(d->moved_num) == 19, "moved %" PRIu64,
          d->moved_num.lo);
    CHECK(near(d->moved, 0.19) && near(d->ideal, 0.25), "%g %g", d->moved,
          d->ideal);
    CHECK(d->excess_churn == 0.0, "excess churn %g", d->excess_churn);
    CHECK(d->node_count == 4 && d->flow_count == 2, "%" PRIu32 " nodes, %"
          PRIu32 " flows", d->node_count, d->flow_count);
    CHECK(strcmp(d->nodes[d->flows[0].from].node.name, "B") == 0 &&
          strcmp(d->nodes[d->flows[0].to].node.name, "D") == 0 &&
          wide(d->flows[0].num) == 17 && near(d->flows[0].part, 0.17),
          "first flow");
    CHECK(strcmp(d->nodes[d->flows[1].from].node.name, "C") == 0 &&
          wide(d->flows[1].num) == 2, "second flow");
    CHECK_OK(cw_diff_arcs(old, new, keep_arc, &arcs, &stopped));
    CHECK(arcs.n == 3 && stopped == 0, "%d arcs, stopped %d", arcs.n, stopped);
    for (int i = 0; i < arcs.n; i++)
        CHECK(arcs.list[i].first == want[i].first &&
              arcs.list[i].last == want[i].last &&
              strcmp(node_name(old, arcs.list[i].from), want[i].from) == 0 &&
              strcmp(node_name(new, arcs.list[i].to), "D") == 0,
              "arc %d: %" PRIu64 "..%" PRIu64, i, arcs.list[i].first,
              arcs.list[i].last);
    arcs = (struct arcs){ .stop_after = 1 };
    CHECK_OK(cw_diff_arcs(old, new, keep_arc, &arcs, &stopped));
    CHECK(arcs.n == 1 && stopped == -3, "%d arcs, stopped %d", arcs.n,
          stopped);
    cw_diff_free(d);
    cw_diff_free(NULL);
    cw_map_unref(old);
    cw_map_unref(new);
}

static const cw_diff_node *
node_of(const cw_diff *d, const char *name)
{
    for (uint32_t i = 0; i < d->node_count; i++)
        if (strcmp(d->nodes[i].node.name, name) == 0)
            return &d->nodes[i];
    CHECK(0, "the difference has no node %s", name);
    return NULL;
}

static void
nodes_tell_what_they_gave_and_took(void **state)
{
    cw_map *old = worked_map(1), *new = worked_map(0);
    cw_diff *d = NULL;
    const cw_diff_node *n;

    (void)state;
    CHECK_OK(cw_diff_new(old, new, &d));
    n = node_of(d, "D");
    CHECK(n->old_index == cw_map_find(old, "D", 1) && n->new_index == CW_NONE,
          "numbers of D");
    CHECK(near(n->old_share, 0.19) && n->new_share == 0.0, "shares of D");
    CHECK(near(n->old_fair, 0.25) && n->new_fair == 0.0, "fair shares of D");
    CHECK(near(n->gave, 0.19) && n->took == 0.0, "gave %g", n->gave);
    CHECK(n->receivers == 2 && near(n->largest, 17.0 / 19.0), "%" PRIu32
          " receivers, largest %g", n->receivers, n->largest);
    n = node_of(d, "B");
    CHECK(near(n->took, 0.17) && n->gave == 0.0 && n->receivers == 0 &&
          n->largest == 0.0, "B took %g", n->took);
    CHECK(near(n->old_share, 0.26) && near(n->new_share, 0.43), "B: %g %g",
          n->old_share, n->new_share);
    n = node_of(d, "A");
    CHECK(n->took == 0.0 && n->gave == 0.0, "A");
    cw_diff_free(d);
    cw_map_unref(old);
    cw_map_unref(new);
}

/* ---- random small rings by brute force --------------------------------- */

static void
random_positions(struct rng *rng, cw_fleet *fleet, const char *name,
                 uint64_t size)
{
    uint64_t at[5];
    uint32_t n = 1 + (uint32_t)rng_below(rng, COUNT(at));

    for (uint32_t i = 0; i < n; i++)
        at[i] = rng_below(rng, size);
    CHECK_OK(cw_fleet_set_positions(fleet, name, strlen(name), at, n, NULL));
}

/* One or two changes to a fleet of nodes a..f. */
static void
change(struct rng *rng, cw_fleet *fleet, uint64_t size)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f" };

    for (uint64_t i = 1 + rng_below(rng, 3); i > 0; i--) {
        const char *name = names[rng_below(rng, COUNT(names))];
        cw_node node;

        if (cw_fleet_find(fleet, name, 1, &node) != CW_OK) {
            fleet_add(fleet, name, CW_WEIGHT_ONE);
            random_positions(rng, fleet, name, size);
        } else if (rng_below(rng, 2)) {
            random_positions(rng, fleet, name, size);
        } else if (cw_fleet_count(fleet) > 1) {
            CHECK_OK(cw_fleet_remove(fleet, name, 1, NULL));
        }
    }
}

static uint32_t
ref_number(const struct ref_ring *ring, const char *name)
{
    for (uint32_t i = 0; i < ring->node_count; i++)
        if (strcmp(ring->nodes[i].name, name) == 0)
            return i;
    return CW_NONE;
}

static void
agrees(const cw_map *old, const cw_map *new, const struct ref_ring *a,
       const struct ref_ring *b)
{
    struct arcs arcs = { .stop_after = -1 };
    ref_u128 flows = 0, in_arcs = 0;
    cw_diff *d = NULL;

    CHECK_OK(cw_diff_new(old, new, &d));
    CHECK(d->basis == CW_EXACT, "basis %d", (int)d->basis);
    CHECK(wide(d->moved_num) == ref_moved(a, b), "moved %" PRIu64 ", not %"
          PRIu64, d->moved_num.lo, (uint64_t)ref_moved(a, b));
    for (uint32_t i = 0; i < d->flow_count; i++) {
        const cw_flow *f = &d->flows[i];
        const char *from = d->nodes[f->from].node.name;
        const char *to = d->nodes[f->to].node.name;
        ref_u128 want = ref_flow(a, ref_number(a, from), b, ref_number(b, to));

        CHECK(f->from != f->to, "a flow to itself");
        CHECK(wide(f->num) == want && want > 0, "%s to %s: %" PRIu64
              ", not %" PRIu64, from, to, f->num.lo, (uint64_t)want);
        CHECK(i == 0 || wide(f->num) <= wide(f[-1].num), "not largest first");
        flows += want;
    }
    CHECK(flows == wide(d->moved_num), "flows do not add up");
    CHECK_OK(cw_diff_arcs(old, new, keep_arc, &arcs, NULL));
    for (int i = 0; i < arcs.n; i++) {
        in_arcs += arcs.list[i].last - arcs.list[i].first + 1;
        CHECK(i == 0 || arcs.list[i].first > arcs.list[i - 1].last, "order");
        CHECK(i == 0 || arcs.list[i].first != arcs.list[i - 1].last + 1 ||
              arcs.list[i].from != arcs.list[i - 1].from ||
              arcs.list[i].to != arcs.list[i - 1].to, "an arc in two parts");
        for (uint64_t at = arcs.list[i].first; at <= arcs.list[i].last; at++)
            CHECK(strcmp(a->nodes[ref_owner(a, at)].name,
                         node_name(old, arcs.list[i].from)) == 0 &&
                  strcmp(b->nodes[ref_owner(b, at)].name,
                         node_name(new, arcs.list[i].to)) == 0,
                  "position %" PRIu64, at);
    }
    CHECK(in_arcs == wide(d->moved_num), "arcs do not add up");
    cw_diff_free(d);
}

static void
random_small_rings_by_brute_force(void **state)
{
    struct rng rng = { test_seed() };

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint64_t size = 2 + rng_below(&rng, 100);
        cw_fleet *fleet = fleet_of("a,b,c,d");
        char options[40];
        cw_placement *p;
        struct ref_ring *a, *b;
        cw_map *old, *new;

        (void)snprintf(options, sizeof options, "size=%" PRIu64, size);
        p = placement_of(options);
        for (int i = 0; i < 4; i++)
            random_positions(&rng, fleet, &"a\0b\0c\0d"[2 * i], size);
        old = map_of(fleet, p);
        a = ref_ring_new(fleet, "xxh3", 160, size - 1);
        change(&rng, fleet, size);
        new = map_of(fleet, p);
        b = ref_ring_new(fleet, "xxh3", 160, size - 1);
        agrees(old, new, a, b);
        agrees(new, old, b, a);
        agrees(old, old, a, a);
        ref_ring_free(a);
        ref_ring_free(b);
        cw_map_unref(old);
        cw_map_unref(new);
        cw_placement_free(p);
        cw_fleet_free(fleet);
    }
}

/* ---- ideal, churn ------------------------------------------------------ */

static const struct {
    const char *old, *new, *options;
    double      ideal;
    int         churn;      /* 0: none at all; 1: some                      */
} changes[] = {
    { "a,b,c", "a,b,c", "", 0.0, 0 },
    { "a,b,c", "c,b,a", "", 0.0, 0 },
    { "a,b,c", "a,b,c,d", "", 0.25, 0 },
    { "a,b,c,d", "a,b,d", "", 0.25, 0 },
    { "a,b", "a,b=3", "", 0.25, 0 },
    { "a,b=3", "a,b", "", 0.25, 0 },
    { "a,b,c", "a,b,x", "", 1.0 / 3.0, 0 },
    { "a,b", "c,d", "", 1.0, 0 },
    { "a,b=0", "a,b", "", 0.5, 0 },
    { "a,b,c", "a,b,c,d", "algorithm=modulo", 0.25, 1 },
    { "a,b,c,d", "b,c,d", "algorithm=jump", 0.25, 1 },
    { "a,b,c", "a,b,c,d", "algorithm=jump", 0.25, 0 },
    { "a,b,c", "a,b,c,d", "algorithm=rendezvous", 0.25, 0 },
    { "a,b=2,c", "a,b=2,c,d=4", "algorithm=rendezvous", 0.5, 0 },
};

static void
ideal_and_excess_churn(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        cw_map *old = map_of_spec(changes[i].old, changes[i].options);
        cw_map *new = map_of_spec(changes[i].new, changes[i].options);
        cw_diff *d = NULL;

        CHECK_OK(cw_diff_new(old, new, &d));
        CHECK(near(d->ideal, changes[i].ideal), "%s to %s %s: ideal %g",
              changes[i].old, changes[i].new, changes[i].options, d->ideal);
        CHECK((d->excess_churn > 0.0) == changes[i].churn,
              "%s to %s %s: excess churn %g", changes[i].old, changes[i].new,
              changes[i].options, d->excess_churn);
        CHECK(d->excess_churn <= d->moved + 1e-12, "churn %g of moved %g",
              d->excess_churn, d->moved);
        CHECK(d->moved >= 0.0 && d->moved <= 1.0, "moved %g", d->moved);
        cw_diff_free(d);
        cw_map_unref(old);
        cw_map_unref(new);
    }
}

/* Modulo 3 to 4: of 12 rests 3 stay; of the 9 that move, 3 go to the new
 * node and 6 between old ones. */
static void
modulo_from_three_to_four(void **state)
{
    cw_map *old = map_of_spec("a,b,c", "algorithm=modulo");
    cw_map *new = map_of_spec("a,b,c,d", "algorithm=modulo");
    cw_diff *d = NULL;
    double slack = 1e-9;

    (void)state;
    CHECK_OK(cw_diff_new(old, new, &d));
    if (d->basis == CW_SAMPLED) {
        CHECK(d->samples == UINT64_C(1) << 20, "%" PRIu64 " samples",
              d->samples);
        slack = 5.0 * sqrt(0.75 * 0.25 / (double)d->samples);
    }
    CHECK(fabs(d->moved - 0.75) < slack, "moved %.6f", d->moved);
    CHECK(fabs(d->excess_churn - 0.5) < slack, "churn %.6f",
          d->excess_churn);
    cw_diff_free(d);
    cw_map_unref(old);
    cw_map_unref(new);
}

/* ---- the other bases --------------------------------------------------- */

static void
different_key_hashes_are_independent(void **state)
{
    cw_map *old = map_of_spec("a,b=2,c", "hash=xxh3");
    cw_map *new = map_of_spec("b,c,d", "hash=xxh64");
    cw_shares *s = NULL, *t = NULL;
    struct arcs arcs = { .stop_after = -1 };
    cw_diff *d = NULL;
    double stays = 0;

    (void)state;
    CHECK_OK(cw_shares_new(old, &s));
    CHECK_OK(cw_shares_new(new, &t));
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t j = cw_map_find(new, node_name(old, i), 1);

        stays += j == CW_NONE ? 0.0 : s->part[i] * t->part[j];
    }
    CHECK_OK(cw_diff_new(old, new, &d));
    CHECK(d->basis == CW_INDEPENDENT && wide(d->moved_num) == 0, "basis %d",
          (int)d->basis);
    CHECK(near(d->moved, 1.0 - stays), "moved %g, not %g", d->moved,
          1.0 - stays);
    CHECK(cw_diff_arcs(old, new, keep_arc, &arcs, NULL) == CW_ENOTSUP,
          "arcs of two hashes");
    cw_diff_free(d);
    cw_shares_free(s);
    cw_shares_free(t);
    cw_map_unref(old);
    cw_map_unref(new);
}

static void
rows_without_arcs_are_sampled(void **state)
{
    cw_map *old = map_of_spec("a,b,c,d", "algorithm=rendezvous");
    cw_map *new = map_of_spec("a,b,c,d,e", "algorithm=rendezvous");
    struct arcs arcs = { .stop_after = -1 };
    cw_diff *d = NULL;
    ref_u128 flows = 0;

    (void)state;
    CHECK_OK(cw_diff_new(old, new, &d));
    CHECK(d->basis == CW_SAMPLED, "basis %d", (int)d->basis);
    CHECK(d->samples > 0 && wide(d->size) == d->samples, "%" PRIu64
          " samples", d->samples);
    CHECK(fabs(d->moved - 0.2) <
          5.0 * sqrt(0.2 * 0.8 / (double)d->samples), "moved %g", d->moved);
    for (uint32_t i = 0; i < d->flow_count; i++) {
        flows += wide(d->flows[i].num);
        CHECK(strcmp(d->nodes[d->flows[i].to].node.name, "e") == 0, "to %s",
              d->nodes[d->flows[i].to].node.name);
    }
    CHECK(flows == wide(d->moved_num), "flows do not add up");
    CHECK(cw_diff_arcs(old, new, keep_arc, &arcs, NULL) == CW_ENOTSUP,
          "arcs of rendezvous");
    cw_diff_free(d);
    cw_map_unref(old);
    cw_map_unref(new);
}

static const struct {
    const char *empty, *full;
    cw_basis    basis;
} empties[] = {
    { "", "", CW_EXACT },
    { "size=100", "size=100", CW_EXACT },
    { "hash=fnv1a_32", "hash=fnv1a_32", CW_EXACT },
    { "hash=xxh64", "hash=xxh3", CW_EXACT },
    { "", "compat=ketama160", CW_EXACT },
    { "algorithm=rendezvous", "algorithm=rendezvous", CW_EXPECTED },
};

static void
from_and_to_an_empty_map(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(empties); k++) {
        cw_map *empty = map_of_spec("a=0", empties[k].empty);
        cw_map *full = map_of_spec("a,b", empties[k].full);
        cw_diff *d = NULL;
        double sum = 0;

        CHECK_OK(cw_diff_new(empty, full, &d));
        CHECK(d->basis == empties[k].basis, "case %zu: basis %d", k,
              (int)d->basis);
        CHECK(d->node_count == 2 && d->flow_count == 2, "case %zu: %" PRIu32
              " nodes, %" PRIu32 " flows", k, d->node_count, d->flow_count);
        for (uint32_t i = 0; i < d->flow_count; i++) {
            CHECK(d->flows[i].from == CW_NONE && d->flows[i].to != CW_NONE,
                  "case %zu: flow %" PRIu32, k, i);
            sum += d->flows[i].part;
        }
        CHECK(near(sum, 1.0) && near(d->moved, 1.0) && near(d->ideal, 1.0) &&
              d->excess_churn == 0.0, "case %zu: moved %g, ideal %g", k,
              d->moved, d->ideal);
        CHECK(wide(d->moved_num) == wide(d->size), "case %zu: size", k);
        cw_diff_free(d);
        CHECK_OK(cw_diff_new(full, empty, &d));
        for (uint32_t i = 0; i < d->flow_count; i++)
            CHECK(d->flows[i].to == CW_NONE && d->flows[i].from != CW_NONE,
                  "case %zu: flow %" PRIu32, k, i);
        CHECK(near(d->moved, 1.0), "case %zu: moved %g", k, d->moved);
        cw_diff_free(d);
        CHECK_OK(cw_diff_new(empty, empty, &d));
        CHECK(d->moved == 0.0 && d->flow_count == 0, "moved %g", d->moved);
        cw_diff_free(d);
        cw_map_unref(empty);
        cw_map_unref(full);
    }
}

static uint32_t
receivers_of_one(const char *options, double *largest)
{
    cw_map *old = map_of_spec("a,b,c,d,e,f,g,h,i,j", options);
    cw_map *new = map_of_spec("a,b,c,d,e,g,h,i,j", options);
    cw_diff *d = NULL;
    uint32_t n;

    CHECK_OK(cw_diff_new(old, new, &d));
    n = node_of(d, "f")->receivers;
    *largest = node_of(d, "f")->largest;
    cw_diff_free(d);
    cw_map_unref(old);
    cw_map_unref(new);
    return n;
}

static void
receivers_of_a_lost_node(void **state)
{
    double largest = 0;

    (void)state;
    CHECK(receivers_of_one("points=160", &largest) == 9, "160 points");
    CHECK(largest > 1.0 / 9.0 && largest < 0.5, "largest %g", largest);
    CHECK(receivers_of_one("points=1", &largest) == 1, "one point");
    CHECK(largest == 1.0, "largest %g", largest);
}

/* A rename keeps the label, so the points, so the keys: one and the same node
 * before and after. When the points follow the name it is another node. */
static void
a_renamed_node_is_the_same_until_its_label_changes(void **state)
{
    cw_fleet *fleet = fleet_of("a,b,c");
    cw_map *old = map_of(fleet, NULL), *new;
    const cw_diff_node *z;
    cw_diff *d = NULL;

    (void)state;
    CHECK_OK(cw_fleet_rename(fleet, "b", 1, "z", 1, NULL));
    new = map_of(fleet, NULL);
    CHECK_OK(cw_diff_new(old, new, &d));
    CHECK(d->flow_count == 0 && d->moved == 0.0 && d->node_count == 3,
          "%" PRIu32 " flows, moved %g", d->flow_count, d->moved);
    z = node_of(d, "z");
    CHECK(z->old_index == cw_map_find(old, "b", 1) &&
          z->new_index == cw_map_find(new, "z", 1), "z is not b");
    CHECK(z->old_share == z->new_share, "share %g", z->new_share);
    cw_diff_free(d);
    cw_map_unref(new);

    CHECK_OK(cw_fleet_set_label(fleet, "z", 1, NULL, 0, NULL));
    new = map_of(fleet, NULL);
    d = NULL;
    CHECK_OK(cw_diff_new(old, new, &d));
    CHECK(d->node_count == 4 && d->excess_churn == 0.0,
          "%" PRIu32 " nodes, churn %g", d->node_count, d->excess_churn);
    CHECK(near(node_of(d, "b")->gave, node_of(d, "b")->old_share) &&
          near(node_of(d, "z")->took, node_of(d, "z")->new_share),
          "moved %g", d->moved);
    cw_diff_free(d);
    cw_map_unref(old);
    cw_map_unref(new);
    cw_fleet_free(fleet);
}

/* One node is renamed and its name given to a new one: the name counts. */
static void
a_name_goes_before_a_label(void **state)
{
    cw_fleet *fleet = fleet_of("a,b,c");
    cw_map *old = map_of(fleet, NULL), *new;
    cw_diff *d = NULL;

    (void)state;
    CHECK_OK(cw_fleet_rename(fleet, "b", 1, "z", 1, NULL));
    fleet_add(fleet, "b", CW_WEIGHT_ONE);
    CHECK_OK(cw_fleet_set_label(fleet, "b", 1, "new", 3, NULL));
    new = map_of(fleet, NULL);
    CHECK_OK(cw_diff_new(old, new, &d));
    CHECK(node_of(d, "b")->old_index == cw_map_find(old, "b", 1) &&
          node_of(d, "z")->old_index == CW_NONE, "z is taken for b");
    CHECK(near(node_of(d, "z")->took, node_of(d, "z")->new_share),
          "z took %g", node_of(d, "z")->took);
    cw_diff_free(d);
    cw_map_unref(old);
    cw_map_unref(new);
    cw_fleet_free(fleet);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_worked_ring_of_the_text_books),
        TEST(nodes_tell_what_they_gave_and_took),
        TEST(random_small_rings_by_brute_force),
        TEST(ideal_and_excess_churn),
        TEST(modulo_from_three_to_four),
        TEST(different_key_hashes_are_independent),
        TEST(rows_without_arcs_are_sampled),
        TEST(from_and_to_an_empty_map),
        TEST(receivers_of_a_lost_node),
        TEST(a_renamed_node_is_the_same_until_its_label_changes),
        TEST(a_name_goes_before_a_label),
    };

    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
