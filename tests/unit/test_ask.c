/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ask.c - what servers may answer: a scripted one at the other end of a
 * unix socket gives an answer to each request, whole or in small pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/ask/ask.h"

#define MEMCACHED "VERSION 1.6.18\r\n"
#define REDIS "-ERR unknown command 'version'\r\n"

struct server {
    char  folder[32];
    char  path[64];
    pid_t pid;
};

static size_t piece = 1 << 16;      /* bytes that the server writes at once */

static void
say(int fd, const char *answer)
{
    size_t left = strlen(answer);

    while (left > 0) {
        size_t n = left < piece ? left : piece;
        ssize_t done = send(fd, answer, n, MSG_NOSIGNAL);

        if (done <= 0)
            return;
        answer += done;
        left -= (size_t)done;
    }
}

/* One answer a request, then the end; exits with the number of requests. */
static void
serve(int fd, const char *const *answers)
{
    static char request[1 << 16];
    int count = 0, peer = accept(fd, NULL, NULL);

    while (read(peer, request, sizeof request) > 0) {
        count++;
        if (*answers == NULL)
            continue;
        say(peer, *answers++);
        if (*answers == NULL)
            shutdown(peer, SHUT_WR);
    }
    _exit(count);
}

static void
start(struct server *s, const char *const *answers)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(s->folder, "/tmp/test_ask_XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof s->path, "%s/s", s->folder);
    strcpy(address.sun_path, s->path);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address),
                     0);
    assert_int_equal(listen(fd, 1), 0);
    s->pid = fork();
    assert_true(s->pid >= 0);
    if (s->pid == 0)
        serve(fd, answers);
    close(fd);
}

