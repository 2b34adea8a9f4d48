/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_slots_roles.c - replicas of "slots": what is promised of the roles of
 * nodes, and what was measured (docs/formats/slots.md section 5). The vectors
 * are in tests/golden/slots.
 */
#include "algo_rig.h"

#include <math.h>

#include "clockwise/clockwise_live.h"

enum { ZONES_MAX = 16, NODES_MAX = 128, SLOTS_LOG2 = 16, COPIES_MAX = 8 };

/* Nodes 0 .. n - 1 of weight 1 + i mod `weights`, by zone. */
struct plan {
    unsigned sizes[ZONES_MAX];  /* nodes of each zone; ends with 0          */
    unsigned weights;
    unsigned more;              /* zone that gets one more node, + 1        */
    unsigned less;              /* 1: without the first node                */
};

struct fleet {
    unsigned n, zones;
    unsigned zone[NODES_MAX];
    double   weight[NODES_MAX];
    double   target[NODES_MAX];         /* roles of all slots               */
};

static void
add_node(struct fleet *f, cw_fleet *out, unsigned zone, unsigned i,
         unsigned weights, const struct plan *p)
{
    char     name[16], in[16];
    unsigned weight = 1 + i % weights;

    (void)snprintf(name, sizeof(name), "node-%u", i);
    (void)snprintf(in, sizeof(in), "zone-%u", zone);
    f->zone[f->n] = zone;
    f->weight[f->n++] = weight;
    if (p->less && i == 0) {            /* it stays in `f` with no weight */
        f->weight[f->n - 1] = 0;
        return;
    }
    assert_int_equal(cw_fleet_add(out, name, strlen(name),
                                  weight * CW_WEIGHT_ONE, NULL), CW_OK);
    assert_int_equal(cw_fleet_set_zone(out, name, strlen(name), in,
                                       strlen(in), NULL), CW_OK);
}

/* Water-filled: no zone has more than one role a slot. */
static void
set_targets(struct fleet *f, unsigned copies, double slots)
{
    double   weight[ZONES_MAX] = { 0 }, rest, left;
    int      forced[ZONES_MAX] = { 0 }, again = 1;
    unsigned i;

    for (i = 0; i < f->n; i++)
        weight[f->zone[i]] += f->weight[i];
    while (again) {
        again = 0;
        rest = 0;
        left = copies;
        for (i = 0; i < f->zones; i++) {
            rest += forced[i] ? 0 : weight[i];
            left -= forced[i];
        }
        for (i = 0; i < f->zones; i++)
            if (!forced[i] && weight[i] * left > rest)
                forced[i] = again = 1;
    }
    for (i = 0; i < f->n; i++)
        f->target[i] = slots * f->weight[i] *
                       (forced[f->zone[i]] ? 1 / weight[f->zone[i]]
                                           : left / rest);
}

static cw_map *
map_of_plan(const struct plan *p, unsigned copies, unsigned k,
            struct fleet *f)
{
    cw_fleet   *out = cw_fleet_new(NULL);
    char        size[16], count[16];
    const char *options[] = { "algorithm", "slots", "slots", size,
                              "replicas", count, NULL };
    unsigned    i, z, n = 0;

    assert_non_null(out);
    memset(f, 0, sizeof(*f));
    for (z = 0; p->sizes[z] > 0; z++)
        for (i = 0; i < p->sizes[z]; i++)
            add_node(f, out, z, n++, p->weights, p);
    f->zones = z;
    if (p->more > 0)
        add_node(f, out, p->more - 1, n, p->weights, p);
    (void)snprintf(size, sizeof(size), "%u", 1u << k);
    (void)snprintf(count, sizeof(count), "%u", copies);
    set_targets(f, copies, ldexp(1, (int)k));
    return rig_map(out, options);
}

