/* SPDX-License-Identifier: Apache-2.0 */
/* conf_nginx_server.c - a `server` line: where nginx connects, and its
 * parameters. */
#include <string.h>

#include "base/str.h"
#include "conf/conf_nginx.h"

static bool
starts(const struct conf_text *t, const char *prefix, size_t n)
{
    return t->len >= n && memcmp(t->data, prefix, n) == 0;
}

static bool
refuse_server(struct nginx *x, struct diag_place at, const char *what,
              const struct conf_text *shown)
{
    diag_error(x->b->diag, at, "%s in server \"%s\"", what,
               conf_shown(x->b, shown));
    diag_hint(x->b->diag, "expected: host%s, [v6]:port or unix:/path",
              x->stream ? ":port" : "[:port]");
    return false;
}

/* Where nginx would connect. */
static bool
server_address(struct nginx *x, struct nginx_server *s)
{
    const struct conf_text *t = &s->text;
    struct conf_text host = *t, port;
    size_t colon;
    uint64_t n = 80;

    if (starts(t, "unix:", 5)) {
        if (t->len == 5)
            return refuse_server(x, t->at, "no path", t);
        s->address = *t;
        return true;
    }
    if (t->len == 0 || memchr(t->data, '/', t->len) != NULL
        || memchr(t->data, '?', t->len) != NULL)
        return refuse_server(x, t->at, "bad host", t);
    colon = conf_last(t, t->len, ':');
    if (t->data[0] == '[') {
        const char *close = memchr(t->data, ']', t->len);

        if (close == NULL || close == t->data + 1)
            return refuse_server(x, t->at, "bad IPv6 address", t);
        host.len = (size_t)(close - t->data) + 1;
        if (host.len == t->len)
            colon = SIZE_MAX;
        else if (colon != host.len)
            return refuse_server(x, t->at, "bad host", t);
    } else if (colon != SIZE_MAX) {
        colon = (size_t)((const char *)memchr(t->data, ':', t->len)
                         - t->data);
        host.len = colon;
    }
    if (host.len == 0)
        return refuse_server(x, t->at, "no host", t);
    if (colon != SIZE_MAX) {
        port = conf_part(t, colon + 1, t->len - colon - 1);
        if (!str_uint(port.data, port.len, 65535, &n) || port.len == 0
            || n == 0)
            return refuse_server(x, t->at, "bad port", t);
    } else if (x->stream) {
        return refuse_server(x, t->at, "no port", t);
    }
    s->address = conf_host_port(x->b, &host, (unsigned long)n);
    if (!conf_is_ip(&host))
        conf_warn(x->b, t->at, "server %s: a name is one node of the ring; "
                  "when it has several addresses nginx takes them in turn, "
                  "and a key has no address of its own among them",
                  conf_shown(x->b, t));
    return true;
}

bool
nginx_bad(struct nginx *x, const struct conf_text *w, const char *want)
{
    diag_error(x->b->diag, w->at, "invalid parameter \"%s\"",
               conf_shown(x->b, w));
    diag_hint(x->b->diag, "expected: %s", want);
    return false;
}

/* A number with at most `units` letters behind it ("10s", "1m30s"). */
static bool
is_time(const struct conf_text *t, size_t from)
{
    size_t i;

    for (i = from; i < t->len; i++)
        if (!(t->data[i] >= '0' && t->data[i] <= '9')
            && !conf_any(t->data[i], "ywdhms "))
            return false;
    return t->len > from && t->data[from] >= '0' && t->data[from] <= '9';
}

static bool
server_parameter(struct nginx *x, struct nginx_server *s,
                 const struct conf_text *w, bool after_hash)
{
    uint64_t n;

    if (starts(w, "weight=", 7))
        return (str_uint(w->data + 7, w->len - 7, INT32_MAX, &s->weight)
                && w->len > 7 && s->weight > 0)
            || nginx_bad(x, w, "weight=N, a whole number from 1 on");
    if (starts(w, "max_conns=", 10) || starts(w, "max_fails=", 10))
        return (w->len > 10 && str_uint(w->data + 10, w->len - 10,
                                        INT64_MAX, &n))
            || nginx_bad(x, w, "a whole number");
    if (starts(w, "fail_timeout=", 13))
        return is_time(w, 13) || nginx_bad(x, w, "a time, as 10s");
    if (conf_same(w, "down")) {
        s->down = true;
        return true;
    }
    if (conf_same(w, "backup")) {
        s->backup = true;
        return !after_hash || nginx_bad(x, w, "no backup server: "
                                        "\"hash\" does not support it");
    }
    if (conf_same(w, "resolve") || conf_same(w, "drain")
        || starts(w, "service=", 8) || starts(w, "slow_start=", 11)
        || starts(w, "route=", 6)) {
        conf_warn(x->b, w->at, "\"%s\" of a commercial or later nginx is "
                  "not looked at", conf_shown(x->b, w));
        return true;
    }
    return nginx_bad(x, w, "weight=, max_conns=, max_fails=, "
                     "fail_timeout=, backup or down");
}

bool
nginx_server(struct nginx *x, bool after_hash, struct nginx_server *out)
{
    bool ok;
    size_t i;

    *out = (struct nginx_server){ .weight = 1 };
    if (x->words < 2) {
        diag_error(x->b->diag, x->word[0].at, "\"server\" has no address");
        return false;
    }
    out->text = x->word[1];
    ok = server_address(x, out);
    for (i = 2; i < x->words && i < NGINX_WORDS_MAX; i++)
        ok &= server_parameter(x, out, &x->word[i], after_hash);
    return ok;
}
