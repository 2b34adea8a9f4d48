/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness_rows.c - see harness_rows.h.
 */
#include "harness_rows.h"

static const cw_table tables[] = { CW_TABLE_ALGORITHMS, CW_TABLE_COMPAT };

/* ---- fleets ------------------------------------------------------------ */

struct key
draw_name(struct rng *rng, cw_table table, const cw_fleet *fleet)
{
    struct key name;
    cw_node node;

    do {
        uint64_t n = rng_next(rng);

        if (table == CW_TABLE_COMPAT || rng_below(rng, 2)) {
            memset(&name, 0, sizeof name);
            name.len = (size_t)snprintf(name.data, sizeof name.data,
                                        "10.%u.%u.%u:11211",
                                        (unsigned)(n & 255),
                                        (unsigned)(n >> 8 & 255),
                                        (unsigned)(n >> 16 & 255));
        } else {
            name = key_random(rng);
        }
    } while (name.len == 0 || cw_fleet_find(fleet, name.data, name.len,
                                            &node) == CW_OK);
    return name;
}

uint64_t
weight_unit(const cw_row *row)
{
    /* Its weights are chances. */
    return strcmp(row->name, "mcrouter-wch3") == 0 ? CW_WEIGHT_ONE / 10
                                                   : CW_WEIGHT_ONE;
}

const char *const tied_pairs[TIED_PAIRS][2] = {
    { "n512789", "n749192" },
    { "n512789#0", "n749192#0" },
    { "node601", "node1174" },
    { "127.0.112.19", "127.0.113.51" },
    { "127.0.112.44:11211", "127.0.112.82:11211" },
    { "127.0.110.28:11211", "127.0.111.51:11211" },
    { "21.162.153.218:30103", "78.105.62.95:32211" },
    { "189.102.49.232:31416", "70.245.111.137:26122" },
    { "217.220.194.11:35653", "134.218.85.199:26794" },
    { "87.237.242.117:34045", "200.197.9.134:23817" },
    { "91.187.245.47:24282", "70.9.233.100:32732" },
    { "6.106.72.246:21629", "248.162.74.218:24156" },
    { "146.104.209.193:24026", "68.71.74.4:25887" },
    { "37.61.28.0:23647", "248.72.7.6:31329" },
    { "115.81.9.126:35243", "196.204.174.126:21136" },
    { "251.0.53.64:33744", "132.222.135.232:35545" },
};

int
ties_hidden(const cw_placement *p)
{
    cw_fleet *fleet = fleet_of("10.0.0.1:11211,10.0.0.2:11211");
    cw_map *map = map_of(fleet, p);
    uint64_t top = cw_map_top(map);

    cw_map_unref(map);
    cw_fleet_free(fleet);
    return top > UINT32_MAX;
}

uint64_t
other_weight(const cw_row *row, uint64_t weight)
{
    if (row->traits & CW_TRAIT_WHOLE)
        return weight + CW_WEIGHT_ONE;
    return weight > 1 ? weight - 1 : weight + 1;
}

uint64_t
draw_weight(struct rng *rng, const cw_row *row, const cw_fleet *fleet)
{
    if (!(row->traits & CW_TRAIT_WEIGHTED)) {
        for (uint32_t i = 0; i < cw_fleet_count(fleet); i++) {
            cw_node node;

            cw_fleet_node(fleet, i, &node);
            if (node.weight > 0)
                return node.weight;
        }
        return CW_WEIGHT_ONE;
    }
    if (row->traits & CW_TRAIT_WHOLE)
        return CW_WEIGHT_ONE * (1 + rng_below(rng, 5));
    switch (rng_below(rng, 4)) {
    case 0:
        return weight_unit(row);
    case 1:
        return weight_unit(row) * (1 + rng_below(rng, 5));
    default:
        return 1 + rng_below(rng, 4 * weight_unit(row));
    }
}

cw_fleet *
draw_fleet(struct rng *rng, cw_table table, const cw_row *row, uint32_t most)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    uint32_t n = 1 + (uint32_t)rng_below(rng, most);

    CHECK(fleet != NULL, "no memory");
    for (uint32_t i = 0; i < n; i++) {
        struct key name = draw_name(rng, table, fleet);
        uint64_t weight = i > 0 && rng_below(rng, 12) == 0 ? 0 :
                          draw_weight(rng, row, fleet);
        char zone = (char)('a' + (char)rng_below(rng, 4));

        CHECK_OK(cw_fleet_add(fleet, name.data, name.len, weight, NULL));
        if (zone != 'a')
            CHECK_OK(cw_fleet_set_zone(fleet, name.data, name.len, &zone, 1,
                                       NULL));
    }
    return fleet;
}

