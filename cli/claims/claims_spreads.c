/* SPDX-License-Identifier: Apache-2.0 */
/* claims_spreads.c - how even shares are. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "cli/claims/claims.h"

static cw_shares *
shares_of(const cw_map *map)
{
    cw_shares *shares = NULL;

    if (cw_shares_new(map, &shares) != CW_OK)
        mem_fail();
    return shares;
}

/* CV of the shares of 100 nodes times sqrt(points), mean of 20 rings. */
static void
cv(struct measured *out, int points)
{
    enum { RINGS = 20 };
    double v[RINGS];
    char prefix[32], settings[32];
    int i;

    snprintf(settings, sizeof settings, "points=%d", points);
    for (i = 0; i < RINGS; i++) {
        cw_map *map;
        cw_shares *shares;

        snprintf(prefix, sizeof prefix, "ring%d-node", i);
        map = claim_map_n(prefix, 100, settings);
        shares = shares_of(map);
        v[i] = shares->balance.cv * sqrt(points);
        cw_shares_free(shares);
        cw_map_unref(map);
    }
    out->value = claim_mean(v, RINGS);
}

/* Share of the node of weight 2 over the mean of the two of weight 1, in
 * 1,000 rings of 160 points a unit. 0: mean; 1: standard deviation. */
static void
twice(struct measured *out, int variant)
{
    enum { RINGS = 1000 };
    static double v[RINGS];
    char names[96];
    int i;

    for (i = 0; i < RINGS; i++) {
        cw_map *map;
        cw_shares *shares;
        uint32_t big;
        char name[32];
        int len;

        snprintf(names, sizeof names, "a%d,b%d,c%d=2", i, i, i);
        map = claim_map(names, "points=160");
        shares = shares_of(map);
        len = snprintf(name, sizeof name, "c%d", i);
        big = cw_map_find(map, name, (size_t)len);
        v[i] = shares->part[big] / ((1 - shares->part[big]) / 2);
        cw_shares_free(shares);
        cw_map_unref(map);
    }
    out->value = variant == 0 ? claim_mean(v, RINGS) : claim_sd(v, RINGS);
}

const struct claim_row claims_spreads[] = {
    { "cv-1", cv, 1 },
    { "cv-10", cv, 10 },
    { "cv-100", cv, 100 },
    { "twice-mean", twice, 0 },
    { "twice-sd", twice, 1 },
    { NULL, NULL, 0 }
};
