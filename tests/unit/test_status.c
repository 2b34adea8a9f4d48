/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_status.c - every status has its own text, and the library its version.
 */
#include "harness.h"

static const cw_status all[] = {
    CW_OK, CW_ENOMEM, CW_EINVAL, CW_EEXIST, CW_ENOENT, CW_EEMPTY, CW_ELIMIT,
    CW_ENOTSUP, CW_ECORRUPT, CW_EBUSY
};

static void
values_never_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++)
        CHECK((int)all[i] == -(int)i, "status %zu is %d", i, (int)all[i]);
}

static void
each_status_has_a_text_of_its_own(void **state)
{
    const char *unknown = cw_status_text((cw_status)-99);

    (void)state;
    CHECK(unknown != NULL && unknown[0] != '\0', "an unknown status");
    for (size_t i = 0; i < COUNT(all); i++) {
        const char *text = cw_status_text(all[i]);

        CHECK(text != NULL && text[0] != '\0', "status %zu", i);
        CHECK(text == cw_status_text(all[i]), "status %zu: not constant", i);
        CHECK(strchr(text, '\n') == NULL, "status %zu: %s", i, text);
        CHECK(strcmp(text, unknown) != 0, "status %zu has no text", i);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(text, cw_status_text(all[j])) != 0,
                  "status %zu and %zu: %s", i, j, text);
    }
    /* One past the last, and values that are no status at all. */
    CHECK(strcmp(cw_status_text((cw_status)-(int)COUNT(all)), unknown) == 0,
          "the list in this test is short");
    CHECK(strcmp(cw_status_text((cw_status)1), unknown) == 0, "status 1");
}

static void
version_is_that_of_the_header(void **state)
{
    char text[32];

    (void)state;
    (void)snprintf(text, sizeof text, "%d.%d.%d", CW_VERSION_MAJOR,
                   CW_VERSION_MINOR, CW_VERSION_PATCH);
    CHECK(strcmp(cw_version(), text) == 0, "library %s, header %s",
          cw_version(), text);
#ifdef CLOCKWISE_VERSION
    CHECK(strcmp(text, CLOCKWISE_VERSION) == 0, "header %s, build %s", text,
          CLOCKWISE_VERSION);
#endif
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_never_change),
        TEST(each_status_has_a_text_of_its_own),
        TEST(version_is_that_of_the_header),
    };

    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
