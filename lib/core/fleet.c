/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet.c - the set of nodes: adds, removes and changes them, checks names.
 *
 * Every change is prepared first (memory taken, arguments checked) and made
 * last, so that a failed call leaves the fleet as it was.
 */
#include <string.h>

#include "core/core.h"

enum { LIST_FIRST = 8, INDEX_FIRST = 16 };

/* ---- texts ------------------------------------------------------------- */

static cw_status
text_copy(const cw_allocator *a, const void *bytes, size_t len,
          struct cwi_text *out)
{
    out->data = cwi_alloc(a, len + 1, 1);
    if (!out->data)
        return CW_ENOMEM;
    if (len)
        memcpy(out->data, bytes, len);
    out->len = (uint32_t)len;
    return CW_OK;
}

static void
text_free(const cw_allocator *a, struct cwi_text *t)
{
    cwi_free(a, t->data);
    t->data = NULL;
    t->len = 0;
}

static cw_status
no_memory(cw_error *err)
{
    return cwi_fail(err, CW_ENOMEM, "no memory");
}

static cw_status
check_length(const char *what, size_t len, size_t least, cw_error *err)
{
    if (len >= least && len <= CW_NAME_MAX)
        return CW_OK;
    return cwi_fail(err, CW_EINVAL, "%s of %u bytes: expected %u to %u", what,
                    (uint64_t)len, (uint64_t)least, (uint64_t)CW_NAME_MAX);
}

static cw_status
check_weight(const void *name, size_t len, uint64_t weight, cw_error *err)
{
    if (weight <= CW_WEIGHT_MAX)
        return CW_OK;
    return cwi_fail(err, CW_EINVAL,
                    "node %n: weight %w is above the largest, 1000000", name,
                    len, weight);
}

/* ---- index by name ----------------------------------------------------- */

/* The slot of a name: where it is, or the empty one where it would go. */
static size_t
index_slot(const cw_fleet *f, const void *name, size_t len, uint64_t hash)
{
    size_t mask = f->index_size - 1;
    size_t i = (size_t)hash & mask;

    while (f->index[i]) {
        const struct cwi_member *m = f->index[i];

        if (m->name_hash == hash && m->name.len == len &&
            memcmp(m->name.data, name, len) == 0)
            break;
        i = (i + 1) & mask;
    }
    return i;
}

static struct cwi_member *
lookup(const cw_fleet *f, const void *name, size_t len)
{
    if (f->index_size == 0 || len == 0 || len > CW_NAME_MAX)
        return NULL;
    return f->index[index_slot(f, name, len, cwi_xxh3(name, len))];
}

struct cwi_member *
cwi_fleet_member(const cw_fleet *f, const void *name, size_t len)
{
    return lookup(f, name, len);
}

static cw_status
find(const cw_fleet *f, const void *name, size_t len, struct cwi_member **out,
     cw_error *err)
{
    *out = lookup(f, name, len);
    if (*out)
        return CW_OK;
    return cwi_fail(err, CW_ENOENT, "no node is named %n", name, len);
}

static void
index_put(cw_fleet *f, struct cwi_member *m)
{
    f->index[index_slot(f, m->name.data, m->name.len, m->name_hash)] = m;
}

/* Take one entry out and close the gap, so that no probe ends early. */
static void
index_drop(cw_fleet *f, const struct cwi_member *m)
{
    size_t mask = f->index_size - 1;
    size_t gap = index_slot(f, m->name.data, m->name.len, m->name_hash);
    size_t i = gap;

    for (;;) {
        i = (i + 1) & mask;
        if (!f->index[i])
            break;
        size_t home = (size_t)f->index[i]->name_hash & mask;

        if (((i - home) & mask) >= ((i - gap) & mask)) {
            f->index[gap] = f->index[i];
            gap = i;
        }
    }
    f->index[gap] = NULL;
}

