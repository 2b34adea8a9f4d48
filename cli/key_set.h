/* SPDX-License-Identifier: Apache-2.0 */
/* key_set.h - keys that are needed all at once: to be placed under a bound on
 * every node's load. */
#ifndef CLI_KEY_SET_H
#define CLI_KEY_SET_H

#include "base/arena.h"
#include "cli/keys.h"

/* Zeroed: empty. */
struct key_set {
    struct arena arena;
    cw_key      *key;
    size_t       n, cap;
};

/* The bytes are copied. */
void key_set_add(struct key_set *s, const cw_key *key);
void key_set_free(struct key_set *s);

/*
 * Place the keys, in their order, where no node gets more than percent of its
 * fair share of them; 0: no bound. node[i] is that of key i. Returns how many
 * did not go to their owner. The map has an active node.
 */
size_t key_set_place(const struct key_set *s, const cw_map *map,
                     unsigned percent, uint32_t *node);

#endif
