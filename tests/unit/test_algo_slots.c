/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_algo_slots.c - the row "slots": the vectors of docs/formats/slots.md,
 * the definition over all sorted pairs, and what it promises.
 */
#include "algo_rig.h"

#include <math.h>

#include "algo/slots.h"

/* "slots" with so many, under the default cap or (slack >= 0) a fixed one. */
static cw_map *
slots_map(cw_fleet *fleet, unsigned k, int slack)
{
    char        size[16], thousandths[16];
    const char *options[] = { "algorithm", "slots", "slots", size, "cap",
                              slack < 0 ? "sqrt" : "fixed", "slack",
                              thousandths, NULL };

    snprintf(size, sizeof(size), "%u", 1u << k);
    snprintf(thousandths, sizeof(thousandths), "%d", slack < 0 ? 0 : slack);
    return rig_map(fleet, options);
}

/* Owner of slot s of 2^k. */
static uint32_t
slot_owner(const cw_map *map, unsigned k, uint32_t s)
{
    return rig_find(map, (uint64_t)s << (64 - k));
}

/* ---- vectors ----------------------------------------------------------- */

static const struct rig_node abcd[] = {
    { "c", 2000000 }, { "a", 1000000 }, { "b", 1000000 }, { "d", 1000000 }
};

static void
assert_owners(uint32_t nodes, unsigned k, int slack, const char *expected)
{
    cw_map  *map = slots_map(rig_fleet(abcd, nodes), k, slack);
    uint32_t s;

    for (s = 0; s < 1u << k; s++)
        assert_int_equal(*rig_name(map, slot_owner(map, k, s)), expected[s]);
    cw_map_unref(map);
}

static void
published_tables(void **state)
{
    (void)state;
    assert_owners(3, 3, 0, "bccacabc");
    assert_owners(3, 3, -1, "bccccabc");
    assert_owners(3, 6, -1, "abcacababaccbccaccccccaccabbcbbbcbccacaaccbcabcb"
                            "acacccccccbcccab");
    assert_owners(3, 6, 50, "abcacababaccbccaccccccaccabbcbbbcbccacaaccbcabcb"
                            "acacccccccbcccab");
    assert_owners(3, 6, 0, "abcacababaccbccaccccccaccabbbbbbcbcaacaaccbcabcb"
                           "acacccccccbcccab");
    assert_owners(4, 6, -1, "abcacadabaccbccdccccccadcdbbdbbdcbddacaaccbcabcd"
                            "acacdcccdcddccdb");
    assert_owners(4, 6, 50, "abcacadabaccbccdccccccadcdbbdbbdcbddacaaccbcabcd"
                            "acacdcccdcddccdb");
}

/*
 * node-0 .. node-(n-1), weight 1 + i mod 5: owners joined by commas. SHA-256
 * of the same texts begins 1b26d6d30c7f5166, 94323675aeb1695c and
 * 091452a767cbe869; here their xxh3.
 */
static void
assert_text_hash(unsigned k, uint32_t n, int slack, uint64_t expected)
{
    cw_map  *map = slots_map(rig_numbered(n, 5), k, slack);
    char    *text = malloc(16u << k);
    size_t   len = 0;
    uint32_t s;

    assert_non_null(text);
    for (s = 0; s < 1u << k; s++)
        len += (size_t)snprintf(text + len, 16, "%s%s", s ? "," : "",
                                rig_name(map, slot_owner(map, k, s)));
    assert_int_equal(cwi_xxh3(text, len), expected);
    free(text);
    cw_map_unref(map);
}

static void
published_checksums(void **state)
{
    (void)state;
    assert_text_hash(10, 20, 10, UINT64_C(0x57e7752d8a96b4d1));
    assert_text_hash(12, 50, 0, UINT64_C(0xa0afbccc8f276e03));
    assert_text_hash(12, 30, -1, UINT64_C(0xc232e88f2f2392dd));
}

