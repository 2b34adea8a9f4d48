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

static cw_map *
build(const char *option, const cw_row *row, uint32_t nodes)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_placement *placement = cw_placement_new(NULL);
    cw_map *map = NULL;
    cw_error err = { CW_ENOMEM, "no memory" };

    must(fleet && placement ? CW_OK : CW_ENOMEM, &err);
    must(cw_placement_set(placement, option, row->name, &err), &err);
    printf("map %s=%s", option, row->name);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32];
        uint64_t weight = CW_WEIGHT_ONE;

        if (row->traits & CW_TRAIT_WEIGHTED)
            weight += i % 3 * (CW_WEIGHT_ONE / 2);
        snprintf(name, sizeof(name), "10.0.0.%" PRIu32 ":11211", i);
        printf(" %s=%" PRIu64, name, weight);
        must(cw_fleet_add(fleet, name, strlen(name), weight, &err), &err);
    }
    must(cw_map_build(fleet, placement, &map, &err), &err);
    printf("\nfingerprint %016" PRIx64 "\n", cw_map_fingerprint(map));
    cw_placement_free(placement);
    cw_fleet_free(fleet);
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