/* The replicas of slot s, as the i of node-i. */
static void
replicas(const cw_map *map, unsigned k, unsigned s, unsigned copies,
         unsigned *out)
{
    uint32_t list[COPIES_MAX], i;

    assert_int_equal(cw_map_order_position(map, (uint64_t)s << (64 - k), list,
                                           copies), copies);
    for (i = 0; i < copies; i++)
        out[i] = (unsigned)strtoul(rig_name(map, list[i]) + 5, NULL, 10);
}

/* ---- promises ---------------------------------------------------------- */

static void
assert_promises(const struct plan *p, unsigned copies, unsigned k)
{
    static unsigned load[NODES_MAX];
    struct fleet    f;
    cw_map         *map = map_of_plan(p, copies, k, &f);
    unsigned        s, i, j, set[COPIES_MAX];

    memset(load, 0, sizeof(load));
    for (s = 0; s < 1u << k; s++) {
        replicas(map, k, s, copies, set);
        for (i = 0; i < copies; i++) {
            load[set[i]]++;
            for (j = 0; j < i; j++)
                assert_int_not_equal(f.zone[set[i]], f.zone[set[j]]);
        }
    }
    for (i = 0; i < f.n; i++)
        if (load[i] > f.target[i] + 1.5 * sqrt(f.target[i]) + 1.02)
            fail_msg("node %u has %u roles for a target of %.1f", i, load[i],
                     f.target[i]);
    cw_map_unref(map);
}

