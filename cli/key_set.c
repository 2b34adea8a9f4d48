/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/key_set.h"

#include "base/mem.h"
#include "clockwise/clockwise_bound.h"

void
key_set_add(struct key_set *s, const cw_key *key)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        s->key = mem_resize(s->key, s->cap, sizeof *s->key);
    }
    s->key[s->n].data = arena_copy(&s->arena, key->data, key->len);
    s->key[s->n++].len = key->len;
}

void
key_set_free(struct key_set *s)
{
    arena_free(&s->arena);
    mem_free(s->key);
}

size_t
key_set_place(const struct key_set *s, const cw_map *map, unsigned percent,
              uint32_t *node)
{
    size_t passed = 0;

    if (cw_bound_assign(map, percent, s->key, s->n, node, &passed, NULL)
        != CW_OK)
        mem_fail();
    return passed;
}
