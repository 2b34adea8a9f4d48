/* SPDX-License-Identifier: Apache-2.0 */
/* compare_text.c - the comparison as tables of text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "cli/compare/compare.h"
#include "cli/show.h"

/* Moved of all keys, and needless of what must move, in per cent. */
static void
print_move(struct out *out, const struct compare_move *m)
{
    if (!m->known)
        out_str(out, "\t-\t-");
    else
        out_print(out, "\t%.3f\t%.3f", 100 * m->moved,
                  m->ideal > 0 ? 100 * m->excess / m->ideal : 0);
}

static void
print_moves(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "\n# movement: per cent of all keys that move / per cent of "
            "what must move that moved\n# needlessly, between nodes that did "
            "not change\n# placement\tadd\texcess\tlose\texcess\tworst\t"
            "excess\tweight x2\texcess\tzone\texcess\treceivers\tlargest "
            "%\tbasis\n");
    for (i = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];

        if (!r->works)
            continue;
        out_str(out, r->row.name);
        print_move(out, &r->add);
        print_move(out, &r->lose);
        print_move(out, &r->lose_worst);
        print_move(out, &r->reweigh);
        print_move(out, &r->zone);
        if (r->lose.known)
            out_print(out, "\t%" PRIu32 "\t%.1f", r->lose.receivers,
                      100 * r->lose.largest);
        else
            out_str(out, "\t-\t-");
        out_print(out, "\t%s\n", r->exact ? "exact" : "sampled");
    }
}

static void
print_times(const struct compare *c, struct out *out)
{
    unsigned i;

    out_print(out, "\n# cost%s\n# placement\tbytes\tpoints%s\n",
              c->timed ? ": times are of this machine" : "",
              c->timed ? "\tbuild ms\tlook-up ns\tat 10\tat 10000\tgrowth"
                       : "");
    for (i = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];

        if (!r->works)
            continue;
        out_print(out, "%s\t%zu\t%" PRIu64, r->row.name, r->bytes, r->points);
        if (c->timed)
            out_print(out, "\t%.3f\t%.1f\t%.1f\t%.1f\tx%.1f", r->build_ms,
                      r->lookup_ns, r->ns_10, r->ns_10000,
                      r->ns_10 > 0 ? r->ns_10000 / r->ns_10 : 0);
        out_char(out, '\n');
    }
}

static void
print_facts(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "\n# none needs a central service: whoever has the list of "
            "nodes computes owners\n# alone; a directory is kept in one place "
            "and asked, or small and sent to all\n# placement\tkept beside "
            "the list\tbalance\tunequal capacity\tremoval of any node\t"
            "typical use\n");
    for (i = 0; i < c->rows; i++) {
        const struct compare_facts *f = compare_facts(c->row[i].row.name);

        out_print(out, "%s\t%s\t%s\t%s\t%s\t%s\n", c->row[i].row.name,
                  f->structure, f->balance, f->capacity, f->removal, f->use);
    }
}

static void
print_ring(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "\n# ring: points per node against the line 1 / "
            "sqrt(points)\n# points\tmax/avg\tmin/avg\tCV\tline\n");
    for (i = 0; i < c->sweeps; i++)
        out_print(out, "%u\t%.4f\t%.4f\t%.4f\t%.4f\n", c->sweep[i].points,
                  c->sweep[i].balance.max_avg, c->sweep[i].balance.min_avg,
                  c->sweep[i].balance.cv, 1 / sqrt(c->sweep[i].points));
    out_str(out, "\n# ring of 160 points by hash: a mix of its result cures "
            "one that clusters, more points may not\n"
            "# hash\tmax/avg\tmin/avg\tCV\n");
    for (i = 0; i < c->hashes; i++)
        out_print(out, "%s\t%.4f\t%.4f\t%.4f\n", c->hash[i].name,
                  c->hash[i].balance.max_avg, c->hash[i].balance.min_avg,
                  c->hash[i].balance.cv);
    out_print(out, "\n# ring of 4 nodes over %u usual sets of names: max/avg\n"
              "# hash\tpoints\tleast\tmedian\tmost\n", c->names[0].sets);
    for (i = 0; i < COMPARE_NAMES; i++)
        out_print(out, "%s\t%u\t%.2f\t%.2f\t%.2f\n", c->names[i].hash,
                  c->names[i].points, c->names[i].least, c->names[i].median,
                  c->names[i].most);
}

