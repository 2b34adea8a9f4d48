/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_points.c - the line table of lib/core/points.h against a plain sorted
 * array: all layouts, all instruction sets, all ring sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "core/points_find.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A seeded sequence: splitmix64. */
static uint64_t
next_random(uint64_t *seed)
{
    return cwi_mix64(*seed += UINT64_C(0x9e3779b97f4a7c15));
}

/* ---- the reference: a sorted array, written to be read ------------------ */

struct ref_point {
    uint64_t at;
    uint64_t given;     /* index in the order given                         */
    uint32_t node;
};

static int
by_position(const void *a, const void *b)
{
    const struct ref_point *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->given < y->given ? -1 : x->given > y->given;
}

static size_t
ref_successor(const struct ref_point *ref, size_t n, uint64_t at)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (ref[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low == n ? 0 : low;
}

/* ---- a ring under test -------------------------------------------------- */

struct ring {
    struct ref_point *ref;
    void             *state;
    size_t            n;
    uint32_t          nodes;
    uint64_t          top;
};

static void *
zeroed(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);

    assert_non_null(p);
    memset(p, 0, size);
    return p;
}

/* Takes over `ref`, in the order given. */
static struct ring
ring_new(struct ref_point *ref, size_t n, uint32_t nodes, uint64_t top)
{
    struct ring ring = { ref, NULL, n, nodes, top };
    struct cwi_plan plan = { 0, 0, 0, 0 };
    struct cwi_point *raw;
    void *scratch;
    size_t i;

    assert_int_equal(cwi_points_plan(n, nodes, &plan), CW_OK);
    ring.state = zeroed(plan.state);
    scratch = zeroed(plan.scratch);
    raw = cwi_points_raw(scratch);
    for (i = 0; i < n; i++) {
        ref[i].given = i;
        raw[i].at = ref[i].at;
        raw[i].node = ref[i].node;
    }
    cwi_points_build(ring.state, scratch, n, nodes, top);
    free(scratch);
    qsort(ref, n, sizeof(*ref), by_position);
    return ring;
}

static void
ring_free(struct ring *ring)
{
    free(ring->ref);
    free(ring->state);
}

static const char *const isa_names[] = { "C", "SSE2", "AVX2" };

static void
check_at(const struct ring *ring, const char *isa, uint64_t at)
{
    uint32_t want, got;

    if (at > ring->top)
        return;
    want = ring->ref[ref_successor(ring->ref, ring->n, at)].node;
    got = cwi_points_find(ring->state, at);
    if (got != want)
        fail_msg("%s: position %llu of 0..%llu, %zu points: node %u, want %u",
                 isa, (unsigned long long)at, (unsigned long long)ring->top,
                 ring->n, got, want);
}

/* Random positions, and each point with its neighbours. */
static void
check_find(const struct ring *ring, unsigned randoms)
{
    enum { MANY = 130 };
    static const size_t batches[] = { 0, 1, 5, 31, 32, 33, 64, 97, MANY };
    uint64_t at[MANY], seed = ring->n;
    uint32_t got[MANY];
    unsigned isa, i;
    size_t k, step = ring->n / 5000 + 1;

    for (isa = 0; isa < COUNT(isa_names); isa++) {
        if (!cwi_points_use(ring->state, (enum cwi_isa)isa)) {
            print_message("[   NOTE   ] no %s here\n", isa_names[isa]);
            continue;
        }
        for (i = 0; i < randoms; i++)
            check_at(ring, isa_names[isa], ring->top == UINT64_MAX
                     ? next_random(&seed)
                     : next_random(&seed) % (ring->top + 1));
        for (k = 0; k < ring->n; k += step) {
            check_at(ring, isa_names[isa], ring->ref[k].at - 1);
            check_at(ring, isa_names[isa], ring->ref[k].at);
            check_at(ring, isa_names[isa], ring->ref[k].at + 1);
        }
        check_at(ring, isa_names[isa], 0);
        check_at(ring, isa_names[isa], ring->top);
        for (i = 0; i < MANY; i++) {
            at[i] = next_random(&seed);
            if (at[i] > ring->top)
                at[i] %= ring->top + 1;
        }
        for (i = 0; i < COUNT(batches); i++) {
            size_t len = batches[i];

            memset(got, 0xff, sizeof(got));
            cwi_points_find_many(ring->state, at, len, got);
            for (k = 0; k < len; k++)
                assert_int_equal(got[k],
                                 cwi_points_find(ring->state, at[k]));
            assert_true(len == MANY || got[len] == UINT32_MAX);
        }
    }
    assert_true(cwi_points_use(ring->state, cwi_isa_best()));
}

