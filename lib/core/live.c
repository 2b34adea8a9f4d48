/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - two copies of a map, of which readers use one while the other is
 * patched (left-right), and quiescent states that say when readers have left
 * a copy.
 *
 * Why no reader meets a write: a copy is published, then `epoch` is raised.
 * A reader stores the epoch it has read (`seen`), then loads the published
 * copy. The writer writes to a copy only when each `seen` is 0 (no reader) or
 * at least the epoch that was raised after the other copy was published; by
 * then every reader either loaded that other copy or loads it next. All
 * stores and loads of this paragraph are sequentially consistent, so that of
 * a joining reader and the writer one sees the other.
 *
 * cw_live_settle() lets readers go back to the copy they had left, once it is
 * patched: its lines are still in their caches. If they took turns on both
 * with the changes, readers of a map larger than their caches would find
 * little of either.
 */
#include <stdatomic.h>
#include <string.h>

#include "clockwise/clockwise_live.h"
#include "core/live.h"

#define READERS_MAX 65536u
#define CACHE_LINE  64u

/* A reader's word in a cache line of its own. */
struct slot {
    _Atomic uint64_t seen;      /* epoch; 0: free                           */
    char             pad[CACHE_LINE - sizeof(uint64_t)];
};

struct cw_live {
    _Atomic(const cw_map *) published;
    _Atomic uint64_t        epoch;
    char                    pad[CACHE_LINE];
    /* From here on the writer's alone. */
    cw_allocator            alloc;
    cw_fleet               *fleet;
    struct cwi_placement    p;
    cw_map                 *front;      /* published                        */
    cw_map                 *back;
    struct cwi_change       behind;     /* what back does not have yet      */
    int                     broken;     /* back is of no use                */
    int                     labelled;   /* a node has a label of its own    */
    int                     pointless;  /* one with a weight has no point   */
    cw_map                 *retired[2]; /* to be freed                      */
    uint64_t                left;       /* readers at it have left what is
                                           not published                    */
    struct cwi_patch_room   room;
    uint64_t                patched, built;
    uint32_t                readers;
    struct slot             slots[];
};

/* ---- readers ----------------------------------------------------------- */

cw_status
cw_live_join(cw_live *live, cw_live_reader *reader)
{
    uint64_t epoch = atomic_load(&live->epoch), none;

    for (uint32_t i = 0; i < live->readers; i++) {
        none = 0;
        if (atomic_compare_exchange_strong(&live->slots[i].seen, &none,
                                           epoch)) {
            reader->live = live;
            reader->slot = &live->slots[i];
            reader->epoch = epoch;
            reader->map = atomic_load(&live->published);
            return CW_OK;
        }
    }
    return CW_ELIMIT;
}

void
cw_live_leave(cw_live_reader *reader)
{
    struct slot *slot = reader->slot;

    reader->map = NULL;
    atomic_store(&slot->seen, 0);
}

void
cw_live_quiescent(cw_live_reader *reader)
{
    struct slot *slot = reader->slot;
    uint64_t epoch = atomic_load_explicit(&reader->live->epoch,
                                          memory_order_acquire);

    if (epoch == reader->epoch)
        return;
    atomic_store(&slot->seen, epoch);
    reader->epoch = epoch;
    reader->map = atomic_load(&reader->live->published);
}

/* For callers that do not compile what the header has of these. */
extern inline uint32_t cw_live_pick(const cw_live_reader *reader,
                                    const void *key, size_t len);
extern inline uint32_t cw_live_pick_hash(const cw_live_reader *reader,
                                         uint64_t hash);
extern inline cw_status cw_live_owner(const cw_live_reader *reader,
                                      const void *key, size_t len,
                                      uint32_t *out);
extern inline cw_status cw_live_owner_hash(const cw_live_reader *reader,
                                           uint64_t hash, uint32_t *out);

cw_status
cw_live_owner_many(const cw_live_reader *reader, const cw_key *keys, size_t n,
                   uint32_t *out)
{
    return cw_map_owner_many(reader->map, keys, n, out);
}

cw_status
cw_live_owner_hash_many(const cw_live_reader *reader, const uint64_t *hashes,
                        size_t n, uint32_t *out)
{
    return cw_map_owner_hash_many(reader->map, hashes, n, out);
}

uint32_t
cw_live_order(const cw_live_reader *reader, const void *key, size_t len,
              uint32_t *out, uint32_t n)
{
    return cw_map_order(reader->map, key, len, out, n);
}

