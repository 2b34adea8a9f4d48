/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_error.c - texts of errors: what the formatter knows, that a text is
 * always one line of UTF-8 that fits, whatever the names in it.
 */
#include "core/algo.h"
#include "core/core.h"
#include "harness.h"

static const char *
name_text(const char *bytes, size_t len)
{
    static cw_error err;

    memset(&err, 0xaa, sizeof err);
    CHECK(cwi_fail(&err, CW_ENOENT, "%n", (const void *)bytes, len) ==
          CW_ENOENT, "status");
    CHECK(err.status == CW_ENOENT, "status in err");
    CHECK(memchr(err.text, 0, sizeof err.text) != NULL, "no NUL");
    return err.text;
}

static void
each_conversion_writes_its_form(void **state)
{
    cw_error err;

    (void)state;
    CHECK(cwi_fail(&err, CW_EINVAL, "%s|%n|%u|%u|%w|%w|%w|100%", "word",
                   (const void *)"na\0me", (size_t)5, UINT64_C(0), UINT64_MAX,
                   UINT64_C(1500000), UINT64_C(1), UINT64_C(2000000)) ==
          CW_EINVAL, "status");
    CHECK(strcmp(err.text, "word|\"na\\x00me\"|0|18446744073709551615|1.5|"
                           "0.000001|2|100?") == 0, "%s", err.text);
    CHECK(cwi_fail(NULL, CW_ELIMIT, "%s", "x") == CW_ELIMIT, "without err");
}

/* One line, UTF-8, no control characters: true of every text there is. */
static int
well_formed(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    while (*s != '\0') {
        uint32_t c = *s;
        unsigned more = c < 0x80 ? 0 : c < 0xc2 ? 9 : c < 0xe0 ? 1 :
                        c < 0xf0 ? 2 : c < 0xf5 ? 3 : 9;

        if (more == 9)
            return 0;
        c = more == 0 ? c : c & (0x3fu >> more);
        for (s++; more > 0; more--, s++) {
            if ((*s & 0xc0) != 0x80)
                return 0;
            c = c << 6 | (*s & 0x3fu);
        }
        if (c < 0x20 || (c >= 0x7f && c < 0xa0) ||
            (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
            return 0;
    }
    return 1;
}

static const struct {
    const char *what;
    const char *name;
    size_t      len;
    const char *want;
} names[] = {
    { "plain",                "cache-a", 7, "\"cache-a\"" },
    { "empty",                "", 0, "\"\"" },
    { "quote and backslash",  "\"\\", 2, "\"\\x22\\x5c\"" },
    { "line feed, tab, ESC",  "\n\t\x1b", 3, "\"\\x0a\\x09\\x1b\"" },
    { "DEL",                  "\x7f", 1, "\"\\x7f\"" },
    { "two-byte letter",      "caf\xc3\xa9", 5, "\"caf\xc3\xa9\"" },
    { "four-byte sign",       "\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"" },
    { "a byte that is no UTF-8", "a\xff" "b", 3, "\"a\\xffb\"" },
    { "half a letter",        "\xc3", 1, "\"\\xc3\"" },
    { "a stray second byte",  "\xa9", 1, "\"\\xa9\"" },
    { "C1 control (CSI)",     "\xc2\x9b", 2, "\"\\xc2\\x9b\"" },
    { "overlong slash",       "\xc0\xaf", 2, "\"\\xc0\\xaf\"" },
    { "a surrogate",          "\xed\xa0\x80", 3, "\"\\xed\\xa0\\x80\"" },
    { "beyond Unicode",       "\xf4\x90\x80\x80", 4,
      "\"\\xf4\\x90\\x80\\x80\"" },
};

static void
names_are_quoted_and_made_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *got = name_text(names[i].name, names[i].len);

        CHECK(strcmp(got, names[i].want) == 0, "%s: got %s", names[i].what,
              got);
    }
}

static void
long_names_are_cut_between_characters(void **state)
{
    static char bytes[4000];

    (void)state;
    for (size_t unit = 1; unit <= 4; unit++) {
        static const char *const letters[] = {
            "x", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80"
        };

        for (size_t shift = 0; shift < 4; shift++) {
            size_t len = shift;
            const char *text;

            memset(bytes, 'a', sizeof bytes);
            while (len + unit < sizeof bytes) {
                memcpy(bytes + len, letters[unit - 1], unit);
                len += unit;
            }
            text = name_text(bytes, len);
            CHECK(well_formed(text), "unit %zu, shift %zu: %s", unit, shift,
                  text);
            CHECK(strlen(text) <= 80 + 5, "%zu bytes", strlen(text));
            CHECK(strcmp(text + strlen(text) - 4, "\"...") == 0, "%s", text);
        }
    }
}

static void
any_bytes_make_a_well_formed_text(void **state)
{
    struct rng rng = { test_seed() };
    char bytes[128];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t len = (size_t)rng_below(&rng, sizeof bytes);
        cw_error err;

        for (size_t j = 0; j < len; j++)
            bytes[j] = (char)(unsigned char)(rng_below(&rng, 2) ? 0x80 +
                       rng_below(&rng, 128) : rng_below(&rng, 256));
        (void)cwi_fail(&err, CW_EINVAL, "%n and %n and %n",
                       (const void *)bytes, len, (const void *)bytes, len,
                       (const void *)bytes, len);
        CHECK(well_formed(err.text), "round %d: %s", i, err.text);
    }
}

static void
a_text_that_is_too_long_is_cut(void **state)
{
    char word[600];
    cw_error err[2];

    (void)state;
    memset(word, 'w', sizeof word);
    word[sizeof word - 1] = '\0';
    memset(err, 0x55, sizeof err);
    (void)cwi_fail(&err[0], CW_EINVAL, "%s%s", word, word);
    CHECK(strlen(err[0].text) == sizeof err[0].text - 1, "%zu bytes",
          strlen(err[0].text));
    CHECK(err[1].text[0] == 0x55, "written past the end");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_conversion_writes_its_form),
        TEST(names_are_quoted_and_made_harmless),
        TEST(long_names_are_cut_between_characters),
        TEST(any_bytes_make_a_well_formed_text),
        TEST(a_text_that_is_too_long_is_cut),
    };

    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
