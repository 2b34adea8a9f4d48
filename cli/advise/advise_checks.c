/* SPDX-License-Identifier: Apache-2.0 */
/* advise_checks.c - the checks, one function and one row each. */
#include "cli/advise/advise.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/stats.h"

/* Thresholds, each with its reason. */
#define POINTS_GOOD     100     /* spread of a share below 10 %             */
#define POINTS_FEW       40     /* 16 %                                     */
#define BALANCE_GOOD   1.25     /* what a fleet run at 80 % can take        */
#define BALANCE_BAD    1.50
#define HOT_WARN       0.10     /* of a node's fair share, by one key       */
#define HOT_BAD        0.50
#define LOST_GOOD      1.30     /* busiest node after the loss of one       */

/* Does the row take "points"? The placement itself knows. */
static bool
takes_points(const cw_row *row)
{
    cw_placement *p = cw_placement_new(NULL);
    bool takes;

    if (p == NULL)
        mem_fail();
    takes = (cw_placement_set(p, "algorithm", row->name, NULL) == CW_OK
             || cw_placement_set(p, "compat", row->name, NULL) == CW_OK)
            && cw_placement_set(p, "points", "160", NULL) == CW_OK;
    cw_placement_free(p);
    return takes;
}

static void
points(const struct advise *a, struct finding *f)
{
    uint64_t all = cw_map_points(a->fleet->map), least = UINT64_MAX;
    uint32_t i, n = cw_map_count(a->fleet->map);
    cw_node node;

    if (all == 0) {
        buf_print(&f->figure, "%s has no points: nothing to choose",
                  a->row.name);
        return;
    }
    for (i = 0; i < n; i++) {
        uint64_t of = cw_map_node_points(a->fleet->map, i);

        cw_map_node(a->fleet->map, i, &node);
        if (node.weight > 0 && of < least)
            least = of;
    }
    buf_print(&f->figure, "the lightest node has %" PRIu64 " points: its "
              "share is off by about %.0f %% (1/sqrt(points))", least,
              100 / sqrt((double)least));
    f->verdict = least >= POINTS_GOOD ? PASS : least >= POINTS_FEW ? WARN
                                                                   : FAIL;
    if (f->verdict != PASS && takes_points(&a->row))
        buf_print(&f->remedy, "raise the points: clockwise plan %s --set-new "
                  "points=160 says what that moves", a->words);
    else if (f->verdict != PASS)
        buf_print(&f->remedy, "this placement has no option for points: "
                  "clockwise plan %s --placement ring says what another one "
                  "moves", a->old_words);
}

/* The busiest node's requests over its fair share of them, with so many of
 * the hottest key's left out. */
static double
busiest(const struct advise *a, uint64_t without)
{
    double all = (double)a->keys.requests, most = 0;
    uint32_t i;

    for (i = 0; i < a->shares->count; i++) {
        uint64_t got = a->keys.of_node[i]
                       - (i == a->keys.hottest_node ? without : 0);
        double ratio = a->shares->fair[i] > 0
                           ? (double)got / all / a->shares->fair[i] : 0;

        most = ratio > most ? ratio : most;
    }
    return most;
}

static void
balance(const struct advise *a, struct finding *f)
{
    double most = a->shares->balance.max_avg, others = 1e9;

    if (a->shares->basis == CW_EXPECTED && !a->keys.given) {
        f->verdict = UNKNOWN;
        buf_print(&f->figure, "%s has no arcs to measure", a->row.name);
        buf_print(&f->remedy, "clockwise share %s -k KEYS counts real keys",
                  a->words);
        return;
    }
    if (a->keys.given && a->keys.requests > 0) {
        most = busiest(a, 0);
        others = busiest(a, a->keys.hottest);
        buf_print(&f->figure, "the busiest node gets %.3f times its fair "
                  "share of %" PRIu64 " requests; by the arcs %.3f", most,
                  a->keys.requests, a->shares->balance.max_avg);
    } else {
        buf_print(&f->figure, "max/avg %.3f, min/avg %.3f, exact from the "
                  "arcs", most, a->shares->balance.min_avg);
    }
    f->verdict = most <= BALANCE_GOOD ? PASS : most <= BALANCE_BAD ? WARN
                                                                  : FAIL;
    if (f->verdict != PASS && others <= BALANCE_GOOD)
        buf_print(&f->remedy, "it is the hottest key: without its requests no "
                  "node gets more than %.3f; see hot-keys, more points do not "
                  "help",
                  others);
    else if (f->verdict != PASS)
        buf_print(&f->remedy, "clockwise plan %s --placement slots, or more "
                  "points", a->old_words);
}