void
compare_text(const struct compare *c, struct out *out)
{
    unsigned i;

    out_print(out, "# %" PRIu32 " nodes, %s weights\n# balance: of share / "
              "fair share\n# placement\tmax/avg\tmin/avg\tCV\tbasis\n",
              c->active, c->equal ? "equal" : "unequal");
    if (c->pins > 0)
        out_str(out, "# " COMPARE_PINS "\n");
    for (i = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];

        if (!r->works)
            out_print(out, "%s\t-\t-\t-\t%s\n", r->row.name, r->why);
        else
            out_print(out, "%s\t%.4f\t%.4f\t%.4f\t%s\n", r->row.name,
                      r->balance.max_avg, r->balance.min_avg, r->balance.cv,
                      show_basis(r->basis));
    }
    print_moves(c, out);
    print_times(c, out);
    print_facts(c, out);
    print_ring(c, out);
    out_print(out, "\n# recommended: %s\n# because %s.\n", c->choice,
              c->reason);
}

/* ---- JSON --------------------------------------------------------------- */

static void
json_balance(struct json *j, const cw_balance *b)
{
    json_pair_double(j, "max_avg", b->max_avg);
    json_pair_double(j, "min_avg", b->min_avg);
    json_pair_double(j, "cv", b->cv);
}

static void
json_move(struct json *j, const char *key, const struct compare_move *m)
{
    if (!m->known)
        return;
    json_key(j, key);
    json_open(j, '{');
    json_pair_double(j, "moved", m->moved);
    json_pair_double(j, "ideal", m->ideal);
    json_pair_double(j, "excess", m->excess);
    if (m->receivers > 0) {
        json_pair_uint(j, "receivers", m->receivers);
        json_pair_double(j, "largest", m->largest);
    }
    json_close(j, '}');
}

static void
json_row(struct json *j, const struct compare *c, const struct compare_row *r)
{
    json_open(j, '{');
    json_pair(j, "placement", r->row.name, strlen(r->row.name));
    if (!r->works) {
        json_pair(j, "refused", r->why, strlen(r->why));
        json_close(j, '}');
        return;
    }
    json_balance(j, &r->balance);
    json_pair(j, "basis", show_basis(r->basis), strlen(show_basis(r->basis)));
    json_pair_bool(j, "movement_exact", r->exact);
    json_move(j, "add", &r->add);
    json_move(j, "lose", &r->lose);
    json_move(j, "lose_worst", &r->lose_worst);
    json_move(j, "weight_doubled", &r->reweigh);
    json_move(j, "zone_lost", &r->zone);
    json_pair_uint(j, "points", r->points);
    json_pair_uint(j, "bytes", r->bytes);
    if (c->timed) {
        json_pair_double(j, "build_ms", r->build_ms);
        json_pair_double(j, "lookup_ns", r->lookup_ns);
        json_pair_double(j, "lookup_ns_10_nodes", r->ns_10);
        json_pair_double(j, "lookup_ns_10000_nodes", r->ns_10000);
    }
    json_close(j, '}');
}

static void
json_ring(struct json *j, const struct compare *c)
{
    unsigned i;

    json_key(j, "ring_points");
    json_open(j, '[');
    for (i = 0; i < c->sweeps; i++) {
        json_open(j, '{');
        json_pair_uint(j, "points", c->sweep[i].points);
        json_balance(j, &c->sweep[i].balance);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_key(j, "ring_hashes");
    json_open(j, '[');
    for (i = 0; i < c->hashes; i++) {
        json_open(j, '{');
        json_pair(j, "hash", c->hash[i].name, strlen(c->hash[i].name));
        json_balance(j, &c->hash[i].balance);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_key(j, "usual_names");
    json_open(j, '[');
    for (i = 0; i < COMPARE_NAMES; i++) {
        json_open(j, '{');
        json_pair(j, "hash", c->names[i].hash, strlen(c->names[i].hash));
        json_pair_uint(j, "points", c->names[i].points);
        json_pair_uint(j, "sets", c->names[i].sets);
        json_pair_double(j, "least", c->names[i].least);
        json_pair_double(j, "median", c->names[i].median);
        json_pair_double(j, "most", c->names[i].most);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
compare_json(const struct compare *c, struct out *out)
{
    struct json j = { out, false };
    unsigned    i;

    json_open(&j, '{');
    json_pair_uint(&j, "nodes", c->active);
    json_pair_bool(&j, "equal_weights", c->equal);
    json_pair_uint(&j, "pins_left_out", c->pins);
    json_key(&j, "placements");
    json_open(&j, '[');
    for (i = 0; i < c->rows; i++)
        json_row(&j, c, &c->row[i]);
    json_close(&j, ']');
    json_ring(&j, c);
    json_pair(&j, "recommended", c->choice, strlen(c->choice));
    json_pair(&j, "reason", c->reason, strlen(c->reason));
    json_close(&j, '}');
    json_end(&j, '\n');
}
