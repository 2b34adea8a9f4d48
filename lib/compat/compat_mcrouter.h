/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_mcrouter.h - what the rows of mcrouter have in common.
 */
#ifndef CWI_COMPAT_MCROUTER_H
#define CWI_COMPAT_MCROUTER_H

#include "compat/compat_text.h"

enum cwi_mcrouter_slot { CWI_MCROUTER_ROUTING, CWI_MCROUTER_SALT };

#define CWI_MCROUTER_HASH_READS 3u
#define CWI_MCROUTER_SEED UINT64_C(4193360111)
#define CWI_MCROUTER_POOL_MAX 8388608u

extern const struct cwi_option cwi_mcrouter_options[];

/* The key without /region/cluster/ and what follows |#|, if asked; and the
 * salt behind it. */
struct cwi_pieces cwi_mcrouter_key(const struct cwi_placement *p,
                                   const void *key, size_t len);

/* furc_hash of a key whose MurmurHash64A with that seed is `hash`. */
uint32_t cwi_furc(uint64_t hash, uint32_t buckets);

#endif
