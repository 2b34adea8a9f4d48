/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_weight.c - reading weights, from text and from doubles.
 */
#include <math.h>

#include "harness.h"

#define BAD UINT64_MAX

static const struct {
    const char *text;
    uint64_t    want;       /* millionths; BAD: refused */
} texts[] = {
    { "0", 0 },
    { "1", 1000000 },
    { "2", 2000000 },
    { "0.5", 500000 },
    { "1.000001", 1000001 },
    { "0.000001", 1 },
    { "1000000", UINT64_C(1000000000000) },
    { "1000000.000000", UINT64_C(1000000000000) },
    { "999999.999999", UINT64_C(999999999999) },
    { "0000001", 1000000 },
    { "1.50", 1500000 },
    { "0.1", 100000 },
    { "0.3", 300000 },
    { "", BAD },
    { ".", BAD },
    { "-1", BAD },
    { "-0", BAD },
    { "+1", BAD },
    { " 1", BAD },
    { "1 ", BAD },
    { "1e3", BAD },
    { "0x10", BAD },
    { "nan", BAD },
    { "inf", BAD },
    { "1,5", BAD },
    { "1.5.5", BAD },
    { "1.0000001", BAD },
    { "0.0000001", BAD },
    { "1000000.000001", BAD },
    { "1000001", BAD },
    { "18446744073709551616", BAD },
    { "18446744073710551616", BAD },
    { "99999999999999999999999999999999999999999999", BAD },
    { "two", BAD },
    { "1\n", BAD },
};

static void
text_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint64_t got = 12345;
        cw_error err = { CW_OK, "" };
        cw_status status = cw_weight_parse(texts[i].text,
                                           strlen(texts[i].text), &got, &err);

        if (texts[i].want != BAD) {
            CHECK(status == CW_OK, "'%s': %s", texts[i].text, err.text);
            CHECK(got == texts[i].want, "'%s': got %" PRIu64, texts[i].text,
                  got);
            CHECK(err.status == CW_OK && err.text[0] == '\0',
                  "'%s': err touched", texts[i].text);
            continue;
        }
        CHECK(status == CW_EINVAL && err.status == CW_EINVAL, "'%s': %s",
              texts[i].text, cw_status_text(status));
        CHECK(got == 12345, "'%s': out was touched", texts[i].text);
        CHECK(err.text[0] != '\0', "'%s': no text", texts[i].text);
        CHECK(cw_weight_parse(texts[i].text, strlen(texts[i].text), &got,
                              NULL) == CW_EINVAL, "'%s' without err",
              texts[i].text);
    }
}

static void
only_len_bytes_are_read(void **state)
{
    uint64_t got = 0;

    (void)state;
    CHECK_OK(cw_weight_parse("25", 1, &got, NULL));
    CHECK(got == 2000000, "got %" PRIu64, got);
    CHECK(cw_weight_parse("1\0002", 3, &got, NULL) == CW_EINVAL, "a NUL");
}

/* Every weight that has a text has the same value from its double. */
static void
doubles_mean_their_decimal(void **state)
{
    struct rng rng = { test_seed() };

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t want = rng_below(&rng, CW_WEIGHT_MAX + 1);
        uint64_t got = 0;
        char text[40];

        if (i % 2)
            want >>= rng_below(&rng, 40);
        (void)snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64,
                       want / 1000000, want % 1000000);
        CHECK_OK(cw_weight_parse(text, strlen(text), &got, NULL));
        CHECK(got == want, "%s read as %" PRIu64, text, got);
        got = 0;
        CHECK(cw_weight_from_double(strtod(text, NULL), &got, NULL) == CW_OK,
              "%s as a double", text);
        CHECK(got == want, "%s as a double is %" PRIu64, text, got);
    }
}

static void
doubles_without_decimal_are_refused(void **state)
{
    const double bad[] = {
        NAN, -NAN, INFINITY, -INFINITY, -1.0, -0.000001, 1e-7, 0.0000015,
        1.0 / 3.0, 1000000.000001, 1000001.0, 1e300, 5e-324, -5e-324,
        nextafter(1.0, 2.0), nextafter(1.0, 0.0), nextafter(0.1, 1.0),
        nextafter(1000000.0, 2e6)
    };
    uint64_t got = 7;

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        cw_error err = { CW_OK, "" };

        CHECK(cw_weight_from_double(bad[i], &got, &err) == CW_EINVAL,
              "%.17g is taken", bad[i]);
        CHECK(got == 7, "%.17g: out was touched", bad[i]);
        CHECK(err.status == CW_EINVAL && err.text[0] != '\0', "%.17g",
              bad[i]);
        CHECK(cw_weight_from_double(bad[i], &got, NULL) == CW_EINVAL,
              "%.17g without err", bad[i]);
    }
}

static void
double_ends_of_the_range(void **state)
{
    uint64_t got = 7;

    (void)state;
    CHECK_OK(cw_weight_from_double(0.0, &got, NULL));
    CHECK(got == 0, "0.0 is %" PRIu64, got);
    CHECK_OK(cw_weight_from_double(1000000.0, &got, NULL));
    CHECK(got == CW_WEIGHT_MAX, "1000000.0 is %" PRIu64, got);
    CHECK_OK(cw_weight_from_double(0.000001, &got, NULL));
    CHECK(got == 1, "0.000001 is %" PRIu64, got);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(text_is_read_or_refused),
        TEST(only_len_bytes_are_read),
        TEST(doubles_mean_their_decimal),
        TEST(doubles_without_decimal_are_refused),
        TEST(double_ends_of_the_range),
    };

    return cmocka_run_group_tests_name("weight", tests, NULL, NULL);
}
