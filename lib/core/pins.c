/* SPDX-License-Identifier: Apache-2.0 */
/* pins.c - keys, prefixes and ranges fixed to nodes, over any map. */
#include "clockwise/clockwise_pins.h"

#include <string.h>

#include "core/core.h"

enum kind { KEY, PREFIX, RANGE, KINDS };

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
    struct list  list[KINDS];
};

cw_pins *
cw_pins_new(const cw_allocator *allocator)
{
    cw_allocator a = cwi_allocator(allocator);
    cw_pins     *pins = cwi_alloc(&a, 1, sizeof(*pins));

    if (pins != NULL)
        pins->alloc = a;
    return pins;
}

void
cw_pins_free(cw_pins *pins)
{
    cw_allocator a;
    size_t       i;
    int          k;

    if (pins == NULL)
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

static cw_status
check_nodes(const cw_key *nodes, uint32_t count, cw_error *err)
{
    uint32_t i;

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
add_text(cw_pins *pins, enum kind kind, const void *text, size_t len,
         const cw_key *nodes, uint32_t count, cw_error *err)
{
    struct list *list = &pins->list[kind];
    cw_status    status = check_nodes(nodes, count, err);

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
    cw_status    status = check_nodes(nodes, count, err);
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

/* The longest prefix of the key that is pinned to a node of the map. Sorted
 * by bytes, a prefix of the key comes before it: go down from there, cutting
 * what is looked for to what the entry met has in common with it. */
static uint32_t
by_prefix(const cw_pins *pins, const cw_map *map, const uint8_t *key,
          size_t len, uint32_t *out, uint32_t n)
{
    const struct list *list = &pins->list[PREFIX];

    while (len > 0 && list->n > 0) {
        size_t            i = text_place(list, key, len), same = 0;
        const struct pin *pin;
        uint32_t          found;

        if (i == list->n || list->v[i]->len != len ||
            memcmp(list->v[i]->text, key, len) != 0) {
            if (i == 0)
                return 0;
            i--;
        }
        pin = list->v[i];
        while (same < len && same < pin->len && pin->text[same] == key[same])
            same++;
        found = same == pin->len ? nodes_of(pin, map, out, n) : 0;
        if (found > 0)
            return found;
        /* This one pins nothing here: look for shorter ones. */
        len = same == pin->len ? same - 1 : same;
    }
    return 0;
}

/* The pinned nodes of a key that the map has, up to n; 0: no pin holds. */
static uint32_t
pinned(const cw_pins *pins, const cw_map *map, const void *key, size_t len,
       uint32_t *out, uint32_t n)
{
    const struct pin *pin = text_find(&pins->list[KEY], len ? key : "", len);
    uint32_t          found = pin != NULL ? nodes_of(pin, map, out, n) : 0;
    uint64_t          hash;

    if (found == 0)
        found = by_prefix(pins, map, key, len, out, n);
    if (found == 0 && pins->list[RANGE].n > 0 &&
        cw_map_hash(map, key, len, &hash) == CW_OK) {
        const struct list *list = &pins->list[RANGE];
        uint64_t           at = cw_map_position(map, hash);
        size_t             i = range_place(list, at);

        if (i < list->n && list->v[i]->first <= at)
            found = nodes_of(list->v[i], map, out, n);
    }
    return found;
}

cw_status
cw_pins_owner(const cw_pins *pins, const cw_map *map, const void *key,
              size_t len, uint32_t *out)
{
    uint32_t node;

    if (pinned(pins, map, key, len, &node, 1) == 0)
        return cw_map_owner(map, key, len, out);
    *out = node;
    return CW_OK;
}

uint32_t
cw_pins_order(const cw_pins *pins, const cw_map *map, const void *key,
              size_t len, uint32_t *out, uint32_t n)
{
    uint32_t first[CW_PIN_NODES], count, i, k, kept;

    count = pinned(pins, map, key, len, first,
                   n < CW_PIN_NODES ? n : CW_PIN_NODES);
    if (count == 0)
        return cw_map_order(map, key, len, out, n);
    /* The key's own list, then the pinned nodes are put before it. */
    kept = cw_map_order(map, key, len, out, n);
    for (i = k = 0; i < kept; i++) {
        uint32_t j;

        for (j = 0; j < count && first[j] != out[i]; j++)
            ;
        if (j == count)
            out[k++] = out[i];
    }
    kept = k < n - count ? k : n - count;
    memmove(out + count, out, kept * sizeof(*out));
    memcpy(out, first, count * sizeof(*out));
    return count + kept;
}

/* ---- fingerprint and shares -------------------------------------------- */

static uint64_t
fold(uint64_t h, uint64_t x)
{
    return cwi_mix64(h ^ x) + UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t
cw_pins_fingerprint(const cw_pins *pins, const cw_map *map)
{
    uint64_t h = cw_map_fingerprint(map);
    size_t   i;
    int      k;
    uint32_t j;

    /* No pins: that of the map, so that one without this header agrees. */
    if (cw_pins_count(pins) == 0)
        return h;
    for (k = 0; k < KINDS; k++) {
        h = fold(h, pins->list[k].n);
        for (i = 0; i < pins->list[k].n; i++) {
            const struct pin *pin = pins->list[k].v[i];
            size_t            names = 0;

            h = fold(fold(fold(h, pin->first), pin->last), pin->len);
            for (j = 0; j < pin->count; j++) {
                h = fold(h, pin->name_len[j]);
                names += pin->name_len[j];
            }
            h = fold(h, cwi_xxh3(pin->text, pin->len + names));
        }
    }
    return h;
}

struct counting {
    const struct list *ranges;
    const cw_map      *map;
    cw_u128           *num;
    cwi_u128           moved;
    size_t             at;      /* the range looked at                      */
};

static void
add_to(cw_u128 *to, cwi_u128 x, int sign)
{
    cwi_u128 sum = (cwi_u128)to->hi << 64 | to->lo;

    sum = sign > 0 ? sum + x : sum - x;
    to->hi = (uint64_t)(sum >> 64);
    to->lo = (uint64_t)sum;
}

/* What of an arc lies in ranges goes to their nodes. Arcs and ranges rise. */
static int
count_arc(void *context, const cw_arc *arc)
{
    struct counting *c = context;

    add_to(&c->num[arc->to], (cwi_u128)(arc->last - arc->first) + 1, 1);
    while (c->at < c->ranges->n) {
        const struct pin *pin = c->ranges->v[c->at];
        uint64_t          lo = pin->first > arc->first ? pin->first
                                                       : arc->first;
        uint64_t          hi = pin->last < arc->last ? pin->last : arc->last;
        uint32_t          node;

        if (lo <= hi && nodes_of(pin, c->map, &node, 1) == 1 &&
            node != arc->to) {
            add_to(&c->num[arc->to], (cwi_u128)(hi - lo) + 1, -1);
            add_to(&c->num[node], (cwi_u128)(hi - lo) + 1, 1);
            c->moved += (cwi_u128)(hi - lo) + 1;
        }
        if (pin->last > arc->last)
            return 0;
        c->at++;
    }
    return 0;
}

cw_status
cw_pins_shares(const cw_pins *pins, const cw_map *map, cw_u128 *num,
               cw_u128 *moved)
{
    struct counting c = { &pins->list[RANGE], map, num, 0, 0 };
    cw_status       status;

    if (!(map->p.algo->traits & CW_TRAIT_ARCS))
        return CW_ENOTSUP;
    if (map->active == 0)
        return CW_EEMPTY;
    memset(num, 0, map->count * sizeof(*num));
    status = cw_map_arcs(map, count_arc, &c, NULL);
    if (status == CW_OK && moved != NULL)
        *moved = cwi_u128_public(c.moved);
    return status;
}
