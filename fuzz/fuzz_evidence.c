/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_evidence.c - every format's functions take any lines: they use a line,
 * pass it over or call it damaged, and never give a key longer than the line
 * nor a node's name longer than it may be. Byte 0 chooses the row and how an
 * access log is read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/evidence/evidence.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t longest;
static volatile unsigned sum;       /* of every byte of the keys */

static void
add_bytes(const char *s, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        sum = sum + (unsigned char)s[i];        /* it can be read */
}

static void
take(void *context, const struct event *e)
{
    (void)context;
    add_bytes(e->key, e->len);
    if (e->len > longest)
        longest = e->len;
}

static void
take_sample(void *context, const struct sample *s)
{
    (void)context;
    if (s->node_len > sizeof s->node || s->has == 0)
        abort();
    add_bytes(s->node, s->node_len);
}

/* Exact copies, so that one byte more is noticed. */
static void
one_line(const struct evidence_format *f, struct evidence *e,
         const uint8_t *data, size_t size)
{
    char *line = malloc(size ? size : 1);

    if (line == NULL)
        return;
    if (size > 0)
        memcpy(line, data, size);
    longest = 0;
    f->claims(line, size);
    f->line(e, line, size);
    if (longest > size) {
        fprintf(stderr, "%s: a key of %zu bytes from a line of %zu\n",
                f->name, longest, size);
        abort();
    }
    free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct evidence e;
    static struct evidence_args args;
    const struct evidence_format *f;
    unsigned rows = 0;
    size_t at = 1;

    if (size == 0)
        return 0;
    while (evidence_at(rows) != NULL)
        rows++;
    f = evidence_at(data[0] % rows);
    if (e.args == NULL
        && regcomp(&args.regex, "k=([a-z]*)|b+$", REG_EXTENDED) != 0)
        abort();
    args.field = data[0] / rows % 4;
    args.by_regex = data[0] / rows % 5 == 4;
    e.args = &args;
    e.event = take;
    e.sample_of = take_sample;
    evidence_begin(&e);
    while (at <= size) {
        const uint8_t *stop = memchr(data + at, '\n', size - at);
        size_t n = stop ? (size_t)(stop - data) - at : size - at;

        one_line(f, &e, data + at, n);
        at += n + 1;
    }
    if (f->end != NULL)
        f->end(&e);
    return 0;
}