/* Ends the connection; returns how many requests the server got. */
static int
stop(struct server *s, struct ask *a)
{
    int status;

    ask_close(a);
    assert_true(waitpid(s->pid, &status, 0) == s->pid);
    unlink(s->path);
    rmdir(s->folder);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

struct seen {
    int      count;
    size_t   len[8];
    char     key[8][64];
    uint64_t bytes[8];
};

static bool
visit(void *context, const struct ask_key *key)
{
    struct seen *s = context;

    assert_true(s->count < 8 && key->len < 64);
    memcpy(s->key[s->count], key->key, key->len);
    s->len[s->count] = key->len;
    s->bytes[s->count++] = key->bytes;
    return true;
}

/* Ask a server that answers so; the error, or "" when there is none. */
static void
asked(const char *const *answers, uint64_t most, struct seen *seen,
      char error[160])
{
    struct server s;
    struct ask a;
    bool ok;

    memset(seen, 0, sizeof *seen);
    start(&s, answers);
    ok = ask_open(&a, s.path, "11211") && ask_keys(&a, most, visit, seen);
    strcpy(error, ok ? "" : a.error);
    if (!ok)
        assert_true(a.error[0] != '\0');
    stop(&s, &a);
}

static void
memcached_dump(void **state)
{
    const char *answers[] = { MEMCACHED,
        "key=a%20b exp=-1 la=5 cas=1 fetch=no cls=1 size=63\r\n"
        "key=%0d%0a%zz exp=-1 size=7\r\n"
        "key=last\r\nEND\r\n", NULL };
    static const size_t pieces[] = { 1, 7, 1 << 16 };
    struct seen seen;
    char error[160];
    size_t i;

    (void)state;
    for (i = 0; i < 3; i++) {
        piece = pieces[i];
        asked(answers, 100, &seen, error);
        assert_string_equal(error, "");
        assert_int_equal(seen.count, 3);
        assert_memory_equal(seen.key[0], "a b", 3);
        assert_int_equal(seen.len[0], 3);
        assert_int_equal(seen.bytes[0], 63);
        assert_int_equal(seen.len[1], 5);
        assert_memory_equal(seen.key[1], "\r\n%zz", 5);
        assert_int_equal(seen.bytes[1], 7);
        assert_memory_equal(seen.key[2], "last", 4);
        assert_int_equal(seen.bytes[2], 0);
    }
    asked(answers, 1, &seen, error);
    assert_string_equal(error, "");
    assert_int_equal(seen.count, 1);
}

static void
memcached_busy(void **state)
{
    const char *answers[] = { MEMCACHED, "BUSY currently processing crawler "
        "request\r\n", "key=a exp=-1 size=9\r\nEND\r\n", NULL };
    struct seen seen;
    char error[160];

    (void)state;
    asked(answers, 100, &seen, error);
    assert_string_equal(error, "");
    assert_int_equal(seen.count, 1);
}

/* What is wrong, and a part of the error that has to say it. */
static void
wrong_answers(void **state)
{
    static char endless[200001];
    const struct { const char *answers[4], *error; } cases[] = {
        { { "HTTP/1.1 400 Bad Request\r\n", NULL }, "unknown protocol" },
        { { "\r\n", NULL }, "unknown protocol" },
        { { "VERSION", NULL }, "closed the connection" },
        { { endless, NULL }, "a line without end" },
        { { MEMCACHED, "CLIENT_ERROR lru crawler disabled\r\n", NULL },
          "metadump is refused: CLIENT_ERROR lru crawler disabled" },
        { { MEMCACHED, "key= exp=-1\r\nEND\r\n", NULL }, "refused: key= exp" },
        { { MEMCACHED, "key=a exp=-1 size=1\r\nkey=b ex", NULL },
          "closed the connection" },
        { { MEMCACHED, "key=a exp=-1 size=1\r\n", NULL },
          "closed the connection" },
        { { MEMCACHED, endless, NULL }, "a line without end" },
        { { REDIS, "-NOAUTH Authentication required.\r\n", NULL },
          "-NOAUTH Authentication required." },
        { { REDIS, "*3\r\n$1\r\n0\r\n", NULL }, "no cursor" },
        { { REDIS, "*2\r\n$31\r\n", NULL }, "no cursor" },
        { { REDIS, "*2\r\n$0\r\n", NULL }, "no cursor" },
        { { REDIS, "*2\r\n$-1\r\n", NULL }, "unexpected answer: $-1" },
        { { REDIS, "*2x\r\n", NULL }, "unexpected answer: *2x" },
        { { REDIS, "\r\n", NULL }, "unexpected answer" },
        { { REDIS, "*2\r\n$1\r\n0\r\n*1\r\n$9223372036854775807\r\n", NULL },
          "unexpected answer: $9223372036854775807" },
        { { REDIS, "*2\r\n$1\r\n0\r\n*1\r\n$5\r\nab", NULL },
          "closed the connection" },
        { { REDIS, "*2\r\n$1\r\n0\r\n*2\r\n$1\r\na\r\n", NULL },
          "closed the connection" },
        { { REDIS, "*2\r\n$1\r\n0\r\n*-1\r\n", NULL },
          "unexpected answer: *-1" },
    };
    size_t i;

    (void)state;
    memset(endless, 'x', sizeof endless - 1);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen;
        char error[160];

        asked(cases[i].answers, 100, &seen, error);
        if (strstr(error, cases[i].error) == NULL)
            fail_msg("case %zu: \"%s\", expected \"%s\"", i, error,
                     cases[i].error);
    }
}

static void
redis_scan(void **state)
{
    const char *answers[] = { REDIS,
        "*2\r\n$2\r\n17\r\n*1\r\n$4\r\na\r\nb\r\n", ":56\r\n",
        "*2\r\n$1\r\n0\r\n*2\r\n$1\r\nc\r\n$1\r\nd\r\n",
        "-NOPERM no\r\n", ":9\r\n", NULL };
    struct seen seen;
    char error[160];

    (void)state;
    asked(answers, 100, &seen, error);
    assert_string_equal(error, "");
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.len[0], 4);
    assert_memory_equal(seen.key[0], "a\r\nb", 4);
    assert_int_equal(seen.bytes[0], 56);
    assert_int_equal(seen.bytes[1], 0);
    assert_int_equal(seen.bytes[2], 9);
}

