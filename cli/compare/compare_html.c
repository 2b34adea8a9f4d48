/* SPDX-License-Identifier: Apache-2.0 */
/* compare_html.c - the comparison as a page: tables and drawn bars. */
#include <inttypes.h>
#include <math.h>

#include "cli/compare/compare.h"
#include "cli/report/html.h"

enum { LEFT = 120, WIDE = 640, BAR = 26 };

/* A bar for each row that works; the longest fills the width. */
struct bars {
    const char *title;
    double    (*value)(const struct compare_row *r);
    double      from;           /* where bars begin                         */
};

static double
peak(const struct compare_row *r)
{
    return r->balance.max_avg;
}

static double
added_excess(const struct compare_row *r)
{
    return r->add.ideal > 0 ? 100 * r->add.excess / r->add.ideal : 0;
}

static double
lost_excess(const struct compare_row *r)
{
    return r->lose.ideal > 0 ? 100 * r->lose.excess / r->lose.ideal : 0;
}

static double
at_10000(const struct compare_row *r)
{
    return r->ns_10000;
}

/* Values differ by powers of ten, so lengths are of log(1 + x). */
static void
draw_bars(const struct compare *c, struct out *out, const struct bars *b)
{
    double   most = 0;
    unsigned i, k = 0;

    for (i = 0; i < c->rows; i++) {
        double x = c->row[i].works ? log1p(b->value(&c->row[i]) - b->from) : 0;

        most = x > most ? x : most;
        k += c->row[i].works;
    }
    out_str(out, "<h2>");
    html_str(out, b->title);
    out_print(out, "</h2>\n<svg viewBox=\"0 0 %d %u\" role=\"img\">\n",
              LEFT + WIDE + 80, k * BAR + 6);
    for (i = k = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];
        double                    x;

        if (!r->works)
            continue;
        x = most > 0 ? WIDE * log1p(b->value(r) - b->from) / most : 0;
        x = x < 1 ? 1 : x;
        out_print(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">",
                  LEFT - 8, k * BAR + 19);
        html_str(out, r->row.name);
        out_print(out, "</text><rect x=\"%d\" y=\"%u\" width=\"%.1f\" "
                  "height=\"%d\" rx=\"3\" fill=\"%s\"/><text class=\"soft\" "
                  "x=\"%.1f\" y=\"%u\">", LEFT, k * BAR + 4, x, BAR - 8,
                  html_color(i), LEFT + x + 6, k * BAR + 19);
        out_print(out, b->from > 0 ? "%.3f" : "%.2f", b->value(r));
        out_str(out, "</text>\n");
        k++;
    }
    out_str(out, "</svg>\n");
}

/* Points 1 to 1000 across, CV 0.01 to 3 up, both logarithmic. */
static double
across(double points)
{
    return LEFT + WIDE * log10(points) / 3;
}

static double
up(double cv)
{
    return 240 - 220 * (log10(cv < 0.01 ? 0.01 : cv) + 2) / 2.5;
}

static void
draw_sweep(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "<h2>A ring's spread by points per node</h2>\n<p class="
            "\"soft\">CV of the shares; dashed: 1 / sqrt(points).</p>\n");
    out_print(out, "<svg viewBox=\"0 0 %d 270\" role=\"img\">\n<line "
              "class=\"axis\" x1=\"%d\" y1=\"240\" x2=\"%d\" y2=\"240\"/>\n",
              LEFT + WIDE + 80, LEFT, LEFT + WIDE);
    out_print(out, "<path d=\"M%d %.1fL%d %.1f\" fill=\"none\" stroke="
              "\"#999\" stroke-dasharray=\"6 5\"/>\n<path fill=\"none\" "
              "stroke=\"#0072b2\" stroke-width=\"2\" d=\"", LEFT, up(1),
              LEFT + WIDE, up(1 / sqrt(1000)));
    for (i = 0; i < c->sweeps; i++)
        out_print(out, "%c%.1f %.1f", i ? 'L' : 'M',
                  across(c->sweep[i].points), up(c->sweep[i].balance.cv));
    out_str(out, "\"/>\n");
    for (i = 0; i < c->sweeps; i++)
        out_print(out, "<text class=\"soft\" text-anchor=\"middle\" "
                  "x=\"%.1f\" y=\"258\">%u</text><text text-anchor=\"middle\""
                  " x=\"%.1f\" y=\"%.1f\">%.3f</text>\n",
                  across(c->sweep[i].points), c->sweep[i].points,
                  across(c->sweep[i].points),
                  up(c->sweep[i].balance.cv) - 8, c->sweep[i].balance.cv);
    out_str(out, "</svg>\n");
}

static void
cell(struct out *out, const struct compare_move *m)
{
    if (m->known)
        out_print(out, "<td class=\"n\">%.3f %%<br><span class=\"soft\">"
                  "excess %.2f %%</span>", 100 * m->moved,
                  m->ideal > 0 ? 100 * m->excess / m->ideal : 0);
    else
        out_str(out, "<td class=\"n soft\">not possible");
}

