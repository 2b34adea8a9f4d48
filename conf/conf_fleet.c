/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_fleet.c - our own fleet file: YAML, or the JSON that YAML contains,
 * with a mapping at its root. docs/man/clockwise-fleet.5 describes it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_model.h"
#include "conf/conf_tree.h"
#include "conf/conf_write.h"

/* More options than any placement has: a limit for the search below. */
enum { PLACEMENT_KEYS_MAX = 64 };

/* Of one node, where they are written as ranges. */
enum { POSITIONS_MAX = 1 << 17 };

static bool
is_row_key(const struct conf_value *key)
{
    return strcmp(key->text, "algorithm") == 0
        || strcmp(key->text, "compat") == 0;
}

/* Report what cannot be passed on; true when item can. */
static bool
check_option(struct conf_build *b, const struct conf_value *map,
             const struct conf_item *item)
{
    const struct conf_item *before;

    if (item->key->kind != CONF_SCALAR) {
        diag_error(b->diag, item->key->at, "placement: a key is a word, not "
                   "%s", conf_kind_text(item->key->kind));
        return false;
    }
    for (before = map->first; before != item; before = before->next) {
        if (before->key->kind == CONF_SCALAR
            && strcmp(before->key->text, item->key->text) == 0) {
            diag_error(b->diag, item->key->at, "placement: key \"%.40s\" is "
                       "given twice", item->key->text);
            diag_hint(b->diag, "the first one is in line %u",
                      before->key->at.line);
            return false;
        }
    }
    if (item->value->kind != CONF_SCALAR) {
        diag_error(b->diag, item->value->kind == CONF_NULL ? item->key->at
                   : item->value->at, "placement: \"%.40s\" is %s",
                   item->key->text, conf_kind_text(item->value->kind));
        diag_hint(b->diag, "expected: a single value");
        return false;
    }
    return true;
}

static void
read_placement(struct conf_build *b, const struct conf_value *map)
{
    const struct conf_item *item;
    const struct conf_value *row = NULL;
    bool known = true;

    if (map->count > PLACEMENT_KEYS_MAX) {
        diag_error(b->diag, map->at, "placement: has %zu keys", map->count);
        diag_hint(b->diag, "expected: at most %d", PLACEMENT_KEYS_MAX);
        return;
    }
    /* the row first: it decides which options there are */
    for (item = map->first; item != NULL; item = item->next) {
        struct conf_text key = conf_tree_text(item->key);
        struct conf_text value = conf_tree_text(item->value);

        if (item->key->kind != CONF_SCALAR || !is_row_key(item->key)
            || item->value->kind != CONF_SCALAR)
            continue;
        if (row != NULL && strcmp(row->text, item->key->text) != 0) {
            diag_error(b->diag, item->key->at, "placement: both \"%s\" and "
                       "\"%s\" are given", row->text, item->key->text);
            diag_hint(b->diag, "expected: one of them");
        } else if (row == NULL) {
            row = item->key;
            known = conf_placement(b, &key, &value);
        }
    }
    for (item = map->first; item != NULL; item = item->next) {
        struct conf_text key = conf_tree_text(item->key);
        struct conf_text value = conf_tree_text(item->value);

        if (check_option(b, map, item) && !is_row_key(item->key) && known)
            conf_placement(b, &key, &value);
    }
}

/* "5", or "0-5460" with both ends in it; false: neither. */
static bool
position_range(const struct conf_value *v, uint64_t *first, uint64_t *last)
{
    size_t dash = 0;

    if (v->kind != CONF_SCALAR)
        return false;
    while (dash < v->len && v->text[dash] != '-')
        dash++;
    if (!str_uint(v->text, dash, UINT64_MAX, first) || dash == 0)
        return false;
    *last = *first;
    return dash == v->len
        || (dash + 1 < v->len
            && str_uint(v->text + dash + 1, v->len - dash - 1, UINT64_MAX,
                        last)
            && *last >= *first);
}

static void
read_positions(struct conf_build *b, const struct conf_value *list,
               struct conf_node *node)
{
    const struct conf_item *item;
    size_t room = list->count;
    uint64_t at, last;