uint32_t
active_nodes(const cw_fleet *fleet)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < cw_fleet_count(fleet); i++) {
        cw_node node;

        cw_fleet_node(fleet, i, &node);
        n += node.weight > 0;
    }
    return n;
}

cw_node
draw_node(struct rng *rng, const cw_fleet *fleet)
{
    cw_node node;

    do
        cw_fleet_node(fleet, (uint32_t)rng_below(rng, cw_fleet_count(fleet)),
                      &node);
    while (node.weight == 0);
    return node;
}

/* ---- options ----------------------------------------------------------- */

static void
draw_hash(struct rng *rng, cw_placement *placement)
{
    cw_row hash;
    unsigned n = 0;

    while (cw_table_row(CW_TABLE_HASHES, n, &hash) == CW_OK)
        n++;
    CHECK_OK(cw_table_row(CW_TABLE_HASHES, (unsigned)rng_below(rng, n),
                          &hash));
    if (cw_placement_set(placement, "hash", hash.name, NULL) == CW_OK &&
        hash.keyed)
        CHECK_OK(cw_placement_set(placement, "hash-key",
                                  "000102030405060708090a0b0c0d0e0f", NULL));
}

/* Fewer points than usual in three of four draws, so that they matter, and
 * sometimes another hash. Tables are small, as they are built a thousand
 * times. What a row does not take it refuses. */
static void
draw_options(struct draw *d)
{
    char points[24];

    (void)snprintf(points, sizeof points, "%" PRIu64,
                   1 + rng_below(&d->rng, 40));
    if (rng_below(&d->rng, 4) > 0)
        (void)cw_placement_set(d->placement, "points", points, NULL);
    (void)cw_placement_set(d->placement, "slots", "1024", NULL);
    if (rng_below(&d->rng, 3) == 0)
        draw_hash(&d->rng, d->placement);
}

/* ---- loops ------------------------------------------------------------- */

static void
one(struct draw *d, unsigned round, void (*property)(struct draw *d))
{
    d->rng.state = test_seed() + UINT64_C(0x10001) * round;
    d->placement = placement_of_row(d->table, d->number, &d->row);
    d->fleet = draw_fleet(&d->rng, d->table, &d->row, 10);
    draw_options(d);
    (void)snprintf(d->what, sizeof d->what, "%s, round %u of seed %" PRIu64,
                   d->row.name, round, test_seed());
    property(d);
    cw_placement_free(d->placement);
    cw_fleet_free(d->fleet);
}

/* A row whose smallest map is a large table: a fifth of the fleets will do. */
static int
is_heavy(const struct draw *d)
{
    cw_row row;
    cw_placement *p = placement_of_row(d->table, d->number, &row);
    cw_fleet *fleet = fleet_of("10.0.0.1:11211");
    cw_map *map;
    int heavy;

    (void)cw_placement_set(p, "slots", "1024", NULL);
    map = map_of(fleet, p);
    heavy = cw_map_bytes(map) > 100000;
    cw_map_unref(map);
    cw_fleet_free(fleet);
    cw_placement_free(p);
    return heavy;
}

static unsigned
loop(unsigned mask, unsigned want, unsigned rounds,
     void (*property)(struct draw *d))
{
    unsigned rows = 0, n;

    for (size_t t = 0; t < COUNT(tables); t++) {
        struct draw d;

        memset(&d, 0, sizeof d);
        d.table = tables[t];
        for (d.number = 0; cw_table_row(d.table, d.number, &d.row) == CW_OK;
             d.number++) {
            if ((d.row.traits & mask) != want)
                continue;
            n = rounds > 5 && is_heavy(&d) ? rounds / 5 : rounds;
            for (unsigned round = 0; round < n; round++)
                one(&d, round, property);
            rows++;
        }
    }
    return rows;
}

void
for_rows(unsigned mask, unsigned want, int may_be_none,
         void (*property)(struct draw *d))
{
    unsigned rows = loop(mask, want, FLEETS, property);

    print_message("    %u rows, %d fleets each\n", rows, FLEETS);
    CHECK(rows > 0 || may_be_none, "no row has the traits %#x of %#x", want,
          mask);
}

void
for_rows_once(unsigned mask, unsigned want, void (*property)(struct draw *d))
{
    print_message("    %u rows\n", loop(mask, want, 1, property));
}
