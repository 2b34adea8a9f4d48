/* SPDX-License-Identifier: Apache-2.0 */
/* compare_facts.c - what a text-book says of each placement. */
#include <string.h>

#include "cli/compare/compare.h"

static const struct compare_facts facts[] = {
    { "ring", "points, 19 bytes each", "1 / sqrt(points)", "yes, in points",
      "yes, only its keys move", "caches and stores of any size" },
    { "slots", "a table, 2 bytes a slot", "bounded", "yes, exactly",
      "yes, hardly more than its keys", "new fleets" },
    { "rendezvous", "none", "as even as the hash", "yes, exactly",
      "yes, only its keys move", "up to some ten nodes; replicas" },
    { "skeleton", "a tree, 40 bytes a node", "as even as the hash",
      "yes, exactly", "yes, but other keys move too",
      "thousands of weighted nodes that seldom change" },
    { "multiprobe", "one point a node", "low peak, no floor",
      "in whole points", "yes, only its keys move",
      "many nodes in little memory" },
    { "maglev", "a table, 2 bytes an entry", "within an entry",
      "yes, in turns", "yes, but other keys move too",
      "load balancers with short flows" },
    { "jump", "none", "as even as the hash", "no", "only the last node",
      "numbered shards that only grow" },
    { "jumpback", "none", "as even as the hash", "no", "only the last node",
      "numbered shards that only grow, very many" },
    { "stable-jump", "a number for each node", "as even as the hash", "no",
      "yes, if numbers are kept", "numbered shards that may fail" },
    { "modulo", "none", "as even as the hash", "no",
      "no, nearly all keys move", "fleets that never change" },
    { "directory", "an entry a key, prefix or range", "what you make it",
      "yes, by its entries", "yes, by copying what it has",
      "few large things placed by hand" },
};

static const struct compare_facts unknown = {
    "", "-", "-", "-", "-", "-"
};

const struct compare_facts *
compare_facts(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(facts[i].name, name) == 0)
            return &facts[i];
    return &unknown;
}
