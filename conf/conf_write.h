/* SPDX-License-Identifier: Apache-2.0 */
/* conf_write.h - what the writers of native files share. */
#ifndef CONF_WRITE_H
#define CONF_WRITE_H

#include "conf/conf_model.h"

/* A pool as our own fleet file, with its notes as comments. */
void conf_write_fleet(const struct conf_pool *pool,
                      const struct conf_notes *notes, struct buf *out);

/* "compat" or "algorithm" row of the pool: "ring" when none was set. */
const char *conf_row_name(const struct conf_pool *pool);

/*
 * True when the pool's row is one of the n names (*which: its number), without
 * pins. Else `why` says what the format writes.
 */
bool conf_write_row(const struct conf_pool *pool, const char *const *names,
                    size_t n, size_t *which, struct buf *why);

/* The pool has no bound on load, which the format has not. */
bool conf_write_unbound(const struct conf_pool *pool, struct buf *why);

/* The value of an option, or what stands for it when it was not set. */
const char *conf_write_option(const struct conf_pool *pool,
                              const char *option, const char *fallback);

/* A whole weight from min to max; false, and why. */
bool conf_write_weight(const cw_node *node, uint64_t min, uint64_t max,
                       uint64_t *out, struct buf *why);

/* Cut "host:port" or "unix:/path" (port 0); false, and why. */
struct conf_place {
    const char *host;       /* IPv6 without its brackets                    */
    size_t      host_len;
    uint64_t    port;
    bool        is_path;
    bool        is_v6;
};
bool conf_write_place(const cw_node *node, struct conf_place *out,
                      struct buf *why);

/* The node has neither zone nor positions, which the program has not. */
bool conf_write_plain(const struct conf_pool *pool, uint32_t i,
                      struct buf *why);

/* Bytes of a and b are the same. */
bool conf_write_same(const char *a, size_t a_len, const char *b,
                     size_t b_len);

/* No byte of s is a blank, a quote or one of `more`. */
bool conf_write_word(const char *s, size_t len, const char *more);

/* `node "a": ` in front of a reason. */
void conf_write_node_why(struct buf *why, const cw_node *node);

/* A weight in millionths as a decimal. */
void conf_write_decimal(struct buf *out, uint64_t weight);

/* Text as YAML, in quotes when it needs them. */
void conf_write_yaml(struct buf *out, const char *s, size_t len);

#endif
