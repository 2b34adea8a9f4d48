/* SPDX-License-Identifier: Apache-2.0 */
/* plan_html.c - a plan as one page without scripts, to read or print. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/plan/plan.h"
#include "cli/report/html.h"

enum {
    ROW = 26, LEFT = 190, WIDTH = 560, BARS_SHOWN = 40, FLOWS_SHOWN = 40
};

static void
figures(const struct plan *p, struct out *out)
{
    const cw_diff *d = p->diff;

    out_str(out, "<div class=\"figures\">\n");
    html_figure(out, d->basis == CW_EXACT ? "of all keys move (exact)"
                : d->basis == CW_SAMPLED ? "of all keys move (sampled)"
                : "of all keys move (expected)", "%.2f %%", 100 * d->moved);
    html_figure(out, "is the least possible", "%.2f %%", 100 * d->ideal);
    html_figure(out, "move without need", "%.2f %%", 100 * d->excess_churn);
    html_figure(out, "max/avg after", "%.3f",
                p->new_shares->balance.max_avg);
    html_figure(out, "max/avg now", "%.3f", p->old_shares->balance.max_avg);
    out_str(out, "</div>\n");
}

static void
list(const char *title, char *const *texts, size_t n, const char *class,
     struct out *out)
{
    size_t i;

    if (n == 0)
        return;
    out_print(out, "<h2>%s</h2>\n<ul>\n", title);
    for (i = 0; i < n; i++) {
        out_print(out, "<li class=\"%s\">", class);
        html_str(out, texts[i]);
        out_str(out, "</li>\n");
    }
    out_str(out, "</ul>\n");
}

static void
changes(const struct plan *p, struct out *out)
{
    size_t i;

    out_str(out, "<h2>The change</h2>\n<ul>\n");
    for (i = 0; i < p->change_count; i++) {
        out_str(out, "<li>");
        html_str(out, p->changes[i].text);
        out_str(out, "</li>\n");
    }
    if (p->change_count == 0)
        out_str(out, "<li>none</li>\n");
    out_str(out, "</ul>\n");
    if (p->reason_count > 0)
        out_str(out, "<h2>Why more moves than must</h2>\n<ul>\n");
    for (i = 0; i < p->reason_count; i++) {
        out_str(out, "<li>");
        html_str(out, p->reasons[i].text);
        out_str(out, "</li>\n");
    }
    if (p->reason_count > 0)
        out_str(out, "</ul>\n");
}

static void
bar(struct out *out, double y, double height, double part, double scale,
    const char *color, double opacity)
{
    out_print(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
              "fill=\"%s\" fill-opacity=\"%.2f\"/>", LEFT, y,
              part * scale, height, color, opacity);
}

/* More moved first; equal ones in the order of the list. */
static int
more_moved(const void *a, const void *b)
{
    const cw_diff_node *x = *(const cw_diff_node *const *)a;
    const cw_diff_node *y = *(const cw_diff_node *const *)b;
    double p = x->gave + x->took, q = y->gave + y->took;

    return p > q ? -1 : p < q ? 1 : (x > y) - (x < y);
}

/* The nodes in their order, or, of more than can be shown, those that give
 * and take most. */
static const cw_diff_node **
in_view(const struct plan *p)
{
    const cw_diff_node **list = mem_alloc(p->diff->node_count, sizeof *list);
    uint32_t i;

    for (i = 0; i < p->diff->node_count; i++)
        list[i] = &p->diff->nodes[i];
    if (i > BARS_SHOWN)
        qsort(list, i, sizeof *list, more_moved);
    return list;
}

/* Before and after, a pair of bars a node; a tick at the fair share. */
static void
bars(const struct plan *p, struct out *out)
{
    uint32_t n = p->diff->node_count, i;
    uint32_t shown = n < BARS_SHOWN ? n : BARS_SHOWN;
    const cw_diff_node **list = in_view(p);
    double most = 0, scale;

    for (i = 0; i < n; i++) {
        const cw_diff_node *d = list[i];

        most = d->old_share > most ? d->old_share : most;
        most = d->new_share > most ? d->new_share : most;
    }
    scale = most > 0 ? WIDTH / most : 0;
    out_str(out, "<h2>Shares now and after</h2>\n<p class=\"soft\">Pale: "
            "now. Full: after. The tick is the fair share after.</p>\n");
    out_print(out, "<svg viewBox=\"0 0 %d %u\" role=\"img\" aria-label="
              "\"shares of the nodes before and after\">\n",
              LEFT + WIDTH + 130, (unsigned)(shown * ROW + 4));
    for (i = 0; i < shown; i++) {
        const cw_diff_node *d = list[i];
        uint32_t number = (uint32_t)(d - p->diff->nodes);
        double y = i * ROW;
        char *name = plan_name(&d->node);

        out_print(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">",
                  LEFT - 8, y + 16);
        html_text(out, name, strlen(name) < 26 ? strlen(name) : 26);
        out_str(out, "</text>");
        bar(out, y + 3, 8, d->old_share, scale, html_color(number), 0.4);
        bar(out, y + 12, 8, d->new_share, scale, html_color(number), 1);
        out_print(out, "<line class=\"axis\" style=\"stroke:var(--ink)\" "
                  "x1=\"%.2f\" x2=\"%.2f\" y1=\"%.0f\" y2=\"%.0f\"/>",
                  LEFT + d->new_fair * scale, LEFT + d->new_fair * scale,
                  y + 1, y + 22);
        out_print(out, "<text class=\"soft\" x=\"%d\" y=\"%.0f\">%.2f → "
                  "%.2f %%</text>\n", LEFT + WIDTH + 12, y + 16,
                  100 * d->old_share, 100 * d->new_share);
        mem_free(name);
    }
    out_str(out, "</svg>\n");
    if (shown < n)
        out_print(out, "<p class=\"soft\">These give and take most; %" PRIu32
                  " more nodes</p>\n", n - shown);
    mem_free(list);
}

