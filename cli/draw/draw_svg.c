/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw_svg.c - one ring or two as a picture: owners, points, further
 * replicas, load, what moves; and a legend with the exact shares.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/draw/view.h"
#include "cli/report/html.h"

#define PI  3.14159265358979323846

enum {
    CX = 340, CY = 366, OUTER = 262, INNER = 214, GAP = 4, THIN = 16,
    LOAD = 30, LEGEND = 690, ROW = 22, ROWS = 26, NAME = 26,
    LABEL_PIXELS = 15, POINTS_SHOWN = 600
};

static double
x_of(double turn, double r)
{
    return CX + r * sin(2 * PI * turn);
}

static double
y_of(double turn, double r)
{
    return CY - r * cos(2 * PI * turn);
}

/* The least part of a turn that is drawn of what moves: about a pixel. */
#define TURN_SEEN 0.0009

/* The part of a band between two turns, as a path. */
static void
band(struct out *out, double from, double to, double r0, double r1)
{
    int large = to - from > 0.5;

    if (to - from > 0.9999)
        to = from + 0.9999;         /* a whole circle has no ends to join */
    out_print(out, "M%.2f %.2fA%.0f %.0f 0 %d 1 %.2f %.2fL%.2f %.2fA%.0f "
              "%.0f 0 %d 0 %.2f %.2fZ", x_of(from, r1), y_of(from, r1), r1,
              r1, large, x_of(to, r1), y_of(to, r1), x_of(to, r0),
              y_of(to, r0), r0, r0, large, x_of(from, r0), y_of(from, r0));
}

/* The number under which a node of either map is listed: that of the diff,
 * or of the one map. */
static uint32_t
listed(const struct draw *d, const struct ring_view *v, uint32_t owner)
{
    uint32_t i;

    if (d->diff == NULL)
        return owner;
    for (i = 0; i < d->diff->node_count; i++) {
        const cw_diff_node *n = &d->diff->nodes[i];

        if ((v == &d->after ? n->new_index : n->old_index) == owner)
            return i;
    }
    return owner;
}

/* listed() for every node at once. */
static uint32_t *
numbers(const struct draw *d, const struct ring_view *v)
{
    uint32_t n = cw_map_count(v->map), i;
    uint32_t *list = mem_alloc(n ? n : 1, sizeof *list);

    if (n <= 1000) {
        for (i = 0; i < n; i++)
            list[i] = listed(d, v, i);
        return list;
    }
    for (i = 0; i < n; i++)
        list[i] = i;
    for (i = 0; d->diff != NULL && i < d->diff->node_count; i++) {
        const cw_diff_node *node = &d->diff->nodes[i];
        uint32_t index = v == &d->after ? node->new_index : node->old_index;

        if (index != CW_NONE)
            list[index] = i;
    }
    return list;
}

static void
ring(const struct draw *d, const struct ring_view *v, double r0, double r1,
     struct out *out)
{
    uint32_t *number = numbers(d, v);
    size_t i;

    for (i = 0; i < v->count; i++) {
        const struct stretch *s = &v->stretches[i];

        out_str(out, "<path d=\"");
        band(out, s->from, s->to, r0, r1);
        out_print(out, "\" fill=\"%s\"/>\n", html_color(number[s->owner]));
    }
    for (i = 0; i < v->count; i++) {
        const struct stretch *s = &v->stretches[i];
        double middle = (s->from + s->to) / 2, r = (r0 + r1) / 2;

        if ((s->to - s->from) * 2 * PI * r < LABEL_PIXELS || r1 - r0 < 20)
            continue;
        out_print(out, "<text class=\"on\" x=\"%.1f\" y=\"%.1f\">%" PRIu32
                  "</text>\n", x_of(middle, r), y_of(middle, r) + 4,
                  number[s->owner] + 1);
    }
    mem_free(number);
}

/* Owner number k of every part of the turn, in a thin band. */
static void
replica_ring(const struct draw *d, uint32_t k, double r1, struct out *out)
{
    enum { PARTS = 720 };
    uint32_t owner, last = CW_NONE;
    double from = 0;
    int i;

    for (i = 0; i <= PARTS; i++) {
        double turn = (double)i / PARTS;

        owner = i < PARTS ? ring_view_owner(&d->now, turn + 0.5 / PARTS, k)
                          : CW_NONE;
        if (owner == last)
            continue;
        if (last != CW_NONE) {
            out_str(out, "<path d=\"");
            band(out, from, turn, r1 - THIN, r1);
            out_print(out, "\" fill=\"%s\"/>\n", html_color(last));
        }
        last = owner;
        from = turn;
    }
}

struct ticks {
    struct out    *out;
    const cw_map  *map;
};

static int
tick(void *context, const cw_arc *arc)
{
    struct ticks *t = context;
    double turn = ring_view_turn(t->map, arc->last);

    out_print(t->out, "<path class=\"tick\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n",
              x_of(turn, OUTER + 1), y_of(turn, OUTER + 1),
              x_of(turn, OUTER + 9), y_of(turn, OUTER + 9));
    return 0;
}

