/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_crc_chain.h - the points of nginx and Cache::Memcached::Fast: each
 * is the CRC-32 of host, NUL, port and the point before it.
 */
#ifndef CWI_COMPAT_CRC_CHAIN_H
#define CWI_COMPAT_CRC_CHAIN_H

#include "compat/compat_text.h"

/* Point number i of a server; i must rise by one from 0, as scratch carries
 * the chain. */
uint32_t cwi_crc_chain(struct cwi_span host, struct cwi_span port, uint64_t i,
                       uint8_t *scratch);

/* (crc >> 16) & 0x7fff of a try: nothing or its decimal number, then the key.
 * What Cache::Memcached and those that repeat it hash. */
uint32_t cwi_crc15_try(uint64_t number, const uint8_t *key, size_t len);

#endif
