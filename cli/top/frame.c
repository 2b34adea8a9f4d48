/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/width.h"
#include "cli/show.h"

enum {
    NAME = 20, NAME_WIDE = 40, KEYS_MOST = 10, KEYS_SHARE = 3,
    NUMBERS = 36,               /* columns of rate, shares and ratio        */
    COUNTED = 34,               /* of hit rate, evictions and items         */
    WIDE = 120, BAR_LEAST = 5, BAR_KEPT = 12, BAR_MOST = 60
};

static double
load_of(const struct frame *f, uint32_t i)
{
    return f->load->carried_all > 0 ? (double)f->load->carried[i]
                                      / (double)f->load->carried_all : 0;
}

static int
usual_width(const struct frame *f)
{
    return f->columns >= WIDE ? NAME_WIDE : NAME;
}

static bool
shows_counted(const struct frame *f)
{
    return f->load->samples > 0 && f->columns >= WIDE;
}

/* More than usual for long names, as far as a short bar has room. */
static int
name_width(const struct frame *f)
{
    int least = usual_width(f), width = least, most = f->columns - NUMBERS
              - 1 - BAR_KEPT - (shows_counted(f) ? COUNTED : 0);
    size_t columns;
    uint32_t i;
    cw_node node;

    for (i = 0; i < f->shares->count && width < most; i++) {
        cw_map_node(f->map, i, &node);
        columns = width_text(node.name, node.name_len);
        if (columns > (size_t)width)
            width = columns < (size_t)most ? (int)columns : most;
    }
    return width;
}

static bool
is_down(const struct frame *f, uint32_t i)
{
    return f->polled != NULL && f->polled[i].down;
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

    if (worst <= 1 + f->margin || f->load->carried_all == 0)
        return false;
    p = f->shares->part[node];
    n = (double)f->load->carried_all;
    return (load_of(f, node) - p) > 4 * sqrt(p * (1 - p) / n);
}

/* At most `width` columns of a line, cut between characters. */
static void
add_line(struct buf *out, const struct buf *line, int width)
{
    const char *s = line->data ? line->data : "";

    buf_add(out, s, width_cut(s, line->len, width > 0 ? (size_t)width : 0));
    buf_char(out, '\n');
}

