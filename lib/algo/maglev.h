/* SPDX-License-Identifier: Apache-2.0 */
/* maglev.h - the filling of a Maglev table, for its row and its test. */
#ifndef CWI_MAGLEV_H
#define CWI_MAGLEV_H

#include <stdint.h>

struct maglev_node {
    uint64_t weight;
    uint32_t offset;        /* first slot it wants, below size              */
    uint32_t skip;          /* to the next one, 1 .. size - 1               */
    uint32_t next;          /* the slot it will try next; any before        */
    uint32_t rounds;        /* its turns taken; any before                  */
    uint16_t number;        /* what is written to the table                 */
};

#define MAGLEV_EMPTY 0xffffu

/*
 * Fill table[size], size prime, all entries: in each round every node, in
 * the order given, takes the first free slot of its own permutation (offset +
 * i * skip) mod size. With weights a node of weight w has a turn in a share w
 * / max of the rounds.
 */
void cwi_maglev_fill(struct maglev_node *node, uint32_t n, uint32_t size,
                     uint16_t *table);

#endif
