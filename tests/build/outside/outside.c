/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the installed library as a stranger would; prints the owner. */
#include <clockwise/clockwise.h>
#include <stdio.h>
#include <string.h>

int
main(void)
{
    static const char *const names[] = { "cache-a", "cache-b", "cache-c" };
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_map *map;
    cw_node node, owner;
    cw_error err;

    if (!fleet)
        return 1;
    for (size_t i = 0; i < 3; i++)
        if (cw_fleet_add(fleet, names[i], strlen(names[i]), CW_WEIGHT_ONE,
                         &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    if (cw_fleet_owner(fleet, "user:1", 6, &node) ||
        cw_map_build(fleet, NULL, &map, NULL))
        return 1;
    cw_map_node(map, cw_map_pick(map, "user:1", 6), &owner);
    if (strcmp(owner.name, node.name) != 0)
        return 1;
    cw_map_unref(map);
    printf("%s %s\n", cw_version(), node.name);
    cw_fleet_free(fleet);
    return 0;
}
