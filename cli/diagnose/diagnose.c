/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagnose.c - the node that stands out, and the parts of what it has too
 * much or too little of: weight against an equal part, arcs against the
 * weight, hot keys, and the rest against what chance allows.
 */
#include "cli/diagnose/diagnose.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/stats.h"

/* A key is hot when it alone is so much of a node's fair share. */
#define HOT_PART   0.10
/* A node stands out when its load is so far from an equal part, and further
 * than chance goes. */
#define STANDS_OUT 0.15
#define CHANCE     4.0          /* standard errors                          */
#define STRAYS     0.01
#define COLLAPSED  0.5          /* distinct hashes / distinct keys          */
/* Below so many points a share is off by more than 20 % by chance. */
#define FEW_POINTS 25
#define HOT_ARC    0.5          /* of what the node owns, in one arc        */

char *
diagnose_format(const char *format, ...)
{
    struct buf b = { 0 };
    va_list args;

    va_start(args, format);
    buf_vprint(&b, format, args);
    va_end(args);
    if (b.data == NULL)
        buf_str(&b, "");
    return b.data;
}

void
diagnose_find(struct diagnosis *d, enum cause cause, double weight,
              char *text)
{
    struct finding_of *f;
    size_t i;

    d->findings = mem_resize(d->findings, d->finding_count + 1, sizeof *f);
    for (i = d->finding_count++; i > 0 && d->findings[i - 1].weight < weight;
         i--)
        d->findings[i] = d->findings[i - 1];
    f = &d->findings[i];
    f->cause = cause;
    f->weight = weight;
    f->text = text;
}

char *
diagnose_name(const struct diagnosis *d, uint32_t i)
{
    struct buf b = { 0 };
    cw_node node;

    cw_map_node(d->map, i, &node);
    str_escape(&b, node.name, node.name_len, 80);
    return b.data;
}

double
diagnose_share(const struct diagnosis *d, uint32_t i)
{
    return (double)d->load->carried[i] / (double)d->load->carried_all;
}

/* ---- which node --------------------------------------------------------- */

static void
choose(struct diagnosis *d)
{
    uint32_t i, most = 0;
    double far = 0;

    d->base = 1.0 / (double)d->shares->count;
    for (i = 0; i < d->shares->count; i++) {
        double off = fabs(diagnose_share(d, i) / d->base - 1);
        double ratio = d->shares->fair[i] > 0
                       ? diagnose_share(d, i) / d->shares->fair[i] : 0;

        /* of two that are as far, the hot one: it is what one looks for */
        if (off > far || (off > far * (1 - 1e-9)
                          && diagnose_share(d, i) > d->base)) {
            far = off;
            most = i;
        }
        d->max_avg = ratio > d->max_avg ? ratio : d->max_avg;
    }
    d->node = most;
    d->observed = diagnose_share(d, most);
    d->hot = d->observed > d->base;
    d->error = sqrt(d->base * (1 - d->base) / (double)d->load->carried_all);
    d->stands_out = far > STANDS_OUT
                    && fabs(d->observed - d->base) > CHANCE * d->error;
}

/* ---- hot keys ----------------------------------------------------------- */

static void
hot_keys(struct diagnosis *d)
{
    double all = (double)d->load->requests, hot = 0, here = 0;
    size_t i;

    d->top = top_sorted(&d->load->top, &d->top_count);
    for (i = 0; i < d->top_count; i++) {
        const struct top_slot *s = d->top[i];

        if ((double)s->requests < HOT_PART * d->base * all
            || s->requests < 16)
            break;
        hot += (double)s->requests;
        if (s->node == d->node)
            here += (double)s->requests;
    }
    d->hot_keys = i;
    d->without = all > hot ? (d->observed * all - here) / (all - hot)
                           : d->observed;
}

/* ---- the parts ---------------------------------------------------------- */

static void
parts(struct diagnosis *d)
{
    double fair = d->shares->fair[d->node], part = d->shares->part[d->node];

    d->by_weight = fair - d->base;
    d->by_arcs = part - fair;
    d->by_hot = d->observed - d->without;
    d->by_rest = d->without - part;
}

static bool
counts(const struct diagnosis *d, double part)
{
    double total = d->observed - d->base;

    /* in the direction of the whole, and a tenth of it at least */
    return total * part > 0 && fabs(part) > 0.1 * fabs(total);
}

static char *
hot_text(const struct diagnosis *d)
{
    double all = (double)d->load->requests;
    char *name = diagnose_name(d, d->node), *text;
    struct buf key = { 0 };
    const struct top_slot *s = d->top[0];
    const char *bytes;
    size_t i, len;

    for (i = 0; i < d->hot_keys && d->top[i]->node != d->node; i++)
        continue;
    if (i < d->hot_keys)
        s = d->top[i];
    bytes = top_key(&d->load->top, s, &len);
    str_escape(&key, bytes, len, 60);
    text = diagnose_format(
        "hot key: %s is %.2f %% of all requests and %.1f %% of those of %s "
        "(counted %" PRIu64 ", at most %" PRIu64 " too low); without the "
        "%zu hottest key%s %s carries %.2f %%, where its arcs say %.2f %%",
        key.data, 100 * (double)s->requests / all,
        100 * (double)s->requests / (d->observed * all), name, s->requests,
        d->load->top.error, d->hot_keys, d->hot_keys == 1 ? "" : "s", name,
        100 * d->without, 100 * d->shares->part[d->node]);
    buf_free(&key);
    mem_free(name);
    return text;
}

