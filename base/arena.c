/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum { ARENA_BLOCK = 32768 };

struct arena_block {
    struct arena_block *before;
    size_t              used;
    size_t              size;
    max_align_t         data[];
};

void *
arena_alloc(struct arena *a, size_t size)
{
    struct arena_block *b = a->last;
    char *p;

    if (size > SIZE_MAX / 2)
        mem_fail();
    size = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    if (b == NULL || b->size - b->used < size) {
        size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;

        b = mem_alloc(1, sizeof *b + room);
        b->before = a->last;
        b->used = 0;
        b->size = room;
        a->last = b;
    }
    p = (char *)b->data + b->used;
    b->used += size;
    memset(p, 0, size);
    return p;
}

char *
arena_copy(struct arena *a, const void *data, size_t len)
{
    char *p = arena_alloc(a, len + 1);

    if (len > 0)
        memcpy(p, data, len);
    return p;
}

void
arena_free(struct arena *a)
{
    while (a->last != NULL) {
        struct arena_block *b = a->last;

        a->last = b->before;
        mem_free(b);
    }
}
