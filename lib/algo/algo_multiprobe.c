/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_multiprobe.c - a ring with few points, which each key probes several
 * times.
 *
 * B. Appleton, M. O'Reilly: Multi-probe consistent hashing (2015, arXiv
 * 1505.00062). The key is put on the ring at several positions; the node
 * whose point is nearest clockwise of any of them owns it. 21 probes and one
 * point a node give max/avg of about 1.05, but a min/avg far below 1.
 * docs/formats/multiprobe.md is the exact rule.
 */
#include "core/algo.h"
#include "core/rank.h"

enum { NUM_PROBES, NUM_POINTS };

#define STEP       UINT64_C(0x9e3779b97f4a7c15)
#define PROBES_MAX 64u
#define POINTS_MAX 16777216u

/* State: this head, at[n] in rising order, part[nodes], node[n],
 * first[2^bits + 1]. */
struct multiprobe {
    uint32_t n;             /* points                                       */
    uint32_t nodes;         /* of the map, of any weight                    */
    uint32_t probes;
    uint32_t hash_bits;
    uint32_t bits;          /* first[h]: first point at or above h << shift */
    uint32_t shift;         /* 64 - bits                                    */
};

struct view {
    const struct multiprobe *m;
    const uint64_t          *at;
    const uint64_t          *part;      /* share of a node / 2^64           */
    const uint32_t          *node;
    const uint32_t          *first;
};

static const struct cwi_option multiprobe_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { "probes", "positions looked at for a key", CWI_OPT_UINT, NUM_PROBES, 1,
      PROBES_MAX, "21", NULL },
    { "points", "points per unit of weight", CWI_OPT_UINT, NUM_POINTS, 1, 1000,
      "1", NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static struct view
view_of(const void *state)
{
    struct view v;

    v.m = state;
    v.at = (const uint64_t *)(const void *)(v.m + 1);
    v.part = v.at + v.m->n;
    v.node = (const uint32_t *)(const void *)(v.part + v.m->nodes);
    v.first = v.node + v.m->n;
    return v;
}

static uint64_t
points_of(const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    uint64_t sum = 0;
    uint32_t i;

    for (i = 0; i < nodes->n && sum <= POINTS_MAX; i++)
        sum += cwi_weight_points(nodes->v[i].weight, p->num[NUM_POINTS]);
    return sum;
}

/* At most one point for each entry of first[] in the mean. */
static uint32_t
index_bits(uint64_t n)
{
    uint32_t bits = 1;

    while (n >> bits > 0)
        bits++;
    return bits;
}

static cw_status
multiprobe_plan(const struct cwi_algo_ops *self, const struct cwi_nodes *nodes,
                const struct cwi_placement *p, struct cwi_plan *out,
                cw_error *err)
{
    uint64_t n = points_of(nodes, p);

    if (n > POINTS_MAX)
        return cwi_fail(err, CW_ELIMIT, "\"%s\" takes at most %u points: "
                        "lower `points` or the weights", self->name,
                        (uint64_t)POINTS_MAX);
    out->points = n;
    out->top = p->hash->bits < 64 ? (UINT64_C(1) << p->hash->bits) - 1
                                  : UINT64_MAX;
    out->state = sizeof(struct multiprobe) +
                 (size_t)nodes->n * sizeof(uint64_t) +
                 (size_t)n * (sizeof(uint64_t) + sizeof(uint32_t)) +
                 (((size_t)1 << index_bits(n)) + 1) * sizeof(uint32_t);
    out->scratch = (size_t)n * (sizeof(uint64_t) + 2 * sizeof(uint32_t));
    return CW_OK;
}

/* Points as they are made; equal ones keep that order, smaller node first. */
static int
lower(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *at = context;

    return at[a] != at[b] ? at[a] < at[b] : a < b;
}

static void
fill_index(struct multiprobe *m, const uint64_t *at, uint32_t *first)
{
    uint32_t h, i = 0;

    for (h = 0; h >> m->bits == 0; h++) {
        while (i < m->n && at[i] >> m->shift < h)
            i++;
        first[h] = i;
    }
    first[h] = m->n;
}

/* x^n for a fraction x of 2^64. */
static uint64_t
power(uint64_t x, uint32_t n)
{
    uint64_t y = x;

    while (--n > 0)
        y = cwi_mulhi64(y, x);
    return y;
}

/*
 * The share of a point whose gap (from the point before it) is g: with S(d)
 * the chance that one probe is farther than d from its point, it is the
 * integral of k S(d)^(k - 1) over 0 <= d < g. S is linear between the gaps
 * in rising order, with slope -m where m gaps are larger; so the m points
 * share S^k's fall from one gap to the next evenly.
 */
static void
fill_parts(const struct multiprobe *m, const uint32_t *node,
           const uint64_t *gap, const uint32_t *rising, uint64_t *part)
{
    cwi_u128 below = 0;         /* sum of the gaps so far                   */
    uint64_t high = UINT64_MAX, sum = 0;
    uint32_t i;

    for (i = 0; i < m->n; i++) {
        uint64_t g = gap[rising[i]];
        uint32_t larger = m->n - i;     /* this one among them */
        cwi_u128 covered = below + (cwi_u128)g * larger;
        uint64_t low = covered > UINT64_MAX || m->n == 1 ? 0
                       : power(UINT64_MAX - (uint64_t)covered, m->probes);

        sum += (high - low) / larger;
        part[node[rising[i]]] += sum;
        below += g;
        high = low;
    }
}

static void
multiprobe_build(const struct cwi_algo_ops *self, void *state, void *scratch,
                 const struct cwi_nodes *nodes, const struct cwi_placement *p)
{
    struct multiprobe *m = state;
    uint32_t           n = (uint32_t)points_of(nodes, p), i, k = 0;
    uint64_t          *at = (uint64_t *)(void *)(m + 1);
    uint64_t          *part = at + n;
    uint32_t          *node = (uint32_t *)(void *)(part + nodes->n);
    uint64_t          *raw = scratch, j;
    uint32_t          *owner = (uint32_t *)(void *)(raw + n);
    uint32_t          *order = owner + n;

    (void)self;
    m->n = n;
    m->nodes = nodes->n;
    m->hash_bits = p->hash->bits;
    m->probes = (uint32_t)p->num[NUM_PROBES];
    m->bits = index_bits(n);
    m->shift = 64 - m->bits;
    for (i = 0; i < nodes->n; i++) {
        const struct cwi_node *from = &nodes->v[i];
        uint64_t x = cwi_xxh3(from->label, from->label_len);

        for (j = cwi_weight_points(from->weight, p->num[NUM_POINTS]); j > 0;
             j--) {
            raw[k] = cwi_mix64(x += STEP);
            owner[k++] = i;
        }
    }
    cwi_rank(lower, raw, n, CW_NONE, order, n);
    for (i = 0; i < n; i++) {
        at[i] = raw[order[i]];
        node[i] = owner[order[i]];
    }
    fill_index(m, at, node + n);
    for (i = 0; i < n; i++)
        raw[i] = at[i] - at[i > 0 ? i - 1 : n - 1];
    cwi_rank(lower, raw, n, CW_NONE, order, n);
    fill_parts(m, node, raw, order, part);
}

/* The first point at or after x, going round. */
static inline uint32_t
successor(const struct view *v, uint64_t x)
{
    uint32_t n = v->m->n, i = v->first[x >> v->m->shift];

    /* Half a point in the mean. Two steps without a branch, as nobody
     * foresees them; at[n] is no point, but may be read. */
    i += (uint32_t)(i < n) & (uint32_t)(v->at[i] < x);
    i += (uint32_t)(i < n) & (uint32_t)(v->at[i] < x);
    while (i < n && v->at[i] < x)
        i++;
    return i < n ? i : 0;
}

static uint32_t
multiprobe_find(const void *state, uint64_t at)
{
    struct view v = view_of(state);
    uint64_t    nearest = UINT64_MAX, x = at;
    uint32_t    best = 0, j;

    for (j = v.m->probes; j > 0; j--) {
        uint64_t probe = cwi_mix64(x += STEP);
        uint32_t i = successor(&v, probe);
        uint64_t distance = v.at[i] - probe;

        best = distance < nearest ? i : best;
        nearest = distance < nearest ? distance : nearest;
    }
    return v.node[best];
}

/*
 * All probes walk on at once, the nearest point of any of them next: when the
 * owner leaves, the second node of this order takes over.
 */
static void
multiprobe_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    struct view v = view_of(state);
    uint64_t    probe[PROBES_MAX], x = at;
    uint32_t    place[PROBES_MAX], left[PROBES_MAX], j;

    for (j = 0; j < v.m->probes; j++) {
        probe[j] = cwi_mix64(x += STEP);
        place[j] = successor(&v, probe[j]);
        left[j] = v.m->n;
    }
    for (;;) {
        uint32_t best = CW_NONE;

        for (j = 0; j < v.m->probes; j++)
            if (left[j] > 0 &&
                (best == CW_NONE || v.at[place[j]] - probe[j] <
                                    v.at[place[best]] - probe[best]))
                best = j;
        if (best == CW_NONE || cwi_walk_visit(w, v.node[place[best]]))
            return;
        left[best]--;
        place[best] = place[best] + 1 == v.m->n ? 0 : place[best] + 1;
    }
}