uint32_t
cw_live_replicas(const cw_live_reader *reader, const void *key, size_t len,
                 uint32_t *out, uint32_t r)
{
    return cw_map_replicas(reader->map, key, len, out, r);
}

uint32_t
cw_live_count(const cw_live_reader *reader)
{
    return reader->map->count;
}

void
cw_live_node(const cw_live_reader *reader, uint32_t i, cw_node *out)
{
    cw_map_node(reader->map, i, out);
}

/* ---- publishing -------------------------------------------------------- */

static int
readers_left(cw_live *live)
{
    for (uint32_t i = 0; i < live->readers; i++) {
        uint64_t seen = atomic_load(&live->slots[i].seen);

        if (seen != 0 && seen < live->left)
            return 0;
    }
    return 1;
}

static void
publish(cw_live *live, cw_map *map)
{
    atomic_store(&live->published, map);
    live->left = atomic_fetch_add(&live->epoch, 1) + 1;
    live->front = map;
}

/* Make the back copy, if no reader is left at it, equal to the front one and
 * free what is retired. */
static cw_status
settle(cw_live *live, cw_error *err)
{
    if (!readers_left(live))
        return cwi_fail(err, CW_EBUSY,
                        "a reader has not passed a quiescent point since the "
                        "last change or settling; try again");
    for (int i = 0; i < 2; i++) {
        cw_map_unref(live->retired[i]);
        live->retired[i] = NULL;
    }
    if (!live->broken &&
        !cwi_patch_make(live->back, &live->behind, &live->room))
        live->broken = 1;
    live->behind.kind = CWI_CHANGE_NONE;
    return CW_OK;
}

/* ---- building anew ----------------------------------------------------- */

static int
has_labels(const cw_fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->count; i++) {
        if (fleet->list[i]->label.data)
            return 1;
    }
    return 0;
}

/* The end of a preference list then goes by the numbers of nodes, which are
 * others when nodes are added in place. */
static int
has_pointless(const cw_map *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->nodes[i].weight && !map->nodes[i].points)
            return 1;
    }
    return 0;
}

/* Two equal copies of the fleet; members learn their numbers. */
static cw_status
build_two(const cw_fleet *fleet, const struct cwi_placement *p,
          cw_map *out[2], cw_error *err)
{
    cw_status st = cwi_map_build_roomy(fleet, p, &out[0], err);

    if (st == CW_OK) {
        st = cwi_map_build_roomy(fleet, p, &out[1], err);
        if (st != CW_OK)
            cw_map_unref(out[0]);
    }
    for (uint32_t i = 0; st == CW_OK && i < out[0]->count; i++) {
        const struct cwi_map_node *n = &out[0]->nodes[i];

        cwi_fleet_member(fleet, cwi_map_text(out[0], n->name),
                         n->name_len)->number = i;
    }
    return st;
}

/* Put two copies of `fleet` in the place of those there are; takes the fleet
 * on success. Nothing must be retired. */
static cw_status
rebuild(cw_live *live, cw_fleet *fleet, cw_error *err)
{
    cw_map *two[2];
    cw_status st = build_two(fleet, &live->p, two, err);

    if (st != CW_OK)
        return st;
    live->retired[0] = live->front;
    live->retired[1] = live->back;
    live->back = two[1];
    live->broken = 0;
    publish(live, two[0]);
    if (fleet != live->fleet)
        cw_fleet_free(live->fleet);
    live->fleet = fleet;
    live->labelled = has_labels(fleet);
    live->pointless = has_pointless(two[0]);
    live->built++;
    return CW_OK;
}

/* ---- changes ----------------------------------------------------------- */

/* The change on a fleet; name and len are the node's. */
static cw_status
change_fleet(cw_fleet *fleet, const struct cwi_change *change,
             const void *name, size_t len, cw_error *err)
{
    switch (change->kind) {
    case CWI_CHANGE_ADD:
        return cw_fleet_add(fleet, name, len, change->weight, err);
    case CWI_CHANGE_REMOVE:
        return cw_fleet_remove(fleet, name, len, err);
    case CWI_CHANGE_WEIGHT:
        return cw_fleet_set_weight(fleet, name, len, change->weight, err);
    case CWI_CHANGE_STATE:
        return cw_fleet_set_state(fleet, name, len, change->state, err);
    case CWI_CHANGE_NONE:
        break;
    }
    return CW_OK;
}

