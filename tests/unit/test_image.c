/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_image.c - a map as bytes and back: all rows, every byte changed, every
 * length, every allocation that fails.
 */
#include "harness.h"

#include "core/hash.h"

static uint8_t *
image_of(const cw_map *map, size_t *len)
{
    uint8_t *image;

    *len = cw_map_image_size(map);
    image = must_alloc(*len + 1);
    CHECK_OK(cw_map_save(map, image, *len, NULL));
    return image;
}

static void
check_round_trip(const cw_map *map, const char *what)
{
    size_t len, again_len;
    uint8_t *image = image_of(map, &len), *again;
    cw_map *copy = NULL;
    cw_error err = { CW_OK, "" };
    cw_status st = cw_map_load(image, len, NULL, &copy, &err);
    uint32_t a, b;

    CHECK(st == CW_OK, "%s: %s", what, err.text);
    CHECK(cw_map_fingerprint(copy) == cw_map_fingerprint(map), "%s", what);
    CHECK(cw_map_count(copy) == cw_map_count(map), "%s", what);
    for (uint64_t i = 0; i < 300; i++) {
        struct key key = key_numbered("key", i);

        st = cw_map_owner(map, key.data, key.len, &a);
        CHECK(cw_map_owner(copy, key.data, key.len, &b) == st, "%s", what);
        CHECK(st != CW_OK || a == b, "%s: key%d", what, (int)i);
    }
    again = image_of(copy, &again_len);
    CHECK(again_len == len && memcmp(again, image, len) == 0, "%s", what);
    free(image);
    free(again);
    cw_map_unref(copy);
}

static void
every_row_comes_back(void **state)
{
    (void)state;
    for (int t = CW_TABLE_ALGORITHMS; t <= CW_TABLE_COMPAT; t++) {
        cw_placement *p;
        cw_row row;

        for (unsigned i = 0;
             (p = placement_of_row((cw_table)t, i, &row)) != NULL; i++) {
            cw_fleet *fleet = fleet_of("10.0.0.1:11211,10.0.0.2:11211,"
                                       "10.0.0.3:11211");
            cw_map *map = NULL;

            if (cw_map_build(fleet, p, &map, NULL) == CW_OK) {
                check_round_trip(map, row.name);
                cw_map_unref(map);
            } else {
                print_message("[   NOTE   ] %s takes no such fleet\n",
                              row.name);
            }
            cw_fleet_free(fleet);
            cw_placement_free(p);
        }
    }
}

/* A map with all that an image can hold. */
static cw_map *
rich_map(void)
{
    static const uint64_t at[] = { 7, 999, 12345 };
    cw_fleet *fleet = fleet_of("c=2,a=0.5@zone1,b,gone=0,d@zone2");
    cw_placement *p = placement_of("hash=siphash;"
                                   "hash-key=00112233445566778899aabbccddeeff;"
                                   "points=20;size=1000000");
    cw_map *map;

    CHECK_OK(cw_fleet_set_address(fleet, "a", 1, "10.0.0.1:11211", 14, NULL));
    CHECK_OK(cw_fleet_set_state(fleet, "b", 1, CW_DRAIN, NULL));
    CHECK_OK(cw_fleet_rename(fleet, "c", 1, "c\0new", 5, NULL));
    CHECK_OK(cw_fleet_set_positions(fleet, "d", 1, at, 3, NULL));
    map = map_of(fleet, p);
    cw_fleet_free(fleet);
    cw_placement_free(p);
    return map;
}

static void
all_that_a_node_has_comes_back(void **state)
{
    cw_map *map = rich_map(), *empty = map_of_spec("", "");

    (void)state;
    check_round_trip(map, "rich");
    check_round_trip(empty, "empty");
    cw_map_unref(map);
    cw_map_unref(empty);
}

static void
equal_maps_have_equal_images(void **state)
{
    cw_map *a = map_of_spec("a,b=2,c@z", ""), *b = map_of_spec("c@z,a,b=2", "");
    size_t a_len, b_len;
    uint8_t *x = image_of(a, &a_len), *y = image_of(b, &b_len);

    (void)state;
    CHECK(a_len == b_len && memcmp(x, y, a_len) == 0, "list order shows");
    free(x);
    free(y);
    cw_map_unref(a);
    cw_map_unref(b);
}

static void
refused(const uint8_t *image, size_t len, const char *what, size_t at)
{
    cw_map *map = NULL;
    cw_error err = { CW_OK, "" };
    cw_status st = cw_map_load(image, len, NULL, &map, &err);

    CHECK(st != CW_OK && map == NULL, "%s %zu was accepted", what, at);
    CHECK(err.status == st && err.text[0], "%s %zu: no text", what, at);
}

