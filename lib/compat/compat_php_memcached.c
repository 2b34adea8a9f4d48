/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_php_memcached.c - PHP's memcached extension: names of its settings
 * for distributions of libmemcached. Which is which: docs/formats/
 * php-memcached.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_libmemcached.h"
#include "compat/compat_list.h"

#define SOURCE "PHP memcached 3.2.0 on libmemcached 1.1.4"

#define RING_ROW(id, text, about, option_list, chooser)                 \
    const struct cwi_compat_ops cwi_compat_php_memcached_##id = {       \
        .algo = {                                                       \
            .name       = text,                                         \
            .summary    = about,                                        \
            .source     = SOURCE,                                       \
            .quirks     = cwi_libmemcached_quirks,                      \
            .traits     = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,            \
            .options    = option_list,                                  \
            .plan       = cwi_libmemcached_ring_plan,                   \
            .hash_key   = cwi_libmemcached_hash,                        \
            .hash_keys  = CWI_UNLESS_PAGE(cwi_libmemcached_hash_keys),        \
            .hash_reads = CWI_LIBMEMCACHED_HASH_READS,                  \
            CWI_COMPAT_RING_OPS                                         \
        },                                                              \
        .choose = chooser                                               \
    }

RING_ROW(libketama, "php-memcached-libketama",
         "OPT_LIBKETAMA_COMPATIBLE: equals libmemcached-ketama-weighted",
         cwi_libmemcached_options_md5, cwi_libmemcached_weighted);

RING_ROW(consistent, "php-memcached-consistent",
         "DISTRIBUTION_CONSISTENT: equals libmemcached-ketama",
         cwi_libmemcached_options_ring, cwi_libmemcached_plain);

const struct cwi_compat_ops cwi_compat_php_memcached_modula = {
    .algo = {
        .name       = "php-memcached-modula",
        .quirks     = cwi_quirks_modulo_hash,
        .summary    = "the default: equals libmemcached-modula",
        .source     = SOURCE,
        .options    = cwi_libmemcached_options_default,
        .plan       = cwi_libmemcached_modula_plan,
        .build      = cwi_libmemcached_modula_build,
        .hash_key   = cwi_libmemcached_hash,
        .hash_reads = CWI_LIBMEMCACHED_HASH_READS,
        CWI_COMPAT_LIST_OPS
    }
};
