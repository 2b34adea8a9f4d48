/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ref_ring.c - see ref_ring.h.
 */
#include "ref/ref_ring.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- hashes ------------------------------------------------------------ */

static uint64_t
fnv1a_64(const unsigned char *data, size_t len)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        h = (h ^ data[i]) * UINT64_C(1099511628211);
    return h;
}

static uint64_t
fnv1a_32(const unsigned char *data, size_t len)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < len; i++)
        h = (h ^ data[i]) * 16777619u;
    return h;
}

uint64_t
ref_hash(const char *hash, const void *data, size_t len)
{
    if (strcmp(hash, "xxh3") == 0)
        return XXH3_64bits(data, len);
    if (strcmp(hash, "xxh64") == 0)
        return XXH64(data, len, 0);
    if (strcmp(hash, "fnv1a_64") == 0)
        return fnv1a_64(data, len);
    CHECK(strcmp(hash, "fnv1a_32") == 0, "the reference has no hash %s",
          hash);
    return fnv1a_32(data, len);
}

static uint64_t
splitmix_finaliser(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* ---- points ------------------------------------------------------------ */

/* With xxh3 the label is hashed once and point i follows from that; with any
 * other hash the text label, NUL, i (8 bytes, little-endian) is hashed. */
static uint64_t
position_of_point(const char *hash, const struct ref_node *node, uint64_t i)
{
    unsigned char *text;
    uint64_t at;

    if (strcmp(hash, "xxh3") == 0)
        return splitmix_finaliser(ref_hash(hash, node->label, node->label_len)
                                  + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
    text = must_alloc(node->label_len + 9);
    memcpy(text, node->label, node->label_len);
    text[node->label_len] = 0;
    for (int byte = 0; byte < 8; byte++)
        text[node->label_len + 1 + (size_t)byte] =
            (unsigned char)(i >> (8 * byte));
    at = ref_hash(hash, text, node->label_len + 9);
    free(text);
    return at;
}

static uint64_t
number_of_points(uint64_t weight, uint64_t points)
{
    uint64_t n;

    if (weight == 0)
        return 0;
    n = (uint64_t)(((ref_u128)weight * points + 500000) / 1000000);
    return n > 0 ? n : 1;
}

static char *
copy_bytes(const char *bytes, size_t len)
{
    char *copy = must_alloc(len + 1);

    memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}

static void
add_node(struct ref_ring *ring, const cw_node *node, const uint64_t *explicit,
         uint64_t points)
{
    uint32_t number = ring->node_count++;
    struct ref_node *own = &ring->nodes[number];
    uint64_t n = number_of_points(node->weight, points);

    *own = (struct ref_node){
        copy_bytes(node->name, node->name_len),
        copy_bytes(node->label, node->label_len),
        copy_bytes(node->zone, node->zone_len),
        node->name_len, node->label_len, node->zone_len, node->weight
    };
    if (node->weight > 0 && node->positions > 0)
        n = node->positions;
    ring->points = realloc(ring->points, (ring->point_count + (size_t)n + 1) *
                                         sizeof *ring->points);
    CHECK(ring->points != NULL, "no memory");
    for (uint64_t i = 0; i < n; i++) {
        struct ref_point *point = &ring->points[ring->point_count++];

        point->node = number;
        point->at = node->positions > 0 ? explicit[i] :
                    position_of_point(ring->hash, own, i);
        if (ring->top != UINT64_MAX)
            point->at %= ring->top + 1;
    }
}

struct ref_ring *
ref_ring_new(const cw_fleet *fleet, const char *hash, uint64_t points,
             uint64_t top)
{
    struct ref_ring *ring = must_alloc(sizeof *ring);
    uint32_t n = cw_fleet_count(fleet);

    memset(ring, 0, sizeof *ring);
    ring->hash = hash;
    ring->top = top != 0 ? top :
                strcmp(hash, "fnv1a_32") == 0 ? UINT32_MAX : UINT64_MAX;
    ring->nodes = must_alloc(n * sizeof *ring->nodes);
    for (uint32_t i = 0; i < n; i++) {
        cw_node node;

        cw_fleet_node(fleet, i, &node);
        add_node(ring, &node, cw_fleet_positions(fleet, i), points);
    }
    return ring;
}

void
ref_ring_free(struct ref_ring *ring)
{
    for (uint32_t i = 0; i < ring->node_count; i++) {
        free(ring->nodes[i].name);
        free(ring->nodes[i].label);
        free(ring->nodes[i].zone);
    }
    free(ring->nodes);
    free(ring->points);
    free(ring);
}

/* ---- look-up ----------------------------------------------------------- */

static int
bytes_before(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return order != 0 ? order : a_len < b_len ? -1 : a_len > b_len;
}

/* Which of two nodes wins a position that both have. */
static int
wins(const struct ref_node *a, const struct ref_node *b)
{
    int order = bytes_before(a->label, a->label_len, b->label, b->label_len);

    if (order == 0)
        order = bytes_before(a->name, a->name_len, b->name, b->name_len);
    return order < 0;
}

/* Steps clockwise from a position to a point: 0 when it is met at once. */
static uint64_t
steps(const struct ref_ring *ring, uint64_t position, uint64_t at)
{
    return at >= position ? at - position : ring->top - position + at + 1;
}

/* The nearest node clockwise that is not in out[0..n-1]. */
static uint32_t
nearest(const struct ref_ring *ring, uint64_t position, const uint32_t *out,
        uint32_t n)
{
    const struct ref_point *best = NULL;

    for (size_t i = 0; i < ring->point_count; i++) {
        const struct ref_point *point = &ring->points[i];
        uint64_t far = steps(ring, position, point->at);
        uint64_t best_far = best ? steps(ring, position, best->at) : 0;
        int met = 0;

        for (uint32_t j = 0; j < n; j++)
            met |= out[j] == point->node;
        if (met)
            continue;
        if (best == NULL || far < best_far ||
            (far == best_far &&
             wins(&ring->nodes[point->node], &ring->nodes[best->node])))
            best = point;
    }
    return best != NULL ? best->node : CW_NONE;
}

uint32_t
ref_owner(const struct ref_ring *ring, uint64_t position)
{
    return nearest(ring, position, NULL, 0);
}

uint32_t
ref_order(const struct ref_ring *ring, uint64_t position, uint32_t *out)
{
    uint32_t n = 0;

    for (;;) {
        uint32_t node = nearest(ring, position, out, n);

        if (node == CW_NONE)
            return n;
        out[n++] = node;
    }
}

static int
same_zone(const struct ref_node *a, const struct ref_node *b)
{
    return a->zone_len > 0 && a->zone_len == b->zone_len &&
           memcmp(a->zone, b->zone, a->zone_len) == 0;
}

uint32_t
ref_replicas(const struct ref_ring *ring, uint64_t position, uint32_t *out,
             uint32_t r)
{
    uint32_t *order = must_alloc(ring->node_count * sizeof *order);
    uint32_t all = ref_order(ring, position, order);
    uint32_t n = 0;

    for (uint32_t i = 0; i < all && n < r; i++) {
        int zone_used = 0;

        for (uint32_t j = 0; j < n; j++)
            zone_used |= same_zone(&ring->nodes[out[j]],
                                   &ring->nodes[order[i]]);
        if (!zone_used)
            out[n++] = order[i];
    }
    for (uint32_t i = 0; i < all && n < r; i++) {
        int taken = 0;

        for (uint32_t j = 0; j < n; j++)
            taken |= out[j] == order[i];
        if (!taken)
            out[n++] = order[i];
    }
    free(order);
    return n;
}

/* ---- shares and movement ----------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Every last position of an arc of either ring, and the top, in order; the
 * owner of all positions from one to the next is that of the next. */
static uint64_t *
boundaries(const struct ref_ring *a, const struct ref_ring *b, size_t *n)
{
    size_t room = a->point_count + (b != NULL ? b->point_count : 0) + 1;
    uint64_t *at = must_alloc(room * sizeof *at);

    *n = 0;
    for (size_t i = 0; i < a->point_count; i++)
        if (a->points[i].at <= a->top)
            at[(*n)++] = a->points[i].at;
    for (size_t i = 0; b != NULL && i < b->point_count; i++)
        if (b->points[i].at <= b->top)
            at[(*n)++] = b->points[i].at;
    at[(*n)++] = a->top;
    qsort(at, *n, sizeof *at, by_value);
    return at;
}

/* Positions in the stretch that ends at boundary i. */
static uint64_t
stretch(const uint64_t *at, size_t i)
{
    return i == 0 ? at[0] : at[i] - at[i - 1];
}

void
ref_shares(const struct ref_ring *ring, ref_u128 *num)
{
    size_t n;
    uint64_t *at = boundaries(ring, NULL, &n);

    for (uint32_t i = 0; i < ring->node_count; i++)
        num[i] = 0;
    /* Position 0 has no boundary before it and is counted on its own. */
    num[ref_owner(ring, 0)]++;
    for (size_t i = 0; i < n; i++)
        num[ref_owner(ring, at[i])] += stretch(at, i);
    free(at);
}

static int
same_name(const struct ref_ring *a, uint32_t i, const struct ref_ring *b,
          uint32_t j)
{
    return a->nodes[i].name_len == b->nodes[j].name_len &&
           memcmp(a->nodes[i].name, b->nodes[j].name,
                  a->nodes[i].name_len) == 0;
}

static int
same_label(const struct ref_node *a, const struct ref_node *b)
{
    return a->label_len == b->label_len &&
           memcmp(a->label, b->label, a->label_len) == 0;
}

static int
name_is_in(const struct ref_ring *ring, const struct ref_node *node)
{
    for (uint32_t i = 0; i < ring->node_count; i++)
        if (ring->nodes[i].name_len == node->name_len &&
            memcmp(ring->nodes[i].name, node->name, node->name_len) == 0)
            return 1;
    return 0;
}

/* Which node of a is node j of b: that of its name; else, for a renamed one,
 * that of its label. Where several have one label, the first by name. */
static uint32_t
former(const struct ref_ring *a, const struct ref_ring *b, uint32_t j)
{
    const struct ref_node *node = &b->nodes[j];
    uint32_t best = CW_NONE;

    for (uint32_t i = 0; i < a->node_count; i++)
        if (same_name(a, i, b, j))
            return i;
    for (uint32_t k = 0; k < b->node_count; k++)
        if (k != j && !name_is_in(a, &b->nodes[k]) &&
            same_label(&b->nodes[k], node) && wins(&b->nodes[k], node))
            return CW_NONE;
    for (uint32_t i = 0; i < a->node_count; i++)
        if (!name_is_in(b, &a->nodes[i]) && same_label(&a->nodes[i], node) &&
            (best == CW_NONE || wins(&a->nodes[i], &a->nodes[best])))
            best = i;
    return best;
}

ref_u128
ref_moved(const struct ref_ring *a, const struct ref_ring *b)
{
    size_t n;
    uint64_t *at = boundaries(a, b, &n);
    ref_u128 moved = former(a, b, ref_owner(b, 0)) != ref_owner(a, 0);

    CHECK(a->top == b->top, "rings of two sizes");
    for (size_t i = 0; i < n; i++)
        if (former(a, b, ref_owner(b, at[i])) != ref_owner(a, at[i]))
            moved += stretch(at, i);
    free(at);
    return moved;
}

ref_u128
ref_flow(const struct ref_ring *a, uint32_t from, const struct ref_ring *b,
         uint32_t to)
{
    size_t n;
    uint64_t *at = boundaries(a, b, &n);
    ref_u128 flow = ref_owner(a, 0) == from && ref_owner(b, 0) == to;

    CHECK(a->top == b->top, "rings of two sizes");
    for (size_t i = 0; i < n; i++)
        if (ref_owner(a, at[i]) == from && ref_owner(b, at[i]) == to)
            flow += stretch(at, i);
    free(at);
    return flow;
}
