/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void
mem_fail(void)
{
    fputs("clockwise: out of memory; stopped\n", stderr);
    exit(3);
}

void *
mem_alloc(size_t count, size_t size)
{
    return mem_resize(NULL, count, size);
}

void *
mem_resize(void *p, size_t count, size_t size)
{
    void *q;

    if (size != 0 && count > SIZE_MAX / size)
        mem_fail();
    size *= count;
    q = realloc(p, size ? size : 1);
    if (q == NULL)
        mem_fail();
    return q;
}

void
mem_free(void *p)
{
    free(p);
}
