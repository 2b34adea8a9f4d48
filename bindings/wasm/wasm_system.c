/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_system.c - there is no system below: vsnprintf() of wasi-libc brings
 * its streams along, which nothing here opens or writes. Their calls would
 * be imports of the module; these answers stand in their place.
 */
#include <stdint.h>

#define BAD_FILE 8      /* errno of WASI: EBADF */

int32_t __imported_wasi_snapshot_preview1_fd_close(int32_t fd);
int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t fd, int64_t offset,
                                                  int32_t whence, int32_t at);
int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t fd, int32_t list,
                                                   int32_t n, int32_t size);

int32_t
__imported_wasi_snapshot_preview1_fd_close(int32_t fd)
{
    (void)fd;
    return BAD_FILE;
}

int32_t
__imported_wasi_snapshot_preview1_fd_seek(int32_t fd, int64_t offset,
                                          int32_t whence, int32_t at)
{
    (void)fd;
    (void)offset;
    (void)whence;
    (void)at;
    return BAD_FILE;
}

int32_t
__imported_wasi_snapshot_preview1_fd_write(int32_t fd, int32_t list, int32_t n,
                                           int32_t size)
{
    (void)fd;
    (void)list;
    (void)n;
    (void)size;
    return BAD_FILE;
}
