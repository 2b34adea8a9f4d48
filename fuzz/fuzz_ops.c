/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_ops.c - operations on a fleet, then the map against the reference.
 *
 * Byte 0 picks the size of the ring, byte 1 the points; then each operation
 * is three bytes: what, to which of twelve names, with what value. A plain
 * array repeats each operation; status, list and every node must agree with
 * it. At the end, and where an operation asks for it, owners, lists, replica
 * sets, shares and movement must be those of the reference ring.
 */
#include "harness.h"
#include "ref/ref_ring.h"

enum { NAMES = 12, MAX_POSITIONS = 4, MAX_OPS = 40 };

/* What the fleet must hold. */
struct model {
    struct item {
        unsigned name, label;           /* numbers of names                 */
        uint64_t weight;
        uint64_t positions[MAX_POSITIONS];
        uint32_t position_count;
        int      zone;                  /* 0: none                          */
        int      state;
    } list[NAMES];
    unsigned count;
};

struct world {
    cw_fleet        *fleet;
    struct model     model;
    cw_placement    *placement;
    uint64_t         top;
    uint64_t         points;
    cw_map          *map;               /* of the comparison before, or NULL */
    struct ref_ring *ring;
};

static struct key
name_of(unsigned i)
{
    struct key name = key_numbered("n", i);

    if (i % 4 == 3)
        name.data[0] = '\0';            /* a name may begin with NUL */
    return name;
}

static int
find(const struct model *m, unsigned name)
{
    for (unsigned i = 0; i < m->count; i++)
        if (m->list[i].name == name)
            return (int)i;
    return -1;
}

/* ---- operations -------------------------------------------------------- */

static void
expect(cw_status got, cw_status want, const char *what)
{
    CHECK(got == want, "%s: %s, expected %s", what, cw_status_text(got),
          cw_status_text(want));
}

static void
op_add(struct world *w, unsigned n, uint8_t value)
{
    struct key name = name_of(n);
    struct model *m = &w->model;
    uint64_t weight = value == 255 ? CW_WEIGHT_MAX + 1 : value * 8000u;
    cw_status want = weight > CW_WEIGHT_MAX ? CW_EINVAL :
                     find(m, n) >= 0 ? CW_EEXIST : CW_OK;

    expect(cw_fleet_add(w->fleet, name.data, name.len, weight, NULL), want,
           "add");
    if (want == CW_OK)
        m->list[m->count++] = (struct item){ .name = n, .label = n,
                                             .weight = weight };
}

static void
op_remove(struct world *w, unsigned n)
{
    struct key name = name_of(n);
    struct model *m = &w->model;
    int i = find(m, n);

    expect(cw_fleet_remove(w->fleet, name.data, name.len, NULL),
           i < 0 ? CW_ENOENT : CW_OK, "remove");
    if (i < 0)
        return;
    m->count--;
    memmove(&m->list[i], &m->list[i + 1],
            (m->count - (unsigned)i) * sizeof m->list[0]);
}

static void
op_rename(struct world *w, unsigned n, unsigned to)
{
    struct key old = name_of(n), new = name_of(to);
    int i = find(&w->model, n);
    cw_status want = i < 0 ? CW_ENOENT :
                     n != to && find(&w->model, to) >= 0 ? CW_EEXIST : CW_OK;

    expect(cw_fleet_rename(w->fleet, old.data, old.len, new.data, new.len,
                           NULL), want, "rename");
    if (want == CW_OK)
        w->model.list[i].name = to;
}

static void
op_positions(struct world *w, unsigned n, uint8_t value)
{
    struct key name = name_of(n);
    int i = find(&w->model, n);
    uint64_t at[MAX_POSITIONS];
    uint32_t count = value % (MAX_POSITIONS + 1);

    for (uint32_t k = 0; k < count; k++)
        at[k] = (value * 2654435761u + k * 40503u) % (w->top < 255 ?
                w->top + 1 : 1000);
    if (value == 251)
        at[0] = w->top;                 /* the last position of all */
    expect(cw_fleet_set_positions(w->fleet, name.data, name.len, at, count,
                                  NULL), i < 0 ? CW_ENOENT : CW_OK,
           "positions");
    if (i < 0)
        return;
    memcpy(w->model.list[i].positions, at, count * sizeof *at);
    w->model.list[i].position_count = count;
}

