/* SPDX-License-Identifier: Apache-2.0 */
/* test_md5_lanes.c - MD5 of many texts is the MD5 of each. */
#include "harness.h"

#include "core/hash.h"

enum { MANY = 100, LONGEST = 200 };

static void
check(const struct cwi_text_ref *text, size_t n, const char *what)
{
    uint32_t got[MANY + 1][4];
    uint8_t digest[16];

    for (int way = CWI_MD5_C; way <= (int)cwi_md5_best(); way++) {
        memset(got, 0xee, sizeof got);
        cwi_md5_by((enum cwi_md5_way)way, text, n, got);
        for (size_t i = 0; i < n; i++) {
            cwi_md5(text[i].data, text[i].len, digest);
            for (unsigned k = 0; k < 4; k++)
                CHECK(got[i][k] == cwi_load32le(digest + 4 * k),
                      "%s: way %d, text %zu of %zu, %zu bytes", what, way, i,
                      n, text[i].len);
            CHECK(cwi_md5_le(text[i].data, text[i].len) == got[i][0],
                  "%s: first word, %zu bytes", what, text[i].len);
        }
        CHECK(got[n][0] == 0xeeeeeeee, "%s: wrote past %zu", what, n);
    }
}

static void
every_length_and_number(void **state)
{
    static uint8_t bytes[MANY][LONGEST];
    struct cwi_text_ref text[MANY];
    struct rng rng = { test_seed() };

    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = 0; k < LONGEST; k++)
            bytes[i][k] = (uint8_t)rng_next(&rng);
    }
    for (size_t len = 0; len <= LONGEST; len++) {
        for (size_t i = 0; i < MANY; i++) {
            text[i].data = bytes[i];
            text[i].len = len;
        }
        check(text, 16, "equal lengths");
    }
    for (unsigned round = 0; round < 200; round++) {
        for (size_t i = 0; i < MANY; i++) {
            text[i].data = bytes[i];
            text[i].len = (size_t)rng_below(&rng, round % 2 ? 56 : LONGEST);
        }
        check(text, (size_t)rng_below(&rng, MANY + 1), "mixed lengths");
    }
    text[0].data = NULL;
    text[0].len = 0;
    check(text, 1, "no bytes");
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(every_length_and_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
