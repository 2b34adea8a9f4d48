/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_redis_cluster.c - Redis Cluster: 16,384 slots by CRC-16 of the hash
 * tag. Rule and quirks: docs/formats/redis-cluster.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_text.h"
#include "core/points.h"

#define SLOTS 16384u

static uint64_t
slot_of(const struct cwi_placement *p, const void *key, size_t len)
{
    struct cwi_span s = cwi_hash_tag(key, len, '{', '}');

    (void)p;
    return cwi_crc16(s.p, s.len, 0xffff) % SLOTS;
}

static int
assigned(const struct cwi_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight > 0 && nodes->v[i].position_count > 0)
            return 1;
    }
    return 0;
}

/* Every slot must have one node. */
static cw_status
check_slots(const struct cwi_nodes *nodes, cw_error *err)
{
    uint64_t seen[SLOTS / 64] = { 0 };

    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        for (uint32_t k = 0; n->weight > 0 && k < n->position_count; k++) {
            uint64_t x = n->positions[k];

            if (x >= SLOTS || (seen[x / 64] >> x % 64 & 1))
                return cwi_fail(err, CW_EINVAL,
                                "node %n: slot %u is %s; expected 0 to %u, "
                                "each once", n->name, (size_t)n->name_len, x,
                                x < SLOTS ? "assigned twice"
                                          : "no slot of a cluster",
                                (uint64_t)SLOTS - 1);
            seen[x / 64] |= UINT64_C(1) << x % 64;
        }
    }
    for (uint64_t x = 0; x < SLOTS; x++) {
        if (!(seen[x / 64] >> x % 64 & 1))
            return cwi_fail(err, CW_EINVAL, "slot %u is not assigned to a "
                            "node", x);
    }
    return CW_OK;
}

static cw_status
plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
     const struct cwi_placement *p, struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_equal_weights(self, nodes, err);

    (void)p;
    if (st == CW_OK && assigned(nodes))
        st = check_slots(nodes, err);
    else if (st == CW_OK && nodes->active > SLOTS)
        st = cwi_fail(err, CW_ELIMIT, "%u nodes share %u slots",
                      (uint64_t)nodes->active, (uint64_t)SLOTS);
    if (st != CW_OK)
        return st;
    st = cwi_points_plan(SLOTS, nodes->n, out);
    out->top = SLOTS - 1;
    return st;
}

/* The last slot of master number i of n when `redis-cli --cluster create`
 * deals them out, with its sums in doubles. */
static uint32_t
last_slot(double *cursor, uint32_t i, uint32_t n)
{
    double each = (double)SLOTS / (double)n;
    double last = *cursor + each - 1.0;

    *cursor += each;
    return i + 1 == n ? SLOTS - 1 : (uint32_t)(last + 0.5);
}

static void
build(const struct cwi_algo_ops *self, void *state, void *scratch,
      const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct cwi_point *raw = cwi_points_raw(scratch);
    int explicitly = assigned(nodes);
    uint32_t slot = 0, turn = 0;
    double cursor = 0.0;

    (void)self;
    (void)p;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->weight == 0)
            continue;
        for (uint32_t k = 0; explicitly && k < n->position_count; k++)
            *raw++ = (struct cwi_point){ n->positions[k], i };
        if (!explicitly) {
            uint32_t last = last_slot(&cursor, turn++, nodes->active);

            while (slot <= last)
                *raw++ = (struct cwi_point){ slot++, i };
        }
    }
    cwi_points_build(state, scratch, SLOTS, nodes->n, SLOTS - 1);
}

static int
dealt_out(const struct cwi_placement *p, const struct cwi_nodes *nodes,
          uint64_t top)
{
    (void)p;
    (void)top;
    return !assigned(nodes);
}

static const struct cwi_quirk quirk_dealt = {
    dealt_out,
    "slots are dealt out as for a new cluster, which may have moved them since",
    "give each node the slots of CLUSTER SLOTS as positions"
};

static const struct cwi_quirk *const quirks[] = { &quirk_dealt, NULL };

const struct cwi_compat_ops cwi_compat_redis_cluster = {
    .algo = {
        .name     = "redis-cluster",
        .quirks   = quirks,
        .summary  = "16,384 slots by CRC-16 of the hash tag or key",
        .source   = "Redis 7.0, cluster.c; Redis Cluster specification",
        .traits   = CW_TRAIT_ARCS | CW_TRAIT_POSITIONS,
        .plan     = plan,
        .build    = build,
        .hash_key = slot_of,
        .find     = cwi_points_find,
        .walk     = cwi_points_walk,
        .arc      = cwi_points_arc,
        .count    = cwi_points_count,
        .check    = CWI_UNLESS_PAGE(cwi_points_check)
    }
};
