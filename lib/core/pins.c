/* SPDX-License-Identifier: Apache-2.0 */
/* pins.c - keys, prefixes and ranges fixed to nodes, over any map. */
#include "clockwise/clockwise_pins.h"

#include <string.h>

#include "core/core.h"

enum { KEY = CW_PIN_KEY, PREFIX = CW_PIN_PREFIX, RANGE = CW_PIN_RANGE, KINDS };

/* One block: this, then the names and the text one after the other. */
struct pin {
    uint64_t first, last;       /* of a range                               */
    size_t   len;               /* of the key or prefix                     */
    uint32_t count;
    uint32_t name_len[CW_PIN_NODES];
    uint8_t  text[];            /* key or prefix, then the names            */
};

struct list {
    struct pin **v;             /* sorted by text, or by position           */
    size_t       n, room;
};

struct cw_pins {
    cw_allocator alloc;
    atomic_uint  refs;
    struct list  list[KINDS];
};

cw_pins *
cw_pins_new(const cw_allocator *allocator)
{
    cw_allocator a = cwi_allocator(allocator);
    cw_pins     *pins = cwi_alloc(&a, 1, sizeof(*pins));

    if (pins != NULL) {
        pins->alloc = a;
        atomic_init(&pins->refs, 1);
    }
    return pins;
}

cw_pins *
cwi_pins_ref(cw_pins *pins)
{
    if (pins != NULL)
        atomic_fetch_add_explicit(&pins->refs, 1, memory_order_relaxed);
    return pins;
}

void
cw_pins_free(cw_pins *pins)
{
    cw_allocator a;
    size_t       i;
    int          k;

    /* As cw_map_unref(). */
    if (pins == NULL ||
        atomic_fetch_sub_explicit(&pins->refs, 1, memory_order_acq_rel) != 1)
        return;
    a = pins->alloc;
    for (k = 0; k < KINDS; k++) {
        for (i = 0; i < pins->list[k].n; i++)
            cwi_free(&a, pins->list[k].v[i]);
        cwi_free(&a, pins->list[k].v);
    }
    cwi_free(&a, pins);
}

size_t
cw_pins_count(const cw_pins *pins)
{
    return pins->list[KEY].n + pins->list[PREFIX].n + pins->list[RANGE].n;
}

/* ---- adding ------------------------------------------------------------ */

/* May they change, and to these nodes? */
static cw_status
check_add(const cw_pins *pins, const cw_key *nodes, uint32_t count,
          cw_error *err)
{
    uint32_t i;

    if (atomic_load_explicit(&pins->refs, memory_order_relaxed) > 1)
        return cwi_fail(err, CW_EINVAL, "a placement has these pins: expected "
                        "new ones for a change");
    if (count == 0 || count > CW_PIN_NODES)
        return cwi_fail(err, CW_EINVAL, "a pin to %u nodes; expected 1 to %u",
                        (uint64_t)count, (uint64_t)CW_PIN_NODES);
    for (i = 0; i < count; i++)
        if (nodes[i].len == 0 || nodes[i].len > CW_NAME_MAX)
            return cwi_fail(err, CW_EINVAL, "a pin to a node with a name of "
                            "%u bytes; expected 1 to %u",
                            (uint64_t)nodes[i].len, (uint64_t)CW_NAME_MAX);
    return CW_OK;
}

static struct pin *
pin_new(const cw_allocator *a, const void *text, size_t len,
        const cw_key *nodes, uint32_t count)
{
    size_t      bytes = cwi_size_add(sizeof(struct pin), len), at = len;
    struct pin *pin;
    uint32_t    i;

    for (i = 0; i < count; i++)
        bytes = cwi_size_add(bytes, nodes[i].len);
    pin = cwi_alloc(a, bytes, 1);
    if (pin == NULL)
        return NULL;
    pin->len = len;
    pin->count = count;
    if (len > 0)
        memcpy(pin->text, text, len);
    for (i = 0; i < count; i++) {
        pin->name_len[i] = (uint32_t)nodes[i].len;
        memcpy(pin->text + at, nodes[i].data, nodes[i].len);
        at += nodes[i].len;
    }
    return pin;
}

