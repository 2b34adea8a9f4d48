/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness_fleet.c - fleets, placements and maps from one line of text.
 */
#include "harness.h"

void
fleet_add(cw_fleet *fleet, const char *name, uint64_t weight)
{
    cw_error err = { CW_OK, "" };
    cw_status status = cw_fleet_add(fleet, name, strlen(name), weight, &err);

    CHECK(status == CW_OK, "add %s: %s", name, err.text);
}

static void
add_described(cw_fleet *fleet, char *word)
{
    char *zone = strchr(word, '@');
    char *weight;
    uint64_t millionths = CW_WEIGHT_ONE;
    cw_error err = { CW_OK, "" };

    if (zone != NULL)
        *zone++ = '\0';
    weight = strchr(word, '=');
    if (weight != NULL) {
        *weight++ = '\0';
        CHECK(cw_weight_parse(weight, strlen(weight), &millionths, &err) ==
              CW_OK, "weight %s: %s", weight, err.text);
    }
    fleet_add(fleet, word, millionths);
    if (zone != NULL)
        CHECK_OK(cw_fleet_set_zone(fleet, word, strlen(word), zone,
                                   strlen(zone), NULL));
}

cw_fleet *
fleet_of(const char *spec)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    size_t len = strlen(spec);
    char *copy = must_alloc(len + 1);
    char *word = copy;

    CHECK(fleet != NULL, "no memory");
    memcpy(copy, spec, len + 1);
    while (*word != '\0') {
        char *end = strchr(word, ',');

        if (end != NULL)
            *end++ = '\0';
        else
            end = word + strlen(word);
        add_described(fleet, word);
        word = end;
    }
    free(copy);
    return fleet;
}

cw_status
fleet_add_node(cw_fleet *fleet, const cw_node *node,
               const uint64_t *positions)
{
    const char *name = node->name;
    size_t len = node->name_len;
    cw_status status = cw_fleet_add(fleet, name, len, node->weight, NULL);

    if (status == CW_OK && node->address_len > 0)
        status = cw_fleet_set_address(fleet, name, len, node->address,
                                      node->address_len, NULL);
    if (status == CW_OK && node->zone_len > 0)
        status = cw_fleet_set_zone(fleet, name, len, node->zone,
                                   node->zone_len, NULL);
    if (status == CW_OK && (node->label_len != len ||
                            memcmp(node->label, name, len) != 0))
        status = cw_fleet_set_label(fleet, name, len, node->label,
                                    node->label_len, NULL);
    if (status == CW_OK && node->state != CW_UP)
        status = cw_fleet_set_state(fleet, name, len, node->state, NULL);
    if (status == CW_OK && node->positions > 0)
        status = cw_fleet_set_positions(fleet, name, len, positions,
                                        node->positions, NULL);
    return status;
}

cw_fleet *
fleet_shuffled(const cw_fleet *fleet, struct rng *rng)
{
    uint32_t n = cw_fleet_count(fleet);
    uint32_t *order = must_alloc(n * sizeof *order);
    cw_fleet *out = cw_fleet_new(NULL);

    CHECK(out != NULL, "no memory");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = (uint32_t)rng_below(rng, i + 1u);

        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        cw_node node;

        cw_fleet_node(fleet, order[i], &node);
        CHECK_OK(fleet_add_node(out, &node,
                                cw_fleet_positions(fleet, order[i])));
    }
    free(order);
    return out;
}

/* ---- dump -------------------------------------------------------------- */

struct text {
    char  *at;
    size_t len, room;
};

static void
text_add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    for (;;) {
        va_start(args, format);
        n = vsnprintf(t->at + t->len, t->room - t->len, format, args);
        va_end(args);
        CHECK(n >= 0, "vsnprintf: %s", format);
        if ((size_t)n < t->room - t->len)
            break;
        t->room = 2 * t->room + (size_t)n;
        t->at = realloc(t->at, t->room);
        CHECK(t->at != NULL, "no memory");
    }
    t->len += (size_t)n;
}

