/* SPDX-License-Identifier: Apache-2.0 */
/* pins_note.h - what commands say of pins. */
#ifndef CLI_PINS_NOTE_H
#define CLI_PINS_NOTE_H

#include "base/buf.h"
#include "base/json.h"
#include "clockwise/clockwise_pins.h"

struct pins_note {
    size_t keys, prefixes, ranges;
};

/* Pins by their kind; pins may be NULL. */
struct pins_note pins_note(const cw_pins *pins);

/* As JSON, {"keys": 1, "prefixes": 0, "ranges": 2}, under "pins". */
void pins_note_json(struct json *j, const cw_pins *pins);

/* `key "vip"`, `prefix "user:"`, `range 43-50`. */
void pins_note_one(struct buf *out, const cw_pin *pin);

/* -1, 0, 1: the order of cw_pins_at(); 0 is the same key, prefix or range, to
 * whatever nodes. */
int pins_note_compare(const cw_pin *a, const cw_pin *b);

#endif