static void
uniform(const struct advise *a, struct finding *f)
{
    struct stats_spread s = { 0 };
    double x = 0, p;
    int i;

    if (a->row.traits & CW_TRAIT_ARCS)
        stats_spread(a->fleet->map, a->shares, &s);
    if (s.parts.freedom > 0)
        buf_print(&f->figure, "points: p = %.2g over the ring",
                  s.parts.probability);
    if (s.shares.freedom > 0)
        buf_print(&f->figure, "%sshares: p = %.2g over the nodes",
                  f->figure.len ? "; " : "", s.shares.probability);
    if (stats_clustered(&s))
        f->verdict = FAIL;
    if (a->keys.given && a->keys.keys >= 640) {
        double want = (double)a->keys.keys / 64;

        for (i = 0; i < 64; i++)
            x += ((double)a->keys.parts[i] - want)
                 * ((double)a->keys.parts[i] - want) / want;
        p = stats_chi_square(x, 63);
        buf_print(&f->figure, "%skeys: p = %.2g over 64 parts",
                  f->figure.len ? "; " : "", p);
        if (p < STATS_CLUSTERED)
            f->verdict = FAIL;
    } else if (f->figure.len == 0) {
        f->verdict = UNKNOWN;
        buf_str(&f->figure, "not measured without keys");
        buf_print(&f->remedy, "clockwise advise %s -k KEYS", a->words);
        return;
    }
    if (f->verdict == FAIL)
        buf_str(&f->remedy, "a hash that finalises: xxh3, or the _avalanche "
                "form of the same one; more points do not cure it");
}

static void
hot_keys(const struct advise *a, struct finding *f)
{
    double fair, part;

    if (!a->keys.given || a->keys.requests == a->keys.keys) {
        f->verdict = UNKNOWN;
        buf_str(&f->figure, "no counts of requests were given");
        buf_print(&f->remedy, "clockwise advise %s -k KEYS, with key TAB "
                  "requests", a->words);
        return;
    }
    fair = 1.0 / (double)(a->shares->count ? a->shares->count : 1);
    part = (double)a->keys.hottest / (double)a->keys.requests / fair;
    buf_print(&f->figure, "the hottest key, %s, is %.2f %% of all requests, "
              "%.0f %% of a node's fair share", a->keys.hottest_key,
              100 * (double)a->keys.hottest / (double)a->keys.requests,
              100 * part);
    f->verdict = part < HOT_WARN ? PASS : part < HOT_BAD ? WARN : FAIL;
    if (f->verdict != PASS)
        buf_str(&f->remedy, "no placement splits one key: cache it in the "
                "clients, or store copies under several names");
}

static void
same_view(const struct advise *a, struct finding *f)
{
    uint64_t mine = cw_map_fingerprint(a->fleet->map);
    int i, differ = 0;

    if (a->other_count == 0) {
        f->verdict = UNKNOWN;
        buf_print(&f->figure, "fingerprint %016" PRIx64 ", of this file "
                  "alone", mine);
        buf_print(&f->remedy, "clockwise verify %s FILE ... with the file of "
                  "every client", a->words);
        return;
    }
    for (i = 0; i < a->other_count; i++)
        differ += cw_map_fingerprint(a->others[i].map) != mine;
    buf_print(&f->figure, "%d of %d other files differ from %016" PRIx64,
              differ, a->other_count, mine);
    f->verdict = differ ? FAIL : PASS;
    if (differ)
        buf_str(&f->remedy, "clockwise verify with the same files says which "
                "keys go to two nodes");
}

static void
zones(const struct advise *a, struct finding *f)
{
    uint32_t n = cw_map_count(a->fleet->map), i, j, zoned = 0, count = 0;
    cw_node x, y;

    for (i = 0; i < n; i++) {
        cw_map_node(a->fleet->map, i, &x);
        zoned += x.zone_len > 0;
        for (j = 0; j < i && x.zone_len > 0; j++) {
            cw_map_node(a->fleet->map, j, &y);
            if (x.zone_len == y.zone_len
                && memcmp(x.zone, y.zone, x.zone_len) == 0)
                break;
        }
        count += x.zone_len > 0 && j == i;
    }
    if (a->replicas == 0) {
        f->verdict = UNKNOWN;
        buf_print(&f->figure, "%" PRIu32 " zones; how many copies of a key "
                  "there are is not said", count);
        buf_print(&f->remedy, "clockwise advise %s -r COPIES", a->words);
        return;
    }
    buf_print(&f->figure, "%" PRIu32 " copies, %" PRIu32 " zones, %" PRIu32
              " of %" PRIu32 " nodes in a zone", a->replicas, count, zoned,
              n);
    f->verdict = a->replicas == 1 ? PASS
               : zoned < n || count < a->replicas ? FAIL : PASS;
    if (f->verdict == FAIL)
        buf_str(&f->remedy, zoned < n ? "give every node its zone"
                : "more zones, or copies that share one: losing it loses "
                  "both");
}

