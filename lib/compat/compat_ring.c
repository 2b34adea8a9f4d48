/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_ring.c - plan and build of every ring-shaped row, from the facts in
 * its struct cwi_compat_ring.
 */
#include <string.h>

#include "core/compat.h"
#include "core/points.h"

/* Texts hashed at once, where a row's points are words of an MD5. */
#define BATCH 16u

size_t
cwi_decimal(uint64_t i, uint8_t *out)
{
    uint8_t digits[20];
    size_t n = 0;

    do {
        digits[n++] = (uint8_t)('0' + i % 10);
        i /= 10;
    } while (i > 0);
    for (size_t k = 0; k < n; k++)
        out[k] = digits[n - 1 - k];
    return n;
}

static const struct cwi_compat_ring *
ring_of(const struct cwi_algo_ops *self, const struct cwi_placement *p,
        const struct cwi_nodes *nodes)
{
    /* A compat row begins with its algorithm. */
    const struct cwi_compat_ops *row = (const struct cwi_compat_ops *)self;

    return row->choose != NULL ? row->choose(p, nodes) : row->ring;
}

static uint64_t
top_of(const struct cwi_compat_ring *ring, const struct cwi_placement *p)
{
    return ring->top_of != NULL ? ring->top_of(p) : ring->top;
}

static uint64_t
label_count(const struct cwi_compat_ring *ring, const struct cwi_placement *p,
            const struct cwi_nodes *nodes, uint32_t node)
{
    if (nodes->v[node].weight == 0)
        return 0;
    if (ring->labels != NULL)
        return ring->labels(p, nodes, node);
    return cwi_weight_points(nodes->v[node].weight,
                             (p->num[0] + ring->per_label - 1) /
                                 ring->per_label);
}

static uint64_t
point_count(const struct cwi_compat_ring *ring, const struct cwi_placement *p,
            const struct cwi_nodes *nodes, uint32_t node)
{
    uint64_t n;

    if (nodes->v[node].weight == 0)
        return 0;
    if (nodes->v[node].position_count > 0)
        return nodes->v[node].position_count;
    n = label_count(ring, p, nodes, node);
    return n > UINT64_MAX / ring->per_label ? UINT64_MAX
                                            : n * ring->per_label;
}

/* ---- plan -------------------------------------------------------------- */

static cw_status
check_positions(const struct cwi_node *n, uint64_t top, cw_error *err)
{
    for (uint32_t k = 0; k < n->position_count; k++) {
        if (n->positions[k] > top)
            return cwi_fail(err, CW_EINVAL,
                            "node %n: position %u is outside the ring; "
                            "expected 0 to %u", n->name, (size_t)n->name_len,
                            n->positions[k], top);
    }
    return CW_OK;
}

/* Points in all; CW_EINVAL for none, CW_ELIMIT for too many. */
static cw_status
count_points(const struct cwi_algo_ops *self,
             const struct cwi_compat_ring *ring,
             const struct cwi_placement *p, const struct cwi_nodes *nodes,
             uint64_t *total, cw_error *err)
{
    uint64_t sum = 0, most = 0;
    uint32_t largest = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        uint64_t n = point_count(ring, p, nodes, i);

        if (n > most) {
            most = n;
            largest = i;
        }
        sum = n > UINT64_MAX - sum ? UINT64_MAX : sum + n;
    }
    *total = sum;
    if (sum == 0)
        return cwi_fail(err, CW_EINVAL, "no node has a point in \"%s\"",
                        self->name);
    if (sum > CWI_POINTS_MAX)
        return cwi_fail(err, CW_ELIMIT,
                        "%u points are more than the %u that a ring holds; "
                        "node %n has the most, %u", sum, CWI_POINTS_MAX,
                        nodes->v[largest].name,
                        (size_t)nodes->v[largest].name_len, most);
    return CW_OK;
}

/*
 * What the build needs behind the points in scratch: the numbers of the nodes
 * in the order of their ties, as many again to sort them, BATCH labels.
 */
struct extra {
    uint32_t *order;
    uint32_t *spare;
    uint8_t  *label;
    size_t    bytes;
};

/* Where it begins. */
static size_t
behind(const struct cwi_plan *points)
{
    return (points->scratch + 7) & ~(size_t)7;
}

static struct extra
extra_at(uint8_t *at, const struct cwi_nodes *nodes)
{
    size_t numbers = (size_t)nodes->n * sizeof(uint32_t);
    struct extra x;
    size_t longest = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].label_len > longest)
            longest = nodes->v[i].label_len;
    }
    x.bytes = 2 * numbers + CWI_TEXT_ROOM(longest);
    x.order = (uint32_t *)(void *)at;
    x.spare = at != NULL ? x.order + nodes->n : NULL;
    x.label = at != NULL ? at + 2 * numbers : NULL;
    return x;
}

