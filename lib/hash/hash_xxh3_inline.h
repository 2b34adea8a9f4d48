/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_xxh3_inline.h - the official xxHash header, inlined, with one setting
 * for every file that uses it (lib/hash and the key look-up of lib/core).
 *
 * XXH3 and XXH64 give the same bits with every instruction set, byte order
 * and alignment; the settings below choose code, never values.
 *
 * The compiler must find <xxhash.h> (Debian: libxxhash-dev, 0.8.0 or later:
 * XXH3 is frozen since then). A build for wasm32 must not see /usr/include:
 * it copies that one file to a directory of its own and passes it by -isystem.
 */
#ifndef CWI_HASH_XXH3_INLINE_H
#define CWI_HASH_XXH3_INLINE_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#define XXH_NO_STREAM               /* 0.8.2 and later: only one-shot calls */
#define XXH_NO_STDLIB               /* 0.8.2 and later: no malloc           */
#define XXH_FORCE_MEMORY_ACCESS 0   /* load by memcpy: no aliasing of types */
#define XXH_FORCE_ALIGN_CHECK 0     /* one path for every alignment         */
#include <xxhash.h>

#if XXH_VERSION_NUMBER < 800
#error "xxhash.h is older than 0.8.0: its XXH3 gives other values"
#endif

/*
 * XXH3, 64 bits, seed 0, of len bytes; data may be NULL when len is 0, any
 * alignment. Up to 240 bytes it is inlined, longer input costs a call.
 */
static inline uint64_t
cwi_xxh3_inline(const void *data, size_t len)
{
    return XXH3_64bits(data, len);
}

#endif
