/* SPDX-License-Identifier: Apache-2.0 */
/* test_score.c - the integer score against its vectors and against libm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/score.h"

/* log2(1 + i / 256) by squaring: a bit each time it passes 2. */
static uint64_t
log_bits(unsigned i)
{
    uint64_t y = (uint64_t)(256 + i) << 23;
    uint64_t r = 0;
    int      bit;

    for (bit = 0; bit < 40; bit++) {
        y = (y * y) >> 31;
        r <<= 1;
        if (y >> 32) {
            r |= 1;
            y >>= 1;
        }
    }
    return r;
}

static void
table_entries(void **state)
{
    unsigned i;

    (void)state;
    /* 256 + i has no bits between two entries: cwi_lg is the entry itself. */
    for (i = 0; i < 256; i++)
        assert_int_equal(cwi_lg(256 + i) - (UINT64_C(8) << 40), log_bits(i));
    assert_int_equal(log_bits(1), UINT64_C(6184257104));
    assert_int_equal(log_bits(128), UINT64_C(643173071335));
    assert_int_equal(log_bits(255), UINT64_C(1096410434221));
    assert_int_equal(cwi_lg(UINT64_MAX) >> 40, 63);
}

static void
published_values(void **state)
{
    (void)state;
    assert_int_equal(cwi_gum(0), -84630889);
    assert_int_equal(cwi_gum(UINT32_C(1) << 31), 1);
    assert_int_equal(cwi_gum(UINT32_MAX), 544733027);
    assert_int_equal(cwi_log_weight(1), 0);
    assert_int_equal(cwi_log_weight(2), 16777216);
    /* Rank and score of slot 0 for node "a" in docs/formats/slots.md. */
    assert_int_equal(cwi_gum(UINT32_C(0x10dbe81a)), -33093529);
}

static void
never_falls(void **state)
{
    uint64_t x;
    uint32_t r = 0;
    int32_t  before = cwi_gum(0);

    (void)state;
    for (x = 1; x < 200000; x++)
        assert_true(cwi_lg(x) <= cwi_lg(x + 1));
    while (r <= UINT32_MAX - 4099) {
        r += 4099;
        assert_true(cwi_gum(r) >= before);
        before = cwi_gum(r);
    }
    for (r = UINT32_MAX - 100000; r != UINT32_MAX; r++)
        assert_true(cwi_gum(r) <= cwi_gum(r + 1));
}

static void
close_to_real_logarithm(void **state)
{
    const double two24 = 16777216.0;
    uint32_t     r;

    (void)state;
    for (r = 12345; r < UINT32_MAX - 99991; r += 99991) {
        double u = (2.0 * r + 1.0) / 8589934592.0;
        double v = -log2(-log2(u));
        double limit = u < 1.0 - 1.0 / 8192 ? 0.0015 : 0.0027;

        assert_true(fabs(cwi_gum(r) / two24 - v) <= limit);
    }
    assert_true(fabs(cwi_log_weight(1000000000000) / two24 - log2(1e12)) <
                1e-5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_entries),
        cmocka_unit_test(published_values),
        cmocka_unit_test(never_falls),
        cmocka_unit_test(close_to_real_logarithm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
