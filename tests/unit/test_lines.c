/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lines.c - records of a stream come out as they went in, wherever the
 * buffer ends.
 */
#include <unistd.h>

#include "base/lines.h"
#include "harness.h"

/* A descriptor that gives these bytes. */
static int
descriptor(const char *data, size_t len)
{
    FILE *file = tmpfile();
    int fd;

    CHECK(file != NULL, "tmpfile");
    CHECK(fwrite(data, 1, len, file) == len && fflush(file) == 0, "write");
    fd = dup(fileno(file));
    fclose(file);
    CHECK(lseek(fd, 0, SEEK_SET) == 0, "lseek");
    return fd;
}

/* Records of data by lines_next(), n at a time, against a plain split. */
static void
compare(const char *data, size_t len, char separator, size_t n,
        const char *what)
{
    struct lines_record got[16];
    struct lines lines;
    size_t at = 0, count, i;
    int fd = descriptor(data, len);

    lines_init(&lines, fd, separator);
    while ((count = lines_next(&lines, got, n)) > 0) {
        CHECK(count <= n, "%s: %zu records at once", what, count);
        for (i = 0; i < count; i++) {
            const char *stop = at < len
                ? memchr(data + at, separator, len - at) : NULL;
            size_t want = stop ? (size_t)(stop - data) - at : len - at;

            CHECK(at < len, "%s: a record too many", what);
            CHECK(got[i].len == want
                  && memcmp(got[i].data, data + at, want) == 0,
                  "%s: record at byte %zu: %zu bytes, not %zu", what, at,
                  got[i].len, want);
            at += want + 1;
        }
    }
    CHECK(at >= len, "%s: bytes from %zu on are missing", what, at);
    CHECK(lines.error == 0, "%s: error %d", what, lines.error);
    lines_free(&lines);
    close(fd);
}

static void
small_streams(void **state)
{
    static const char *const streams[] = {
        "", "\n", "a", "a\n", "\n\n", "a\n\nb", "a\nb\n", "\na", " a \r\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++)
        for (size_t n = 1; n <= 3; n++)
            compare(streams[i], strlen(streams[i]), '\n', n, streams[i]);
    compare("a\0\0b\nc\0", 7, '\0', 2, "NUL between records");
    compare("a\0b\n\0", 5, '\n', 2, "NUL in records");
}

/* Lengths around the buffer's, and many short records across its end. */
static void
streams_longer_than_the_buffer(void **state)
{
    enum { BUFFER = 1 << 18, MOST = 3 * BUFFER + 100 };
    static const size_t lengths[] = {
        BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER, 3 * BUFFER
    };
    char *data = malloc(MOST);
    struct rng rng = { test_seed() };

    (void)state;
    CHECK(data != NULL, "memory");
    for (size_t i = 0; i < COUNT(lengths); i++) {
        memset(data, 'k', MOST);
        compare(data, lengths[i], '\n', 4, "one record without an end");
        data[lengths[i]] = '\n';
        compare(data, lengths[i] + 1, '\n', 4, "one record");
        data[3] = '\n';
        compare(data, lengths[i] + 50, '\n', 4, "short, long, short");
    }
    for (size_t i = 0; i < MOST; i++)
        data[i] = rng_below(&rng, 12) == 0 ? '\n' : 'k';
    compare(data, MOST, '\n', 16, "short records");
    free(data);
}

static void
a_descriptor_that_cannot_be_read(void **state)
{
    struct lines_record got[1];
    struct lines lines;

    (void)state;
    lines_init(&lines, -1, '\n');
    assert_int_equal(lines_next(&lines, got, 1), 0);
    assert_true(lines.error != 0);
    lines_free(&lines);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(small_streams),
        TEST(streams_longer_than_the_buffer),
        TEST(a_descriptor_that_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