/* Room for one member more in the list and the index. */
static cw_status
reserve(cw_fleet *f)
{
    if (f->count == f->room) {
        uint32_t room = f->room ? f->room * 2 : LIST_FIRST;
        struct cwi_member **list;

        if (room > UINT32_MAX / 4)
            return CW_ELIMIT;
        list = cwi_alloc(&f->alloc, room, sizeof(struct cwi_member *));
        if (!list)
            return CW_ENOMEM;
        if (f->count)
            memcpy(list, f->list, f->count * sizeof(struct cwi_member *));
        cwi_free(&f->alloc, f->list);
        f->list = list;
        f->room = room;
    }
    if (((size_t)f->count + 1) * 3 > f->index_size * 2) {
        size_t size = f->index_size ? f->index_size * 2 : INDEX_FIRST;
        struct cwi_member **index;

        index = cwi_alloc(&f->alloc, size, sizeof(struct cwi_member *));
        if (!index)
            return CW_ENOMEM;
        cwi_free(&f->alloc, f->index);
        f->index = index;
        f->index_size = size;
        for (uint32_t i = 0; i < f->count; i++)
            index_put(f, f->list[i]);
    }
    return CW_OK;
}

/* ---- life -------------------------------------------------------------- */

static void
member_free(const cw_allocator *a, struct cwi_member *m)
{
    if (!m)
        return;
    text_free(a, &m->name);
    text_free(a, &m->label);
    text_free(a, &m->address);
    text_free(a, &m->zone);
    cwi_free(a, m->positions);
    cwi_free(a, m);
}

/* A placement input changed: the cached map is of the past. */
static void
touch(cw_fleet *f)
{
    cw_map_unref(f->map);
    f->map = NULL;
}

cw_fleet *
cw_fleet_new(const cw_allocator *allocator)
{
    cw_allocator a = cwi_allocator(allocator);
    cw_fleet *f = cwi_alloc(&a, 1, sizeof *f);

    if (f)
        f->alloc = a;
    return f;
}

void
cw_fleet_free(cw_fleet *f)
{
    cw_allocator a;

    if (!f)
        return;
    a = f->alloc;
    touch(f);
    for (uint32_t i = 0; i < f->count; i++)
        member_free(&a, f->list[i]);
    cwi_free(&a, f->list);
    cwi_free(&a, f->index);
    cwi_free(&a, f);
}

/* A member that only has its name and weight. */
static struct cwi_member *
member_new(const cw_allocator *a, const void *name, size_t len,
           uint64_t weight)
{
    struct cwi_member *m = cwi_alloc(a, 1, sizeof *m);

    if (!m)
        return NULL;
    if (text_copy(a, name, len, &m->name) != CW_OK) {
        cwi_free(a, m);
        return NULL;
    }
    m->weight = weight;
    m->name_hash = cwi_xxh3(name, len);
    return m;
}

cw_status
cw_fleet_add(cw_fleet *f, const void *name, size_t len, uint64_t weight,
             cw_error *err)
{
    cw_status st = check_length("node name", len, 1, err);
    struct cwi_member *m;

    if (st == CW_OK)
        st = check_weight(name, len, weight, err);
    if (st != CW_OK)
        return st;
    if (lookup(f, name, len))
        return cwi_fail(err, CW_EEXIST, "node %n is already present", name,
                        len);
    st = reserve(f);
    if (st == CW_ELIMIT)
        return cwi_fail(err, st, "node %n: the fleet is full at %u nodes",
                        name, len, (uint64_t)f->count);
    m = st == CW_OK ? member_new(&f->alloc, name, len, weight) : NULL;
    if (!m)
        return no_memory(err);
    touch(f);
    m->place = f->count;
    f->list[f->count++] = m;
    index_put(f, m);
    return CW_OK;
}

cw_status
cw_fleet_remove(cw_fleet *f, const void *name, size_t len, cw_error *err)
{
    struct cwi_member *m;
    cw_status st = find(f, name, len, &m, err);
    uint32_t i;

    if (st != CW_OK)
        return st;
    touch(f);
    for (i = m->place < f->count ? m->place : f->count - 1; f->list[i] != m;
         i--)
        ;
    f->count--;
    memmove(&f->list[i], &f->list[i + 1],
            (f->count - i) * sizeof(struct cwi_member *));
    index_drop(f, m);
    member_free(&f->alloc, m);
    return CW_OK;
}

