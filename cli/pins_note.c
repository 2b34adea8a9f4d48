/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/pins_note.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"

struct pins_note
pins_note(const cw_pins *pins)
{
    struct pins_note n = { 0, 0, 0 };
    cw_pin pin;
    size_t i;

    for (i = 0; pins != NULL && cw_pins_at(pins, i, &pin) == CW_OK; i++) {
        n.keys += pin.kind == CW_PIN_KEY;
        n.prefixes += pin.kind == CW_PIN_PREFIX;
        n.ranges += pin.kind == CW_PIN_RANGE;
    }
    return n;
}

void
pins_note_json(struct json *j, const cw_pins *pins)
{
    struct pins_note n = pins_note(pins);

    json_key(j, "pins");
    json_open(j, '{');
    json_pair_uint(j, "keys", n.keys);
    json_pair_uint(j, "prefixes", n.prefixes);
    json_pair_uint(j, "ranges", n.ranges);
    json_close(j, '}');
}

void
pins_note_one(struct buf *out, const cw_pin *pin)
{
    if (pin->kind == CW_PIN_RANGE) {
        buf_print(out, "range %" PRIu64 "-%" PRIu64, pin->first, pin->last);
        return;
    }
    buf_str(out, pin->kind == CW_PIN_KEY ? "key \"" : "prefix \"");
    str_escape(out, pin->text.data, pin->text.len, 80);
    buf_char(out, '"');
}

int
pins_note_compare(const cw_pin *a, const cw_pin *b)
{
    size_t len = a->text.len < b->text.len ? a->text.len : b->text.len;
    int c;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == CW_PIN_RANGE) {
        if (a->first != b->first)
            return a->first < b->first ? -1 : 1;
        return (a->last > b->last) - (a->last < b->last);
    }
    c = len ? memcmp(a->text.data, b->text.data, len) : 0;
    return c ? c : (a->text.len > b->text.len) - (a->text.len < b->text.len);
}
