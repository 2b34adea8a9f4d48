/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/diff_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/pins_note.h"

void
diff_report_node(struct out *out, const cw_map *map, uint32_t i)
{
    cw_node node;

    if (i == CW_NONE) {
        out_char(out, '-');
        return;
    }
    cw_map_node(map, i, &node);
    out_add(out, node.name, node.name_len);
}

static void
name_of(struct out *out, const cw_diff *d, uint32_t i)
{
    if (i == CW_NONE)
        out_char(out, '-');
    else
        out_add(out, d->nodes[i].node.name, d->nodes[i].node.name_len);
}

static double
part_of_keys(const struct diff_report *r, uint64_t n)
{
    return r->keys ? (double)n / (double)r->keys : 0;
}

/* Half-open, as arcs are: the point before it does not belong to it. */
static int
text_arc(void *context, const cw_arc *arc)
{
    struct diff_report *r = context;
    struct out *out = &r->c->out;

    if (arc->first == 0)
        out_print(out, "arc\t[0,%" PRIu64 "]\t", arc->last);
    else
        out_print(out, "arc\t(%" PRIu64 ",%" PRIu64 "]\t", arc->first - 1,
                  arc->last);
    diff_report_node(out, r->old_map, arc->from);
    out_char(out, '\t');
    diff_report_node(out, r->new_map, arc->to);
    out_char(out, '\n');
    return 0;
}

static void
text_flows(struct diff_report *r)
{
    struct out *out = &r->c->out;
    const cw_diff *d = r->diff;
    uint32_t i;

    for (i = 0; i < d->flow_count; i++) {
        out_str(out, "flow\t");
        name_of(out, d, d->flows[i].from);
        out_char(out, '\t');
        name_of(out, d, d->flows[i].to);
        out_print(out, "\t%.6f\n", 100 * d->flows[i].part);
    }
    for (i = 0; i < d->node_count; i++) {
        const cw_diff_node *n = &d->nodes[i];

        if (n->new_index != CW_NONE || n->receivers == 0)
            continue;
        out_str(out, "lost\t");
        name_of(out, d, i);
        out_print(out, "\t%" PRIu32 "\t%.6f\n", n->receivers,
                  100 * n->largest);
    }
}

/* Keys and prefixes have no share that could be counted. */
static void
text_pins(struct diff_report *r)
{
    struct pins_note a = pins_note(cw_map_pins(r->old_map));
    struct pins_note b = pins_note(cw_map_pins(r->new_map));

    if (a.keys + a.prefixes + b.keys + b.prefixes > 0 && !r->has_keys
        && !r->c->quiet)
        out_str(&r->c->out, "# keys and prefixes are pinned, which counts "
                "nothing here: compare keys with --keys\n");
}

static void
print_text(struct diff_report *r)
{
    struct out *out = &r->c->out;
    const cw_diff *d = r->diff;

    if (!r->c->quiet)
        out_str(out, "# in per cent of all keys; flow: from, to, share; "
                "lost: node, number of\n"
                "# receivers, the largest one's part of what it had\n");
    out_print(out, "moved\t%.6f\nideal\t%.6f\nexcess churn\t%.6f\n",
              100 * d->moved, 100 * d->ideal, 100 * d->excess_churn);
    out_print(out, "basis\t%s", show_basis(d->basis));
    if (d->basis == CW_SAMPLED)
        out_print(out, "\t%" PRIu64 " hashes", d->samples);
    out_char(out, '\n');
    text_pins(r);
    if (r->has_keys) {
        out_print(out, "keys moved\t%.6f\t%" PRIu64 " of %" PRIu64 "\n",
                  100 * part_of_keys(r, r->keys_moved), r->keys_moved,
                  r->keys);
        out_print(out, "keys excess churn\t%.6f\t%" PRIu64 " of %" PRIu64
                  "\nkeys basis\tsampled\n",
                  100 * part_of_keys(r, r->keys_excess), r->keys_excess,
                  r->keys);
    }
    if (r->has_bound)
        out_print(out, "keys moved under the bound\t%.6f\t%" PRIu64 " of %"
                  PRIu64 "\n", 100 * part_of_keys(r, r->bounded_moved),
                  r->bounded_moved, r->keys);
    text_flows(r);
    if (r->arcs)
        cw_diff_arcs(r->old_map, r->new_map, text_arc, r, NULL);
}