/* ---- changes ----------------------------------------------------------- */

cw_status
cw_fleet_set_weight(cw_fleet *f, const void *name, size_t len,
                    uint64_t weight, cw_error *err)
{
    struct cwi_member *m;
    cw_status st = find(f, name, len, &m, err);

    if (st == CW_OK)
        st = check_weight(name, len, weight, err);
    if (st != CW_OK || m->weight == weight)
        return st;
    touch(f);
    m->weight = weight;
    return CW_OK;
}

/* Put a copy of the bytes in place of *t; none for len 0. */
static cw_status
replace(cw_fleet *f, struct cwi_text *t, const void *bytes, size_t len,
        cw_error *err)
{
    struct cwi_text copy = { NULL, 0 };

    if (len && text_copy(&f->alloc, bytes, len, &copy) != CW_OK)
        return no_memory(err);
    touch(f);
    text_free(&f->alloc, t);
    *t = copy;
    return CW_OK;
}

cw_status
cw_fleet_set_address(cw_fleet *f, const void *name, size_t len,
                     const void *address, size_t address_len, cw_error *err)
{
    struct cwi_member *m;
    cw_status st = find(f, name, len, &m, err);

    if (st == CW_OK)
        st = check_length("address", address_len, 0, err);
    return st == CW_OK ? replace(f, &m->address, address, address_len, err)
                       : st;
}

cw_status
cw_fleet_set_zone(cw_fleet *f, const void *name, size_t len, const void *zone,
                  size_t zone_len, cw_error *err)
{
    struct cwi_member *m;
    cw_status st = find(f, name, len, &m, err);

    if (st == CW_OK)
        st = check_length("zone", zone_len, 0, err);
    return st == CW_OK ? replace(f, &m->zone, zone, zone_len, err) : st;
}

cw_status
cw_fleet_set_label(cw_fleet *f, const void *name, size_t len,
                   const void *label, size_t label_len, cw_error *err)
{
    struct cwi_member *m;
    cw_status st = find(f, name, len, &m, err);

    if (st == CW_OK)
        st = check_length("label", label_len, 0, err);
    if (st != CW_OK)
        return st;
    /* A label that repeats the name is no label: two ways to write one
     * fleet must not become two fingerprints. */
    if (label_len == m->name.len &&
        memcmp(label, m->name.data, label_len) == 0)
        label_len = 0;
    return replace(f, &m->label, label, label_len, err);
}

cw_status
cw_fleet_set_state(cw_fleet *f, const void *name, size_t len, cw_state state,
                   cw_error *err)
{
    struct cwi_member *m;
    cw_status st = find(f, name, len, &m, err);

    if (st != CW_OK)
        return st;
    if (state != CW_UP && state != CW_DOWN && state != CW_DRAIN)
        return cwi_fail(err, CW_EINVAL,
                        "node %n: unknown state; expected up, down or drain",
                        name, len);
    touch(f);
    m->state = state;
    return CW_OK;
}

cw_status
cw_fleet_rename(cw_fleet *f, const void *name, size_t len,
                const void *new_name, size_t new_len, cw_error *err)
{
    struct cwi_member *m;
    struct cwi_text copy, label;
    cw_status st = find(f, name, len, &m, err);

    if (st == CW_OK)
        st = check_length("node name", new_len, 1, err);
    if (st != CW_OK)
        return st;
    if (len == new_len && memcmp(name, new_name, len) == 0)
        return CW_OK;
    if (lookup(f, new_name, new_len))
        return cwi_fail(err, CW_EEXIST, "node %n is already present",
                        new_name, new_len);
    if (text_copy(&f->alloc, new_name, new_len, &copy) != CW_OK)
        return no_memory(err);
    touch(f);
    index_drop(f, m);
    label = m->label.data ? m->label : m->name;
    if (m->label.data)
        text_free(&f->alloc, &m->name);
    m->name = copy;
    m->label = label;
    if (label.len == copy.len && memcmp(label.data, copy.data, copy.len) == 0)
        text_free(&f->alloc, &m->label);    /* back to its first name */
    m->name_hash = cwi_xxh3(copy.data, copy.len);
    index_put(f, m);
    return CW_OK;
}

