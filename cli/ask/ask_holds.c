/* SPDX-License-Identifier: Apache-2.0 */
/* ask_holds.c - which of these keys a server holds, without touching them:
 * no value is sent, no item becomes younger. */
#include <stdio.h>
#include <string.h>

#include "cli/ask/ask.h"

enum { BATCH = 128 };       /* questions under way; their answers are short */

static bool
unexpected(struct ask *a, const char *line, size_t len)
{
    snprintf(a->error, sizeof a->error, "unexpected answer: %.*s%s",
             (int)(len < 100 ? len : 100), line,
             a->redis ? "" : " (mg needs memcached 1.6)");
    return false;
}

/* "HD" or "EN"; ":1" or ":0", and of a Redis cluster "-MOVED 12 host:port". */
static bool
answer(struct ask *a, bool *held)
{
    const char *line;
    size_t len;

    if (!ask_line(a, &line, &len))
        return false;
    if (a->redis) {
        *held = len == 2 && memcmp(line, ":1", 2) == 0;
        return *held || (len == 2 && memcmp(line, ":0", 2) == 0)
               || (len > 7 && memcmp(line, "-MOVED ", 7) == 0)
               || unexpected(a, line, len);
    }
    *held = len >= 2 && memcmp(line, "HD", 2) == 0;
    return *held || (len == 2 && memcmp(line, "EN", 2) == 0)
           || unexpected(a, line, len);
}

static bool
can_ask(const struct ask *a, const struct ask_key *k)
{
    return a->redis || ask_text_key(k->key, k->len);
}

static void
question(const struct ask *a, struct buf *b, const struct ask_key *k)
{
    const char *words[] = { "EXISTS", k->key };
    const size_t lens[] = { 6, k->len };

    if (a->redis) {
        ask_command(b, words, lens, 2);
        return;
    }
    buf_str(b, "mg ");
    buf_add(b, k->key, k->len);
    buf_str(b, " u\r\n");
}

bool
ask_holds(struct ask *a, const struct ask_key *keys, size_t n, bool *held)
{
    struct buf b = { 0 };
    bool ok = true;
    size_t at, i;

    for (at = 0; ok && at < n; at += BATCH) {
        size_t end = n - at < BATCH ? n : at + BATCH;

        b.len = 0;
        for (i = at; i < end; i++) {
            held[i] = false;
            if (can_ask(a, &keys[i]))
                question(a, &b, &keys[i]);
        }
        ok = b.len == 0 || ask_send(a, b.data, b.len);
        for (i = at; ok && i < end; i++)
            ok = !can_ask(a, &keys[i]) || answer(a, &held[i]);
    }
    buf_free(&b);
    return ok;
}
