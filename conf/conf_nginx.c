/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_nginx.c - `upstream` blocks of an nginx configuration, whole or in
 * part. docs/formats/files.md tells what is made of them.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_scan.h"
#include "conf/conf_native.h"
#include "conf/conf_text.h"

enum { WORDS_MAX = 64, DEPTH_MAX = 32 };

enum stop { STOP_END, STOP_SEMICOLON, STOP_OPEN, STOP_CLOSE, STOP_ERROR };

struct nginx {
    struct conf_scan   scan;
    struct conf_build *b;           /* NULL: only looking                   */
    struct conf_text   word[WORDS_MAX];
    size_t             words;       /* of the statement; more are counted   */
    bool               stream;
};

struct server {
    struct conf_text text;
    struct conf_text address;
    uint64_t         weight;
    bool             down;
    bool             backup;
};

struct upstream {
    struct conf_text name;
    struct conf_text hash;          /* the word "hash"; data NULL: none     */
    struct conf_text key;
    bool             consistent;
    struct server   *servers;
    size_t           count;
};

/* ---- words and statements ---------------------------------------------- */

static void
error_at(struct nginx *x, size_t at, const char *text)
{
    if (x->b != NULL)
        diag_error(x->b->diag, conf_scan_place(&x->scan, at, at + 1), "%s",
                   text);
}

/* A word in quotes; s->at is behind the opening one. */
static bool
quoted(struct nginx *x, char quote, struct buf *out)
{
    struct conf_scan *s = &x->scan;

    while (s->at < s->len && s->data[s->at] != quote) {
        if (s->data[s->at] == '\\' && s->at + 1 < s->len) {
            s->at++;
            if (s->data[s->at] != quote && s->data[s->at] != '\\')
                buf_char(out, '\\');
        }
        buf_char(out, s->data[s->at++]);
    }
    if (s->at == s->len)
        return false;
    s->at++;
    return true;
}

static void
plain(struct nginx *x, struct buf *out)
{
    struct conf_scan *s = &x->scan;
    bool variable = false;

    for (; s->at < s->len; s->at++) {
        char c = s->data[s->at];

        if (variable && c == '{') {     /* of ${name} */
            variable = false;
        } else if (conf_any(c, " \t\r\n;{")) {
            break;
        } else {
            variable = c == '$';
            if (c == '\\' && s->at + 1 < s->len) {
                s->at++;
                c = s->data[s->at];
                if (!conf_any(c, "\"'\\ \t;{"))
                    buf_char(out, '\\');
            }
        }
        buf_char(out, c);
    }
}

static bool
read_word(struct nginx *x)
{
    struct conf_scan *s = &x->scan;
    struct buf text = { 0 };
    size_t from = s->at;
    char c = s->data[from];
    bool ok = true;

    if (c == '"' || c == '\'') {
        s->at++;
        ok = quoted(x, c, &text);
        if (!ok)
            error_at(x, from, "this quote is not closed");
        else if (s->at < s->len
                 && !conf_any(s->data[s->at], " \t\r\n;{)"))
            error_at(x, s->at, "a blank, \";\" or \"{\" must follow a text "
                     "in quotes");
    } else {
        plain(x, &text);
    }
    if (x->words < WORDS_MAX) {
        struct conf_text *w = &x->word[x->words];

        w->len = text.len;
        if (x->b != NULL) {
            w->at = conf_scan_place(s, from, s->at);
            w->data = arena_copy(&x->b->arena, text.data ? text.data : "",
                                 text.len);
        } else {
            w->data = s->data + from;
        }
    }
    x->words++;
    buf_free(&text);
    return ok;
}

/* The words up to ";", "{" or "}". */
static enum stop
read_statement(struct nginx *x)
{
    struct conf_scan *s = &x->scan;

    x->words = 0;
    for (;;) {
        conf_scan_blank(s, true);
        if (s->at == s->len) {
            if (x->words == 0)
                return STOP_END;
            error_at(x, s->len, "the file ends within a statement; expected "
                     "\";\" or \"}\"");
            return STOP_ERROR;
        }
        switch (s->data[s->at]) {
        case '#':
            while (s->at < s->len && s->data[s->at] != '\n')
                s->at++;
            break;
        case ';':
        case '{':
            if (x->words == 0) {
                error_at(x, s->at, "a statement begins with no word");
                return STOP_ERROR;
            }
            return s->data[s->at++] == ';' ? STOP_SEMICOLON : STOP_OPEN;
        case '}':
            if (x->words > 0) {
                error_at(x, s->at, "unexpected \"}\"; expected \";\" before "
                         "it");
                return STOP_ERROR;
            }
            s->at++;
            return STOP_CLOSE;
        default:
            if (!read_word(x))
                return STOP_ERROR;
        }
    }
}

