/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain.h"

#include <inttypes.h>

#include "base/str.h"
#include "cli/pins_note.h"

/* How much of a preference list is told. */
enum { TOLD = 8 };

/* What the search from a position meets. */
struct search {
    uint64_t position;
    uint64_t before;        /* the last point below the position            */
    uint64_t at;            /* the first one at or after it                 */
    uint64_t first;         /* of the ring                                  */
    uint64_t last;
    bool     has_before;
    bool     found;
    bool     any;
    uint32_t node;          /* of `at`, or of `first` when none is found    */
    uint32_t first_node;
};

static int
visit(void *context, uint64_t position, uint32_t node)
{
    struct search *s = context;

    if (!s->any) {
        s->first = position;
        s->first_node = node;
        s->any = true;
    }
    if (position < s->position) {
        s->before = position;
        s->has_before = true;
    } else if (!s->found) {
        s->at = position;
        s->node = node;
        s->found = true;
    }
    s->last = position;
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

/* False when the row shows no points. */
static bool
explain_point(struct out *out, const cw_map *map, uint64_t position)
{
    struct search s = { .position = position };

    if (cw_map_each_point(map, visit, &s, NULL) != CW_OK || !s.any)
        return false;
    if (s.found) {
        out_print(out, "The first point at or after it is %" PRIu64
                  ", of node ", s.at);
        print_node(out, map, s.node);
    } else {
        out_print(out, "The last point is %" PRIu64 ": the search wraps past "
                  "the end of the ring, to the\nfirst point, %" PRIu64
                  ", of node ", s.last, s.first);
        print_node(out, map, s.first_node);
    }
    out_str(out, ".\n");
    if (s.found && s.has_before)
        out_print(out, "Its arc is (%" PRIu64 ", %" PRIu64 "]; nothing "
                  "wraps.\n", s.before, s.at);
    else
        out_print(out, "Its arc wraps: above %" PRIu64 ", and from 0 up to %"
                  PRIu64 ".\n", s.last, s.first);
    return true;
}

struct stretch {
    uint64_t position;
    bool     found;
    cw_arc   here;
};

static int
visit_arc(void *context, const cw_arc *arc)
{
    struct stretch *s = context;

    if (s->position < arc->first || s->position > arc->last)
        return 0;
    s->here = *arc;
    s->found = true;
    return 1;
}

/* For rows that have arcs but keep no points in the open. */
static void
explain_arc(struct out *out, const cw_map *map, uint64_t position)
{
    struct stretch s = { .position = position };

    if (explain_point(out, map, position))
        return;
    cw_map_arcs(map, visit_arc, &s, NULL);
    if (!s.found)
        return;
    out_print(out, "The arc from %" PRIu64 " to %" PRIu64 " belongs to node ",
              s.here.first, s.here.last);
    print_node(out, map, s.here.to);
    out_str(out, ".\n");
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

/* Options that were set, such as the text of a label. */
static void
explain_settings(struct out *out, const struct conf_pool *pool)
{
    size_t i;

    for (i = 1; i < pool->setting_count; i++)
        out_print(out, "%s%s=%s", i > 1 ? " " : "Set: ",
                  pool->settings[i].option, pool->settings[i].value);
    if (pool->setting_count > 1)
        out_str(out, ".\n");
}

/* True, and told, when a pin holds the key. */
static bool
explain_pin(struct out *out, const cw_map *map, const cw_key *key,
            uint64_t position)
{
    struct buf shown = { 0 };
    cw_pin pin;
    uint32_t i;

    if ((key != NULL ? cw_map_pin(map, key->data, key->len, &pin)
                     : cw_map_pin_position(map, position, &pin)) != CW_OK)
        return false;
    pins_note_one(&shown, &pin);
    out_print(out, "It is pinned: by the pin of the %s, to", shown.data);
    for (i = 0; i < pin.count; i++) {
        shown.len = 0;
        str_escape(&shown, pin.nodes[i].data, pin.nodes[i].len, 80);
        out_print(out, "%s \"%s\"", i ? "," : "", shown.data);
    }
    out_str(out, ".\n");
    buf_free(&shown);
    return true;
}

int
explain(struct cli *c, const cw_map *map, struct pick *pick,
        const cw_key *key, uint64_t position, const struct conf_pool *pool)
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
    explain_settings(out, pool);
    if (!explain_pin(out, map, key, position) && ring)
        explain_arc(out, map, position);
    explain_states(out, map, pick, key, position, owner);
    return CLI_DONE;
}
