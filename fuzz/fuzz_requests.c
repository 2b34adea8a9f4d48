/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_requests.c - the bytes of a connection give the same keys and counts
 * however they are cut into pieces. Bit 0 of byte 0: it is seen from somewhere
 * inside; all of it seeds the cuts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/evidence/requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
    uint64_t hash;              /* of all events in their order             */
    uint64_t events;
};

static void
add_bytes(uint64_t *hash, const void *bytes, size_t len)
{
    const unsigned char *p = bytes;
    size_t i;

    for (i = 0; i < len; i++)
        *hash = (*hash ^ p[i]) * UINT64_C(0x100000001b3);
}

static void
take(void *context, const struct event *e)
{
    struct seen *s = context;

    add_bytes(&s->hash, e->key, e->len);
    add_bytes(&s->hash, &e->bytes, sizeof e->bytes);
    add_bytes(&s->hash, &e->kind, sizeof e->kind);
    s->events++;
}

/* All of it, at once or in pieces of 1 to 32 bytes, each an exact copy. */
static void
feed(const uint8_t *data, size_t size, bool lost, bool cut,
     struct seen *seen, struct evidence_tally *tally)
{
    static const struct evidence_args args;
    static struct evidence e;
    static struct requests r;
    uint32_t random = data[-1];
    size_t at = 0;

    memset(seen, 0, sizeof *seen);
    evidence_begin(&e);
    e.args = &args;
    e.event = take;
    e.context = seen;
    requests_begin(&r, lost);
    while (at < size) {
        size_t most = cut ? 1 + (random >> 16 & 31) : size;
        size_t n = most < size - at ? most : size - at;
        char *piece = malloc(n);

        if (piece == NULL)
            return;
        memcpy(piece, data + at, n);
        requests_feed(&r, &e, piece, n);
        free(piece);
        at += n;
        random = random * 1103515245 + 12345;
    }
    *tally = e.tally;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct evidence_tally whole, pieces;
    struct seen a, b;

    if (size < 1)
        return 0;
    feed(data + 1, size - 1, data[0] & 1, false, &a, &whole);
    feed(data + 1, size - 1, data[0] & 1, true, &b, &pieces);
    if (a.hash != b.hash || a.events != b.events || whole.used != pieces.used
        || whole.damaged != pieces.damaged || whole.other != pieces.other) {
        fprintf(stderr, "whole: %llu keys, in pieces: %llu\n",
                (unsigned long long)a.events, (unsigned long long)b.events);
        abort();
    }
    return 0;
}
