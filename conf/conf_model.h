/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_model.h - what a fleet file says, and the one place that judges it.
 *
 * A reader of a format turns bytes into calls of struct conf_build and
 * nothing more; names, weights, states and defaults are checked here, so
 * every format has the same rules and messages.
 */
#ifndef CONF_MODEL_H
#define CONF_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "clockwise/clockwise.h"
#include "clockwise/clockwise_pins.h"

/* What a reader inferred (or, as a warning, could not take over). */
struct conf_note {
    struct diag_place at;       /* line 0: the file as a whole              */
    bool              warning;
    char             *text;     /* one line                                 */
};

struct conf_notes {
    struct conf_note *list;
    size_t            count;
};

/* An option of the placement, as it was set. */
struct conf_setting {
    char *option;
    char *value;
};

/* Nodes, and how keys are placed on them. */
struct conf_pool {
    char                *name;  /* of the fleet; NULL when none was given   */
    size_t               name_len;
    struct diag_place    at;    /* where it begins                          */
    cw_fleet            *fleet;
    cw_placement        *placement;
    struct conf_setting *settings;  /* of placement, the row first          */
    size_t               setting_count;
    struct diag_place    placement_at;  /* its row, or its first option     */
    cw_pins             *pins;  /* which the placement has; NULL: none      */
    struct diag_place    pins_at;
    unsigned             bound; /* of a node's load, in per cent of its fair
                                   share; 0: none                           */
    char                *key;   /* where a request's key comes from, in the
                                   program's own words; NULL: not known     */
    struct conf_notes    notes;
    char                *refusal;   /* why its keys cannot be placed here,
                                       though its program takes it; or NULL */
    struct diag_place    refusal_at;
};

/* A file, with at least one pool. */
struct conf_model {
    const char       *format;   /* "fleet", "lines": the row that read it   */
    struct conf_pool *pools;
    size_t            pool_count;
    struct conf_notes notes;    /* on the file as a whole                   */
};

/* A zeroed model may be freed. */
void conf_model_free(struct conf_model *m);

/* Keep pool i as the only one. */
void conf_model_choose(struct conf_model *m, size_t i);

/* Remember a setting that was made on the pool's placement: a row forgets
 * what was set before it. The value that was set, NULL: none. */
void conf_pool_setting(struct conf_pool *p, const char *option,
                       const char *value);
const char *conf_pool_value(const struct conf_pool *p, const char *option);

/* A bound as files and commands write it; false: it is none. */
bool conf_bound_parse(const char *text, size_t len, unsigned *percent);

#define CONF_BOUND_EXPECTED \
    "per cent of the fair share, 101 to 1000000, or a factor like 1.25"

/* Largest file that is read, in bytes. */
#define CONF_FILE_MAX ((size_t)64 << 20)

/*
 * Read a file of any known format, recognised by its content.
 *
 * d    made for these bytes by diag_init(); receives every error
 * out  untouched unless true is returned
 */
bool conf_read(const char *data, size_t len, struct diag *d,
               struct conf_model *out);

/* What the user says about a file. */
struct conf_ask {
    const struct conf_format *format;   /* NULL: recognised by its content  */
    const char               *version;  /* of the program, "3.2.0"; or NULL */
};

/* conf_read() with an answer to what the content does not tell. */
bool conf_read_asked(const struct conf_ask *ask, const char *data, size_t len,
                     struct diag *d, struct conf_model *out);

/* The same for the nodes of a command line: "a,b=2,10.0.0.3:11211". */
bool conf_read_inline(const char *data, size_t len, struct diag *d,
                      struct conf_model *out);

/* ---- for readers of formats -------------------------------------------- */

/* Bytes of the file and where they are; data NULL: not given. */
struct conf_text {
    const char       *data;
    size_t            len;
    struct diag_place at;
};

struct conf_node {
    struct conf_text name;      /* must be given                            */
    struct conf_text address;
    struct conf_text weight;
    struct conf_text zone;
    struct conf_text state;
    struct conf_text label;
    uint64_t        *positions;
    size_t           position_count;
};

struct conf_build {
    struct conf_pool   pool;    /* the one in hand                          */
    struct conf_pool  *done;    /* those before it                          */
    size_t             done_count;
    size_t             begun;   /* calls of conf_pool_begin()               */
    struct conf_notes  notes;   /* on the file                              */
    struct arena       arena;   /* for texts that the reader puts together  */
    const char        *version; /* of struct conf_ask                       */
    struct diag       *diag;
    struct diag_place *places;  /* of each node of the fleet                */
    size_t             place_cap;
    struct conf_pin   *pins;    /* of the pool in hand                      */
    size_t             pin_count, pin_cap;
    cw_table           table;   /* the placement's row, for its options     */
    unsigned           row;
};

