/* SPDX-License-Identifier: Apache-2.0 */
/* compare_measure.c - every row on one fleet. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/compare/compare_work.h"

uint64_t
compare_hash(uint64_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

cw_fleet *
compare_copy(const cw_fleet *fleet)
{
    cw_fleet *copy = cw_fleet_copy(fleet);

    if (copy == NULL)
        mem_fail();
    return copy;
}

cw_map *
compare_map(const cw_fleet *fleet, const char *row, const char *option,
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

cw_balance
compare_balance(const cw_map *map, cw_basis *basis)
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
measure_row(struct compare_work *w, struct compare_row *r)
{
    cw_error err = { CW_OK, "" };
    cw_map  *map = compare_map(w->fleet, r->row.name, r->option, r->value,
                               &err);

    r->works = map != NULL;
    if (!r->works) {
        memcpy(r->why, err.text, sizeof r->why);
        return;
    }
    r->balance = compare_balance(map, &r->basis);
    r->exact = (r->row.traits & CW_TRAIT_ARCS) != 0;
    r->points = cw_map_points(map);
    r->bytes = cw_map_bytes(map);
    compare_moves(w, r, map);
    if (w->c->timed)
        compare_times(w, r, map);
    cw_map_unref(map);
}

/* A row whose labels are bucket numbers gets such, and a free one for the
 * node that is added: what a fleet file of it would say. */
static void
measure_stable(struct compare_work *w, struct compare_row *r)
{
    const cw_fleet *fleet = w->fleet;
    cw_fleet       *numbered = compare_copy(fleet);
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

cw_fleet *
compare_fleet(uint32_t n)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    uint32_t  i;

    for (i = 0; fleet != NULL && i < n; i++) {
        char name[32];
        int  len = snprintf(name, sizeof name, "node-%u", i + 1);

        if (cw_fleet_add(fleet, name, (size_t)len, CW_WEIGHT_ONE, NULL) !=
                CW_OK ||
            cw_fleet_set_zone(fleet, name, (size_t)len, &"abc"[i % 3], 1,
                              NULL) != CW_OK)
            mem_fail();
    }
    if (fleet == NULL)
        mem_fail();
    return fleet;
}

void
compare_measure(struct compare *c, const cw_fleet *fleet, bool timed,
                enum compare_want want)
{
    struct compare_work w = { .c = c, .fleet = fleet };
    double      total = 0, least = 0;
    uint64_t    first = 0;
    uint32_t    i;

    memset(c, 0, sizeof *c);
    c->nodes = cw_fleet_count(fleet);
    c->timed = timed;
    c->want = want;
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
    compare_rings(&w);
    progress_end(&w.progress);
    compare_choose(c);
}
