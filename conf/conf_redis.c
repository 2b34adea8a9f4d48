/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_redis.c - who has which slots of a Redis Cluster: nodes.conf and the
 * answer of CLUSTER NODES (one form), and that of CLUSTER SLOTS as redis-cli
 * prints it or, with --json, as a tree.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_scan.h"
#include "conf/conf_text.h"
#include "conf/conf_tree.h"

enum { SLOTS = 16384, ID = 40, FIELDS = 8 };

struct redis {
    struct conf_build *b;
    struct conf_text   owner[SLOTS];    /* data NULL: none yet              */
    size_t             owned;
};

static void
take_slots(struct redis *r, const struct conf_text *at, uint64_t first,
           uint64_t last, struct conf_node *node)
{
    uint64_t i;

    for (i = first; i <= last; i++) {
        if (r->owner[i].data != NULL) {
            diag_error(r->b->diag, at->at, "slot %llu has two owners",
                       (unsigned long long)i);
            diag_hint(r->b->diag, "the other one is in line %u",
                      r->owner[i].at.line);
            return;
        }
        r->owner[i] = *at;
        r->owned++;
        node->positions[node->position_count++] = i;
    }
}

static bool
slot_number(const struct conf_text *t, size_t from, size_t to, uint64_t *n)
{
    return to > from && str_uint(t->data + from, to - from, SLOTS - 1, n);
}

/* "5461", "0-5460" or "[93->-id]", which is on its way. */
static void
read_slots(struct redis *r, const struct conf_text *word,
           struct conf_node *node)
{
    size_t dash = 0;
    uint64_t first, last;

    if (word->data[0] == '[') {
        conf_warn(r->b, word->at, "slot %s is being moved: until that ends "
                  "some of its keys are at the other node",
                  conf_shown(r->b, word));
        return;
    }
    while (dash < word->len && word->data[dash] != '-')
        dash++;
    if (slot_number(word, 0, dash, &first)) {
        last = first;
        if (dash == word->len
            || (slot_number(word, dash + 1, word->len, &last)
                && last >= first)) {
            take_slots(r, word, first, last, node);
            return;
        }
    }
    diag_error(r->b->diag, word->at, "bad slots \"%s\"",
               conf_shown(r->b, word));
    diag_hint(r->b->diag, "expected: a number or range, from 0 to %d",
              SLOTS - 1);
}

/* "10.0.0.1:7000@17000,name" to "10.0.0.1:7000"; false: no address. */
static bool
read_address(struct redis *r, const struct conf_text *word,
             struct conf_text *out)
{
    struct conf_text t = *word, host, port;
    size_t i = 0, colon;
    uint64_t n;

    while (i < t.len && t.data[i] != '@' && t.data[i] != ',')
        i++;
    t.len = i;
    colon = conf_last(&t, t.len, ':');
    if (colon == SIZE_MAX)
        return false;
    host = conf_part(&t, 0, colon);
    port = conf_part(&t, colon + 1, t.len - colon - 1);
    if (port.len == 0 || !str_uint(port.data, port.len, 65535, &n))
        return false;
    if (host.len > 0)
        *out = conf_host_port(r->b, &host, (unsigned long)n);
    return true;
}

/* One of the words of a list with commas. */
static bool
has_flag(const struct conf_text *flags, const char *flag)
{
    size_t n = strlen(flag), i = 0, end;

    for (; i <= flags->len; i = end + 1) {
        for (end = i; end < flags->len && flags->data[end] != ','; end++)
            continue;
        if (end - i == n && memcmp(flags->data + i, flag, n) == 0)
            return true;
    }
    return false;
}

static void
finish_node(struct redis *r, struct conf_node *node,
            const struct conf_text *id)
{
    node->name = node->address.data ? node->address : *id;
    node->name.at = id->at;
    if (node->position_count == 0) {
        conf_warn(r->b, id->at, "node %s has no slots: it owns no key",
                  conf_shown(r->b, &node->name));
        node->weight = conf_format_text(r->b, id->at, "0");
    }
    conf_add_node(r->b, node);
}

static void
read_node(struct redis *r, const struct conf_text *line)
{
    struct conf_node node = { .positions = NULL };
    struct conf_text f[FIELDS], word;
    size_t at = 0, i;

    for (i = 0; i < FIELDS; i++) {
        if (!conf_scan_word(line, &at, &f[i])) {
            diag_error(r->b->diag, line->at, "the line has %zu words", i);
            diag_hint(r->b->diag, "expected: id, address, flags, master, "
                      "ping, pong, epoch, state, slots");
            return;
        }
    }
    if (!read_address(r, &f[1], &node.address)) {
        diag_error(r->b->diag, f[1].at, "bad address \"%s\"",
                   conf_shown(r->b, &f[1]));
        diag_hint(r->b->diag, "expected: host:port@bus-port");
        return;
    }
    if (has_flag(&f[2], "slave") || has_flag(&f[2], "replica")) {
        conf_infer(r->b, f[1].at, "%s is a replica: it is left out",
                   conf_shown(r->b, &f[1]));
        return;
    }
    if (has_flag(&f[2], "handshake") || has_flag(&f[2], "noaddr")) {
        conf_warn(r->b, f[2].at, "node %s (%s) is left out",
                  conf_shown(r->b, &f[0]), conf_shown(r->b, &f[2]));
        return;
    }
    if (has_flag(&f[2], "fail"))
        node.state = conf_format_text(r->b, f[2].at, "down");
    node.positions = mem_alloc(SLOTS, sizeof *node.positions);
    while (conf_scan_word(line, &at, &word))
        read_slots(r, &word, &node);
    finish_node(r, &node, &f[0]);
    mem_free(node.positions);
}

