/* SPDX-License-Identifier: Apache-2.0 */
/* cases_pins.c - public cases about keys that are fixed to nodes. */
#include "clockwise/clockwise_pins.h"
#include "harness_rows.h"

/* ---- B36: n nodes of a key with an override ------------------------------ */

/* The list that the case asks for, as names without blanks. */
static void
names(const cw_map *map, const char *key, uint32_t n, char *text, size_t size)
{
    uint32_t out[8], len = cw_map_order(map, key, strlen(key), out, n);

    CHECK(len <= n && n <= COUNT(out), "%u nodes of %u", (unsigned)len,
          (unsigned)n);
    text[0] = '\0';
    for (uint32_t i = 0; i < len; i++) {
        cw_node node;

        cw_map_node(map, out[i], &node);
        strncat(text, node.name, size - strlen(text) - 1);
    }
}

static void
case_B36(void **state)
{
    static const cw_key xy[] = { { "x", 1 }, { "y", 1 } }, a = { "a", 1 };
    cw_fleet *fleet = fleet_of("a,b,c,x=0,y=0");
    cw_placement *p = cw_placement_new(NULL);
    cw_pins *pins = cw_pins_new(NULL);
    cw_map *map;
    char text[16], plain[16], all[24];

    (void)state;
    CHECK(pins != NULL && p != NULL, "no memory");
    CHECK_OK(cw_map_build(fleet, p, &map, NULL));
    names(map, "vip", 5, plain, sizeof plain);
    CHECK(strlen(plain) == 3, "without an override: %s", plain);
    CHECK_OK(cw_pins_key(pins, "vip", 3, xy, 2, NULL));
    CHECK_OK(cw_pins_key(pins, "vip2", 4, &a, 1, NULL));
    cw_map_unref(map);
    cw_placement_pin(p, pins);
    CHECK_OK(cw_map_build(fleet, p, &map, NULL));
    names(map, "vip", 2, text, sizeof text);
    CHECK(strcmp(text, "xy") == 0, "2: %s", text);
    snprintf(all, sizeof all, "xy%s", plain);
    names(map, "vip", 5, text, sizeof text);
    CHECK(strcmp(text, all) == 0, "5: %s", text);
    names(map, "vip", 6, text, sizeof text);
    CHECK(strcmp(text, all) == 0, "6: %s", text);
    names(map, "vip2", 3, text, sizeof text);
    CHECK(strcmp(text, "abc") == 0 || strcmp(text, "acb") == 0, "vip2: %s",
          text);
    cw_pins_free(pins);
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { TEST(case_B36) };

    return cmocka_run_group_tests_name("cases_pins", tests, NULL, NULL);
}
