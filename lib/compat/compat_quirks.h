/* SPDX-License-Identifier: Apache-2.0 */
/* compat_quirks.h - quirks that several programs share. */
#ifndef CWI_COMPAT_QUIRKS_H
#define CWI_COMPAT_QUIRKS_H

#include "core/compat.h"

extern const struct cwi_quirk cwi_quirk_share;      /* of the total weight  */
extern const struct cwi_quirk cwi_quirk_float;      /* 156 points for 160   */
extern const struct cwi_quirk cwi_quirk_narrow;     /* 15 bits on a ring    */
extern const struct cwi_quirk cwi_quirk_crc15;      /* which CRC-32 it is   */
extern const struct cwi_quirk cwi_quirk_modulo;     /* hash % N             */
extern const struct cwi_quirk cwi_quirk_place;      /* known by their place */

/* NULL-ended lists of one, for rows that have no other. */
extern const struct cwi_quirk *const cwi_quirks_share[];
extern const struct cwi_quirk *const cwi_quirks_modulo[];
extern const struct cwi_quirk *const cwi_quirks_place[];

/* Of rows of hash % N that let the hash be chosen. */
extern const struct cwi_quirk *const cwi_quirks_modulo_hash[];

/* Do weights above 0 differ? */
int cwi_unequal(const struct cwi_nodes *nodes);

/* More than one active node? */
int cwi_several(const struct cwi_placement *p, const struct cwi_nodes *nodes,
                uint64_t top);

#endif
