/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/evidence/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { TABLE = 2 * TOP_SLOTS, SAMPLE = 1023 };

void
top_init(struct top *t)
{
    size_t i;

    memset(t, 0, sizeof *t);
    t->slots = mem_alloc(TABLE, sizeof *t->slots);
    t->spare = mem_alloc(TABLE, sizeof *t->spare);
    t->texts = mem_alloc(TOP_SLOTS, sizeof *t->texts);
    t->free_texts = mem_alloc(TOP_SLOTS, sizeof *t->free_texts);
    memset(t->slots, 0, TABLE * sizeof *t->slots);
    for (i = 0; i < TOP_SLOTS; i++)
        t->free_texts[i] = (uint32_t)i;
    t->free_count = TOP_SLOTS;
}

void
top_free(struct top *t)
{
    mem_free(t->slots);
    mem_free(t->spare);
    mem_free(t->texts);
    mem_free(t->free_texts);
    memset(t, 0, sizeof *t);
}

const char *
top_key(const struct top *t, const struct top_slot *s, size_t *len)
{
    const struct top_text *text = &t->texts[s->text];

    *len = text->len < sizeof text->key ? text->len : sizeof text->key;
    return text->key;
}

static struct top_slot *
find(const struct top *t, uint64_t hash)
{
    size_t i = (size_t)hash & (TABLE - 1);

    while (t->slots[i].hash != 0 && t->slots[i].hash != hash)
        i = (i + 1) & (TABLE - 1);
    return &t->slots[i];
}

static int
by_count(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The median of a sample of the counts: good enough to halve the table. */
static uint64_t
median(const struct top *t)
{
    uint64_t sample[SAMPLE];
    size_t n = 0, i;

    for (i = 0; i < TABLE && n < SAMPLE; i++)
        if (t->slots[i].hash != 0)
            sample[n++] = t->slots[i].requests;
    qsort(sample, n, sizeof *sample, by_count);
    return sample[n / 2];
}

static void
purge(struct top *t)
{
    uint64_t cut = median(t);
    struct top_slot *old = t->slots;
    size_t i;

    t->slots = t->spare;
    t->spare = old;
    memset(t->slots, 0, TABLE * sizeof *t->slots);
    t->used = 0;
    t->error += cut;
    for (i = 0; i < TABLE; i++) {
        struct top_slot *s;

        if (old[i].hash == 0)
            continue;
        if (old[i].requests <= cut) {
            t->free_texts[t->free_count++] = old[i].text;
            continue;
        }
        s = find(t, old[i].hash);
        *s = old[i];
        s->requests -= cut;
        t->used++;
    }
}

static void
keep_text(struct top *t, struct top_slot *s, const char *key, size_t len)
{
    struct top_text *text;

    s->text = t->free_texts[--t->free_count];
    text = &t->texts[s->text];
    text->len = (uint16_t)(len < UINT16_MAX ? len : UINT16_MAX);
    memcpy(text->key, key, len < sizeof text->key ? len : sizeof text->key);
}

void
top_add(struct top *t, uint64_t hash, const char *key, size_t len,
        uint32_t node, uint64_t requests, uint64_t bytes)
{
    struct top_slot *s;

    hash |= 1;                  /* 0 means empty */
    t->requests += requests;
    s = find(t, hash);
    if (s->hash == 0) {
        if (t->used == TOP_SLOTS) {
            purge(t);
            s = find(t, hash);
        }
        s->hash = hash;
        s->node = node;
        keep_text(t, s, key, len);
        t->used++;
    }
    s->requests += requests;
    s->bytes += bytes;
}

void
top_merge(struct top *t, const struct top *other)
{
    uint64_t requests = t->requests + other->requests;
    size_t i;

    t->error += other->error;
    for (i = 0; i < TABLE; i++) {
        const struct top_slot *s = &other->slots[i];

        size_t len;
        const char *key;

        if (s->hash == 0)
            continue;
        key = top_key(other, s, &len);
        top_add(t, s->hash, key, len, s->node, s->requests, s->bytes);
    }
    t->requests = requests;
}

static int
most_first(const void *a, const void *b)
{
    const struct top_slot *x = *(const struct top_slot *const *)a;
    const struct top_slot *y = *(const struct top_slot *const *)b;

    if (x->requests != y->requests)
        return x->requests < y->requests ? 1 : -1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

const struct top_slot **
top_sorted(const struct top *t, size_t *count)
{
    const struct top_slot **list = mem_alloc(t->used + 1, sizeof *list);
    size_t n = 0, i;

    for (i = 0; i < TABLE; i++)
        if (t->slots[i].hash != 0)
            list[n++] = &t->slots[i];
    qsort(list, n, sizeof *list, most_first);
    *count = n;
    return list;
}

double
distinct_count(const struct distinct *d)
{
    const double m = DISTINCT_REGISTERS;
    double sum = 0, zeros = 0, estimate;
    unsigned i;

    for (i = 0; i < DISTINCT_REGISTERS; i++) {
        sum += ldexp(1, -d->registers[i]);
        zeros += d->registers[i] == 0;
    }
    estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    if (estimate <= 2.5 * m && zeros > 0)
        estimate = m * log(m / zeros);      /* few keys: linear counting */
    return estimate;
}

void
distinct_merge(struct distinct *d, const struct distinct *other)
{
    unsigned i;

    for (i = 0; i < DISTINCT_REGISTERS; i++)
        if (other->registers[i] > d->registers[i])
            d->registers[i] = other->registers[i];
}
