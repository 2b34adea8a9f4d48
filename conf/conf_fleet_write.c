/* SPDX-License-Identifier: Apache-2.0 */
/* conf_fleet_write.c - a pool as our own fleet file. */
#include <inttypes.h>
#include <string.h>

#include "conf/conf_write.h"

static void
write_notes(const struct conf_notes *notes, struct buf *out)
{
    size_t i;

    for (i = 0; i < notes->count; i++) {
        const struct conf_note *n = &notes->list[i];

        buf_str(out, "# ");
        if (n->at.line > 0)
            buf_print(out, "line %u: ", n->at.line);
        buf_print(out, "%s%s\n", n->warning ? "warning: " : "", n->text);
    }
}

static void
field(struct buf *out, const char *name, const char *s, size_t len)
{
    buf_print(out, ", %s: ", name);
    conf_write_yaml(out, s, len);
}

/* Neighbours as a range, the last one that belongs to it. */
static uint32_t
range_end(const uint64_t *positions, uint32_t k, uint32_t n)
{
    uint32_t end = k;

    while (end + 1 < n && positions[end] < UINT64_MAX
           && positions[end + 1] == positions[end] + 1
           && end - k < 100000)
        end++;
    return end;
}

static void
write_positions(const uint64_t *positions, uint32_t n, struct buf *out)
{
    unsigned in_line = 0;
    uint32_t k, end;

    buf_str(out, ",\n     positions: [");
    for (k = 0; k < n; k = end + 1) {
        end = range_end(positions, k, n);
        if (k > 0)
            buf_str(out, ++in_line % 4 ? ", "
                    : ",\n                 ");
        buf_print(out, "%" PRIu64, positions[k]);
        if (end > k)
            buf_print(out, "-%" PRIu64, positions[end]);
    }
    buf_char(out, ']');
}

static void
write_node(const struct conf_pool *pool, uint32_t i, struct buf *out)
{
    static const char *const states[] = { "up", "down", "drain" };
    const uint64_t *positions = cw_fleet_positions(pool->fleet, i);
    cw_node n;

    cw_fleet_node(pool->fleet, i, &n);
    buf_str(out, "  - {name: ");
    conf_write_yaml(out, n.name, n.name_len);
    if (n.address_len > 0
        && !conf_write_same(n.address, n.address_len, n.name, n.name_len))
        field(out, "address", n.address, n.address_len);
    if (n.weight != CW_WEIGHT_ONE) {
        buf_str(out, ", weight: ");
        conf_write_decimal(out, n.weight);
    }
    if (n.zone_len > 0)
        field(out, "zone", n.zone, n.zone_len);
    if (n.state != CW_UP)
        field(out, "state", states[n.state], strlen(states[n.state]));
    if (!conf_write_same(n.label, n.label_len, n.name, n.name_len))
        field(out, "label", n.label, n.label_len);
    if (n.positions > 0)
        write_positions(positions, n.positions, out);
    buf_str(out, "}\n");
}

static void
write_pin(const cw_pin *pin, struct buf *out)
{
    static const char *const kinds[] = { "key", "prefix", "range" };
    uint32_t i;

    buf_print(out, "  - {%s: ", kinds[pin->kind]);
    if (pin->kind == CW_PIN_RANGE)
        buf_print(out, "%" PRIu64 "-%" PRIu64, pin->first, pin->last);
    else
        conf_write_yaml(out, pin->text.data, pin->text.len);
    buf_str(out, pin->count > 1 ? ", to: [" : ", to: ");
    for (i = 0; i < pin->count; i++) {
        buf_str(out, i ? ", " : "");
        conf_write_yaml(out, pin->nodes[i].data, pin->nodes[i].len);
    }
    buf_str(out, pin->count > 1 ? "]}\n" : "}\n");
}

void
conf_write_fleet(const struct conf_pool *pool,
                 const struct conf_notes *notes, struct buf *out)
{
    uint32_t i, n = cw_fleet_count(pool->fleet);
    cw_pin pin;
    size_t k;

    write_notes(notes, out);
    write_notes(&pool->notes, out);
    if (pool->name != NULL) {
        buf_str(out, "fleet: ");
        conf_write_yaml(out, pool->name, pool->name_len);
        buf_char(out, '\n');
    }
    if (pool->key != NULL) {
        buf_str(out, "key-from: ");
        conf_write_yaml(out, pool->key, strlen(pool->key));
        buf_char(out, '\n');
    }
    if (pool->setting_count > 0)
        buf_str(out, "placement:\n");
    for (k = 0; k < pool->setting_count; k++) {
        const struct conf_setting *s = &pool->settings[k];

        buf_print(out, "  %s: ", s->option);
        conf_write_yaml(out, s->value, strlen(s->value));
        buf_char(out, '\n');
    }
    buf_str(out, "nodes:\n");
    for (i = 0; i < n; i++)
        write_node(pool, i, out);
    if (pool->pins != NULL)
        buf_str(out, "pins:\n");
    for (k = 0; pool->pins && cw_pins_at(pool->pins, k, &pin) == CW_OK; k++)
        write_pin(&pin, out);
    if (pool->bound != 0)
        buf_print(out, "bound: %u%%\n", pool->bound);
}
