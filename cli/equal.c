/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/equal.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "clockwise/clockwise.h"

enum { NODES = 5, KEYS = 2000, ROWS_MAX = 256 };

/* The fleets: in what programs differ, and what most of them take. */
static const struct {
    const char *name;
    const char *node[NODES];
    unsigned    weight[NODES];
} fleets[] = {
    { "default port", { "10.0.0.1:11211", "10.0.0.2:11211", "10.0.0.3:11211",
      "10.0.0.4:11211", "10.0.0.5:11211" }, { 1, 1, 1, 1, 1 } },
    { "other ports", { "10.0.0.1:22122", "10.0.0.2:22123", "10.0.0.3:22122",
      "10.0.0.4:22124", "10.0.0.5:22122" }, { 1, 1, 1, 1, 1 } },
    { "names", { "cache-a", "cache-b", "cache-c", "cache-d", "cache-e" },
      { 1, 1, 1, 1, 1 } },
    { "weights", { "10.0.0.1:22122", "10.0.0.2:22123", "10.0.0.3:22122",
      "10.0.0.4:22124", "10.0.0.5:22122" }, { 1, 2, 3, 4, 5 } }
};

enum { FLEETS = sizeof fleets / sizeof *fleets };

struct answers {
    cw_row   row;
    bool     took[FLEETS];              /* the row accepts the fleet        */
    uint8_t  owner[FLEETS][KEYS];       /* number in the list               */
};

static cw_map *
build(const char *row, unsigned fleet)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_fleet *f = cw_fleet_new(NULL);
    cw_map *map = NULL;
    unsigned i;

    if (p == NULL || f == NULL
        || cw_placement_set(p, "compat", row, NULL) != CW_OK)
        mem_fail();
    for (i = 0; i < NODES; i++) {
        const char *name = fleets[fleet].node[i];

        if (cw_fleet_add(f, name, strlen(name),
                         fleets[fleet].weight[i] * CW_WEIGHT_ONE, NULL)
            != CW_OK)
            mem_fail();
    }
    cw_map_build(f, p, &map, NULL);
    cw_fleet_free(f);
    cw_placement_free(p);
    return map;
}

static void
ask(struct answers *a, unsigned fleet)
{
    cw_map *map = build(a->row.name, fleet);
    uint32_t of[NODES], owner;
    char key[24];
    unsigned i;

    a->took[fleet] = map != NULL;
    if (map == NULL)
        return;
    for (i = 0; i < NODES; i++)
        of[i] = cw_map_find(map, fleets[fleet].node[i],
                            strlen(fleets[fleet].node[i]));
    for (i = 0; i < KEYS; i++) {
        unsigned k = 0;
        int len = snprintf(key, sizeof key, "key:%u", i);

        owner = CW_NONE;
        cw_map_owner(map, key, (size_t)len, &owner);
        while (k < NODES && of[k] != owner)
            k++;
        a->owner[fleet][i] = (uint8_t)k;
    }
    cw_map_unref(map);
}

static bool
agree(const struct answers *a, const struct answers *b, unsigned fleet)
{
    return a->took[fleet] && b->took[fleet]
           && memcmp(a->owner[fleet], b->owner[fleet], KEYS) == 0;
}

static void
pair(struct cli *c, struct json *j, const struct answers *a,
     const struct answers *b)
{
    unsigned k, n = 0;

    for (k = 0; k < FLEETS; k++)
        n += agree(a, b, k);
    if (n == 0)
        return;
    if (c->json) {
        json_open(j, '{');
        json_pair(j, "a", a->row.name, strlen(a->row.name));
        json_pair(j, "b", b->row.name, strlen(b->row.name));
        json_key(j, "fleets");
        json_open(j, '[');
    } else {
        out_print(&c->out, "%s\t%s\t", a->row.name, b->row.name);
    }
    for (k = 0, n = 0; k < FLEETS; k++) {
        if (!agree(a, b, k))
            continue;
        if (c->json)
            json_text(j, fleets[k].name, strlen(fleets[k].name));
        else
            out_print(&c->out, "%s%s", n++ ? ", " : "", fleets[k].name);
    }
    if (c->json) {
        json_close(j, ']');
        json_close(j, '}');
    } else {
        out_char(&c->out, '\n');
    }
}

void
equal_print(struct cli *c)
{
    struct answers *list = mem_alloc(ROWS_MAX, sizeof *list);
    struct json j = { &c->out, false };
    unsigned n = 0, i, k;

    while (n < ROWS_MAX
           && cw_table_row(CW_TABLE_COMPAT, n, &list[n].row) == CW_OK) {
        for (k = 0; k < FLEETS; k++)
            ask(&list[n], k);
        n++;
    }
    if (c->json)
        json_open(&j, '[');
    else if (!c->quiet)
        out_print(&c->out, "# row\tequal to\ton fleets with; %d keys, default "
                  "options\n", KEYS);
    for (i = 0; i < n; i++)
        for (k = i + 1; k < n; k++)
            pair(c, &j, &list[i], &list[k]);
    if (c->json) {
        json_close(&j, ']');
        json_end(&j, '\n');
    }
    mem_free(list);
}
