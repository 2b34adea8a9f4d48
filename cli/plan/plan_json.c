/* SPDX-License-Identifier: Apache-2.0 */
/* plan_json.c - a plan for programs; docs/formats/plan-json.md describes it. */
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/plan/plan.h"
#include "cli/show.h"

static void
text(struct json *j, const char *key, const char *s)
{
    json_pair(j, key, s, strlen(s));
}

static void
array(struct json *j, const char *key)
{
    json_key(j, key);
    json_open(j, '[');
}

static void
node_key(struct json *j, const struct plan *p, const char *key, uint32_t i)
{
    if (i == CW_NONE) {
        json_key(j, key);
        json_null(j);
    } else {
        json_bytes(j, key, p->diff->nodes[i].node.name,
                   p->diff->nodes[i].node.name_len);
    }
}

static void
balance(struct json *j, const char *key, const cw_balance *b)
{
    json_key(j, key);
    json_open(j, '{');
    json_pair_double(j, "max_avg", b->max_avg);
    json_pair_double(j, "min_avg", b->min_avg);
    json_pair_double(j, "cv", b->cv);
    json_close(j, '}');
}

static void
texts(struct json *j, const char *key, char *const *list, size_t n)
{
    size_t i;

    array(j, key);
    for (i = 0; i < n; i++)
        json_text(j, list[i], strlen(list[i]));
    json_close(j, ']');
}

static void
words(struct json *j, const struct plan *p)
{
    static const char *const kinds[] = {
        "add", "remove", "weight", "rename", "label", "zone", "address",
        "state", "positions", "placement", "order", "pins", "bound"
    };
    size_t i;

    array(j, "changes");
    for (i = 0; i < p->change_count; i++) {
        json_open(j, '{');
        text(j, "kind", kinds[p->changes[i].kind]);
        text(j, "text", p->changes[i].text);
        json_close(j, '}');
    }
    json_close(j, ']');
    array(j, "reasons");
    for (i = 0; i < p->reason_count; i++) {
        json_open(j, '{');
        text(j, "id", p->reasons[i].id);
        text(j, "text", p->reasons[i].text);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
nodes(struct json *j, const struct plan *p)
{
    uint32_t i;

    array(j, "nodes");
    for (i = 0; i < p->diff->node_count; i++) {
        const cw_diff_node *d = &p->diff->nodes[i];

        json_open(j, '{');
        node_key(j, p, "node", i);
        json_pair_double(j, "share_before", d->old_share);
        json_pair_double(j, "share_after", d->new_share);
        json_pair_double(j, "fair_before", d->old_fair);
        json_pair_double(j, "fair_after", d->new_fair);
        json_pair_double(j, "gives", d->gave);
        json_pair_double(j, "takes", d->took);
        json_pair_uint(j, "receivers", d->receivers);
        json_pair_double(j, "largest_part", d->largest);
        json_close(j, '}');
    }
    json_close(j, ']');
    array(j, "flows");
    for (i = 0; i < p->diff->flow_count; i++) {
        json_open(j, '{');
        node_key(j, p, "from", p->diff->flows[i].from);
        node_key(j, p, "to", p->diff->flows[i].to);
        json_pair_double(j, "share", p->diff->flows[i].part);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
load(struct json *j, const char *key, const struct plan_load *l)
{
    json_key(j, key);
    json_open(j, '{');
    json_pair_uint(j, "keys", l->keys);
    json_pair_uint(j, "requests", l->requests);
    json_pair_uint(j, "bytes", l->bytes);
    json_close(j, '}');
}

static void
traffic(struct json *j, const struct plan *p)
{
    const struct plan_traffic *t = &p->traffic;

    if (!t->given)
        return;
    json_key(j, "traffic");
    json_open(j, '{');
    load(j, "all", &t->all);
    load(j, "moved", &t->moved);
    if (t->bounded)
        json_pair_uint(j, "keys_moved_under_bound", t->bounded_moved);
    json_pair_bool(j, "estimated", t->estimated);
    json_pair_double(j, "peak_before", t->peak_before);
    json_pair_double(j, "peak_after", t->peak_after);
    if (p->ask->rate > 0) {
        json_pair_double(j, "misses_per_second", t->misses_at_first);
        json_pair_double(j, "seconds_to_half", t->seconds_to_half);
        json_pair_double(j, "seconds_to_tenth", t->seconds_to_tenth);
    }
    json_close(j, '}');
}

static void
sets(struct json *j, const struct plan *p)
{
    if (!p->sets.asked)
        return;
    json_key(j, "replica_sets");
    json_open(j, '{');
    json_pair_uint(j, "replicas", p->sets.r);
    json_pair_uint(j, "samples", p->sets.samples);
    json_pair_double(j, "changed", p->sets.changed);
    json_pair_double(j, "new_copies", p->sets.copies);
    json_pair_double(j, "fewer_zones", p->sets.zones_lost);
    json_close(j, '}');
}

static void
steps(struct json *j, const struct plan *p)
{
    size_t i;

    array(j, "steps");
    for (i = 0; i < p->step_count; i++) {
        json_open(j, '{');
        text(j, "text", p->steps[i].text);
        json_pair_double(j, "moved", p->steps[i].moved);
        json_pair_double(j, "ideal", p->steps[i].ideal);
        json_pair_double(j, "excess_churn", p->steps[i].excess);
        json_pair_double(j, "max_avg", p->steps[i].max_avg);
        json_close(j, '}');
    }
    json_close(j, ']');
    array(j, "remedies");
    for (i = 0; i < p->remedy_count; i++) {
        json_open(j, '{');
        text(j, "text", p->remedies[i].text);
        if (p->remedies[i].command)
            text(j, "command", p->remedies[i].command);
        json_pair_double(j, "moved", p->remedies[i].moved);
        json_pair_double(j, "excess_churn", p->remedies[i].excess);
        json_pair_double(j, "max_avg", p->remedies[i].max_avg);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
plan_json(const struct plan *p, struct out *out)
{
    struct json j = { out, false };

    json_open(&j, '{');
    text(&j, "schema", "clockwise.plan/1");
    json_pair_double(&j, "moved", p->diff->moved);
    json_pair_double(&j, "ideal", p->diff->ideal);
    json_pair_double(&j, "excess_churn", p->diff->excess_churn);
    text(&j, "basis", show_basis(p->diff->basis));
    texts(&j, "warnings", p->warnings, p->warning_count);
    texts(&j, "refusals", p->refusals, p->refusal_count);
    balance(&j, "before", &p->old_shares->balance);
    balance(&j, "after", &p->new_shares->balance);
    words(&j, p);
    nodes(&j, p);
    traffic(&j, p);
    sets(&j, p);
    steps(&j, p);
    json_close(&j, '}');
    json_end(&j, '\n');
}
