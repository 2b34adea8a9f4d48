/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_text.h - texts and weights as memcached clients read them.
 */
#ifndef CWI_COMPAT_TEXT_H
#define CWI_COMPAT_TEXT_H

#include <string.h>

#include "compat/compat_hashes.h"
#include "core/compat.h"

/* A label "host:port" in parts; port has length 0 when none is written. */
struct cwi_hostport {
    struct cwi_span host;
    struct cwi_span port;       /* digits                                   */
};

/* Splits at the last ':' with nothing but digits behind it. An IPv6 address
 * has a port only behind its ']'. */
struct cwi_hostport cwi_split_port(const uint8_t *label, size_t len);

/* True for the port 11211, which many programs leave out of a label; also
 * when no port is written. */
int cwi_default_port(const struct cwi_hostport *hp);

/* Append at `at`; each returns the new end. */
static inline uint8_t *
cwi_put(uint8_t *at, const void *data, size_t len)
{
    if (len > 0)
        memcpy(at, data, len);
    return at + len;
}

static inline uint8_t *
cwi_put_text(uint8_t *at, const char *text)
{
    return cwi_put(at, text, strlen(text));
}

static inline uint8_t *
cwi_put_span(uint8_t *at, struct cwi_span s)
{
    return cwi_put(at, s.p, s.len);
}

static inline uint8_t *
cwi_put_number(uint8_t *at, uint64_t n)
{
    return at + cwi_decimal(n, at);
}

/* "host", or "host:port" unless that is 11211. */
uint8_t *cwi_put_short(uint8_t *at, const uint8_t *label, size_t len);

/* "host:port", with 11211 where none is written. */
uint8_t *cwi_put_full(uint8_t *at, const uint8_t *label, size_t len);

/*
 * A number that belongs to a node but has no field of its own stands in its
 * label: "id=17" or "s1 id=17". Takes it off the label's end; 0 and
 * everything left alone when there is none.
 */
int cwi_label_number(struct cwi_span *label, const char *name, uint64_t *out);

/* CW_EINVAL for a weight above 0 that is not whole or above max. */
cw_status cwi_whole_weights(const struct cwi_algo_ops *self,
                            const struct cwi_nodes *nodes, uint64_t max,
                            cw_error *err);

static inline uint64_t
cwi_whole(uint64_t weight)
{
    return weight / CW_WEIGHT_ONE;
}

/* floor(w / total * 160 / 4 * n + 1e-10) with 32-bit floats, for whole
 * weights: the labels of libmemcached's weighted ketama and its kin. */
uint64_t cwi_ketama_labels(const struct cwi_placement *p,
                           const struct cwi_nodes *nodes, uint32_t node);

/* n for every node: rows without weights that ignore them. */
uint64_t cwi_labels_40(const struct cwi_placement *p,
                       const struct cwi_nodes *nodes, uint32_t node);
uint64_t cwi_labels_100(const struct cwi_placement *p,
                        const struct cwi_nodes *nodes, uint32_t node);
uint64_t cwi_labels_160(const struct cwi_placement *p,
                        const struct cwi_nodes *nodes, uint32_t node);

/* Traits of rows that call cwi_whole_weights(). */
#define CWI_WHOLE_WEIGHTS (CW_TRAIT_WEIGHTED | CW_TRAIT_WHOLE)

/* The end of an option list. */
#define CWI_OPTIONS_END \
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }

#endif
