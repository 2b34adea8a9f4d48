/* SPDX-License-Identifier: Apache-2.0 */
/* identify.h - which placement explains keys whose node is known. */
#ifndef IDENTIFY_H
#define IDENTIFY_H

#include <stdbool.h>

#include "base/buf.h"
#include "clockwise/clockwise.h"

/* ---- the sample -------------------------------------------------------- */

struct identify_pair {
    const char *key;
    size_t      len;
    uint32_t    node;           /* in the list order of the fleet           */
};

struct identify_sample {
    struct buf            bytes;
    struct identify_pair *pairs;
    size_t                count;
    size_t                unknown;      /* lines whose node is not there    */
    struct buf            first_unknown;
    size_t                several;      /* asked keys that two nodes hold,  */
    size_t                nowhere;      /* or none                          */
    uint32_t              nodes;        /* different ones that occur        */
};

/* Cut lines "key TAB node" of s->bytes. A node is named by its name, or by
 * its address. False: a line without TAB, *line is its number. */
bool identify_sample_cut(struct identify_sample *s, const cw_fleet *fleet,
                         size_t *line);

/* Take each line of s->bytes for a key and ask the nodes, at their addresses,
 * who holds it. A node that does not answer is said; false: none did. */
bool identify_sample_ask(struct identify_sample *s, const cw_fleet *fleet,
                         const char *port);

/* Count the different nodes of the pairs; n: nodes of the fleet. */
void identify_sample_nodes(struct identify_sample *s, uint32_t n);
void identify_sample_free(struct identify_sample *s);

/* ---- candidates -------------------------------------------------------- */

/* How a node's label is made of its name before a row sees it. */
enum identify_label {
    IDENTIFY_AS_IT_IS,
    IDENTIFY_NO_PORT,           /* "host" of "host:port"                    */
    IDENTIFY_ADDRESS,           /* its address                              */
    IDENTIFY_LABELS
};

/* A row with settings that can be tried. */
struct identify_candidate {
    char               *settings;   /* "compat=twemproxy-ketama hash=md5"   */
    size_t              row_len;    /* of the first word                    */
    unsigned            count;      /* settings that are not the default    */
    enum identify_label label;
    size_t              right;      /* answers that agree                   */
};

struct identify_list {
    struct identify_candidate *list;
    size_t                     count, room;
    size_t                     tried;
};

/* The fleet with such labels; NULL when that is no other fleet. */
cw_fleet *identify_fleet(const cw_fleet *fleet, enum identify_label label);

/*
 * Try every row with every choice of its options, and keep those of which at
 * least `least` pairs agree. best first: more that agree, then fewer
 * settings, then labels as they are, then the order of the tables.
 */
void identify_try_all(const cw_fleet *fleet, const struct identify_sample *s,
                      size_t least, struct identify_list *out);
void identify_list_free(struct identify_list *l);

/* The map of a candidate; NULL when it refuses the fleet. */
cw_map *identify_map(const cw_fleet *fleet,
                     const struct identify_candidate *c);

/* "labels without the port", or "". */
const char *identify_label_text(enum identify_label label);

#endif
