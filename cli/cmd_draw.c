/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_draw.c - the ring as a picture, or in the terminal. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/draw/view.h"
#include "cli/keys.h"
#include "cli/load_fleet.h"

enum { SVG = CLI_OWN, REPLICAS };

static const struct opt_spec options[] = {
    { 'k', "keys",     "FILE",  CLI_KEYS },
    { '0', "null",     NULL,    CLI_KEYS + 1 },
    { 0,   "hex",      NULL,    CLI_KEYS + 2 },
    { 0,   "svg",      "FILE",  SVG },
    { 'r', "replicas", "COUNT", REPLICAS },
    { 0,   NULL,       NULL,    0 }
};

struct args {
    struct cli      *c;
    struct keys_args keys;
    const char      *svg;
    uint32_t         replicas;
};

static int
read_options(struct args *a)
{
    struct cli *c = a->c;
    uint64_t n;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        if (keys_option(&a->keys, id, c->opt.value))
            continue;
        if (id == SVG) {
            a->svg = c->opt.value;
        } else if (str_uint(c->opt.value, strlen(c->opt.value), 8, &n)
                   && n > 0) {
            a->replicas = (uint32_t)n;
        } else {
            return cli_usage(c, "--replicas %s: expected 1 to 8",
                             c->opt.value);
        }
    }
    if (c->source_count != 1 && c->source_count != 2)
        return cli_usage(c, "%d fleets are given; expected one, or OLD and "
                         "NEW", c->source_count);
    return CLI_DONE;
}

/* Keys in each part of the ring. */
static int
count_keys(struct args *a, struct draw *d)
{
    const cw_map *map = d->diff ? d->after.map : d->now.map;
    struct keys k;
    size_t n, i;
    int status;

    if (a->keys.file == NULL)
        return CLI_DONE;
    status = keys_open(&k, a->c, &a->keys, NULL, 0, cw_map_top(map));
    if (status != CLI_DONE)
        return status;
    d->load = mem_alloc(VIEW_LOADS, sizeof *d->load);
    memset(d->load, 0, VIEW_LOADS * sizeof *d->load);
    while ((n = keys_next(&k)) > 0) {
        for (i = 0; i < n; i++) {
            uint64_t hash;
            double turn;

            if (cw_map_hash(map, k.key[i].data, k.key[i].len, &hash)
                != CW_OK)
                continue;
            turn = ring_view_turn(map, cw_map_position(map, hash));
            d->load[(unsigned)(turn * VIEW_LOADS) % VIEW_LOADS]++;
        }
        d->keys += n;
    }
    return keys_close(&k);
}

static int
write_svg(const struct draw *d, const char *path)
{
    struct out out;

    cli_file_open(&out, path);
    draw_svg(d, &out);
    return cli_file_close(&out, path, "the picture");
}

static int
terminal_columns(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

static bool
terminal_color(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && (none == NULL || *none == '\0')
           && term != NULL && strcmp(term, "dumb") != 0;
}

static int
show(struct args *a, struct loaded *fleet)
{
    struct cli *c = a->c;
    struct draw d = { .replicas = a->replicas };
    int status = CLI_DONE, i;

    for (i = 0; i < c->source_count; i++) {
        struct ring_view *v = i ? &d.after : &d.now;
        cw_row row;

        cw_map_row(fleet[i].map, &row);
        if (!ring_view_init(v, fleet[i].map)) {
            cli_say("%s has no arcs to draw: a key's node is computed, not "
                    "found on a ring; see: clockwise share", row.name);
            status = CLI_NO;
        }
    }
    if (status == CLI_DONE && c->source_count == 2
        && cw_diff_new(fleet[0].map, fleet[1].map, &d.diff) != CW_OK)
        mem_fail();
    if (status == CLI_DONE)
        status = count_keys(a, &d);
    if (status == CLI_DONE && a->svg != NULL)
        status = write_svg(&d, a->svg);
    else if (status == CLI_DONE)
        draw_term(&d, &c->out, terminal_columns(), terminal_color());
    cw_diff_free(d.diff);
    mem_free(d.load);
    ring_view_free(&d.now);
    ring_view_free(&d.after);
    return status;
}

static int
run(struct cli *c)
{
    struct args a = { .c = c, .replicas = 1 };
    struct loaded fleet[2] = { { .map = NULL }, { .map = NULL } };
    struct load_sets none = { NULL, 0 };
    int status = read_options(&a), i;
    struct load_sets sets = { c->sets, c->set_count };

    for (i = 0; i < c->source_count && status == CLI_DONE && !c->stop; i++)
        status = load_source(&c->sources[i], sets, none, &fleet[i]);
    if (status == CLI_DONE && !c->stop)
        status = show(&a, fleet);
    for (i = 0; i < 2; i++)
        if (fleet[i].map != NULL)
            load_free(&fleet[i]);
    return status;
}

const struct cmd cmd_draw = {
    "draw", "draw the ring, in the terminal or as an SVG picture",
    "[--svg FILE] FLEET | OLD NEW",
    "  A circle with a letter a node and the exact shares as bars; with two "
    "fleets\n"
    "  the new ring and what moves.\n"
    "      --svg FILE  write a picture: arcs by node, points, shares against "
    "fair; of\n"
    "                 two fleets both rings and, between them, what moves\n"
    "  -r, --replicas COUNT  further rings inside: the next owners\n"
    "  -k, --keys FILE  bars outside: keys in each part of the ring; -0, "
    "--hex as in\n"
    "                 clockwise route\n",
    options, true, run
};
