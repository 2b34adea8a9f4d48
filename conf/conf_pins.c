/* SPDX-License-Identifier: Apache-2.0 */
/* conf_pins.c - keys, prefixes and ranges that a fleet fixes to nodes, and
 * the bound on a node's load: checks and texts, whatever the format. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "clockwise/clockwise_bound.h"
#include "conf/conf_model.h"

/* "there is no node "x" to pin to; did you mean ..." */
static void
unknown_node(struct conf_build *b, const struct conf_text *name)
{
    uint32_t i, n = cw_fleet_count(b->pool.fleet);
    struct str_nearest near;
    struct buf shown = { 0 };

    str_escape(&shown, name->data, name->len, 80);
    diag_error(b->diag, name->at, "pin: there is no node \"%s\"",
               shown.len ? shown.data : "");
    buf_free(&shown);
    /* no message, no search, as for nodes given twice */
    if (b->diag->errors > DIAG_KEPT)
        return;
    str_nearest_init(&near, name->data, name->len);
    for (i = 0; i < n; i++) {
        cw_node node;

        cw_fleet_node(b->pool.fleet, i, &node);
        str_nearest_try(&near, node.name);
    }
    if (near.best != NULL)
        diag_hint(b->diag, "did you mean \"%s\"?", near.best);
    else
        diag_hint(b->diag, "expected: a node of the list \"nodes\"");
}

/* The names of the pin's nodes, which the fleet must have. */
static bool
find_nodes(struct conf_build *b, const struct conf_pin *pin, cw_key *nodes)
{
    bool ok = true;
    size_t i;

    if (pin->count == 0 || pin->count > CW_PIN_NODES) {
        diag_error(b->diag, pin->at, "pin: to %zu nodes", pin->count);
        diag_hint(b->diag, "expected: 1 to %u, the best first",
                  CW_PIN_NODES);
        return false;
    }
    for (i = 0; i < pin->count; i++) {
        const struct conf_text *name = &pin->nodes[i];
        cw_node node;

        if (cw_fleet_find(b->pool.fleet, name->data, name->len, &node)
            != CW_OK) {
            unknown_node(b, name);
            ok = false;
        }
        nodes[i].data = name->data;
        nodes[i].len = name->len;
    }
    return ok;
}

static void
add_pin(struct conf_build *b, const struct conf_pin *pin)
{
    cw_key nodes[CW_PIN_NODES];
    cw_status status = CW_OK;
    uint32_t n = (uint32_t)pin->count;
    cw_error err;

    if (pin->kind != CW_PIN_RANGE
        && !conf_check_text(b, &pin->text, pin->kind == CW_PIN_KEY
                            ? "the pinned key" : "the pinned prefix"))
        return;
    if (!find_nodes(b, pin, nodes))
        return;
    switch (pin->kind) {
    case CW_PIN_KEY:
        status = cw_pins_key(b->pool.pins, pin->text.data, pin->text.len,
                             nodes, n, &err);
        break;
    case CW_PIN_PREFIX:
        status = cw_pins_prefix(b->pool.pins, pin->text.data, pin->text.len,
                                nodes, n, &err);
        break;
    case CW_PIN_RANGE:
        status = cw_pins_range(b->pool.pins, pin->first, pin->last, nodes, n,
                               &err);
        break;
    }
    if (status == CW_ENOMEM)
        mem_fail();
    if (status != CW_OK)
        diag_error(b->diag, pin->at, "pin: %s", err.text);
}

void
conf_add_pin(struct conf_build *b, const struct conf_pin *pin)
{
    if (b->pin_count == b->pin_cap) {
        b->pin_cap = b->pin_cap ? b->pin_cap * 2 : 16;
        b->pins = mem_resize(b->pins, b->pin_cap, sizeof *b->pins);
    }
    b->pins[b->pin_count++] = *pin;
}

/* As the library keeps them; equal ones as they come in the file. */
static int
by_order(const void *a, const void *b)
{
    const struct conf_pin *x = a;
    const struct conf_pin *y = b;
    size_t len = x->text.len < y->text.len ? x->text.len : y->text.len;
    int c = 0;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->kind == CW_PIN_RANGE && x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->kind != CW_PIN_RANGE) {
        c = len ? memcmp(x->text.data, y->text.data, len) : 0;
        if (c == 0 && x->text.len != y->text.len)
            c = x->text.len < y->text.len ? -1 : 1;
    }
    if (c == 0 && x->at.line != y->at.line)
        c = x->at.line < y->at.line ? -1 : 1;
    if (c == 0)
        c = (x->at.column > y->at.column) - (x->at.column < y->at.column);
    return c;
}

/* Sorted first: so each is put at the end, however many there are. */
void
conf_pins_done(struct conf_build *b)
{
    size_t i;

    if (b->pin_count > 0) {
        b->pool.pins = cw_pins_new(NULL);
        b->pool.pins_at = b->pins[0].at;
        if (b->pool.pins == NULL)
            mem_fail();
        qsort(b->pins, b->pin_count, sizeof *b->pins, by_order);
    }
    for (i = 0; i < b->pin_count; i++)
        add_pin(b, &b->pins[i]);
    cw_placement_pin(b->pool.placement, b->pool.pins);
    mem_free(b->pins);
    b->pins = NULL;
    b->pin_count = b->pin_cap = 0;
}

/* "125", "125%" (per cent) or "1.25" (times the fair share). */
bool
conf_bound_parse(const char *text, size_t len, unsigned *percent)
{
    /* of the value in millionths: whole per cent */
    uint64_t value, unit = CW_WEIGHT_ONE;

    if (len > 0 && text[len - 1] == '%')
        len--;
    else if (memchr(text, '.', len) != NULL)
        unit = CW_WEIGHT_ONE / 100;
    if (cw_weight_parse(text, len, &value, NULL) != CW_OK
        || value % unit != 0 || value / unit < CW_BOUND_MIN
        || value / unit > CW_BOUND_MAX)
        return false;
    *percent = (unsigned)(value / unit);
    return true;
}

void
conf_bound(struct conf_build *b, const struct conf_text *value)
{
    struct buf shown = { 0 };

    if (conf_bound_parse(value->data, value->len, &b->pool.bound))
        return;
    str_escape(&shown, value->data, value->len, 80);
    diag_error(b->diag, value->at, "bad bound \"%s\"",
               shown.len ? shown.data : "");
    diag_hint(b->diag, "expected: %s", CONF_BOUND_EXPECTED);
    buf_free(&shown);
}

/* A program's factor may lie a little outside: nearest is as good. */
void
conf_bound_of(struct conf_build *b, struct diag_place at, const char *option,
              uint64_t percent)
{
    uint64_t taken = percent < CW_BOUND_MIN ? CW_BOUND_MIN
        : percent > CW_BOUND_MAX ? CW_BOUND_MAX : percent;

    b->pool.bound = (unsigned)taken;
    if (taken != percent)
        conf_warn(b, at, "%s %llu is taken as %llu %%, the nearest bound there "
                  "is here", option, (unsigned long long)percent,
                  (unsigned long long)taken);
    conf_infer(b, at, "%s is the bound on a server's load, %u %%: where the "
               "owner is that full, a request goes on to the next", option,
               b->pool.bound);
}