static int
moved(void *context, const cw_arc *arc)
{
    struct ticks *t = context;
    double from = ring_view_turn(t->map, arc->first);
    double to = ring_view_turn(t->map, arc->last)
                + 1 / ((double)cw_map_top(t->map) + 1);
    double more = (TURN_SEEN - (to - from)) / 2;

    if (more > 0) {     /* one arc of thousands is to be seen as well */
        from -= more;
        to += more;
    }
    out_str(t->out, "<path class=\"moved\" d=\"");
    band(t->out, from, to, INNER - GAP - 9, INNER - GAP);
    out_str(t->out, "\"/>\n");
    return 0;
}

static void
load(const struct draw *d, struct out *out)
{
    uint64_t most = 0;
    int i;

    for (i = 0; i < VIEW_LOADS; i++)
        most = d->load[i] > most ? d->load[i] : most;
    for (i = 0; i < VIEW_LOADS && most > 0; i++) {
        double height = LOAD * (double)d->load[i] / (double)most;

        if (d->load[i] == 0)
            continue;
        out_str(out, "<path class=\"load\" d=\"");
        band(out, (double)i / VIEW_LOADS, (i + 0.8) / VIEW_LOADS, OUTER + 12,
             OUTER + 12 + height);
        out_str(out, "\"/>\n");
    }
}

/* ---- legend ------------------------------------------------------------- */

/* A line of the legend. */
struct entry {
    cw_node  node;
    uint32_t number;
    double   before;
    double   share;
    double   fair;
};

static struct entry *
entries(const struct draw *d, uint32_t *count)
{
    uint32_t n = d->diff ? d->diff->node_count : cw_map_count(d->now.map), i;
    struct entry *list = mem_alloc(n ? n : 1, sizeof *list);

    for (i = 0; i < n; i++) {
        list[i].number = i;
        if (d->diff) {
            list[i].node = d->diff->nodes[i].node;
            list[i].before = d->diff->nodes[i].old_share;
            list[i].share = d->diff->nodes[i].new_share;
            list[i].fair = d->diff->nodes[i].new_fair;
        } else {
            cw_map_node(d->now.map, i, &list[i].node);
            list[i].share = list[i].before = d->now.shares->part[i];
            list[i].fair = d->now.shares->fair[i];
        }
    }
    *count = n;
    return list;
}

static double
most_share(const struct entry *list, uint32_t n)
{
    double most = 0;
    uint32_t i;

    for (i = 0; i < n; i++) {
        most = list[i].share > most ? list[i].share : most;
        most = list[i].before > most ? list[i].before : most;
    }
    return most;
}

static void
legend_row(const struct draw *d, const struct entry *e, double y,
           double scale, struct out *out)
{
    size_t len = e->node.name_len;

    out_print(out, "<rect x=\"%d\" y=\"%.0f\" width=\"26\" height=\"15\" "
              "rx=\"3\" fill=\"%s\"/><text class=\"on\" x=\"%d\" y=\"%.0f\">%"
              PRIu32 "</text>", LEGEND, y, html_color(e->number), LEGEND + 13,
              y + 12, e->number + 1);
    out_print(out, "<text x=\"%d\" y=\"%.0f\">", LEGEND + 33, y + 12);
    html_text(out, e->node.name, len > NAME ? NAME - 1 : len);
    out_print(out, "%s</text>", len > NAME ? "…" : "");
    if (d->diff)
        out_print(out, "<rect x=\"%d\" y=\"%.0f\" width=\"%.1f\" height=\"6\" "
                  "fill=\"%s\" fill-opacity=\".4\"/>", LEGEND + 215, y,
                  e->before * scale, html_color(e->number));
    out_print(out, "<rect x=\"%d\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" "
              "fill=\"%s\"/>", LEGEND + 215, d->diff ? y + 8 : y + 2,
              e->share * scale, d->diff ? 7 : 11, html_color(e->number));
    out_print(out, "<path class=\"tick\" d=\"M%.1f %.0fV%.0f\"/>",
              LEGEND + 215 + e->fair * scale, y - 1, y + 16);
    out_print(out, "<text class=\"n\" x=\"%d\" y=\"%.0f\">%.2f %%</text>\n",
              LEGEND + 420, y + 12, 100 * e->share);
}

/* A node that comes or goes is what a change is about. */
static bool
is_changed(const struct entry *e)
{
    return (e->before > 0) != (e->share > 0);
}

static bool
is_before(const struct entry *a, const struct entry *b)
{
    return is_changed(a) != is_changed(b) ? is_changed(a)
                                          : a->share > b->share;
}

/* Those that come or go, then the largest share first; by number among equal
 * ones. */
static void
sort(struct entry *list, uint32_t n)
{
    uint32_t gap, i, j;

    for (gap = n / 2; gap > 0; gap /= 2) {
        for (i = gap; i < n; i++) {
            struct entry e = list[i];

            for (j = i; j >= gap && is_before(&e, &list[j - gap]); j -= gap)
                list[j] = list[j - gap];
            list[j] = e;
        }
    }
}

