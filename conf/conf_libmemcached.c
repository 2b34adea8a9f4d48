/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_libmemcached.c - configuration strings of libmemcached, by the words
 * and the grammar of memcached(3): "--SERVER=host:port/?weight ...".
 */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "conf/conf_memc.h"
#include "conf/conf_scan.h"
#include "conf/conf_write.h"

enum kind { FLAG, NUMBER, STRING, SERVER, SOCKET, HASH, DIST };

static const struct option {
    const char *name;
    enum kind   kind;
} options[] = {
    { "SERVER", SERVER }, { "SOCKET", SOCKET }, { "HASH", HASH },
    { "DISTRIBUTION", DIST }, { "NAMESPACE", STRING },
    { "CONFIGURE-FILE", STRING }, { "POOL-MIN", NUMBER },
    { "POOL-MAX", NUMBER }, { "SORT-HOSTS", FLAG },
    { "HASH-WITH-NAMESPACE", FLAG }, { "BINARY-PROTOCOL", FLAG },
    { "BUFFER-REQUESTS", FLAG }, { "CONNECT-TIMEOUT", NUMBER },
    { "IO-BYTES-WATERMARK", NUMBER }, { "IO-KEY-PREFETCH", NUMBER },
    { "IO-MSG-WATERMARK", NUMBER }, { "NOREPLY", FLAG },
    { "NUMBER-OF-REPLICAS", NUMBER }, { "POLL-TIMEOUT", NUMBER },
    { "RANDOMIZE-REPLICA-READ", FLAG }, { "RCV-TIMEOUT", NUMBER },
    { "REMOVE-FAILED-SERVERS", NUMBER }, { "RETRY-TIMEOUT", NUMBER },
    { "SND-TIMEOUT", NUMBER }, { "SOCKET-RECV-SIZE", NUMBER },
    { "SOCKET-SEND-SIZE", NUMBER }, { "SUPPORT-CAS", FLAG },
    { "TCP-KEEPALIVE", FLAG }, { "TCP-KEEPIDLE", FLAG },
    { "TCP-NODELAY", FLAG }, { "USE-UDP", FLAG }, { "USER-DATA", FLAG },
    { "VERIFY-KEY", FLAG }, { "FETCH-VERSION", FLAG }
};

enum { OPTIONS = sizeof options / sizeof *options };

static bool
claims(const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text word;

    conf_scan_init(&s, data, len);
    conf_scan_blank(&s, true);
    if (len - s.at < 9 || memcmp(data + s.at, "--", 2) != 0)
        return false;
    word = (struct conf_text){ data + s.at + 2, 0, { 1, 1, 1 } };
    while (s.at + 2 + word.len < len
           && !conf_any(word.data[word.len], "= \t\r\n"))
        word.len++;
    for (size_t i = 0; i < OPTIONS; i++)
        if (conf_same_nocase(&word, options[i].name))
            return true;
    return false;
}

/* A word up to a blank or line end; blanks in quotes are part of it. */
static bool
next_word(struct conf_build *b, struct conf_scan *s, struct conf_text *word)
{
    bool quoted = false;
    size_t from;

    conf_scan_blank(s, true);
    from = s->at;
    for (; s->at < s->len; s->at++) {
        if (s->data[s->at] == '"')
            quoted = !quoted;
        else if (!quoted && conf_any(s->data[s->at], " \t\r\n"))
            break;
    }
    *word = (struct conf_text){ s->data + from, s->at - from, { 0, 0, 0 } };
    if (s->at == from)
        return false;
    word->at = conf_scan_place(s, from, s->at);
    if (quoted) {
        diag_error(b->diag, word->at, "a quote is not closed");
        return false;
    }
    return true;
}

static void
bad_value(struct conf_build *b, const struct conf_text *value,
          const char *name, const char *want)
{
    diag_error(b->diag, value->at, "--%s: bad value \"%s\"", name,
               conf_shown(b, value));
    diag_hint(b->diag, "expected: %s", want);
}

/* Takes "/?N" off the end of t. */
static bool
take_weight(struct conf_text *t, uint64_t *weight)
{
    size_t at = conf_last(t, t->len, '?');

    *weight = 1;
    if (at == SIZE_MAX || at == 0 || t->data[at - 1] != '/')
        return true;
    if (at + 1 == t->len || t->len - at - 1 > 5
        || !str_uint(t->data + at + 1, t->len - at - 1, 99999, weight))
        return false;
    t->len = at - 1;
    return true;
}

/* What the scanner of libmemcached takes for a host: three characters or
 * more, letters and digits at both ends. */
