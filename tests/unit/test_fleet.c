/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fleet.c - collecting nodes: what is taken, what is refused, and that a
 * refused call leaves the fleet byte for byte as it was.
 */
#include "harness.h"

static cw_fleet *
sample(void)
{
    cw_fleet *fleet = fleet_of("a,b=2,c=0.5@zone-1,d=0");
    const uint64_t positions[] = { 7, 3, UINT64_MAX };

    CHECK_OK(cw_fleet_set_address(fleet, "a", 1, "10.0.0.1:11211", 14, NULL));
    CHECK_OK(cw_fleet_set_label(fleet, "b", 1, "old-b", 5, NULL));
    CHECK_OK(cw_fleet_set_state(fleet, "c", 1, CW_DRAIN, NULL));
    CHECK_OK(cw_fleet_set_positions(fleet, "c", 1, positions, 3, NULL));
    return fleet;
}

static cw_node
get(const cw_fleet *fleet, const char *name)
{
    cw_node node;

    memset(&node, 0xaa, sizeof node);
    CHECK(cw_fleet_find(fleet, name, strlen(name), &node) == CW_OK,
          "no node %s", name);
    return node;
}

static void
nodes_stay_in_list_order(void **state)
{
    cw_fleet *fleet = fleet_of("m,c,x,a");
    const char *want[] = { "m", "x", "a", "c" };

    (void)state;
    CHECK_OK(cw_fleet_remove(fleet, "c", 1, NULL));
    fleet_add(fleet, "c", 1);
    CHECK(cw_fleet_count(fleet) == 4, "%" PRIu32, cw_fleet_count(fleet));
    for (uint32_t i = 0; i < 4; i++) {
        cw_node node;

        cw_fleet_node(fleet, i, &node);
        CHECK(strcmp(node.name, want[i]) == 0, "node %" PRIu32 " is %s", i,
              node.name);
    }
    cw_fleet_free(fleet);
}

static void
a_new_node_has_the_stated_defaults(void **state)
{
    cw_fleet *fleet = fleet_of("only");
    cw_node node = get(fleet, "only");

    (void)state;
    CHECK(node.name_len == 4 && strcmp(node.name, "only") == 0, "name");
    CHECK(node.label_len == 4 && strcmp(node.label, "only") == 0, "label");
    CHECK(node.address_len == 0 && node.zone_len == 0, "address, zone");
    CHECK(node.weight == CW_WEIGHT_ONE, "weight %" PRIu64, node.weight);
    CHECK(node.state == CW_UP && node.positions == 0, "state, positions");
    CHECK(cw_fleet_positions(fleet, 0) == NULL, "positions");
    cw_fleet_free(fleet);
}

static void
names_are_bytes_of_any_length(void **state)
{
    static char big[CW_NAME_MAX + 1];
    const size_t lens[] = { 1, 63, 64, 65, 86, 255, 256, CW_NAME_MAX };
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_node node;

    (void)state;
    memset(big, 'x', sizeof big);
    for (size_t i = 0; i < COUNT(lens); i++)
        CHECK_OK(cw_fleet_add(fleet, big, lens[i], 1, NULL));
    CHECK_OK(cw_fleet_add(fleet, "a\0b", 3, 1, NULL));
    CHECK_OK(cw_fleet_add(fleet, "a\0c", 3, 1, NULL));
    CHECK_OK(cw_fleet_add(fleet, "a", 1, 1, NULL));
    CHECK_OK(cw_fleet_add(fleet, "\0", 1, 1, NULL));
    CHECK_OK(cw_fleet_add(fleet, "\0\0", 2, 1, NULL));
    CHECK_OK(cw_fleet_add(fleet, "\xff\xfe\n", 3, 1, NULL));
    for (size_t i = 0; i < COUNT(lens); i++) {
        CHECK_OK(cw_fleet_find(fleet, big, lens[i], &node));
        CHECK(node.name_len == lens[i] && memcmp(node.name, big, lens[i]) == 0
              && node.name[lens[i]] == '\0', "length %zu", lens[i]);
    }
    CHECK_OK(cw_fleet_find(fleet, "a\0c", 3, &node));
    CHECK(node.name_len == 3 && memcmp(node.name, "a\0c", 4) == 0, "NUL");
    CHECK(cw_fleet_find(fleet, "a\0d", 3, &node) == CW_ENOENT, "a NUL d");
    cw_fleet_free(fleet);
}