static char *
weight_text(const struct diagnosis *d)
{
    uint64_t mine = cw_map_node_points(d->map, d->node), other = 0;
    uint32_t i, n = cw_map_count(d->map);
    char *name = diagnose_name(d, d->node), *text;

    for (i = 0; i < n; i++)
        if (i != d->node)
            other += cw_map_node_points(d->map, i);
    if (mine > 0 && n > 1)
        text = diagnose_format(
            "weight: %s has %" PRIu64 " points, its peers %.0f each: it is "
            "meant to own %.2f %%, where an equal part is %.2f %%%s", name,
            mine, (double)other / (n - 1),
            100 * d->shares->fair[d->node], 100 * d->base,
            d->hot ? "" : "; fewer points mean a smaller share: it is cold, "
            "never hot");
    else
        text = diagnose_format(
            "weight: %s is meant to own %.2f %%, where an equal part is "
            "%.2f %%", name, 100 * d->shares->fair[d->node], 100 * d->base);
    mem_free(name);
    return text;
}

struct longest {
    uint64_t first, last, most;
    uint32_t node, owner_of_first;
    bool     begun;
};

static int
arc(void *context, uint64_t position, uint32_t node)
{
    struct longest *l = context;

    if (!l->begun) {
        l->begun = true;
        l->first = position;
        l->owner_of_first = node;
    } else if (node == l->node && position - l->last > l->most) {
        l->most = position - l->last;
    }
    l->last = position;
    return 0;
}

/* The longest arc of the node, as a part of the ring; 0: there are none. */
static double
longest_arc(const struct diagnosis *d)
{
    uint64_t top = cw_map_top(d->map), around;
    struct longest l = { .node = d->node };

    if (cw_map_each_point(d->map, arc, &l, NULL) != CW_OK || !l.begun)
        return 0;
    around = l.first + (top - l.last) + 1;
    if (l.owner_of_first == d->node && around > l.most)
        l.most = around;
    return (double)l.most / ((double)top + 1);
}

static char *
arcs_text(const struct diagnosis *d, const char *name)
{
    uint64_t points = cw_map_node_points(d->map, d->node);
    double part = d->shares->part[d->node], longest = longest_arc(d);
    const char *kind = points > 0 && points < FEW_POINTS ? "too few points"
                       : longest > HOT_ARC * part ? "hot arc" : "arcs";

    if (points == 0)
        return diagnose_format(
            "arcs: %s owns %.2f %%, where its weight says %.2f %%", name,
            100 * part, 100 * d->shares->fair[d->node]);
    return diagnose_format(
        "%s: %s owns %.2f %% of the ring, where its weight says %.2f %%; with "
        "its %" PRIu64 " points a share is off by about %.0f %% by chance of "
        "the points, and stays so until they change; its longest arc is %.2f "
        "%% of the ring", kind, name, 100 * part,
        100 * d->shares->fair[d->node], points,
        100 / sqrt((double)points + 1), 100 * longest);
}

static void
node_findings(struct diagnosis *d)
{
    double total = fabs(d->observed - d->base);
    char *name;

    if (!d->stands_out)
        return;
    name = diagnose_name(d, d->node);
    if (d->hot_keys > 0 && counts(d, d->by_hot))
        diagnose_find(d, CAUSE_HOT_KEY, fabs(d->by_hot) / total, hot_text(d));
    if (counts(d, d->by_weight))
        diagnose_find(d, CAUSE_WEIGHT, fabs(d->by_weight) / total,
                      weight_text(d));
    if (counts(d, d->by_arcs))
        diagnose_find(d, CAUSE_ARCS, fabs(d->by_arcs) / total,
                      arcs_text(d, name));
    mem_free(name);
}

/* ---- what has nothing to do with one node ------------------------------- */

static int
last_point(void *context, uint64_t position, uint32_t node)
{
    (void)node;
    *(uint64_t *)context = position;
    return 0;
}

static unsigned
bits(uint64_t n)
{
    unsigned b = 0;

    for (; n > 0; n >>= 1)
        b++;
    return b;
}