static void
removing(void **state)
{
    static const struct {
        const char *answers[3];
        bool ok, removed;
    } cases[] = {
        { { MEMCACHED, "DELETED\r\n", NULL }, true, true },
        { { MEMCACHED, "NOT_FOUND\r\n", NULL }, true, false },
        { { MEMCACHED, "SERVER_ERROR out\r\n", NULL }, false, false },
        { { MEMCACHED, "\r\n", NULL }, false, false },
        { { REDIS, ":1\r\n", NULL }, true, true },
        { { REDIS, ":0\r\n", NULL }, true, false },
        { { REDIS, "-READONLY no\r\n", NULL }, false, false },
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct server s;
        struct ask a;
        bool removed = true;

        start(&s, cases[i].answers);
        assert_true(ask_open(&a, s.path, "11211"));
        assert_int_equal(ask_delete(&a, "key", 3, &removed), cases[i].ok);
        assert_int_equal(removed, cases[i].removed);
        assert_int_equal(stop(&s, &a), 2);
    }
}

/* Two keys that the protocol can name, one between that memcached's cannot;
 * their answers, and what a server may say instead. */
static void
holding(void **state)
{
    static const struct {
        const char *answers[3];
        const char *error;              /* NULL: none                       */
        bool held[3];
    } cases[] = {
        { { MEMCACHED, "HD\r\nEN\r\n", NULL }, NULL, { true } },
        { { MEMCACHED, "EN\r\nHD u\r\n", NULL }, NULL,
          { false, false, true } },
        { { MEMCACHED, "ERROR\r\n", NULL }, "needs memcached 1.6", { 0 } },
        { { MEMCACHED, "HD\r\n", NULL }, "closed the connection", { 0 } },
        { { REDIS, ":1\r\n:0\r\n:1\r\n", NULL }, NULL,
          { true, false, true } },
        { { REDIS, ":0\r\n-MOVED 99 10.0.0.1:6379\r\n:1\r\n", NULL }, NULL,
          { false, false, true } },
        { { REDIS, "-NOAUTH no\r\n", NULL }, "NOAUTH", { 0 } },
        { { REDIS, ":2\r\n", NULL }, "unexpected answer: :2", { 0 } },
    };
    static const struct ask_key keys[] = {
        { "a", 1, 0 }, { "b\r\nflush_all", 12, 0 }, { "c", 1, 0 }
    };
    size_t i, k;

    (void)state;
    piece = 1;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool held[3] = { true, true, true };
        struct server s;
        struct ask a;
        bool ok;

        start(&s, cases[i].answers);
        assert_true(ask_open(&a, s.path, "11211"));
        ok = ask_holds(&a, keys, 3, held);
        assert_int_equal(ok, cases[i].error == NULL);
        if (!ok)
            assert_non_null(strstr(a.error, cases[i].error));
        for (k = 0; ok && k < 3; k++)
            assert_int_equal(held[k], cases[i].held[k]);
        stop(&s, &a);
    }
    piece = 1 << 16;
}

/* A key with a line's end must not become a second command. */
static void
no_command_in_a_key(void **state)
{
    static const char *answers[] = { MEMCACHED, NULL };
    static const char *keys[] = { "a\r\nflush_all", "a b", "", "a\x7f" };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct server s;
        struct ask a;
        bool removed = true;

        start(&s, answers);
        assert_true(ask_open(&a, s.path, "11211"));
        assert_true(ask_delete(&a, keys[i], strlen(keys[i]), &removed));
        assert_false(removed);
        assert_int_equal(stop(&s, &a), 1);      /* only "version" was sent */
    }
}

static void
nobody_there(void **state)
{
    struct ask a;

    (void)state;
    assert_false(ask_open(&a, "/nonexistent/socket", "11211"));
    assert_non_null(strstr(a.error, "cannot connect"));
    ask_close(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memcached_dump),
        cmocka_unit_test(memcached_busy),
        cmocka_unit_test(wrong_answers),
        cmocka_unit_test(redis_scan),
        cmocka_unit_test(removing),
        cmocka_unit_test(holding),
        cmocka_unit_test(no_command_in_a_key),
        cmocka_unit_test(nobody_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
