/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_placement.c - choosing rows and setting options, from the tables: each
 * option of each row is set to its default, to values out of range, and to
 * nonsense.
 */
#include "harness.h"

static const cw_table placements[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };

/* Something that tells two placements apart: the fingerprint of one fleet. */
static uint64_t
print_of(const cw_placement *placement)
{
    cw_fleet *fleet = fleet_of("a,b,c");
    cw_map *map = map_of(fleet, placement);
    uint64_t fingerprint = cw_map_fingerprint(map);

    cw_map_unref(map);
    cw_fleet_free(fleet);
    return fingerprint;
}

static void
default_is_ring_with_xxh3_and_160_points(void **state)
{
    cw_placement *a = placement_of("");
    cw_placement *b = placement_of("algorithm=ring;hash=xxh3;points=160");

    (void)state;
    CHECK(print_of(NULL) == print_of(a), "no placement at all");
    CHECK(print_of(a) == print_of(b), "the defaults, written out");
    cw_placement_free(a);
    cw_placement_free(b);
    cw_placement_free(NULL);
}

static void
tables_end_with_enoent_and_name_all_they_hold(void **state)
{
    (void)state;
    for (unsigned t = CW_TABLE_ALGORITHMS; t <= CW_TABLE_HASHES; t++) {
        cw_row row, other, untouched = { .name = "untouched" };
        unsigned n = 0;

        for (; cw_table_row((cw_table)t, n, &row) == CW_OK; n++) {
            cw_row_option option = { .name = "untouched" };
            unsigned j = 0;

            CHECK(row.name[0] && row.summary[0] && row.source[0],
                  "table %u, row %u: a text is missing", t, n);
            for (const char *c = row.name; *c != '\0'; c++)
                CHECK((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ||
                      *c == '_' || *c == '-', "%s: not lower case", row.name);
            CHECK(t != CW_TABLE_HASHES || row.bits == 32 || row.bits == 64,
                  "%s: %u bits", row.name, row.bits);
            for (unsigned k = 0; k < n; k++) {
                CHECK_OK(cw_table_row((cw_table)t, k, &other));
                CHECK(strcmp(row.name, other.name) != 0, "%s twice",
                      row.name);
            }
            for (; cw_table_row_option((cw_table)t, n, j, &option) == CW_OK;
                 j++)
                CHECK(option.name[0] && option.summary[0] &&
                      option.expected[0] && option.fallback != NULL,
                      "%s: option %u: a text is missing", row.name, j);
            CHECK(j == row.options, "%s: %u options, not %u", row.name, j,
                  row.options);
            CHECK(cw_table_row_option((cw_table)t, n, j + 9, &option) ==
                  CW_ENOENT, "%s: option %u", row.name, j + 9);
        }
        CHECK(n > 0, "table %u is empty", t);
        CHECK(cw_table_row((cw_table)t, n, &untouched) == CW_ENOENT,
              "table %u has no end", t);
        CHECK(strcmp(untouched.name, "untouched") == 0, "row touched");
        CHECK(cw_table_row((cw_table)t, UINT32_MAX, &row) == CW_ENOENT,
              "table %u, last number", t);
        CHECK(cw_table_row_option((cw_table)t, n, 0, &(cw_row_option){ 0 }) ==
              CW_ENOENT, "table %u: option of no row", t);
    }
    CHECK(cw_table_row((cw_table)3, 0, &(cw_row){ 0 }) == CW_ENOENT,
          "a table that is none");
}

static void
choose(cw_placement *placement, cw_table table, const char *name)
{
    CHECK_OK(cw_placement_set(placement, table == CW_TABLE_COMPAT ? "compat" :
                              "algorithm", name, NULL));
}

/* A failed set is told, names the option, and leaves the placement alone. */
static void
refused(cw_placement *placement, const char *option, const char *value,
        const char *row)
{
    uint64_t before = print_of(placement);
    cw_error err = { CW_OK, "" };
    cw_status status = cw_placement_set(placement, option, value, &err);

    CHECK(status == CW_EINVAL || status == CW_ENOENT, "%s: %s=%s: %s", row,
          option, value, cw_status_text(status));
    CHECK(err.status == status && err.text[0] != '\0', "%s: %s=%s: text '%s'",
          row, option, value, err.text);
    CHECK(cw_placement_set(placement, option, value, NULL) == status,
          "%s: %s=%s without err", row, option, value);
    CHECK(print_of(placement) == before, "%s: %s=%s changed it all the same",
          row, option, value);
}

static void
every_option_takes_its_default_and_refuses_nonsense(void **state)
{
    static const char *const nonsense[] = {
        "-1", "no such value at all, in any row of any table", "1.5", "0x10",
        "99999999999999999999999999", " 1", "1 ", "\xff",
    };
    unsigned seen = 0;

    (void)state;
    for (size_t t = 0; t < COUNT(placements); t++) {
        cw_row row;
        cw_placement *p;

        for (unsigned i = 0; (p = placement_of_row(placements[t], i, &row));
             i++) {
            uint64_t before = print_of(p);
            cw_row_option option;

            for (unsigned j = 0; j < row.options; j++, seen++) {
                CHECK_OK(cw_table_row_option(placements[t], i, j, &option));
                if (option.fallback[0] != '\0')
                    CHECK_OK(cw_placement_set(p, option.name, option.fallback,
                                              NULL));
                CHECK(print_of(p) == before, "%s: %s=%s is not the default",
                      row.name, option.name, option.fallback);
                for (size_t k = 0; k < COUNT(nonsense); k++) {
                    /* A short text may be anything. */
                    if (strstr(option.expected, "byte") != NULL && k != 1)
                        continue;
                    refused(p, option.name, nonsense[k], row.name);
                }
            }
            refused(p, "no-such-option", "1", row.name);
            refused(p, "", "1", row.name);
            refused(p, "algorithm", "no-such-row", row.name);
            refused(p, "compat", "no-such-row", row.name);
            refused(p, "algorithm", "", row.name);
            cw_placement_free(p);
        }
    }
    CHECK(seen > 4, "only %u options in all tables", seen);
}

static const struct {
    const char *options, *option, *value;
    cw_status   want;
    const char *text;       /* must be in the message                       */
} mistakes[] = {
    { "", "algoritm", "ring", CW_ENOENT, "algoritm" },
    { "", "algorithm", "rign", CW_ENOENT, "\"ring\"" },
    { "", "algorithm", "rendezvou", CW_ENOENT, "\"rendezvous\"" },
    { "", "compat", "ketama16", CW_ENOENT, "\"ketama160\"" },
    { "", "hash", "xxh33", CW_ENOENT, "\"xxh3\"" },
    { "", "hash", "fnv1a-64", CW_ENOENT, "\"fnv1a_64\"" },
    { "", "point", "10", CW_ENOENT, "\"points\"" },
    { "", "points", "0", CW_EINVAL, "points" },
    { "", "points", "", CW_EINVAL, "points" },
    { "", "points", "many", CW_EINVAL, "\"many\"" },
    { "", "size", "1", CW_EINVAL, "18446744073709551616" },
    { "", "size", "0", CW_EINVAL, "size" },
    { "", "size", "18446744073709551617", CW_EINVAL, "size" },
    { "hash=siphash", "hash-key", "12", CW_EINVAL, "32" },
    { "hash=siphash", "hash-key", "000102030405060708090a0b0c0d0e0g",
      CW_EINVAL, "32" },
    { "hash=siphash", "hash-key", "000102030405060708090a0b0c0d0e0f0",
      CW_EINVAL, "32" },
    { "algorithm=modulo", "points", "3", CW_ENOENT, "points" },
};

static void
mistakes_are_answered_with_the_nearest_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        cw_placement *p = placement_of(mistakes[i].options);
        cw_error err = { CW_OK, "" };
        cw_status status = cw_placement_set(p, mistakes[i].option,
                                            mistakes[i].value, &err);

        CHECK(status == mistakes[i].want, "%s=%s: %s", mistakes[i].option,
              mistakes[i].value, cw_status_text(status));
        CHECK(strstr(err.text, mistakes[i].text) != NULL, "%s=%s: '%s'",
              mistakes[i].option, mistakes[i].value, err.text);
        cw_placement_free(p);
    }
}

