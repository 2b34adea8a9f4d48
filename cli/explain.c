/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain.h"

#include <inttypes.h>

#include "base/str.h"

/* How much of a preference list is told. */
enum { TOLD = 8 };

struct stretch {
    uint64_t position;
    bool     found;
    cw_arc   here;          /* where position lies                          */
    cw_arc   first;         /* of the ring                                  */
    cw_arc   last;
};

static int
visit(void *context, const cw_arc *arc)
{
    struct stretch *s = context;

    if (arc->first == 0)
        s->first = *arc;
    if (s->position >= arc->first && s->position <= arc->last) {
        s->here = *arc;
        s->found = true;
    }
    s->last = *arc;
    return 0;
}

static void
print_node(struct out *out, const cw_map *map, uint32_t i)
{
    struct buf shown = { 0 };
    cw_node node;

    cw_map_node(map, i, &node);
    str_escape(&shown, node.name, node.name_len, 80);
    out_print(out, "\"%s\"", shown.data);
    buf_free(&shown);
}

/*
 * A stretch may hold several points of its node: from outside one sees where
 * it begins and ends. The last stretch belongs to the ring's first point
 * when it lies past the last one.
 */
static void
explain_arc(struct out *out, const cw_map *map, uint64_t position)
{
    struct stretch s = { .position = position };
    bool joined;

    if (cw_map_arcs(map, visit, &s, NULL) != CW_OK || !s.found)
        return;
    joined = s.first.to == s.last.to;
    if (s.here.first == 0 && s.here.last == s.last.last) {
        out_str(out, "All arcs belong to one node.\n");
    } else if (s.here.first == s.last.first && joined) {
        out_print(out, "No point of another node lies at or after it: past "
                  "the largest position the\nring closes, and the search "
                  "wraps to the first arc, which ends in the point at\n"
                  "%" PRIu64 " of node ", s.first.last);
        print_node(out, map, s.here.to);
        out_print(out, ".\nIts arc: positions above %" PRIu64 ", and those "
                  "up to %" PRIu64 ".\n", s.here.first - 1, s.first.last);
    } else {
        out_str(out, "Clockwise from there, the first points met are those "
                "of node ");
        print_node(out, map, s.here.to);
        if (s.here.first == 0 && joined)
            out_print(out, ".\nIts arc wraps: positions above %" PRIu64
                      ", and those up to %" PRIu64 ", its last point.\n",
                      s.last.first - 1, s.here.last);
        else if (s.here.first == 0)
            out_print(out, ".\nIts arc: positions up to %" PRIu64 ", its "
                      "last point.\n", s.here.last);
        else
            out_print(out, ".\nIts arc: positions above %" PRIu64 " up to %"
                      PRIu64 ", its last point; nothing wraps.\n",
                      s.here.first - 1, s.here.last);
    }
}

static void
explain_hash(struct out *out, const cw_map *map, const cw_key *key,
             uint64_t *position, bool ring)
{
    struct buf shown = { 0 };
    uint64_t hash;

    str_escape(&shown, key->data, key->len, 200);
    out_print(out, "The key is \"%s\", %zu byte%s.\n",
              shown.len ? shown.data : "", key->len,
              key->len == 1 ? "" : "s");
    buf_free(&shown);
    if (cw_map_hash(map, key->data, key->len, &hash) != CW_OK) {
        out_str(out, "The placement works on the key's bytes and has no hash "
                "of its own.\n");
        return;
    }
    *position = cw_map_position(map, hash);
    out_print(out, "Its hash is 0x%016" PRIx64 ", %" PRIu64 ".\n", hash,
              hash);
    if (ring)
        out_print(out, "On the ring of positions 0 to %" PRIu64 " that is "
                  "position %" PRIu64 ".\n", cw_map_top(map), *position);
}

static void
explain_states(struct out *out, const cw_map *map, struct pick *pick,
               const cw_key *key, uint64_t position, uint32_t owner)
{
    static const char *const states[] = { "up", "down", "draining" };
    uint32_t first = pick_first(pick, key, position), i, n;
    cw_node node;

    cw_map_node(map, owner, &node);
    out_str(out, "The owner is ");
    print_node(out, map, owner);
    out_print(out, ", which is %s", states[node.state]);
    if (first == owner) {
        out_str(out, ": the key goes there.\n");
    } else if (first == CW_NONE) {
        out_str(out, ", and so are all others: the key goes nowhere.\n");
    } else {
        out_str(out, ": the key goes to\n");
        print_node(out, map, first);
        out_str(out, ", the first of its preference list that is up.\n");
    }
    n = pick->n < TOLD ? pick->n : TOLD;
    if (key != NULL)
        n = cw_map_order(map, key->data, key->len, pick->order, n);
    else
        n = cw_map_order_position(map, position, pick->order, n);
    out_str(out, "Its preference list:");
    for (i = 0; i < n; i++) {
        out_str(out, i ? ", " : " ");
        print_node(out, map, pick->order[i]);
    }
    out_print(out, "%s.\n", n < pick->n && n == TOLD ? ", ..." : "");
}

int
explain(struct cli *c, const cw_map *map, struct pick *pick,
        const cw_key *key, uint64_t position)
{
    struct out *out = &c->out;
    cw_status status;
    uint32_t owner = 0;
    cw_row row;
    bool ring;

    cw_map_row(map, &row);
    ring = (row.traits & CW_TRAIT_ARCS) != 0;
    if (key != NULL)
        explain_hash(out, map, key, &position, ring);
    else
        out_print(out, "The position is %" PRIu64 " of a ring of positions "
                  "0 to %" PRIu64 ".\n", position, cw_map_top(map));
    status = key != NULL ? cw_map_owner(map, key->data, key->len, &owner)
                         : cw_map_owner_position(map, position, &owner);
    if (status != CW_OK) {
        cli_say("route: %s; stopped", cw_status_text(status));
        return CLI_NO;
    }
    out_print(out, "The placement is \"%s\": %s.\n", row.name, row.summary);
    if (ring)
        explain_arc(out, map, position);
    explain_states(out, map, pick, key, position, owner);
    return CLI_DONE;
}