static void
names_are_copied(void **state)
{
    char name[] = "abc", address[] = "1.2.3.4";
    cw_fleet *fleet = cw_fleet_new(NULL);

    (void)state;
    CHECK_OK(cw_fleet_add(fleet, name, 3, 1, NULL));
    CHECK_OK(cw_fleet_set_address(fleet, name, 3, address, 7, NULL));
    memset(address, 'z', 7);
    memset(name, 'z', 3);
    CHECK(strcmp(get(fleet, "abc").address, "1.2.3.4") == 0, "address");
    cw_fleet_free(fleet);
}

static void
every_setter_sets_and_takes_back(void **state)
{
    const uint64_t positions[] = { 5, 1 };
    cw_fleet *fleet = fleet_of("a,b");

    (void)state;
    CHECK_OK(cw_fleet_set_weight(fleet, "a", 1, 42, NULL));
    CHECK_OK(cw_fleet_set_address(fleet, "a", 1, "x\0y", 3, NULL));
    CHECK_OK(cw_fleet_set_zone(fleet, "a", 1, "z\0", 2, NULL));
    CHECK_OK(cw_fleet_set_state(fleet, "a", 1, CW_DOWN, NULL));
    CHECK_OK(cw_fleet_set_label(fleet, "a", 1, "lab", 3, NULL));
    CHECK_OK(cw_fleet_set_positions(fleet, "a", 1, positions, 2, NULL));
    CHECK(get(fleet, "a").weight == 42, "weight");
    CHECK(get(fleet, "a").address_len == 3, "address");
    CHECK(memcmp(get(fleet, "a").address, "x\0y", 4) == 0, "address");
    CHECK(get(fleet, "a").zone_len == 2, "zone");
    CHECK(get(fleet, "a").state == CW_DOWN, "state");
    CHECK(strcmp(get(fleet, "a").label, "lab") == 0, "label");
    CHECK(get(fleet, "a").positions == 2, "positions");
    CHECK(cw_fleet_positions(fleet, 0)[0] == 5 &&
          cw_fleet_positions(fleet, 0)[1] == 1, "positions");

    CHECK_OK(cw_fleet_set_address(fleet, "a", 1, NULL, 0, NULL));
    CHECK_OK(cw_fleet_set_zone(fleet, "a", 1, NULL, 0, NULL));
    CHECK_OK(cw_fleet_set_state(fleet, "a", 1, CW_UP, NULL));
    CHECK_OK(cw_fleet_set_label(fleet, "a", 1, NULL, 0, NULL));
    CHECK_OK(cw_fleet_set_positions(fleet, "a", 1, NULL, 0, NULL));
    CHECK_OK(cw_fleet_set_weight(fleet, "a", 1, CW_WEIGHT_ONE, NULL));
    {
        cw_fleet *plain = fleet_of("a,b");
        char *got = fleet_dump(fleet), *want = fleet_dump(plain);

        CHECK(strcmp(got, want) == 0, "%s\nnot\n%s", got, want);
        free(got);
        free(want);
        cw_fleet_free(plain);
    }
    cw_fleet_free(fleet);
}

static void
rename_keeps_the_points(void **state)
{
    cw_fleet *fleet = sample();

    (void)state;
    CHECK_OK(cw_fleet_rename(fleet, "a", 1, "new", 3, NULL));
    CHECK(cw_fleet_find(fleet, "a", 1, &(cw_node){ 0 }) == CW_ENOENT, "a");
    CHECK(strcmp(get(fleet, "new").label, "a") == 0, "label of new");
    CHECK(strcmp(get(fleet, "new").address, "10.0.0.1:11211") == 0,
          "address of new");
    CHECK_OK(cw_fleet_rename(fleet, "new", 3, "newer", 5, NULL));
    CHECK(strcmp(get(fleet, "newer").label, "a") == 0, "label of newer");
    CHECK_OK(cw_fleet_rename(fleet, "b", 1, "bb", 2, NULL));
    CHECK(strcmp(get(fleet, "bb").label, "old-b") == 0, "label of bb");
    CHECK_OK(cw_fleet_set_label(fleet, "newer", 5, NULL, 0, NULL));
    CHECK(strcmp(get(fleet, "newer").label, "newer") == 0, "label, taken");
    /* The old name is free again. */
    fleet_add(fleet, "a", 1);
    cw_fleet_free(fleet);
}

static void
rename_to_itself_changes_nothing(void **state)
{
    cw_fleet *fleet = sample();
    char *before = fleet_dump(fleet), *after;
    cw_status status = cw_fleet_rename(fleet, "b", 1, "b", 1, NULL);

    (void)state;
    after = fleet_dump(fleet);
    CHECK(status == CW_OK || status == CW_EEXIST, "%s",
          cw_status_text(status));
    CHECK(strcmp(before, after) == 0, "%s\nnot\n%s", after, before);
    free(before);
    free(after);
    cw_fleet_free(fleet);
}

