/* SPDX-License-Identifier: Apache-2.0 */
/* conf_envoy.h - a cluster of Envoy while it is read. */
#ifndef CONF_ENVOY_H
#define CONF_ENVOY_H

#include "conf/conf_model.h"
#include "conf/conf_tree.h"

struct envoy_host {
    struct conf_text name;
    struct conf_text address;
    struct conf_text label;     /* data NULL: the name                      */
    uint64_t         weight;
    size_t           locality;
    bool             down;
    bool             drain;
};

struct envoy_locality {
    struct conf_text zone;
    uint64_t         weight;
};

struct envoy {
    struct conf_build     *b;
    bool                   by_hostname;
    bool                   by_locality;     /* localities are weighted      */
    struct envoy_host     *hosts;
    size_t                 count;
    struct envoy_locality *locality;
    size_t                 localities;
};

/* Add the hosts to the pool in hand. */
void envoy_add_hosts(struct envoy *e);

#endif
