/* SPDX-License-Identifier: Apache-2.0 */
/* plan_json.c - a plan for programs; docs/formats/plan-json.md describes it. */
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "cli/plan/plan.h"
#include "cli/show.h"

static void
number(struct json *j, const char *key, double x)
{
    json_key(j, key);
    json_double(j, x);
}

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
    number(j, "max_avg", b->max_avg);
    number(j, "min_avg", b->min_avg);
    number(j, "cv", b->cv);
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
        "state", "positions", "placement", "order"
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
        number(j, "share_before", d->old_share);
        number(j, "share_after", d->new_share);
        number(j, "fair_before", d->old_fair);
        number(j, "fair_after", d->new_fair);
        number(j, "gives", d->gave);
        number(j, "takes", d->took);
        json_key(j, "receivers");
        json_uint(j, d->receivers);
        number(j, "largest_part", d->largest);
        json_close(j, '}');
    }
    json_close(j, ']');
    array(j, "flows");
    for (i = 0; i < p->diff->flow_count; i++) {
        json_open(j, '{');
        node_key(j, p, "from", p->diff->flows[i].from);
        node_key(j, p, "to", p->diff->flows[i].to);
        number(j, "share", p->diff->flows[i].part);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
load(struct json *j, const char *key, const struct plan_load *l)
{
    json_key(j, key);
    json_open(j, '{');
    json_key(j, "keys");
    json_uint(j, l->keys);
    json_key(j, "requests");
    json_uint(j, l->requests);
    json_key(j, "bytes");
    json_uint(j, l->bytes);
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
    number(j, "peak_before", t->peak_before);
    number(j, "peak_after", t->peak_after);
    if (p->ask->rate > 0) {
        number(j, "misses_per_second", t->misses_at_first);
        number(j, "seconds_to_half", t->seconds_to_half);
        number(j, "seconds_to_tenth", t->seconds_to_tenth);
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
    json_key(j, "replicas");
    json_uint(j, p->sets.r);
    json_key(j, "samples");
    json_uint(j, p->sets.samples);
    number(j, "changed", p->sets.changed);
    number(j, "new_copies", p->sets.copies);
    number(j, "fewer_zones", p->sets.zones_lost);
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
        number(j, "moved", p->steps[i].moved);
        number(j, "ideal", p->steps[i].ideal);
        number(j, "excess_churn", p->steps[i].excess);
        number(j, "max_avg", p->steps[i].max_avg);
        json_close(j, '}');
    }
    json_close(j, ']');
    array(j, "remedies");
    for (i = 0; i < p->remedy_count; i++) {
        json_open(j, '{');
        text(j, "text", p->remedies[i].text);
        if (p->remedies[i].command)
            text(j, "command", p->remedies[i].command);
        number(j, "moved", p->remedies[i].moved);
        number(j, "excess_churn", p->remedies[i].excess);
        number(j, "max_avg", p->remedies[i].max_avg);
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
    number(&j, "moved", p->diff->moved);
    number(&j, "ideal", p->diff->ideal);
    number(&j, "excess_churn", p->diff->excess_churn);
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