/* The first pin that is not before the text. */
static size_t
text_place(const struct list *list, const void *text, size_t len)
{
    size_t lo = 0, hi = list->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (cwi_bytes_order(list->v[mid]->text, list->v[mid]->len, text,
                            len) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The first range that does not end before the position. */
static size_t
range_place(const struct list *list, uint64_t position)
{
    size_t lo = 0, hi = list->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (list->v[mid]->last < position)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static cw_status
insert(cw_pins *pins, struct list *list, size_t place, struct pin *pin,
       cw_error *err)
{
    if (pin != NULL && list->n == list->room) {
        size_t       room = list->room ? 2 * list->room : 8;
        struct pin **v = cwi_alloc(&pins->alloc, room, sizeof(struct pin *));

        if (v == NULL) {
            cwi_free(&pins->alloc, pin);
            pin = NULL;
        } else {
            if (list->n > 0)
                memcpy(v, list->v, list->n * sizeof(*v));
            cwi_free(&pins->alloc, list->v);
            list->v = v;
            list->room = room;
        }
    }
    if (pin == NULL)
        return cwi_fail(err, CW_ENOMEM, "no memory for a pin");
    memmove(list->v + place + 1, list->v + place,
            (list->n - place) * sizeof(*list->v));
    list->v[place] = pin;
    list->n++;
    return CW_OK;
}

static const struct pin *
text_find(const struct list *list, const void *text, size_t len)
{
    size_t i = text_place(list, text, len);

    return i < list->n && cwi_bytes_order(list->v[i]->text, list->v[i]->len,
                                          text, len) == 0
           ? list->v[i] : NULL;
}

static cw_status
add_text(cw_pins *pins, int kind, const void *text, size_t len,
         const cw_key *nodes, uint32_t count, cw_error *err)
{
    struct list *list = &pins->list[kind];
    cw_status    status = check_add(pins, nodes, count, err);

    if (status != CW_OK)
        return status;
    if (len == 0)
        text = "";
    if (text_find(list, text, len) != NULL)
        return cwi_fail(err, CW_EEXIST, "%s %n has a pin already",
                        kind == KEY ? "key" : "prefix", text, len);
    return insert(pins, list, text_place(list, text, len),
                  pin_new(&pins->alloc, text, len, nodes, count), err);
}

cw_status
cw_pins_key(cw_pins *pins, const void *key, size_t len, const cw_key *nodes,
            uint32_t count, cw_error *err)
{
    return add_text(pins, KEY, key, len, nodes, count, err);
}

cw_status
cw_pins_prefix(cw_pins *pins, const void *prefix, size_t len,
               const cw_key *nodes, uint32_t count, cw_error *err)
{
    if (len == 0)
        return cwi_fail(err, CW_EINVAL, "a prefix of 0 bytes pins every key; "
                        "expected 1 byte or more");
    return add_text(pins, PREFIX, prefix, len, nodes, count, err);
}

cw_status
cw_pins_range(cw_pins *pins, uint64_t first, uint64_t last,
              const cw_key *nodes, uint32_t count, cw_error *err)
{
    struct list *list = &pins->list[RANGE];
    size_t       place = range_place(list, first);
    cw_status    status = check_add(pins, nodes, count, err);
    struct pin  *pin;

    if (status != CW_OK)
        return status;
    if (first > last)
        return cwi_fail(err, CW_EINVAL, "a range from %u to %u; expected the "
                        "smaller position first (one that goes round is two "
                        "ranges)", first, last);
    if (place < list->n && list->v[place]->first <= last)
        return cwi_fail(err, CW_EEXIST, "the range from %u to %u meets the "
                        "one from %u to %u", first, last,
                        list->v[place]->first, list->v[place]->last);
    pin = pin_new(&pins->alloc, NULL, 0, nodes, count);
    if (pin != NULL) {
        pin->first = first;
        pin->last = last;
    }
    return insert(pins, list, place, pin, err);
}

/* ---- look-ups ---------------------------------------------------------- */

/* Numbers of a pin's nodes that the map has; returns how many. */
static uint32_t
nodes_of(const struct pin *pin, const cw_map *map, uint32_t *out, uint32_t n)
{
    const uint8_t *name = pin->text + pin->len;
    uint32_t       i, k, len = 0;

    for (i = 0; i < pin->count && len < n; i++) {
        uint32_t node = cw_map_find(map, name, pin->name_len[i]);

        name += pin->name_len[i];
        for (k = 0; k < len && out[k] != node; k++)
            ;
        if (node != CW_NONE && k == len)
            out[len++] = node;
    }
    return len;
}

/* Is it to a node that the map has? */
static int
holds(const struct pin *pin, const cw_map *map)
{
    uint32_t node;

    return nodes_of(pin, map, &node, 1) > 0;
}

/* The longest prefix of the key that is pinned to a node of the map; NULL:
 * none. Sorted by bytes, a prefix of the key comes before it: go down from
 * there, cutting what is looked for to what the entry met has in common with
 * it. */
static const struct pin *
by_prefix(const cw_map *map, const uint8_t *key, size_t len)
{
    const struct list *list = &map->p.pins->list[PREFIX];

    while (len > 0 && list->n > 0) {
        size_t            i = text_place(list, key, len), same = 0;
        const struct pin *pin;

        if (i == list->n || list->v[i]->len != len ||
            memcmp(list->v[i]->text, key, len) != 0) {
            if (i == 0)
                return NULL;
            i--;
        }
        pin = list->v[i];
        while (same < len && same < pin->len && pin->text[same] == key[same])
            same++;
        if (same == pin->len && holds(pin, map))
            return pin;
        /* This one pins nothing here: look for shorter ones. */
        len = same == pin->len ? same - 1 : same;
    }
    return NULL;
}

static const struct pin *
by_text(const cw_map *map, const void *key, size_t len)
{
    const struct pin *pin;

    if (len == 0)
        key = "";
    pin = text_find(&map->p.pins->list[KEY], key, len);
    return pin != NULL && holds(pin, map) ? pin : by_prefix(map, key, len);
}

static const struct pin *
by_position(const cw_map *map, uint64_t at)
{
    const struct list *list = &map->p.pins->list[RANGE];
    size_t             i = range_place(list, at);

    return i < list->n && list->v[i]->first <= at && holds(list->v[i], map)
           ? list->v[i] : NULL;
}

uint32_t
cwi_pins_text(const cw_map *map, const void *key, size_t len, uint32_t *out,
              uint32_t n)
{
    const struct pin *pin = by_text(map, key, len);

    return pin != NULL ? nodes_of(pin, map, out, n) : 0;
}

uint32_t
cwi_pins_position(const cw_map *map, uint64_t at, uint32_t *out, uint32_t n)
{
    const struct pin *pin = by_position(map, at);

    return pin != NULL ? nodes_of(pin, map, out, n) : 0;
}

int
cwi_pins_ranges(const cw_map *map)
{
    return map->p.pins != NULL && map->p.pins->list[RANGE].n > 0;
}

int
cwi_pins_range(const cw_map *map, size_t i, uint64_t *first, uint64_t *last,
               uint32_t *node)
{
    const struct list *list = &map->p.pins->list[RANGE];

    if (i >= list->n)
        return 0;
    *first = list->v[i]->first;
    *last = list->v[i]->last;
    if (nodes_of(list->v[i], map, node, 1) == 0)
        *node = CW_NONE;
    return 1;
}

/* ---- as seen from outside ---------------------------------------------- */

static void
pin_public(const struct pin *pin, cw_pin_kind kind, cw_pin *out)
{
    size_t   at = pin->len;
    uint32_t i;

    out->kind = kind;
    out->text = (cw_key){ pin->text, pin->len };
    out->first = pin->first;
    out->last = pin->last;
    out->count = pin->count;
    for (i = 0; i < pin->count; i++) {
        out->nodes[i] = (cw_key){ pin->text + at, pin->name_len[i] };
        at += pin->name_len[i];
    }
}

cw_status
cw_pins_at(const cw_pins *pins, size_t i, cw_pin *out)
{
    int k;

    for (k = 0; k < KINDS; k++) {
        if (i < pins->list[k].n) {
            pin_public(pins->list[k].v[i], (cw_pin_kind)k, out);
            return CW_OK;
        }
        i -= pins->list[k].n;
    }
    return CW_ENOENT;
}

const cw_pins *
cw_map_pins(const cw_map *map)
{
    return map->p.pins;
}

cw_status
cw_map_pin(const cw_map *map, const void *key, size_t len, cw_pin *out)
{
    const struct pin *pin;
    uint64_t          hash;

    if (map->p.pins == NULL || map->active == 0)
        return CW_ENOENT;
    pin = by_text(map, key, len);
    if (pin == NULL) {
        if (cw_map_hash(map, key, len, &hash) != CW_OK)
            return CW_ENOENT;
        return cw_map_pin_position(map, cw_map_position(map, hash), out);
    }
    pin_public(pin, text_find(&map->p.pins->list[KEY], pin->text, pin->len)
                    == pin ? CW_PIN_KEY : CW_PIN_PREFIX, out);
    return CW_OK;
}

cw_status
cw_map_pin_position(const cw_map *map, uint64_t position, cw_pin *out)
{
    const struct pin *pin;

    if (map->p.pins == NULL || map->active == 0)
        return CW_ENOENT;
    pin = by_position(map, position);
    if (pin == NULL)
        return CW_ENOENT;
    pin_public(pin, CW_PIN_RANGE, out);
    return CW_OK;
}

/* ---- with a map --------------------------------------------------------- */

cw_status
cwi_pins_fit(const struct cwi_placement *p, uint64_t top, cw_error *err)
{
    const struct list *ranges;
    const struct pin  *last;

    if (p->pins == NULL || p->pins->list[RANGE].n == 0)
        return CW_OK;
    ranges = &p->pins->list[RANGE];
    last = ranges->v[ranges->n - 1];
    if (p->algo->owner_key != NULL)
        return cwi_fail(err, CW_EINVAL, "the positions %u to %u are pinned, "
                        "and \"%s\" gives keys no position; expected pins of "
                        "keys and prefixes", last->first, last->last,
                        p->algo->name);
    if (last->last > top)
        return cwi_fail(err, CW_EINVAL, "the positions %u to %u are pinned; "
                        "expected at most %u, the ring's last", last->first,
                        last->last, top);
    return CW_OK;
}

static uint64_t
fold(uint64_t h, uint64_t x)
{
    return cwi_mix64(h ^ x) + UINT64_C(0x9e3779b97f4a7c15);
}

/* The pin's node, and what of it decides: whether the map will have it, and
 * its zone (it may have weight 0 and not be folded in otherwise). */
static uint64_t
fold_node(uint64_t h, const uint8_t *name, uint32_t len,
          const cw_fleet *fleet)
{
    const struct cwi_member *m = cwi_fleet_member(fleet, name, len);

    h = fold(fold(h, len), cwi_xxh3(name, len));
    if (m == NULL)
        return fold(h, 0);
    h = fold(h, 1 + (uint64_t)m->zone.len);
    return m->zone.data ? fold(h, cwi_xxh3(m->zone.data, m->zone.len)) : h;
}

uint64_t
cwi_pins_fingerprint(uint64_t h, const cw_pins *pins, const cw_fleet *fleet)
{
    size_t   i;
    int      k;
    uint32_t j;

    if (pins == NULL || cw_pins_count(pins) == 0)
        return h;
    for (k = 0; k < KINDS; k++) {
        h = fold(h, pins->list[k].n);
        for (i = 0; i < pins->list[k].n; i++) {
            const struct pin *pin = pins->list[k].v[i];
            const uint8_t    *name = pin->text + pin->len;

            h = fold(fold(fold(h, pin->first), pin->last), pin->len);
            h = fold(fold(h, cwi_xxh3(pin->text, pin->len)), pin->count);
            for (j = 0; j < pin->count; j++) {
                h = fold_node(h, name, pin->name_len[j], fleet);
                name += pin->name_len[j];
            }
        }
    }
    return h;
}

const char *
cwi_pins_check(const cw_map *map)
{
    const cw_pins *pins = map->p.pins;
    size_t         i;
    int            k;

    for (k = 0; pins != NULL && k < KINDS; k++) {
        for (i = 1; i < pins->list[k].n; i++) {
            const struct pin *a = pins->list[k].v[i - 1];
            const struct pin *b = pins->list[k].v[i];

            if (k == RANGE ? a->last >= b->first
                           : cwi_bytes_order(a->text, a->len, b->text,
                                             b->len) >= 0)
                return "pins are distinct and in order";
        }
    }
    return cwi_pins_ranges(map) && cwi_pins_fit(&map->p, map->top, NULL)
           ? "pinned positions lie on the ring" : NULL;
}