cw_status
cwi_compat_ring_plan(const struct cwi_algo_ops *self,
                     const struct cwi_nodes *nodes,
                     const struct cwi_placement *p, struct cwi_plan *out,
                     cw_error *err)
{
    const struct cwi_compat_ring *ring = ring_of(self, p, nodes);
    uint64_t n = 0, top = top_of(ring, p);
    cw_status st = CW_OK;

    if (!(self->traits & CW_TRAIT_WEIGHTED))
        st = cwi_equal_weights(self, nodes, err);
    if (st == CW_OK)
        st = count_points(self, ring, p, nodes, &n, err);
    for (uint32_t i = 0; i < nodes->n && st == CW_OK; i++)
        st = check_positions(&nodes->v[i], top, err);
    if (st != CW_OK)
        return st;
    st = cwi_points_plan(n, nodes->n, out);
    if (st != CW_OK)
        return cwi_fail(err, st, "%u points do not fit the address space", n);
    out->top = top;
    out->scratch = behind(out) + extra_at(NULL, nodes).bytes;
    return CW_OK;
}

/* ---- build ------------------------------------------------------------- */

/* The first n points of one node by MD5, BATCH labels at once. */
static void
md5_points(const struct cwi_compat_ring *ring, const struct cwi_placement *p,
           struct cwi_label *l, uint64_t n, uint8_t *text,
           struct cwi_point *out)
{
    size_t room = 2 * l->node_len + 64, head, len;
    uint64_t labels = n / ring->per_label;
    struct cwi_text_ref ref[BATCH];
    uint32_t words[BATCH][4];

    head = ring->md5_head(p, l, text);
    for (size_t k = 0; k < BATCH; k++) {
        ref[k].data = text + k * room;
        if (k > 0)
            memcpy(text + k * room, text, head);
    }
    for (l->i = 0; l->i < labels;) {
        len = labels - l->i < BATCH ? (size_t)(labels - l->i) : BATCH;
        for (size_t k = 0; k < len; k++, l->i++)
            ref[k].len = head + cwi_decimal(l->i, text + k * room + head);
        cwi_md5_many(ref, len, words);
        for (size_t k = 0; k < len; k++) {
            for (unsigned j = 0; j < ring->per_label; j++)
                *out++ = (struct cwi_point){ words[k][j], l->index };
        }
    }
}

/* The first n points of a node, whole labels, where the program has them. */
static void
own_points(const struct cwi_compat_ring *ring, const struct cwi_placement *p,
           const struct cwi_node *node, uint32_t number, uint64_t n,
           uint8_t *text, struct cwi_point *out)
{
    struct cwi_label l = { node->label, node->label_len, 0, number };
    uint64_t at[8];

    if (node->position_count > 0) {
        for (uint64_t k = 0; k < n; k++)
            out[k] = (struct cwi_point){ node->positions[k], number };
    } else if (ring->md5_head != NULL) {
        md5_points(ring, p, &l, n, text, out);
    } else {
        for (; l.i < n / ring->per_label; l.i++) {
            ring->points(p, &l, text, at);
            for (unsigned k = 0; k < ring->per_label; k++)
                *out++ = (struct cwi_point){ at[k], number };
        }
    }
}

/* The same where the look-up needs them, as far as that depends on the
 * point alone: strictly after a hash is at or after the next one. */
static void
node_points(const struct cwi_compat_ring *ring, const struct cwi_placement *p,
            const struct cwi_node *node, uint32_t number, uint64_t n,
            uint8_t *text, struct cwi_point *out)
{
    own_points(ring, p, node, number, n, text, out);
    for (uint64_t k = 0; k < n && ring->search == CWI_AFTER; k++)
        out[k].at = out[k].at == 0 ? top_of(ring, p) : out[k].at - 1;
}

/*
 * Where a point must stand so that "first point at or after" gives what the
 * program's search gives; next is the position of the point after it.
 */
static uint64_t
moved(enum cwi_search search, uint64_t at, uint64_t next, uint64_t top)
{
    uint64_t gap = next >= at ? next - at : top - at + next + 1;
    uint64_t by = search == CWI_NEAREST ? gap / 2 : gap - 1;

    if (gap == 0)
        return at;
    return by > top - at ? by - (top - at) - 1 : at + by;
}

/*
 * Move each sorted point for the search rule, into scratch. Of equal points
 * the last one reaches on to the next position, the first one stays and owns
 * what lies before it.
 */
static void
move_points(enum cwi_search search, const void *state, uint64_t n,
            uint64_t top, struct cwi_point *raw)
{
    for (uint64_t i = 0; i < n; i++) {
        struct cwi_point x = cwi_points_at(state, i);
        uint64_t next = cwi_points_at(state, i + 1 == n ? 0 : i + 1).at;

        if (search == CWI_NO_WRAP)
            x.at = i + 1 == n ? top : x.at;
        else if (search == CWI_AT_OR_BEFORE && i + 1 < n && x.at == next)
            x.at = x.at == 0 ? top : x.at - 1;
        else
            x.at = moved(search, x.at, next, top);
        raw[i] = x;
    }
}