static bool
is_host(const struct conf_text *t)
{
    size_t i;

    for (i = 0; i < t->len; i++) {
        char c = t->data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
            || (c >= '0' && c <= '9');

        if (!letter && (i == 0 || i + 1 == t->len
                        || c == '\0' || !conf_any(c, "._-")))
            return false;
    }
    return t->len >= 3;
}

static void
read_server(struct memc *m, const struct conf_text *value)
{
    struct conf_text host = *value;
    uint64_t weight, port = 11211;
    size_t colon;
    bool ok = take_weight(&host, &weight);

    colon = conf_last(&host, host.len, ':');
    if (ok && colon != SIZE_MAX) {
        ok = colon + 1 < host.len && host.len - colon - 1 <= 5
            && str_uint(host.data + colon + 1, host.len - colon - 1, 65535,
                        &port);
        host.len = colon;
    }
    if (!ok || !is_host(&host)) {
        bad_value(m->b, value, "SERVER", "host[:port][/?weight]; libmemcached "
                  "takes names of at least 3 letters, digits and \".-_\", "
                  "and IPv4 addresses");
        return;
    }
    memc_server(m, &host, port ? port : 11211, weight);
}

static bool
unquote(struct conf_text *t)
{
    if (t->len >= 2 && t->data[0] == '"' && t->data[t->len - 1] == '"') {
        *t = conf_part(t, 1, t->len - 2);
        return true;
    }
    return t->len > 0 && memchr(t->data, '"', t->len) == NULL;
}

static void
read_string(struct memc *m, const char *name, struct conf_text value)
{
    if (!unquote(&value)) {
        bad_value(m->b, &value, name, "a text in \"\"");
    } else if (strcmp(name, "NAMESPACE") == 0) {
        m->prefix = conf_format_text(m->b, value.at, "%.*s", (int)value.len,
                                     value.data);
    } else {
        m->not_plain = "more is in the file that --CONFIGURE-FILE names; "
            "read that one";
        m->not_plain_at = value.at;
    }
}

static void
read_distribution(struct memc *m, struct conf_text value)
{
    static const char *const words[] = { "modula", "consistent", "random" };
    static const enum memc_dist dists[] = {
        MEMC_MODULA, MEMC_CONSISTENT, MEMC_RANDOM
    };
    const char *comma = memchr(value.data, ',', value.len);
    struct conf_text hash = value;
    size_t i = 0;

    if (comma != NULL) {
        hash = conf_part(&value, (size_t)(comma - value.data) + 1,
                         value.len - (size_t)(comma - value.data) - 1);
        value.len = (size_t)(comma - value.data);
        conf_infer(m->b, hash.at, "the hash behind the distribution has no "
                   "effect on where keys go");
    }
    while (i < 3 && !conf_same_nocase(&value, words[i]))
        i++;
    if (i == 3)
        bad_value(m->b, &value, "DISTRIBUTION", "CONSISTENT, MODULA or "
                  "RANDOM");
    else
        memc_distribution(m, dists[i], value.at);
}

static void
read_option(struct memc *m, const struct option *o, struct conf_text value)
{
    uint64_t n;

    switch (o->kind) {
    case FLAG:
        if (strcmp(o->name, "SORT-HOSTS") == 0)
            memc_sort(m);
        m->hash_prefix |= strcmp(o->name, "HASH-WITH-NAMESPACE") == 0;
        break;
    case NUMBER:
        if (value.len == 0 || !str_uint(value.data, value.len, UINT32_MAX,
                                        &n))
            bad_value(m->b, &value, o->name, "a whole number");
        break;
    case STRING:
        read_string(m, o->name, value);
        break;
    case SERVER:
        read_server(m, &value);
        break;
    case SOCKET:
        if (!take_weight(&value, &n) || !unquote(&value) || value.len == 0) {
            bad_value(m->b, &value, o->name, "\"/path\"[/?weight]");
            break;
        }
        value = conf_format_text(m->b, value.at, "%.*s", (int)value.len,
                                 value.data);
        memc_server(m, &value, 0, n);
        break;
    case HASH:
        memc_hash(m, &value);
        break;
    case DIST:
        read_distribution(m, value);
        break;
    }
}