/* A slot that nobody has makes the cluster refuse its keys. */
static void
check_cover(struct redis *r)
{
    struct diag_place nowhere = { 0, 0, 0 };
    size_t i = 0;

    if (r->owned == SLOTS || r->b->diag->errors > 0)
        return;
    while (r->owner[i].data != NULL)
        i++;
    conf_unplaced(r->b, nowhere, "slot %zu has no owner (%zu have one): the "
                  "cluster is down for its keys", i, r->owned);
}

static struct redis *
begin(struct conf_build *b)
{
    struct redis *r = arena_alloc(&b->arena, sizeof *r);
    struct diag_place top = { 1, 1, 0 };

    r->b = b;
    conf_set(b, top, "compat", "redis-cluster");
    return r;
}

static bool
is_id(const struct conf_text *word)
{
    size_t i;

    for (i = 0; i < word->len; i++)
        if (!((word->data[i] >= '0' && word->data[i] <= '9')
              || (word->data[i] >= 'a' && word->data[i] <= 'f')))
            return false;
    return word->len == ID;
}

static bool
claims(const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text line, word;
    size_t at;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line)) {
        at = 0;
        if (conf_scan_word(&line, &at, &word))
            return is_id(&word) && conf_scan_word(&line, &at, &word)
                && memchr(word.data, ':', word.len) != NULL;
    }
    return false;
}

static void
read_nodes(struct conf_build *b, const char *data, size_t len)
{
    struct redis *r = begin(b);
    struct conf_scan s;
    struct conf_text line, word;
    size_t at;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line)) {
        at = 0;
        if (!conf_scan_word(&line, &at, &word) || conf_same(&word, "vars"))
            continue;
        read_node(r, &line);
    }
    check_cover(r);
}

const struct conf_format conf_format_redis_nodes = {
    .name = "redis-nodes",
    .summary = "nodes.conf of Redis, the answer of CLUSTER NODES",
    .claims = claims, .read = read_nodes
};

/* ---- CLUSTER SLOTS ----------------------------------------------------- */

/* An owner and its stretches of slots; a node may come up more than once. */
struct range {
    struct range    *next;
    struct conf_text address;
    uint64_t         first;
    uint64_t         last;
};

static void
add_owner(struct redis *r, struct range *all, const struct conf_text *who)
{
    struct conf_node node = { .address = *who };
    cw_node old;

    if (cw_fleet_find(r->b->pool.fleet, who->data, who->len, &old) == CW_OK)
        return;
    node.positions = mem_alloc(SLOTS, sizeof *node.positions);
    for (; all != NULL; all = all->next)
        if (all->address.len == who->len
            && memcmp(all->address.data, who->data, who->len) == 0)
            take_slots(r, &all->address, all->first, all->last, &node);
    finish_node(r, &node, who);
    mem_free(node.positions);
}

static void
add_owners(struct redis *r, struct range *all)
{
    struct range *one;
    size_t n = 0;

    for (one = all; one != NULL; one = one->next)
        n++;
    if (n > SLOTS) {
        diag_error(r->b->diag, all->address.at, "there are %zu stretches of "
                   "slots; expected at most %d", n, SLOTS);
        return;
    }
    for (one = all; one != NULL; one = one->next)
        add_owner(r, all, &one->address);
    check_cover(r);
}

static const struct conf_value *
item(const struct conf_value *list, size_t n)
{
    const struct conf_item *i = list->kind == CONF_LIST ? list->first : NULL;

    while (i != NULL && n-- > 0)
        i = i->next;
    return i ? i->value : NULL;
}

static bool
claims_tree(const struct conf_value *root)
{
    const struct conf_value *first = item(root, 0);
    const struct conf_value *host = first ? item(first, 2) : NULL;

    return root->kind == CONF_LIST && first != NULL
        && first->kind == CONF_LIST && host != NULL
        && host->kind == CONF_LIST;
}

static bool
read_number(const struct conf_value *v, uint64_t max, uint64_t *out)
{
    return v != NULL && v->kind == CONF_SCALAR && v->len > 0
        && str_uint(v->text, v->len, max, out);
}