    if (list->count == 0) {
        diag_error(b->diag, list->at, "node: \"positions\" is an empty list");
        diag_hint(b->diag, "expected: at least one position, or no such key");
        return;
    }
    node->positions = mem_alloc(room, sizeof *node->positions);
    for (item = list->first; item != NULL; item = item->next) {
        if (!position_range(item->value, &at, &last)
            || last - at >= POSITIONS_MAX) {
            diag_error(b->diag, item->value->at, "node: bad position");
            diag_hint(b->diag, "expected: a whole number from 0 to the "
                      "ring's size - 1, or a range of up to %d", POSITIONS_MAX);
            continue;
        }
        if (room + (last - at) > POSITIONS_MAX + list->count) {
            diag_error(b->diag, item->value->at, "node: more than %d "
                       "positions in ranges", POSITIONS_MAX);
            break;
        }
        room += (size_t)(last - at);
        node->positions = mem_resize(node->positions, room,
                                     sizeof *node->positions);
        do
            node->positions[node->position_count++] = at;
        while (at++ < last);
    }
}

static void
read_node(struct conf_build *b, const struct conf_value *v)
{
    static const struct conf_key keys[] = {
        { "name", CONF_SCALAR, "a name" },
        { "address", CONF_SCALAR, "an address, as host:port" },
        { "weight", CONF_SCALAR, CONF_WEIGHT_EXPECTED },
        { "zone", CONF_SCALAR, "a zone's name" },
        { "state", CONF_SCALAR, "up, down or drain" },
        { "label", CONF_SCALAR, "the text that decides the node's points" },
        { "positions", CONF_LIST, "a list of positions: [5, 42, 71]" },
    };
    enum { KEYS = sizeof keys / sizeof *keys };
    const struct conf_value *found[KEYS];
    struct conf_node node = { .name = conf_tree_text(v) };

    if (v->kind == CONF_MAP) {
        size_t errors = b->diag->errors;

        conf_map_keys(b->diag, v, "node", keys, KEYS, found);
        node.name = conf_tree_text(found[0]);
        node.address = conf_tree_text(found[1]);
        node.weight = conf_tree_text(found[2]);
        node.zone = conf_tree_text(found[3]);
        node.state = conf_tree_text(found[4]);
        node.label = conf_tree_text(found[5]);
        if (found[6] != NULL)
            read_positions(b, found[6], &node);
        if (node.name.data == NULL && b->diag->errors == errors) {
            diag_error(b->diag, v->at, "this node has no name");
            diag_hint(b->diag, "expected: a key \"name\"");
        }
    } else if (v->kind != CONF_SCALAR) {
        diag_error(b->diag, v->at, "this node is %s",
                   conf_kind_text(v->kind));
        diag_hint(b->diag, "expected: a name, or a mapping with a key "
                  "\"name\"");
        return;
    }
    if (node.name.data != NULL)
        conf_add_node(b, &node);
    mem_free(node.positions);
}

/* "a", or "[a, b]", into the build's arena; false: something else. */
static bool
read_pin_nodes(struct conf_build *b, const struct conf_value *v,
               struct conf_pin *pin)
{
    const struct conf_item *item;
    struct conf_text *nodes;
    bool ok = true;

    pin->count = v->kind == CONF_LIST ? v->count : 1;
    nodes = arena_alloc(&b->arena, (pin->count + 1) * sizeof *nodes);
    nodes[0] = conf_tree_text(v);
    pin->nodes = nodes;
    for (item = v->kind == CONF_LIST ? v->first : NULL; item != NULL;
         item = item->next) {
        if (item->value->kind != CONF_SCALAR) {
            diag_error(b->diag, item->value->at, "pin: this node is %s",
                       conf_kind_text(item->value->kind));
            diag_hint(b->diag, "expected: a node's name");
            ok = false;
        }
        *nodes++ = conf_tree_text(item->value);
    }
    return ok;
}

