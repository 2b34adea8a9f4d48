/* SPDX-License-Identifier: Apache-2.0 */
/* conf_native.h - writers, for the rows of their formats. */
#ifndef CONF_NATIVE_H
#define CONF_NATIVE_H

#include "conf/conf_model.h"

bool conf_twemproxy_write(const struct conf_pool *pool, struct buf *out,
                          struct buf *why);
bool conf_nginx_write(const struct conf_pool *pool, struct buf *out,
                      struct buf *why);
bool conf_haproxy_write(const struct conf_pool *pool, struct buf *out,
                        struct buf *why);
bool conf_envoy_write(const struct conf_pool *pool, struct buf *out,
                      struct buf *why);

#endif