/* Constants and ranks of two nodes. */
static void
published_ranks(void **state)
{
    static const struct slots_node a = {
        .a = 0x57d558fc, .m1 = 0x55889301, .m2 = 0x0c379c7f,
        .m3 = 0x553a8d61, .m4 = 0xe4cad2dd
    };
    struct slots_shape k16 = cwi_slots_shape(16), k3 = cwi_slots_shape(3);

    (void)state;
    assert_int_equal(cwi_slots_rank(k16, &a, 0), 0x10dbe81a);
    assert_int_equal(cwi_slots_rank(k16, &a, 1), 0x34f7dcce);
    assert_int_equal(cwi_slots_rank(k16, &a, 65535), 0xac61e0c0);
    assert_int_equal(cwi_slots_score(k16, &a, 0), -33093529);
    assert_int_equal(cwi_slots_rank(k3, &a, 0), 0x7d034752);
    assert_int_equal(cwi_slots_score(k3, &a, 0), -810827);
    assert_int_equal(cwi_slots_score(k3, &a, 3), -13279532);
}

static void
levels_are_permutations(void **state)
{
    static const struct slots_node b = {
        .a = 0xe9330c83, .m1 = 0xf160b563, .m2 = 0xf4ce9c4b,
        .m3 = 0xba81527f, .m4 = 0x63bf42d1
    };
    uint8_t *met = calloc(1u << 20, 1);
    unsigned k;

    (void)state;
    assert_non_null(met);
    for (k = 3; k <= 20; k++) {
        struct slots_shape shape = cwi_slots_shape(k);
        uint32_t           s;

        memset(met, 0, 1u << k);
        for (s = 0; s < 1u << k; s++) {
            uint32_t x = cwi_slots_level(shape, &b, s);

            assert_true(x < 1u << k);
            assert_false(met[x]);
            met[x] = 1;
        }
    }
    free(met);
}

/* ---- the definition ---------------------------------------------------- */

struct pair {
    int32_t  v;
    uint32_t r, s, i;
    uint64_t id;
};