static void
json_name(struct json *j, const char *key, const cw_diff *d, uint32_t i)
{
    if (i == CW_NONE) {
        json_key(j, key);
        json_null(j);
    } else {
        json_bytes(j, key, d->nodes[i].node.name,
                   d->nodes[i].node.name_len);
    }
}

static void
json_node(struct json *j, const cw_diff *d, uint32_t i)
{
    const cw_diff_node *n = &d->nodes[i];

    json_open(j, '{');
    json_name(j, "node", d, i);
    json_pair_bool(j, "in_old", n->old_index != CW_NONE);
    json_pair_bool(j, "in_new", n->new_index != CW_NONE);
    json_pair_double(j, "old_share", n->old_share);
    json_pair_double(j, "new_share", n->new_share);
    json_pair_double(j, "old_fair", n->old_fair);
    json_pair_double(j, "new_fair", n->new_fair);
    json_pair_double(j, "gave", n->gave);
    json_pair_double(j, "took", n->took);
    json_pair_uint(j, "receivers", n->receivers);
    json_pair_double(j, "largest", n->largest);
    json_close(j, '}');
}

struct json_arcs {
    struct json        *j;
    struct diff_report *r;
};

static void
json_map_node(struct json *j, const char *key, const cw_map *map, uint32_t i)
{
    cw_node node;

    if (i == CW_NONE) {
        json_key(j, key);
        json_null(j);
        return;
    }
    cw_map_node(map, i, &node);
    json_bytes(j, key, node.name, node.name_len);
}

static int
json_arc(void *context, const cw_arc *arc)
{
    struct json_arcs *a = context;

    json_open(a->j, '{');
    json_key(a->j, "first");
    json_uint(a->j, arc->first);
    json_key(a->j, "last");
    json_uint(a->j, arc->last);
    json_map_node(a->j, "from", a->r->old_map, arc->from);
    json_map_node(a->j, "to", a->r->new_map, arc->to);
    json_close(a->j, '}');
    return 0;
}

static void
json_keys(struct json *j, const struct diff_report *r)
{
    json_key(j, "keys");
    json_open(j, '{');
    json_pair(j, "basis", "sampled", 7);
    json_pair_uint(j, "count", r->keys);
    json_pair_uint(j, "moved", r->keys_moved);
    json_pair_uint(j, "excess_churn", r->keys_excess);
    if (r->has_bound)
        json_pair_uint(j, "moved_under_bound", r->bounded_moved);
    json_close(j, '}');
}

static void
print_json(struct diff_report *r)
{
    struct json j = { &r->c->out, false };
    struct json_arcs arcs = { &j, r };
    const cw_diff *d = r->diff;
    uint32_t i;

    json_open(&j, '{');
    json_pair(&j, "basis", show_basis(d->basis),
              strlen(show_basis(d->basis)));
    json_pair_double(&j, "moved", d->moved);
    json_pair_double(&j, "ideal", d->ideal);
    json_pair_double(&j, "excess_churn", d->excess_churn);
    if (r->has_keys)
        json_keys(&j, r);
    json_key(&j, "nodes");
    json_open(&j, '[');
    for (i = 0; i < d->node_count; i++)
        json_node(&j, d, i);
    json_close(&j, ']');
    json_key(&j, "flows");
    json_open(&j, '[');
    for (i = 0; i < d->flow_count; i++) {
        json_open(&j, '{');
        json_name(&j, "from", d, d->flows[i].from);
        json_name(&j, "to", d, d->flows[i].to);
        json_pair_double(&j, "share", d->flows[i].part);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    if (r->arcs) {
        json_key(&j, "arcs");
        json_open(&j, '[');
        cw_diff_arcs(r->old_map, r->new_map, json_arc, &arcs, NULL);
        json_close(&j, ']');
    }
    json_close(&j, '}');
    json_end(&j, '\n');
}

void
diff_report_print(struct diff_report *r)
{
    if (r->c->json)
        print_json(r);
    else
        print_text(r);
}