static void
reverse(struct cwi_point *p, uint64_t n)
{
    for (uint64_t i = 0; i < n / 2; i++) {
        struct cwi_point x = p[i];

        p[i] = p[n - 1 - i];
        p[n - 1 - i] = x;
    }
}

/* Of each run of equal points the one whose turn it is comes first. */
static void
turn_points(struct cwi_point *raw, uint64_t n)
{
    for (uint64_t i = 0, run; i < n; i += run) {
        uint64_t first;

        for (run = 1; i + run < n && raw[i + run].at == raw[i].at;)
            run++;
        first = raw[i].at % run;
        reverse(raw + i, first);
        reverse(raw + i + first, run - first);
        reverse(raw + i, run);
    }
}

void
cwi_compat_ring_sort(enum cwi_search search, void *state, void *scratch,
                     uint64_t n, uint32_t nodes, uint64_t top)
{
    cwi_points_build(state, scratch, n, nodes, top);
    if (search == CWI_AT_OR_AFTER || search == CWI_AFTER)
        return;
    move_points(search, state, n, top, cwi_points_raw(scratch));
    cwi_points_again(state);
    cwi_points_build(state, scratch, n, nodes, top);
}

void
cwi_compat_ring_build(const struct cwi_algo_ops *self, void *state,
                      void *scratch, const struct cwi_nodes *nodes,
                      const struct cwi_placement *p)
{
    const struct cwi_compat_ring *ring = ring_of(self, p, nodes);
    struct cwi_point *end = cwi_points_raw(scratch);
    uint64_t n = 0, count, top = top_of(ring, p);
    struct cwi_plan plan;
    struct extra x;

    for (uint32_t i = 0; i < nodes->n; i++)
        n += point_count(ring, p, nodes, i);
    cwi_points_plan(n, nodes->n, &plan);
    x = extra_at((uint8_t *)scratch + behind(&plan), nodes);
    cwi_order_nodes(x.order, x.spare, nodes, ring->before);
    for (uint32_t i = 0; i < nodes->n; i++) {
        uint32_t k = ring->tie == CWI_TIE_LAST ? nodes->n - 1 - i : i;

        /* Winners of ties hand over their points first. */
        k = x.order[k];
        count = point_count(ring, p, nodes, k);
        node_points(ring, p, &nodes->v[k], k, count, x.label, end);
        end += count;
    }
    cwi_compat_ring_sort(ring->search, state, scratch, n, nodes->n, top);
    if (ring->tie == CWI_TIE_TURN) {
        cwi_points_all(state, cwi_points_raw(scratch));
        turn_points(cwi_points_raw(scratch), n);
        cwi_points_again(state);
        cwi_points_build(state, scratch, n, nodes->n, top);
    }
}

/* ---- node by node ------------------------------------------------------ */

static void
patch_rule(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           struct cwi_rule *out)
{
    const struct cwi_compat_ring *ring = ring_of(p->algo, p, nodes);
    int own = ring->search == CWI_AT_OR_AFTER || ring->search == CWI_AFTER;

    *out = (struct cwi_rule){ own ? ring : NULL, ring->tie, ring->before,
                              ring->by_place, 0 };
}

static void
patch_counts(const struct cwi_placement *p, const struct cwi_rule *rule,
             const struct cwi_nodes *nodes, uint64_t *out)
{
    for (uint32_t i = 0; i < nodes->n; i++)
        out[i] = point_count(rule->ring, p, nodes, i);
}

static void
patch_points(const struct cwi_placement *p, const struct cwi_rule *rule,
             const struct cwi_node *node, uint32_t number, uint64_t n,
             uint8_t *text, struct cwi_point *out)
{
    node_points(rule->ring, p, node, number, n, text, out);
}

const struct cwi_patch cwi_compat_ring_patch = {
    patch_rule, patch_counts, patch_points
};

void
cwi_compat_moved_count(const void *state, uint64_t *per_node)
{
    cwi_points_count(state, per_node);
}

void
cwi_compat_md5_keys(const struct cwi_placement *p, const cw_key *keys,
                    size_t n, uint64_t *out)
{
    struct cwi_text_ref text[BATCH];
    uint32_t words[BATCH][4];

    (void)p;
    for (size_t i = 0, len; i < n; i += len) {
        len = n - i < BATCH ? n - i : BATCH;
        for (size_t k = 0; k < len; k++)
            text[k] = (struct cwi_text_ref){ keys[i + k].data,
                                             keys[i + k].len };
        cwi_md5_many(text, len, words);
        for (size_t k = 0; k < len; k++)
            out[i + k] = words[k][0];
    }
}