cw_status
cw_fleet_set_positions(cw_fleet *f, const void *name, size_t len,
                       const uint64_t *positions, uint32_t count,
                       cw_error *err)
{
    struct cwi_member *m;
    uint64_t *copy = NULL;
    cw_status st = find(f, name, len, &m, err);

    if (st != CW_OK)
        return st;
    if (count) {
        copy = cwi_alloc(&f->alloc, count, sizeof *copy);
        if (!copy)
            return no_memory(err);
        memcpy(copy, positions, count * sizeof *copy);
    }
    touch(f);
    cwi_free(&f->alloc, m->positions);
    m->positions = copy;
    m->position_count = count;
    return CW_OK;
}

/* ---- reading ----------------------------------------------------------- */

static void
text_view(const struct cwi_text *t, const char **data, size_t *len)
{
    *data = t->data ? t->data : "";
    *len = t->len;
}

static void
member_view(const struct cwi_member *m, cw_node *out)
{
    text_view(&m->name, &out->name, &out->name_len);
    text_view(m->label.data ? &m->label : &m->name, &out->label,
              &out->label_len);
    text_view(&m->address, &out->address, &out->address_len);
    text_view(&m->zone, &out->zone, &out->zone_len);
    out->weight = m->weight;
    out->state = m->state;
    out->positions = m->position_count;
}

uint32_t
cw_fleet_count(const cw_fleet *f)
{
    return f->count;
}

void
cw_fleet_node(const cw_fleet *f, uint32_t i, cw_node *out)
{
    member_view(f->list[i], out);
}

const uint64_t *
cw_fleet_positions(const cw_fleet *f, uint32_t i)
{
    return f->list[i]->positions;
}

cw_status
cw_fleet_find(const cw_fleet *f, const void *name, size_t len, cw_node *out)
{
    const struct cwi_member *m = lookup(f, name, len);

    if (!m)
        return CW_ENOENT;
    member_view(m, out);
    return CW_OK;
}

static cw_status
copy_member(cw_fleet *to, const struct cwi_member *m)
{
    const void *name = m->name.data;
    size_t len = m->name.len;
    cw_status st = cw_fleet_add(to, name, len, m->weight, NULL);

    if (st == CW_OK)
        st = cw_fleet_set_label(to, name, len, m->label.data, m->label.len,
                                NULL);
    if (st == CW_OK)
        st = cw_fleet_set_address(to, name, len, m->address.data,
                                  m->address.len, NULL);
    if (st == CW_OK)
        st = cw_fleet_set_zone(to, name, len, m->zone.data, m->zone.len,
                               NULL);
    if (st == CW_OK)
        st = cw_fleet_set_positions(to, name, len, m->positions,
                                    m->position_count, NULL);
    return st == CW_OK ? cw_fleet_set_state(to, name, len, m->state, NULL)
                       : st;
}

cw_fleet *
cw_fleet_copy(const cw_fleet *f)
{
    cw_fleet *to = cw_fleet_new(&f->alloc);

    for (uint32_t i = 0; to && i < f->count; i++) {
        if (copy_member(to, f->list[i]) != CW_OK) {
            cw_fleet_free(to);
            to = NULL;
        }
    }
    return to;
}

cw_status
cw_fleet_owner(cw_fleet *f, const void *key, size_t len, cw_node *out)
{
    uint32_t i;
    cw_status st;

    if (!f->map) {
        st = cw_map_build(f, NULL, &f->map, NULL);
        if (st != CW_OK)
            return st;
    }
    st = cw_map_owner(f->map, key, len, &i);
    if (st == CW_OK)
        cw_map_node(f->map, i, out);
    return st;
}
