/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_packets.c - a capture may hold anything. Byte 0 chooses the kind of
 * link; the rest are its packets, behind a header of a pcap file, each with
 * its own.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/evidence/packets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned sum;

static void
take(void *context, const struct event *e)
{
    size_t i;

    (void)context;
    for (i = 0; i < e->len; i++)
        sum = sum + (unsigned char)e->key[i];
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct evidence_args args;
    static const uint8_t links[] = { 1, 113, 0, 101, 228, 229 };
    static struct evidence e;
    uint8_t header[24] = {
        0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0xff, 0xff, 0, 0, 0, 0, 0, 0
    };
    uint8_t *capture;
    FILE *file;

    if (size < 1)
        return 0;
    header[20] = links[data[0] % sizeof links];
    capture = malloc(sizeof header + size - 1);
    if (capture == NULL)
        return 0;
    memcpy(capture, header, sizeof header);
    memcpy(capture + sizeof header, data + 1, size - 1);
    file = fmemopen(capture, sizeof header + size - 1, "rb");
    if (file != NULL) {
        evidence_begin(&e);
        e.args = &args;
        e.event = take;
        packets_file(&e, file, "fuzz");
    }
    free(capture);
    return 0;
}
