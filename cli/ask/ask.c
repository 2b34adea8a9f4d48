/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - connections to servers, with a bound on every wait. */
#include "cli/ask/ask.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

enum { LINE_MAX_BYTES = 1 << 16, CHUNK = 1 << 16 };

static bool
fail(struct ask *a, const char *what, const char *why)
{
    snprintf(a->error, sizeof a->error, "%s: %s", what, why);
    return false;
}

static bool
wait_for(struct ask *a, short events)
{
    struct pollfd p = { a->fd, events, 0 };
    int n;

    do
        n = poll(&p, 1, a->timeout_ms);
    while (n < 0 && errno == EINTR);
    return n > 0 ? true
                 : fail(a, "no answer", n == 0 ? "timed out"
                                               : strerror(errno));
}

/* ---- connecting --------------------------------------------------------- */

static bool
connect_to(struct ask *a, const struct sockaddr *address, socklen_t len,
           int family)
{
    int error = 0;
    socklen_t size = sizeof error;

    a->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (a->fd < 0)
        return fail(a, "no socket", strerror(errno));
    if (connect(a->fd, address, len) != 0) {
        if (errno != EINPROGRESS)
            return fail(a, "cannot connect", strerror(errno));
        if (!wait_for(a, POLLOUT))
            return false;
        getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0)
            return fail(a, "cannot connect", strerror(error));
    }
    return true;
}

static bool
connect_unix(struct ask *a, const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (strlen(path) >= sizeof address.sun_path)
        return fail(a, "cannot connect", "the path is too long");
    memcpy(address.sun_path, path, strlen(path) + 1);
    return connect_to(a, (struct sockaddr *)&address, sizeof address,
                      AF_UNIX);
}

/* Cut "host:port" or "[v6]:port" in two; a bare v6 address has no port. */
static void
split(const char *address, const char *port, char host[256], char service[32])
{
    const char *end = strrchr(address, ':'), *first = strchr(address, ':');
    size_t len = strlen(address);

    snprintf(service, 32, "%s", port);
    if (address[0] == '[' && strchr(address, ']') != NULL) {
        len = (size_t)(strchr(address, ']') - address) - 1;
        if (address[len + 2] == ':')
            snprintf(service, 32, "%s", address + len + 3);
        address++;
    } else if (end != NULL && end == first) {
        len = (size_t)(end - address);
        snprintf(service, 32, "%s", end + 1);
    }
    snprintf(host, 256, "%.*s", (int)(len < 255 ? len : 255), address);
}

static bool
connect_host(struct ask *a, const char *address, const char *port)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list, *i;
    char host[256], service[32];
    bool ok = false;
    int error;

    split(address, port, host, service);
    error = getaddrinfo(host, service, &hints, &list);
    if (error != 0)
        return fail(a, "no such address", gai_strerror(error));
    for (i = list; i != NULL && !ok; i = i->ai_next) {
        ok = connect_to(a, i->ai_addr, i->ai_addrlen, i->ai_family);
        if (!ok && a->fd >= 0) {
            close(a->fd);
            a->fd = -1;
        }
    }
    freeaddrinfo(list);
    return ok;
}

bool
ask_is_port(const char *text)
{
    uint64_t n;

    return str_uint(text, strlen(text), 65535, &n) && n > 0;
}

unsigned
ask_resolve(const char *address, struct buf *list)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all, *i;
    char host[256], service[32], text[64];
    unsigned n = 0;

    split(address, "0", host, service);
    if (address[0] == '/' || getaddrinfo(host, NULL, &hints, &all) != 0)
        return 0;
    for (i = all; i != NULL; i = i->ai_next) {
        if (getnameinfo(i->ai_addr, i->ai_addrlen, text, sizeof text, NULL,
                        0, NI_NUMERICHOST) != 0)
            continue;
        buf_print(list, "%s%s", n ? ", " : "", text);
        n++;
    }
    freeaddrinfo(all);
    return n;
}

/* Redis answers the memcached command "version" with an error of its own. */
static bool
find_protocol(struct ask *a)
{
    const char *line;
    size_t len;

    if (!ask_send(a, "version\r\n", 9) || !ask_line(a, &line, &len))
        return false;
    if (len >= 8 && memcmp(line, "VERSION ", 8) == 0)
        return true;
    a->redis = len > 0 && (*line == '-' || *line == '+');
    return a->redis ? true : fail(a, "unknown protocol",
                                  "neither memcached nor Redis");
}

bool
ask_open_within(struct ask *a, const char *address, const char *port,
                int timeout_ms)
{
    memset(a, 0, sizeof *a);
    a->fd = -1;
    a->timeout_ms = timeout_ms;
    return (address[0] == '/' ? connect_unix(a, address)
                              : connect_host(a, address, port))
           && find_protocol(a);
}

bool
ask_open(struct ask *a, const char *address, const char *port)
{
    return ask_open_within(a, address, port, ASK_TIMEOUT_MS);
}

void
ask_close(struct ask *a)
{
    if (a->fd >= 0)
        close(a->fd);
    a->fd = -1;
    buf_free(&a->in);
}

/* ---- bytes -------------------------------------------------------------- */

bool
ask_send(struct ask *a, const void *data, size_t len)
{
    const char *p = data;

    while (len > 0) {
        ssize_t n = send(a->fd, p, len, MSG_NOSIGNAL);

        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (!wait_for(a, POLLOUT))
                return false;
            continue;
        }
        if (n < 0)
            return fail(a, "cannot send", strerror(errno));
        p += n;
        len -= (size_t)n;
    }
    return true;
}

/* Read some more; what was used is dropped first. */
static bool
more(struct ask *a)
{
    char *room;
    ssize_t n;

    if (a->at > 0) {
        memmove(a->in.data, a->in.data + a->at, a->in.len - a->at);
        a->in.len -= a->at;
        a->at = 0;
    }
    room = buf_room(&a->in, CHUNK);
    for (;;) {
        n = recv(a->fd, room, CHUNK, 0);
        if (n > 0)
            break;
        if (n == 0)
            return fail(a, "no answer", "the server closed the connection");
        if (errno != EAGAIN && errno != EINTR)
            return fail(a, "cannot read", strerror(errno));
        if (!wait_for(a, POLLIN))
            return false;
    }
    a->in.len += (size_t)n;
    return true;
}

bool
ask_line(struct ask *a, const char **line, size_t *len)
{
    size_t looked = 0;

    for (;;) {
        const char *start = a->in.data ? a->in.data + a->at : "";
        size_t left = a->in.len - a->at;
        const char *end = left > looked ? memchr(start + looked, '\n',
                                                 left - looked) : NULL;

        if (end != NULL) {
            *line = start;
            *len = (size_t)(end - start);
            a->at += *len + 1;
            if (*len > 0 && start[*len - 1] == '\r')
                (*len)--;
            return true;
        }
        looked = left;
        if (left > LINE_MAX_BYTES)
            return fail(a, "bad answer", "a line without end");
        if (!more(a))
            return false;
    }
}

bool
ask_bytes(struct ask *a, size_t n, const char **data)
{
    while (a->in.len - a->at < n + 2)
        if (!more(a))
            return false;
    *data = a->in.data + a->at;
    a->at += n + 2;
    return true;
}
