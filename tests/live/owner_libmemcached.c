/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner_libmemcached.c - where libmemcached, set up by a configuration
 * string, sends keys.
 *
 *     owner_libmemcached STRING <keys     one key a line -> host TAB port
 *
 * Exit status 1: the string was refused. No connection is made.
 */
#include <libmemcached/memcached.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
    char line[512];
    memcached_st *m;

    if (argc != 2)
        return 2;
    m = memcached(argv[1], strlen(argv[1]));
    if (m == NULL)
        return 1;
    while (fgets(line, sizeof line, stdin) != NULL) {
        const memcached_instance_st *server;
        size_t len = strcspn(line, "\n");

        server = memcached_server_instance_by_position(m,
            memcached_generate_hash(m, line, len));
        printf("%s\t%u\n", memcached_server_name(server),
               (unsigned)memcached_server_port(server));
    }
    memcached_free(m);
    return 0;
}
