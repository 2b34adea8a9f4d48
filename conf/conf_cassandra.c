/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_cassandra.c - the output of `nodetool ring`: every token and the node
 * that has it, a datacenter at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_scan.h"
#include "conf/conf_text.h"

enum { TOKENS_MAX = 1 << 20 };

struct token {
    size_t           number;        /* in the order of the file             */
    struct conf_text address;
    struct conf_text rack;
    bool             down;
    uint64_t         position;      /* of the token: token + 2^63           */
};

struct cassandra {
    struct conf_build *b;
    struct conf_text   datacenter;
    struct token      *tokens;
    size_t             count;
    size_t             room;
};

static bool
claims(const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text line, word;
    size_t at;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line)) {
        at = 0;
        if (!conf_scan_word(&line, &at, &word) || conf_same(&word, "Note:"))
            continue;
        if (!conf_same(&word, "Datacenter:"))
            return false;
        while (conf_scan_line(&s, &line)) {
            at = 0;
            if (conf_scan_word(&line, &at, &word) && word.data[0] != '=')
                return conf_same(&word, "Address");
        }
    }
    return false;
}

/* A signed 64-bit token to its place from the lowest one on. */
static bool
read_token(const struct conf_text *t, uint64_t *out)
{
    const uint64_t half = UINT64_C(1) << 63;
    bool minus = t->len > 0 && t->data[0] == '-';
    uint64_t n;

    if (t->len == minus || !str_uint(t->data + minus, t->len - minus,
                                     minus ? half : half - 1, &n))
        return false;
    *out = minus ? half - n : half + n;
    return true;
}

static void
read_line(struct cassandra *c, const struct conf_text *line)
{
    struct conf_text word, last = { NULL, 0, line->at };
    struct token t = { .down = false };
    size_t at = 0, words = 0;

    while (conf_scan_word(line, &at, &word)) {
        if (words == 0)
            t.address = word;
        else if (words == 1)
            t.rack = word;
        else if (words == 2)
            t.down = conf_same(&word, "Down");
        last = word;
        words++;
    }
    /* the column "Token" begins with the last one, alone, to close the ring */
    if (words < 2)
        return;
    if (words < 5 || !read_token(&last, &t.position)) {
        diag_error(c->b->diag, last.at, "bad token \"%s\"",
                   conf_shown(c->b, &last));
        diag_hint(c->b->diag, "expected: address, rack, status, state, load, "
                  "owns and a token of the Murmur3Partitioner");
        return;
    }
    if (c->count == TOKENS_MAX) {
        diag_error(c->b->diag, last.at, "more than %d tokens", TOKENS_MAX);
        return;
    }
    if (c->count == c->room) {
        c->room = c->room ? c->room * 2 : 256;
        c->tokens = mem_resize(c->tokens, c->room, sizeof *c->tokens);
    }
    t.number = c->count;
    c->tokens[c->count++] = t;
}

static int
by_address(const void *a, const void *b)
{
    const struct token *x = a, *y = b;
    size_t n = x->address.len < y->address.len ? x->address.len
        : y->address.len;
    int c = memcmp(x->address.data, y->address.data, n);

    if (c == 0 && x->address.len != y->address.len)
        c = x->address.len < y->address.len ? -1 : 1;
    return c ? c : x->number < y->number ? -1 : 1;
}

static bool
same_node(const struct token *a, const struct token *b)
{
    return a->address.len == b->address.len
        && memcmp(a->address.data, b->address.data, a->address.len) == 0;
}

/* The node of the n tokens from t on. */
static void
add_node(struct cassandra *c, const struct token *t, size_t n)
{
    struct conf_node node = { .name = t->address, .zone = t->rack };

    node.address = conf_host_port(c->b, &t->address, 9042);
    if (t->down)
        node.state = conf_format_text(c->b, t->address.at, "down");
    node.positions = mem_alloc(n, sizeof *node.positions);
    for (; node.position_count < n; node.position_count++)
        node.positions[node.position_count] =
            t[node.position_count].position;
    conf_add_node(c->b, &node);
    mem_free(node.positions);
}

static void
finish(struct cassandra *c)
{
    size_t i, end;

    if (c->datacenter.data == NULL)
        return;
    conf_set(c->b, c->datacenter.at, "compat", "cassandra");
    conf_infer(c->b, c->datacenter.at, "a key is the partition key's bytes, "
               "of one text or blob column; a replica set has the "
               "replication factor's number of nodes, in distinct racks "
               "while there are any");
    if (c->count > 0)
        qsort(c->tokens, c->count, sizeof *c->tokens, by_address);
    for (i = 0; i < c->count; i = end) {
        for (end = i + 1; end < c->count; end++)
            if (!same_node(&c->tokens[i], &c->tokens[end]))
                break;
        add_node(c, &c->tokens[i], end - i);
    }
    c->count = 0;
}

static void
begin_datacenter(struct cassandra *c, const struct conf_text *name)
{
    finish(c);
    c->datacenter = *name;
    conf_pool_begin(c->b, name);
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct cassandra c = { .b = b };
    struct conf_scan s;
    struct conf_text line, word;
    size_t at;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line)) {
        at = 0;
        if (!conf_scan_word(&line, &at, &word) || word.data[0] == '=')
            continue;
        if (conf_same(&word, "Datacenter:")) {
            conf_scan_word(&line, &at, &word);
            begin_datacenter(&c, &word);
        } else if (conf_same(&word, "Warning:") || conf_same(&word, "Note:")
                   || conf_same(&word, "Address")
                   || conf_same(&word, "To")) {
            continue;
        } else if (c.datacenter.data != NULL) {
            read_line(&c, &line);
        }
    }
    finish(&c);
    mem_free(c.tokens);
}

const struct conf_format conf_format_cassandra = {
    .name = "cassandra", .summary = "the output of nodetool ring",
    .claims = claims, .read = read_file
};