/* The middle is what the arcs predict. */
static void
bar(const struct frame *f, struct buf *b, double ratio, int width)
{
    int full = (int)(ratio / 2 * width + 0.5), i;

    for (i = 0; i < width; i++) {
        if (i >= full)
            buf_str(b, i == width / 2 ? "|" : " ");
        else if (i < width / 2)
            buf_str(b, f->ascii ? "#" : "█");
        else
            buf_str(b, f->ascii ? "+" : "▓");
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

/* max/avg of the load, and of what the arcs predict. */
static void
max_avg(const struct frame *f, double *seen, double *predicted)
{
    uint32_t i;

    *seen = *predicted = 0;
    for (i = 0; i < f->shares->count; i++) {
        double n = f->shares->count, p = f->shares->part[i];

        *seen = load_of(f, i) * n > *seen ? load_of(f, i) * n : *seen;
        *predicted = p * n > *predicted ? p * n : *predicted;
    }
}

/* The standing signal, in fewer words where all do not fit. */
static void
signal_line(const struct frame *f, struct buf *line)
{
    static const char lead[] = "furthest: ", tail[] = " times its arcs";
    struct buf ratio = { 0 };
    double seen, predicted;
    uint32_t node;
    cw_node of;
    int room;
    bool all;

    buf_print(&ratio, ", %.2f", frame_worst(f, &node));
    max_avg(f, &seen, &predicted);
    cw_map_node(f->map, node, &of);
    buf_print(line, "%s  max/avg %.2f, the arcs say %.2f; ",
              frame_exceeds(f) ? "HOT " : "even", seen, predicted);
    room = f->columns - (int)(line->len + ratio.len + sizeof tail - 1);
    all = room >= (int)(width_text(of.name, of.name_len) + sizeof lead - 1);
    if (all)
        buf_str(line, lead);
    else
        room = f->columns - (int)(line->len + ratio.len + strlen(" times"));
    show_cut(line, of.name, of.name_len, room);
    buf_print(line, "%s%s", ratio.data, all ? tail : " times");
    buf_free(&ratio);
}

static void
head(const struct frame *f, struct buf *out)
{
    struct buf line = { 0 };
    uint64_t now = 0;
    uint32_t i, down = 0;

    for (i = 0; i < f->shares->count; i++) {
        now += f->load->carried[i] - f->before[i];
        down += is_down(f, i);
    }
    buf_print(&line, "clockwise top  %" PRIu32 " nodes  %" PRIu64
              " requests", f->shares->count, f->load->carried_all);
    if (f->seconds > 0)
        buf_print(&line, "  %.0f/s", (double)now / f->seconds);
    if (down > 0)
        buf_print(&line, "  %" PRIu32 " DOWN", down);
    add_line(out, &line, f->columns);
    line.len = 0;
    if (f->load->carried_all == 0)
        buf_str(&line, "no request yet");
    else
        signal_line(f, &line);
    add_line(out, &line, f->columns);
    buf_free(&line);
}

static void
counted_columns(const struct frame *f, uint32_t i, struct buf *line)
{
    const struct counted *c = &f->load->counted[i];
    uint64_t hits, misses, x;

    if (counted_value(c, COUNT_HITS, &hits)
        && counted_value(c, COUNT_MISSES, &misses) && hits + misses > 0)
        buf_print(line, " %7.2f", 100 * (double)hits
                                  / (double)(hits + misses));
    else
        buf_print(line, " %7s", "-");
    if (counted_value(c, COUNT_EVICTIONS, &x))
        buf_print(line, " %12" PRIu64, x);
    else
        buf_print(line, " %12s", "-");
    if (counted_value(c, COUNT_ITEMS, &x))
        buf_print(line, " %12" PRIu64, x);
    else
        buf_print(line, " %12s", "-");
}

static void
node_row(const struct frame *f, uint32_t i, struct buf *out)
{
    struct buf line = { 0 };
    double p = f->shares->part[i];
    int width = f->columns - name_width(f) - NUMBERS - 1
                - (shows_counted(f) ? COUNTED : 0);
    cw_node node;

    cw_map_node(f->map, i, &node);
    show_padded(&line, node.name, node.name_len, name_width(f));
    if (is_down(f, i))
        buf_print(&line, "%10s", "down");
    else if (f->seconds > 0)
        buf_print(&line, "%10.0f", (double)(f->load->carried[i]
                                           - f->before[i]) / f->seconds);
    else
        buf_print(&line, "%10" PRIu64, f->load->carried[i]);
    buf_print(&line, " %8.2f %8.2f %7.2f", 100 * load_of(f, i), 100 * p,
              p > 0 ? load_of(f, i) / p : 0);
    if (shows_counted(f))
        counted_columns(f, i, &line);
    buf_char(&line, ' ');
    if (width >= BAR_LEAST)
        bar(f, &line, p > 0 ? load_of(f, i) / p : 0,
            width < BAR_MOST ? width : BAR_MOST);
    add_line(out, &line, f->columns);
    buf_free(&line);
}

static void
column_names(const struct frame *f, struct buf *out)
{
    struct buf line = { 0 };

    buf_print(&line, "%-*s%10s %8s %8s %7s", name_width(f), "node",
              f->seconds > 0 ? "now/s" : "requests", "load %", "arcs %",
              "ratio");
    if (shows_counted(f))
        buf_print(&line, " %7s %12s %12s", "hit %", "evictions", "items");
    add_line(out, &line, f->columns);
    buf_free(&line);
}

static void
keys(const struct frame *f, int most, struct buf *out)
{
    int width = usual_width(f) + 4;
    struct buf line = { 0 };
    size_t n, i, len;
    const struct top_slot **list = top_sorted(&f->load->top, &n);

    buf_print(&line, "%-*s %10s %10s  %s", width, "hottest keys", "requests",
              "% of all", "node");
    add_line(out, &line, f->columns);
    for (i = 0; i < n && (int)i < most - 1; i++) {
        const char *key = top_key(&f->load->top, list[i], &len);
        cw_node node = { .name = "(none)", .name_len = 6 };

        if (list[i]->node != CW_NONE)
            cw_map_node(f->map, list[i]->node, &node);
        line.len = 0;
        show_padded(&line, key, len, width);
        buf_print(&line, " %10" PRIu64 " %10.2f  ", list[i]->requests,
                  100 * (double)list[i]->requests
                  / (double)f->load->requests);
        show_cut(&line, node.name, node.name_len, f->columns - width - 24);
        add_line(out, &line, f->columns);
    }
    buf_free(&line);
    mem_free(list);
}

/* How many lines the keys get of those that are left: what the nodes do not
 * need, a third at least, KEYS_MOST keys and a heading at most. */
static int
lines_of_keys(const struct frame *f, int left)
{
    int spare = left - (int)f->shares->count, lines = left / KEYS_SHARE;

    if (f->load->requests == 0)
        return 0;
    lines = spare > lines ? spare : lines;
    lines = lines > KEYS_MOST + 1 ? KEYS_MOST + 1 : lines;
    return lines > 1 ? lines : 0;
}

void
frame_text(const struct frame *f, struct buf *out)
{
    uint32_t n = f->shares->count, i, down;
    struct row *rows = mem_alloc(n ? n : 1, sizeof *rows);
    int left = f->rows - FRAME_HEAD - 1, hot = lines_of_keys(f, left);
    struct buf line = { 0 };

    head(f, out);
    column_names(f, out);
    for (i = 0; i < n; i++) {
        rows[i].node = i;
        rows[i].load = load_of(f, i);
    }
    qsort(rows, n, sizeof *rows, most_first);
    left -= hot;
    for (i = 0; i < n && left > 0; i++, left--) {
        if (left == 1 && i + 1 < n) {
            buf_print(&line, "... and %" PRIu32 " nodes with less", n - i);
            for (down = 0; i < n; i++)
                down += is_down(f, rows[i].node);
            if (down > 0)
                buf_print(&line, ", %" PRIu32 " of them down", down);
            add_line(out, &line, f->columns);
            break;
        }
        node_row(f, rows[i].node, out);
    }
    if (hot > 0)
        keys(f, hot, out);
    buf_free(&line);
    mem_free(rows);
}
