/* SPDX-License-Identifier: Apache-2.0 */
/* bound.c - bounded load: counters in flight, and keys assigned at once. */
#include "clockwise/clockwise_bound.h"

#include "core/core.h"

/* Nodes of a preference list looked at before the rest by number: with a
 * factor above 1 some node among far fewer has room. */
#define LIST_SHORT 8u
#define LIST_LONG  1024u

#define IN_FLIGHT_MAX (UINT32_C(1) << 31)

struct cw_bound {
    cw_allocator          alloc;
    cw_map               *map;
    unsigned              percent;      /* 0: no bound                      */
    atomic_uint           total;
    atomic_uint_least64_t passed;
    atomic_uint          *load;         /* of each node                     */
};

/* What a node may have of `keys` keys; at least 1 unless its weight is 0. */
static uint32_t
cap_of(const cw_map *map, unsigned percent, uint32_t node, uint64_t keys)
{
    cwi_u128 part = (cwi_u128)keys * percent * map->nodes[node].weight;
    cwi_u128 whole = (cwi_u128)100 * map->total_weight;
    cwi_u128 cap = (part + whole - 1) / whole;

    return cap > IN_FLIGHT_MAX ? IN_FLIGHT_MAX : (uint32_t)cap;
}

static cw_status
check_percent(unsigned percent, cw_error *err)
{
    if (percent == 0 ||
        (percent >= CW_BOUND_MIN && percent <= CW_BOUND_MAX))
        return CW_OK;
    return cwi_fail(err, CW_EINVAL, "bound of %u per cent; expected %u to %u, "
                    "125 for 1.25 times the fair share", (uint64_t)percent,
                    (uint64_t)CW_BOUND_MIN, (uint64_t)CW_BOUND_MAX);
}

cw_status
cw_bound_new(cw_map *map, unsigned percent, const cw_allocator *allocator,
             cw_bound **out, cw_error *err)
{
    cw_allocator a = cwi_allocator(allocator);
    cw_status    status = check_percent(percent, err);
    cw_bound    *b;
    uint32_t     i;

    if (status != CW_OK)
        return status;
    b = cwi_alloc(&a, 1, sizeof(*b));
    if (b != NULL)
        b->load = cwi_alloc(&a, map->count, sizeof(*b->load));
    if (b == NULL || (b->load == NULL && map->count > 0)) {
        cwi_free(&a, b);
        return cwi_fail(err, CW_ENOMEM, "no memory for the counters of %u "
                        "nodes", (uint64_t)map->count);
    }
    b->alloc = a;
    b->map = cw_map_ref(map);
    b->percent = percent;
    atomic_init(&b->total, 0);
    atomic_init(&b->passed, 0);
    for (i = 0; i < map->count; i++)
        atomic_init(&b->load[i], 0);
    *out = b;
    return CW_OK;
}

void
cw_bound_free(cw_bound *bound)
{
    cw_allocator a;

    if (bound == NULL)
        return;
    a = bound->alloc;
    cw_map_unref(bound->map);
    cwi_free(&a, bound->load);
    cwi_free(&a, bound);
}

/* ---- where there is room ----------------------------------------------- */

/* Take one place on a node if it has room: true when it was taken. */
typedef int try_fn(void *context, uint32_t node);

struct asked {
    const cw_map *map;
    const void   *key;      /* NULL: hash                                   */
    size_t        len;
    uint64_t      hash;
};

static struct asked
asked_key(const cw_map *map, const cw_key *key)
{
    struct asked q = { map, key->len ? key->data : "", key->len, 0 };

    return q;
}

static uint32_t
list_of(const struct asked *q, uint32_t *list, uint32_t n)
{
    return q->key != NULL ? cw_map_order(q->map, q->key, q->len, list, n)
                          : cw_map_order_hash(q->map, q->hash, list, n);
}

/* The first node of the preference list that `try` takes; CW_NONE: none. */
static uint32_t
first_with_room(const struct asked *q, try_fn *try, void *context)
{
    uint32_t list[LIST_LONG], len, i, done = 0, want = LIST_SHORT;

    do {
        len = list_of(q, list, want);
        for (i = done; i < len; i++)
            if (try(context, list[i]))
                return list[i];
        done = len;
        want = want == LIST_SHORT ? LIST_LONG / 8 : LIST_LONG;
    } while (len >= LIST_SHORT && len < LIST_LONG && done < q->map->active);
    for (i = 0; i < q->map->count; i++)
        if (q->map->nodes[i].weight != 0 && try(context, i))
            return i;
    return CW_NONE;
}

/* A pin is somebody's word: its keys stay, whatever their node has. */
static int
pinned(const struct asked *q)
{
    cw_pin pin;

    if (q->map->p.pins == NULL)
        return 0;
    return (q->key != NULL
            ? cw_map_pin(q->map, q->key, q->len, &pin)
            : cw_map_pin_position(q->map, cw_map_position(q->map, q->hash),
                                  &pin)) == CW_OK;
}

static int
try_take(void *context, uint32_t node)
{
    cw_bound *b = context;
    unsigned  load = atomic_load_explicit(&b->load[node],
                                          memory_order_relaxed);
    uint32_t  cap = b->percent ? cap_of(b->map, b->percent, node,
                                        atomic_load_explicit(
                                            &b->total, memory_order_relaxed))
                               : IN_FLIGHT_MAX;

    while (load < cap)
        if (atomic_compare_exchange_weak_explicit(
                &b->load[node], &load, load + 1, memory_order_relaxed,
                memory_order_relaxed))
            return 1;
    return 0;
}

