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

#include "base/diag.h"
#include "clockwise/clockwise.h"

/* Nodes, and how keys are placed on them. */
struct conf_pool {
    char         *name;         /* of the fleet; NULL when none was given   */
    size_t        name_len;
    cw_fleet     *fleet;
    cw_placement *placement;
};

/* A file. Today's formats describe one pool. */
struct conf_model {
    const char       *format;   /* "fleet", "lines": the row that read it   */
    struct conf_pool *pools;
    size_t            pool_count;
};

/* A zeroed model may be freed. */
void conf_model_free(struct conf_model *m);

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
    struct conf_pool   pool;
    struct diag       *diag;
    struct diag_place *places;  /* of each node of the fleet                */
    size_t             place_cap;
    cw_table           table;   /* the placement's row, for its options     */
    unsigned           row;
};

/* What a format is: conf_rows.h lists them. */
struct conf_format {
    const char *name;
    const char *summary;
    bool      (*claims)(const char *data, size_t len);
    void      (*read)(struct conf_build *b, const char *data, size_t len);
};

/* conf_read() with the format chosen by the caller. */
bool conf_read_as(const struct conf_format *format, const char *data,
                  size_t len, struct diag *d, struct conf_model *out);

void conf_fleet_name(struct conf_build *b, const struct conf_text *name);

/* An option of the placement. "algorithm" and "compat" come first; false
 * when it was refused (and reported). */
bool conf_placement(struct conf_build *b, const struct conf_text *option,
                    const struct conf_text *value);

void conf_add_node(struct conf_build *b, const struct conf_node *node);

/* The words that a node takes beside its name, for readers' messages. */
#define CONF_WEIGHT_EXPECTED \
    "a decimal number from 0 to 1000000, at most six digits after the point"

#endif
