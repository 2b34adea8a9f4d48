/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_tree.h - a structured file as a small tree of texts with places.
 *
 * Readers of structured formats use this tree and not the parser behind it,
 * so that another source (JSON of a page, say) can build the same tree.
 */
#ifndef CONF_TREE_H
#define CONF_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

enum conf_kind {
    CONF_NULL   = 1,        /* "~", "null" or nothing at all                */
    CONF_SCALAR = 2,
    CONF_LIST   = 4,
    CONF_MAP    = 8
};

struct conf_item;
struct conf_text;

/* How a value is written, for programs that mind: or-ed. */
enum conf_form {
    CONF_FLOW     = 1,      /* a list in [] or a map in {}                  */
    CONF_ANCHORED = 2,
    CONF_TAGGED   = 4,
    CONF_MARKED   = 8       /* the root: "---" or a directive is before it  */
};

struct conf_value {
    enum conf_kind    kind;
    bool              quoted;
    unsigned          form;     /* of enum conf_form                        */
    struct diag_place at;
    const char       *text;     /* of a scalar, followed by a NUL           */
    size_t            len;
    struct conf_item *first;    /* of a list or map                         */
    struct conf_item *last;
    size_t            count;    /* items                                    */
    size_t            size;     /* values below and with it, aliases
                                   counted as often as they are used        */
};

struct conf_item {
    struct conf_item        *next;
    const struct conf_value *key;       /* NULL in a list */
    const struct conf_value *value;
};

struct conf_tree {
    struct arena             arena;
    const struct conf_value *root;
};

enum {
    CONF_DEPTH_MAX = 32,            /* lists and maps in each other         */
    CONF_VALUES_MAX = 16 << 20      /* values of a file, aliases written out */
};

/* "a list", "empty", ...: for messages. */
const char *conf_kind_text(enum conf_kind kind);

/* What a map may hold. */
struct conf_key {
    const char *name;
    unsigned    kinds;          /* of enum conf_kind, or-ed                 */
    const char *expected;       /* "a decimal number", for messages         */
};

/*
 * Put the values of a map at found[i] for keys[i] (NULL where absent), and
 * report what is unknown, repeated or of another kind; such values are left
 * out. what: "node", for messages. n <= 32.
 */
void conf_map_keys(struct diag *d, const struct conf_value *map,
                   const char *what, const struct conf_key *keys, size_t n,
                   const struct conf_value **found);

/* The value of a key of a map; NULL: v is no map, or has none. The first one
 * when there are more. */
const struct conf_value *conf_tree_get(const struct conf_value *v,
                                       const char *key);

/* Put blanks in the place of comments of JSON (the two forms of C, which
 * mcrouter takes), and characters that it writes as two escapes as YAML writes
 * them; nothing is done to what does not begin as JSON does. False: half of
 * such a character, and the error is in d. */
bool conf_json_plain(char *text, size_t len, struct diag *d);

/* Do the bytes look like YAML or JSON? */
bool conf_is_tree(const char *data, size_t len);

/* A scalar's text, for the model; v NULL: not given. */
struct conf_text conf_tree_text(const struct conf_value *v);

/*
 * Read YAML (JSON is some) into a tree. One document; aliases are followed
 * within CONF_VALUES_MAX; tags other than !!str are refused. The first error
 * ends the reading: false, and it is in d. Free t in either case.
 */
bool conf_yaml_read(struct conf_tree *t, const char *data, size_t len,
                    struct diag *d);

void conf_tree_free(struct conf_tree *t);

#endif