/* ---- refusals ---------------------------------------------------------- */

static char too_long[CW_NAME_MAX + 1];

#define REFUSAL(name, call)                              \
    static cw_status                                     \
    name(cw_fleet *f, cw_error *err)                     \
    {                                                    \
        return call;                                     \
    }

REFUSAL(add_twice, cw_fleet_add(f, "b", 1, 1, err))
REFUSAL(add_empty, cw_fleet_add(f, "", 0, 1, err))
REFUSAL(add_long, cw_fleet_add(f, too_long, sizeof too_long, 1, err))
REFUSAL(add_heavy, cw_fleet_add(f, "n", 1, CW_WEIGHT_MAX + 1, err))
REFUSAL(add_heaviest, cw_fleet_add(f, "n", 1, UINT64_MAX, err))
REFUSAL(remove_none, cw_fleet_remove(f, "zz", 2, err))
REFUSAL(remove_prefix, cw_fleet_remove(f, "a\0", 2, err))
REFUSAL(remove_empty, cw_fleet_remove(f, "", 0, err))
REFUSAL(weight_none, cw_fleet_set_weight(f, "zz", 2, 1, err))
REFUSAL(weight_heavy, cw_fleet_set_weight(f, "b", 1, CW_WEIGHT_MAX + 1, err))
REFUSAL(address_none, cw_fleet_set_address(f, "zz", 2, "x", 1, err))
REFUSAL(zone_none, cw_fleet_set_zone(f, "zz", 2, "x", 1, err))
REFUSAL(state_none, cw_fleet_set_state(f, "zz", 2, CW_UP, err))
REFUSAL(state_wrong, cw_fleet_set_state(f, "b", 1, (cw_state)3, err))
REFUSAL(label_none, cw_fleet_set_label(f, "zz", 2, "x", 1, err))
REFUSAL(label_long, cw_fleet_set_label(f, "b", 1, too_long, sizeof too_long,
                                       err))
REFUSAL(rename_none, cw_fleet_rename(f, "zz", 2, "x", 1, err))
REFUSAL(rename_taken, cw_fleet_rename(f, "b", 1, "c", 1, err))
REFUSAL(rename_empty, cw_fleet_rename(f, "b", 1, "", 0, err))
REFUSAL(rename_long, cw_fleet_rename(f, "b", 1, too_long, sizeof too_long,
                                     err))
REFUSAL(positions_none, cw_fleet_set_positions(f, "zz", 2, NULL, 0, err))

static const struct {
    const char *what;
    cw_status (*call)(cw_fleet *f, cw_error *err);
    cw_status   want;
    const char *named;      /* must stand in the text */
} refusals[] = {
    { "add a name twice",            add_twice,     CW_EEXIST, "b" },
    { "add an empty name",           add_empty,     CW_EINVAL, "65535" },
    { "add a name of 65536 bytes",   add_long,      CW_EINVAL, "65535" },
    { "add above the weight limit",  add_heavy,     CW_EINVAL, "1000000" },
    { "add with the largest number", add_heaviest,  CW_EINVAL, "1000000" },
    { "remove an unknown node",      remove_none,   CW_ENOENT, "zz" },
    { "remove 'a' plus a NUL",       remove_prefix, CW_ENOENT, "a" },
    { "remove an empty name",        remove_empty,  CW_ENOENT, "" },
    { "weigh an unknown node",       weight_none,   CW_ENOENT, "zz" },
    { "weigh above the limit",       weight_heavy,  CW_EINVAL, "1000000" },
    { "address of an unknown node",  address_none,  CW_ENOENT, "zz" },
    { "zone of an unknown node",     zone_none,     CW_ENOENT, "zz" },
    { "state of an unknown node",    state_none,    CW_ENOENT, "zz" },
    { "a state that is none",        state_wrong,   CW_EINVAL, "" },
    { "label of an unknown node",    label_none,    CW_ENOENT, "zz" },
    { "label of 65536 bytes",        label_long,    CW_EINVAL, "65535" },
    { "rename an unknown node",      rename_none,   CW_ENOENT, "zz" },
    { "rename to a taken name",      rename_taken,  CW_EEXIST, "c" },
    { "rename to nothing",           rename_empty,  CW_EINVAL, "65535" },
    { "rename to 65536 bytes",       rename_long,   CW_EINVAL, "65535" },
    { "positions of no node",        positions_none, CW_ENOENT, "zz" },
};

