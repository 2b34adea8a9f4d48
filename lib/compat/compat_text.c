/* SPDX-License-Identifier: Apache-2.0 */
/* compat_text.c - texts and weights as memcached clients read them. */
#include "compat/compat_text.h"

struct cwi_hostport
cwi_split_port(const uint8_t *label, size_t len)
{
    struct cwi_hostport hp = { { label, len }, { label, 0 } };
    size_t at = len;

    while (at > 0 && label[at - 1] >= '0' && label[at - 1] <= '9')
        at--;
    if (at == len || at < 2 || label[at - 1] != ':')
        return hp;
    if (label[at - 2] != ']' && memchr(label, ':', at - 1) != NULL)
        return hp;
    hp.host.len = at - 1;
    hp.port.p = label + at;
    hp.port.len = len - at;
    return hp;
}

int
cwi_default_port(const struct cwi_hostport *hp)
{
    return hp->port.len == 0 ||
           (hp->port.len == 5 && memcmp(hp->port.p, "11211", 5) == 0);
}

uint8_t *
cwi_put_short(uint8_t *at, const uint8_t *label, size_t len)
{
    struct cwi_hostport hp = cwi_split_port(label, len);

    return cwi_put(at, label, cwi_default_port(&hp) ? hp.host.len : len);
}

uint8_t *
cwi_put_full(uint8_t *at, const uint8_t *label, size_t len)
{
    struct cwi_hostport hp = cwi_split_port(label, len);

    at = cwi_put(at, label, len);
    return hp.port.len == 0 ? cwi_put_text(at, ":11211") : at;
}

int
cwi_label_number(struct cwi_span *label, const char *name, uint64_t *out)
{
    size_t at = label->len, name_len = strlen(name);
    uint64_t n = 0;

    while (at > 0 && label->p[at - 1] >= '0' && label->p[at - 1] <= '9')
        at--;
    if (at == label->len || label->len - at > 10 || at < name_len + 1 ||
        label->p[at - 1] != '=' ||
        memcmp(label->p + at - 1 - name_len, name, name_len) != 0)
        return 0;
    for (size_t i = at; i < label->len; i++)
        n = n * 10 + (label->p[i] - (uint64_t)'0');
    at -= name_len + 1;
    if (at > 0 && label->p[at - 1] != ' ')
        return 0;
    label->len = at > 0 ? at - 1 : 0;
    *out = n;
    return 1;
}

cw_status
cwi_whole_weights(const struct cwi_algo_ops *self,
                  const struct cwi_nodes *nodes, uint64_t max, cw_error *err)
{
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->weight % CW_WEIGHT_ONE != 0 || cwi_whole(n->weight) > max)
            return cwi_fail(err, CW_EINVAL,
                            "node %n: weight %w; \"%s\" takes whole weights "
                            "up to %u", n->name, (size_t)n->name_len,
                            n->weight, self->name, max);
    }
    return CW_OK;
}

uint64_t
cwi_ketama_labels(const struct cwi_placement *p,
                  const struct cwi_nodes *nodes, uint32_t node)
{
    float part = (float)cwi_whole(nodes->v[node].weight) /
                 (float)cwi_whole(nodes->total);
    float labels = part * 160.0f;

    (void)p;
    labels = labels / 4.0f;
    labels = labels * (float)nodes->active;
    labels = (float)((double)labels + 0.0000000001);
    return (uint64_t)labels;
}

uint64_t
cwi_labels_40(const struct cwi_placement *p, const struct cwi_nodes *nodes,
              uint32_t node)
{
    (void)p;
    (void)nodes;
    (void)node;
    return 40;
}

uint64_t
cwi_labels_100(const struct cwi_placement *p, const struct cwi_nodes *nodes,
               uint32_t node)
{
    (void)p;
    (void)nodes;
    (void)node;
    return 100;
}

uint64_t
cwi_labels_160(const struct cwi_placement *p, const struct cwi_nodes *nodes,
               uint32_t node)
{
    (void)p;
    (void)nodes;
    (void)node;
    return 160;
}
