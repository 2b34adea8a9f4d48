/* SPDX-License-Identifier: Apache-2.0 */
/* cases_maglev.c - public cases about Maglev tables. */
#include "algo/maglev.h"
#include "harness_rows.h"

/* ---- B18: the table depends on the order of the backends ---------------- */

static const char *const orders[] = {
    "b0,b1,b2", "b0,b2,b1", "b1,b0,b2", "b1,b2,b0", "b2,b0,b1", "b2,b1,b0"
};

/* The case's own table: (offset, skip) of three backends, seven entries. */
static void
assert_entries(const unsigned *who, uint32_t n, const char *entries)
{
    static const uint32_t offset[] = { 3, 0, 3 }, skip[] = { 4, 2, 1 };
    struct maglev_node node[3];
    uint16_t table[7];

    for (uint32_t i = 0; i < n; i++)
        node[i] = (struct maglev_node){
            .weight = 1, .offset = offset[who[i]], .skip = skip[who[i]],
            .number = (uint16_t)who[i]
        };
    cwi_maglev_fill(node, n, 7, table);
    for (int i = 0; i < 7; i++)
        CHECK(table[i] == entries[i] - '0', "entry %d is B%u, not B%c", i,
              (unsigned)table[i], entries[i]);
}

static void
case_B18(void **state)
{
    cw_map *first = map_of_spec(orders[0], "algorithm=maglev");

    (void)state;
    assert_entries((const unsigned[]){ 0, 1, 2 }, 3, "1010220");
    assert_entries((const unsigned[]){ 0, 2 }, 2, "0000222");
    for (size_t i = 1; i < COUNT(orders); i++) {
        cw_map *map = map_of_spec(orders[i], "algorithm=maglev");

        CHECK(cw_map_fingerprint(map) == cw_map_fingerprint(first),
              "%s: another fingerprint", orders[i]);
        for (uint64_t k = 0; k < 20000; k++) {
            struct key key = key_numbered("key", k);

            CHECK(strcmp(owner_name(map, key.data, key.len),
                         owner_name(first, key.data, key.len)) == 0,
                  "%s: key %u has another owner", orders[i], (unsigned)k);
        }
        cw_map_unref(map);
    }
    cw_map_unref(first);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { TEST(case_B18) };

    return cmocka_run_group_tests_name("cases_maglev", tests, NULL, NULL);
}