/* n nodes of weight 1. */
static struct cwi_nodes
nodes_of(uint32_t n)
{
    struct cwi_node *v = zeroed(n * sizeof(*v));
    struct cwi_nodes nodes = { v, n, n, n };
    uint32_t i;

    for (i = 0; i < n; i++)
        v[i].weight = CW_WEIGHT_ONE;
    return nodes;
}

static void
check_points(const struct ring *ring)
{
    uint64_t *count = zeroed((ring->nodes + 1) * sizeof(*count));
    uint64_t *want = zeroed((ring->nodes + 1) * sizeof(*want));
    struct cwi_nodes nodes = nodes_of(ring->nodes);
    const char *broken = cwi_points_check(ring->state, &nodes);
    size_t i;

    if (broken != NULL)
        fail_msg("check: not true: %s", broken);
    assert_int_equal(cwi_points_total(ring->state), ring->n);
    cwi_points_count(ring->state, count);
    for (i = 0; i < ring->n; i++) {
        struct cwi_point p = cwi_points_at(ring->state, i);

        assert_true(p.at == ring->ref[i].at);
        assert_int_equal(p.node, ring->ref[i].node);
        want[p.node]++;
    }
    assert_memory_equal(count, want, ring->nodes * sizeof(*count));
    free((void *)(uintptr_t)nodes.v);
    free(count);
    free(want);
}

/* Arcs: they join, have the owners of the reference at both ends and in
 * between, and no two neighbours have one owner. */
static void
check_arcs(const struct ring *ring)
{
    uint64_t cursor = 0, from = 0, last = 0;
    uint32_t owner = 0, before = UINT32_MAX;
    size_t k = 0, arcs = 0;

    for (;;) {
        cwi_points_arc(ring->state, &cursor, from, &last, &owner);
        assert_true(last >= from && last <= ring->top);
        assert_int_not_equal(owner, before);
        assert_true(++arcs <= ring->n + 1);
        /* Every point that begins or ends something inside agrees. */
        while (k < ring->n && ring->ref[k].at < from)
            k++;
        if (k == ring->n || ring->ref[k].at > last) {
            size_t i = ref_successor(ring->ref, ring->n, last);

            assert_int_equal(ring->ref[i].node, owner);
        }
        for (; k < ring->n && ring->ref[k].at <= last; k++) {
            size_t i = ref_successor(ring->ref, ring->n, ring->ref[k].at);

            assert_int_equal(ring->ref[i].node, owner);
        }
        {
            size_t i = ref_successor(ring->ref, ring->n, last);

            assert_int_equal(ring->ref[i].node, owner);
        }
        if (last == ring->top)
            break;
        before = owner;
        from = last + 1;
    }
}

#ifdef CWI_X86
static CWI_AVX2 uint32_t
three_avx2(const void *state, uint64_t at, uint32_t *out)
{
    return cwi_three_avx2(state, at, out);
}
#endif

static unsigned three_told;

/* Three nodes by two lines, if these tell; returns whether they do. */
static unsigned
check_three(const struct ring *ring, uint64_t at, const uint32_t *want)
{
    const struct cwi_table *t = ring->state;
    uint32_t got[3];
    unsigned told;

    if (t->mode != CWI_TABLE_NARROW || t->top != UINT64_MAX)
        return 0;
    told = cwi_three_any(t, at, got);
    if (told)
        assert_memory_equal(got, want, sizeof(got));
#ifdef CWI_X86
    if (t->isa == CWI_ISA_AVX2) {
        assert_int_equal(three_avx2(t, at, got), told);
        if (told)
            assert_memory_equal(got, want, sizeof(got));
    }
#endif
    return told != 0;
}

/* Preference lists: the first nodes met, going round once. */
static void
check_walk(const struct ring *ring, unsigned randoms)
{
    enum { WANT = 6 };
    struct cw_map *map = zeroed(sizeof(*map));
    uint32_t got[WANT], want[WANT];
    uint64_t seed = ring->n + 1, at;
    unsigned i, k, len;
    size_t left, p;

    map->count = ring->nodes;
    for (i = 0; i < randoms; i++) {
        struct cwi_walk *w = zeroed(sizeof(*w));

        at = next_random(&seed);
        if (i % 8 == 7)
            at = ring->ref[at % ring->n].at;
        if (at > ring->top)
            at %= ring->top + 1;
        w->map = map;
        w->out = got;
        w->want = WANT;
        cwi_points_walk(ring->state, at, w);
        p = ref_successor(ring->ref, ring->n, at);
        for (len = 0, left = ring->n; left > 0 && len < WANT; left--) {
            for (k = 0; k < len && want[k] != ring->ref[p].node; k++)
                ;
            if (k == len)
                want[len++] = ring->ref[p].node;
            p = p + 1 == ring->n ? 0 : p + 1;
        }
        assert_int_equal(w->len, len);
        assert_memory_equal(got, want, len * sizeof(*got));
        three_told += check_three(ring, at, want);
        for (k = 1; k <= WANT; k++) {
            assert_int_equal(cwi_points_few(ring->state, at, got, k),
                             len < k ? len : k);
            assert_memory_equal(got, want, (len < k ? len : k) * sizeof(*got));
        }
        free(w);
    }
    free(map);
}