static void
a_new_row_starts_from_its_own_defaults(void **state)
{
    cw_placement *p = placement_of("points=7;hash=fnv1a_64");
    cw_placement *plain = placement_of("");

    (void)state;
    CHECK(print_of(p) != print_of(plain), "the options did nothing");
    choose(p, CW_TABLE_COMPAT, "ketama160");
    choose(p, CW_TABLE_ALGORITHMS, "ring");
    CHECK(print_of(p) == print_of(plain), "an option outlived its row");
    cw_placement_free(p);
    cw_placement_free(plain);
}

static void
a_keyed_hash_needs_its_key_when_a_map_is_built(void **state)
{
    cw_placement *p = placement_of("hash=siphash");
    cw_placement *q = placement_of(
        "hash=siphash;hash-key=000102030405060708090a0b0c0d0e0f");
    cw_placement *r = placement_of(
        "hash=siphash;hash-key=000102030405060708090A0B0C0D0E0E");
    cw_fleet *fleet = fleet_of("a,b");
    cw_map *map = NULL;
    cw_error err = { CW_OK, "" };

    (void)state;
    CHECK(cw_map_build(fleet, p, &map, &err) == CW_EINVAL && map == NULL,
          "a map without key");
    CHECK(strstr(err.text, "hash-key") != NULL, "%s", err.text);
    CHECK(print_of(q) != print_of(r), "the key is not in the fingerprint");
    cw_fleet_free(fleet);
    cw_placement_free(p);
    cw_placement_free(q);
    cw_placement_free(r);
}