/* Parts are rounded down; what that leaves goes to the largest. */
static void
multiprobe_share(const void *state, cwi_u128 *num)
{
    struct view v = view_of(state);
    cwi_u128    left = (cwi_u128)1 << v.m->hash_bits;
    uint32_t    i, largest = 0;

    for (i = 0; i < v.m->nodes; i++) {
        uint64_t part = v.part[i] >> (64 - v.m->hash_bits);

        num[i] += part;
        left -= part;
        if (v.part[i] > v.part[largest])
            largest = i;
    }
    num[largest] += left;
}

static void
multiprobe_count(const void *state, uint64_t *per_node)
{
    struct view v = view_of(state);
    uint32_t    i;

    for (i = 0; i < v.m->n; i++)
        per_node[v.node[i]]++;
}

static const char *
multiprobe_check(const void *state, const struct cwi_nodes *nodes)
{
    struct view v = view_of(state);
    uint32_t    i;

    for (i = 0; i < v.m->n; i++) {
        if (v.node[i] >= nodes->n || nodes->v[v.node[i]].weight == 0)
            return "multiprobe: a point's node is not active";
        if (i > 0 && v.at[i] < v.at[i - 1])
            return "multiprobe: points are not in order";
        if (v.first[v.at[i] >> v.m->shift] > i)
            return "multiprobe: the index passes a point";
    }
    return v.m->n ? NULL : "multiprobe: no points";
}

const struct cwi_algo_ops cwi_algo_multiprobe = {
    .name = "multiprobe",
    .summary = "one point a node, several probes a key: small, low peak",
    .source = "Appleton, O'Reilly 2015 (arXiv 1505.00062)",
    .traits = CW_TRAIT_ORDER_FREE | CW_TRAIT_MINIMAL | CW_TRAIT_RESTORES |
              CW_TRAIT_WEIGHTED,
    .options = multiprobe_options,
    .plan = multiprobe_plan,
    .build = multiprobe_build,
    .find = multiprobe_find,
    .walk = multiprobe_walk,
    .share = multiprobe_share,
    .count = multiprobe_count,
    .check = CWI_UNLESS_PAGE(multiprobe_check)
};
