/* SPDX-License-Identifier: Apache-2.0 */
/* test_str.c - words, UTF-8 and numbers as text. */
#include "base/str.h"
#include "harness.h"

static const struct {
    const char *what;
    const char *bytes;
    size_t      want;       /* length of the character, 0: none */
    uint32_t    code;
} characters[] = {
    { "ASCII", "a", 1, 'a' },
    { "two bytes", "\xc3\xa9", 2, 0xe9 },
    { "three bytes", "\xe2\x82\xac", 3, 0x20ac },
    { "four bytes", "\xf0\x9f\x8c\x80", 4, 0x1f300 },
    { "the largest", "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
    { "above the largest", "\xf4\x90\x80\x80", 0, 0 },
    { "a surrogate", "\xed\xa0\x80", 0, 0 },
    { "overlong, two bytes", "\xc0\xaf", 0, 0 },
    { "overlong, three bytes", "\xe0\x80\xaf", 0, 0 },
    { "overlong, four bytes", "\xf0\x80\x80\xaf", 0, 0 },
    { "cut short", "\xe2\x82", 0, 0 },
    { "continuation first", "\x80", 0, 0 },
    { "never used", "\xff", 0, 0 },
    { "nothing", "", 0, 0 },
};

static void
characters_of_utf_8(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(characters); i++) {
        const char *s = characters[i].bytes;
        uint32_t code = 0;
        size_t got = str_utf8(s, strlen(s), &code);

        CHECK(got == characters[i].want && code == characters[i].code,
              "%s: %zu bytes, U+%04" PRIX32, characters[i].what, got, code);
    }
}

static const struct {
    const char *a, *b;
    unsigned    want;
} distances[] = {
    { "points", "points", 0 }, { "pionts", "points", 1 },
    { "point", "points", 1 },  { "xpoints", "points", 1 },
    { "paints", "points", 1 }, { "", "abc", 3 },
    { "ca", "abc", 3 },        { "kitten", "sitting", 3 },
    { "abcdef", "uvwxyz", 4 },      /* above the limit of 3 */
};

static void
edit_distances(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(distances); i++) {
        const char *a = distances[i].a, *b = distances[i].b;
        unsigned there = str_distance(a, strlen(a), b, strlen(b), 3);
        unsigned back = str_distance(b, strlen(b), a, strlen(a), 3);

        CHECK(there == distances[i].want && back == there,
              "%s, %s: %u and %u", a, b, there, back);
    }
}

static void
whole_numbers_and_their_limits(void **state)
{
    static const struct {
        const char *text;
        uint64_t    max;
        int         ok;
    } cases[] = {
        { "0", 0, 1 },     { "1", 0, 0 },   { "99", 99, 1 },
        { "100", 99, 0 },  { "", 9, 0 },    { "-1", 9, 0 },
        { "+1", 9, 0 },    { " 1", 9, 0 },  { "1 ", 9, 0 },
        { "0x1", 99, 0 },  { "007", 7, 1 }, { "9", 5, 0 },
        { "18446744073709551615", UINT64_MAX, 1 },
        { "18446744073709551616", UINT64_MAX, 0 },
        { "99999999999999999999", UINT64_MAX, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t x = 77;
        int ok = str_uint(cases[i].text, strlen(cases[i].text), cases[i].max,
                          &x);

        CHECK(ok == cases[i].ok, "\"%s\" up to %" PRIu64 ": %d",
              cases[i].text, cases[i].max, ok);
        CHECK(ok || x == 77, "\"%s\" was refused and stored",
              cases[i].text);
    }
}

static void
wide_numbers_in_decimal(void **state)
{
    char text[40];

    (void)state;
    assert_string_equal(str_u128(0, 0, text), "0");
    assert_string_equal(str_u128(0, UINT64_MAX, text),
                        "18446744073709551615");
    assert_string_equal(str_u128(1, 0, text), "18446744073709551616");
    assert_string_equal(str_u128(UINT64_MAX, UINT64_MAX, text),
                        "340282366920938463463374607431768211455");
}

static void
doubles_read_back_as_they_were(void **state)
{
    struct rng rng = { test_seed() };
    char text[32];

    (void)state;
    assert_string_equal(str_double(0.1, text), "0.1");
    assert_string_equal(str_double(0.25, text), "0.25");
    for (int i = 0; i < 10000; i++) {
        double x = (double)rng_next(&rng) / (double)(1 + rng_next(&rng));
        double y = strtod(str_double(x, text), NULL);

        CHECK(memcmp(&x, &y, sizeof x) == 0, "%s is not %.17g", text, x);
    }
}

static void
escapes_leave_one_printable_line(void **state)
{
    struct buf b = { 0 };
    char all[256];

    (void)state;
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    str_escape(&b, all, sizeof all, sizeof all);
    assert_int_equal(str_text_end(b.data, b.len), b.len);
    buf_free(&b);
    str_escape(&b, "a\"b\\c\x1b", 6, 80);
    assert_string_equal(b.data, "a\\\"b\\\\c\\x1b");
    buf_free(&b);
    str_escape(&b, "abcdef", 6, 3);
    assert_string_equal(b.data, "abc...");
    buf_free(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(characters_of_utf_8),
        TEST(edit_distances),
        TEST(whole_numbers_and_their_limits),
        TEST(wide_numbers_in_decimal),
        TEST(doubles_read_back_as_they_were),
        TEST(escapes_leave_one_printable_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
