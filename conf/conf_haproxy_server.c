/* SPDX-License-Identifier: Apache-2.0 */
/* conf_haproxy_server.c - `server` lines: addresses and parameters. */
#include <string.h>

#include "base/str.h"
#include "conf/conf_haproxy.h"

/* Parameters that say nothing of placement, of 2.6 to 3.2; the first ones
 * stand alone, the second ones take a word. */
static const char *const alone[] = {
    "agent-check", "allow-0rtt", "check", "check-send-proxy", "check-ssl",
    "check-via-socks4", "enabled", "force-sslv3", "force-tlsv10",
    "force-tlsv11", "force-tlsv12", "force-tlsv13", "no-agent-check",
    "no-backup", "no-check", "no-check-send-proxy", "no-check-ssl",
    "no-force-sslv3", "no-force-tlsv10", "no-force-tlsv11",
    "no-force-tlsv12", "no-force-tlsv13", "no-renegotiate", "no-send-proxy",
    "no-send-proxy-v2", "no-send-proxy-v2-ssl", "no-send-proxy-v2-ssl-cn",
    "no-ssl", "no-ssl-reuse", "no-sslv3", "no-stick", "no-strict-maxconn",
    "no-tfo", "no-tls-tickets", "no-tlsv10", "no-tlsv11", "no-tlsv12",
    "no-tlsv13", "no-verifyhost", "non-stick", "renegotiate", "send-proxy",
    "send-proxy-v2", "send-proxy-v2-ssl", "send-proxy-v2-ssl-cn", "ssl",
    "ssl-reuse", "sslv3", "stick", "strict-maxconn", "tfo", "tls-tickets",
    "tlsv10", "tlsv11", "tlsv12", "tlsv13", "check-reuse-pool"
};

static const char *const with_value[] = {
    "addr", "agent-addr", "agent-inter", "agent-port", "agent-send", "alpn",
    "ca-file", "cc", "check-alpn", "check-pool-conn-name", "check-proto",
    "check-sni", "ciphers", "ciphersuites", "client-sigalgs", "cookie",
    "crl-file", "crt", "curves", "downinter", "ecdhe", "error-limit", "fall",
    "fastinter", "guid", "idle-ping", "init-addr", "init-state", "inter",
    "log-bufsize", "log-proto", "max-reuse", "maxconn", "maxqueue",
    "minconn", "namespace", "npn", "observe", "on-error", "on-marked-down",
    "on-marked-up", "pool-conn-name", "pool-low-conn", "pool-max-conn",
    "pool-purge-delay", "port", "proto", "proxy-v2-options", "redir",
    "resolve-net", "resolve-opts", "resolve-prefer", "resolvers", "rise",
    "set-proxy-v2-tlv-fmt", "shard", "sigalgs", "slowstart", "sni",
    "socks4", "ssl-max-ver", "ssl-min-ver", "tcp-md5sig", "tcp-ut", "track",
    "verify", "verifyhost", "ws"
};

enum {
    ALONE = sizeof alone / sizeof *alone,
    WITH_VALUE = sizeof with_value / sizeof *with_value
};

static void
unknown(struct conf_build *b, const struct conf_text *w)
{
    static const char *const own[] = {
        "weight", "id", "backup", "disabled", "hash-key"
    };
    struct str_nearest near;
    size_t i;

    diag_error(b->diag, w->at, "unknown server parameter \"%s\"",
               conf_shown(b, w));
    str_nearest_init(&near, w->data, w->len);
    for (i = 0; i < sizeof own / sizeof *own; i++)
        str_nearest_try(&near, own[i]);
    for (i = 0; i < ALONE; i++)
        str_nearest_try(&near, alone[i]);
    for (i = 0; i < WITH_VALUE; i++)
        str_nearest_try(&near, with_value[i]);
    if (near.best != NULL)
        diag_hint(b->diag, "did you mean \"%s\"?", near.best);
}

static bool
bad_value(struct conf_build *b, const struct conf_text *w, const char *name,
          const char *want)
{
    diag_error(b->diag, w->at, "server parameter \"%s\" is \"%s\"", name,
               conf_shown(b, w));
    diag_hint(b->diag, "expected: %s", want);
    return false;
}

/* As HAProxy does: what begins with digits is that number, all else is 0. */
static bool
read_weight(struct conf_build *b, const struct conf_text *value,
            struct haproxy_server *s)
{
    size_t digits = 0;

    while (digits < value->len && value->data[digits] >= '0'
           && value->data[digits] <= '9')
        digits++;
    s->weight = 0;
    if (digits > 0 && !str_uint(value->data, digits, 256, &s->weight))
        return bad_value(b, value, "weight", "a whole number from 0 to 256");
    if (digits == 0 || digits < value->len)
        conf_warn(b, value->at, "weight \"%s\" is no number: HAProxy takes "
                  "it for %u", conf_shown(b, value), (unsigned)s->weight);
    return true;
}