static void
read_pin(struct conf_build *b, const struct conf_value *v)
{
    static const struct conf_key keys[] = {
        { "key", CONF_SCALAR, "a key" },
        { "prefix", CONF_SCALAR, "what keys begin with" },
        { "range", CONF_SCALAR, "positions: 43-50" },
        { "to", CONF_SCALAR | CONF_LIST, "a node, or several: [a, b]" },
    };
    enum { KEYS = sizeof keys / sizeof *keys };
    const struct conf_value *found[KEYS];
    struct conf_pin pin = { .at = v->at };
    size_t errors = b->diag->errors;

    if (v->kind == CONF_MAP)
        conf_map_keys(b->diag, v, "pin", keys, KEYS, found);
    if (v->kind != CONF_MAP
        || (b->diag->errors == errors
            && (found[3] == NULL || !found[0] + !found[1] + !found[2] != 2))) {
        diag_error(b->diag, v->at, "this pin is not of one thing to a node");
        diag_hint(b->diag, "expected: {key: K, to: NODE}, {prefix: P, to: "
                  "NODE} or {range: FIRST-LAST, to: NODE}");
        return;
    }
    if (b->diag->errors != errors || !read_pin_nodes(b, found[3], &pin))
        return;
    pin.kind = found[0] ? CW_PIN_KEY : found[1] ? CW_PIN_PREFIX
        : CW_PIN_RANGE;
    pin.text = conf_tree_text(found[0] ? found[0] : found[1]);
    if (pin.kind == CW_PIN_RANGE
        && !position_range(found[2], &pin.first, &pin.last)) {
        diag_error(b->diag, found[2]->at, "pin: bad range");
        diag_hint(b->diag, "expected: FIRST-LAST, two positions of the ring "
                  "that both belong to it");
        return;
    }
    conf_add_pin(b, &pin);
}

static void
read_nodes(struct conf_build *b, const struct conf_value *list)
{
    const struct conf_item *item;

    if (list->count == 0) {
        diag_error(b->diag, list->at, "there is no node in the list");
        diag_hint(b->diag, "expected: at least one");
    }
    for (item = list->first; item != NULL; item = item->next)
        read_node(b, item->value);
}

static void
read_root(struct conf_build *b, const struct conf_value *root)
{
    static const struct conf_key keys[] = {
        { "fleet", CONF_SCALAR, "the fleet's name" },
        { "placement", CONF_MAP, "a mapping: {algorithm: ring, points: 160}" },
        { "nodes", CONF_LIST, "a list of nodes" },
        { "key-from", CONF_SCALAR, "where the program takes a request's key" },
        { "pins", CONF_LIST, "a list: [{key: K, to: NODE}]" },
        { "bound", CONF_SCALAR, CONF_BOUND_EXPECTED },
    };
    enum { KEYS = sizeof keys / sizeof *keys };
    const struct conf_value *found[KEYS];
    const struct conf_item *item;
    size_t errors = b->diag->errors;

    conf_map_keys(b->diag, root, "fleet file", keys, KEYS, found);
    if (found[0] != NULL) {
        struct conf_text name = conf_tree_text(found[0]);

        conf_fleet_name(b, &name);
    }
    if (found[1] != NULL)
        read_placement(b, found[1]);
    if (found[3] != NULL && str_text_end(found[3]->text, found[3]->len)
        != found[3]->len)
        diag_error(b->diag, found[3]->at, "\"key-from\" is not printable text");
    else if (found[3] != NULL)
        conf_key_from(b, "%s", found[3]->text);
    if (found[2] == NULL) {
        if (b->diag->errors == errors) {
            diag_error(b->diag, root->at, "the key \"nodes\" is missing");
            diag_hint(b->diag, "expected: a list of nodes");
        }
        return;
    }
    read_nodes(b, found[2]);
    for (item = found[4] ? found[4]->first : NULL; item != NULL;
         item = item->next)
        read_pin(b, item->value);
    if (found[5] != NULL) {
        struct conf_text bound = conf_tree_text(found[5]);

        conf_bound(b, &bound);
    }
}

/* The other formats of trees say "nodes" or "placement" nowhere at their
 * roots; what none of them claims is read as ours, for its messages. */
static bool
claims(const struct conf_value *root)
{
    return conf_tree_get(root, "nodes") != NULL
        || conf_tree_get(root, "placement") != NULL
        || conf_tree_get(root, "fleet") != NULL;
}

static void
read_fleet(struct conf_build *b, const struct conf_value *root)
{
    if (root->kind == CONF_MAP) {
        read_root(b, root);
        return;
    }
    diag_error(b->diag, root->at, "the file is %s",
               conf_kind_text(root->kind));
    diag_hint(b->diag, "expected: a mapping with the key \"nodes\"");
}

static bool
write_fleet(const struct conf_pool *pool, struct buf *out, struct buf *why)
{
    static const struct conf_notes none;

    (void)why;
    conf_write_fleet(pool, &none, out);
    return true;
}

const struct conf_format conf_format_fleet = {
    .name = "fleet", .summary = "YAML or JSON with a list of nodes",
    .claims_tree = claims, .read_tree = read_fleet,
    .write = CONF_WRITER(write_fleet)
};