/* On a copy of the fleet, so that an error leaves all as it was. */
static cw_status
change_by_building(cw_live *live, const struct cwi_change *change,
                   const void *name, size_t len, cw_error *err)
{
    cw_fleet *fleet = cw_fleet_copy(live->fleet);
    cw_status st;

    if (!fleet)
        return cwi_fail(err, CW_ENOMEM, "no memory for the fleet");
    st = change_fleet(fleet, change, name, len, err);
    if (st == CW_OK)
        st = rebuild(live, fleet, err);
    if (st != CW_OK)
        cw_fleet_free(fleet);
    return st;
}

/*
 * The change in place. The fleet goes first, where errors are found; the back
 * copy then, which rarely turns out to have no room: the change is taken back
 * and made by building.
 */
static cw_status
change_in_place(cw_live *live, struct cwi_change *change, const void *name,
                size_t len, cw_error *err)
{
    struct cwi_member *m = cwi_fleet_member(live->fleet, name, len);
    const struct cwi_map_node *last;
    struct cwi_change undo = *change;
    cw_map *back = live->back;
    cw_status st;

    if (change->kind == CWI_CHANGE_ADD)
        m->number = back->count;
    change->member = m;
    change->number = m->number;
    change->labelled = live->labelled;
    change->pointless = live->pointless;
    st = cwi_patch_ready(back, live->fleet, change, &live->room,
                         &live->alloc);
    if (st == CW_OK && cwi_patch_make(back, change, &live->room)) {
        if (change->kind == CWI_CHANGE_REMOVE &&
            change->number < back->count) {
            last = &back->nodes[change->number];
            cwi_fleet_member(live->fleet, cwi_map_text(back, last->name),
                             last->name_len)->number = change->number;
        }
        live->back = live->front;
        publish(live, back);
        live->behind = *change;
        live->patched++;
        return CW_OK;
    }
    live->broken |= st == CW_OK;
    if (change->kind == CWI_CHANGE_ADD) {
        undo.kind = CWI_CHANGE_REMOVE;
        change_fleet(live->fleet, &undo, name, len, NULL);
    }
    return st == CW_ENOMEM ? cwi_fail(err, st, "no memory for the change")
                           : CW_ENOTSUP;
}

/* The fleet's own errors, before anything is changed. */
static cw_status
change_checked(cw_live *live, struct cwi_change *change, const void *name,
               size_t len, cw_error *err)
{
    cw_status st = CW_ENOTSUP;
    cw_node node;

    if (change->kind != CWI_CHANGE_ADD) {
        st = cw_fleet_find(live->fleet, name, len, &node);
        if (st != CW_OK)
            return cwi_fail(err, st, "no node is named %n", name, len);
        st = CW_ENOTSUP;
    }
    if (!live->broken &&
        (change->kind == CWI_CHANGE_STATE || live->p.algo->patch)) {
        /* A node to add must be in the fleet to be patched in; one to
         * remove must still be there to be found. */
        if (change->kind == CWI_CHANGE_ADD) {
            st = change_fleet(live->fleet, change, name, len, err);
            if (st != CW_OK)
                return st;
        }
        st = change_in_place(live, change, name, len, err);
        if (st == CW_OK && change->kind != CWI_CHANGE_ADD)
            change_fleet(live->fleet, change, name, len, NULL);
    }
    if (st == CW_ENOTSUP)
        st = change_by_building(live, change, name, len, err);
    return st;
}

static cw_status
change_live(cw_live *live, struct cwi_change *change, const void *name,
            size_t len, cw_error *err)
{
    cw_status st = settle(live, err);

    return st == CW_OK ? change_checked(live, change, name, len, err) : st;
}

cw_status
cw_live_add(cw_live *live, const void *name, size_t len, uint64_t weight,
            cw_error *err)
{
    struct cwi_change c = { CWI_CHANGE_ADD, 0, NULL, weight, CW_UP, 0, 0 };

    return change_live(live, &c, name, len, err);
}

cw_status
cw_live_remove(cw_live *live, const void *name, size_t len, cw_error *err)
{
    struct cwi_change c = { CWI_CHANGE_REMOVE, 0, NULL, 0, CW_UP, 0, 0 };

    return change_live(live, &c, name, len, err);
}

cw_status
cw_live_set_weight(cw_live *live, const void *name, size_t len,
                   uint64_t weight, cw_error *err)
{
    struct cwi_change c = { CWI_CHANGE_WEIGHT, 0, NULL, weight, CW_UP, 0, 0 };

    if (weight > CW_WEIGHT_MAX)     /* no other error once it is found */
        return cw_fleet_set_weight(live->fleet, name, len, weight, err);
    return change_live(live, &c, name, len, err);
}