/* Past a block that is of no interest. */
static bool
skip_block(struct nginx *x)
{
    size_t open = x->scan.at;
    unsigned depth = 1;

    if (x->word[0].len > 10 && x->words > 0
        && memcmp(x->word[0].data + x->word[0].len - 10, "_lua_block", 10)
        == 0) {
        /* Lua has words of its own: only its braces are counted */
        for (; depth > 0 && x->scan.at < x->scan.len; x->scan.at++) {
            depth += x->scan.data[x->scan.at] == '{';
            depth -= x->scan.data[x->scan.at] == '}';
        }
    }
    while (depth > 0) {
        enum stop stop = read_statement(x);

        if (stop == STOP_ERROR)
            return false;
        if (stop == STOP_END) {
            error_at(x, open - 1, "this block is not closed");
            return false;
        }
        depth += stop == STOP_OPEN;
        depth -= stop == STOP_CLOSE;
    }
    return true;
}

/* ---- servers ----------------------------------------------------------- */

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
server_address(struct nginx *x, struct server *s)
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

static bool
bad_parameter(struct nginx *x, const struct conf_text *w, const char *want)
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
server_parameter(struct nginx *x, struct server *s, const struct conf_text *w,
                 bool after_hash)
{
    uint64_t n;

    if (starts(w, "weight=", 7))
        return (str_uint(w->data + 7, w->len - 7, INT32_MAX, &s->weight)
                && w->len > 7 && s->weight > 0)
            || bad_parameter(x, w, "weight=N, a whole number from 1 on");
    if (starts(w, "max_conns=", 10) || starts(w, "max_fails=", 10))
        return (w->len > 10 && str_uint(w->data + 10, w->len - 10,
                                        INT64_MAX, &n))
            || bad_parameter(x, w, "a whole number");
    if (starts(w, "fail_timeout=", 13))
        return is_time(w, 13) || bad_parameter(x, w, "a time, as 10s");
    if (conf_same(w, "down")) {
        s->down = true;
        return true;
    }
    if (conf_same(w, "backup")) {
        s->backup = true;
        return !after_hash || bad_parameter(x, w, "no backup server: "
                                            "\"hash\" does not support it");
    }
    if (conf_same(w, "resolve") || conf_same(w, "drain")
        || starts(w, "service=", 8) || starts(w, "slow_start=", 11)
        || starts(w, "route=", 6)) {
        conf_warn(x->b, w->at, "\"%s\" of a commercial or later nginx is "
                  "not looked at", conf_shown(x->b, w));
        return true;
    }
    return bad_parameter(x, w, "weight=, max_conns=, max_fails=, "
                         "fail_timeout=, backup or down");
}

static void
read_server(struct nginx *x, struct upstream *u)
{
    struct server s = { .weight = 1 };
    bool ok;
    size_t i;

    if (x->words < 2) {
        diag_error(x->b->diag, x->word[0].at, "\"server\" has no address");
        return;
    }
    s.text = x->word[1];
    ok = server_address(x, &s);
    for (i = 2; i < x->words && i < WORDS_MAX; i++)
        ok &= server_parameter(x, &s, &x->word[i], u->hash.data != NULL);
    if (!ok)
        return;
    u->servers = mem_resize(u->servers, u->count + 1, sizeof *u->servers);
    u->servers[u->count++] = s;
}

/* ---- upstream ---------------------------------------------------------- */

static void
read_hash(struct nginx *x, struct upstream *u)
{
    if (x->words < 2 || x->words > 3) {
        diag_error(x->b->diag, x->word[0].at, "\"hash\" has %zu arguments",
                   x->words - 1);
        diag_hint(x->b->diag, "expected: hash KEY [consistent]");
    } else if (x->words == 3 && !conf_same(&x->word[2], "consistent")) {
        bad_parameter(x, &x->word[2], "\"consistent\", or nothing");
    } else {
        u->hash = x->word[0];
        u->key = x->word[1];
        u->consistent = x->words == 3;
    }
}

