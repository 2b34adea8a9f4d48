/* SPDX-License-Identifier: Apache-2.0 */
/* compat_quirks.c - quirks that several programs share. */
#include "compat/compat_quirks.h"

#include "compat/compat_text.h"

int
cwi_unequal(const struct cwi_nodes *nodes)
{
    uint64_t first = 0;

    for (uint32_t i = 0; i < nodes->n; i++) {
        uint64_t weight = nodes->v[i].weight;

        if (first == 0)
            first = weight;
        if (weight != 0 && weight != first)
            return 1;
    }
    return 0;
}

int
cwi_several(const struct cwi_placement *p, const struct cwi_nodes *nodes,
            uint64_t top)
{
    (void)p;
    (void)top;
    return nodes->active > 1;
}

static int
unequal_applies(const struct cwi_placement *p, const struct cwi_nodes *nodes,
                uint64_t top)
{
    (void)p;
    (void)top;
    return cwi_unequal(nodes);
}

const struct cwi_quirk cwi_quirk_share = {
    unequal_applies,
    "points are a share of the total weight: a change of one node moves keys "
    "between the others",
    "equal weights, or \"ring\" and other placements with the trait minimal; "
    "clockwise plan --placement shows what the move costs"
};

/* Equal weights of which the float rule makes 39 labels, not 40. */
static int
float_applies(const struct cwi_placement *p, const struct cwi_nodes *nodes,
              uint64_t top)
{
    (void)top;
    for (uint32_t i = 0; i < nodes->n && !cwi_unequal(nodes); i++) {
        if (nodes->v[i].weight > 0)
            return cwi_ketama_labels(p, nodes, i) < 40;
    }
    return 0;
}

const struct cwi_quirk cwi_quirk_float = {
    float_applies,
    "32-bit floats give each node 156 points, not 160: a client that rounds "
    "in another way disagrees on 2 to 3 % of the keys",
    "one more or one less node, or the same client everywhere"
};

static int
narrow_applies(const struct cwi_placement *p, const struct cwi_nodes *nodes,
               uint64_t top)
{
    (void)p;
    return top == 0x7fff && nodes->active > 1;
}

const struct cwi_quirk cwi_quirk_narrow = {
    narrow_applies,
    "the key hash has 15 bits and the ring 32: nearly all keys go to the "
    "owner of the first point",
    "a hash of 32 bits, such as md5 or crc32a"
};

static int
crc15_applies(const struct cwi_placement *p, const struct cwi_nodes *nodes,
              uint64_t top)
{
    (void)p;
    return top == 0x7fff && nodes->active > 1;
}

const struct cwi_quirk cwi_quirk_crc15 = {
    crc15_applies,
    "its CRC-32 is cut to 15 bits, (crc32 >> 16) & 0x7fff: a program with the "
    "whole CRC-32 under the same name sends keys elsewhere",
    "find out which of the two a client has: clockwise identify, over keys "
    "whose node is known"
};

const struct cwi_quirk cwi_quirk_modulo = {
    cwi_several,
    "hash % N: one node more or less moves nearly all keys",
    "replace a node in its place; a ring or rendezvous for fleets that change"
};

const struct cwi_quirk cwi_quirk_place = {
    cwi_several,
    "nodes are known by their place in the list: removing one that is not "
    "the last moves the keys of those behind it",
    "put another node in its place; never sort the list"
};

const struct cwi_quirk *const cwi_quirks_share[] = { &cwi_quirk_share, NULL };
const struct cwi_quirk *const cwi_quirks_modulo[] = {
    &cwi_quirk_modulo, NULL
};
const struct cwi_quirk *const cwi_quirks_modulo_hash[] = {
    &cwi_quirk_modulo, &cwi_quirk_crc15, NULL
};
const struct cwi_quirk *const cwi_quirks_place[] = { &cwi_quirk_place, NULL };