/* Weights that are 0.5 as decimals and less than that as a sum of doubles:
 * the client divides by 0. */
static void
a_sum_that_is_rounded_to_0_is_refused(void **state)
{
    cw_placement *p = placement_of("compat=cache-memcached-fast");
    cw_fleet *fleet = fleet_of("a=0.209,b=0.08692,c=0.1657,d=0.03838");
    cw_map *map = NULL;
    cw_error err = { CW_OK, "" };

    (void)state;
    CHECK(cw_map_build(fleet, p, &map, &err) == CW_EINVAL && map == NULL,
          "a map that divides by 0");
    CHECK(strstr(err.text, "rounded to 0") != NULL, "%s", err.text);
    CHECK_OK(cw_fleet_set_weight(fleet, "a", 1, 209001, &err));
    CHECK_OK(cw_map_build(fleet, p, &map, &err));
    CHECK_OK(cw_map_owner(map, "key", 3, &(uint32_t){ 0 }));
    cw_map_unref(map);
    cw_fleet_free(fleet);
    cw_placement_free(p);
}

static void
every_hash_serves_the_ring(void **state)
{
    uint64_t prints[64];
    cw_row row;
    unsigned n;

    (void)state;
    for (n = 0; cw_table_row(CW_TABLE_HASHES, n, &row) == CW_OK; n++) {
        char options[160];
        cw_placement *p;

        CHECK(n < COUNT(prints), "more hashes than this test holds");
        (void)snprintf(options, sizeof options, "hash=%s%s", row.name,
                       row.keyed ? ";hash-key="
                       "000102030405060708090a0b0c0d0e0f" : "");
        p = placement_of(options);
        prints[n] = print_of(p);
        for (unsigned k = 0; k < n; k++)
            CHECK(prints[k] != prints[n], "%s: the fingerprint of another",
                  row.name);
        cw_placement_free(p);
    }
    CHECK(n >= 12, "only %u hashes", n);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(default_is_ring_with_xxh3_and_160_points),
        TEST(tables_end_with_enoent_and_name_all_they_hold),
        TEST(every_option_takes_its_default_and_refuses_nonsense),
        TEST(mistakes_are_answered_with_the_nearest_name),
        TEST(a_new_row_starts_from_its_own_defaults),
        TEST(a_keyed_hash_needs_its_key_when_a_map_is_built),
        TEST(a_sum_that_is_rounded_to_0_is_refused),
        TEST(every_hash_serves_the_ring),
    };

    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