/* One parameter at *i; *i goes to its last word. */
static bool
parameter(struct conf_build *b, const struct haproxy_line *line, size_t *i,
          struct haproxy_server *s)
{
    const struct conf_text *w = &line->word[*i];
    const struct conf_text *value = &line->word[*i + 1];

    if (conf_same(w, "backup")) {
        s->backup = true;
    } else if (conf_same(w, "disabled")) {
        s->disabled = true;
    } else if (conf_same(w, "weight")) {
        ++*i;
        return read_weight(b, value, s);
    } else if (conf_same(w, "id")) {
        ++*i;
        if (value->len == 0 || !str_uint(value->data, value->len, INT32_MAX,
                                         &s->id) || s->id == 0)
            return bad_value(b, value, "id", "a whole number above 0");
    } else if (conf_same(w, "hash-key")) {
        ++*i;
        s->hash_key = *value;
    } else if (conf_same(w, "source")) {
        ++*i;
        while (conf_same(&line->word[*i + 1], "usesrc")
               || conf_same(&line->word[*i + 1], "interface"))
            *i += 2;
    } else if (conf_word(w, alone, ALONE) < ALONE) {
        if (conf_same(w, "enabled"))
            s->disabled = false;
        if (conf_same(w, "no-backup"))
            s->backup = false;
    } else if (conf_word(w, with_value, WITH_VALUE) < WITH_VALUE) {
        ++*i;
    } else {
        unknown(b, w);
        return false;
    }
    if (*i >= line->words) {
        diag_error(b->diag, w->at, "server parameter \"%s\" has no value",
                   conf_shown(b, w));
        return false;
    }
    return true;
}

bool
haproxy_parameters(struct conf_build *b, const struct haproxy_line *line,
                   size_t from, struct haproxy_server *s)
{
    size_t i;

    for (i = from; i < line->words; i++)
        if (!parameter(b, line, &i, s))
            return false;
    return true;
}

static bool
bad_address(struct conf_build *b, const struct conf_text *text,
            const char *what)
{
    diag_error(b->diag, text->at, "%s in address \"%s\"", what,
               conf_shown(b, text));
    diag_hint(b->diag, "expected: host[:port], [v6]:port or /path");
    return false;
}

static bool
family(struct conf_text *t, const char *prefix)
{
    size_t n = strlen(prefix);

    if (t->len < n || memcmp(t->data, prefix, n) != 0)
        return false;
    *t = conf_part(t, n, t->len - n);
    return true;
}

static bool
host_port(struct conf_build *b, const struct conf_text *text,
          struct conf_text host, struct haproxy_server *s)
{
    struct conf_text port = { NULL, 0, text->at };
    size_t colon = conf_last(&host, host.len, ':');
    uint64_t n = 0;

    if (colon != SIZE_MAX
        && memchr(host.data + colon, ']', host.len - colon) == NULL) {
        port = conf_part(&host, colon + 1, host.len - colon - 1);
        host.len = colon;
    }
    if (port.len > 0 && (port.data[0] == '+' || port.data[0] == '-')) {
        conf_warn(b, text->at, "address \"%s\": the port depends on the one "
                  "that the client asked", conf_shown(b, text));
        s->address = host;
        return true;
    }
    if (port.data != NULL && memchr(port.data, '-', port.len) != NULL)
        return bad_address(b, text, "a range of ports");
    if (port.len > 0 && !str_uint(port.data, port.len, 65535, &n))
        return bad_address(b, text, "bad port");
    if (host.len == 0)
        return bad_address(b, text, "no host");
    if (n == 0) {
        conf_infer(b, text->at, "address \"%s\" has no port: HAProxy uses "
                   "the one that the client asked", conf_shown(b, text));
        s->address = host;
    } else {
        s->address = conf_host_port(b, &host, (unsigned long)n);
    }
    return true;
}

bool
haproxy_address(struct conf_build *b, const struct conf_text *text,
                struct haproxy_server *s)
{
    static const char *const inet[] = {
        "ipv4@", "ipv6@", "udp@", "udp4@", "udp6@", "quic4@", "quic6@",
        "tcp@", "tcp4@", "tcp6@", "mptcp@"
    };
    struct conf_text t = *text;
    size_t i;

    if (t.len == 0)
        return bad_address(b, text, "nothing");
    if (family(&t, "unix@") || family(&t, "uxst@") || t.data[0] == '/') {
        s->address = conf_unix(b, &t);
        return true;
    }
    if (family(&t, "abns@") || family(&t, "abnsz@") || family(&t, "fd@")
        || family(&t, "sockpair@") || family(&t, "rhttp@")) {
        s->address = *text;
        return true;
    }
    for (i = 0; i < sizeof inet / sizeof *inet; i++)
        if (family(&t, inet[i]))
            break;
    return host_port(b, text, t, s);
}
