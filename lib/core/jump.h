/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jump.h - the jump consistent hash function, for "jump" and the compat rows
 * of programs that use it.
 */
#ifndef CWI_JUMP_H
#define CWI_JUMP_H

#include <stdint.h>

/*
 * The bucket of a key among n, 1 <= n <= 2^31 - 1: bit for bit what the
 * function printed by Lamping and Veach (2014) gives in IEEE double
 * precision. Expected ln(n) rounds.
 */
uint32_t cwi_jump(uint64_t key, uint32_t n);

/* Its (int64_t)((b + 1) * (2^31 / d)) with b1 = b + 1, both 1 to 2^31: equal
 * below 2^52, and at least that where it is. */
uint64_t cwi_jump_next(uint32_t b1, uint32_t d);

#endif