static void
put_checksum(uint8_t *image, size_t len)
{
    uint64_t sum = cwi_xxh3(image, len - 8);

    for (unsigned i = 0; i < 8; i++)
        image[len - 8 + i] = (uint8_t)(sum >> 8 * i);
}

static void
every_changed_byte_is_refused(void **state)
{
    cw_map *map = rich_map();
    size_t len;
    uint8_t *image = image_of(map, &len);

    (void)state;
    for (size_t i = 0; i < len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            image[i] ^= (uint8_t)(1u << bit);
            refused(image, len, "byte", i);
            image[i] ^= (uint8_t)(1u << bit);
        }
    }
    for (size_t i = 0; i < len; i++)
        refused(image, i, "length", i);
    refused(image, len + 1, "length", len + 1);
    free(image);
    cw_map_unref(map);
}

/* A changed weight may ask for millions of points: they are refused. */
static void *
little_memory(void *context, size_t size)
{
    (void)context;
    return size > 1u << 20 ? NULL : malloc(size);
}

static void
give_back(void *context, void *memory)
{
    (void)context;
    free(memory);
}

/* A changed byte under a right checksum makes another image, which must say
 * itself what it is, or be refused. */
static void
a_right_checksum_does_not_help(void **state)
{
    const cw_allocator little = { little_memory, give_back, NULL };
    cw_map *map = rich_map(), *other;
    size_t len, again_len;
    uint8_t *image = image_of(map, &len), *again;
    unsigned long taken = 0;

    (void)state;
    for (size_t i = 0; i < len - 8; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            image[i] ^= (uint8_t)(1u << bit);
            put_checksum(image, len);
            other = NULL;
            if (cw_map_load(image, len, &little, &other, NULL) == CW_OK) {
                again = image_of(other, &again_len);
                CHECK(again_len == len && !memcmp(again, image, len),
                      "byte %zu", i);
                CHECK(cw_map_fingerprint(other) == cw_map_fingerprint(map),
                      "byte %zu", i);
                free(again);
                cw_map_unref(other);
                taken++;
            }
            image[i] ^= (uint8_t)(1u << bit);
        }
    }
    /* Outside the fingerprint: an address, states, a node of weight 0. */
    CHECK(taken > 0 && taken <= (14 + 4) * 8 + 5 * 2, "%lu taken", taken);
    free(image);
    cw_map_unref(map);
}

static void
nodes_in_another_order_are_refused(void **state)
{
    cw_map *map = map_of_spec("a,b", "");
    size_t len;
    uint8_t *image = image_of(map, &len), *a, *b;

    (void)state;
    for (a = image; memcmp(a, "\1\0\0\0a", 5) != 0; a++)
        ;
    for (b = a; memcmp(b, "\1\0\0\0b", 5) != 0; b++)
        ;
    a[4] = 'b';
    b[4] = 'a';
    put_checksum(image, len);
    refused(image, len, "order", 0);
    free(image);
    cw_map_unref(map);
}

static void
save_wants_the_size(void **state)
{
    cw_map *map = map_of_spec("a,b", "");
    size_t len = cw_map_image_size(map);
    uint8_t *image = must_alloc(len + 1);
    cw_error err = { CW_OK, "" };

    (void)state;
    CHECK(cw_map_save(map, image, len - 1, &err) == CW_ELIMIT, "short");
    CHECK(cw_map_save(map, image, len + 1, &err) == CW_ELIMIT, "long");
    CHECK(strstr(err.text, "room for") != NULL, "%s", err.text);
    free(image);
    cw_map_unref(map);
}

struct bytes {
    uint8_t *data;
    size_t   len;
};

static cw_status
load_once(struct failing *f, void *context)
{
    struct bytes *b = context;
    cw_map *map = NULL;
    cw_status st = cw_map_load(b->data, b->len, &f->allocator, &map, NULL);

    cw_map_unref(map);
    return st;
}

static void
every_allocation_may_fail(void **state)
{
    cw_map *map = rich_map();
    struct bytes b;
    unsigned long failures;

    (void)state;
    b.data = image_of(map, &b.len);
    failures = every_allocation_fails("cw_map_load", load_once, &b);
    CHECK(failures > 5, "%lu failures", failures);
    free(b.data);
    cw_map_unref(map);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(every_row_comes_back),
        TEST(all_that_a_node_has_comes_back),
        TEST(equal_maps_have_equal_images),
        TEST(every_changed_byte_is_refused),
        TEST(a_right_checksum_does_not_help),
        TEST(nodes_in_another_order_are_refused),
        TEST(save_wants_the_size),
        TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
