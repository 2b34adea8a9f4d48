/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/keys.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/load_fleet.h"

bool
keys_option(struct keys_args *a, int id, const char *value)
{
    switch (id) {
    case CLI_KEYS:     a->file = value; return true;
    case CLI_KEYS + 1: a->nul = true; return true;
    case CLI_KEYS + 2: a->hex = true; return true;
    case CLI_KEYS + 3: a->positions = true; return true;
    default:           return false;
    }
}

int
keys_open(struct keys *k, struct cli *c, const struct keys_args *a,
          const char *const *words, size_t n, uint64_t top)
{
    int fd = STDIN_FILENO;

    memset(k, 0, offsetof(struct keys, shown));
    k->args = a;
    k->top = top;
    k->name = "arguments";
    k->words = words;
    k->word_count = n;
    if (n > 0 && a->file != NULL)
        return cli_usage(c, "keys are given both as arguments and with "
                         "--keys; expected one of them");
    if (a->hex && a->positions)
        return cli_usage(c, "--hex and --positions exclude each other");
    if (n > 0)
        return CLI_DONE;
    k->words = NULL;
    k->name = a->file == NULL || strcmp(a->file, "-") == 0 ? "standard input"
        : a->file;
    if (a->file != NULL)
        fd = file_open(a->file);
    if (fd < 0)
        return cli_cannot_read(a->file, errno);
    if (fd == STDIN_FILENO && load_uses_stdin(c))
        return cli_usage(c, "standard input is the fleet file; expected keys "
                         "as arguments or with --keys FILE");
    lines_init(&k->lines, fd, a->nul ? '\0' : '\n');
    progress_start(&k->progress, "keys");
    return CLI_DONE;
}

/* The first of n records that is wrong stops the run after the others. */
static void
bad_record(struct keys *k, size_t i, const char *expected)
{
    struct buf shown = { 0 };

    str_escape(&shown, k->shown[i].data, k->shown[i].len, 60);
    cli_say("%s: record %" PRIu64 ": \"%s\": expected %s; stopped there",
            k->name, k->count + i + 1, shown.len ? shown.data : "", expected);
    buf_free(&shown);
    k->status = CLI_NO;
}

static size_t
decode_hex(struct keys *k, size_t n)
{
    size_t total = 0, used = 0, i;

    for (i = 0; i < n; i++)
        total += k->shown[i].len / 2;
    if (total > k->hex_cap || k->hex == NULL) {
        k->hex_cap = total;
        k->hex = mem_resize(k->hex, total, 1);
    }
    for (i = 0; i < n; i++) {
        if (!str_unhex(k->shown[i].data, k->shown[i].len, k->hex + used)) {
            bad_record(k, i, "an even number of hexadecimal digits");
            return i;
        }
        k->key[i].data = k->hex + used;
        k->key[i].len = k->shown[i].len / 2;
        used += k->key[i].len;
    }
    return n;
}

static size_t
decode_positions(struct keys *k, size_t n)
{
    char expected[64];
    char top[40];
    size_t i;

    for (i = 0; i < n; i++) {
        if (str_uint(k->shown[i].data, k->shown[i].len, k->top,
                     &k->position[i]))
            continue;
        memcpy(expected, "a position from 0 to ", 22);
        strcat(expected, str_u128(0, k->top, top));
        bad_record(k, i, expected);
        return i;
    }
    return n;
}

static size_t
next_words(struct keys *k)
{
    size_t n = 0;

    while (n < KEYS_BATCH && k->word_count > 0) {
        k->shown[n].data = *k->words;
        k->shown[n].len = strlen(*k->words);
        k->words++;
        k->word_count--;
        n++;
    }
    return n;
}

size_t
keys_next(struct keys *k)
{
    size_t n = 0, i, good;

    if (k->status != CLI_DONE)
        return 0;
    if (k->words != NULL)
        n = next_words(k);
    else
        n = lines_next(&k->lines, k->shown, KEYS_BATCH);
    if (k->lines.error != 0 && n == 0)
        k->status = cli_cannot_read(k->name, k->lines.error);
    good = n;
    if (k->args->hex) {
        good = decode_hex(k, n);
    } else if (k->args->positions) {
        good = decode_positions(k, n);
    } else {
        for (i = 0; i < n; i++) {
            k->key[i].data = k->shown[i].data;
            k->key[i].len = k->shown[i].len;
        }
    }
    k->count += good;
    progress_tick(&k->progress, k->count);
    return good;
}

int
keys_close(struct keys *k)
{
    if (k->words == NULL) {
        progress_end(&k->progress);
        if (k->lines.fd != STDIN_FILENO)
            close(k->lines.fd);
        lines_free(&k->lines);
    }
    mem_free(k->hex);
    return k->status;
}
