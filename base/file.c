/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
file_open(const char *path)
{
    struct stat st;
    int fd;

    if (strcmp(path, "-") == 0)
        return STDIN_FILENO;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        errno = EISDIR;
        return -1;
    }
    return fd;
}

int
file_read(const char *path, size_t max, struct buf *out)
{
    int fd = file_open(path);
    int error = 0;

    if (fd < 0)
        return errno;
    for (;;) {
        ssize_t n = read(fd, buf_room(out, 65536), 65536);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            error = errno;
        if (n <= 0)
            break;
        out->len += (size_t)n;
        out->data[out->len] = '\0';
        if (out->len > max) {
            error = EFBIG;
            break;
        }
    }
    if (fd != STDIN_FILENO)
        close(fd);
    if (error != 0)
        buf_free(out);
    return error;
}

void
file_guard_standard(void)
{
    int fd;

    for (fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            /* the lowest free number is fd itself */
            if (open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
                return;
        }
    }
}
