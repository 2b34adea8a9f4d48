/* SPDX-License-Identifier: Apache-2.0 */
/* claims_text_rings.c - rings that were printed with their numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/claims/claims.h"

static char
letter(const cw_map *map, uint32_t i)
{
    cw_node node;

    cw_map_node(map, i, &node);
    return node.name[0];
}

/* Owners of 47, 96 and 52; variant 1: after D joined. */
static void
worked_owners(struct measured *out, int variant)
{
    static const uint64_t at[] = { 47, 96, 52 };
    cw_map *map = claim_worked(variant == 1);
    unsigned i;

    for (i = 0; i < 3; i++) {
        uint32_t owner = 0;

        cw_map_owner_position(map, at[i], &owner);
        out->text[2 * i] = letter(map, owner);
        out->text[2 * i + 1] = i < 2 ? ' ' : '\0';
    }
    cw_map_unref(map);
}

struct worked {
    const cw_map *old_map;
    char         *text;
    size_t        room;
    char          of_80;        /* who loses the arc that ends in 80 */
};

static int
worked_arc(void *context, const cw_arc *arc)
{
    struct worked *w = context;
    size_t used = strlen(w->text);

    snprintf(w->text + used, w->room - used, "%s(%" PRIu64 ",%" PRIu64 "] %c",
             used ? " " : "", arc->first - 1, arc->last,
             letter(w->old_map, arc->from));
    if (arc->last == 80)
        w->of_80 = letter(w->old_map, arc->from);
    return 0;
}

/* 0: the arcs that D takes; 1: from whom the last of them comes. */
static void
worked_arcs(struct measured *out, int variant)
{
    cw_map *old_map = claim_worked(false);
    cw_map *new_map = claim_worked(true);
    struct worked w = { old_map, out->text, sizeof out->text, '?' };

    cw_diff_arcs(old_map, new_map, worked_arc, &w, NULL);
    if (variant == 1) {
        out->text[0] = w.of_80;
        out->text[1] = '\0';
    }
    cw_map_unref(old_map);
    cw_map_unref(new_map);
}

/* Per cent of the ring that D takes there. */
static void
worked_taken(struct measured *out, int variant)
{
    (void)variant;
    out->value = 100 * claim_moved(claim_worked(false), claim_worked(true));
}

/* The same over 1,000 rings of three points a node. */
static void
worked_average(struct measured *out, int variant)
{
    enum { RINGS = 1000 };
    double taken[RINGS];
    char name[32];
    int i;

    (void)variant;
    for (i = 0; i < RINGS; i++) {
        snprintf(name, sizeof name, "r%d-", i);
        taken[i] = 100 * claim_moved(claim_map_n(name, 3, "points=3"),
                                     claim_map_n(name, 4, "points=3"));
    }
    out->value = claim_mean(taken, RINGS);
}

/*
 * MD5 ring of 100 points a node, user:0 ... user:9999, D joins A, B, C.
 * 0: keys that move; 1: those of them that do not go to D; 2: exact share in
 * per cent; 3: keys that are not back when D has left.
 */
static void
md5_join(struct measured *out, int variant)
{
    static const char settings[] = "compat=textbook-md5 points=100";
    cw_map *three = claim_map("A,B,C", settings);
    cw_map *four = claim_map("A,B,C,D", settings);
    cw_map *back = claim_map("A,B,C", settings);
    unsigned moved = 0, elsewhere = 0, astray = 0, i;

    for (i = 0; i < 10000; i++) {
        uint32_t before = claim_owner(three, "user:", i);
        uint32_t after = claim_owner(four, "user:", i);

        if (letter(three, before) != letter(four, after)) {
            moved++;
            elsewhere += letter(four, after) != 'D';
        }
        astray += claim_owner(back, "user:", i) != before;
    }
    cw_map_unref(back);
    out->value = variant == 0 ? moved : variant == 1 ? elsewhere : astray;
    if (variant == 2) {
        out->value = 100 * claim_moved(three, four);
        return;
    }
    cw_map_unref(three);
    cw_map_unref(four);
}

/*
 * cache-a ... cache-d, item:0 ... item:3999: keys of the busiest node over
 * the average, of the idlest if variant is negative, at |variant| points.
 */
static void
js_ring(struct measured *out, int variant)
{
    unsigned keys[4] = { 0, 0, 0, 0 }, most = 0, least = 4000, i;
    char settings[64];
    cw_map *map;

    snprintf(settings, sizeof settings, "compat=textbook-fnv1a-js points=%d",
             variant < 0 ? -variant : variant);
    map = claim_map("cache-a,cache-b,cache-c,cache-d", settings);
    for (i = 0; i < 4000; i++)
        keys[claim_owner(map, "item:", i)]++;
    for (i = 0; i < 4; i++) {
        most = keys[i] > most ? keys[i] : most;
        least = keys[i] < least ? keys[i] : least;
    }
    out->value = (variant < 0 ? least : most) / 1000.0;
    cw_map_unref(map);
}

/* FNV-1a without a final mix, A..D. 0: busiest share over the average at 128
 * points; 1: largest share in per cent when bare names are hashed. */
static void
plain_fnv(struct measured *out, int variant)
{
    cw_map *map = claim_map("A,B,C,D", variant == 0
                            ? "compat=textbook-fnv1a points=128"
                            : "compat=textbook-fnv1a-bare");
    cw_shares *shares = NULL;

    if (cw_shares_new(map, &shares) != CW_OK)
        mem_fail();
    out->value = shares->balance.max_avg * (variant == 0 ? 1 : 25);
    cw_shares_free(shares);
    cw_map_unref(map);
}

const struct claim_row claims_text_rings[] = {
    { "worked-owners", worked_owners, 0 },
    { "worked-owners-d", worked_owners, 1 },
    { "worked-arcs", worked_arcs, 0 },
    { "worked-from", worked_arcs, 1 },
    { "worked-taken", worked_taken, 0 },
    { "worked-quarter", worked_taken, 0 },
    { "worked-average", worked_average, 0 },
    { "md5-moved", md5_join, 0 },
    { "md5-elsewhere", md5_join, 1 },
    { "md5-share", md5_join, 2 },
    { "md5-back", md5_join, 3 },
    { "js-1-max", js_ring, 1 },
    { "js-1-min", js_ring, -1 },
    { "js-128-max", js_ring, 128 },
    { "js-128-min", js_ring, -128 },
    { "fnv-128", plain_fnv, 0 },
    { "fnv-bare", plain_fnv, 1 },
    { NULL, NULL, 0 }
};
