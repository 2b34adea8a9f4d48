/* SPDX-License-Identifier: Apache-2.0 */
/* packets.h - captures of traffic to memcached and Redis: pcap files, or an
 * interface live. */
#ifndef PACKETS_H
#define PACKETS_H

#include "cli/evidence/evidence.h"

/* Do these first bytes of a file begin a capture (pcap or pcapng)? */
bool packets_claims(const char *data, size_t len);

/* Read a capture file. False after a message. */
bool packets_read(struct evidence *e, const char *path);

/* Capture at an interface for `seconds`. False after a message. */
bool packets_live(struct evidence *e, const char *interface,
                  unsigned seconds);

#endif
