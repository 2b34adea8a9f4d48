/* SPDX-License-Identifier: Apache-2.0 */
/* plan_text.c - a plan for a person: the answer first, then why, then how. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "cli/plan/plan.h"
#include "cli/show.h"

enum { FLOWS_SHOWN = 20 };

static void
headline(const struct plan *p, struct out *out)
{
    const cw_diff *d = p->diff;

    out_print(out, "moved\t%.4f %%\tof all keys (%s)\n", 100 * d->moved,
              d->basis == CW_EXACT ? "exact, from the arcs" :
              d->basis == CW_SAMPLED ? "sampled" :
              "expected: other key hash");
    out_print(out, "ideal\t%.4f %%\tthe least that reaches the new shares\n",
              100 * d->ideal);
    out_print(out, "excess\t%.4f %%\tbetween nodes that the change neither "
              "took from nor gave to\n", 100 * d->excess_churn);
    out_print(out, "max/avg\t%.4f\tnow %.4f\n",
              p->new_shares->balance.max_avg, p->old_shares->balance.max_avg);
}

static void
texts(const struct plan *p, struct out *out)
{
    size_t i;

    out_str(out, "\nchange\n");
    if (p->change_count == 0)
        out_str(out, "  none\n");
    for (i = 0; i < p->change_count; i++)
        out_print(out, "  %s\n", p->changes[i].text);
    if (p->reason_count > 0)
        out_str(out, "\nwhy more moves than must\n");
    for (i = 0; i < p->reason_count; i++)
        out_print(out, "  %s: %s\n", p->reasons[i].id, p->reasons[i].text);
}

static void
name(const struct plan *p, struct out *out, uint32_t node)
{
    char *text = node == CW_NONE ? NULL : plan_name(&p->diff->nodes[node].node);

    out_str(out, text ? text : "(none)");
    mem_free(text);
}

static void
nodes(const struct plan *p, struct out *out)
{
    uint32_t i;

    out_str(out, "\n# node\tshare now %\tafter %\tgives %\ttakes %\t"
            "receivers\n");
    for (i = 0; i < p->diff->node_count; i++) {
        const cw_diff_node *d = &p->diff->nodes[i];

        name(p, out, i);
        out_print(out, "\t%.4f\t%.4f\t%.4f\t%.4f\t%" PRIu32 "\n",
                  100 * d->old_share, 100 * d->new_share, 100 * d->gave,
                  100 * d->took, d->receivers);
    }
}

static void
flows(const struct plan *p, struct out *out)
{
    uint32_t i, n = p->diff->flow_count;

    if (n == 0)
        return;
    out_str(out, "\n# from\tto\t% of all keys\n");
    for (i = 0; i < n && i < FLOWS_SHOWN; i++) {
        name(p, out, p->diff->flows[i].from);
        out_char(out, '\t');
        name(p, out, p->diff->flows[i].to);
        out_print(out, "\t%.4f\n", 100 * p->diff->flows[i].part);
    }
    if (n > FLOWS_SHOWN)
        out_print(out, "# and %" PRIu32 " smaller ones; all with --json\n",
                  n - FLOWS_SHOWN);
}

static void
load_line(struct out *out, const char *what, uint64_t moved, uint64_t all)
{
    out_print(out, "  %s\t%" PRIu64 " of %" PRIu64 "\t%.2f %%\n", what, moved,
              all, all ? 100 * (double)moved / (double)all : 0);
}

static void
traffic(const struct plan *p, struct out *out)
{
    const struct plan_traffic *t = &p->traffic;

    if (!t->given)
        return;
    out_str(out, "\nof the keys given, these move\n");
    load_line(out, "keys", t->moved.keys, t->all.keys);
    if (t->bounded)
        load_line(out, "keys under the bound", t->bounded_moved,
                  t->all.keys);
    if (t->counted)
        load_line(out, "requests", t->moved.requests, t->all.requests);
    if (t->sized)
        load_line(out, "bytes", t->moved.bytes, t->all.bytes);
    if (t->estimated)
        out_print(out, "  (keys%s estimated from a sample of the keys; "
                  "requests are counted)\n", t->sized ? " and bytes" : "");
    out_print(out, "  busiest node\t%.3f times its fair share, now %.3f\n",
              t->peak_after, t->peak_before);
    if (p->ask->rate > 0)
        out_print(out, "  misses\t%.0f a second at first; half of that after "
                  "%.1f s, a tenth after %.1f s\n", t->misses_at_first,
                  t->seconds_to_half, t->seconds_to_tenth);
}

static void
sets(const struct plan *p, struct out *out)
{
    const struct plan_sets *s = &p->sets;

    if (!s->asked)
        return;
    out_print(out, "\nreplica sets of %u (over %u samples)\n", s->r,
              s->samples);
    out_print(out, "  changed\t%.2f %% of the keys\n", 100 * s->changed);
    out_print(out, "  new copies\t%.2f %% of all copies\n", 100 * s->copies);
    out_print(out, "  fewer zones\t%.2f %% of the keys\n",
              100 * s->zones_lost);
}

static void
steps(const struct plan *p, struct out *out)
{
    size_t i, worst = 0;
    double sum = 0;

    if (p->step_count == 0)
        return;
    out_str(out, "\none after the other\n# step\tmoves %\tneed not %\t"
            "max/avg after\tlargest share after\n");
    for (i = 0; i < p->step_count; i++) {
        const struct plan_step *s = &p->steps[i];

        out_print(out, "%zu. %s\t%.4f\t%.4f\t%.4f\t%s %.4f %%\n", i + 1,
                  s->text, 100 * s->moved, 100 * s->excess, s->max_avg,
                  s->node ? s->node : "", 100 * s->busiest);
        sum += s->moved;
        if (s->max_avg > p->steps[worst].max_avg)
            worst = i;
    }
    out_print(out, "# %.4f %% in all, %.4f %% if made at once; worst moment: "
              "after step %zu, max/avg %.4f\n", 100 * sum,
              100 * p->diff->moved, worst + 1, p->steps[worst].max_avg);
}

static void
remedies(const struct plan *p, struct out *out)
{
    size_t i;

    if (p->remedy_count == 0)
        return;
    out_str(out, "\nwhat would move less\n");
    for (i = 0; i < p->remedy_count; i++) {
        const struct plan_remedy *r = &p->remedies[i];

        out_print(out, "  %.4f %%, excess %.4f %%, max/avg %.4f: %s\n",
                  100 * r->moved, 100 * r->excess, r->max_avg, r->text);
        if (r->command)
            out_print(out, "    %s\n", r->command);
    }
}

void
plan_text(const struct plan *p, struct out *out, bool quiet)
{
    size_t i;

    headline(p, out);
    if (!quiet) {
        texts(p, out);
        nodes(p, out);
        flows(p, out);
        traffic(p, out);
        sets(p, out);
        steps(p, out);
        remedies(p, out);
    }
    for (i = 0; i < p->warning_count; i++)
        out_print(out, "warning: %s\n", p->warnings[i]);
    for (i = 0; i < p->refusal_count; i++)
        out_print(out, "NO: %s\n", p->refusals[i]);
}
