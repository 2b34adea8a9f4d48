/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h - memory for the programs: a failed request ends the program. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* count * size bytes, not zeroed; never NULL. When there is no memory, or the
 * product overflows, says so on standard error and exits with status 3. */
void *mem_alloc(size_t count, size_t size);

/* The same for a block of mem_alloc() that grows or shrinks; p may be NULL. */
void *mem_resize(void *p, size_t count, size_t size);

/* p may be NULL. */
void mem_free(void *p);

/* Exits as above: for callers that met the lack of memory elsewhere. */
_Noreturn void mem_fail(void);

#endif
