/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_libmemcached.h - what the rows of libmemcached and of the PHP
 * extension on top of it have in common.
 */
#ifndef CWI_COMPAT_LIBMEMCACHED_H
#define CWI_COMPAT_LIBMEMCACHED_H

#include "compat/compat_text.h"
#include "core/points.h"

/* Options of every row; WEIGHTS and POINT_HASH of the unweighted rings. */
extern const struct cwi_option cwi_libmemcached_options_md5[];
extern const struct cwi_option cwi_libmemcached_options_default[];
extern const struct cwi_option cwi_libmemcached_options_ring[];

#define CWI_LIBMEMCACHED_HASH_READS 0x0bu   /* hash, char, prefix */

uint64_t cwi_libmemcached_hash(const struct cwi_placement *p, const void *key,
                               size_t len);
void cwi_libmemcached_hash_keys(const struct cwi_placement *p,
                                const cw_key *keys, size_t n, uint64_t *out);
cw_status cwi_libmemcached_ring_plan(const struct cwi_algo_ops *self,
                                     const struct cwi_nodes *nodes,
                                     const struct cwi_placement *p,
                                     struct cwi_plan *out, cw_error *err);
cw_status cwi_libmemcached_modula_plan(const struct cwi_algo_ops *self,
                                       const struct cwi_nodes *nodes,
                                       const struct cwi_placement *p,
                                       struct cwi_plan *out, cw_error *err);
void cwi_libmemcached_modula_build(const struct cwi_algo_ops *self,
                                   void *state, void *scratch,
                                   const struct cwi_nodes *nodes,
                                   const struct cwi_placement *p);

extern const struct cwi_quirk *const cwi_libmemcached_quirks[];

/* The ring of KETAMA_WEIGHTED, and that of KETAMA and CONSISTENT: weighted
 * by itself as soon as a weight is above 1. */
const struct cwi_compat_ring *
cwi_libmemcached_weighted(const struct cwi_placement *p,
                          const struct cwi_nodes *nodes);
const struct cwi_compat_ring *
cwi_libmemcached_plain(const struct cwi_placement *p,
                       const struct cwi_nodes *nodes);

#endif
