/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_memc.h - a handle of libmemcached, as configuration strings, PHP and
 * pylibmc set it up: the order of the calls counts, so they are repeated.
 */
#ifndef CONF_MEMC_H
#define CONF_MEMC_H

#include "conf/conf_text.h"

enum memc_dist {
    MEMC_MODULA, MEMC_CONSISTENT, MEMC_WEIGHTED, MEMC_SPY, MEMC_RANDOM,
    MEMC_BUCKET
};

struct memc_server {
    struct conf_text host;      /* or a socket's path                       */
    uint64_t         port;      /* 0: a socket                              */
    uint64_t         weight;
};

struct memc {
    struct conf_build  *b;
    enum memc_dist      dist;
    struct diag_place   dist_at;
    bool                weighted;
    const char         *hash;           /* a name of the rows: "md5"        */
    struct diag_place   hash_at;
    const char         *point_hash;     /* when the ring was built last     */
    bool                sort;
    struct conf_text    prefix;
    bool                hash_prefix;
    struct memc_server *servers;
    size_t              count;
    bool                equal;          /* all servers weigh the same       */
    const char         *not_plain;      /* why the servers are not known    */
    struct diag_place   not_plain_at;
};

void memc_init(struct memc *m, struct conf_build *b);

/* MEMCACHED_BEHAVIOR_DISTRIBUTION, _KETAMA and _KETAMA_WEIGHTED. */
void memc_distribution(struct memc *m, enum memc_dist dist,
                       struct diag_place at);

/* MEMCACHED_BEHAVIOR_HASH, by its name in any case; false: unknown. */
bool memc_hash(struct memc *m, const struct conf_text *name);

/* MEMCACHED_BEHAVIOR_SORT_HOSTS. */
void memc_sort(struct memc *m);

/* port 0: host is the path of a socket. */
void memc_server(struct memc *m, const struct conf_text *host, uint64_t port,
                 uint64_t weight);

/* "host[:port[:weight]]"; a path may stand for a host. False: an error. */
bool memc_server_text(struct memc *m, const struct conf_text *text);

/* Make the pool. */
void memc_finish(struct memc *m);

#endif