static void
legend(const struct draw *d, struct out *out)
{
    uint32_t n, i, top;
    struct entry *list = entries(d, &n);
    double most = most_share(list, n), scale = most > 0 ? 140 / most : 0;

    top = n <= ROWS ? n : ROWS - 6;
    if (n > ROWS)
        sort(list, n);
    out_print(out, "<text class=\"soft\" x=\"%d\" y=\"58\">node</text><text "
              "class=\"soft\" x=\"%d\" y=\"58\">share%s; tick: fair</text>\n",
              LEGEND, LEGEND + 215, d->diff ? " before, after" : "");
    for (i = 0; i < top; i++)
        legend_row(d, &list[i], 70 + i * ROW, scale, out);
    if (n > ROWS) {
        out_print(out, "<text class=\"soft\" x=\"%d\" y=\"%u\">… %" PRIu32
                  " more …</text>\n", LEGEND + 30,
                  (unsigned)(70 + top * ROW + 12), n - top - 5);
        for (i = 0; i < 5; i++)
            legend_row(d, &list[n - 5 + i], 70 + (top + 1 + i) * ROW, scale,
                       out);
    }
    mem_free(list);
}

static void
words(const struct draw *d, struct out *out)
{
    const struct ring_view *v = d->diff ? &d->after : &d->now;

    out_print(out, "<text class=\"big\" x=\"24\" y=\"34\">%" PRIu32
              " nodes, %" PRIu64 " points, max/avg %.3f, min/avg %.3f",
              cw_map_count(v->map), cw_map_points(v->map),
              v->shares->balance.max_avg, v->shares->balance.min_avg);
    if (d->diff)
        out_print(out, "; %.2f %% of the keys move", 100 * d->diff->moved);
    out_str(out, "</text>\n");
    if (d->diff)
        out_print(out, "<text class=\"mid\" x=\"%d\" y=\"%d\">outer: after"
                  "</text><text class=\"mid\" x=\"%d\" y=\"%d\">inner: now"
                  "</text><text class=\"mid\" x=\"%d\" y=\"%d\">between: what "
                  "moves</text>\n", CX, CY - 16, CX, CY + 4, CX, CY + 24);
    else if (d->replicas > 1)
        out_print(out, "<text class=\"mid\" x=\"%d\" y=\"%d\">inwards: owner, "
                  "then the next %" PRIu32 "</text>\n", CX, CY + 4,
                  d->replicas - 1);
    if (v->cells)
        out_print(out, "<text class=\"soft\" x=\"24\" y=\"%d\">%zu arcs in "
                  "%d cells, each in the colour of its largest owner; the "
                  "shares are exact.</text>\n", 690, v->arcs, VIEW_CELLS);
    if (d->load)
        out_print(out, "<text class=\"soft\" x=\"24\" y=\"%d\">bars: %" PRIu64
                  " keys over %d parts of the ring</text>\n", 672, d->keys,
                  VIEW_LOADS);
}

static const char style[] =
    "<style>text{font:13px system-ui,sans-serif;fill:#1d2430}"
    ".soft{fill:#5a6472}.big{font-size:16px;font-weight:600}"
    ".mid{text-anchor:middle;fill:#5a6472}.n{text-anchor:end}"
    ".on{text-anchor:middle;fill:#fff;font-size:11px;font-weight:600;"
    "paint-order:stroke;stroke:#0008;stroke-width:2px}"
    ".tick{stroke:#1d2430;stroke-width:1;fill:none}"
    ".moved{fill:#b3261e}.load{fill:#5a6472}"
    "svg>rect.page{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#e8ebf0}"
    ".soft,.mid{fill:#a3adba}.tick{stroke:#e8ebf0}.moved{fill:#ff8a80}"
    ".load{fill:#a3adba}svg>rect.page{fill:#14181e}.on{fill:#fff}}"
    "</style>\n";

void
draw_svg(const struct draw *d, struct out *out)
{
    const struct ring_view *v = d->diff ? &d->after : &d->now;
    struct ticks t = { out, v->map };
    uint32_t k;

    out_str(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
            "1130 710\" role=\"img\" aria-label=\"hash ring\">\n");
    out_str(out, style);
    out_str(out, "<rect class=\"page\" width=\"1130\" height=\"710\"/>\n");
    words(d, out);
    ring(d, v, INNER, OUTER, out);
    if (d->diff) {
        ring(d, &d->now, INNER - 2 * GAP - 9 - 34, INNER - 2 * GAP - 9, out);
        cw_diff_arcs(d->now.map, d->after.map, moved, &t, NULL);
    }
    for (k = 1; k < d->replicas && d->diff == NULL; k++)
        replica_ring(d, k, INNER - GAP - (k - 1) * (THIN + 2.0), out);
    if (cw_map_points(v->map) <= POINTS_SHOWN)
        cw_map_arcs(v->map, tick, &t, NULL);
    if (d->load)
        load(d, out);
    legend(d, out);
    out_str(out, "</svg>\n");
}
