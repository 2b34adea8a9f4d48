/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_top.c - the load of a fleet as it is now: from evidence that streams
 * in, or by asking the nodes for their counters. */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/evidence/packets.h"
#include "cli/top/frame.h"

enum { ONCE = CLI_OWN, POLL, INTERVAL, MARGIN, LIVE };

/* Events between two looks at the clock and the keyboard. */
enum { EVENTS = 1024 };

static const struct opt_spec options[] = {
    { 'e', "evidence", "FILE",      CLI_KEYS },
    { 0,   "live",     "INTERFACE", LIVE },
    { 0,   "poll",     NULL,        POLL },
    { 0,   "once",     NULL,        ONCE },
    { 0,   "interval", "SECONDS",   INTERVAL },
    { 0,   "margin",   "PERCENT",   MARGIN },
    EVIDENCE_OPTIONS,
    { 0,   NULL,       NULL,        0 }
};

struct top_view {
    struct cli     *c;
    const char     *evidence;
    const char     *live;
    bool            poll;
    bool            once;
    bool            screen;         /* curses has begun                     */
    bool            quit;
    unsigned        interval;
    unsigned        events;         /* since the last look at the clock     */
    struct evidence_args how;
    struct frame    f;
    struct load     load;
    uint64_t       *before;         /* carried at the last frame            */
    struct evidence *reader;
    struct timespec last;           /* when that was                        */
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
        int look = row >= FRAME_HEAD ? A_NORMAL
                 : row == FRAME_HEAD - 1 && frame_exceeds(f)
                   ? A_BOLD | A_REVERSE : A_BOLD;

        stop = strchr(line, '\n');
        *stop = '\0';
        attron(look);
        mvaddstr(row++, 0, line);
        attroff(look);
    }
    mvaddnstr(f->rows, 0, "q quit   r start anew", f->columns - 1);
    refresh();
    buf_free(&text);
}

/* Everything that was counted is forgotten. */
static void
start_anew(struct top_view *v)
{
    struct counted *kept = v->load.counted;
    uint32_t i, n = v->f.shares->count;

    v->load.counted = NULL;
    load_clear(&v->load);
    load_init(&v->load, v->f.map);
    v->load.only_since = v->poll;
    for (i = 0; i < n && v->poll; i++) {
        memcpy(v->load.counted[i].last, kept[i].last, sizeof kept[i].last);
        memcpy(v->load.counted[i].seen, kept[i].seen, sizeof kept[i].seen);
    }
    memset(v->before, 0, n * sizeof *v->before);
    mem_free(kept);
}

/* Keys that were pressed, and whether the window has another size. */
static bool
keyboard(struct top_view *v)
{
    bool now = false;
    int key;

    while ((key = getch()) != ERR) {
        v->quit |= key == 'q' || key == 'Q';
        if (key == 'r' || key == 'R')
            start_anew(v);
        now = true;
    }
    return now;
}

/* A frame if it is time; false when the user is done. */
static bool
step(struct top_view *v)
{
    double seconds = since(&v->last);
    bool now;

    v->events = 0;
    if (!v->screen)
        return true;
    now = keyboard(v);
    if (!now && seconds < v->interval)
        return !v->quit;
    load_carry(&v->load, v->f.map);
    if (seconds >= v->interval)
        v->f.seconds = seconds;
    screen_draw(&v->f);
    if (seconds >= v->interval) {
        memcpy(v->before, v->load.carried,
               v->f.shares->count * sizeof *v->before);
        clock_gettime(CLOCK_MONOTONIC, &v->last);
    }
    return !v->quit;
}

static void
screen_begin(struct top_view *v)
{
    FILE *tty = fopen("/dev/tty", "r");

    /* Bars are UTF-8; numbers go on being written with a point. */
    setlocale(LC_CTYPE, "");
    v->f.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
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
    if (++v->events == EVENTS)
        v->reader->stop = !step(v);
}

static void
take_sample(void *context, const struct sample *s)
{
    struct top_view *v = context;

    counted_sample(&v->load, v->f.map, CW_NONE, s);
}

static bool
idle(void *context)
{
    return step(context);
}

static int
from_evidence(struct top_view *v)
{
    struct evidence *e = mem_alloc(1, sizeof *e);
    const char *name = v->live ? v->live : v->evidence;
    bool ok;

    memset(e, 0, sizeof *e);
    v->reader = e;
    e->event = take;
    e->sample_of = take_sample;
    e->idle = v->screen ? idle : NULL;
    e->context = v;
    e->args = &v->how;
    if (v->live)
        ok = packets_live(e, v->live, v->once ? v->interval : 0);
    else
        ok = evidence_read(e, v->evidence);
    if (ok && !v->screen && !v->c->quiet)
        evidence_report(&e->tally, name);
    while (ok && v->screen && step(v))
        napms(100);         /* all was read: the picture stays */
    mem_free(e);
    return ok ? CLI_DONE : CLI_IO;
}

