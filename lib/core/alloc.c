/* SPDX-License-Identifier: Apache-2.0 */
/* alloc.c - allocator interface, its default, and size arithmetic. */
#ifdef __linux__
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif

#include <stdlib.h>
#include <string.h>

#include "core/core.h"

#ifdef MADV_HUGEPAGE
/*
 * A look-up in a table far beyond the caches waits for the page tables as
 * well; pages of 2 MiB make them small. Only for blocks of so many bytes: to
 * find such pages may take the system longer than a small block is worth.
 */
#define HUGE_PAGE ((size_t)1 << 21)
#define HUGE_FROM (16 * HUGE_PAGE)

static void *
libc_alloc_huge(size_t size)
{
    void *p = NULL;

    if (posix_memalign(&p, HUGE_PAGE, size) != 0)
        return NULL;
    madvise(p, size, MADV_HUGEPAGE);    /* a wish: without it, small pages */
    return p;
}
#endif

static void *
libc_alloc(void *context, size_t size)
{
    (void)context;
#ifdef MADV_HUGEPAGE
    if (size >= HUGE_FROM)
        return libc_alloc_huge(size);
#endif
    return malloc(size);
}

static void
libc_free(void *context, void *memory)
{
    (void)context;
    free(memory);
}

const cw_allocator cwi_allocator_libc = { libc_alloc, libc_free, NULL };

cw_allocator
cwi_allocator(const cw_allocator *given)
{
    return given ? *given : cwi_allocator_libc;
}

size_t
cwi_size_add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

size_t
cwi_size_mul(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

void *
cwi_alloc(const cw_allocator *a, size_t count, size_t size)
{
    size_t bytes = cwi_size_mul(count, size);
    void *p;

    if (bytes >= SIZE_MAX / 2)
        return NULL;
    p = a->alloc(a->context, bytes ? bytes : 1);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void
cwi_free(const cw_allocator *a, void *p)
{
    if (p)
        a->free(a->context, p);
}