static void
zones_differ_and_roles_are_bounded(void **state)
{
    static const struct plan plans[] = {
        { { 34, 33, 33 }, 1, 0, 0 },
        { { 60, 20, 10, 10 }, 4, 0, 0 },
        { { 10, 15, 20, 25, 30 }, 4, 0, 0 },
        { { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, 3, 0, 0 },
        { { 1, 9, 2, 1, 1 }, 9, 0, 0 }
    };
    unsigned i, copies, k;

    (void)state;
    for (i = 0; i < sizeof(plans) / sizeof(*plans); i++)
        for (k = 7; k <= 13; k += 3)
            for (copies = 2; copies <= (i ? 4 : 3); copies++)
                assert_promises(&plans[i], copies, k);
    assert_promises(&plans[3], 8, 10);
    assert_promises(&plans[3], 8, 4);   /* hardly more slots than nodes */
}

/* ---- what was measured ------------------------------------------------- */

struct figures {
    double max, min;            /* roles / target                           */
    double primary;             /* max / fair share                         */
};

static struct figures
spread(const cw_map *map, const struct fleet *f, unsigned copies)
{
    unsigned       load[NODES_MAX] = { 0 }, owned[NODES_MAX] = { 0 };
    unsigned       set[COPIES_MAX], s, i;
    struct figures x = { 0, 9, 0 };
    double         total = 0;

    for (s = 0; s < 1u << SLOTS_LOG2; s++) {
        replicas(map, SLOTS_LOG2, s, copies, set);
        owned[set[0]]++;
        for (i = 0; i < copies; i++)
            load[set[i]]++;
    }
    for (i = 0; i < f->n; i++)
        total += f->weight[i];
    for (i = 0; i < f->n; i++) {
        double roles = load[i] / f->target[i];

        x.max = roles > x.max ? roles : x.max;
        x.min = roles < x.min ? roles : x.min;
        roles = owned[i] * total / f->weight[i] / (1u << SLOTS_LOG2);
        x.primary = roles > x.primary ? roles : x.primary;
    }
    return x;
}

/* Roles that move from the map when its plan becomes `b`, / those that must. */
static double
moved(const cw_map *old, const struct fleet *f, const struct plan *b,
      unsigned copies)
{
    struct fleet g;
    cw_map      *new = map_of_plan(b, copies, SLOTS_LOG2, &g);
    unsigned     x[COPIES_MAX], y[COPIES_MAX], s, i, j, roles = 0;
    double       ideal = 0;

    for (s = 0; s < 1u << SLOTS_LOG2; s++) {
        replicas(old, SLOTS_LOG2, s, copies, x);
        replicas(new, SLOTS_LOG2, s, copies, y);
        for (i = 0; i < copies; i++) {
            for (j = 0; j < copies && x[j] != y[i]; j++)
                ;
            roles += j == copies;
        }
    }
    for (i = 0; i < g.n; i++)
        ideal += fabs(g.target[i] - (i < f->n ? f->target[i] : 0)) / 2;
    cw_map_unref(new);
    return roles / ideal;
}

/* One row, and what it may be at most: the figures found, a little wider. */
struct row {
    struct plan plan;
    double      max, min, primary, add_first, add_last, lose;
};

static void
assert_row(const struct row *row)
{
    struct plan    first = row->plan, last = row->plan, less = row->plan;
    struct fleet   f;
    cw_map        *map = map_of_plan(&row->plan, 3, SLOTS_LOG2, &f);
    struct figures x = spread(map, &f, 3);
    double         add_first, add_last, lose;
    unsigned       i;

    first.more = 1;
    last.more = f.zones;
    less.less = 1;
    add_first = moved(map, &f, &first, 3);
    add_last = moved(map, &f, &last, 3);
    lose = moved(map, &f, &less, 3);
    for (i = 0; row->plan.sizes[i] > 0; i++)
        print_message("%s%u", i ? "," : "", row->plan.sizes[i]);
    print_message(" weights 1..%u: roles %.3f / %.3f, primaries %.3f; moved / "
                  "ideal %.2f, %.2f, %.2f\n", row->plan.weights, x.max, x.min,
                  x.primary, add_first, add_last, lose);
    assert_true(x.max <= row->max && x.min >= row->min);
    assert_true(x.primary <= row->primary);
    assert_true(add_first <= row->add_first && add_last <= row->add_last);
    assert_true(lose <= row->lose);
    cw_map_unref(map);
}

static void
measured(void **state)
{
    static const struct row rows[] = {
        { { { 34, 33, 33 }, 1, 0, 0 }, 1.036, 0.955, 1.06, 1.02, 1.03, 1.02 },
        { { { 20, 30, 50 }, 4, 0, 0 }, 1.05, 0.94, 1.1, 1.01, 1.06, 1.02 },
        { { { 8, 8, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 }, 1, 0, 0 },
          1.034, 0.95, 1.06, 1.02, 1.02, 1.02 },
        { { { 60, 20, 10, 10 }, 1, 0, 0 }, 1.042, 0.94, 1.06, 1.04, 1.52,
          1.03 },
        { { { 60, 20, 10, 10 }, 4, 0, 0 }, 1.075, 0.94, 1.1, 1.04, 1.56,
          1.05 },
        { { { 10, 15, 20, 25, 30 }, 1, 0, 0 }, 1.036, 0.93, 1.06, 1.37, 1.6,
          1.6 }
    };
    unsigned i;

    (void)state;
    for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_row(&rows[i]);
}

/* ---- the rest ---------------------------------------------------------- */

static void
assert_same(const cw_map *a, const cw_map *b, unsigned k, unsigned copies)
{
    unsigned s, x[COPIES_MAX], y[COPIES_MAX];

    assert_int_equal(cw_map_fingerprint(a), cw_map_fingerprint(b));
    for (s = 0; s < 1u << k; s++) {
        replicas(a, k, s, copies, x);
        replicas(b, k, s, copies, y);
        assert_memory_equal(x, y, copies * sizeof(*x));
    }
}

/* The nodes of a map as a fleet, first or last one first. */
static cw_fleet *
fleet_of(const cw_map *map, int backwards)
{
    cw_fleet *out = cw_fleet_new(NULL);
    uint32_t  n = cw_map_count(map), i;

    for (i = 0; i < n; i++) {
        cw_node node;

        cw_map_node(map, backwards ? n - 1 - i : i, &node);
        assert_int_equal(cw_fleet_add(out, node.name, node.name_len,
                                      node.weight, NULL), CW_OK);
        assert_int_equal(cw_fleet_set_zone(out, node.name, node.name_len,
                                           node.zone, node.zone_len, NULL),
                         CW_OK);
    }
    return out;
}

static cw_placement *
three_of_1024(void)
{
    cw_placement *p = cw_placement_new(NULL);

    assert_int_equal(cw_placement_set(p, "algorithm", "slots", NULL), CW_OK);
    assert_int_equal(cw_placement_set(p, "slots", "1024", NULL), CW_OK);
    assert_int_equal(cw_placement_set(p, "replicas", "3", NULL), CW_OK);
    return p;
}

static const struct plan five = { { 3, 5, 2, 4, 1 }, 3, 0, 0 };
static const struct plan five_more = { { 3, 5, 2, 4, 1 }, 3, 2, 0 };

static void
by_image_and_by_any_order(void **state)
{
    struct fleet  f;
    cw_map       *map = map_of_plan(&five, 3, 10, &f), *other;
    cw_fleet     *back = fleet_of(map, 1);
    cw_placement *p = three_of_1024();
    size_t        size = cw_map_image_size(map);
    void         *image = malloc(size);

    (void)state;
    assert_int_equal(cw_map_save(map, image, size, NULL), CW_OK);
    assert_int_equal(cw_map_load(image, size, NULL, &other, NULL), CW_OK);
    assert_same(map, other, 10, 3);
    cw_map_unref(other);
    assert_int_equal(cw_map_build(back, p, &other, NULL), CW_OK);
    assert_same(map, other, 10, 3);
    cw_map_unref(other);
    cw_map_unref(map);
    cw_fleet_free(back);
    cw_placement_free(p);
    free(image);
}

/* A node more: derived from the smaller map, and in a live one. */
static void
by_change(void **state)
{
    struct fleet  f;
    cw_map       *map = map_of_plan(&five, 3, 10, &f), *other;
    cw_map       *larger = map_of_plan(&five_more, 3, 10, &f);
    cw_fleet     *fleet = fleet_of(map, 0), *more = fleet_of(larger, 0);
    cw_placement *p = three_of_1024();
    cw_live      *live;

    (void)state;
    assert_int_equal(cw_map_derive(map, more, &other, NULL), CW_OK);
    assert_same(larger, other, 10, 3);
    cw_map_unref(other);
    assert_int_equal(cw_live_new(fleet, p, 1, &live, NULL), CW_OK);
    assert_int_equal(cw_live_replace(live, more, NULL), CW_OK);
    assert_int_equal(cw_live_snapshot(live, &other, NULL), CW_OK);
    assert_same(larger, other, 10, 3);
    cw_map_unref(other);
    cw_live_free(live);
    cw_fleet_free(fleet);
    cw_fleet_free(more);
    cw_placement_free(p);
    cw_map_unref(map);
    cw_map_unref(larger);
}

static void
refusals(void **state)
{
    static const char *const three[] = { "algorithm", "slots", "slots", "64",
                                         "replicas", "3", NULL };
    cw_fleet                *fleet = rig_numbered(6, 1);
    cw_map                  *map = NULL;
    cw_error                 err;
    unsigned                 i;

    (void)state;
    for (i = 0; i < 5; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "node-%u", i);
        assert_int_equal(cw_fleet_set_zone(fleet, name, strlen(name), "x", 1,
                                           NULL), CW_OK);
    }
    assert_int_equal(rig_try(fleet, three, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "only 2"));
    assert_null(map);
    assert_int_equal(cw_fleet_set_zone(fleet, "node-1", 6, "y", 1, NULL),
                     CW_OK);
    map = rig_map(fleet, three);
    rig_check_orders(map, 40);
    cw_map_unref(map);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_differ_and_roles_are_bounded),
        cmocka_unit_test(measured),
        cmocka_unit_test(by_image_and_by_any_order),
        cmocka_unit_test(by_change),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
