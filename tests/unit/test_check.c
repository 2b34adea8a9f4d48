/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_check.c - cw_map_check() finds each kind of damage to a map's nodes
 * and names the rule that it breaks.
 */
#include "core/core.h"
#include "harness.h"

static const struct {
    const char *what;
    uint32_t    node;
    size_t      offset;     /* of the field in struct cwi_map_node          */
    size_t      size;
    uint64_t    value;
} damages[] = {
#define FIELD(member) offsetof(struct cwi_map_node, member), \
                      sizeof(((struct cwi_map_node *)NULL)->member)
    { "a name outside the block", 0, FIELD(name), SIZE_MAX / 2 },
    { "a name that runs out of the block", 1, FIELD(name_len), 1000000 },
    { "a name without its NUL", 1, FIELD(name_len), 1 },
    { "a name of no bytes", 2, FIELD(name_len), 0 },
    { "a label outside the block", 0, FIELD(label), SIZE_MAX },
    { "an address outside the block", 0, FIELD(address), SIZE_MAX - 4 },
    { "a zone outside the block", 3, FIELD(zone), SIZE_MAX / 2 },
    { "a weight above the limit", 0, FIELD(weight), CW_WEIGHT_MAX + 1 },
    { "a weight that does not add up", 0, FIELD(weight), 5 },
    { "a weight that was taken away", 0, FIELD(weight), 0 },
    { "a zone number above the count", 0, FIELD(zone_id), 4 },
    { "an index entry above the count", 0, FIELD(by_name), 4 },
    { "an index entry twice", 0, FIELD(by_name), 1 },
#undef FIELD
};

static void
store(void *at, size_t size, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;

    if (size == sizeof narrow)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

static void
damage_is_found_and_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(damages); i++) {
        cw_map *map = map_of_spec("aaa,bbb=2,ccc@z,ddd", "");
        struct cwi_map_node *nodes = (struct cwi_map_node *)(map + 1);
        cw_error err = { CW_OK, "" };

        CHECK(map->nodes == nodes, "the nodes are elsewhere");
        CHECK_OK(cw_map_check(map, &err));
        CHECK(err.status == CW_OK && err.text[0] == '\0', "err touched");
        store((char *)&nodes[damages[i].node] + damages[i].offset,
              damages[i].size, damages[i].value);
        CHECK(cw_map_check(map, &err) == CW_ECORRUPT, "%s is not found",
              damages[i].what);
        CHECK(err.status == CW_ECORRUPT && err.text[0] != '\0', "%s: '%s'",
              damages[i].what, err.text);
        CHECK(cw_map_check(map, NULL) == CW_ECORRUPT, "%s, without err",
              damages[i].what);
        cw_map_unref(map);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = { TEST(damage_is_found_and_named) };

    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
