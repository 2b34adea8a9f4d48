/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plan/census.h"

#include <string.h>

#include "base/mem.h"

enum { SLOTS = 2 * CENSUS_KEYS };

static void
empty(struct census *c)
{
    c->slots = mem_alloc(SLOTS, sizeof *c->slots);
    memset(c->slots, 0, SLOTS * sizeof *c->slots);
    c->used = 0;
}

void
census_init(struct census *c)
{
    empty(c);
    c->level = 0;
}

void
census_free(struct census *c)
{
    mem_free(c->slots);
    c->slots = NULL;
}

/* The low bits choose the sample, so others choose the slot. */
static struct census_key *
find(const struct census *c, uint64_t hash)
{
    size_t i = (size_t)(hash >> 40) & (SLOTS - 1);

    while (c->slots[i].hash != 0 && c->slots[i].hash != hash)
        i = (i + 1) & (SLOTS - 1);
    return &c->slots[i];
}

static bool
in_sample(const struct census *c, uint64_t hash)
{
    return (hash & ((UINT64_C(1) << c->level) - 1)) == 0;
}

/* Half of the keys, in a table of their own: a hole would cut a chain. */
static void
halve(struct census *c)
{
    struct census_key *old = c->slots;
    size_t i;

    empty(c);
    c->level++;
    for (i = 0; i < SLOTS; i++)
        if (old[i].hash != 0 && in_sample(c, old[i].hash)) {
            *find(c, old[i].hash) = old[i];
            c->used++;
        }
    mem_free(old);
}

bool
census_add(struct census *c, const struct census_key *key)
{
    /* 0 means empty; a bit that chooses neither sample nor slot */
    uint64_t hash = key->hash | UINT64_C(1) << 39;
    struct census_key *k;

    if (!in_sample(c, hash))
        return false;
    k = find(c, hash);
    if (k->hash == 0) {
        if (c->used == CENSUS_KEYS) {
            halve(c);
            return census_add(c, key);
        }
        *k = *key;
        k->hash = hash;
        c->used++;
        return true;
    }
    k->requests += key->requests;
    k->bytes = key->bytes ? key->bytes : k->bytes;
    return false;
}

const struct census_key *
census_next(const struct census *c, size_t *at)
{
    while (*at < SLOTS)
        if (c->slots[(*at)++].hash != 0)
            return &c->slots[*at - 1];
    return NULL;
}
