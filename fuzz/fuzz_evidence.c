/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_evidence.c - every format's line function takes any bytes: it uses the
 * line, passes it over or calls it damaged, and never gives a key longer than
 * the line. Byte 0 chooses the row.
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
take(void *context, const struct event *e)
{
    size_t i;

    (void)context;
    for (i = 0; i < e->len; i++)
        sum = sum + (unsigned char)e->key[i];   /* it can be read */
    if (e->len > longest)
        longest = e->len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct evidence e;
    const struct evidence_format *f;
    unsigned rows = 0;
    char *line;

    if (size == 0)
        return 0;
    while (evidence_at(rows) != NULL)
        rows++;
    f = evidence_at(data[0] % rows);
    line = malloc(size);        /* exact, so that one byte more is noticed */
    if (line == NULL)
        return 0;
    memcpy(line, data + 1, size - 1);
    e.event = take;
    e.field = data[0] / rows % 4;
    longest = 0;
    f->claims(line, size - 1);
    f->line(&e, line, size - 1);
    if (longest > size - 1) {
        fprintf(stderr, "%s: a key of %zu bytes from a line of %zu\n",
                f->name, longest, size - 1);
        abort();
    }
    free(line);
    return 0;
}
