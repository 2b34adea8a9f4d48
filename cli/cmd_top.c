/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_top.c - the load of a fleet as it is now: from evidence that streams
 * in, or by asking the nodes for their counters. */
#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/ask/ask.h"
#include "cli/top/frame.h"

enum { ONCE = CLI_OWN, POLL, INTERVAL, MARGIN, FORMAT, PORT };

static const struct opt_spec options[] = {
    { 'e', "evidence", "FILE",    CLI_KEYS },
    { 0,   "poll",     NULL,      POLL },
    { 0,   "once",     NULL,      ONCE },
    { 0,   "interval", "SECONDS", INTERVAL },
    { 0,   "margin",   "PERCENT", MARGIN },
    { 0,   "format",   "NAME",    FORMAT },
    { 0,   "port",     "PORT",    PORT },
    { 0,   NULL,       NULL,      0 }
};

struct top_view {
    struct cli    *c;
    const char    *evidence;
    const char    *format;
    const char    *port;
    bool           poll;
    bool           once;
    bool           screen;          /* curses has begun                     */
    unsigned       interval;
    struct frame   f;
    struct load    load;
    uint64_t      *before;          /* of_node at the last frame            */
    uint64_t      *counter;         /* last answer of each node             */
    struct evidence *reader;
    struct timespec last;
};

static double
since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec)
           + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

/* ---- the screen --------------------------------------------------------- */

static void
screen_line(const struct frame *f, int row, char *line)
{
    bool loud = row == 0 && frame_exceeds(f);

    if (row == 0)
        attron(loud ? A_BOLD | A_REVERSE : A_BOLD);
    mvaddstr(row, 0, line);
    if (row == 0)
        attroff(A_BOLD | A_REVERSE);
}

static void
screen_draw(struct frame *f)
{
    struct buf text = { 0 };
    char *line, *stop;
    int row = 0;

    getmaxyx(stdscr, f->rows, f->columns);
    f->rows--;
    frame_text(f, &text);
    erase();
    for (line = text.data; line != NULL && *line != '\0'; line = stop + 1) {
        stop = strchr(line, '\n');
        *stop = '\0';
        screen_line(f, row++, line);
    }
    mvaddstr(f->rows, 0, "q: quit");
    refresh();
    buf_free(&text);
}

/* A frame if it is time; false when the user is done. */
static bool
step(struct top_view *v, bool now)
{
    uint32_t i;
    int key;

    if (!v->screen)
        return true;
    while ((key = getch()) != ERR)
        if (key == 'q' || key == 'Q')
            return false;
    v->f.seconds = since(&v->last);
    if (!now && v->f.seconds < v->interval)
        return true;
    screen_draw(&v->f);
    for (i = 0; i < v->f.shares->count; i++)
        v->before[i] = v->load.of_node[i];
    clock_gettime(CLOCK_MONOTONIC, &v->last);
    return true;
}

static void
screen_begin(struct top_view *v)
{
    FILE *tty = fopen("/dev/tty", "r");

    /* Bars are UTF-8; numbers go on being written with a point. */
    setlocale(LC_CTYPE, "");
    if (tty == NULL || newterm(NULL, stdout, tty) == NULL)
        return;
    cbreak();
    noecho();
    nodelay(stdscr, TRUE);
    curs_set(0);
    v->screen = true;
}

/* ---- evidence ----------------------------------------------------------- */

static void
take(void *context, const struct event *e)
{
    struct top_view *v = context;

    load_event(&v->load, v->f.map, false, CW_NONE, e);
    if (!step(v, false))
        v->reader->stop = true;
}

static int
from_evidence(struct top_view *v)
{
    bool ok;

    v->reader = mem_alloc(1, sizeof *v->reader);
    memset(v->reader, 0, sizeof *v->reader);
    v->reader->event = take;
    v->reader->context = v;
    v->f.keys = true;
    ok = evidence_read(v->reader, v->evidence, v->format);
    if (ok && !v->screen)
        evidence_report(&v->reader->tally, v->evidence);
    while (ok && v->screen && !v->reader->stop && step(v, false))
        napms(100);         /* all was read: the picture stays */
    mem_free(v->reader);
    return ok ? CLI_DONE : CLI_IO;
}

/* ---- counters of the nodes ---------------------------------------------- */

/* The number in a line "STAT name 12" or "name:12". */
static bool
counter(const char *line, size_t len, const char *name, uint64_t *out)
{
    size_t n = strlen(name), at = 0;

    if (len > 5 && memcmp(line, "STAT ", 5) == 0)
        at = 5;
    return len > at + n + 1 && memcmp(line + at, name, n) == 0
           && (line[at + n] == ' ' || line[at + n] == ':')
           && str_uint(line + at + n + 1, len - at - n - 1, UINT64_MAX, out);
}

/* Requests that a node has answered since it started. */
static bool
requests_of(struct ask *a, uint64_t *out)
{
    static const char *const names[] = {
        "cmd_get", "cmd_set", "cmd_touch", "total_commands_processed"
    };
    const char *line;
    size_t len, i;
    uint64_t x;

    *out = 0;
    if (!ask_send(a, a->redis ? "INFO stats\r\n" : "stats\r\n",
                  a->redis ? 12 : 7))
        return false;
    for (;;) {
        if (!ask_line(a, &line, &len))
            return false;
        for (i = 0; i < sizeof names / sizeof *names; i++)
            if (counter(line, len, names[i], &x))
                *out += x;
        /* memcached ends with END, Redis with a line that is empty */
        if ((len == 3 && memcmp(line, "END", 3) == 0)
            || (a->redis && len == 0))
            return true;
    }
}