static void
check_all(struct ring *ring, unsigned randoms)
{
    check_points(ring);
    check_find(ring, randoms);
    check_arcs(ring);
    check_walk(ring, 20 + randoms / 50);
    ring_free(ring);
}

/* ---- rings -------------------------------------------------------------- */

enum shape {
    RANDOM,         /* as a good hash gives                                 */
    DOUBLES,        /* every position several times                         */
    CLUSTERED,      /* half of the points within a thousandth of the ring   */
    CROWD,          /* all within 1,000 positions                           */
    ONE,            /* all at one position                                  */
    RISING,         /* evenly spaced                                        */
    FRACTION_END,   /* at the last fractions of buckets                     */
    ABOVE,          /* half of the points above the ring                    */
    SHAPES
};

static uint64_t
place(enum shape shape, uint64_t top, size_t n, size_t i, uint64_t *seed)
{
    uint64_t r = next_random(seed);
    uint64_t at = top == UINT64_MAX ? r : r % (top + 1);

    switch (shape) {
    case DOUBLES:
        r = cwi_mix64(i % (n / 3 + 1));
        return top == UINT64_MAX ? r : r % (top + 1);
    case CLUSTERED:
        return i % 2 ? at : top / 3 + at / 1024;
    case CROWD:
        return top / 2 + (top > 2000 ? r % 1000 : 0);
    case ONE:
        return top;
    case RISING:
        return (uint64_t)(((cwi_u128)top * i) / n);
    case FRACTION_END:
        /* The last position of one of 4,096 parts, or just before it. */
        return (((r >> 8 & 0xfff) + 1) << 52) - 1 - (r & 3) * (r >> 8 & 1);
    case ABOVE:
        return i % 2 && top < UINT64_MAX / 2 ? at + top + 1 : at;
    default:
        return at;
    }
}

static struct ring
ring_of(enum shape shape, size_t n, uint32_t nodes, uint64_t top)
{
    struct ref_point *ref = zeroed(n * sizeof(*ref));
    uint64_t seed = n * 7 + nodes;
    size_t i;

    for (i = 0; i < n; i++) {
        ref[i].at = place(shape, top, n, i, &seed);
        ref[i].node = (uint32_t)(next_random(&seed) % nodes);
    }
    return ring_new(ref, n, nodes, top);
}

static const uint64_t tops[] = {
    1, 2, 3, 6, 99, 255, 65534, 65535, 65536, 1000003, UINT32_MAX - 1,
    UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 48, UINT64_C(1) << 63,
    (UINT64_C(1) << 63) - 1, UINT64_MAX - 1, UINT64_MAX
};

static void
small_rings(void **unused)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 13, 14, 15, 16, 17, 31, 100 };
    unsigned shape, n, t;

    (void)unused;
    for (shape = 0; shape < SHAPES; shape++) {
        for (n = 0; n < COUNT(sizes); n++) {
            for (t = 0; t < COUNT(tops); t++) {
                struct ring ring = ring_of((enum shape)shape, sizes[n], 5,
                                           tops[t]);

                check_all(&ring, 50);
            }
        }
    }
}

static void
shapes_and_sizes(void **unused)
{
    static const struct {
        size_t   n;
        uint32_t nodes;
        uint64_t top;
    } cases[] = {
        { 1600, 10, UINT64_MAX },
        { 1600, 10, UINT32_MAX },
        { 16000, 100, UINT64_MAX },
        { 16000, 100, 1000003 },
        { 160000, 1000, UINT64_MAX },
        { 160000, 1000, UINT32_MAX },
        { 30000, 65535, UINT64_MAX },
        { 30000, 65536, UINT64_MAX },
        { 30000, 65536, UINT32_MAX },
        { 300000, 3000, UINT32_MAX },       /* large: built by parts */
        { 300000, 100000, UINT64_MAX },
    };
    unsigned shape, i;

    (void)unused;
    for (shape = 0; shape < SHAPES; shape++) {
        for (i = 0; i < COUNT(cases); i++) {
            struct ring ring = ring_of((enum shape)shape, cases[i].n,
                                       cases[i].nodes, cases[i].top);

            check_all(&ring, 5000);
        }
    }
    assert_in_range(three_told, 1000, UINT32_MAX);
}

/* Enough points for lines: those shapes that crowd must be plain, and those
 * that a hash gives must not. */
