/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_alloc.c - the allocator interface, sizes that overflow, and every
 * entry point with every one of its allocations failing.
 */
#include "core/core.h"
#include "harness.h"

static void
sizes_saturate(void **state)
{
    (void)state;
    CHECK(cwi_size_add(1, 2) == 3, "1 + 2");
    CHECK(cwi_size_add(SIZE_MAX, 1) == SIZE_MAX, "max + 1");
    CHECK(cwi_size_add(SIZE_MAX - 1, 1) == SIZE_MAX, "max - 1 + 1");
    CHECK(cwi_size_add(SIZE_MAX, SIZE_MAX) == SIZE_MAX, "max + max");
    CHECK(cwi_size_mul(6, 7) == 42, "6 * 7");
    CHECK(cwi_size_mul(0, SIZE_MAX) == 0, "0 * max");
    CHECK(cwi_size_mul(SIZE_MAX, 0) == 0, "max * 0");
    CHECK(cwi_size_mul(SIZE_MAX, 2) == SIZE_MAX, "max * 2");
    CHECK(cwi_size_mul(SIZE_MAX / 2 + 1, 2) == SIZE_MAX, "just over");
    CHECK(cwi_size_mul(SIZE_MAX / 2, 2) == SIZE_MAX - 1, "just under");
}

static void
memory_comes_zeroed_and_overflow_is_refused(void **state)
{
    struct failing f;
    unsigned char *bytes;

    (void)state;
    failing_init(&f, 0);
    bytes = cwi_alloc(&f.allocator, 10, 10);
    for (int i = 0; i < 100; i++)
        CHECK(bytes[i] == 0, "byte %d is %d", i, bytes[i]);
    cwi_free(&f.allocator, bytes);
    cwi_free(&f.allocator, NULL);
    CHECK(cwi_alloc(&f.allocator, SIZE_MAX / 2, 3) == NULL, "overflow");
    CHECK(f.calls == 1 && f.live == 0, "%lu calls", f.calls);
}

/* ---- entry points ------------------------------------------------------ */

/* A fleet that uses every kind of allocation; NULL: no memory. */
static cw_fleet *
build_fleet(struct failing *f)
{
    static const uint64_t positions[] = { 1, 2, 3 };
    cw_fleet *fleet = cw_fleet_new(&f->allocator);
    cw_status status = fleet != NULL ? CW_OK : CW_ENOMEM;

    for (uint64_t i = 0; i < 40 && status == CW_OK; i++) {
        struct key name = key_numbered("n", i);

        status = cw_fleet_add(fleet, name.data, name.len, 1000 * i, NULL);
    }
    if (status == CW_OK)
        status = cw_fleet_set_address(fleet, "n1", 2, "addr", 4, NULL);
    if (status == CW_OK)
        status = cw_fleet_set_zone(fleet, "n1", 2, "zone", 4, NULL);
    if (status == CW_OK)
        status = cw_fleet_set_label(fleet, "n1", 2, "label", 5, NULL);
    if (status == CW_OK)
        status = cw_fleet_set_positions(fleet, "n2", 2, positions, 3, NULL);
    if (status == CW_OK)
        status = cw_fleet_rename(fleet, "n3", 2, "m3", 2, NULL);
    if (status == CW_OK)
        return fleet;
    CHECK(status == CW_ENOMEM, "%s", cw_status_text(status));
    cw_fleet_free(fleet);
    return NULL;
}

static cw_status
try_fleet(struct failing *f, void *context)
{
    cw_fleet *fleet = build_fleet(f), *copy;
    cw_node node;
    cw_status status = CW_ENOMEM;

    (void)context;
    if (fleet == NULL)
        return CW_ENOMEM;
    copy = cw_fleet_copy(fleet);
    if (copy != NULL)
        status = cw_fleet_owner(copy, "k", 1, &node);
    cw_fleet_free(copy);
    cw_fleet_free(fleet);
    return status;
}

/* One call on a fleet: with failing memory the fleet stays as it was. */
typedef cw_status (*change)(cw_fleet *fleet, cw_error *err);

#define CHANGE(name, call)               \
    static cw_status                     \
    name(cw_fleet *f, cw_error *err)     \
    {                                    \
        return call;                     \
    }

