/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - a whole file in memory, and standard streams that are closed. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Read a file ("-": standard input) into out. 0, or errno; EFBIG when it has
 * more than max bytes. out is empty then. */
int file_read(const char *path, size_t max, struct buf *out);

/* Open for reading ("-": standard input); -1 and errno. Directories are
 * EISDIR. */
int file_open(const char *path);

/* Put something on the descriptors 0, 1 and 2 that the caller closed, so
 * that no file of ours gets such a number: reading gives nothing, writing
 * fails with EBADF. */
void file_guard_standard(void);

#endif