static void
minimal(const struct advise *a, struct finding *f)
{
    const struct advise_losses *l = &a->losses;

    buf_print(&f->figure, "losing one node moves at most %.2f %% of the "
              "keys, %.2f %% without need%s", 100 * l->moved,
              100 * l->excess, l->partly ? " (first 100 nodes tried)" : "");
    f->verdict = l->excess < 0.001 ? PASS : l->excess < 0.01 ? WARN : FAIL;
    if (f->verdict != PASS)
        buf_print(&f->remedy, "a placement that moves only what must: "
                  "clockwise plan %s --placement ring", a->old_words);
}

static void
headroom(const struct advise *a, struct finding *f)
{
    const struct advise_losses *l = &a->losses;

    if (l->tried == 0) {
        bool one = cw_map_count(a->fleet->map) < 2;

        f->verdict = one ? FAIL : UNKNOWN;
        buf_str(&f->figure, one ? "one node: its loss loses every key"
                                : "no loss could be tried");
        return;
    }
    buf_print(&f->figure, "after the loss of one node a survivor gets at "
              "most %.2f times what it had; %" PRIu32 " or more nodes share "
              "the load", l->survivor, l->receivers);
    f->verdict = l->survivor <= LOST_GOOD ? PASS
               : l->receivers > 1 ? WARN : FAIL;
    if (f->verdict != PASS)
        buf_str(&f->remedy, "keep that much capacity free, or more nodes and "
                "points");
}

/* Digits and dots, or a '[': a name that is an address. */
static bool
is_address(const cw_node *n)
{
    size_t i, dots = 0;

    if (n->name_len > 0 && n->name[0] == '[')
        return true;
    for (i = 0; i < n->name_len; i++) {
        if (n->name[i] == ':')
            break;
        if (n->name[i] == '.')
            dots++;
        else if (n->name[i] < '0' || n->name[i] > '9')
            return false;
    }
    return dots == 3;
}

static void
identity(const struct advise *a, struct finding *f)
{
    uint32_t n = cw_map_count(a->fleet->map), i, addresses = 0;
    cw_node node;

    for (i = 0; i < n; i++) {
        cw_map_node(a->fleet->map, i, &node);
        addresses += is_address(&node) && node.label_len == node.name_len
                     && memcmp(node.label, node.name, node.name_len) == 0;
    }
    buf_print(&f->figure, "%" PRIu32 " of %" PRIu32 " nodes are known by "
              "their address", addresses, n);
    f->verdict = addresses ? WARN : PASS;
    if (addresses)
        buf_str(&f->remedy, "a machine that gets another address loses its "
                "keys: give names of their own, with the present ones as "
                "`label` so that nothing moves");
}

static void
failures(const struct advise *a, struct finding *f)
{
    uint32_t n = cw_map_count(a->fleet->map), i, away = 0;
    cw_node node;

    for (i = 0; i < n; i++) {
        cw_map_node(a->fleet->map, i, &node);
        away += node.state != CW_UP;
    }
    if (away > 0) {
        buf_print(&f->figure, "%" PRIu32 " nodes are marked down or drain "
                  "and keep their arcs", away);
        return;
    }
    f->verdict = UNKNOWN;
    buf_str(&f->figure, "a fleet file does not say what clients do when a "
            "node fails");
    buf_print(&f->remedy, "stop one node for a minute, then clockwise verify "
              "--holders %s: strays mean that clients reshape the ring",
              a->words);
}

const struct advise_check advise_checks[] = {
    { "points",   "enough points per node?",                    points },
    { "balance",  "is the balance measured, and good?",         balance },
    { "hash",     "is the hash uniform?",                       uniform },
    { "hot-keys", "is there a plan for hot keys?",              hot_keys },
    { "minimal",  "does a lost node move only its own keys?",   minimal },
    { "headroom", "can the others take a lost node's load?",    headroom },
    { "identity", "are nodes known by names, not addresses?",   identity },
    { "view",     "do all clients have the same view?",         same_view },
    { "zones",    "are copies in distinct zones?",              zones },
    { "failures", "is failure detection apart from the ring?",  failures }
};

const size_t advise_check_count
    = sizeof advise_checks / sizeof *advise_checks;
