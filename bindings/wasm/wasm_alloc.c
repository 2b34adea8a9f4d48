/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_alloc.c - malloc() in a tenth of the code of wasi-libc's.
 *
 * Blocks come in classes, four to a doubling, so at most a fifth of one is
 * left unused. A free block goes to the list of its class and comes back from
 * there; it is never split or joined. A page makes and frees the same few
 * sizes all the time, so memory grows to the largest sum of each class.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PAGE   65536u
#define ALIGN  16u
#define MOST   0x7fff0000u              /* bytes of one block */
enum { CLASSES = 128 };

/* Before each block; its size is a multiple of ALIGN. */
struct head {
    uint32_t     size;                  /* usable bytes                     */
    uint32_t     kind;                  /* number of the class              */
    struct head *next;                  /* while it is free                 */
    uint32_t     unused;
};

extern unsigned char __heap_base;

static struct head *spare[CLASSES];
static uintptr_t top, end;              /* of what no block has had yet     */

/* The class of a size, which is rounded up to that of the class. */
static uint32_t
class_of(uint32_t *size)
{
    uint32_t units = (*size + ALIGN - 1) / ALIGN, shift = 0;

    if (units == 0)
        units = 1;
    while (units > 8) {
        units = (units + 1) / 2;
        shift++;
    }
    *size = (units << shift) * ALIGN;
    return shift * 4 + units - 1;
}

static struct head *
fresh(size_t need)
{
    struct head *h;

    if (top == 0)
        top = ((uintptr_t)&__heap_base + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    if (end == 0)
        end = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    if (need > end - top) {
        size_t pages = (need - (end - top) + PAGE - 1) / PAGE;

        if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX)
            return NULL;
        end += pages * PAGE;
    }
    h = (struct head *)top;
    top += need;
    return h;
}

void *
malloc(size_t size)
{
    uint32_t room = (uint32_t)size, kind;
    struct head *h;

    if (size > MOST)
        return NULL;
    kind = class_of(&room);
    h = spare[kind];
    if (h != NULL) {
        spare[kind] = h->next;
    } else {
        h = fresh(sizeof *h + room);
        if (h == NULL)
            return NULL;
        h->size = room;
        h->kind = kind;
    }
    return h + 1;
}

void
free(void *p)
{
    struct head *h = p;

    if (p == NULL)
        return;
    h--;
    h->next = spare[h->kind];
    spare[h->kind] = h;
}

/* libc has an environment to put into it. */
void *
calloc(size_t n, size_t size)
{
    void *p = size > 0 && n > MOST / size ? NULL : malloc(n * size);

    return p == NULL ? NULL : memset(p, 0, n * size);
}

void *
realloc(void *p, size_t size)
{
    struct head *h = p;
    void *to;

    if (p != NULL && size <= h[-1].size)
        return p;
    to = malloc(size);
    if (to != NULL && p != NULL) {
        memcpy(to, p, h[-1].size);
        free(p);
    }
    return to;
}

/* The machine's own; libc's is for machines without one. */
void *
memcpy(void *restrict to, const void *restrict from, size_t n)
{
    return __builtin_memcpy(to, from, n);
}

/*
 * A module that mentions its constructors is a library to the linker; any
 * other is a program, each call of which ends with the exit of libc.
 */
void __wasm_call_ctors(void);
void _initialize(void);

void
_initialize(void)
{
    __wasm_call_ctors();
}
