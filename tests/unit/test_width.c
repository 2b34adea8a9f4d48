/* SPDX-License-Identifier: Apache-2.0 */
/* test_width.c - columns of a terminal that texts take. */
#include "base/width.h"
#include "harness.h"

static const struct {
    const char *what;
    const char *text;
    size_t      columns;
} texts[] = {
    { "nothing", "", 0 },
    { "ASCII", "cache-a", 7 },
    { "Latin", "caf\xc3\xa9", 4 },
    { "e and a mark on it", "e\xcc\x81", 1 },
    { "Thai with a vowel above", "\xe0\xb8\x81\xe0\xb8\xb4", 1 },
    { "Japanese", "\xe6\x97\xa5\xe6\x9c\xac", 4 },
    { "Hangul", "\xed\x95\x9c", 2 },
    { "Hangul of two letters", "\xe1\x84\x80\xe1\x85\xa1", 2 },
    { "half-width katakana", "\xef\xbd\xb1", 1 },
    { "full-width A", "\xef\xbc\xa1", 2 },
    { "an ideographic space", "\xe3\x80\x80", 2 },
    { "a rocket", "\xf0\x9f\x9a\x80", 2 },
    { "a watch, the first of its range", "\xe2\x8c\x9a", 2 },
    { "before it", "\xe2\x8c\x99", 1 },
    { "the last wide one", "\xf0\xbf\xbf\xbd", 2 },
    { "behind it", "\xf0\xbf\xbf\xbe", 1 },
    { "a block of a bar", "\xe2\x96\x88", 1 },
    { "no UTF-8", "\xff\xe6\x97", 3 },
};

static void
columns_of_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t got = width_text(texts[i].text, strlen(texts[i].text));

        CHECK(got == texts[i].columns, "%s: %zu columns", texts[i].what, got);
    }
}

/* A wide character that fits by half is left out; a mark comes along. */
static void
cut_between_characters(void **state)
{
    static const char text[] = "a\xe6\x97\xa5" "e\xcc\x81" "b";
    static const size_t bytes[] = { 0, 1, 1, 4, 7, 8, 8 };

    (void)state;
    for (size_t i = 0; i < COUNT(bytes); i++) {
        size_t got = width_cut(text, sizeof text - 1, i);

        CHECK(got == bytes[i], "%zu columns: %zu bytes", i, got);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(columns_of_texts),
        TEST(cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
