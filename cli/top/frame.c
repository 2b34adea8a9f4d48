/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum { NAME = 20, KEYS_MOST = 10, FIXED = 62 };

static double
load_of(const struct frame *f, uint32_t i)
{
    return f->load->requests > 0 ? (double)f->load->of_node[i]
                                   / (double)f->load->requests : 0;
}

double
frame_worst(const struct frame *f, uint32_t *node)
{
    double worst = 1;
    uint32_t i;

    *node = 0;
    for (i = 0; i < f->shares->count; i++) {
        double p = f->shares->part[i];

        if (p > 0 && load_of(f, i) / p > worst) {
            worst = load_of(f, i) / p;
            *node = i;
        }
    }
    return worst;
}

bool
frame_exceeds(const struct frame *f)
{
    uint32_t node;
    double worst = frame_worst(f, &node), p, n;

    if (worst <= 1 + f->margin || f->load->requests == 0)
        return false;
    p = f->shares->part[node];
    n = (double)f->load->requests;
    return (load_of(f, node) - p) > 4 * sqrt(p * (1 - p) / n);
}

/* At most `width` characters of a line, cut between characters. */
static void
add_line(struct buf *out, const struct buf *line, int width)
{
    const char *s = line->data ? line->data : "";
    size_t at = 0;
    int chars = 0;

    while (at < line->len && chars < width) {
        uint32_t code;
        size_t n = str_utf8(s + at, line->len - at, &code);

        at += n ? n : 1;
        chars++;
    }
    buf_add(out, s, at);
    buf_char(out, '\n');
}

static void
pad(struct buf *b, const char *s, size_t len, int width)
{
    struct buf text = { 0 };
    int chars = 0;
    size_t at = 0;
    uint32_t code;

    str_escape(&text, s, len, (size_t)width);
    while (at < text.len && chars < width) {
        size_t n = str_utf8(text.data + at, text.len - at, &code);

        at += n ? n : 1;
        chars++;
    }
    buf_add(b, text.data ? text.data : "", at);
    for (; chars < width; chars++)
        buf_char(b, ' ');
    buf_free(&text);
}

static void
bar(struct buf *b, double ratio, int width)
{
    int full = (int)(ratio / 2 * width + 0.5), i;

    for (i = 0; i < width; i++) {
        if (i < full)
            buf_str(b, i < width / 2 ? "█" : "▓");
        else
            buf_str(b, i == width / 2 ? "|" : " ");
    }
}

struct row {
    uint32_t node;
    double   load;
};

static int
most_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->load != y->load)
        return x->load < y->load ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static void
head(const struct frame *f, struct buf *out)
{
    struct buf line = { 0 };
    uint64_t now = 0;
    uint32_t node, i;
    double worst = frame_worst(f, &node);
    cw_node of;

    for (i = 0; i < f->shares->count; i++)
        now += f->load->of_node[i] - f->before[i];
    cw_map_node(f->map, node, &of);
    buf_print(&line, "clockwise top  %" PRIu32 " nodes  %" PRIu64
              " requests", f->shares->count, f->load->requests);
    if (f->seconds > 0)
        buf_print(&line, "  %.0f/s", (double)now / f->seconds);
    if (frame_exceeds(f))
        buf_print(&line, "  HOT %s: %.2f times its arcs", of.name, worst);
    else
        buf_print(&line, "  even: at most %.2f times the arcs", worst);
    add_line(out, &line, f->columns);
    buf_free(&line);
}

static void
node_row(const struct frame *f, uint32_t i, struct buf *out)
{
    struct buf line = { 0 };
    double p = f->shares->part[i];
    int width = f->columns - FIXED;
    cw_node node;

    cw_map_node(f->map, i, &node);
    pad(&line, node.name, node.name_len, NAME);
    if (f->seconds > 0)
        buf_print(&line, "%10.0f", (double)(f->load->of_node[i]
                                           - f->before[i]) / f->seconds);
    else
        buf_print(&line, "%10" PRIu64, f->load->of_node[i]);
    buf_print(&line, " %8.2f %8.2f %7.2f ", 100 * load_of(f, i), 100 * p,
              p > 0 ? load_of(f, i) / p : 0);
    if (width > 4)
        bar(&line, p > 0 ? load_of(f, i) / p : 0, width < 40 ? width : 40);
    add_line(out, &line, f->columns);
    buf_free(&line);
}

static void
keys(const struct frame *f, int most, struct buf *out)
{
    struct buf line = { 0 };
    size_t n, i, len;
    const struct top_slot **list = top_sorted(&f->load->top, &n);

    if (most > 1) {
        buf_str(&line, "hottest keys             requests   % of all  node");
        add_line(out, &line, f->columns);
    }
    for (i = 0; i < n && (int)i < most - 1 && i < KEYS_MOST; i++) {
        const char *key = top_key(&f->load->top, list[i], &len);
        cw_node node = { .name = "(none)" };

        if (list[i]->node != CW_NONE)
            cw_map_node(f->map, list[i]->node, &node);
        line.len = 0;
        pad(&line, key, len, 24);
        buf_print(&line, " %9" PRIu64 "   %8.2f  %s", list[i]->requests,
                  100 * (double)list[i]->requests
                  / (double)f->load->requests, node.name);
        add_line(out, &line, f->columns);
    }
    buf_free(&line);
    mem_free(list);
}

void
frame_text(const struct frame *f, struct buf *out)
{
    uint32_t n = f->shares->count, i;
    struct row *rows = mem_alloc(n ? n : 1, sizeof *rows);
    struct buf line = { 0 };
    int left = f->rows - 2, nodes;

    head(f, out);
    buf_print(&line, "%-20s%10s %8s %8s %7s", "node",
              f->seconds > 0 ? "now/s" : "requests", "load %", "arcs %",
              "ratio");
    add_line(out, &line, f->columns);
    buf_free(&line);
    for (i = 0; i < n; i++) {
        rows[i].node = i;
        rows[i].load = load_of(f, i);
    }
    qsort(rows, n, sizeof *rows, most_first);
    nodes = f->keys && left > 12 ? left - 8 : left;
    nodes = (uint32_t)nodes > n ? (int)n : nodes;
    for (i = 0; (int)i < nodes; i++)
        node_row(f, rows[i].node, out);
    if (f->keys && f->load->requests > 0)
        keys(f, left - nodes, out);
    mem_free(rows);
}
