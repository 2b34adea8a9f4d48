/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h - many small objects that are freed together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *last;       /* zeroed: an empty arena */
};

/* size bytes, zeroed, aligned for any type; never NULL. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of len bytes, followed by a NUL. */
char *arena_copy(struct arena *a, const void *data, size_t len);

void arena_free(struct arena *a);

#endif