static const uint64_t two[] = { 9, 8 };

CHANGE(add, cw_fleet_add(f, "new", 3, 1, err))
CHANGE(address, cw_fleet_set_address(f, "n1", 2, "elsewhere", 9, err))
CHANGE(zone, cw_fleet_set_zone(f, "n1", 2, "other", 5, err))
CHANGE(label, cw_fleet_set_label(f, "n1", 2, "other", 5, err))
CHANGE(positions, cw_fleet_set_positions(f, "n2", 2, two, 2, err))
CHANGE(rename_plain, cw_fleet_rename(f, "n5", 2, "five", 4, err))
CHANGE(rename_labelled, cw_fleet_rename(f, "n1", 2, "one", 3, err))

static const struct {
    const char *what;
    change      call;
} changes[] = {
    { "add", add }, { "address", address }, { "zone", zone },
    { "label", label }, { "positions", positions },
    { "rename", rename_plain }, { "rename with a label", rename_labelled },
};

/* Fill the list and the index so that the next add must enlarge both. */
static void
fill(cw_fleet *fleet, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct key name = key_numbered("f", i);

        CHECK_OK(cw_fleet_add(fleet, name.data, name.len, 1, NULL));
    }
}

static void
a_change_without_memory_changes_nothing(void **state)
{
    (void)state;
    for (size_t c = 0; c < COUNT(changes); c++) {
        for (uint64_t size = 0; size < 30; size++) {
            struct failing f;
            cw_fleet *fleet;
            char *before;
            unsigned long failed = 0;

            failing_init(&f, 0);
            fleet = build_fleet(&f);
            fill(fleet, size);
            before = fleet_dump(fleet);
            for (;;) {
                cw_error err = { CW_OK, "" };
                cw_status status;
                char *after;

                f.fail_at = f.calls + failed + 1;
                status = changes[c].call(fleet, &err);
                if (status == CW_OK)
                    break;
                failed++;
                CHECK(status == CW_ENOMEM && err.status == CW_ENOMEM &&
                      err.text[0] != '\0', "%s: %s, text '%s'",
                      changes[c].what, cw_status_text(status), err.text);
                after = fleet_dump(fleet);
                CHECK(strcmp(before, after) == 0, "%s: now\n%s",
                      changes[c].what, after);
                free(after);
            }
            CHECK(failed > 0, "%s: took no memory", changes[c].what);
            free(before);
            f.fail_at = 0;
            cw_fleet_free(fleet);
            CHECK(f.live == 0, "%s: %ld blocks left", changes[c].what,
                  f.live);
        }
    }
}

/* Map, shares, difference: all of one row. */
struct row_context {
    cw_table table;
    unsigned row;
};

static cw_status
try_row(struct failing *f, void *context)
{
    const struct row_context *c = context;
    cw_fleet *fleet = cw_fleet_new(&f->allocator);
    cw_placement *placement = NULL;
    cw_map *map = NULL, *other = NULL;
    cw_shares *shares = NULL;
    cw_diff *diff = NULL;
    cw_row row;
    cw_status status = fleet != NULL ? CW_OK : CW_ENOMEM;

    CHECK_OK(cw_table_row(c->table, c->row, &row));
    for (uint64_t i = 0; i < 4 && status == CW_OK; i++) {
        struct key name = key_numbered("n", i);

        status = cw_fleet_add(fleet, name.data, name.len, CW_WEIGHT_ONE, NULL);
    }
    if (status == CW_OK) {
        placement = cw_placement_new(&f->allocator);
        status = placement != NULL ? CW_OK : CW_ENOMEM;
    }
    if (status == CW_OK)
        status = cw_placement_set(placement, c->table == CW_TABLE_COMPAT ?
                                  "compat" : "algorithm", row.name, NULL);
    if (status == CW_OK)    /* a small table, where the row has one */
        (void)cw_placement_set(placement, "slots", "256", NULL);
    if (status == CW_OK)
        status = cw_map_build(fleet, placement, &map, NULL);
    if (status == CW_OK)
        status = cw_fleet_remove(fleet, "n2", 2, NULL);
    if (status == CW_OK)
        status = cw_map_build(fleet, placement, &other, NULL);
    CHECK(status == CW_OK || other == NULL, "%s: out touched", row.name);
    if (status == CW_OK)
        status = cw_map_check(map, NULL);
    if (status == CW_OK)
        status = cw_shares_new(map, &shares);
    /* Without arcs a difference takes a million look-ups, the same way in
     * every row: one of them is enough. */
    if (status == CW_OK && ((row.traits & CW_TRAIT_ARCS) ||
                            strcmp(row.name, "modulo") == 0))
        status = cw_diff_new(map, other, &diff);
    CHECK(status == CW_OK || diff == NULL, "%s: out touched", row.name);
    cw_diff_free(diff);
    cw_shares_free(shares);
    cw_map_unref(other);
    cw_map_unref(map);
    cw_placement_free(placement);
    cw_fleet_free(fleet);
    return status;
}

