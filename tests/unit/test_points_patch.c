/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_points_patch.c - a table whose points come, go and change hands in
 * place answers as the list of its points does, with each instruction set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "core/points_table.h"

enum { WALK = 5, MOST = 40000 };

/* The points in order: by position, equal ones by node. */
struct list {
    struct cwi_point *p;
    uint32_t          n;
};

static int
node_before(const void *context, uint32_t a, uint32_t b)
{
    (void)context;
    return a < b;
}

static int
by_place(const void *a, const void *b)
{
    const struct cwi_point *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Index of the first point that is not before (at, node). */
static uint32_t
place(const struct list *list, uint64_t at, uint32_t node)
{
    struct cwi_point want = { at, node };
    uint32_t low = 0, high = list->n;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (by_place(&list->p[middle], &want) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
list_in(struct list *list, uint32_t i, uint64_t at, uint32_t node)
{
    assert_true(list->n < MOST);
    memmove(list->p + i + 1, list->p + i, (list->n - i) * sizeof(*list->p));
    list->p[i].at = at;
    list->p[i].node = node;
    list->n++;
}

static void
list_out(struct list *list, uint32_t i)
{
    list->n--;
    memmove(list->p + i, list->p + i + 1, (list->n - i) * sizeof(*list->p));
}

static struct cwi_table *
table_of(const struct list *list, uint32_t nodes, uint64_t top)
{
    struct cwi_plan plan = { 0, 0, 0, 0 };
    size_t size = (size_t)cwi_spare_size(list->n, nodes);
    struct cwi_table *t = aligned_alloc(64, (size + 63) / 64 * 64);
    void *scratch;

    assert_int_equal(cwi_points_plan(list->n, nodes, &plan), CW_OK);
    scratch = calloc(1, plan.scratch);
    assert_non_null(t);
    assert_non_null(scratch);
    memset(t, 0, size);
    memcpy(cwi_points_raw(scratch), list->p, list->n * sizeof(*list->p));
    cwi_spare_ask(t, nodes);
    cwi_points_build(t, scratch, list->n, nodes, top);
    free(scratch);
    return t;
}

static void
check_at(const struct cwi_table *t, const struct list *list, uint64_t at)
{
    uint32_t got[WALK], want[WALK], i = place(list, at, 0), len = 0, k, left;

    i = i == list->n ? 0 : i;
    assert_int_equal(cwi_points_find(t, at), list->p[i].node);
    for (left = list->n; left > 0 && len < WALK; left--) {
        for (k = 0; k < len && want[k] != list->p[i].node; k++)
            ;
        if (k == len)
            want[len++] = list->p[i].node;
        i = i + 1 == list->n ? 0 : i + 1;
    }
    assert_int_equal(cwi_points_few(t, at, got, WALK), len);
    assert_memory_equal(got, want, len * sizeof(*got));
}

static void
check_all(const struct cwi_table *t, const struct list *list, uint64_t *seed)
{
    uint64_t *counts = calloc(t->nodes, sizeof(*counts)), at;
    uint32_t i;

    assert_non_null(counts);
    assert_int_equal(cwi_points_total(t), list->n);
    cwi_points_count(t, counts);
    for (i = 0; i < list->n; i++)
        counts[list->p[i].node]--;
    for (i = 0; i < t->nodes; i++)
        assert_int_equal(counts[i], 0);
    for (i = 0; i < list->n; i += 1 + list->n / 500) {
        at = list->p[i].at;
        check_at(t, list, at);
        check_at(t, list, at > 0 ? at - 1 : 0);
        check_at(t, list, at < t->top ? at + 1 : at);
    }
    for (i = 0; i < 500; i++) {
        at = cwi_mix64((*seed)++);
        check_at(t, list, t->top == UINT64_MAX ? at : at % (t->top + 1));
    }
    check_at(t, list, 0);
    check_at(t, list, t->top);
    free(counts);
}

/* One random change; 0: the table had no room. */
static int
change(struct cwi_table *t, struct list *list, uint64_t *seed)
{
    uint64_t r = cwi_mix64((*seed)++), at = cwi_mix64((*seed)++);
    uint32_t node = (uint32_t)(r >> 32) % t->nodes;
    uint32_t i = (uint32_t)(at % list->n);
    struct cwi_point p;

    if (r % 9 < 4) {
        /* 1 in 8 has the position of another, or one that is near. */
        at = t->top == UINT64_MAX ? at : at % (t->top + 1);
        if (r / 8 % 8 == 0)
            at = list->p[i].at - (list->p[i].at > 9 ? r / 64 % 2 * 7 : 0);
        i = place(list, at, node);
        if (i < list->n && list->p[i].at == at && list->p[i].node == node)
            return 1;
        p = (struct cwi_point){ at, node };
        if (!cwi_points_insert(t, &p, 1, node_before, NULL))
            return 0;
        list_in(list, i, at, node);
    } else if (r % 9 < 8) {
        if (list->n == 1)
            return 1;
        cwi_points_remove(t, &list->p[i], 1);
        list_out(list, i);
    } else if ((i == 0 || list->p[i - 1].at != list->p[i].at) &&
               (i + 1 == list->n || list->p[i + 1].at != list->p[i].at)) {
        cwi_points_renumber(t, &list->p[i], 1, node);
        list->p[i].node = node;
    }
    return 1;
}

static void
run(uint32_t n, uint32_t nodes, uint64_t top, enum cwi_isa isa)
{
    struct list list = { calloc(MOST, sizeof(struct cwi_point)), 0 };
    uint64_t seed = n * UINT64_C(77) + nodes, at;
    struct cwi_table *t;
    uint32_t i, changes = 0;

    assert_non_null(list.p);
    while (list.n < n) {
        at = cwi_mix64(seed++);
        /* A fortieth lies in a sixteenth of the ring: crowded lines. */
        at = seed % 80 ? at : UINT64_MAX / 3 + at / 16;
        at = top == UINT64_MAX ? at : at % (top + 1);
        list.p[list.n++] = (struct cwi_point){
            at, (uint32_t)(cwi_mix64(seed++) % nodes) };
    }
    qsort(list.p, list.n, sizeof(*list.p), by_place);
    for (i = 1; i < list.n; ) {
        if (by_place(&list.p[i - 1], &list.p[i]) == 0)
            list_out(&list, i);
        else
            i++;
    }
    t = table_of(&list, nodes, top);
    assert_int_not_equal(t->mode, CWI_TABLE_PLAIN);
    if (cwi_points_use(t, isa)) {
        check_all(t, &list, &seed);
        while (changes < 20000 && change(t, &list, &seed)) {
            if (++changes % 4000 == 0 || changes == 100)
                check_all(t, &list, &seed);
        }
        check_all(t, &list, &seed);
        assert_in_range(changes, 5000, 20000);
    }
    free(t);
    free(list.p);
}

static void
changes_in_place(void **unused)
{
    static const struct {
        uint32_t n, nodes;
        uint64_t top;
    } cases[] = {
        { 1200, 3, UINT64_MAX },
        { 1600, 10, UINT64_MAX },
        { 1600, 10, UINT32_MAX },
        { 3000, 7, 1000003 },
        { 16000, 100, UINT64_MAX },
        { 30000, 65535, UINT64_MAX },
        { 20000, 65536, UINT64_MAX },
        { 9000, 70000, UINT32_MAX },
    };
    unsigned i, isa;

    (void)unused;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (isa = CWI_ISA_C; isa <= CWI_ISA_AVX2; isa++)
            run(cases[i].n, cases[i].nodes, cases[i].top, (enum cwi_isa)isa);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_in_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