static void
tables(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "<h2>Moved keys</h2>\n<table><tr><th>placement<th class="
            "\"n\">max/avg<th class=\"n\">min/avg<th class=\"n\">add one<th "
            "class=\"n\">lose one<th class=\"n\">the worst<th class=\"n\">a "
            "weight doubled<th class=\"n\">a zone lost\n");
    for (i = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];

        out_str(out, "<tr><td style=\"white-space:nowrap\">");
        html_str(out, r->row.name);
        if (!r->works) {
            out_str(out, "<td colspan=\"7\" class=\"soft\">");
            html_str(out, r->why);
            continue;
        }
        out_print(out, "<td class=\"n\">%.4f<td class=\"n\">%.4f",
                  r->balance.max_avg, r->balance.min_avg);
        cell(out, &r->add);
        cell(out, &r->lose);
        cell(out, &r->lose_worst);
        cell(out, &r->reweigh);
        cell(out, &r->zone);
    }
    out_str(out, "</table>\n");
}

static void
costs(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "<h2>Who takes a lost node's keys, and cost</h2>\n<table>"
            "<tr><th>placement<th class=\"n\">receivers<th class=\"n\">"
            "largest part<th class=\"n\">bytes<th class=\"n\">points");
    if (c->timed)
        out_str(out, "<th class=\"n\">build, ms<th class=\"n\">look-up, ns"
                "<th class=\"n\">of 10 nodes<th class=\"n\">of 10,000"
                "<th class=\"n\">growth");
    for (i = 0; i < c->rows; i++) {
        const struct compare_row *r = &c->row[i];

        if (!r->works)
            continue;
        out_print(out, "\n<tr><td>%s<td class=\"n\">%" PRIu32 "<td class="
                  "\"n\">%.1f %%<td class=\"n\">%zu<td class=\"n\">%"
                  PRIu64, r->row.name, r->lose.receivers,
                  100 * r->lose.largest, r->bytes, r->points);
        if (c->timed)
            out_print(out, "<td class=\"n\">%.3f<td class=\"n\">%.1f<td "
                      "class=\"n\">%.1f<td class=\"n\">%.1f<td class="
                      "\"n\">&times;%.1f", r->build_ms, r->lookup_ns,
                      r->ns_10, r->ns_10000,
                      r->ns_10 > 0 ? r->ns_10000 / r->ns_10 : 0);
    }
    out_str(out, "\n</table>\n");
}

static void
hashes(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "<h2>A ring's spread by its hash</h2>\n<table><tr><th>hash"
            "<th class=\"n\">max/avg<th class=\"n\">min/avg<th class=\"n\">CV");
    for (i = 0; i < c->hashes; i++)
        out_print(out, "\n<tr><td>%s<td class=\"n\">%.4f<td class=\"n\">"
                  "%.4f<td class=\"n\">%.4f", c->hash[i].name,
                  c->hash[i].balance.max_avg, c->hash[i].balance.min_avg,
                  c->hash[i].balance.cv);
    out_print(out, "\n</table>\n<p class=\"soft\">4 nodes, %u usual sets of "
              "names: max/avg. A mix of its result cures a hash that "
              "clusters; more points may not.</p>\n<table><tr><th>hash<th "
              "class=\"n\">points<th class=\"n\">least<th class=\"n\">"
              "median<th class=\"n\">most",
              c->names[0].sets);
    for (i = 0; i < COMPARE_NAMES; i++)
        out_print(out, "\n<tr><td>%s<td class=\"n\">%u<td class=\"n\">%.2f"
                  "<td class=\"n\">%.2f<td class=\"n\">%.2f",
                  c->names[i].hash, c->names[i].points, c->names[i].least,
                  c->names[i].median, c->names[i].most);
    out_str(out, "\n</table>\n");
}

static void
facts(const struct compare *c, struct out *out)
{
    unsigned i;

    out_str(out, "<h2>What no measurement tells</h2>\n<table><tr>"
            "<th>placement<th>kept beside the list<th>balance<th>unequal "
            "capacity<th>removal of any node<th>typical use\n");
    for (i = 0; i < c->rows; i++) {
        const struct compare_facts *f = compare_facts(c->row[i].row.name);

        out_print(out, "<tr><td>%s<td>%s<td>%s<td>%s<td>%s<td>%s\n",
                  c->row[i].row.name, f->structure, f->balance, f->capacity,
                  f->removal, f->use);
    }
    out_str(out, "</table>\n");
}

void
compare_html(const struct compare *c, struct out *out)
{
    static const struct bars drawn[] = {
        { "Peak to average load", peak, 1 },
        { "Needless moves when a node is added, % of what must move",
          added_excess, 0 },
        { "Needless moves when a node is lost, % of what must move",
          lost_excess, 0 },
        { "A look-up among 10,000 nodes on this machine, ns", at_10000,
          0 },
    };
    unsigned i;

    html_begin(out, "Placements compared");
    out_print(out, "<p class=\"soft\">%" PRIu32 " nodes, %s weights. Bars "
              "are logarithmic.</p>\n<div class=\"figures\">\n", c->active,
              c->equal ? "equal" : "unequal");
    html_figure(out, "recommended", "%s", c->choice);
    out_str(out, "</div>\n<p>");
    html_str(out, c->choice);
    out_str(out, ", because ");
    html_str(out, c->reason);
    out_str(out, ".</p>\n");
    if (c->pins > 0)
        out_str(out, "<p class=\"soft\">" COMPARE_PINS ".</p>\n");
    for (i = 0; i < (c->timed ? 4u : 3u); i++)
        draw_bars(c, out, &drawn[i]);
    draw_sweep(c, out);
    tables(c, out);
    costs(c, out);
    hashes(c, out);
    facts(c, out);
    html_end(out);
}
