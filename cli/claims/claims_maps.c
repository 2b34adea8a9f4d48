/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/claims/claims.h"

/* Everything here is right or a fault of this program. */
static void
must(cw_status status, const cw_error *err)
{
    if (status == CW_OK)
        return;
    fprintf(stderr, "clockwise: claims: %s\n", err->text);
    abort();
}

static cw_placement *
placement(const char *settings)
{
    cw_placement *p = cw_placement_new(NULL);
    struct buf copy = { 0 };
    char *word, *rest;
    cw_error err;

    if (p == NULL)
        mem_fail();
    buf_str(&copy, settings);
    for (word = strtok_r(copy.data, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');

        *value = '\0';
        must(cw_placement_set(p, word, value + 1, &err), &err);
    }
    buf_free(&copy);
    return p;
}

/* Build, and give up fleet and placement. */
static cw_map *
build(cw_fleet *fleet, const char *settings)
{
    cw_placement *p = placement(settings);
    cw_map *map = NULL;
    cw_error err;

    must(cw_map_build(fleet, p, &map, &err), &err);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return map;
}

static cw_fleet *
new_fleet(void)
{
    cw_fleet *fleet = cw_fleet_new(NULL);

    if (fleet == NULL)
        mem_fail();
    return fleet;
}

cw_map *
claim_map(const char *names, const char *settings)
{
    cw_fleet *fleet = new_fleet();
    const char *s = names;
    cw_error err;

    while (*s != '\0') {
        size_t len = strcspn(s, ",");
        size_t name = strcspn(s, ",=");
        uint64_t weight = CW_WEIGHT_ONE;

        if (name < len)
            must(cw_weight_parse(s + name + 1, len - name - 1, &weight, &err),
                 &err);
        must(cw_fleet_add(fleet, s, name, weight, &err), &err);
        s += len + (s[len] == ',');
    }
    return build(fleet, settings);
}

cw_map *
claim_map_n(const char *prefix, unsigned n, const char *settings)
{
    cw_fleet *fleet = new_fleet();
    char name[64];
    cw_error err;
    unsigned i;

    for (i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s%u", prefix, i);
        must(cw_fleet_add(fleet, name, strlen(name), CW_WEIGHT_ONE, &err),
             &err);
    }
    return build(fleet, settings);
}

cw_map *
claim_worked(bool with_d)
{
    static const struct {
        char     name[2];
        uint64_t at[3];
    } nodes[] = {
        { "A", { 5, 42, 71 } },
        { "B", { 18, 55, 88 } },
        { "C", { 30, 63, 95 } },
        { "D", { 20, 50, 80 } },
    };
    cw_fleet *fleet = new_fleet();
    cw_error err;
    unsigned i;

    for (i = 0; i < (with_d ? 4u : 3u); i++) {
        must(cw_fleet_add(fleet, nodes[i].name, 1, CW_WEIGHT_ONE, &err),
             &err);
        must(cw_fleet_set_positions(fleet, nodes[i].name, 1, nodes[i].at, 3,
                                    &err), &err);
    }
    return build(fleet, "algorithm=ring size=100");
}

uint32_t
claim_owner(const cw_map *map, const char *prefix, unsigned i)
{
    uint32_t owner = CW_NONE;
    char key[64];
    int len = snprintf(key, sizeof key, "%s%u", prefix, i);

    cw_map_owner(map, key, (size_t)len, &owner);
    return owner;
}

double
claim_moved(cw_map *old_map, cw_map *new_map)
{
    cw_diff *diff = NULL;
    double moved;

    if (cw_diff_new(old_map, new_map, &diff) != CW_OK)
        mem_fail();
    moved = diff->moved;
    cw_diff_free(diff);
    cw_map_unref(old_map);
    cw_map_unref(new_map);
    return moved;
}

double
claim_mean(const double *v, size_t n)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

double
claim_sd(const double *v, size_t n)
{
    double mean = claim_mean(v, n);
    double sum = 0;
    size_t i;

    for (i = 0; i < n; i++)
        sum += (v[i] - mean) * (v[i] - mean);
    return sqrt(sum / (double)(n - 1));
}