static void
text_bytes(struct text *t, const char *title, const char *bytes, size_t len)
{
    text_add(t, " %s=%zu:", title, len);
    for (size_t i = 0; i < len; i++)
        text_add(t, "%02x", (unsigned)(unsigned char)bytes[i]);
    CHECK(len == 0 || bytes[len] == '\0', "%s: no NUL after it", title);
}

char *
fleet_dump(const cw_fleet *fleet)
{
    struct text t = { must_alloc(4096), 0, 4096 };

    text_add(&t, "%" PRIu32 " nodes\n", cw_fleet_count(fleet));
    for (uint32_t i = 0; i < cw_fleet_count(fleet); i++) {
        const uint64_t *positions = cw_fleet_positions(fleet, i);
        cw_node node, found;

        cw_fleet_node(fleet, i, &node);
        text_bytes(&t, "name", node.name, node.name_len);
        text_bytes(&t, "label", node.label, node.label_len);
        text_bytes(&t, "address", node.address, node.address_len);
        text_bytes(&t, "zone", node.zone, node.zone_len);
        text_add(&t, " weight=%" PRIu64 " state=%d positions=%" PRIu32,
                 node.weight, (int)node.state, node.positions);
        CHECK((positions != NULL) == (node.positions > 0),
              "node %" PRIu32 ": %" PRIu32 " positions at %p", i,
              node.positions, (const void *)positions);
        for (uint32_t j = 0; j < node.positions; j++)
            text_add(&t, " %" PRIu64, positions[j]);
        text_add(&t, "\n");
        CHECK_OK(cw_fleet_find(fleet, node.name, node.name_len, &found));
        CHECK(found.name == node.name, "node %" PRIu32 " is found elsewhere",
              i);
    }
    return t.at;
}

/* ---- placements and maps ----------------------------------------------- */

cw_status
placement_try(cw_placement *placement, const char *options, cw_error *err)
{
    char copy[512];
    char *word = copy;
    size_t len = strlen(options);

    CHECK(len < sizeof copy, "options are too long: %s", options);
    memcpy(copy, options, len + 1);
    while (*word != '\0') {
        char *end = strchr(word, ';');
        char *value;
        cw_status status;

        if (end != NULL)
            *end++ = '\0';
        else
            end = word + strlen(word);
        value = strchr(word, '=');
        CHECK(value != NULL, "no '=' in %s", options);
        *value++ = '\0';
        status = cw_placement_set(placement, word, value, err);
        if (status != CW_OK)
            return status;
        word = end;
    }
    return CW_OK;
}

cw_placement *
placement_of(const char *options)
{
    cw_placement *placement = cw_placement_new(NULL);
    cw_error err = { CW_OK, "" };

    CHECK(placement != NULL, "no memory");
    CHECK(placement_try(placement, options, &err) == CW_OK, "%s: %s", options,
          err.text);
    return placement;
}

cw_placement *
placement_of_row(cw_table table, unsigned i, cw_row *row)
{
    cw_placement *placement;
    cw_error err = { CW_OK, "" };

    if (cw_table_row(table, i, row) != CW_OK)
        return NULL;
    placement = cw_placement_new(NULL);
    CHECK(placement != NULL, "no memory");
    CHECK(cw_placement_set(placement, table == CW_TABLE_COMPAT ? "compat" :
                           "algorithm", row->name, &err) == CW_OK, "%s: %s",
          row->name, err.text);
    return placement;
}

cw_map *
map_of(const cw_fleet *fleet, const cw_placement *placement)
{
    cw_map *map = NULL;
    cw_error err = { CW_OK, "" };

    CHECK(cw_map_build(fleet, placement, &map, &err) == CW_OK, "build: %s",
          err.text);
    CHECK(cw_map_check(map, &err) == CW_OK, "check: %s", err.text);
    return map;
}

cw_map *
map_of_spec(const char *fleet_spec, const char *options)
{
    cw_fleet *fleet = fleet_of(fleet_spec);
    cw_placement *placement = placement_of(options);
    cw_map *map = map_of(fleet, placement);

    cw_placement_free(placement);
    cw_fleet_free(fleet);
    return map;
}
