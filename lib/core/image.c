/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.c - a map as bytes and back. Format: docs/formats/image.md.
 *
 * One function writes an image, to a buffer, to a count, or against the
 * bytes of another image: a loaded map is accepted only when writing it
 * again gives the very bytes it came from, so every image has one form.
 */
#include <string.h>

#include "core/compat.h"
#include "core/core.h"

static const uint8_t magic[8] = { 'C', 'W', 'M', 'A', 'P', '\r', '\n', 0x1a };

#define VERSION      1u
#define VERSION_PINS 2u     /* the same with pins behind the placement      */

/* ---- writing ----------------------------------------------------------- */

struct sink {
    uint8_t       *out;         /* NULL: count or compare only              */
    const uint8_t *expected;    /* NULL, or `room` bytes to compare with    */
    size_t         room;
    size_t         at;
    int            differs;
};

static void
put(struct sink *s, const void *data, size_t len)
{
    if (s->expected && (len > s->room - s->at ||
                        (len && memcmp(s->expected + s->at, data, len) != 0)))
        s->differs = 1;
    if (s->differs)
        return;
    if (s->out && len)
        memcpy(s->out + s->at, data, len);
    s->at += len;
}

static void
put_number(struct sink *s, uint64_t value, unsigned bytes)
{
    uint8_t b[8];

    for (unsigned i = 0; i < bytes; i++)
        b[i] = (uint8_t)(value >> 8 * i);
    put(s, b, bytes);
}

static void
put_bytes(struct sink *s, const void *data, size_t len)
{
    put_number(s, len, 4);
    put(s, data, len);
}

static void
put_text(struct sink *s, const char *text)
{
    put_bytes(s, text, strlen(text));
}

/* Word number i of a space-separated list. */
static void
put_word(struct sink *s, const char *list, uint64_t i)
{
    for (; i > 0; i--)
        list += strcspn(list, " ") + 1;
    put_bytes(s, list, strcspn(list, " "));
}

static void
put_key(struct sink *s, const struct cwi_hash_key *key)
{
    static const char digits[] = "0123456789abcdef";
    char hex[32];

    for (unsigned i = 0; i < 16; i++) {
        uint64_t half = i < 8 ? key->k0 : key->k1;
        unsigned byte = (unsigned)(half >> 8 * (i % 8)) & 0xffu;

        hex[2 * i] = digits[byte >> 4];
        hex[2 * i + 1] = digits[byte & 15u];
    }
    put_bytes(s, hex, sizeof hex);
}

/* The value of an option as cw_placement_set() takes it. */
static void
put_value(struct sink *s, const struct cwi_placement *p,
          const struct cwi_option *o)
{
    uint8_t digits[20];
    uint64_t n = p->num[o->slot];

    switch (o->kind) {
    case CWI_OPT_UINT:
        put_bytes(s, digits, cwi_decimal(n, digits));
        break;
    case CWI_OPT_SIZE:
        if (n == UINT64_MAX)
            put_text(s, "18446744073709551616");
        else
            put_bytes(s, digits, cwi_decimal(n + 1, digits));
        break;
    case CWI_OPT_TEXT:
        put_bytes(s, p->text[o->slot], p->text_len[o->slot]);
        break;
    case CWI_OPT_ENUM:
        put_word(s, o->choices, n);
        break;
    case CWI_OPT_HASH:
        put_text(s, p->hash->name);
        break;
    case CWI_OPT_KEY:
        put_key(s, &p->hash_key);
        break;
    }
}

/* The row, and the options that were given, in the row's order. */
static void
put_placement(struct sink *s, const struct cwi_placement *p)
{
    const struct cwi_option *o = p->algo->options;
    int compat = cwi_compat_find(p->algo->name, strlen(p->algo->name)) ==
                 p->algo;
    uint32_t count = 0;

    put_text(s, compat ? "compat" : "algorithm");
    put_text(s, p->algo->name);
    for (unsigned j = 0; o && o[j].name; j++)
        count += p->given >> j & 1u;
    put_number(s, count, 4);
    for (unsigned j = 0; o && o[j].name; j++) {
        if (p->given >> j & 1u) {
            put_text(s, o[j].name);
            put_value(s, p, &o[j]);
        }
    }
}

