/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_list.h - read a fleet of one node a line, for the examples here:
 *
 *     cache-a weight=2 address=10.0.0.11:11211
 *     10.0.0.12:11211
 *
 * A name of the form host:port is the address as well. '#' begins a comment.
 */
#ifndef FLEET_LIST_H
#define FLEET_LIST_H

#include <stdio.h>
#include <string.h>

#include <clockwise/clockwise.h>

/* One line into the fleet; 0 after a message. */
static int
fleet_line(cw_fleet *fleet, char *line)
{
    cw_error err = { CW_OK, "" };
    uint64_t weight = CW_WEIGHT_ONE;
    char *name = strtok(line, " \t\n"), *address = NULL, *word;
    int ok;

    if (name == NULL || name[0] == '#')
        return 1;
    while ((word = strtok(NULL, " \t\n")) != NULL) {
        if (strncmp(word, "weight=", 7) == 0 &&
            cw_weight_parse(word + 7, strlen(word + 7), &weight, &err) != CW_OK)
            break;
        if (strncmp(word, "address=", 8) == 0)
            address = word + 8;
    }
    if (address == NULL && strchr(name, ':') != NULL)
        address = name;
    ok = err.status == CW_OK &&
         cw_fleet_add(fleet, name, strlen(name), weight, &err) == CW_OK &&
         (address == NULL ||
          cw_fleet_set_address(fleet, name, strlen(name), address,
                               strlen(address), &err) == CW_OK);
    if (!ok)
        fprintf(stderr, "%s: %s\n", name, err.text);
    return ok;
}

/* The fleet of a file; NULL after a message. */
static cw_fleet *
fleet_read(const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    cw_fleet *fleet = cw_fleet_new(NULL);
    int ok = fleet != NULL && file != NULL;

    if (file == NULL)
        perror(path);
    while (ok && fgets(line, sizeof line, file) != NULL)
        ok = fleet_line(fleet, line);
    if (file != NULL)
        fclose(file);
    if (!ok) {
        cw_fleet_free(fleet);
        fleet = NULL;
    }
    return fleet;
}

#endif
