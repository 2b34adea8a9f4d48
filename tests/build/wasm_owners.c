/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_owners.c - what the native library answers, for test_wasm.mjs.
 *
 * For each row of the algorithm and compat tables, over fleets of 1, 3 and 24
 * nodes: "map ROW name=weight ...", "fingerprint HEX", then "key number"
 * for 500 keys.
 */
#include <clockwise/clockwise.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
must(cw_status status, const cw_error *err)
{
    if (status) {
        fprintf(stderr, "wasm_owners: %s\n", err->text);
        exit(1);
    }
}

/* Weights by turns, in millionths. A row gets the first that it takes: whole
 * ones, parts of 1, or equal ones. */
static const uint64_t weights[][3] = {
    { 1 * CW_WEIGHT_ONE, 2 * CW_WEIGHT_ONE, 3 * CW_WEIGHT_ONE },
    { 1 * CW_WEIGHT_ONE, CW_WEIGHT_ONE / 2, CW_WEIGHT_ONE / 4 },
    { 1 * CW_WEIGHT_ONE, 1 * CW_WEIGHT_ONE, 1 * CW_WEIGHT_ONE }
};
enum { WEIGHTS = sizeof(weights) / sizeof(weights[0]) };

static cw_status
try_build(const char *option, const cw_row *row, uint32_t nodes,
          const uint64_t *weight, cw_map **map, cw_error *err)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_placement *placement = cw_placement_new(NULL);
    cw_status st;

    must(fleet && placement ? CW_OK : CW_ENOMEM, err);
    must(cw_placement_set(placement, option, row->name, err), err);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32];

        snprintf(name, sizeof(name), "10.0.0.%" PRIu32 ":11211", i);
        must(cw_fleet_add(fleet, name, strlen(name), weight[i % 3], err),
             err);
    }
    st = cw_map_build(fleet, placement, map, err);
    cw_placement_free(placement);
    cw_fleet_free(fleet);
    return st;
}

static cw_map *
build(const char *option, const cw_row *row, uint32_t nodes)
{
    cw_map *map = NULL;
    cw_error err = { CW_ENOMEM, "no memory" };
    cw_status st = CW_EINVAL;
    unsigned w = 0;

    while (st == CW_EINVAL && w < WEIGHTS)
        st = try_build(option, row, nodes, weights[w++], &map, &err);
    must(st, &err);
    printf("map %s=%s", option, row->name);
    for (uint32_t i = 0; i < nodes; i++)
        printf(" 10.0.0.%" PRIu32 ":11211=%" PRIu64, i,
               weights[w - 1][i % 3]);
    printf("\nfingerprint %016" PRIx64 "\n", cw_map_fingerprint(map));
    return map;
}

static void
print_row(const char *option, const cw_row *row)
{
    static const uint32_t sizes[] = { 1, 3, 24 };

    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        cw_map *map = build(option, row, sizes[s]);

        for (unsigned i = 0; i < 500; i++) {
            const cw_error err = { CW_EEMPTY, "a key without owner" };
            char key[32];
            uint32_t node = 0;

            snprintf(key, sizeof(key), "user:%u:%x", i, i * 2654435761u);
            must(cw_map_owner(map, key, strlen(key), &node), &err);
            printf("%s %" PRIu32 "\n", key, node);
        }
        cw_map_unref(map);
    }
}

int
main(void)
{
    cw_row row;

    printf("version %s\n", cw_version());
    for (unsigned i = 0; !cw_table_row(CW_TABLE_ALGORITHMS, i, &row); i++)
        print_row("algorithm", &row);
    for (unsigned i = 0; !cw_table_row(CW_TABLE_COMPAT, i, &row); i++)
        print_row("compat", &row);
    return 0;
}