static void
read_slots_tree(struct conf_build *b, const struct conf_value *root)
{
    struct redis *r = begin(b);
    struct range *all = NULL, **end = &all;
    const struct conf_item *i;

    if (root->kind != CONF_LIST)
        diag_error(b->diag, root->at, "the file holds %s; expected a list of "
                   "slots", conf_kind_text(root->kind));
    for (i = root->first; root->kind == CONF_LIST && i != NULL; i = i->next) {
        const struct conf_value *host = item(i->value, 2);
        struct conf_text name = conf_tree_text(host ? item(host, 0) : NULL);
        struct range *one = arena_alloc(&b->arena, sizeof *one);
        uint64_t port;

        if (!read_number(item(i->value, 0), SLOTS - 1, &one->first)
            || !read_number(item(i->value, 1), SLOTS - 1, &one->last)
            || one->first > one->last || host == NULL || name.data == NULL
            || !read_number(item(host, 1), 65535, &port)) {
            diag_error(b->diag, i->value->at, "these are no slots");
            diag_hint(b->diag, "expected: [first, last, [host, port, id], "
                      "...]");
            continue;
        }
        one->address = conf_host_port(b, &name, (unsigned long)port);
        *end = one;
        end = &one->next;
    }
    add_owners(r, all);
}

const struct conf_format conf_format_redis_slots = {
    .name = "redis-slots",
    .summary = "the answer of CLUSTER SLOTS, by redis-cli --json",
    .claims_tree = claims_tree, .read_tree = read_slots_tree
};

static bool
is_digits(const struct conf_text *t)
{
    uint64_t n;

    return t->len > 0 && str_uint(t->data, t->len, UINT64_MAX, &n);
}

/* As redis-cli prints it: a number in brackets for each level, "(integer)"
 * before numbers, quotes round texts. */
static bool
claims_text(const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text line, word;
    size_t at, n = 0;

    conf_scan_init(&s, data, len);
    conf_scan_blank(&s, true);
    if (len - s.at > 20 && memcmp(data + s.at, "1) 1) (integer) ", 16) == 0)
        return true;
    /* or, when it does not print to a terminal, a value a line */
    while (n < 5 && conf_scan_line(&s, &line)) {
        at = 0;
        if (!conf_scan_word(&line, &at, &word)
            || is_digits(&word) != (n < 2 || n == 3)
            || (n == 4 && !is_id(&word)))
            return false;
        n++;
    }
    return n == 5;
}

/* The value of a line; *opened: how many "N)" stand before it. */
static bool
next_value(const struct conf_text *line, size_t *at, unsigned *opened,
           struct conf_text *value)
{
    struct conf_text word;

    *opened = 0;
    while (conf_scan_word(line, at, &word)) {
        if (word.data[word.len - 1] == ')' && word.len > 1
            && word.data[0] >= '0' && word.data[0] <= '9') {
            ++*opened;
        } else if (!conf_same(&word, "(integer)")) {
            *value = word;
            if (word.len > 1 && word.data[0] == '"'
                && word.data[word.len - 1] == '"')
                *value = conf_part(&word, 1, word.len - 2);
            return true;
        }
    }
    return false;
}

/* The values of a stretch in turn: first and last slot, then host, port and
 * id of the owner and of each replica. */
static void
take_value(struct redis *r, struct range *one, unsigned field,
           const struct conf_text *value, struct conf_text *host)
{
    uint64_t n = 0;

    if (field == 2) {
        *host = *value;
    } else if (field < 4 && (!is_digits(value)
                             || !str_uint(value->data, value->len,
                                          field < 2 ? SLOTS - 1 : 65535,
                                          &n))) {
        diag_error(r->b->diag, value->at, "unexpected \"%s\"; expected a "
                   "%s", conf_shown(r->b, value), field < 2 ? "slot"
                   : "port");
    } else if (field == 0) {
        one->first = n;
    } else if (field == 1) {
        one->last = n;
    } else if (field == 3) {
        one->address = conf_host_port(r->b, host, (unsigned long)n);
        one->address.at = host->at;
    }
}

static void
read_slots_text(struct conf_build *b, const char *data, size_t len)
{
    struct redis *r = begin(b);
    struct range *all = NULL, **end = &all, *one = NULL;
    struct conf_scan s;
    struct conf_text line, value, host = { NULL, 0, { 0, 0, 0 } };
    unsigned opened, field = 0;
    size_t at;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line)) {
        at = 0;
        if (!next_value(&line, &at, &opened, &value))
            continue;
        /* behind an id a number begins the next stretch, a host a replica;
         * of what a terminal shows only the numbering tells */
        if (one == NULL || (opened == 2 && line.data[0] != ' ')
            || (opened == 0 && field >= 5 && (field - 2) % 3 == 0
                && line.data[0] != ' ' && is_digits(&value))) {
            one = arena_alloc(&b->arena, sizeof *one);
            *end = one;
            end = &one->next;
            field = 0;
        }
        take_value(r, one, field++, &value, &host);
    }
    for (one = all; one != NULL; one = one->next) {
        if (one->address.data == NULL || one->first > one->last) {
            diag_error(b->diag, (struct diag_place){ 1, 1, 0 }, "a stretch "
                       "of slots is not complete");
            return;
        }
    }
    add_owners(r, all);
}

const struct conf_format conf_format_redis_slots_text = {
    .name = "redis-slots-text",
    .summary = "the answer of CLUSTER SLOTS, as redis-cli prints it",
    .claims = claims_text, .read = read_slots_text
};
