/* SPDX-License-Identifier: Apache-2.0 */
/* conf_rows.h - one row per format of fleet files; the first one that claims
 * the content reads it, so the one that takes anything is last. */
#ifndef CONF_ROWS_H
#define CONF_ROWS_H

#define CONF_ROWS(ROW) \
    ROW(cassandra)     \
    ROW(envoy)         \
    ROW(haproxy)       \
    ROW(ketama)        \
    ROW(kubernetes)    \
    ROW(libmemcached)  \
    ROW(mcrouter)      \
    ROW(nginx)         \
    ROW(php)           \
    ROW(php_ini)       \
    ROW(proxy)         \
    ROW(pylibmc)       \
    ROW(redis_nodes)   \
    ROW(redis_slots)   \
    ROW(redis_slots_text) \
    ROW(twemproxy)     \
    ROW(varnish)       \
    ROW(fleet)         \
    ROW(lines)

#endif
