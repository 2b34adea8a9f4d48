/* SPDX-License-Identifier: Apache-2.0 */
/* packets.h - captures of traffic to memcached and Redis: pcap files, or an
 * interface live. */
#ifndef PACKETS_H
#define PACKETS_H

#include <stdio.h>

#include "cli/evidence/evidence.h"
#include "cli/evidence/stream.h"

/* Do these first bytes of a file begin a capture (pcap or pcapng)? */
bool packets_claims(const char *data, size_t len);

/* Read a capture, from a stream or a file, which is closed. False after a
 * message. */
bool packets_read(struct evidence *e, struct stream *s, const char *name);
bool packets_file(struct evidence *e, FILE *file, const char *name);

/* Capture at an interface for `seconds`; 0: until e->stop. False after a
 * message. */
bool packets_live(struct evidence *e, const char *interface,
                  unsigned seconds);

#endif