/* A key hash that reaches a part of the ring only. */
static bool
narrow(struct diagnosis *d)
{
    uint64_t last = 0, top = cw_map_top(d->map);

    if (cw_map_each_point(d->map, last_point, &last, NULL) != CW_OK
        || bits(last) <= bits(top))
        return false;
    diagnose_find(d, CAUSE_HASH, 2, diagnose_format(
        "hash: that of the keys covers %u bits, 0 to %" PRIu64 ", of a ring "
        "of %u bits, so nearly all keys go to the owner of the first point; "
        "more points do not cure it, a wider hash does", bits(top), top,
        bits(last)));
    return true;
}

static void
fleet_findings(struct diagnosis *d)
{
    const struct load *l = d->load;
    struct stats_spread s = { 0 };
    double keys = distinct_count(&l->all);
    double hashes = distinct_count(&l->positions);
    cw_row row;

    cw_map_row(d->map, &row);
    if (cw_map_count(d->map) == 1)
        diagnose_find(d, CAUSE_MACHINE, 6, diagnose_format(
            "effective nodes 1: the fleet is one node for the placement, and "
            "no key has an address of its own behind it"));
    if (row.traits & CW_TRAIT_ARCS)
        stats_spread(d->map, d->shares, &s);
    if (!narrow(d) && stats_clustered(&s))
        diagnose_find(d, CAUSE_HASH, 2, diagnose_format(
            "hash: the points cluster (p = %.2g over the ring, %.2g over the "
            "nodes' shares); more points do not cure it",
            s.parts.probability, s.shares.probability));
    if (keys > 100 && hashes > 0 && hashes < COLLAPSED * keys)
        diagnose_find(d, CAUSE_TAG, 3, diagnose_format(
            "collapsed keys: about %.0f distinct keys have only about %.0f "
            "distinct hashes: a hash tag or a part of the key is hashed, and "
            "many keys share it", keys, hashes));
    if (l->seen > 0 && (double)l->strayed > STRAYS * (double)l->seen)
        diagnose_find(d, CAUSE_VIEW, 4, diagnose_format(
            "another view: %.2f %% of the requests were at a node that does "
            "not own their key: some client has another placement or another "
            "list", 100 * (double)l->strayed / (double)l->seen));
    if (l->strangers > 0)
        diagnose_find(d, CAUSE_MISSING, 5, diagnose_format(
            "a node is missing: %" PRIu64 " requests were at a node that the "
            "fleet file does not have", l->strangers));
}

static size_t
host_len(const cw_node *n)
{
    size_t len = n->address_len;

    while (len > 0 && n->address[len - 1] != ':')
        len--;
    return len > 0 ? len - 1 : n->address_len;
}

static void
machine_findings(struct diagnosis *d)
{
    uint32_t i, j, n = cw_map_count(d->map);
    cw_node a, b;

    for (i = 0; i < n && n <= 2000; i++) {
        uint32_t names = 1;
        double sum = diagnose_share(d, i);

        cw_map_node(d->map, i, &a);
        if (a.address_len == 0)
            continue;
        for (j = 0; j < n; j++) {
            cw_map_node(d->map, j, &b);
            if (j == i || host_len(&a) != host_len(&b)
                || memcmp(a.address, b.address, host_len(&a)) != 0)
                continue;
            if (j < i)
                break;              /* told already */
            names++;
            sum += diagnose_share(d, j);
        }
        if (names > 1 && j == n && names < n)
            diagnose_find(d, CAUSE_MACHINE, 0.5, diagnose_format(
                "one machine: %" PRIu32 " nodes are at %.*s; together they "
                "carry %.2f %%", names, (int)host_len(&a), a.address,
                100 * sum));
    }
}

void
diagnose_make(struct diagnosis *d, struct loaded *fleet,
              const struct cli_words *words, const struct load *load)
{
    memset(d, 0, sizeof *d);
    d->map = fleet->map;
    d->load = load;
    if (cw_shares_new(fleet->map, &d->shares) != CW_OK)
        mem_fail();
    choose(d);
    hot_keys(d);
    parts(d);
    node_findings(d);
    fleet_findings(d);
    machine_findings(d);
    diagnose_capacity(d);
    diagnose_contradicted(d);
    diagnose_silent(d);
    if (d->finding_count == 0)
        diagnose_find(d, CAUSE_CHANCE, 0, diagnose_format(
            d->stands_out
            ? d->load->requests > 0
              ? "unexplained: neither weight, arcs nor hot keys account for it"
              : "unexplained by weights and arcs; counters name no key: a log "
                "of requests (watch fetchers, MONITOR) tells of hot keys"
            : "plain chance: no node is further from an equal part than %.0f "
              "%% and chance allow", 100 * STANDS_OUT));
    diagnose_remedies(d, fleet, words);
}

void
diagnose_free(struct diagnosis *d)
{
    size_t i;

    for (i = 0; i < d->finding_count; i++)
        mem_free(d->findings[i].text);
    for (i = 0; i < d->remedy_count; i++) {
        mem_free(d->remedies[i].text);
        mem_free(d->remedies[i].command);
    }
    mem_free(d->findings);
    mem_free(d->remedies);
    mem_free(d->top);
    cw_shares_free(d->shares);
}
