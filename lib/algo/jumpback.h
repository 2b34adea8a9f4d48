/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumpback.h - the function behind the row "jumpback", for its tests.
 */
#ifndef CWI_JUMPBACK_H
#define CWI_JUMPBACK_H

#include <stdint.h>

/*
 * The bucket of a hash among n, 1 <= n <= 2^31 - 1: bit for bit that of the
 * author's library (hash4j, jumpBackHash with SplitMix64).
 */
uint32_t cwi_jumpback(uint64_t hash, uint32_t n);

#endif
