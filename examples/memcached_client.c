/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcached_client.c - a memcached client that finds the server of a key by
 * itself, without a router:
 *
 *     memcached_client FLEET set KEY VALUE
 *     memcached_client FLEET get KEY
 *
 * prints the node that owns the key and what it answered. Exit status: 0 for
 * STORED or a value, 1 for a miss, 2 for trouble.
 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fleet_list.h"

/* Connect to "host:port". */
static FILE *
dial(const char *address)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
    char host[256];
    const char *colon = strrchr(address, ':');
    int fd = -1;

    if (colon == NULL || (size_t)(colon - address) >= sizeof host)
        return NULL;
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = '\0';
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return NULL;
    for (struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd < 0 ? NULL : fdopen(fd, "r+");
}

/* One request, one answer; the exit status. */
static int
ask(FILE *server, const char *node, const char *key, const char *value)
{
    char line[2048];
    unsigned long len;

    if (value != NULL)
        fprintf(server, "set %s 0 0 %zu\r\n%s\r\n", key, strlen(value), value);
    else
        fprintf(server, "get %s\r\n", key);
    fflush(server);
    if (fgets(line, sizeof line, server) == NULL)
        return 2;
    if (value == NULL && sscanf(line, "VALUE %*s %*u %lu", &len) == 1)
        return len < sizeof line && fread(line, 1, len, server) == len &&
               printf("%s\t%.*s\n", node, (int)len, line) > 0 ? 0 : 2;
    line[strcspn(line, "\r\n")] = '\0';
    printf("%s\t%s\n", node, line);
    return strcmp(line, "STORED") == 0 ? 0 : strcmp(line, "END") == 0 ? 1 : 2;
}

int
main(int argc, char **argv)
{
    int set = argc == 5 && strcmp(argv[2], "set") == 0;
    cw_fleet *fleet;
    cw_node node;
    FILE *server;
    int status = 2;

    if (!set && !(argc == 4 && strcmp(argv[2], "get") == 0)) {
        fprintf(stderr, "usage: memcached_client FLEET get KEY | "
                        "FLEET set KEY VALUE\n");
        return 2;
    }
    fleet = fleet_read(argv[1]);
    if (fleet == NULL)
        return 2;
    if (cw_fleet_owner(fleet, argv[3], strlen(argv[3]), &node) != CW_OK) {
        fprintf(stderr, "%s: no node takes keys\n", argv[1]);
    } else if ((server = dial(node.address)) == NULL) {
        fprintf(stderr, "%s: cannot connect to '%s'\n", node.name,
                node.address);
    } else {
        status = ask(server, node.name, argv[3], set ? argv[4] : NULL);
        fclose(server);
    }
    cw_fleet_free(fleet);
    return status;
}