/* ---- counters of the nodes ---------------------------------------------- */

/* Wait for a part of a second, or until the interval is over. */
static bool
wait_turn(struct top_view *v)
{
    struct timespec part = { 0, 100 * 1000000L };
    struct timespec begun;

    clock_gettime(CLOCK_MONOTONIC, &begun);
    while (since(&begun) < v->interval) {
        if (v->screen && keyboard(v)) {
            if (v->quit)
                return false;
            screen_draw(&v->f);
        }
        nanosleep(&part, NULL);
    }
    return true;
}

static void
say_down(const struct poller *p)
{
    uint32_t i;
    cw_node node;

    for (i = 0; i < cw_map_count(p->map); i++) {
        cw_map_node(p->map, i, &node);
        if (p->nodes[i].down)
            cli_say("node %s: %s", node.name, p->nodes[i].error);
    }
}

/* Once: two rounds, and the frame of what came between. A node that is down
 * fails that; on the screen it is shown as down until it is back. */
static int
from_nodes(struct top_view *v)
{
    struct poller p;
    uint32_t down;
    char port[8];

    snprintf(port, sizeof port, "%u", v->how.port_count ? v->how.ports[0]
                                                        : 11211);
    poll_init(&p, v->f.map, &v->load, port);
    v->f.polled = p.nodes;
    v->load.only_since = true;
    down = poll_round(&p);
    while (wait_turn(v)) {
        down += poll_round(&p);
        v->f.seconds = since(&v->last);
        if (v->once)
            break;
        step(v);
    }
    if (v->once && down > 0)
        say_down(&p);
    v->f.polled = NULL;
    poll_free(&p);
    return v->once && down > 0 ? CLI_IO : CLI_DONE;
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
        case LIVE:      v->live = value;       break;
        case ONCE:      v->once = true;        break;
        case POLL:      v->poll = true;        break;
        case INTERVAL:
        case MARGIN:
            if (!str_uint(value, strlen(value), 10000, &n)
                || (id == INTERVAL && n == 0))
                return cli_usage(c, "--%s %s: expected a whole number",
                                 id == INTERVAL ? "interval" : "margin",
                                 value);
            if (id == INTERVAL)
                v->interval = (unsigned)n;
            else
                v->f.margin = (double)n / 100;
            break;
        default:
            if (evidence_option(c, &v->how, id) != CLI_DONE)
                return c->status;
        }
    }
    if (c->source_count != 1)
        return cli_usage(c, "%d fleets are given; expected one",
                         c->source_count);
    if (v->poll + (v->evidence != NULL) + (v->live != NULL) != 1)
        return cli_usage(c, "expected --evidence FILE, --live INTERFACE or "
                         "--poll");
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
    memset(v->before, 0, n * sizeof *v->before);
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
        load_carry(&v->load, map);
        frame_text(&v->f, &text);
        out_add(&v->c->out, text.data, text.len);
        status = frame_exceeds(&v->f) ? CLI_NO : CLI_DONE;
    }
    buf_free(&text);
    mem_free(v->before);
    load_clear(&v->load);
    cw_shares_free(shares);
    return status;
}

static int
run(struct cli *c)
{
    struct top_view v = {
        .c = c, .interval = 1, .f = { .margin = 0.25 }
    };
    struct load_sets none = { NULL, 0 };
    struct loaded fleet;
    int status = read_options(&v);
    struct load_sets sets = { c->sets, c->set_count };

    if (status != CLI_DONE || c->stop) {
        evidence_args_free(&v.how);
        return c->status;
    }
    status = load_source(&c->sources[0], sets, none, &fleet);
    if (status != CLI_DONE) {
        evidence_args_free(&v.how);
        return status;
    }
    if (cw_map_count(fleet.map) == 0) {
        cli_say("top: the fleet has no node");
        status = CLI_NO;
    } else {
        status = watch(&v, fleet.map);
    }
    load_free(&fleet);
    evidence_args_free(&v.how);
    return status;
}

const struct cmd cmd_top = {
    "top", "show the load of the nodes as it is now",
    "-e FILE | --live INTERFACE | --poll [--once] FLEET",
    "  Nodes by load, with rate, share, ratio to what their arcs predict, and "
    "the\n"
    "  hottest keys; the second line says whether a node is hot. q quits, r "
    "starts\n"
    "  anew.\n"
    "  -e, --evidence FILE  as in clockwise diagnose; \"-\" reads as it "
    "comes\n"
    "      --live INTERFACE  traffic as it passes\n"
    "      --poll     ask the nodes (memcached or Redis) for their counters\n"
    "      --once     print one frame; exit 1 when a node has more than the "
    "margin\n"
    "      --margin PERCENT  above its arcs (default: 25), and beyond "
    "chance\n"
    "      --interval SECONDS  between frames (default: 1)\n"
    "      --format NAME, --field NUMBER, --regex EXPRESSION, --port NUMBER  "
    "as in\n"
    "                 clockwise diagnose\n",
    options, true, run
};