static void
op_set(struct world *w, unsigned what, unsigned n, uint8_t value)
{
    struct key name = name_of(n), label = name_of(value % NAMES);
    int i = find(&w->model, n);
    struct item *item = i < 0 ? NULL : &w->model.list[i];
    char zone = (char)('a' + (char)(value % 3));
    cw_status got;

    switch (what) {
    case 0:
        got = cw_fleet_set_weight(w->fleet, name.data, name.len,
                                  value * 6000u, NULL);
        if (item != NULL)
            item->weight = value * 6000u;
        break;
    case 1:
        got = cw_fleet_set_zone(w->fleet, name.data, name.len, &zone,
                                value % 4 != 0, NULL);
        if (item != NULL)
            item->zone = value % 4 != 0 ? zone : 0;
        break;
    case 2:
        got = cw_fleet_set_label(w->fleet, name.data, name.len, label.data,
                                 value < 128 ? label.len : 0, NULL);
        if (item != NULL)
            item->label = value < 128 ? value % NAMES : item->name;
        break;
    default:
        got = cw_fleet_set_state(w->fleet, name.data, name.len,
                                 (cw_state)(value % 3), NULL);
        if (item != NULL)
            item->state = value % 3;
        break;
    }
    expect(got, i < 0 ? CW_ENOENT : CW_OK, "set");
}

/* ---- comparison -------------------------------------------------------- */

static void
fleet_agrees(const struct world *w)
{
    const struct model *m = &w->model;

    CHECK(cw_fleet_count(w->fleet) == m->count, "count %" PRIu32,
          cw_fleet_count(w->fleet));
    for (unsigned i = 0; i < m->count; i++) {
        const struct item *item = &m->list[i];
        struct key name = name_of(item->name), label = name_of(item->label);
        cw_node node;

        cw_fleet_node(w->fleet, i, &node);
        CHECK(node.name_len == name.len &&
              memcmp(node.name, name.data, name.len) == 0, "name %u", i);
        CHECK(node.label_len == label.len &&
              memcmp(node.label, label.data, label.len) == 0, "label %u", i);
        CHECK(node.weight == item->weight && (int)node.state == item->state &&
              node.positions == item->position_count, "node %u", i);
        CHECK(node.zone_len == (item->zone != 0) &&
              (item->zone == 0 || node.zone[0] == item->zone), "zone %u", i);
        CHECK(node.positions == 0 ||
              memcmp(cw_fleet_positions(w->fleet, i), item->positions,
                     node.positions * sizeof(uint64_t)) == 0, "positions %u",
              i);
    }
}

/* Two nodes with computed points of one label: no map. */
static int
has_twins(const struct model *m)
{
    for (unsigned i = 0; i < m->count; i++)
        for (unsigned j = 0; j < i; j++)
            if (m->list[i].label == m->list[j].label &&
                m->list[i].weight > 0 && m->list[j].weight > 0 &&
                m->list[i].position_count == 0 &&
                m->list[j].position_count == 0)
                return 1;
    return 0;
}

static int
is_same(const cw_map *map, uint32_t i, const struct ref_ring *ring,
        uint32_t j)
{
    cw_node node;

    cw_map_node(map, i, &node);
    return node.name_len == ring->nodes[j].name_len &&
           memcmp(node.name, ring->nodes[j].name, node.name_len) == 0;
}

static void
position_agrees(const struct world *w, const cw_map *map,
                const struct ref_ring *ring, uint64_t at)
{
    uint32_t got[NAMES], want[NAMES], owner = CW_NONE;
    uint32_t n = ref_order(ring, at, want);

    CHECK_OK(cw_map_owner_position(map, at, &owner));
    CHECK(is_same(map, owner, ring, want[0]), "owner of %" PRIu64 " of %"
          PRIu64, at, w->top);
    CHECK(cw_map_order_position(map, at, got, NAMES) == n, "length");
    for (uint32_t i = 0; i < n; i++)
        CHECK(is_same(map, got[i], ring, want[i]), "number %" PRIu32
              " at %" PRIu64, i, at);
}

static void
key_agrees(const cw_map *map, const struct ref_ring *ring, uint64_t k)
{
    struct key key = key_numbered("k", k);
    uint64_t at = ref_hash("xxh3", key.data, key.len);
    uint32_t got[NAMES], want[NAMES];

    if (ring->top != UINT64_MAX)
        at %= ring->top + 1;
    for (uint32_t r = 1; r <= 4; r++) {
        uint32_t n = ref_replicas(ring, at, want, r);

        CHECK(cw_map_replicas(map, key.data, key.len, got, r) == n, "length");
        for (uint32_t i = 0; i < n; i++)
            CHECK(is_same(map, got[i], ring, want[i]), "replica %" PRIu32, i);
    }
}