static void
put_node(struct sink *s, const cw_map *map, uint32_t i)
{
    const struct cwi_map_node *n = &map->nodes[i];
    int own_label = n->label != n->name;

    put_bytes(s, cwi_map_text(map, n->name), n->name_len);
    put_bytes(s, cwi_map_text(map, n->label), own_label ? n->label_len : 0);
    put_bytes(s, cwi_map_text(map, n->address), n->address_len);
    put_bytes(s, cwi_map_text(map, n->zone), n->zone_len);
    put_number(s, n->weight, 8);
    put_number(s, n->state, 4);
    put_number(s, n->positions, 4);
    for (uint32_t k = 0; k < n->positions; k++)
        put_number(s, cwi_map_positions(map, i)[k], 8);
}

static void
put_pins(struct sink *s, const cw_pins *pins)
{
    size_t n = cw_pins_count(pins);
    cw_pin pin;

    put_number(s, n, 8);
    for (size_t i = 0; i < n; i++) {
        cw_pins_at(pins, i, &pin);
        put_number(s, (uint64_t)pin.kind, 4);
        if (pin.kind == CW_PIN_RANGE) {
            put_number(s, pin.first, 8);
            put_number(s, pin.last, 8);
        } else {
            put_bytes(s, pin.text.data, pin.text.len);
        }
        put_number(s, pin.count, 4);
        for (uint32_t k = 0; k < pin.count; k++)
            put_bytes(s, pin.nodes[k].data, pin.nodes[k].len);
    }
}

static void
put_image(struct sink *s, const cw_map *map, size_t size)
{
    int pinned = map->p.pins && cw_pins_count(map->p.pins) > 0;

    put(s, magic, sizeof magic);
    put_number(s, pinned ? VERSION_PINS : VERSION, 4);
    put_number(s, map->count, 4);
    put_number(s, size, 8);
    put_placement(s, &map->p);
    if (pinned)
        put_pins(s, map->p.pins);
    for (uint32_t i = 0; i < map->count; i++)
        put_node(s, map, i);
    put_number(s, map->fingerprint, 8);
    if (s->out)
        put_number(s, cwi_xxh3(s->out, s->at), 8);
    else if (s->expected && !s->differs)
        put_number(s, cwi_xxh3(s->expected, s->at), 8);
    else
        put_number(s, 0, 8);
}

size_t
cw_map_image_size(const cw_map *map)
{
    struct sink s = { NULL, NULL, 0, 0, 0 };

    put_image(&s, map, 0);
    return s.at;
}

cw_status
cw_map_save(const cw_map *map, void *out, size_t size, cw_error *err)
{
    struct sink s = { out, NULL, size, 0, 0 };
    size_t need = cw_map_image_size(map);

    if (size != need)
        return cwi_fail(err, CW_ELIMIT, "room for %u bytes: the image has %u",
                        (uint64_t)size, (uint64_t)need);
    put_image(&s, map, need);
    return CW_OK;
}

/* ---- reading ----------------------------------------------------------- */

struct source {
    const uint8_t *data;
    size_t         len;
    size_t         at;
    int            cut;         /* something reached past the end           */
};

static const uint8_t *
get(struct source *s, size_t len)
{
    const uint8_t *p = s->data + s->at;

    if (s->cut || len > s->len - s->at) {
        s->cut = 1;
        return NULL;
    }
    s->at += len;
    return p;
}

