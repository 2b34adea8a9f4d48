/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - the parts of a plan in their order, its limits and its memory. */
#include "cli/plan/plan.h"

#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static char *
format_args(const char *format, va_list args)
{
    struct buf b = { 0 };

    buf_vprint(&b, format, args);
    if (b.data == NULL)
        buf_str(&b, "");
    return b.data;
}

char *
plan_format(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = format_args(format, args);
    va_end(args);
    return text;
}

char *
plan_name(const cw_node *node)
{
    struct buf b = { 0 };

    str_escape(&b, node->name, node->name_len, 80);
    if (b.data == NULL)
        buf_str(&b, "");
    return b.data;
}

static void
add_text(char ***list, size_t *count, char *text)
{
    *list = mem_resize(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = text;
}

void
plan_warn(struct plan *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_text(&p->warnings, &p->warning_count, format_args(format, args));
    va_end(args);
}

/* A map of no nodes has the fingerprint of its placement alone; without its
 * pins, which are a change of their own. */
static cw_map *
bare_placement(const struct loaded *l)
{
    const struct conf_pool *pool = l->model.pools;
    cw_fleet *empty = cw_fleet_new(NULL);
    cw_map *map = NULL;

    if (empty == NULL)
        mem_fail();
    cw_placement_pin(pool->placement, NULL);
    cw_map_build(empty, pool->placement, &map, NULL);
    cw_placement_pin(pool->placement, pool->pins);
    cw_fleet_free(empty);
    return map;
}

bool
plan_placement_differs(const struct plan *p)
{
    cw_row a, b;
    cw_map *x = bare_placement(p->from), *y = bare_placement(p->to);
    bool differs = true;

    cw_map_row(p->from->map, &a);
    cw_map_row(p->to->map, &b);
    if (strcmp(a.name, b.name) == 0 && x != NULL && y != NULL)
        differs = cw_map_fingerprint(x) != cw_map_fingerprint(y);
    cw_map_unref(x);
    cw_map_unref(y);
    return differs;
}

static double
peak(const struct plan *p)
{
    return p->traffic.given ? p->traffic.peak_after
                            : p->new_shares->balance.max_avg;
}

static void
judge(struct plan *p)
{
    double moved = p->diff->moved;

    if (p->traffic.given && p->traffic.all.requests > 0)
        moved = (double)p->traffic.moved.requests
                / (double)p->traffic.all.requests;
    if (p->ask->max_moved >= 0 && moved > p->ask->max_moved)
        add_text(&p->refusals, &p->refusal_count,
                 plan_format("%.2f %% of the %s move, more than the %.2f %% "
                             "of --max-moved", 100 * moved,
                             p->traffic.given ? "requests" : "keys",
                             100 * p->ask->max_moved));
    if (p->ask->max_peak >= 0 && peak(p) > p->ask->max_peak)
        add_text(&p->refusals, &p->refusal_count,
                 plan_format("the busiest node will have %.3f times its fair "
                             "share, more than the %.3f of --max-peak",
                             peak(p), p->ask->max_peak));
}

int
plan_make(struct plan *p, struct cli *c, const struct plan_ask *ask,
          struct loaded *from, const char *from_name, struct loaded *to,
          const char *to_name)
{
    int status = CLI_DONE;

    memset(p, 0, sizeof *p);
    p->ask = ask;
    p->from = from;
    p->to = to;
    p->from_name = from_name;
    p->to_name = to_name;
    if (cw_diff_new(from->map, to->map, &p->diff) != CW_OK
        || cw_shares_new(from->map, &p->old_shares) != CW_OK
        || cw_shares_new(to->map, &p->new_shares) != CW_OK)
        mem_fail();
    plan_changes(p);
    plan_reasons(p);
    plan_steps(p);
    plan_remedies(p);
    plan_replica_sets(p);
    if (ask->keys != NULL)
        status = plan_traffic(p, c);
    judge(p);
    return status;
}

static void
free_texts(char **list, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        mem_free(list[i]);
    mem_free(list);
}

void
plan_free(struct plan *p)
{
    size_t i;

    cw_diff_free(p->diff);
    cw_shares_free(p->old_shares);
    cw_shares_free(p->new_shares);
    for (i = 0; i < p->change_count; i++)
        mem_free(p->changes[i].text);
    for (i = 0; i < p->reason_count; i++)
        mem_free(p->reasons[i].text);
    for (i = 0; i < p->step_count; i++) {
        mem_free(p->steps[i].text);
        mem_free(p->steps[i].node);
    }
    for (i = 0; i < p->remedy_count; i++) {
        mem_free(p->remedies[i].text);
        mem_free(p->remedies[i].command);
    }
    mem_free(p->changes);
    mem_free(p->reasons);
    mem_free(p->steps);
    mem_free(p->remedies);
    free_texts(p->warnings, p->warning_count);
    free_texts(p->refusals, p->refusal_count);
    mem_free(p->traffic.before);
    mem_free(p->traffic.after);
}