/* 1000000 and 1,000,000 are the same number to a reader. */
static int
says(const char *text, const char *word)
{
    char plain[sizeof(((cw_error *)NULL)->text)];
    size_t n = 0;

    for (size_t i = 0; text[i] != '\0'; i++)
        if (text[i] != ',')
            plain[n++] = text[i];
    plain[n] = '\0';
    return strstr(plain, word) != NULL;
}

static void
a_refused_call_changes_nothing(void **state)
{
    cw_fleet *fleet = sample();
    char *before = fleet_dump(fleet);

    (void)state;
    memset(too_long, 'x', sizeof too_long);
    for (size_t i = 0; i < COUNT(refusals); i++) {
        cw_error err = { CW_OK, "" };
        cw_status status = refusals[i].call(fleet, &err);
        char *after = fleet_dump(fleet);

        CHECK(status == refusals[i].want, "%s: %s", refusals[i].what,
              cw_status_text(status));
        CHECK(err.status == status, "%s: err says %s", refusals[i].what,
              cw_status_text(err.status));
        CHECK(err.text[0] != '\0' && strchr(err.text, '\n') == NULL &&
              says(err.text, refusals[i].named), "%s: text is '%s'",
              refusals[i].what, err.text);
        CHECK(refusals[i].call(fleet, NULL) == refusals[i].want,
              "%s: without err", refusals[i].what);
        CHECK(strcmp(before, after) == 0, "%s: now\n%s", refusals[i].what,
              after);
        free(after);
    }
    free(before);
    cw_fleet_free(fleet);
}

static void
success_leaves_err_alone(void **state)
{
    cw_error err = { CW_ECORRUPT, "untouched" };
    cw_fleet *fleet = cw_fleet_new(NULL);

    (void)state;
    CHECK_OK(cw_fleet_add(fleet, "a", 1, 1, &err));
    CHECK_OK(cw_fleet_set_weight(fleet, "a", 1, 2, &err));
    CHECK_OK(cw_fleet_rename(fleet, "a", 1, "b", 1, &err));
    CHECK_OK(cw_fleet_remove(fleet, "b", 1, &err));
    CHECK(err.status == CW_ECORRUPT && strcmp(err.text, "untouched") == 0,
          "err is %s", err.text);
    cw_fleet_free(fleet);
}

static void
a_text_about_a_hostile_name_is_one_short_line(void **state)
{
    static char name[CW_NAME_MAX];
    cw_fleet *fleet = fleet_of("a");
    cw_error err = { CW_OK, "" };

    (void)state;
    memset(name, '\n', sizeof name);
    CHECK(cw_fleet_remove(fleet, name, sizeof name, &err) == CW_ENOENT, "?");
    CHECK(memchr(err.text, '\0', sizeof err.text) != NULL, "no end");
    CHECK(strchr(err.text, '\n') == NULL, "%s", err.text);
    CHECK(cw_fleet_remove(fleet, "\x1b[31m\xff\t", 7, &err) == CW_ENOENT, "?");
    for (size_t i = 0; err.text[i] != '\0'; i++)
        CHECK((unsigned char)err.text[i] >= 0x20 &&
              (unsigned char)err.text[i] < 0x7f, "byte %02x in the text",
              (unsigned)(unsigned char)err.text[i]);
    cw_fleet_free(fleet);
}

/* ---- copies, many nodes ------------------------------------------------ */

static void
a_copy_is_a_fleet_of_its_own(void **state)
{
    cw_fleet *fleet = sample(), *copy = cw_fleet_copy(fleet);
    char *one, *two;

    (void)state;
    CHECK(copy != NULL, "no memory");
    one = fleet_dump(fleet);
    two = fleet_dump(copy);
    CHECK(strcmp(one, two) == 0, "copy:\n%s\nof:\n%s", two, one);
    free(two);
    CHECK_OK(cw_fleet_remove(copy, "a", 1, NULL));
    CHECK_OK(cw_fleet_set_positions(copy, "c", 1, NULL, 0, NULL));
    CHECK_OK(cw_fleet_set_weight(copy, "b", 1, 99, NULL));
    two = fleet_dump(fleet);
    CHECK(strcmp(one, two) == 0, "the copy's changes show:\n%s", two);
    cw_fleet_free(fleet);
    CHECK(cw_fleet_count(copy) == 3, "copy");
    CHECK(get(copy, "b").weight == 99, "copy");
    free(one);
    free(two);
    cw_fleet_free(copy);
    cw_fleet_free(NULL);
}