cw_status
cw_live_set_state(cw_live *live, const void *name, size_t len, cw_state state,
                  cw_error *err)
{
    struct cwi_change c = { CWI_CHANGE_STATE, 0, NULL, 0, state, 0, 0 };

    if (state < CW_UP || state > CW_DRAIN)
        return cw_fleet_set_state(live->fleet, name, len, state, err);
    return change_live(live, &c, name, len, err);
}

cw_status
cw_live_replace(cw_live *live, const cw_fleet *fleet, cw_error *err)
{
    cw_status st = settle(live, err);
    cw_fleet *copy;

    if (st != CW_OK)
        return st;
    copy = cw_fleet_copy(fleet);
    if (!copy)
        return cwi_fail(err, CW_ENOMEM, "no memory for the fleet");
    st = rebuild(live, copy, err);
    if (st != CW_OK)
        cw_fleet_free(copy);
    return st;
}

/* ---- the object -------------------------------------------------------- */

cw_status
cw_live_new(const cw_fleet *fleet, const cw_placement *placement,
            uint32_t readers, cw_live **out, cw_error *err)
{
    cw_map *two[2];
    cw_live *live;
    cw_status st;

    if (readers == 0 || readers > READERS_MAX)
        return cwi_fail(err, CW_EINVAL, "%u readers: expected 1 to %u",
                        (uint64_t)readers, (uint64_t)READERS_MAX);
    live = cwi_alloc(&fleet->alloc, 1, sizeof *live +
                     cwi_size_mul(readers, sizeof(struct slot)));
    if (!live)
        return cwi_fail(err, CW_ENOMEM, "no memory for the live map");
    live->alloc = fleet->alloc;
    live->readers = readers;
    if (placement)
        live->p = placement->p;
    else
        cwi_placement_default(&live->p);
    cwi_pins_ref(live->p.pins);
    live->fleet = cw_fleet_copy(fleet);
    st = live->fleet ? build_two(live->fleet, &live->p, two, err)
                     : cwi_fail(err, CW_ENOMEM, "no memory for the fleet");
    if (st != CW_OK) {
        cw_fleet_free(live->fleet);
        cw_pins_free(live->p.pins);
        cwi_free(&fleet->alloc, live);
        return st;
    }
    live->labelled = has_labels(live->fleet);
    live->pointless = has_pointless(two[0]);
    live->front = two[0];
    live->back = two[1];
    for (uint32_t i = 0; i < readers; i++)
        atomic_init(&live->slots[i].seen, 0);
    atomic_init(&live->published, two[0]);
    atomic_init(&live->epoch, 1);
    *out = live;
    return CW_OK;
}

void
cw_live_free(cw_live *live)
{
    cw_allocator a;

    if (!live)
        return;
    a = live->alloc;
    cw_map_unref(live->front);
    cw_map_unref(live->back);
    cw_map_unref(live->retired[0]);
    cw_map_unref(live->retired[1]);
    cw_fleet_free(live->fleet);
    cw_pins_free(live->p.pins);
    cwi_free(&a, live->room.points);
    cwi_free(&a, live->room.text);
    cwi_free(&a, live->room.nodes);
    cwi_free(&a, live->room.counts);
    cwi_free(&a, live);
}

cw_status
cw_live_settle(cw_live *live)
{
    int behind = live->behind.kind != CWI_CHANGE_NONE;
    cw_map *back = live->back;
    cw_status st;

    if (!behind && !live->retired[0])
        return CW_OK;
    st = settle(live, NULL);
    if (st == CW_OK && behind && !live->broken) {
        live->back = live->front;
        publish(live, back);
    }
    return st;
}

const cw_fleet *
cw_live_fleet(const cw_live *live)
{
    return live->fleet;
}

cw_status
cw_live_snapshot(const cw_live *live, cw_map **out, cw_error *err)
{
    cw_placement p;

    p.alloc = live->alloc;
    p.p = live->p;
    return cw_map_build(live->fleet, &p, out, err);
}

size_t
cw_live_bytes(const cw_live *live)
{
    size_t bytes = sizeof *live + live->readers * sizeof(struct slot) +
                   live->front->bytes + live->back->bytes;

    for (int i = 0; i < 2; i++)
        bytes += live->retired[i] ? live->retired[i]->bytes : 0;
    return bytes;
}

void
cw_live_counts(const cw_live *live, uint64_t *patched, uint64_t *built)
{
    *patched = live->patched;
    *built = live->built;
}
