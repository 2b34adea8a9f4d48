/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_ketama.c - ketama.servers of libketama: ADDRESS:PORT and a number (the
 * server's memory, its weight) a line; '#' begins a comment.
 */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "conf/conf_scan.h"
#include "conf/conf_text.h"
#include "conf/conf_write.h"

enum { ADDRESS_MAX = 21 };      /* libketama has room for 22 with the NUL */

static bool
is_number(const struct conf_text *t)
{
    uint64_t n;

    return t->len > 0 && str_uint(t->data, t->len, UINT64_MAX, &n);
}

/* host:port, blanks, digits: a line that our own format refuses. */
static bool
is_server_line(const struct conf_text *line)
{
    struct conf_text address, memory, more;
    size_t at = 0, colon;

    if (!conf_scan_word(line, &at, &address)
        || !conf_scan_word(line, &at, &memory) || !is_number(&memory)
        || conf_scan_word(line, &at, &more))
        return false;
    colon = conf_last(&address, address.len, ':');
    if (colon == SIZE_MAX || colon == 0)
        return false;
    memory = conf_part(&address, colon + 1, address.len - colon - 1);
    return is_number(&memory);
}

static bool
is_comment(const struct conf_text *line)
{
    struct conf_text word;
    size_t at = 0;

    return !conf_scan_word(line, &at, &word) || word.data[0] == '#';
}

static bool
claims(const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text line;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line))
        if (!is_comment(&line))
            return is_server_line(&line);
    return false;
}

static void
read_server(struct conf_build *b, const struct conf_text *line)
{
    struct conf_node node = { .positions = NULL };
    struct conf_text word, port;
    uint64_t n = 0;
    size_t at = 0, colon;

    conf_scan_word(line, &at, &node.name);
    node.address = node.name;
    if (!conf_scan_word(line, &at, &node.weight)
        || !str_uint(node.weight.data, node.weight.len,
                     CW_WEIGHT_MAX / CW_WEIGHT_ONE, &n) || n == 0) {
        diag_error(b->diag, node.weight.at, "server \"%s\": bad memory "
                   "\"%s\"", conf_shown(b, &node.name),
                   conf_shown(b, &node.weight));
        diag_hint(b->diag, "expected: a whole number from 1 to 1000000, in "
                  "any unit");
        return;
    }
    if (conf_scan_word(line, &at, &word) && word.data[0] != '#') {
        diag_error(b->diag, word.at, "unexpected word \"%s\"",
                   conf_shown(b, &word));
        diag_hint(b->diag, "expected: ADDRESS:PORT MEMORY");
        return;
    }
    colon = conf_last(&node.name, node.name.len, ':');
    port = conf_part(&node.name, colon == SIZE_MAX ? node.name.len
                     : colon + 1, colon == SIZE_MAX ? 0
                     : node.name.len - colon - 1);
    if (port.len == 0 || !str_uint(port.data, port.len, 65535, &n)
        || n == 0 || colon == 0) {
        diag_error(b->diag, node.name.at, "bad address \"%s\"",
                   conf_shown(b, &node.name));
        diag_hint(b->diag, "expected: ADDRESS:PORT");
        return;
    }
    if (node.name.len > ADDRESS_MAX) {
        diag_error(b->diag, node.name.at, "address \"%s\" has %zu bytes",
                   conf_shown(b, &node.name), node.name.len);
        diag_hint(b->diag, "expected: at most %d, libketama has room for no "
                  "more", ADDRESS_MAX);
        return;
    }
    conf_add_node(b, &node);
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct diag_place top = { 1, 1, 0 };
    struct conf_scan s;
    struct conf_text line;

    conf_set(b, top, "compat", "libketama");
    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line))
        if (!is_comment(&line))
            read_server(b, &line);
}

static bool
write_file(const struct conf_pool *pool, struct buf *out, struct buf *why)
{
    static const char *const rows[] = { "libketama" };
    uint32_t i, n = cw_fleet_count(pool->fleet);
    size_t which;

    if (!conf_write_row(pool, rows, 1, &which, why)
        || !conf_write_unbound(pool, why))
        return false;
    for (i = 0; i < n; i++) {
        struct conf_place p;
        uint64_t weight;
        cw_node node;

        cw_fleet_node(pool->fleet, i, &node);
        if (!conf_write_plain(pool, i, why)
            || !conf_write_weight(&node, 1, 1000000, &weight, why)
            || !conf_write_place(&node, &p, why))
            return false;
        if (p.is_path || node.address_len > ADDRESS_MAX
            || !conf_write_same(node.name, node.name_len, node.address,
                                node.address_len)
            || !conf_write_same(node.name, node.name_len, node.label,
                                node.label_len)) {
            conf_write_node_why(why, &node);
            buf_print(why, "libketama hashes the address, of at most %d "
                      "bytes; name, label and address must be one text",
                      ADDRESS_MAX);
            return false;
        }
        buf_add(out, node.name, node.name_len);
        buf_print(out, "\t%" PRIu64 "\n", weight);
    }
    return true;
}

const struct conf_format conf_format_ketama = {
    .name = "ketama", .summary = "ketama.servers of libketama",
    .claims = claims, .read = read_file, .write = CONF_WRITER(write_file)
};
