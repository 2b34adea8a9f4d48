/* SPDX-License-Identifier: Apache-2.0 */
/* test_stream.c - lines of plain, gzip and zstd files, whole, several behind
 * each other, cut at every place; lines without end in constant memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "cli/evidence/stream.h"

static char path[] = "/tmp/cw-test-stream-XXXXXX";

static void
put(const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static size_t
gzip(const char *text, size_t len, unsigned char *out, size_t room)
{
    z_stream z = { 0 };

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8,
                                  Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (unsigned)len;
    z.next_out = out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* All lines with '|' behind each into out; how the stream ended. */
static struct stream
lines(char *out, size_t room)
{
    const char *line;
    struct stream s;
    size_t len, used = 0;
    bool endless;

    assert_true(stream_open(&s, path, '\n'));
    while (stream_line(&s, &line, &len, &endless)) {
        if (endless) {
            line = "?";
            len = 1;
        }
        assert_true(used + len + 2 < room);
        memcpy(out + used, line, len);
        used += len;
        out[used++] = '|';
    }
    out[used] = '\0';
    stream_close(&s);
    return s;
}

static void
plain(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "", "" }, { "a", "a|" }, { "a\n", "a|" }, { "a\n\nb", "a||b|" },
        { "a\r\nb\r\n", "a|b|" }, { "\r\n", "|" }, { "a\rb\n", "a\rb|" },
        { "\n", "|" }, { "\r", "|" }
    };
    struct stream s;
    char out[100];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(rows[i].text, strlen(rows[i].text));
        s = lines(out, sizeof out);
        assert_string_equal(out, rows[i].want);
        assert_false(s.truncated || s.damaged);
        assert_int_equal(s.bytes, strlen(rows[i].text));
    }
    assert_false(stream_open(&s, "/nonexistent/file", '\n'));
}

/* Both compressions: one member, and two with a line across them. */
static void
compressed(void **state)
{
    static const char text[] = "first\nsecond\nthi", rest[] = "rd\nlast\n";
    unsigned char data[400];
    char out[100];
    struct stream s;
    size_t n, kind;

    (void)state;
    for (kind = 0; kind < 2; kind++) {
        n = kind == 0 ? gzip(text, strlen(text), data, sizeof data)
            : ZSTD_compress(data, sizeof data, text, strlen(text), 1);
        put(data, n);
        s = lines(out, sizeof out);
        assert_string_equal(out, "first|second|thi|");
        assert_false(s.truncated || s.damaged);
        n += kind == 0 ? gzip(rest, strlen(rest), data + n, sizeof data - n)
            : ZSTD_compress(data + n, sizeof data - n, rest, strlen(rest),
                            1);
        put(data, n);
        s = lines(out, sizeof out);
        assert_string_equal(out, "first|second|third|last|");
        assert_false(s.truncated || s.damaged);
    }
}

/* Cut anywhere inside, it is said to break off, and what came is given. */
static void
cut(void **state)
{
    static const char text[] = "first\nsecond\nthird\n";
    unsigned char data[2][200];
    size_t n[2], kind, at;
    char out[100];
    struct stream s;

    (void)state;
    n[0] = gzip(text, strlen(text), data[0], sizeof data[0]);
    n[1] = ZSTD_compress(data[1], sizeof data[1], text, strlen(text), 1);
    for (kind = 0; kind < 2; kind++)
        for (at = 4; at < n[kind]; at++) {
            put(data[kind], at);
            s = lines(out, sizeof out);
            assert_true(s.truncated && !s.damaged);
            /* as far as it goes; the last line may be in two */
            assert_true(strlen(out) <= strlen(text) + 1);
        }
    memset(data[0] + 12, 0xff, 8);      /* rubbish inside */
    put(data[0], n[0]);
    s = lines(out, sizeof out);
    assert_true(s.damaged || s.truncated);
}

/* A line of many megabytes is one line that is not given; the buffer does not
 * grow, and the next lines are there. */
static void
endless(void **state)
{
    static char block[1 << 16];
    FILE *f = fopen(path, "wb");
    char out[100];
    struct stream s;
    int i;

    (void)state;
    assert_non_null(f);
    memset(block, 'x', sizeof block);
    fputs("before\n", f);
    for (i = 0; i < 100; i++)
        fwrite(block, 1, sizeof block, f);
    fputs("\nafter\n", f);
    for (i = 0; i < 40; i++)
        fwrite(block, 1, sizeof block, f);
    assert_int_equal(fclose(f), 0);
    s = lines(out, sizeof out);
    assert_string_equal(out, "before|?|after|?|");
    assert_true(s.bytes > 9000000);
}

/* Bytes for a reader of binary files, a peek in front; lines that end with
 * NUL keep their '\r'. */
static void
bytes(void **state)
{
    const char *data;
    struct stream s;
    char to[8];
    size_t len;
    bool endless;

    (void)state;
    put("ab\r\0cd\n\0", 8);
    assert_true(stream_open(&s, path, '\0'));
    assert_true(stream_peek(&s, &data, &len));
    assert_int_equal(len, 8);
    assert_true(stream_line(&s, &data, &len, &endless));
    assert_int_equal(len, 3);
    assert_int_equal(stream_bytes(&s, to, 2), 2);
    assert_memory_equal(to, "cd", 2);
    assert_int_equal(stream_bytes(&s, to, sizeof to), 2);
    assert_int_equal(stream_bytes(&s, to, sizeof to), 0);
    assert_false(stream_peek(&s, &data, &len));
    stream_close(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(compressed),
        cmocka_unit_test(cut),
        cmocka_unit_test(endless),
        cmocka_unit_test(bytes)
    };
    int fd = mkstemp(path), failed;

    if (fd < 0)
        return 1;
    close(fd);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
