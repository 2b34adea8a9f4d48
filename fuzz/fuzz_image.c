/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_image.c - any bytes given to cw_map_load() are refused, or are the
 * image of a sound map that is written back as it came.
 *
 * The checksum of an input is put right first, or nearly none would get past
 * it; its last byte says whether to.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clockwise/clockwise.h"
#include "core/hash.h"

/* An image may ask for 2^31 points: only so much memory is given. */
#define MEMORY_MAX ((size_t)1 << 26)

static void *
some_memory(void *context, size_t size)
{
    (void)context;
    return size > MEMORY_MAX ? NULL : malloc(size);
}

static void
give_back(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static void
must(int true_thing)
{
    if (!true_thing)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const cw_allocator memory = { some_memory, give_back, NULL };
    uint8_t *image, *again;
    cw_map *map = NULL;
    cw_error err = { CW_OK, "" };
    unsigned i;

    if (size < 16)
        return 0;
    image = malloc(size);
    must(image != NULL);
    memcpy(image, data, size);
    if (data[size - 1] & 1) {
        uint64_t sum;

        /* size, at offset 16, and checksum */
        for (i = 0; i < 8 && size >= 32; i++)
            image[16 + i] = (uint8_t)((uint64_t)size >> 8 * i);
        sum = cwi_xxh3(image, size - 8);
        for (i = 0; i < 8; i++)
            image[size - 8 + i] = (uint8_t)(sum >> 8 * i);
    }
    if (cw_map_load(image, size, &memory, &map, &err) == CW_OK) {
        must(cw_map_check(map, &err) == CW_OK);
        must(cw_map_image_size(map) == size);
        again = malloc(size);
        must(again != NULL);
        must(cw_map_save(map, again, size, &err) == CW_OK);
        must(memcmp(again, image, size) == 0);
        free(again);
        cw_map_unref(map);
    } else {
        must(map == NULL && err.status != CW_OK && err.text[0] != '\0');
    }
    free(image);
    return 0;
}
