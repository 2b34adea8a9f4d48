/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_write.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "conf/conf_text.h"

const char *
conf_row_name(const struct conf_pool *pool)
{
    const char *compat = conf_pool_value(pool, "compat");
    const char *algorithm = conf_pool_value(pool, "algorithm");

    return compat ? compat : algorithm ? algorithm : "ring";
}

bool
conf_write_row(const struct conf_pool *pool, const char *const *names,
               size_t n, size_t *which, struct buf *why)
{
    const char *row = conf_row_name(pool);
    size_t i;

    if (pool->pins != NULL) {
        buf_str(why, "the fleet has pins, which this format cannot say");
        return false;
    }
    for (i = 0; i < n; i++) {
        if (strcmp(names[i], row) == 0) {
            *which = i;
            return true;
        }
    }
    buf_print(why, "the fleet is placed by \"%s\"; this format can say only ",
              row);
    for (i = 0; i < n; i++)
        buf_print(why, "%s%s", i ? ", " : "", names[i]);
    return false;
}

bool
conf_write_unbound(const struct conf_pool *pool, struct buf *why)
{
    if (pool->bound == 0)
        return true;
    buf_print(why, "the fleet has a bound of %u %%, which this format cannot "
              "say", pool->bound);
    return false;
}

const char *
conf_write_option(const struct conf_pool *pool, const char *option,
                  const char *fallback)
{
    const char *value = conf_pool_value(pool, option);

    return value ? value : fallback;
}

void
conf_write_node_why(struct buf *why, const cw_node *node)
{
    buf_str(why, "node \"");
    str_escape(why, node->name, node->name_len, 60);
    buf_str(why, "\": ");
}

bool
conf_write_weight(const cw_node *node, uint64_t min, uint64_t max,
                  uint64_t *out, struct buf *why)
{
    *out = node->weight / CW_WEIGHT_ONE;
    if (node->weight % CW_WEIGHT_ONE == 0 && *out >= min && *out <= max)
        return true;
    conf_write_node_why(why, node);
    buf_str(why, "its weight is ");
    conf_write_decimal(why, node->weight);
    buf_print(why, "; this format has whole ones from %" PRIu64 " to %"
              PRIu64, min, max);
    return false;
}

bool
conf_write_place(const cw_node *node, struct conf_place *out,
                 struct buf *why)
{
    const char *a = node->address;
    size_t len = node->address_len, colon = len;

    memset(out, 0, sizeof *out);
    if (len > 5 && memcmp(a, "unix:", 5) == 0) {
        out->host = a + 5;
        out->host_len = len - 5;
        out->is_path = true;
        return true;
    }
    while (colon > 0 && a[colon - 1] != ':')
        colon--;
    if (colon > 1 && str_uint(a + colon, len - colon, 65535, &out->port)
        && len > colon && out->port > 0) {
        out->host = a;
        out->host_len = colon - 1;
        if (a[0] == '[' && a[colon - 2] == ']') {
            out->is_v6 = true;
            out->host++;
            out->host_len -= 2;
        }
        if (out->host_len > 0
            && (out->is_v6
                || memchr(out->host, ':', out->host_len) == NULL)
            && conf_write_word(out->host, out->host_len, ";{}#,"))
            return true;
    }
    conf_write_node_why(why, node);
    if (len == 0)
        buf_str(why, "it has no address; expected one, as host:port");
    else
        buf_str(why, "its address is not host:port");
    return false;
}

bool
conf_write_plain(const struct conf_pool *pool, uint32_t i, struct buf *why)
{
    cw_node node;

    cw_fleet_node(pool->fleet, i, &node);
    if (node.zone_len == 0 && node.positions == 0)
        return true;
    conf_write_node_why(why, &node);
    buf_str(why, node.zone_len ? "it has a zone, which this format cannot say"
            : "it has positions of its own, which this format cannot say");
    return false;
}

bool
conf_write_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

bool
conf_write_word(const char *s, size_t len, const char *more)
{
    size_t i;

    for (i = 0; i < len; i++)
        if (s[i] == '\0' || conf_any(s[i], " \t\r\n\"'\\")
            || conf_any(s[i], more))
            return false;
    return len > 0;
}

void
conf_write_decimal(struct buf *out, uint64_t weight)
{
    uint64_t rest = weight % CW_WEIGHT_ONE;
    unsigned digits = 6;

    buf_print(out, "%" PRIu64, weight / CW_WEIGHT_ONE);
    if (rest == 0)
        return;
    for (; rest % 10 == 0; rest /= 10)
        digits--;
    buf_print(out, ".%0*" PRIu64, (int)digits, rest);
}

static bool
plain_yaml(const char *s, size_t len)
{
    static const char *const words[] = {
        "null", "Null", "NULL", "true", "false", "yes", "no", "on", "off"
    };
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (conf_write_same(s, len, words[i], strlen(words[i])))
            return false;
    for (i = 0; i < len; i++) {
        bool letter = (s[i] >= 'a' && s[i] <= 'z')
            || (s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= '0' && s[i] <= '9');

        if (!letter && !conf_any(s[i], i ? "._/=@+:-" : "._/"))
            return false;
    }
    return len > 0 && s[len - 1] != ':';
}

void
conf_write_yaml(struct buf *out, const char *s, size_t len)
{
    size_t i;

    if (plain_yaml(s, len)) {
        buf_add(out, s, len);
        return;
    }
    buf_char(out, '"');
    for (i = 0; i < len; i++) {
        if (s[i] == '"' || s[i] == '\\')
            buf_char(out, '\\');
        buf_char(out, s[i]);
    }
    buf_char(out, '"');
}