static uint64_t
get_number(struct source *s, unsigned bytes)
{
    const uint8_t *p = get(s, bytes);
    uint64_t value = 0;

    for (unsigned i = 0; p && i < bytes; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

struct bytes {
    const uint8_t *data;
    size_t         len;
};

static struct bytes
get_bytes(struct source *s)
{
    struct bytes b;

    b.len = (size_t)get_number(s, 4);
    b.data = get(s, b.len);
    if (!b.data)
        b.len = 0;
    return b;
}

/* Names and values of options: longer ones do not exist. */
#define WORD_MAX 80u

/* A text as a string in out, "" when it is none. */
static void
get_word(struct source *s, char out[WORD_MAX + 1])
{
    struct bytes b = get_bytes(s);

    out[0] = '\0';
    if (!b.data || b.len > WORD_MAX || memchr(b.data, 0, b.len))
        return;
    memcpy(out, b.data, b.len);
    out[b.len] = '\0';
}

static cw_status
corrupt(cw_error *err, const char *what)
{
    return cwi_fail(err, CW_ECORRUPT, "image: %s", what);
}

/* A row or option that is not known here: from a newer library, perhaps. */
static cw_status
get_placement(struct source *s, cw_placement *p, cw_error *err)
{
    char name[WORD_MAX + 1], value[WORD_MAX + 1];
    uint64_t count;
    cw_status st;

    get_word(s, name);
    get_word(s, value);
    if (s->cut || (strcmp(name, "algorithm") && strcmp(name, "compat")))
        return corrupt(err, "no row of an algorithm");
    st = cw_placement_set(p, name, value, err);
    count = get_number(s, 4);
    for (uint64_t i = 0; i < count && st == CW_OK && !s->cut; i++) {
        get_word(s, name);
        get_word(s, value);
        st = s->cut ? CW_OK : cw_placement_set(p, name, value, err);
    }
    if (st == CW_OK && s->cut)
        return corrupt(err, "ends within the options");
    return st == CW_ENOENT ? CW_ENOTSUP : st;
}

static cw_status
get_pin(struct source *s, cw_pins *pins, cw_error *err)
{
    uint64_t kind = get_number(s, 4), first = 0, last = 0, count;
    struct bytes text = { NULL, 0 };
    cw_key nodes[CW_PIN_NODES];

    if (kind == CW_PIN_RANGE) {
        first = get_number(s, 8);
        last = get_number(s, 8);
    } else {
        text = get_bytes(s);
    }
    count = get_number(s, 4);
    for (uint64_t k = 0; k < count && k < CW_PIN_NODES; k++) {
        struct bytes name = get_bytes(s);

        nodes[k] = (cw_key){ name.data, name.len };
    }
    if (s->cut || kind > CW_PIN_RANGE || count > CW_PIN_NODES)
        return corrupt(err, "no sound pin where one should be");
    if (kind == CW_PIN_RANGE)
        return cw_pins_range(pins, first, last, nodes, (uint32_t)count, err);
    return (kind == CW_PIN_KEY ? cw_pins_key : cw_pins_prefix)(
        pins, text.data, text.len, nodes, (uint32_t)count, err);
}

static cw_status
get_pins(struct source *s, cw_placement *p, cw_error *err)
{
    cw_pins *pins = cw_pins_new(&p->alloc);
    uint64_t count = get_number(s, 8);
    cw_status st = CW_OK;

    if (!pins)
        return cwi_fail(err, CW_ENOMEM, "no memory for pins");
    for (uint64_t i = 0; i < count && st == CW_OK; i++)
        st = get_pin(s, pins, err);
    if (st == CW_OK)
        cw_placement_pin(p, pins);
    cw_pins_free(pins);
    return st;
}

static cw_status
get_positions(struct source *s, cw_fleet *fleet, const struct bytes *name,
              cw_error *err)
{
    uint64_t count = get_number(s, 4);
    uint64_t *v;
    cw_status st;

    if (count == 0 || s->cut || count > (s->len - s->at) / 8)
        return count ? corrupt(err, "ends within the positions") : CW_OK;
    v = cwi_alloc(&fleet->alloc, (size_t)count, sizeof *v);
    if (!v)
        return cwi_fail(err, CW_ENOMEM, "no memory for positions");
    for (uint64_t k = 0; k < count; k++)
        v[k] = get_number(s, 8);
    st = cw_fleet_set_positions(fleet, name->data, name->len, v,
                                (uint32_t)count, err);
    cwi_free(&fleet->alloc, v);
    return st;
}

static cw_status
get_node(struct source *s, cw_fleet *fleet, cw_error *err)
{
    struct bytes name = get_bytes(s), label = get_bytes(s);
    struct bytes address = get_bytes(s), zone = get_bytes(s);
    uint64_t weight = get_number(s, 8), state = get_number(s, 4);
    cw_status st;

    if (s->cut)
        return corrupt(err, "ends within a node");
    if (state > CW_DRAIN)
        return corrupt(err, "a node has an unknown state");
    st = cw_fleet_add(fleet, name.data, name.len, weight, err);
    if (st == CW_OK && label.len)
        st = cw_fleet_set_label(fleet, name.data, name.len, label.data,
                                label.len, err);
    if (st == CW_OK && address.len)
        st = cw_fleet_set_address(fleet, name.data, name.len, address.data,
                                  address.len, err);
    if (st == CW_OK && zone.len)
        st = cw_fleet_set_zone(fleet, name.data, name.len, zone.data,
                               zone.len, err);
    if (st == CW_OK && state != CW_UP)
        st = cw_fleet_set_state(fleet, name.data, name.len, (cw_state)state,
                                err);
    if (st == CW_OK)
        st = get_positions(s, fleet, &name, err);
    return st;
}

/* What stands before the placement, and the checksum: cheap to refuse. */
static cw_status
get_head(struct source *s, uint32_t *count, int *pinned, cw_error *err)
{
    const uint8_t *m = get(s, sizeof magic);
    uint64_t version, size;
    struct source sum = { s->data, s->len, s->len - 8, 0 };

    if (!m || memcmp(m, magic, sizeof magic) != 0)
        return corrupt(err, "does not begin as the image of a map");
    version = get_number(s, 4);
    *count = (uint32_t)get_number(s, 4);
    size = get_number(s, 8);
    if (s->cut)
        return corrupt(err, "ends within the head");
    *pinned = version == VERSION_PINS;
    if (version != VERSION && !*pinned)
        return cwi_fail(err, CW_ENOTSUP,
                        "image: version %u; this library reads up to version "
                        "%u", version, (uint64_t)VERSION_PINS);
    if (size != s->len)
        return cwi_fail(err, CW_ECORRUPT,
                        "image: %u bytes; its head says %u", (uint64_t)s->len,
                        size);
    if (get_number(&sum, 8) != cwi_xxh3(s->data, s->len - 8))
        return corrupt(err, "the checksum is not that of the bytes");
    return CW_OK;
}

static cw_status
load(struct source *s, cw_fleet *fleet, cw_placement *p, cw_map **out,
     cw_error *err)
{
    struct sink again = { NULL, s->data, s->len, 0, 0 };
    uint32_t count = 0;
    int pinned = 0;
    cw_map *map;
    cw_status st = get_head(s, &count, &pinned, err);

    if (st == CW_OK)
        st = get_placement(s, p, err);
    if (st == CW_OK && pinned)
        st = get_pins(s, p, err);
    for (uint32_t i = 0; i < count && st == CW_OK; i++)
        st = get_node(s, fleet, err);
    if (st == CW_OK)
        st = cw_map_build(fleet, p, &map, err);
    if (st != CW_OK)
        return st;
    put_image(&again, map, s->len);
    if (again.differs || again.at != s->len) {
        cw_map_unref(map);
        return corrupt(err, "not as this library writes it");
    }
    *out = map;
    return CW_OK;
}

cw_status
cw_map_load(const void *image, size_t len, const cw_allocator *allocator,
            cw_map **out, cw_error *err)
{
    struct source s = { image, len, 0, 0 };
    cw_fleet *fleet = cw_fleet_new(allocator);
    cw_placement *p = cw_placement_new(allocator);
    cw_status st;

    if (len < sizeof magic + 8)
        st = corrupt(err, "too short");
    else if (!fleet || !p)
        st = cwi_fail(err, CW_ENOMEM, "no memory for the map");
    else
        st = load(&s, fleet, p, out, err);
    cw_placement_free(p);
    cw_fleet_free(fleet);
    return st;
}