static void
layouts(void **unused)
{
    struct ring ring = ring_of(RANDOM, 160000, 1000, UINT64_MAX);

    (void)unused;
    assert_int_equal(((struct cwi_table *)ring.state)->mode,
                     CWI_TABLE_NARROW);
    assert_true(((struct cwi_table *)ring.state)->spilled > 0);
    ring_free(&ring);
    ring = ring_of(RANDOM, 160000, 65535, UINT64_MAX);
    assert_int_equal(((struct cwi_table *)ring.state)->mode,
                     CWI_TABLE_NARROW);
    ring_free(&ring);
    ring = ring_of(RANDOM, 160000, 65536, UINT64_MAX);
    assert_int_equal(((struct cwi_table *)ring.state)->mode, CWI_TABLE_WIDE);
    assert_true(((struct cwi_table *)ring.state)->spilled > 0);
    ring_free(&ring);
    ring = ring_of(CROWD, 160000, 1000, UINT64_MAX);
    assert_int_equal(((struct cwi_table *)ring.state)->mode, CWI_TABLE_PLAIN);
    ring_free(&ring);
}

/* What a look-up reads, and the whole, at 1,000 nodes of 160 points. */
static void
memory(void **unused)
{
    struct ring ring = ring_of(RANDOM, 160000, 1000, UINT64_MAX);
    const struct cwi_table *t = ring.state;
    struct cwi_plan plan;

    (void)unused;
    assert_true((double)t->buckets * 64 / 160000 <= 9.2);
    assert_int_equal(cwi_points_plan(160000, 1000, &plan), CW_OK);
    assert_true((double)plan.state / 160000 <= 19);
    ring_free(&ring);
}

/*
 * Points of a bucket in reverse are put in order by all instruction sets,
 * and give the same table to the last byte.
 */
static void
check_lines(uint32_t nodes)
{
    struct ring ring = ring_of(RANDOM, 160000, nodes, UINT64_MAX);
    const struct cwi_table *t = ring.state;
    uint32_t *node = zeroed(ring.n * sizeof(*node));
    struct cwi_plan plan;
    void *room = zeroed(ring.n * 12);
    unsigned isa;
    uint64_t b;
    uint32_t k;

    assert_int_equal(cwi_points_plan(ring.n, nodes, &plan), CW_OK);
    for (isa = CWI_ISA_C; isa <= CWI_ISA_AVX2; isa++) {
        struct cwi_table *u = zeroed(plan.state);

        cwi_table_begin(u, ring.n, nodes, UINT64_MAX);
        for (b = 0; b < t->buckets; b++) {
            struct cwi_bucket bucket = cwi_bucket_get(t, b);
            uint32_t first = cwi_start(t)[b], n = bucket.count;

            for (k = 0; k < n; k++) {
                cwi_cold(u)[first + k] = cwi_cold(t)[first + n - 1 - k];
                node[first + k] = cwi_bucket_owner(&bucket, n - 1 - k);
            }
        }
        if (cwi_points_use(u, (enum cwi_isa)isa)) {
            cwi_table_fill(u, node, room);
            u->isa = t->isa;
            assert_memory_equal(u, t, plan.state);
        }
        free(u);
    }
    free(room);
    free(node);
    ring_free(&ring);
}

static void
lines(void **unused)
{
    (void)unused;
    check_lines(1000);
    check_lines(65536);
}

/* A broken table is found out. */
static void
check_finds_damage(void **unused)
{
    struct ring ring = ring_of(RANDOM, 16000, 100, UINT64_MAX);
    struct cwi_nodes nodes = nodes_of(100);
    struct cwi_table *t = ring.state;
    size_t i;

    (void)unused;
    assert_null(cwi_points_check(t, &nodes));
    cwi_lines(t)[5].frac[2] ^= 1;
    assert_non_null(cwi_points_check(t, &nodes));
    cwi_lines(t)[5].frac[2] ^= 1;
    cwi_lines(t)[5].owner[0] ^= 1;
    assert_non_null(cwi_points_check(t, &nodes));
    cwi_lines(t)[5].owner[0] ^= 1;
    i = cwi_start(t)[9];
    cwi_cold(t)[i] ^= UINT64_C(1) << 63;
    assert_non_null(cwi_points_check(t, &nodes));
    cwi_cold(t)[i] ^= UINT64_C(1) << 63;
    cwi_start(t)[9]++;
    assert_non_null(cwi_points_check(t, &nodes));
    cwi_start(t)[9]--;
    assert_null(cwi_points_check(t, &nodes));
    ((struct cwi_node *)(uintptr_t)nodes.v)[7].weight = 0;
    assert_non_null(cwi_points_check(t, &nodes));
    free((void *)(uintptr_t)nodes.v);
    ring_free(&ring);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rings),
        cmocka_unit_test(shapes_and_sizes),
        cmocka_unit_test(layouts),
        cmocka_unit_test(memory),
        cmocka_unit_test(lines),
        cmocka_unit_test(check_finds_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