static void
ring_agrees(const struct world *w, const cw_map *map,
            const struct ref_ring *ring)
{
    ref_u128 num[NAMES];
    cw_shares *s = NULL;

    if (w->top < 256) {
        for (uint64_t at = 0; at <= w->top; at++)
            position_agrees(w, map, ring, at);
    } else {
        for (size_t i = 0; i < ring->point_count; i++) {
            uint64_t at = ring->points[i].at;

            position_agrees(w, map, ring, at);
            position_agrees(w, map, ring, at == w->top ? 0 : at + 1);
        }
    }
    for (uint64_t k = 0; k < 4; k++)
        key_agrees(map, ring, k);
    ref_shares(ring, num);
    CHECK_OK(cw_shares_new(map, &s));
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t j = 0; j < ring->node_count; j++)
            CHECK(!is_same(map, i, ring, j) ||
                  num[j] == ((ref_u128)s->num[i].hi << 64 | s->num[i].lo),
                  "share of node %" PRIu32, i);
    cw_shares_free(s);
}

static void
movement_agrees(const struct world *w, const cw_map *map,
                const struct ref_ring *ring)
{
    cw_diff *d = NULL;

    CHECK_OK(cw_diff_new(w->map, map, &d));
    CHECK(d->basis == CW_EXACT, "basis %d", (int)d->basis);
    CHECK(((ref_u128)d->moved_num.hi << 64 | d->moved_num.lo) ==
          ref_moved(w->ring, ring), "moved %g", d->moved);
    cw_diff_free(d);
}

static void
compare(struct world *w)
{
    struct ref_ring *ring;
    cw_map *map = NULL;
    cw_status want = has_twins(&w->model) ? CW_EINVAL : CW_OK;

    fleet_agrees(w);
    expect(cw_map_build(w->fleet, w->placement, &map, NULL), want, "build");
    if (want != CW_OK)
        return;
    CHECK_OK(cw_map_check(map, NULL));
    ring = ref_ring_new(w->fleet, "xxh3", w->points, w->top);
    CHECK(cw_map_points(map) == ring->point_count, "%" PRIu64 " points",
          cw_map_points(map));
    if (ring->point_count == 0) {
        uint32_t owner;

        expect(cw_map_owner(map, "k", 1, &owner), CW_EEMPTY, "empty");
        cw_map_unref(map);
        ref_ring_free(ring);
        return;
    }
    ring_agrees(w, map, ring);
    if (w->map != NULL) {
        movement_agrees(w, map, ring);
        cw_map_unref(w->map);
        ref_ring_free(w->ring);
    }
    w->map = map;
    w->ring = ring;
}

/* ---- the input --------------------------------------------------------- */

static void
one_op(struct world *w, const uint8_t *op)
{
    unsigned n = op[1] % NAMES;

    switch (op[0] % 9) {
    case 0:
    case 1:
        op_add(w, n, op[2]);
        break;
    case 2:
        op_remove(w, n);
        break;
    case 3:
        op_rename(w, n, op[2] % NAMES);
        break;
    case 4:
        op_positions(w, n, op[2]);
        break;
    case 5:
        compare(w);
        break;
    default:
        op_set(w, (unsigned)op[2] % 4, n, op[2]);
        break;
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world w = { .points = 3 };
    char options[64];

    if (size < 2)
        return 0;
    w.top = data[0] < 200 ? 1u + data[0] % 64 : data[0] < 220 ? UINT32_MAX :
            UINT64_MAX;
    w.points = 1 + data[1] % 9;
    (void)snprintf(options, sizeof options, "points=%" PRIu64, w.points);
    w.placement = placement_of(options);
    if (w.top != UINT64_MAX) {
        (void)snprintf(options, sizeof options, "%" PRIu64, w.top + 1);
        CHECK_OK(cw_placement_set(w.placement, "size", options, NULL));
    }
    w.fleet = cw_fleet_new(NULL);
    for (size_t i = 2; i + 3 <= size && i < 3 * MAX_OPS; i += 3)
        one_op(&w, data + i);
    compare(&w);
    if (w.map != NULL) {
        cw_map_unref(w.map);
        ref_ring_free(w.ring);
    }
    cw_placement_free(w.placement);
    cw_fleet_free(w.fleet);
    return 0;
}