static int
poll_all(struct top_view *v, bool first)
{
    int status = CLI_DONE;
    uint32_t i;

    for (i = 0; i < v->f.shares->count; i++) {
        uint64_t now;
        struct ask a;
        cw_node node;

        cw_map_node(v->f.map, i, &node);
        if (ask_open(&a, node.address_len ? node.address : node.name,
                     v->port) && requests_of(&a, &now)) {
            if (!first && now >= v->counter[i]) {
                v->load.of_node[i] += now - v->counter[i];
                v->load.requests += now - v->counter[i];
            }
            v->counter[i] = now;
        } else {
            if (first)
                cli_say("node %s: %s", node.name, a.error);
            status = CLI_IO;
        }
        ask_close(&a);
    }
    return status;
}

static void
nap(unsigned seconds)
{
    struct timespec t = { (time_t)seconds, 0 };

    nanosleep(&t, NULL);
}

static int
from_nodes(struct top_view *v)
{
    int status = poll_all(v, true);

    if (status != CLI_DONE && v->once)
        return status;
    do {
        nap(v->interval);
        status = poll_all(v, false);
        v->f.seconds = v->interval;
    } while (!v->once && step(v, true));
    return status;
}

/* ---- the command -------------------------------------------------------- */

static int
read_options(struct top_view *v)
{
    struct cli *c = v->c;
    uint64_t n;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        const char *value = c->opt.value;

        switch (id) {
        case OPT_ERROR: return c->status;
        case CLI_KEYS:  v->evidence = value;   break;
        case ONCE:      v->once = true;        break;
        case POLL:      v->poll = true;        break;
        case PORT:      v->port = value;       break;
        case FORMAT:
            v->format = value;
            if (evidence_find(value) == NULL)
                return cli_usage(c, "--format %s: unknown; clockwise list "
                                 "evidence names them", value);
            break;
        default:
            if (!str_uint(value, strlen(value), 10000, &n)
                || (id == INTERVAL && n == 0))
                return cli_usage(c, "--%s %s: expected a whole number",
                                 id == INTERVAL ? "interval" : "margin",
                                 value);
            if (id == INTERVAL)
                v->interval = (unsigned)n;
            else
                v->f.margin = (double)n / 100;
        }
    }
    if (c->source_count != 1)
        return cli_usage(c, "%d fleets are given; expected one",
                         c->source_count);
    if (v->poll == (v->evidence != NULL))
        return cli_usage(c, "expected --evidence FILE or --poll");
    return CLI_DONE;
}

static int
watch(struct top_view *v, const cw_map *map)
{
    size_t n = cw_map_count(map) + 1;
    cw_shares *shares;
    struct buf text = { 0 };
    int status;

    if (cw_shares_new(map, &shares) != CW_OK)
        mem_fail();
    load_init(&v->load, map);
    v->f.map = map;
    v->f.shares = shares;
    v->f.load = &v->load;
    v->f.columns = 80;
    v->f.rows = 24;
    v->before = mem_alloc(n, sizeof *v->before);
    v->counter = mem_alloc(n, sizeof *v->counter);
    memset(v->before, 0, n * sizeof *v->before);
    memset(v->counter, 0, n * sizeof *v->counter);
    v->f.before = v->before;
    clock_gettime(CLOCK_MONOTONIC, &v->last);
    if (!v->once && isatty(STDOUT_FILENO))
        screen_begin(v);
    if (!v->screen)
        v->once = true;
    status = v->poll ? from_nodes(v) : from_evidence(v);
    if (v->screen)
        endwin();
    if (v->once && status == CLI_DONE) {
        frame_text(&v->f, &text);
        out_add(&v->c->out, text.data, text.len);
        status = frame_exceeds(&v->f) ? CLI_NO : CLI_DONE;
    }
    buf_free(&text);
    mem_free(v->before);
    mem_free(v->counter);
    load_clear(&v->load);
    cw_shares_free(shares);
    return status;
}

static int
run(struct cli *c)
{
    struct top_view v = {
        .c = c, .interval = 1, .port = "11211", .f = { .margin = 0.25 }
    };
    struct load_sets none = { NULL, 0 };
    struct loaded fleet;
    int status = read_options(&v);
    struct load_sets sets = { c->sets, c->set_count };

    if (status != CLI_DONE || c->stop)
        return c->status;
    status = load_source(&c->sources[0], sets, none, &fleet);
    if (status != CLI_DONE)
        return status;
    if (cw_map_count(fleet.map) == 0) {
        cli_say("top: the fleet has no node");
        status = CLI_NO;
    } else {
        status = watch(&v, fleet.map);
    }
    load_free(&fleet);
    return status;
}

const struct cmd cmd_top = {
    "top", "show the load of the nodes as it is now",
    "-e FILE | --poll [--once] FLEET",
    "  Nodes by load, with rate, share, ratio to what their arcs predict, and "
    "the\n"
    "  hottest keys; the first line says which node is hot. q quits.\n"
    "  -e, --evidence FILE  as in clockwise diagnose; \"-\" reads as it "
    "comes\n"
    "      --poll     ask the nodes (memcached or Redis) for their counters\n"
    "      --once     print one frame; exit 1 when a node has more than the "
    "margin\n"
    "      --margin PERCENT  above its arcs (default: 25), and beyond "
    "chance\n"
    "      --interval SECONDS  between frames (default: 1)\n"
    "      --format NAME  of the evidence; --port PORT of addresses without "
    "one\n",
    options, true, run
};