static void
thousands_of_nodes_are_found_again(void **state)
{
    struct rng rng = { test_seed() };
    cw_fleet *fleet = cw_fleet_new(NULL);
    enum { N = 3000 };
    unsigned char *there = must_alloc(N);
    uint32_t count = 0;

    (void)state;
    memset(there, 0, N);
    for (int step = 0; step < 4 * N; step++) {
        uint64_t i = rng_below(&rng, N);
        struct key name = key_numbered("node-", i);
        cw_status status, want;

        if (rng_below(&rng, 3) != 0) {
            want = there[i] ? CW_EEXIST : CW_OK;
            status = cw_fleet_add(fleet, name.data, name.len, i, NULL);
            count += !there[i];
            there[i] = 1;
        } else {
            want = there[i] ? CW_OK : CW_ENOENT;
            status = cw_fleet_remove(fleet, name.data, name.len, NULL);
            count -= there[i];
            there[i] = 0;
        }
        CHECK(status == want, "step %d, %s: %s", step, name.data,
              cw_status_text(status));
        CHECK(cw_fleet_count(fleet) == count, "step %d", step);
    }
    for (uint64_t i = 0; i < N; i++) {
        struct key name = key_numbered("node-", i);
        cw_node node;
        cw_status status = cw_fleet_find(fleet, name.data, name.len, &node);

        CHECK(status == (there[i] ? CW_OK : CW_ENOENT), "%s", name.data);
        CHECK(!there[i] || node.weight == i, "%s: weight", name.data);
    }
    free(there);
    cw_fleet_free(fleet);
}

static void
the_short_way_follows_each_change(void **state)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_node node = { 0 };

    (void)state;
    CHECK(cw_fleet_owner(fleet, "k", 1, &node) == CW_EEMPTY, "empty");
    fleet_add(fleet, "a", CW_WEIGHT_ONE);
    CHECK_OK(cw_fleet_owner(fleet, "k", 1, &node));
    CHECK(strcmp(node.name, "a") == 0, "owner %s", node.name);
    CHECK_OK(cw_fleet_rename(fleet, "a", 1, "z", 1, NULL));
    CHECK_OK(cw_fleet_owner(fleet, "k", 1, &node));
    CHECK(strcmp(node.name, "z") == 0, "owner %s", node.name);
    CHECK_OK(cw_fleet_set_address(fleet, "z", 1, "addr", 4, NULL));
    CHECK_OK(cw_fleet_owner(fleet, "k", 1, &node));
    CHECK(strcmp(node.address, "addr") == 0, "address %s", node.address);
    CHECK_OK(cw_fleet_set_state(fleet, "z", 1, CW_DOWN, NULL));
    CHECK_OK(cw_fleet_owner(fleet, "k", 1, &node));
    CHECK(node.state == CW_DOWN, "state %d", (int)node.state);
    CHECK_OK(cw_fleet_set_weight(fleet, "z", 1, 0, NULL));
    CHECK(cw_fleet_owner(fleet, "k", 1, &node) == CW_EEMPTY, "weight 0");
    fleet_add(fleet, "b", 1);
    CHECK_OK(cw_fleet_owner(fleet, "k", 1, &node));
    CHECK(strcmp(node.name, "b") == 0, "owner %s", node.name);
    CHECK_OK(cw_fleet_remove(fleet, "b", 1, NULL));
    CHECK(cw_fleet_owner(fleet, "k", 1, &node) == CW_EEMPTY, "removed");
    cw_fleet_free(fleet);
}

static void
the_short_way_equals_a_map(void **state)
{
    cw_fleet *fleet = fleet_of("a,b=2,c=0.3,d=0,e");
    cw_map *map = map_of(fleet, NULL);

    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        struct key key = key_numbered("key", i);
        cw_node node;

        CHECK_OK(cw_fleet_owner(fleet, key.data, key.len, &node));
        CHECK(strcmp(node.name, owner_name(map, key.data, key.len)) == 0,
              "%s: %s", key.data, node.name);
    }
    cw_map_unref(map);
    cw_fleet_free(fleet);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nodes_stay_in_list_order),
        TEST(a_new_node_has_the_stated_defaults),
        TEST(names_are_bytes_of_any_length),
        TEST(names_are_copied),
        TEST(every_setter_sets_and_takes_back),
        TEST(rename_keeps_the_points),
        TEST(rename_to_itself_changes_nothing),
        TEST(a_refused_call_changes_nothing),
        TEST(success_leaves_err_alone),
        TEST(a_text_about_a_hostile_name_is_one_short_line),
        TEST(a_copy_is_a_fleet_of_its_own),
        TEST(thousands_of_nodes_are_found_again),
        TEST(the_short_way_follows_each_change),
        TEST(the_short_way_equals_a_map),
    };

    return cmocka_run_group_tests_name("fleet", tests, NULL, NULL);
}
