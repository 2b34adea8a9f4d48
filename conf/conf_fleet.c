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

/* More options than any placement has: a limit for the search below. */
enum { PLACEMENT_KEYS_MAX = 64 };

/*
 * Decided by the first line that is neither blank, comment, directive nor
 * "---": "{", "- ", or a word (or quoted text) with a colon that a blank or
 * the line's end follows. A line of the other format has no such colon.
 */
static bool
claims(const char *data, size_t len)
{
    const char *s = data, *end = data + len, *colon, *stop;

    for (; s < end; s = stop < end ? stop + 1 : end) {
        stop = memchr(s, '\n', (size_t)(end - s));
        if (stop == NULL)
            stop = end;
        while (s < stop && (*s == ' ' || *s == '\t' || *s == '\r'))
            s++;
        if (s < stop && *s != '#' && *s != '%'
            && !(stop - s >= 3 && memcmp(s, "---", 3) == 0))
            break;
    }
    if (s >= end)
        return false;
    if (*s == '{' || (*s == '-' && (s + 1 == stop || s[1] == ' ')))
        return true;
    if (*s == '"' || *s == '\'') {
        colon = memchr(s + 1, *s, (size_t)(stop - s - 1));
        if (colon == NULL)
            return false;
        for (colon++; colon < stop && *colon == ' '; colon++)
            continue;
    } else {
        for (colon = s; colon < stop && *colon != ' ' && *colon != '\t';
             colon++)
            if (*colon == ':' && (colon + 1 == stop || colon[1] == ' '
                                  || colon[1] == '\t' || colon[1] == '\r'))
                break;
        while (colon < stop && *colon == ' ')
            colon++;
    }
    return colon < stop && *colon == ':'
        && (colon + 1 == stop || strchr(" \t\r", colon[1]) != NULL);
}

static struct conf_text
text_of(const struct conf_value *v)
{
    struct conf_text t = { NULL, 0, { 0, 0, 0 } };

    if (v != NULL) {
        t.data = v->text;
        t.len = v->len;
        t.at = v->at;
    }
    return t;
}

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
        struct conf_text key = text_of(item->key);
        struct conf_text value = text_of(item->value);

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
        struct conf_text key = text_of(item->key);
        struct conf_text value = text_of(item->value);

        if (check_option(b, map, item) && !is_row_key(item->key) && known)
            conf_placement(b, &key, &value);
    }
}

static void
read_positions(struct conf_build *b, const struct conf_value *list,
               struct conf_node *node)
{
    const struct conf_item *item;

    if (list->count == 0) {
        diag_error(b->diag, list->at, "node: \"positions\" is an empty list");
        diag_hint(b->diag, "expected: at least one position, or no such key");
        return;
    }
    node->positions = mem_alloc(list->count, sizeof *node->positions);
    for (item = list->first; item != NULL; item = item->next) {
        uint64_t at;

        if (item->value->kind == CONF_SCALAR
            && str_uint(item->value->text, item->value->len, UINT64_MAX,
                        &at)) {
            node->positions[node->position_count++] = at;
            continue;
        }
        diag_error(b->diag, item->value->at, "node: bad position");
        diag_hint(b->diag, "expected: a whole number from 0 to the ring's "
                  "size - 1");
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
    struct conf_node node = { .name = text_of(v) };

    if (v->kind == CONF_MAP) {
        size_t errors = b->diag->errors;

        conf_map_keys(b->diag, v, "node", keys, KEYS, found);
        node.name = text_of(found[0]);
        node.address = text_of(found[1]);
        node.weight = text_of(found[2]);
        node.zone = text_of(found[3]);
        node.state = text_of(found[4]);
        node.label = text_of(found[5]);
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

static void
read_root(struct conf_build *b, const struct conf_value *root)
{
    static const struct conf_key keys[] = {
        { "fleet", CONF_SCALAR, "the fleet's name" },
        { "placement", CONF_MAP, "a mapping: {algorithm: ring, points: 160}" },
        { "nodes", CONF_LIST, "a list of nodes" },
    };
    enum { KEYS = sizeof keys / sizeof *keys };
    const struct conf_value *found[KEYS];
    const struct conf_item *item;
    size_t errors = b->diag->errors;

    conf_map_keys(b->diag, root, "fleet file", keys, KEYS, found);
    if (found[0] != NULL) {
        struct conf_text name = text_of(found[0]);

        conf_fleet_name(b, &name);
    }
    if (found[1] != NULL)
        read_placement(b, found[1]);
    if (found[2] == NULL) {
        if (b->diag->errors == errors) {
            diag_error(b->diag, root->at, "the key \"nodes\" is missing");
            diag_hint(b->diag, "expected: a list of nodes");
        }
        return;
    }
    if (found[2]->count == 0) {
        diag_error(b->diag, found[2]->at, "there is no node in the list");
        diag_hint(b->diag, "expected: at least one");
    }
    for (item = found[2]->first; item != NULL; item = item->next)
        read_node(b, item->value);
}

static void
read_fleet(struct conf_build *b, const char *data, size_t len)
{
    struct conf_tree tree;

    if (conf_yaml_read(&tree, data, len, b->diag)) {
        if (tree.root != NULL && tree.root->kind == CONF_MAP) {
            read_root(b, tree.root);
        } else {
            struct diag_place at = { 1, 1, 0 };

            diag_error(b->diag, tree.root ? tree.root->at : at,
                       "the file holds %s", conf_kind_text(tree.root
                       ? tree.root->kind : CONF_NULL));
            diag_hint(b->diag, "expected: a mapping with the key \"nodes\"");
        }
    }
    conf_tree_free(&tree);
}

const struct conf_format conf_format_fleet = {
    "fleet", "YAML or JSON with a list of nodes", claims, read_fleet
};