static void
read_directive(struct nginx *x, struct upstream *u)
{
    static const char *const methods[] = {
        "ip_hash", "least_conn", "random", "least_time", "fair", "sticky",
        "balancer_by_lua_block", "balancer_by_lua_file", "jvm_route"
    };
    static const char *const others[] = {
        "zone", "state", "keepalive", "keepalive_requests", "keepalive_time",
        "keepalive_timeout", "ntlm", "queue", "resolver", "resolver_timeout",
        "check", "check_http_send", "check_http_expect_alive",
        "check_keepalive_requests", "session_cookie"
    };
    const struct conf_text *w = &x->word[0];
    size_t i = conf_word(w, methods, sizeof methods / sizeof *methods);

    if (conf_same(w, "server"))
        read_server(x, u);
    else if (conf_same(w, "hash"))
        read_hash(x, u);
    else if (i < sizeof methods / sizeof *methods)
        conf_unplaced(x->b, w->at, "nginx chooses servers by \"%s\", not by "
                      "the hash of a key", methods[i]);
    else if (conf_same(w, "include"))
        conf_warn(x->b, w->at, "include: that file is not read; give the "
                  "output of nginx -T");
    else if (conf_word(w, others, sizeof others / sizeof *others)
             == sizeof others / sizeof *others)
        conf_warn(x->b, w->at, "directive \"%s\" is not known here and not "
                  "looked at", conf_shown(x->b, w));
}

/* A second line for a server; true when it was taken care of. */
static bool
again(struct nginx *x, const struct upstream *u, const struct server *s,
      struct conf_node *node)
{
    cw_fleet *fleet = x->b->pool.fleet;
    const char *name = s->text.data;
    cw_node old;
    size_t n;

    if (cw_fleet_find(fleet, name, s->text.len, &old) != CW_OK)
        return false;
    if (u->consistent) {
        /* the points of equal texts are the same ones */
        conf_warn(x->b, s->text.at, "server %s is given again: one node "
                  "of the ring, with the larger weight", conf_shown(x->b,
                                                                  &s->text));
        if (s->weight * CW_WEIGHT_ONE > old.weight
            && cw_fleet_set_weight(fleet, name, s->text.len,
                                   s->weight * CW_WEIGHT_ONE, NULL) != CW_OK)
            diag_error(x->b->diag, s->text.at, "the weight is too large");
        return true;
    }
    for (n = 2; cw_fleet_find(fleet, node->name.data, node->name.len, &old)
         == CW_OK; n++)
        node->name = conf_format_text(x->b, s->text.at, "%s#%zu", name, n);
    return false;
}

static void
add_servers(struct nginx *x, const struct upstream *u)
{
    static const struct diag_place nowhere;
    size_t i;

    for (i = 0; i < u->count; i++) {
        const struct server *s = &u->servers[i];
        struct conf_node node = { .name = s->text, .address = s->address };

        if (again(x, u, s, &node))
            continue;
        node.weight = conf_format_text(x->b, nowhere, "%llu",
                                       (unsigned long long)s->weight);
        node.weight.at = s->text.at;
        if (s->backup) {
            conf_warn(x->b, s->text.at, "server %s: a backup owns no key",
                      conf_shown(x->b, &s->text));
            node.weight = conf_format_text(x->b, s->text.at, "0");
        }
        if (s->down)
            node.state = conf_format_text(x->b, s->text.at, "down");
        conf_add_node(x->b, &node);
    }
}

static void
finish_upstream(struct nginx *x, struct upstream *u)
{
    struct conf_build *b = x->b;

    if (u->count == 0)
        diag_error(b->diag, u->name.at, "no servers are inside upstream "
                   "\"%s\"", conf_shown(b, &u->name));
    if (u->hash.data != NULL) {
        conf_set(b, u->hash.at, "compat", u->consistent ? "nginx-consistent"
                 : "nginx-hash");
        conf_key_from(b, "%s", u->key.data);
        conf_infer(b, u->key.at, "a key is what %s is for a request, byte "
                   "for byte", conf_shown(b, &u->key));
    } else {
        conf_unplaced(b, u->name.at, "it has no \"hash\": nginx gives its "
                      "servers requests in turn");
    }
    add_servers(x, u);
    mem_free(u->servers);
}