static void
every_allocation_of_a_fleet_fails_once(void **state)
{
    (void)state;
    CHECK(every_allocation_fails("fleet", try_fleet, NULL) > 50, "few calls");
}

static void
every_allocation_of_every_row_fails_once(void **state)
{
    static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };

    (void)state;
    for (size_t t = 0; t < COUNT(tables); t++) {
        cw_row row;

        for (unsigned i = 0; cw_table_row(tables[t], i, &row) == CW_OK; i++) {
            struct row_context context = { tables[t], i };

            CHECK(every_allocation_fails(row.name, try_row, &context) >= 10,
                  "%s: few calls", row.name);
        }
    }
}

/* ---- look-ups take none ------------------------------------------------ */

static void
look_ups_take_no_memory(void **state)
{
    struct failing f;
    cw_fleet *fleet;
    cw_map *map = NULL;
    uint32_t out[40];
    unsigned long calls;

    (void)state;
    failing_init(&f, 0);
    fleet = build_fleet(&f);
    CHECK_OK(cw_fleet_set_positions(fleet, "n2", 2, NULL, 0, NULL));
    CHECK_OK(cw_map_build(fleet, NULL, &map, NULL));
    calls = f.calls;
    for (uint64_t i = 0; i < 100; i++) {
        struct key key = key_numbered("key", i);
        cw_key many = { key.data, key.len };

        (void)owner_of(map, key.data, key.len);
        CHECK_OK(cw_map_owner_many(map, &many, 1, out));
        CHECK_OK(cw_map_owner_hash_many(map, &i, 1, out));
        CHECK(cw_map_order(map, key.data, key.len, out, 40) == 39, "order");
        CHECK(cw_map_replicas(map, key.data, key.len, out, 3) == 3, "three");
        CHECK(cw_map_find(map, "n7", 2) != CW_NONE, "n7");
    }
    CHECK(f.calls == calls, "%lu allocations", f.calls - calls);
    cw_map_unref(map);
    cw_fleet_free(fleet);
    CHECK(f.live == 0, "%ld blocks left", f.live);
}

static void
a_map_is_one_block_that_outlives_its_fleet(void **state)
{
    struct failing f;
    cw_fleet *fleet;
    cw_map *map = NULL;
    long before;

    (void)state;
    failing_init(&f, 0);
    fleet = cw_fleet_new(&f.allocator);
    fleet_add(fleet, "a", CW_WEIGHT_ONE);
    fleet_add(fleet, "b", CW_WEIGHT_ONE);
    before = f.live;
    CHECK_OK(cw_map_build(fleet, NULL, &map, NULL));
    CHECK(f.live == before + 1, "%ld blocks", f.live - before);
    cw_fleet_free(fleet);
    CHECK(f.live == 1, "%ld blocks", f.live);
    (void)owner_name(map, "k", 1);
    CHECK(cw_map_ref(map) == map, "ref");
    cw_map_unref(map);
    (void)owner_name(map, "k", 1);
    cw_map_unref(map);
    CHECK(f.live == 0, "%ld blocks left", f.live);
    cw_map_unref(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sizes_saturate),
        TEST(memory_comes_zeroed_and_overflow_is_refused),
        TEST(a_change_without_memory_changes_nothing),
        TEST(every_allocation_of_a_fleet_fails_once),
        TEST(every_allocation_of_every_row_fails_once),
        TEST(look_ups_take_no_memory),
        TEST(a_map_is_one_block_that_outlives_its_fleet),
    };

    return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
