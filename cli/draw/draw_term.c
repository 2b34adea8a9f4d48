/* SPDX-License-Identifier: Apache-2.0 */
/* draw_term.c - the ring in characters: a letter a node round a circle, and
 * its exact shares as bars. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "cli/draw/view.h"
#include "cli/show.h"

#define PI 3.14159265358979323846

enum { ROWS = 21, COLS = 43, LISTED = 40, BAR = 24, NAME = 24 };

/* One letter a node; beyond 62 nodes they come again. */
static char
letter(uint32_t i)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    return letters[i % (sizeof letters - 1)];
}

static void
colored(struct out *out, bool color, uint32_t i, const char *text)
{
    static const uint8_t codes[] = {
        33, 214, 36, 176, 117, 202, 142, 245, 75, 136, 79, 133, 31, 130, 100,
        240
    };

    if (color)
        out_print(out, "\033[38;5;%um%s\033[0m",
                  (unsigned)codes[i % sizeof codes], text);
    else
        out_str(out, text);
}

/* The owner at a character's place, CW_NONE inside and outside the band. */
static uint32_t
owner_at(const struct ring_view *v, int row, int col)
{
    double y = (row - (ROWS - 1) / 2.0) / ((ROWS - 1) / 2.0);
    double x = (col - (COLS - 1) / 2.0) / ((COLS - 1) / 2.0);
    double r = sqrt(x * x + y * y), turn = atan2(x, -y) / (2 * PI);

    if (r > 1.03 || r < 0.78)
        return CW_NONE;
    return ring_view_owner(v, turn < 0 ? turn + 1 : turn, 0);
}

static void
circle(const struct ring_view *v, struct out *out, int columns, bool color)
{
    int row, col, indent = columns > COLS + 4 ? 2 : 0;

    for (row = 0; row < ROWS; row++) {
        int blanks = indent;

        for (col = 0; col < COLS; col++) {
            uint32_t owner = owner_at(v, row, col);
            char text[2] = { 0, 0 };

            if (owner == CW_NONE) {
                blanks++;
                continue;
            }
            for (; blanks > 0; blanks--)
                out_char(out, ' ');
            text[0] = letter(owner);
            colored(out, color, owner, text);
        }
        out_char(out, '\n');
    }
}

/* A bar of eighths of a character. */
static void
bar(struct out *out, bool color, uint32_t i, double part)
{
    static const char *const eighth[] = {
        "", "▏", "▎", "▍", "▌", "▋", "▊", "▉"
    };
    char text[3 * BAR + 8] = "";
    int units = (int)(part * BAR * 8 + 0.5), k;

    units = units > BAR * 8 ? BAR * 8 : units;
    for (k = 0; k < units / 8; k++)
        memcpy(text + 3 * k, "█", 4);
    memcpy(text + 3 * (units / 8), eighth[units % 8],
           strlen(eighth[units % 8]) + 1);
    colored(out, color, i, text);
    for (k = (units + 7) / 8; k < BAR; k++)
        out_char(out, ' ');
}

static void
name(struct out *out, const cw_node *node)
{
    struct buf b = { 0 };

    show_padded(&b, node->name, node->name_len, NAME);
    out_add(out, b.data, b.len);
    buf_free(&b);
}

static void
list(const struct draw *d, struct out *out, bool color)
{
    const struct ring_view *v = d->diff ? &d->after : &d->now;
    uint32_t n = cw_map_count(v->map), i;
    double most = 0;

    for (i = 0; i < n; i++)
        most = v->shares->part[i] > most ? v->shares->part[i] : most;
    for (i = 0; i < n && i < LISTED; i++) {
        char text[2] = { letter(i), 0 };
        cw_node node;

        cw_map_node(v->map, i, &node);
        out_str(out, "  ");
        colored(out, color, i, text);
        out_char(out, ' ');
        name(out, &node);
        out_char(out, ' ');
        bar(out, color, i, most > 0 ? v->shares->part[i] / most : 0);
        out_print(out, " %7.3f %%  x%.3f\n", 100 * v->shares->part[i],
                  v->shares->fair[i] > 0
                  ? v->shares->part[i] / v->shares->fair[i] : 0.0);
    }
    if (n > LISTED)
        out_print(out, "  and %" PRIu32 " more; clockwise share lists all\n",
                  n - LISTED);
}

void
draw_term(const struct draw *d, struct out *out, int columns, bool color)
{
    const struct ring_view *v = d->diff ? &d->after : &d->now;

    if (cw_map_points(v->map) > 0)
        out_print(out, "%" PRIu32 " nodes, %" PRIu64 " points, ",
                  cw_map_count(v->map), cw_map_points(v->map));
    else
        out_print(out, "%" PRIu32 " nodes, ", cw_map_count(v->map));
    out_print(out, "max/avg %.3f, min/avg %.3f", v->shares->balance.max_avg,
              v->shares->balance.min_avg);
    if (d->diff)
        out_print(out, "; %.2f %% of the keys move, %.2f %% would do",
                  100 * d->diff->moved, 100 * d->diff->ideal);
    out_char(out, '\n');
    circle(v, out, columns, color);
    list(d, out, color);
}
