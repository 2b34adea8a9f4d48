/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counted_findings.c - what the nodes' own counters and the places where
 * requests were seen say: weights that do not match capacity, counters that
 * contradict the keys, a node that nobody asks.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/diagnose/diagnose.h"

/* So far may a node's part of the capacity be from its fair share, or its
 * counters from its keys, as a part of an equal part. */
#define FAR       0.15
#define FAR_ERROR 4.0           /* standard errors                          */
/* So many requests are expected of a node that is said to get none. */
#define SILENT    25.0

/* The sum of a counter; false when a node does not have it, or all is 0. */
static bool
total(const struct diagnosis *d, enum counter k, double *sum)
{
    uint32_t i;
    uint64_t x;

    *sum = 0;
    for (i = 0; i < d->shares->count; i++) {
        if (!counted_value(&d->load->counted[i], k, &x) || x == 0)
            return false;
        *sum += (double)x;
    }
    return *sum > 0;
}

void
diagnose_capacity(struct diagnosis *d)
{
    double all, far = FAR;
    uint32_t i, worst = CW_NONE;
    uint64_t x = 0, evicted = 0;
    char *name;

    if (!total(d, COUNT_CAPACITY, &all))
        return;
    for (i = 0; i < d->shares->count; i++) {
        double part;

        counted_value(&d->load->counted[i], COUNT_CAPACITY, &x);
        part = (double)x / all;
        if (fabs(d->shares->fair[i] - part) > far * part) {
            far = fabs(d->shares->fair[i] - part) / part;
            worst = i;
        }
    }
    if (worst == CW_NONE)
        return;
    d->misweighted = true;
    counted_value(&d->load->counted[worst], COUNT_CAPACITY, &x);
    counted_value(&d->load->counted[worst], COUNT_EVICTIONS, &evicted);
    name = diagnose_name(d, worst);
    diagnose_find(d, CAUSE_CAPACITY, 0.9, diagnose_format(
        "weights do not match capacity: %s is meant to own %.2f %% and has "
        "%.2f %% of the memory (%" PRIu64 " MiB); it evicted %" PRIu64
        " items", name, 100 * d->shares->fair[worst],
        100 * (double)x / all, x >> 20, evicted));
    mem_free(name);
}

/* Counters of nodes beside evidence that names keys. */
void
diagnose_contradicted(struct diagnosis *d)
{
    double all, far = FAR * d->base;
    uint32_t i, worst = CW_NONE;
    uint64_t x = 0;
    char *name;

    if (d->load->requests == 0 || d->load->samples == 0
        || !total(d, COUNT_REQUESTS, &all))
        return;
    for (i = 0; i < d->shares->count; i++) {
        double p = diagnose_share(d, i), off;

        counted_value(&d->load->counted[i], COUNT_REQUESTS, &x);
        off = fabs((double)x / all - p);
        if (off > far && off > FAR_ERROR * sqrt(
                p * (1 - p) / (double)d->load->carried_all)) {
            far = off;
            worst = i;
        }
    }
    if (worst == CW_NONE)
        return;
    counted_value(&d->load->counted[worst], COUNT_REQUESTS, &x);
    name = diagnose_name(d, worst);
    diagnose_find(d, CAUSE_VIEW, 4, diagnose_format(
        "another view: %s counted %.2f %% of all requests, and owns %.2f %% "
        "of those in the evidence: some client has another placement or "
        "another list, or is not in the evidence", name, 100 * (double)x
        / all, 100 * diagnose_share(d, worst)));
    mem_free(name);
}

/* The evidence of one node of several tells nothing of the others. */
static bool
one_alone(struct diagnosis *d)
{
    uint32_t i, got = 0, which = 0;
    char *name;

    for (i = 0; i < d->shares->count; i++)
        if (d->load->carried[i] > 0) {
            which = i;
            got++;
        }
    if (got != 1 || (double)d->load->carried_all
                    * (1 - d->shares->part[which]) < SILENT)
        return false;
    name = diagnose_name(d, which);
    diagnose_find(d, CAUSE_EVIDENCE, 9, diagnose_format(
        "one node's evidence: all of it is of %s; give that of the other "
        "nodes as well, or it cannot be told why %s has more", name, name));
    mem_free(name);
    return true;
}

/* Only where requests were seen tells that a node gets none. */
void
diagnose_silent(struct diagnosis *d)
{
    uint32_t i;

    if (one_alone(d))
        return;
    if (strcmp(d->load->basis, "keys") == 0)
        return;
    for (i = 0; i < d->shares->count; i++) {
        char *name;

        if (d->load->carried[i] > 0 || d->shares->part[i]
                * (double)d->load->carried_all < SILENT)
            continue;
        name = diagnose_name(d, i);
        diagnose_find(d, CAUSE_MISSING, 5, diagnose_format(
            "a node is missing from the clients' ring, or down: %s owns %.2f "
            "%% of the keys and got no request", name,
            100 * d->shares->part[i]));
        mem_free(name);
    }
}
