/* SPDX-License-Identifier: Apache-2.0 */
/* test_requests.c - commands of clients and the keys in them: text, meta,
 * binary, RESP; values of any size; gaps. fuzz_requests cuts them up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/evidence/requests.h"

static const struct evidence_args args;
static struct evidence e;
static struct requests r;
static char seen[4096];             /* "get a 0|set b 5|" */

static void
take(void *context, const struct event *event)
{
    static const char *const kinds[] = { "get", "set", "del" };
    size_t used = strlen(seen);

    (void)context;
    snprintf(seen + used, sizeof seen - used, "%s %.*s %u|",
             kinds[event->kind], (int)event->len, event->key,
             (unsigned)event->bytes);
}

static void
begin(bool lost)
{
    memset(&e, 0, sizeof e);
    evidence_begin(&e);
    e.args = &args;
    e.event = take;
    seen[0] = '\0';
    requests_begin(&r, lost);
}

static void
feed(const char *text)
{
    requests_feed(&r, &e, text, strlen(text));
}

static void
commands(void **state)
{
    static const struct {
        const char *bytes, *keys;
        unsigned    damaged;
    } rows[] = {
        { "get a b\r\n", "get a 0|get b 0|", 0 },
        { "gets a\n", "get a 0|", 0 },
        { "gat 10 a b\r\n", "get a 0|get b 0|", 0 },
        { "set a 0 0 5\r\nget x\r\nget b\r\n", "set a 5|get b 0|", 0 },
        { "cas a 0 0 2 9\r\nhi\r\nincr n 1\r\n", "set a 2|set n 0|", 0 },
        { "delete a noreply\r\ntouch b 1\r\n", "del a 0|set b 0|", 0 },
        { "mg a v\r\nms b 2 T0\r\nhi\r\nmd c\r\nme d\r\n",
          "get a 0|set b 2|del c 0|get d 0|", 0 },
        { "mg Zm9v b v\r\nms Zm9v 2 b\r\nhi\r\n", "get foo 0|set foo 2|", 0 },
        { "rubbish\r\nmore\r\nget a\r\n", "get a 0|", 1 },
        { "set a 0 0 x\r\nget b\r\n", "get b 0|", 1 },
        { "*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "get a 0|", 0 },
        { "*3\r\n$3\r\nset\r\n$1\r\na\r\n$4\r\n\r\n*1\r\n*2\r\n$3\r\nDEL\r\n"
          "$1\r\nb\r\n", "set a 0|del b 0|", 0 },
        { "*3\r\n$4\r\nMGET\r\n$1\r\na\r\n$1\r\nb\r\n*1\r\n$4\r\nPING\r\n",
          "get a 0|get b 0|", 0 },
        { "*2\r\n$x\r\nGET\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "get a 0|", 1 }
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(false);
        feed(rows[i].bytes);
        assert_string_equal(seen, rows[i].keys);
        assert_int_equal(e.tally.damaged, rows[i].damaged);
        assert_int_equal(r.len, 0);
    }
}

/* A command in binary at out; its length. */
static size_t
in_binary(char *out, int op, size_t extras, const char *key,
          const char *value)
{
    size_t key_len = strlen(key), value_len = strlen(value);

    memset(out, 0, 24 + extras);
    out[0] = (char)0x80;
    out[1] = (char)op;
    out[3] = (char)key_len;
    out[4] = (char)extras;
    out[11] = (char)(extras + key_len + value_len);
    memcpy(out + 24 + extras, key, key_len);
    memcpy(out + 24 + extras + key_len, value, value_len);
    return 24 + extras + key_len + value_len;
}

static void
binary(void **state)
{
    char data[400];
    size_t n = 0, i;

    (void)state;
    n += in_binary(data + n, 0, 0, "ab", "");           /* get */
    n += in_binary(data + n, 1, 8, "k", "value");       /* set */
    n += in_binary(data + n, 10, 0, "", "");            /* noop */
    n += in_binary(data + n, 4, 0, "gone", "");         /* delete */
    n += in_binary(data + n, 5, 20, "n", "");           /* increment */
    begin(false);
    for (i = 0; i < n; i++)             /* a byte at a time */
        requests_feed(&r, &e, data + i, 1);
    assert_string_equal(seen, "get ab 0|set k 5|del gone 0|get n 0|");
    assert_int_equal(e.tally.damaged, 0);
    assert_int_equal(e.tally.used, 4);
    begin(false);                       /* a header that is none */
    data[5] = 1;
    requests_feed(&r, &e, data, 26);
    feed("\r\nget a\r\n");
    assert_string_equal(seen, "get a 0|");
    assert_int_equal(e.tally.damaged, 1);
}

/* Values larger than the buffer, in text and RESP, are passed over. */
static void
large_values(void **state)
{
    static char block[100000];
    int i;

    (void)state;
    memset(block, 'v', sizeof block);
    begin(false);
    feed("set a 0 0 1000000\r\n");
    for (i = 0; i < 10; i++)
        requests_feed(&r, &e, block, sizeof block);
    feed("\r\nget b\r\n");
    feed("*3\r\n$3\r\nSET\r\n$1\r\nc\r\n$1000000\r\n");
    for (i = 0; i < 10; i++)
        requests_feed(&r, &e, block, sizeof block);
    feed("\r\n*2\r\n$3\r\nGET\r\n$1\r\nd\r\n");
    assert_string_equal(seen, "set a 1000000|get b 0|set c 0|get d 0|");
    assert_int_equal(e.tally.damaged, 0);
}

static void
gaps(void **state)
{
    (void)state;
    begin(false);                       /* inside a value: nothing is lost */
    feed("set a 0 0 100\r\nvvvvv");
    assert_true(requests_gap(&r, 90));
    feed("vvvvv\r\nget b\r\n");
    assert_string_equal(seen, "set a 100|get b 0|");
    assert_int_equal(e.tally.damaged, 0);

    begin(false);                       /* across its end: the next command */
    feed("set a 0 0 100\r\nvvvvv");
    assert_false(requests_gap(&r, 98));
    feed("t c\r\nrest of some value\r\nget d\r\nrubbish\r\nget f\r\n");
    assert_string_equal(seen, "set a 100|get d 0|get f 0|");
    assert_int_equal(e.tally.damaged, 1);

    begin(false);                       /* inside a command */
    feed("get abc");
    assert_false(requests_gap(&r, 1));
    feed("ef\r\n*2\r\n$3\r\nGET\r\n$1\r\nz\r\n");
    assert_string_equal(seen, "get z 0|");
    assert_int_equal(e.tally.damaged, 0);

    begin(true);                        /* a connection seen from inside */
    feed("$5\r\nhello\r\n*2\r\n$3\r\nGET\r\n$1\r\ny\r\n");
    assert_string_equal(seen, "get y 0|");
    assert_int_equal(e.tally.damaged, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands),
        cmocka_unit_test(binary),
        cmocka_unit_test(large_values),
        cmocka_unit_test(gaps)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
