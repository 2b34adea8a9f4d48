/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_files.c - tests/golden/ring is what the plain reference says. With
 * --write the files are written anew; the library takes no part in it.
 */
#include "harness.h"
#include "ref/ref_ring.h"

#define FOLDER "tests/golden/ring"

enum { KEYS = 50, ROOM = 1 << 20, EXPLICIT_MAX = 4 };

static const struct {
    const char *name;
    const char *fleet;
    const char *hash;
    uint64_t    points;
    uint64_t    top;        /* 0: the hash's own range                      */
    const char *label;      /* of the first node; NULL: its name            */
    uint64_t    positions[4][EXPLICIT_MAX];     /* of each node; 0: none    */
} rings[] = {
    { "three", "a,b,c", "xxh3", 160, 0, NULL, { { 0 } } },
    { "hosts", "10.0.0.1:11211,10.0.0.2:11211,10.0.0.3:11211,"
      "10.0.0.4:11211", "xxh3", 160, 0, NULL, { { 0 } } },
    { "weights", "heavy=2.5@x,light=0.25@y,none=0,least=0.000001@x,one",
      "xxh3", 100, 0, NULL, { { 0 } } },
    { "label", "moved,b,c", "xxh3", 40, 0, "former name", { { 0 } } },
    { "utf8", "caf\xc3\xa9,\xe6\xbc\xa2\xe5\xad\x97,plain", "xxh3", 40, 0,
      NULL, { { 0 } } },
    { "one-point", "a,b,c,d,e,f,g,h", "xxh3", 1, 0, NULL, { { 0 } } },
    { "xxh64", "a,b=2,c", "xxh64", 30, 0, NULL, { { 0 } } },
    { "fnv1a_64", "a,b=2,c", "fnv1a_64", 30, 0, NULL, { { 0 } } },
    { "fnv1a_32", "a,b=2,c", "fnv1a_32", 30, 0, NULL, { { 0 } } },
    { "size", "a,b,c", "xxh3", 10, 999, NULL, { { 0 } } },
    { "text-book", "A,B,C,D", "xxh3", 160, 99, NULL,
      { { 5, 42, 71 }, { 18, 55, 88 }, { 30, 63, 95 }, { 20, 50, 80 } } },
};

struct text {
    char   *at;
    size_t  len;
};

static void
add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->at + t->len, ROOM - t->len, format, args);
    va_end(args);
    CHECK(n >= 0 && (size_t)n < ROOM - t->len, "text too long");
    t->len += (size_t)n;
}

static cw_fleet *
fleet_of_ring(size_t i)
{
    cw_fleet *fleet = fleet_of(rings[i].fleet);

    if (rings[i].label != NULL) {
        cw_node node;

        cw_fleet_node(fleet, 0, &node);
        CHECK_OK(cw_fleet_set_label(fleet, node.name, node.name_len,
                                    rings[i].label, strlen(rings[i].label),
                                    NULL));
    }
    for (uint32_t k = 0; k < 4 && rings[i].positions[k][0] != 0; k++) {
        uint32_t n = 0;
        cw_node node;

        while (n < EXPLICIT_MAX && rings[i].positions[k][n] != 0)
            n++;
        cw_fleet_node(fleet, k, &node);
        CHECK_OK(cw_fleet_set_positions(fleet, node.name, node.name_len,
                                        rings[i].positions[k], n, NULL));
    }
    return fleet;
}

/* One node as cases.tsv writes it. */
static void
add_node(struct text *t, const cw_fleet *fleet, uint32_t i)
{
    const uint64_t *at = cw_fleet_positions(fleet, i);
    cw_node node;

    cw_fleet_node(fleet, i, &node);
    add(t, "%s%s|", i > 0 ? " " : "", node.name);
    for (size_t k = 0; k < node.label_len; k++)
        add(t, node.label[k] == ' ' ? "%%%02X" : "%c", node.label[k]);
    add(t, "|%" PRIu64 ".%06" PRIu64 "||%s|", node.weight / CW_WEIGHT_ONE,
        node.weight % CW_WEIGHT_ONE, node.zone);
    for (uint32_t k = 0; k < node.positions; k++)
        add(t, "%s%" PRIu64, k > 0 ? "," : "", at[k]);
}

