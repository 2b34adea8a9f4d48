/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_sort.c - qsort() in a sixth of the code of wasi-libc's: a heap sort
 * (Williams 1964). Readers of fleet files sort a few hundred things with it.
 */
#include <stdlib.h>

static void
swap(char *a, char *b, size_t size)
{
    for (; size > 0; size--) {
        char x = *a;

        *a++ = *b;
        *b++ = x;
    }
}

void
qsort(void *base, size_t n, size_t size,
      int (*compare)(const void *, const void *))
{
    size_t start = n / 2 * size, end = n * size, root, child;
    char *a = base;

    while (end > size) {
        if (start > 0)
            start -= size;              /* a heap of what is behind it */
        else
            swap(a, a + (end -= size), size);
        for (root = start; (child = 2 * root + size) < end; root = child) {
            if (child + size < end
                && compare(a + child, a + child + size) < 0)
                child += size;
            if (compare(a + root, a + child) >= 0)
                break;
            swap(a + root, a + child, size);
        }
    }
}