/* A key, prefix or range for these nodes, the best first. */
struct conf_pin {
    cw_pin_kind             kind;
    struct conf_text        text;       /* of a key or prefix               */
    uint64_t                first, last;    /* of a range                   */
    const struct conf_text *nodes;
    size_t                  count;
    struct diag_place       at;
};

struct conf_value;

/*
 * What a format is: conf_rows.h lists them. Either the first two functions
 * are given, for formats of their own, or the second two, for YAML and JSON
 * (conf_tree.h), where something else makes the tree.
 */
struct conf_format {
    const char *name;
    const char *summary;
    bool      (*claims)(const char *data, size_t len);
    void      (*read)(struct conf_build *b, const char *data, size_t len);
    bool      (*claims_tree)(const struct conf_value *root);
    void      (*read_tree)(struct conf_build *b,
                           const struct conf_value *root);

    /*
     * Write the pool as a file of this format; NULL when there is none. false:
     * the format cannot say it, and `why` says what (one line).
     */
    bool      (*write)(const struct conf_pool *pool, struct buf *out,
                       struct buf *why);
};

/* Where files are only read (CONF_READ_ONLY), no writer is linked. */
#ifdef CONF_READ_ONLY
#define CONF_WRITER(f) (0 ? (f) : NULL)
#else
#define CONF_WRITER(f) (f)
#endif

/* Row number i of conf_rows.h (NULL past the end); the row of that name. */
const struct conf_format *conf_format_at(size_t i);
const struct conf_format *conf_format_find(const char *name);

/* The reader of a command line's nodes. */
void conf_inline(struct conf_build *b, const char *data, size_t len);

/* Bytes, or the tree that was made of them. */
struct conf_source {
    const char              *data;
    size_t                   len;
    const struct conf_value *root;
};

/*
 * The format of bytes or, when `root` is given, of a tree. NULL: bytes of no
 * format but perhaps a tree (conf_is_tree()) or one node a line.
 */
const struct conf_format *conf_format_of(const struct conf_source *source);

/* Read with a format. ask: its `format` is not looked at. As conf_read(). */
bool conf_run(const struct conf_format *format, const struct conf_ask *ask,
              const struct conf_source *source, struct diag *d,
              struct conf_model *out);

/*
 * For formats with several pools in a file: what follows describes this one.
 * A reader that never calls it fills one pool without a name.
 */
void conf_pool_begin(struct conf_build *b, const struct conf_text *name);

/* The pool in hand is sound for its program, but keys cannot be placed as it
 * does. The first reason is kept. */
DIAG_FORMAT(3, 4)
void conf_unplaced(struct conf_build *b, struct diag_place at,
                   const char *format, ...);

/* Something inferred, or lost, in the pool in hand or (before the first one)
 * in the file. */
DIAG_FORMAT(3, 4)
void conf_infer(struct conf_build *b, struct diag_place at,
                const char *format, ...);
DIAG_FORMAT(3, 4)
void conf_warn(struct conf_build *b, struct diag_place at,
               const char *format, ...);

/* Set conf_pool.key, as printf. */
DIAG_FORMAT(2, 3)
void conf_key_from(struct conf_build *b, const char *format, ...);

/* Text of the build's arena, as printf. */
DIAG_FORMAT(3, 4)
struct conf_text conf_format_text(struct conf_build *b, struct diag_place at,
                                  const char *format, ...);

/* conf_placement() with texts of the reader. */
bool conf_set(struct conf_build *b, struct diag_place at, const char *option,
              const char *value);

void conf_fleet_name(struct conf_build *b, const struct conf_text *name);

/* An option of the placement. "algorithm" and "compat" come first; false
 * when it was refused (and reported). */
bool conf_placement(struct conf_build *b, const struct conf_text *option,
                    const struct conf_text *value);

void conf_add_node(struct conf_build *b, const struct conf_node *node);

/* Texts and nodes are borrowed until the pool is done. */
void conf_add_pin(struct conf_build *b, const struct conf_pin *pin);

/* Give the pool in hand its pins; the end of every pool. */
void conf_pins_done(struct conf_build *b);

/* The bound on a node's load: sets conf_pool.bound. */
void conf_bound(struct conf_build *b, const struct conf_text *value);

/* The same from a program's option in per cent, which is told. */
void conf_bound_of(struct conf_build *b, struct diag_place at,
                   const char *option, uint64_t percent);

/* False, and a message, unless t is printable UTF-8 of 1..CW_NAME_MAX bytes.
 * what: "the node's name". */
bool conf_check_text(struct conf_build *b, const struct conf_text *t,
                     const char *what);

/* The words that a node takes beside its name, for readers' messages. */
#define CONF_WEIGHT_EXPECTED \
    "a decimal number from 0 to 1000000, at most six digits after the point"

#endif