static void
add_cases(struct text *t, size_t i, const cw_fleet *fleet)
{
    for (int points = 0; points < 2; points++) {
        add(t, "%s%s\talgorithm=ring;hash=%s;points=%" PRIu64, rings[i].name,
            points ? "-points" : "", rings[i].hash, rings[i].points);
        if (rings[i].top != 0)
            add(t, ";size=%" PRIu64, rings[i].top + 1);
        add(t, "\t");
        for (uint32_t k = 0; k < cw_fleet_count(fleet); k++)
            add_node(t, fleet, k);
        add(t, "\t%s%s.tsv\t%s order\n", rings[i].name,
            points ? "-points" : "", points ? "position" : "key");
    }
}

static void
add_order(struct text *t, const struct ref_ring *ring, uint64_t position)
{
    uint32_t order[16];
    uint32_t n = ref_order(ring, position, order);

    for (uint32_t i = 0; i < n; i++)
        add(t, "\t%s", ring->nodes[order[i]].name);
    add(t, "\n");
}

static void
add_keys(struct text *t, const struct ref_ring *ring)
{
    for (uint64_t i = 0; i < KEYS; i++) {
        struct key key = key_numbered(i % 2 ? "key" : "user:", i);
        uint64_t hash;

        if (i == 0)
            key.len = 0;    /* the empty key */
        hash = ref_hash(ring->hash, key.data, key.len);
        if (ring->top != UINT64_MAX)
            hash %= ring->top + 1;
        add(t, "%.*s", (int)key.len, key.data);
        add_order(t, ring, hash);
    }
}

/* The first points of every node (all of a small ring), and the position
 * after each: both sides of a boundary. */
static void
add_points(struct text *t, const struct ref_ring *ring)
{
    for (size_t i = 0; i < ring->point_count && i < 40; i++) {
        uint64_t at = ring->points[i * ring->point_count /
                      (ring->point_count < 40 ? ring->point_count : 40)].at;

        add(t, "%" PRIu64, at);
        add_order(t, ring, at);
        at = at == ring->top ? 0 : at + 1;
        add(t, "%" PRIu64, at);
        add_order(t, ring, at);
    }
}

static int writing;

static void
same_or_write(const struct text *t, const char *name)
{
    char path[256];
    size_t len;
    char *have;

    if (writing) {
        FILE *file;

        (void)snprintf(path, sizeof path, CW_SOURCE_DIR "/" FOLDER "/%s",
                       name);
        file = fopen(path, "wb");
        CHECK(file != NULL && fwrite(t->at, 1, t->len, file) == t->len &&
              fclose(file) == 0, "cannot write %s", path);
        return;
    }
    (void)snprintf(path, sizeof path, FOLDER "/%s", name);
    have = file_read(path, &len);
    CHECK(len == t->len && memcmp(have, t->at, len) == 0,
          "%s is not what the reference says", path);
    free(have);
}

static void
the_files_are_what_the_reference_says(void **state)
{
    struct text cases = { must_alloc(ROOM), 0 };

    (void)state;
    add(&cases, "# case\tplacement\tnodes\tvectors\tcolumns\n");
    for (size_t i = 0; i < COUNT(rings); i++) {
        cw_fleet *fleet = fleet_of_ring(i);
        struct ref_ring *ring = ref_ring_new(fleet, rings[i].hash,
                                             rings[i].points, rings[i].top);
        struct text t = { must_alloc(ROOM), 0 };
        char name[64];

        add_cases(&cases, i, fleet);
        add_keys(&t, ring);
        (void)snprintf(name, sizeof name, "%s.tsv", rings[i].name);
        same_or_write(&t, name);
        t.len = 0;
        add_points(&t, ring);
        (void)snprintf(name, sizeof name, "%s-points.tsv", rings[i].name);
        same_or_write(&t, name);
        free(t.at);
        ref_ring_free(ring);
        cw_fleet_free(fleet);
    }
    same_or_write(&cases, "cases.tsv");
    free(cases.at);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(the_files_are_what_the_reference_says),
    };

    writing = argc == 2 && strcmp(argv[1], "--write") == 0;
    return cmocka_run_group_tests_name("ring_files", tests, NULL, NULL);
}