static bool
read_upstream(struct nginx *x)
{
    struct upstream u = { .count = 0 };
    size_t open = x->scan.at;
    enum stop stop;

    u.name = x->word[1];
    conf_pool_begin(x->b, &u.name);
    if (x->words != 2)
        diag_error(x->b->diag, x->word[0].at, "\"upstream\" has %zu "
                   "arguments; expected its name", x->words - 1);
    while ((stop = read_statement(x)) != STOP_CLOSE) {
        if (stop == STOP_END)
            error_at(x, open - 1, "this block is not closed");
        if (stop == STOP_END || stop == STOP_ERROR) {
            mem_free(u.servers);
            return false;
        }
        if (x->words > WORDS_MAX)
            diag_error(x->b->diag, x->word[0].at, "more than %d words",
                       WORDS_MAX);
        else
            read_directive(x, &u);
        if (stop == STOP_OPEN && !skip_block(x)) {
            mem_free(u.servers);
            return false;
        }
    }
    finish_upstream(x, &u);
    return true;
}

/* ---- the file ---------------------------------------------------------- */

static bool
named_block(const struct nginx *x, enum stop stop, const char *word)
{
    return stop == STOP_OPEN && x->words == 1 && conf_same(x->word, word);
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct nginx *x = arena_alloc(&b->arena, sizeof *x);
    cw_fleet *names = cw_fleet_new(NULL);
    unsigned depth = 0;
    bool ok = names != NULL;

    conf_scan_init(&x->scan, data, len);
    x->b = b;
    while (ok) {
        enum stop stop = read_statement(x);

        if (stop == STOP_END || stop == STOP_ERROR) {
            if (stop == STOP_END && depth > 0)
                error_at(x, x->scan.len, "a block is not closed at the end "
                         "of the file");
            break;
        }
        if (stop == STOP_CLOSE && depth-- == 0) {
            error_at(x, x->scan.at - 1, "unexpected \"}\"");
            break;
        }
        if (named_block(x, stop, "http") || named_block(x, stop, "stream")) {
            x->stream = x->word[0].len == 6;
            depth++;
        } else if (stop == STOP_OPEN && conf_same(x->word, "upstream")
                   && x->words > 1) {
            if (x->word[1].len > 0 && x->word[1].len <= CW_NAME_MAX
                && cw_fleet_add(names, x->word[1].data, x->word[1].len,
                                CW_WEIGHT_ONE, NULL) == CW_EEXIST)
                diag_error(b->diag, x->word[1].at, "upstream \"%s\" is "
                           "given twice", conf_shown(b, &x->word[1]));
            ok = read_upstream(x);
        } else if (stop == STOP_OPEN) {
            ok = skip_block(x);
        } else if (stop == STOP_SEMICOLON && conf_same(x->word, "include")
                   && x->words == 2 && !conf_same(&x->word[1], "mime.types")
                   && !conf_same(&x->word[1], "/etc/nginx/mime.types")) {
            conf_warn(b, x->word[0].at, "include %s: that file is not read; "
                      "give the output of nginx -T", conf_shown(b,
                                                                &x->word[1]));
        }
    }
    if (b->begun == 0 && b->diag->errors == 0) {
        struct diag_place at = { 1, 1, 0 };

        diag_error(b->diag, at, "there is no \"upstream\" block in it");
    }
    cw_fleet_free(names);
}

/* The words "upstream NAME {" begin a statement, or "http {" does. */
static bool
claims(const char *data, size_t len)
{
    struct nginx x;
    enum stop stop;

    memset(&x, 0, sizeof x);
    conf_scan_init(&x.scan, data, len);
    while ((stop = read_statement(&x)) != STOP_END && stop != STOP_ERROR)
        if (stop == STOP_OPEN
            && ((x.words == 2 && conf_same(x.word, "upstream"))
                || named_block(&x, stop, "http")
                || named_block(&x, stop, "events")))
            return true;
    return false;
}

const struct conf_format conf_format_nginx = {
    .name = "nginx", .summary = "upstream blocks of nginx",
    .claims = claims, .read = read_file,
    .write = CONF_WRITER(conf_nginx_write)
};
