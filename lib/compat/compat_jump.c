/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_jump.c - jump consistent hash over a list, and Guava's function, which
 * differs from the paper's for a few keys. Rules: docs/formats/jump.md.
 */
#include "compat/compat_jump.h"

#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/jump.h"

#define STEP UINT64_C(2862933555777941757)

uint32_t
cwi_jump_guava(uint64_t key, uint32_t buckets)
{
    int64_t b = 0;

    for (;;) {
        double r, next;

        key = key * STEP + 1;
        r = (double)((key >> 33) + 1) / 2147483648.0;
        next = (double)(b + 1) / r;
        if (next >= (double)buckets)
            return (uint32_t)b;
        b = (int64_t)next;
    }
}

/* State: this, then the nodes. */
struct jump {
    uint64_t n;
};

static const uint32_t *
buckets_of(const void *state)
{
    return (const uint32_t *)((const struct jump *)state + 1);
}

cw_status
cwi_jump_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
              struct cwi_plan *out, cw_error *err)
{
    out->state = sizeof(struct jump) + (size_t)nodes->active * 4;
    out->top = UINT64_MAX;
    return cwi_equal_weights(self, nodes, err);
}

void
cwi_jump_build(const struct cwi_algo_ops *self, void *state, void *scratch,
               const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct jump *s = state;
    uint32_t *bucket = (uint32_t *)(s + 1);

    (void)self;
    (void)scratch;
    (void)p;
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight > 0)
            bucket[s->n++] = i;
    }
}

static void
walk_from(const void *state, uint64_t i, struct cwi_walk *w)
{
    uint64_t n = ((const struct jump *)state)->n;

    for (uint64_t left = n; left > 0; left--) {
        if (cwi_walk_visit(w, buckets_of(state)[i]))
            return;
        i = i + 1 == n ? 0 : i + 1;
    }
}

uint32_t
cwi_jump_find(const void *state, uint64_t at)
{
    uint32_t n = (uint32_t)((const struct jump *)state)->n;

    return buckets_of(state)[cwi_jump(at, n)];
}

void
cwi_jump_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint32_t n = (uint32_t)((const struct jump *)state)->n;

    walk_from(state, cwi_jump(at, n), w);
}

/* ---- Guava ------------------------------------------------------------- */

static const struct cwi_option options[] = {
    { "hash", "hash of the keys, of which Guava is given the number",
      CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    CWI_OPTIONS_END
};

static cw_status
guava_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
           const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    (void)p;
    return cwi_jump_plan(self, nodes, out, err);
}

static uint32_t
guava_find(const void *state, uint64_t at)
{
    uint32_t n = (uint32_t)((const struct jump *)state)->n;

    return buckets_of(state)[cwi_jump_guava(at, n)];
}

static void
guava_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    uint32_t n = (uint32_t)((const struct jump *)state)->n;

    walk_from(state, cwi_jump_guava(at, n), w);
}

const struct cwi_compat_ops cwi_compat_jump_guava = {
    .algo = {
        .name    = "jump-guava",
        .quirks  = cwi_quirks_place,
        .summary = "jump hash as Guava rounds it; differs for a few keys",
        .source  = "Guava 31.1, Hashing.consistentHash",
        .options = options,
        .plan    = guava_plan,
        .build   = cwi_jump_build,
        .find    = guava_find,
        .walk    = guava_walk
    }
};
