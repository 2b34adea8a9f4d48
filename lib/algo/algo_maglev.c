/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_maglev.c - Maglev hashing: a table that nodes fill in turn, each by
 * its own permutation.
 *
 * D. Eisenbud et al.: Maglev: a fast and reliable software network load
 * balancer (NSDI 2016), section 3.4. Here nodes take turns in byte order of
 * their labels, so the list's order does not matter, and a hash finds its slot
 * by multiplication, so that a slot is one arc and shares and movement are
 * exact. docs/formats/maglev.md is the exact rule.
 */
#include "core/algo.h"
#include "maglev.h"

enum { NUM_SIZE };

#define NODES_MAX 65535u
#define STEP      UINT64_C(0x9e3779b97f4a7c15)

struct maglev {
    uint32_t size;
    uint32_t bits;          /* of the hash                                  */
    uint32_t n;             /* nodes of the map, of any weight              */
    uint32_t unused[13];    /* the table begins on a cache line             */
    /* uint16_t owner[size] */
};

static const struct cwi_option maglev_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { "size", "entries of the table, a prime", CWI_OPT_UINT, NUM_SIZE, 3,
      5000011, "65537", NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static int
is_prime(uint64_t x)
{
    uint64_t d;

    for (d = 2; d * d <= x; d++)
        if (x % d == 0)
            return 0;
    return x > 1;
}

static cw_status
maglev_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
            const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    uint64_t size = p->num[NUM_SIZE], above = size;

    while (!is_prime(above))
        above++;
    if (above != size)
        return cwi_fail(err, CW_EINVAL, "size: %u is not a prime; the next "
                        "one is %u", size, above);
    if (nodes->n > NODES_MAX)
        return cwi_fail(err, CW_ELIMIT, "\"%s\" takes at most %u nodes, not "
                        "%u", self->name, (uint64_t)NODES_MAX,
                        (uint64_t)nodes->n);
    if (nodes->active > size)
        return cwi_fail(err, CW_EINVAL, "%u nodes cannot share a table of "
                        "%u: give `size` a prime at least 100 times the "
                        "number of nodes", (uint64_t)nodes->active, size);
    out->state = sizeof(struct maglev) + (size_t)size * sizeof(uint16_t);
    out->scratch = (size_t)nodes->active * sizeof(struct maglev_node);
    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    return CW_OK;
}

static inline uint32_t
step_on(uint32_t slot, uint32_t skip, uint32_t size)
{
    return slot >= size - skip ? slot - (size - skip) : slot + skip;
}

void
cwi_maglev_fill(struct maglev_node *node, uint32_t n, uint32_t size,
                uint16_t *table)
{
    uint32_t filled = 0, i;
    uint64_t max = 0, round;

    for (i = 0; i < size; i++)
        table[i] = MAGLEV_EMPTY;
    for (i = 0; i < n; i++) {
        max = node[i].weight > max ? node[i].weight : max;
        node[i].next = node[i].offset;
        node[i].rounds = 0;
    }
    for (round = 1; filled < size; round++) {
        for (i = 0; i < n && filled < size; i++) {
            struct maglev_node *m = &node[i];
            uint32_t            slot = m->next;

            /* Its turn when round * w >= (turns taken so far) * max. */
            if (round * m->weight < m->rounds * max)
                continue;
            m->rounds++;
            while (table[slot] != MAGLEV_EMPTY)
                slot = step_on(slot, m->skip, size);
            table[slot] = m->number;
            m->next = step_on(slot, m->skip, size);
            filled++;
        }
    }
}

static void
maglev_build(const struct cwi_algo_ops *self, void *state, void *scratch,
             const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct maglev      *m = state;
    struct maglev_node *node = scratch;
    uint32_t            i, n = 0;

    (void)self;
    m->size = (uint32_t)p->num[NUM_SIZE];
    m->bits = p->hash->bits;
    m->n = nodes->n;
    for (i = 0; i < nodes->n; i++) {
        const struct cwi_node *from = &nodes->v[i];
        uint64_t               x;

        if (from->weight == 0)
            continue;
        x = cwi_xxh3(from->label, from->label_len);
        node[n].weight = from->weight;
        node[n].offset = (uint32_t)(cwi_mix64(x + STEP) % m->size);
        node[n].skip = (uint32_t)(cwi_mix64(x + 2 * STEP) % (m->size - 1)) + 1;
        node[n].number = (uint16_t)i;
        n++;
    }
    cwi_maglev_fill(node, n, m->size, (uint16_t *)(void *)(m + 1));
}

static const uint16_t *
table_of(const struct maglev *m)
{
    return (const uint16_t *)(const void *)(m + 1);
}

static inline uint32_t
slot_of(const struct maglev *m, uint64_t at)
{
    return (uint32_t)cwi_mulhi64(at << (64 - m->bits), m->size);
}

static uint32_t
maglev_find(const void *state, uint64_t at)
{
    const struct maglev *m = state;

    return table_of(m)[slot_of(m, at)];
}

/* The owner, then the nodes of the slots behind, going round; last those
 * whose weight gave them no slot. */
static void
maglev_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    const struct maglev *m = state;
    uint32_t             slot = slot_of(m, at), i;

    for (i = 0; i < m->size; i++) {
        if (cwi_walk_visit(w, table_of(m)[slot]))
            return;
        slot = slot + 1 == m->size ? 0 : slot + 1;
    }
}

/* The last position of a slot: the largest at with at * size < (slot + 1) *
 * 2^bits. */
static uint64_t
slot_end(const struct maglev *m, uint32_t slot)
{
    cwi_u128 end = ((cwi_u128)(slot + 1) << m->bits) - 1;

    return (uint64_t)(end / m->size);
}

static void
maglev_arc(const void *state, uint64_t *cursor, uint64_t from, uint64_t *last,
           uint32_t *owner)
{
    const struct maglev *m = state;
    uint32_t             slot = slot_of(m, from);

    (void)cursor;
    *owner = table_of(m)[slot];
    while (slot + 1 < m->size && table_of(m)[slot + 1] == *owner)
        slot++;
    *last = slot_end(m, slot);
}

static const char *
maglev_check(const void *state, const struct cwi_nodes *nodes)
{
    const struct maglev *m = state;
    uint32_t             i;

    if (m->n != nodes->n)
        return "maglev: made for another number of nodes";
    for (i = 0; i < m->size; i++)
        if (table_of(m)[i] >= nodes->n ||
            nodes->v[table_of(m)[i]].weight == 0)
            return "maglev: an entry is no active node";
    return NULL;
}

const struct cwi_algo_ops cwi_algo_maglev = {
    .name = "maglev",
    .summary = "a table filled in turns: the evenest shares, but other keys "
               "move too",
    .source = "Eisenbud et al., NSDI 2016",
    .traits = CW_TRAIT_ORDER_FREE | CW_TRAIT_RESTORES | CW_TRAIT_WEIGHTED |
              CW_TRAIT_ARCS | CW_TRAIT_BALANCED,
    .options = maglev_options,
    .plan = maglev_plan,
    .build = maglev_build,
    .find = maglev_find,
    .walk = maglev_walk,
    .arc = maglev_arc,
    .check = CWI_UNLESS_PAGE(maglev_check)
};