static cw_status
take(cw_bound *b, const struct asked *q, uint32_t owner, uint32_t *out)
{
    uint32_t node = owner;

    /* Counted first, so that the caps are those of m + 1 keys. */
    if (atomic_fetch_add_explicit(&b->total, 1, memory_order_relaxed) >=
        IN_FLIGHT_MAX) {
        atomic_fetch_sub_explicit(&b->total, 1, memory_order_relaxed);
        return CW_ELIMIT;
    }
    if (!try_take(b, owner)) {
        node = pinned(q) ? CW_NONE : first_with_room(q, try_take, b);
        /* Pinned, or calls beside this one filled each node as it came. */
        if (node == CW_NONE) {
            node = owner;
            atomic_fetch_add_explicit(&b->load[node], 1,
                                      memory_order_relaxed);
        }
    }
    if (node != owner)
        atomic_fetch_add_explicit(&b->passed, 1, memory_order_relaxed);
    *out = node;
    return CW_OK;
}

cw_status
cw_bound_take(cw_bound *bound, const void *key, size_t len, uint32_t *out)
{
    cw_key       asked = { key, len };
    struct asked q = asked_key(bound->map, &asked);
    uint32_t     owner;
    cw_status    status = cw_map_owner(bound->map, key, len, &owner);

    return status == CW_OK ? take(bound, &q, owner, out) : status;
}

cw_status
cw_bound_take_hash(cw_bound *bound, uint64_t hash, uint32_t *out)
{
    struct asked q = { bound->map, NULL, 0, hash };
    uint32_t     owner;
    cw_status    status = cw_map_owner_hash(bound->map, hash, &owner);

    return status == CW_OK ? take(bound, &q, owner, out) : status;
}

cw_status
cw_bound_release(cw_bound *bound, uint32_t node)
{
    unsigned load;

    if (node >= bound->map->count)
        return CW_EINVAL;
    load = atomic_load_explicit(&bound->load[node], memory_order_relaxed);
    do {
        if (load == 0)
            return CW_EINVAL;
    } while (!atomic_compare_exchange_weak_explicit(
                 &bound->load[node], &load, load - 1, memory_order_relaxed,
                 memory_order_relaxed));
    atomic_fetch_sub_explicit(&bound->total, 1, memory_order_relaxed);
    return CW_OK;
}

uint32_t
cw_bound_load(const cw_bound *bound, uint32_t node)
{
    return atomic_load_explicit(&bound->load[node], memory_order_relaxed);
}

uint32_t
cw_bound_total(const cw_bound *bound)
{
    return atomic_load_explicit(&bound->total, memory_order_relaxed);
}

uint32_t
cw_bound_cap(const cw_bound *bound, uint32_t node)
{
    if (bound->map->active == 0)
        return 0;
    return bound->percent
           ? cap_of(bound->map, bound->percent, node,
                    (uint64_t)cw_bound_total(bound) + 1)
           : IN_FLIGHT_MAX;
}

uint64_t
cw_bound_passed(const cw_bound *bound)
{
    return atomic_load_explicit(&bound->passed, memory_order_relaxed);
}

/* ---- a set of keys ----------------------------------------------------- */

struct assignment {
    uint32_t *room;         /* of each node                                 */
};

static int
try_assign(void *context, uint32_t node)
{
    struct assignment *a = context;

    if (a->room[node] == 0)
        return 0;
    a->room[node]--;
    return 1;
}

cw_status
cw_bound_assign(const cw_map *map, unsigned percent, const cw_key *keys,
                size_t n, uint32_t *out, size_t *passed, cw_error *err)
{
    cw_status         status = check_percent(percent, err);
    struct assignment a;
    size_t            k, moved = 0;
    uint32_t          i;

    if (status != CW_OK)
        return status;
    if (n > IN_FLIGHT_MAX)
        return cwi_fail(err, CW_EINVAL, "%u keys; expected at most %u",
                        (uint64_t)n, (uint64_t)IN_FLIGHT_MAX);
    if (map->active == 0)
        return cwi_fail(err, CW_EEMPTY, "no node has a weight above 0");
    a.room = cwi_alloc(&map->alloc, map->count, sizeof(*a.room));
    if (a.room == NULL)
        return cwi_fail(err, CW_ENOMEM, "no memory for %u counters",
                        (uint64_t)map->count);
    for (i = 0; i < map->count; i++)
        a.room[i] = percent ? cap_of(map, percent, i, n) : (uint32_t)n;
    /* Pinned keys first, so that the others fill what these leave. */
    for (k = 0; k < n; k++) {
        struct asked q = asked_key(map, &keys[k]);

        out[k] = CW_NONE;
        if (pinned(&q) && cw_map_owner(map, q.key, q.len, &out[k]) == CW_OK)
            (void)try_assign(&a, out[k]);
    }
    for (k = 0; k < n; k++) {
        struct asked q = asked_key(map, &keys[k]);

        if (out[k] != CW_NONE)
            continue;
        (void)cw_map_owner(map, q.key, q.len, &out[k]);
        if (!try_assign(&a, out[k])) {
            out[k] = first_with_room(&q, try_assign, &a);
            moved++;
        }
    }
    cwi_free(&map->alloc, a.room);
    if (passed != NULL)
        *passed = moved;
    return CW_OK;
}