static void
cell_name(const struct plan *p, struct out *out, uint32_t node)
{
    out_str(out, "<td>");
    if (node == CW_NONE)
        out_str(out, "(none)");
    else
        html_text(out, p->diff->nodes[node].node.name,
                  p->diff->nodes[node].node.name_len);
    out_str(out, "</td>");
}

static void
flows(const struct plan *p, struct out *out)
{
    uint32_t i, n = p->diff->flow_count;
    uint32_t shown = n < FLOWS_SHOWN ? n : FLOWS_SHOWN;

    if (n == 0)
        return;
    out_str(out, "<h2>From whom to whom</h2>\n<table><tr><th>from<th>to"
            "<th class=\"n\">of all keys</tr>\n");
    for (i = 0; i < shown; i++) {
        out_str(out, "<tr>");
        cell_name(p, out, p->diff->flows[i].from);
        cell_name(p, out, p->diff->flows[i].to);
        out_print(out, "<td class=\"n\">%.4f %%</td></tr>\n",
                  100 * p->diff->flows[i].part);
    }
    out_str(out, "</table>\n");
    if (shown < n)
        out_print(out, "<p class=\"soft\">and %" PRIu32 " smaller ones</p>\n",
                  n - shown);
}

static void
load_row(struct out *out, const char *what, uint64_t moved, uint64_t all)
{
    out_print(out, "<tr><td>%s<td class=\"n\">%" PRIu64 "<td class=\"n\">%"
              PRIu64 "<td class=\"n\">%.2f %%</tr>\n", what, moved, all,
              all ? 100 * (double)moved / (double)all : 0);
}

static void
traffic(const struct plan *p, struct out *out)
{
    const struct plan_traffic *t = &p->traffic;

    if (!t->given)
        return;
    out_str(out, "<h2>Of the keys given</h2>\n<table><tr><th><th class=\"n\">"
            "move<th class=\"n\">of<th class=\"n\">share</tr>\n");
    load_row(out, "keys", t->moved.keys, t->all.keys);
    if (t->counted)
        load_row(out, "requests", t->moved.requests, t->all.requests);
    if (t->sized)
        load_row(out, "bytes", t->moved.bytes, t->all.bytes);
    out_print(out, "</table>\n<p>%sThe busiest node gets %.3f times its fair "
              "share of the requests; now %.3f.",
              t->estimated ? "Keys and bytes are estimated from a sample of "
              "the keys. " : "", t->peak_after, t->peak_before);
    if (p->ask->rate > 0)
        out_print(out, " %.0f misses a second at first, half of that after "
                  "%.1f s, a tenth after %.1f s.", t->misses_at_first,
                  t->seconds_to_half, t->seconds_to_tenth);
    out_str(out, "</p>\n");
}

static void
sets(const struct plan *p, struct out *out)
{
    if (p->sets.asked)
        out_print(out, "<h2>Replica sets of %u</h2>\n<p>%.2f %% of the keys "
                  "have another set; %.2f %% of all copies are new; %.2f %% "
                  "of the keys are in fewer zones (over %u samples).</p>\n",
                  p->sets.r, 100 * p->sets.changed, 100 * p->sets.copies,
                  100 * p->sets.zones_lost, p->sets.samples);
}

static void
steps(const struct plan *p, struct out *out)
{
    size_t i;

    if (p->step_count == 0)
        return;
    out_str(out, "<h2>One after the other</h2>\n<table><tr><th>step<th "
            "class=\"n\">moves<th class=\"n\">without need<th class=\"n\">"
            "max/avg after</tr>\n");
    for (i = 0; i < p->step_count; i++) {
        out_print(out, "<tr><td>%zu. ", i + 1);
        html_str(out, p->steps[i].text);
        out_print(out, "<td class=\"n\">%.4f %%<td class=\"n\">%.4f %%<td "
                  "class=\"n\">%.4f</tr>\n", 100 * p->steps[i].moved,
                  100 * p->steps[i].excess, p->steps[i].max_avg);
    }
    out_str(out, "</table>\n");
}

static void
remedies(const struct plan *p, struct out *out)
{
    size_t i;

    if (p->remedy_count == 0)
        return;
    out_str(out, "<h2>What would move less</h2>\n<table><tr><th class=\"n\">"
            "moves<th class=\"n\">without need<th class=\"n\">max/avg<th>how"
            "</tr>\n");
    for (i = 0; i < p->remedy_count; i++) {
        const struct plan_remedy *r = &p->remedies[i];

        out_print(out, "<tr><td class=\"n\">%.4f %%<td class=\"n\">%.4f %%"
                  "<td class=\"n\">%.4f<td>", 100 * r->moved,
                  100 * r->excess, r->max_avg);
        html_str(out, r->text);
        if (r->command) {
            out_str(out, "<code>");
            html_str(out, r->command);
            out_str(out, "</code>");
        }
        out_str(out, "</tr>\n");
    }
    out_str(out, "</table>\n");
}

void
plan_html(const struct plan *p, struct out *out)
{
    html_begin(out, "What the change will move");
    out_str(out, "<p class=\"soft\">from ");
    html_str(out, p->from_name);
    out_str(out, " to ");
    html_str(out, p->to_name);
    out_str(out, "</p>\n");
    figures(p, out);
    list("No", p->refusals, p->refusal_count, "no", out);
    list("Warnings", p->warnings, p->warning_count, "", out);
    changes(p, out);
    bars(p, out);
    traffic(p, out);
    sets(p, out);
    steps(p, out);
    remedies(p, out);
    flows(p, out);
    html_end(out);
}
