/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness.h - what every test program shares: checks that explain
 * themselves, seeded random numbers, memory that fails on purpose, fleets
 * and placements from one line of text, files of tab-separated fields.
 *
 * A helper that meets trouble of its own (no memory, a file that cannot be
 * read) fails the running test; it never returns an error.
 */
#ifndef CW_TEST_HARNESS_H
#define CW_TEST_HARNESS_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clockwise/clockwise.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- checks ------------------------------------------------------------ */

/* Fail the test with a message, printf style, unless cond holds. */
#define CHECK(cond, ...) \
    ((cond) ? (void)0 : check_failed(__FILE__, __LINE__, #cond, __VA_ARGS__))

/* A call that must succeed; the library's own text is the message. */
#define CHECK_OK(call)                                                   \
    do {                                                                 \
        cw_status check_status_ = (call);                                \
        CHECK(check_status_ == CW_OK, "%s", cw_status_text(check_status_)); \
    } while (0)

#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 4, 5)))
#endif
void check_failed(const char *file, int line, const char *cond,
                  const char *format, ...);

/* A cmocka test whose name is a sentence with underscores. */
#define TEST(name) cmocka_unit_test(name)

/* ---- random numbers ---------------------------------------------------- */

struct rng {
    uint64_t state;
};

/* The seed of this run: CW_TEST_SEED, else a fixed one. Printed once. */
uint64_t test_seed(void);

uint64_t rng_next(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t n);    /* 0 .. n - 1 */

/* ---- memory that fails ------------------------------------------------- */

struct failing {
    cw_allocator  allocator;
    unsigned long fail_at;  /* the number of the call that fails; 0: none   */
    unsigned long calls;    /* so far                                       */
    long          live;     /* blocks not yet given back                    */
};

void failing_init(struct failing *f, unsigned long fail_at);

/*
 * Run `attempt` with memory that fails at the first call, then at the second
 * and so on, until it succeeds; return how often it failed. attempt returns
 * CW_OK or CW_ENOMEM, frees all it made, and is told the memory to use. Any
 * other status, a block left over, or a failure that was swallowed fails the
 * test. `what` names it in messages.
 */
unsigned long every_allocation_fails(const char *what,
                                     cw_status (*attempt)(struct failing *f,
                                                          void *context),
                                     void *context);

/* Memory of the test itself, never NULL. */
void *must_alloc(size_t size);

/* ---- fleets and placements --------------------------------------------- */

/* "a,b=2,c=0.5@zone1": names with weight and zone; CW_OK or the test fails. */
cw_fleet *fleet_of(const char *spec);

/* name as a C string, weight in millionths. */
void fleet_add(cw_fleet *fleet, const char *name, uint64_t weight);

/* The same nodes in an order drawn from rng. */
cw_fleet *fleet_shuffled(const cw_fleet *fleet, struct rng *rng);

/* Add a node just as it is described, positions included. */
cw_status fleet_add_node(cw_fleet *fleet, const cw_node *node,
                         const uint64_t *positions);

/* All that can be read from a fleet, as text of the caller's (free()). */
char *fleet_dump(const cw_fleet *fleet);

/* "algorithm=ring;points=100": options in this order; "" is the default.
 * must: any error fails the test. try: returns the status. */
cw_placement *placement_of(const char *options);
cw_status placement_try(cw_placement *placement, const char *options,
                        cw_error *err);

/* The placement of row number i of a table, all options at their default;
 * a keyed hash gets a key. NULL past the end of the table. */
cw_placement *placement_of_row(cw_table table, unsigned i, cw_row *row);

cw_map *map_of(const cw_fleet *fleet, const cw_placement *placement);
cw_map *map_of_spec(const char *fleet_spec, const char *options);

/* ---- keys and answers -------------------------------------------------- */

struct key {
    char   data[40];
    size_t len;
};

/* prefix followed by i in decimal: "key17". */
struct key key_numbered(const char *prefix, uint64_t i);

/* 0..32 arbitrary bytes. */
struct key key_random(struct rng *rng);

/* The owner's number; the test fails without one. */
uint32_t owner_of(const cw_map *map, const void *key, size_t len);

/* Name of node i of a map. */
const char *node_name(const cw_map *map, uint32_t i);

/* Name of the owner, for maps of nodes whose names hold no NUL. */
const char *owner_name(const cw_map *map, const void *key, size_t len);

/* Name of the owner of a position. */
const char *owner_name_at(const cw_map *map, uint64_t position);

/* True when node i of one map and node j of another have the same name;
 * CW_NONE is the same as CW_NONE only. */
int same_node(const cw_map *a, uint32_t i, const cw_map *b, uint32_t j);

/* ---- files ------------------------------------------------------------- */

#define TSV_FIELDS 16u

struct tsv_line {
    const char *field[TSV_FIELDS];  /* NUL-terminated                       */
    size_t      len[TSV_FIELDS];
    unsigned    count;
    unsigned    number;             /* of the line in its file, from 1      */
};

struct tsv {
    char            *bytes;
    struct tsv_line *lines;
    size_t           count;
};

/* Path below the source folder. Lines that begin with '#' are skipped when
 * comments is true. */
void tsv_read(struct tsv *tsv, const char *path, int comments);
void tsv_free(struct tsv *tsv);

/* A whole file of the source folder, NUL added; free(). */
char *file_read(const char *path, size_t *len);

#endif