static void
read_one(struct memc *m, const struct conf_text *word)
{
    const char *eq = memchr(word->data, '=', word->len);
    size_t n = eq ? (size_t)(eq - word->data) : word->len;
    struct conf_text name = conf_part(word, n < 2 ? n : 2, n < 2 ? 0 : n - 2);
    struct conf_text value = conf_part(word, eq ? n + 1 : word->len,
                                       eq ? word->len - n - 1 : 0);
    struct str_nearest near;
    size_t i = 0;

    while (i < OPTIONS && !conf_same_nocase(&name, options[i].name))
        i++;
    if (n < 2 || memcmp(word->data, "--", 2) != 0 || i == OPTIONS) {
        diag_error(m->b->diag, word->at, "unknown option \"%s\"",
                   conf_shown(m->b, word));
        str_nearest_init(&near, name.data, name.len);
        for (i = 0; i < OPTIONS; i++)
            str_nearest_try(&near, options[i].name);
        if (near.best != NULL)
            diag_hint(m->b->diag, "did you mean \"--%s\"?", near.best);
        return;
    }
    if ((eq == NULL) != (options[i].kind == FLAG)) {
        diag_error(m->b->diag, word->at, "--%s takes %s value",
                   options[i].name, eq ? "no" : "a");
        return;
    }
    read_option(m, &options[i], value);
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text word;
    struct memc m;

    memc_init(&m, b);
    conf_scan_init(&s, data, len);
    while (next_word(b, &s, &word))
        read_one(&m, &word);
    memc_finish(&m);
}

/* ---- writing ----------------------------------------------------------- */

static bool
write_server(const struct conf_pool *pool, uint32_t i, struct buf *out,
             struct buf *why)
{
    struct conf_place p;
    struct conf_text host;
    uint64_t weight;
    cw_node n;

    cw_fleet_node(pool->fleet, i, &n);
    if (!conf_write_plain(pool, i, why)
        || !conf_write_weight(&n, 1, 99999, &weight, why)
        || !conf_write_place(&n, &p, why))
        return false;
    host = (struct conf_text){ p.host, p.host_len, { 0, 0, 0 } };
    if (p.is_path || p.is_v6 || !is_host(&host)
        || !conf_write_same(n.name, n.name_len, n.address, n.address_len)
        || !conf_write_same(n.name, n.name_len, n.label, n.label_len)) {
        conf_write_node_why(why, &n);
        buf_str(why, "a string has host:port, which is hashed; name, label "
                "and address must be that text");
        return false;
    }
    buf_str(out, "--SERVER=");
    buf_add(out, n.name, n.name_len);
    if (weight != 1)
        buf_print(out, "/?%" PRIu64, weight);
    buf_char(out, '\n');
    return true;
}

static bool
write_file(const struct conf_pool *pool, struct buf *out, struct buf *why)
{
    static const char *const rows[] = {
        "libmemcached-consistent", "libmemcached-modula"
    };
    const char *hash = conf_write_option(pool, "hash", "default");
    const char *prefix = conf_pool_value(pool, "prefix");
    uint32_t i, n = cw_fleet_count(pool->fleet);
    size_t which, k;

    if (!conf_write_row(pool, rows, 2, &which, why)) {
        if (strcmp(conf_row_name(pool), "libmemcached-ketama-weighted") == 0)
            buf_str(why, " (no option of a string switches "
                    "MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED on)");
        return false;
    }
    if (!conf_write_unbound(pool, why))
        return false;
    for (k = 0; k < pool->setting_count; k++) {
        const char *o = pool->settings[k].option;

        if (strcmp(o, "char") == 0 || strcmp(o, "weights") == 0
            || strcmp(o, "point-hash") == 0) {
            buf_print(why, "a string cannot say the option \"%s\"", o);
            return false;
        }
    }
    if (which == 0)
        buf_str(out, "--DISTRIBUTION=CONSISTENT\n");
    if (strcmp(hash, "murmur3") == 0 || strcmp(hash, "hsieh") == 0) {
        buf_print(why, "a string has no word for the hash \"%s\"", hash);
        return false;
    }
    if (strcmp(hash, "default") != 0)
        buf_print(out, "--HASH=%s\n", hash);
    if (strcmp(conf_write_option(pool, "sort-hosts", "no"), "yes") == 0)
        buf_str(out, "--SORT-HOSTS\n");
    if (prefix != NULL)
        buf_print(out, "--NAMESPACE=\"%s\"\n--HASH-WITH-NAMESPACE\n",
                  prefix);
    for (i = 0; i < n; i++)
        if (!write_server(pool, i, out, why))
            return false;
    return true;
}

const struct conf_format conf_format_libmemcached = {
    .name = "libmemcached", .summary = "configuration string of libmemcached",
    .claims = claims, .read = read_file, .write = CONF_WRITER(write_file)
};
