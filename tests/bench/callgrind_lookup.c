/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callgrind_lookup.c - look-ups to be counted by test_callgrind.py.
 *
 *     callgrind_lookup hash|key COUNT
 *
 * COUNT look-ups of random hashes or random keys of 16 bytes in a map of
 * 1,000 nodes of 160 points.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clockwise/clockwise.h"

enum { NODES = 1000, KEYS = 1 << 16 };

static uint64_t
next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

int
main(int argc, char **argv)
{
    static char keys[KEYS][16];
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_map *map = NULL;
    uint64_t seed = 1, sum = 0;
    /* The library's functions, which callgrind knows by name, in place of
     * those that are compiled here. */
    uint32_t (*volatile pick_hash)(const cw_map *, uint64_t) =
        cw_map_pick_hash;
    uint32_t (*volatile pick)(const cw_map *, const void *, size_t) =
        cw_map_pick;
    long count = argc == 3 ? atol(argv[2]) : 0;
    char name[32];

    for (int i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        if (cw_fleet_add(fleet, name, strlen(name), CW_WEIGHT_ONE, NULL))
            return 1;
    }
    if (count <= 0 || cw_map_build(fleet, NULL, &map, NULL) != CW_OK)
        return 1;
    for (int i = 0; i < KEYS; i++) {
        uint64_t half[2] = { next_random(&seed), next_random(&seed) };

        memcpy(keys[i], half, sizeof half);
    }
    for (long i = 0; i < count; i++) {
        sum += argv[1][0] == 'h'
            ? pick_hash(map, next_random(&seed))
            : pick(map, keys[i % KEYS], 16);
    }
    /* The mean number is that of 0 .. 999, or the look-up is wrong. */
    printf("mean owner %.1f\n", (double)sum / (double)count);
    cw_map_unref(map);
    cw_fleet_free(fleet);
    return sum / (uint64_t)count < 400 || sum / (uint64_t)count > 600;
}
