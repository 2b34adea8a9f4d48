/* SPDX-License-Identifier: Apache-2.0 */
/* conf_haproxy.h - what the files of the HAProxy reader share. */
#ifndef CONF_HAPROXY_H
#define CONF_HAPROXY_H

#include "conf/conf_scan.h"
#include "conf/conf_text.h"

enum { HAPROXY_WORDS = 64 };

/* A line's words; those of the file's next line by haproxy_line(). */
struct haproxy_line {
    struct conf_text word[HAPROXY_WORDS + 1];   /* empty ones follow the last */
    size_t           words;
};

/* False at the end of the file. Errors of the line are reported, and leave
 * no words. */
bool haproxy_line(struct conf_build *b, struct conf_scan *s,
                  struct haproxy_line *line);

/* What `server` and `default-server` set. */
struct haproxy_server {
    struct conf_text name;
    struct conf_text address;   /* as one would connect; data NULL: none    */
    struct conf_text at;        /* its line's first word                    */
    uint64_t         weight;
    uint64_t         id;        /* 0: none given                            */
    bool             own_id;    /* it was given                             */
    struct conf_text hash_key;  /* data NULL: none given                    */
    bool             backup;
    bool             disabled;
};

/* Read the words from number `from` on into s; false: an error was added. */
bool haproxy_parameters(struct conf_build *b, const struct haproxy_line *line,
                        size_t from, struct haproxy_server *s);

/* Read "1.2.3.4:80" and the like into s->address; port: the template's. */
bool haproxy_address(struct conf_build *b, const struct conf_text *text,
                     struct haproxy_server *s);

/* A backend or listen section (or defaults), as far as read. */
struct haproxy_proxy {
    struct conf_text       name;
    struct conf_text       balance;     /* what stands behind the word      */
    struct conf_text       argument;    /* "hdr(x)": x; url_param's name    */
    bool                   whole;
    bool                   path_only;
    uint64_t               uri_len;
    uint64_t               uri_depth;
    bool                   consistent;
    struct conf_text       type_at;     /* the word "hash-type", if any     */
    struct conf_text       function;    /* data NULL: none named            */
    bool                   avalanche;
    uint64_t               factor;      /* hash-balance-factor, 0: none     */
    struct conf_text       factor_at;
    bool                   tcp;         /* mode tcp                         */
    struct haproxy_server  defaults;    /* default-server                   */
    struct haproxy_server *servers;
    size_t                 server_count;
};

bool haproxy_balance(struct conf_build *b, const struct haproxy_line *line,
                     struct haproxy_proxy *p);
bool haproxy_hash_type(struct conf_build *b, const struct haproxy_line *line,
                       struct haproxy_proxy *p);

/* Make the pool in hand of a section that was read. */
void haproxy_place(struct conf_build *b, struct haproxy_proxy *p);

#endif