static int
pair_order(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    if (x->v != y->v)
        return x->v > y->v ? -1 : 1;
    if (x->r != y->r)
        return x->r > y->r ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* All pairs, sorted; accepted while slot and node have room. */
static void
deal_plainly(const struct slots_node *node, uint32_t n, unsigned k,
             uint16_t *owner)
{
    struct slots_shape shape = cwi_slots_shape(k);
    uint32_t           slots = 1u << k, s, i;
    uint32_t          *load = calloc(n, sizeof(*load));
    struct pair       *pair = calloc((size_t)n * slots, sizeof(*pair));
    size_t             p = 0, j;

    assert_true(load != NULL && pair != NULL);
    for (i = 0; i < n; i++) {
        for (s = 0; s < slots; s++, p++) {
            pair[p].r = cwi_slots_rank(shape, &node[i], s);
            pair[p].v = cwi_gum(pair[p].r) + node[i].lift;
            pair[p].s = s;
            pair[p].i = i;
            pair[p].id = node[i].id;
        }
    }
    qsort(pair, p, sizeof(*pair), pair_order);
    for (s = 0; s < slots; s++)
        owner[s] = SLOTS_NOBODY;
    for (j = 0; j < p; j++) {
        i = pair[j].i;
        if (owner[pair[j].s] != SLOTS_NOBODY || load[i] == node[i].cap)
            continue;
        owner[pair[j].s] = (uint16_t)node[i].number;
        load[i]++;
    }
    free(pair);
    free(load);
}

/* Nodes with random constants; weights of kind 0: one, 1: 1..10, 2: wild. */
static void
random_nodes(struct slots_node *node, uint32_t n, unsigned k, int kind,
             unsigned slack, uint64_t *x)
{
    uint64_t total = 0;
    uint32_t i;

    for (i = 0; i < n; i++) {
        struct slots_node *p = &node[i];
        uint64_t           z = rig_hash((*x)++);

        p->number = i;
        p->id = z;
        p->a = (uint32_t)rig_hash((*x)++);
        p->m1 = (uint32_t)rig_hash((*x)++) | 1;
        p->m2 = (uint32_t)rig_hash((*x)++) | 1;
        p->m3 = (uint32_t)rig_hash((*x)++) | 1;
        p->m4 = (uint32_t)rig_hash((*x)++) | 1;
        p->weight = kind == 0 ? 1 : kind == 1 ? 1 + z % 10
                    : 1 + (rig_hash((*x)++) >> (24 + z % 40));
        p->lift = cwi_log_weight(p->weight);
        total += p->weight;
    }
    for (i = 0; i < n; i++) {
        double share = ldexp(1, (int)k) * (double)node[i].weight /
                       (double)total;

        node[i].cap = (uint32_t)ceil(share * (1 + slack / 1000.0)) + 1;
    }
}

static void
same_as_the_definition(void **state)
{
    static const unsigned slacks[] = { 0, 5, 50, 300 };
    static uint16_t       fast[1u << 13], plain[1u << 13];
    struct slots_node    *node = calloc(600, sizeof(*node));
    uint64_t              x = 0;
    unsigned              run;

    (void)state;
    assert_non_null(node);
    for (run = 0; run < 120; run++) {
        unsigned k = 3 + run % 11;
        uint32_t n = 1 + (uint32_t)(rig_hash(x++) % (run % 3 ? 40 : 500));
        int      kind = (int)(rig_hash(x++) % 3);
        void    *scratch;

        n = n > 1u << k ? 1u << k : n;
        random_nodes(node, n, k, kind, slacks[run % 4], &x);
        scratch = malloc(cwi_slots_scratch(n, k));
        assert_non_null(scratch);
        memset(scratch, 0xa5, cwi_slots_scratch(n, k));
        cwi_slots_deal(node, n, k, kind == 0, fast, scratch);
        deal_plainly(node, n, k, plain);
        assert_memory_equal(fast, plain, sizeof(*fast) << k);
        /* The way for unequal weights gives equal ones the same. */
        if (kind == 0) {
            cwi_slots_deal(node, n, k, 0, fast, scratch);
            assert_memory_equal(fast, plain, sizeof(*fast) << k);
        }
        free(scratch);
    }
    free(node);
}

/* ---- promises ---------------------------------------------------------- */

/* Excess churn of adding one node to n, over all slots, per ideal move. */
struct churn {
    double worst;       /* max / fair of the larger map                     */
    double excess;
};

static struct churn
add_one(uint32_t n, uint32_t weights, unsigned k)
{
    cw_map      *old = slots_map(rig_numbered(n, weights), k, -1);
    cw_map      *new = slots_map(rig_numbered(n + 1, weights), k, -1);
    struct churn churn = { 0, 0 };
    cw_shares   *shares;
    cw_diff     *diff;

    assert_int_equal(cw_shares_new(new, &shares), CW_OK);
    assert_int_equal(shares->basis, CW_EXACT);
    assert_int_equal(cw_diff_new(old, new, &diff), CW_OK);
    assert_int_equal(diff->basis, CW_EXACT);
    churn.worst = shares->balance.max_avg;
    churn.excess = diff->excess_churn / diff->ideal;
    cw_shares_free(shares);
    cw_diff_free(diff);
    cw_map_unref(old);
    cw_map_unref(new);
    return churn;
}

static void
balance_and_churn(void **state)
{
    struct churn c = add_one(10, 1, 18);

    (void)state;
    assert_true(c.worst < 1.0115 && c.excess < 0.002);
    c = add_one(100, 1, 18);
    assert_true(c.worst < 1.0313 && c.excess < 0.01);
    c = add_one(100, 10, 18);
    assert_true(c.worst < 1.08 && c.excess < 0.01);
    c = add_one(1000, 1, 20);
    assert_true(c.worst < 1.0485 && c.excess < 0.03);
}

/*
 * The same from keys that are routed: load and moves are those of the arcs, as
 * far as so many keys can tell. With n nodes a node's count of keys has a
 * standard error of sqrt(n / KEYS) of itself.
 */
#define KEYS 2000000u

static void
routed(uint32_t n, double most_over_avg, double most_excess)
{
    cw_map   *old = slots_map(rig_numbered(n, 1), 18, -1);
    cw_map   *new = slots_map(rig_numbered(n + 1, 1), 18, -1);
    uint32_t *count = calloc(n, sizeof(*count)), i, most = 0;
    uint32_t  to_new = 0, strange = 0;
    char      newest[32], key[32];

    assert_non_null(count);
    (void)snprintf(newest, sizeof(newest), "node-%u", n);
    for (i = 0; i < KEYS; i++) {
        int      len = snprintf(key, sizeof(key), "user:%u", i);
        uint32_t a = 0, b = 0;

        assert_int_equal(cw_map_owner(old, key, (size_t)len, &a), CW_OK);
        assert_int_equal(cw_map_owner(new, key, (size_t)len, &b), CW_OK);
        count[a]++;
        most = count[a] > most ? count[a] : most;
        if (strcmp(rig_name(new, b), newest) == 0)
            to_new++;
        else
            strange += strcmp(rig_name(old, a), rig_name(new, b)) != 0;
    }
    print_message("%u nodes, %u keys: max/avg %.4f, excess churn %.2f %% of "
                  "the ideal\n", n, KEYS, (double)most * n / KEYS,
                  100.0 * strange / to_new);
    assert_true((double)most * n / KEYS <=
                most_over_avg * (1 + 4 * sqrt((double)n / KEYS)));
    assert_true(strange <= most_excess * to_new);
    free(count);
    cw_map_unref(old);
    cw_map_unref(new);
}

static void
balance_and_churn_of_keys(void **state)
{
    (void)state;
    routed(10, 1.0066, 0.001);
    routed(100, 1.0296, 0.006);
    routed(1000, 1.0948, 0.03);
}

static void
orders(void **state)
{
    cw_map *map = slots_map(rig_numbered(300, 5), 12, -1);

    (void)state;
    rig_check_orders(map, 60);
    cw_map_unref(map);
    map = slots_map(rig_numbered(1, 1), 3, -1);
    rig_check_orders(map, 20);
    cw_map_unref(map);
}

/* A hash of 32 bits is cut at its own top. */
static void
short_hashes(void **state)
{
    static const char *const fnv[] = { "algorithm", "slots", "hash",
                                       "fnv1a_32", "slots", "64", NULL };
    cw_map                  *map = rig_map(rig_fleet(abcd, 3), fnv);
    uint32_t                 s;

    (void)state;
    for (s = 0; s < 64; s++)
        assert_int_equal(rig_find(map, (uint64_t)s << 26),
                         rig_find(map, ((uint64_t)s << 26) + 0x3ffffff));
    assert_string_equal(rig_owner(map, 0), "a");
    assert_string_equal(rig_owner(map, 0xffffffff), "b");
    assert_string_equal(rig_owner(map, 0xfbffffff), "a");
    cw_map_unref(map);
}

static int
count_arc(void *context, const cw_arc *arc)
{
    uint64_t *next = context;

    assert_int_equal(arc->first, *next);
    assert_int_equal(arc->from, arc->to);
    *next = arc->last + 1;
    return 0;
}

static void
arcs_cover_all(void **state)
{
    cw_map  *map = slots_map(rig_numbered(7, 3), 8, -1);
    uint64_t next = 0;
    int      stopped = 1;

    (void)state;
    assert_int_equal(cw_map_arcs(map, count_arc, &next, &stopped), CW_OK);
    assert_int_equal(next, 0);
    assert_int_equal(stopped, 0);
    cw_map_unref(map);
}

static void
refusals(void **state)
{
    static const char *const odd[] = { "algorithm", "slots", "slots", "100",
                                       NULL };
    static const char *const few[] = { "algorithm", "slots", "slots", "8",
                                       NULL };
    cw_fleet                *fleet = rig_numbered(9, 1);
    cw_map                  *map = NULL;
    cw_error                 err;

    (void)state;
    assert_int_equal(rig_try(fleet, odd, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "64 and 128"));
    assert_int_equal(rig_try(fleet, few, &map, &err), CW_EINVAL);
    assert_non_null(strstr(err.text, "9 nodes"));
    assert_null(map);
    assert_int_equal(cw_fleet_set_weight(fleet, "node-3", 6, 0, NULL), CW_OK);
    map = rig_map(fleet, few);
    cw_map_unref(map);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_ranks),
        cmocka_unit_test(published_tables),
        cmocka_unit_test(published_checksums),
        cmocka_unit_test(levels_are_permutations),
        cmocka_unit_test(same_as_the_definition),
        cmocka_unit_test(balance_and_churn),
        cmocka_unit_test(balance_and_churn_of_keys),
        cmocka_unit_test(orders),
        cmocka_unit_test(short_hashes),
        cmocka_unit_test(arcs_cover_all),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
