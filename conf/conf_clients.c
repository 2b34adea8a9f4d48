/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_clients.c - option sets of libmemcached's clients: PHP's Memcached
 * (calls with plain arguments, or php.ini for sessions) and pylibmc.
 */
#include <string.h>

#include "base/str.h"
#include "conf/conf_code.h"
#include "conf/conf_memc.h"

/* ---- what both have ---------------------------------------------------- */

static bool
is_on(const struct conf_text *t)
{
    return conf_same_nocase(t, "true") || conf_same(t, "1")
        || conf_same_nocase(t, "on") || conf_same_nocase(t, "yes");
}

static void
not_plain(struct memc *m, const struct conf_text *t)
{
    if (m->not_plain != NULL)
        return;
    m->not_plain = "an argument is not plain data: only the program can tell "
        "what it is";
    m->not_plain_at = t->at;
}

/* The last part of "Memcached::OPT_HASH": the sign "::" splits words. */
static struct conf_text
constant(struct conf_code *c)
{
    struct conf_text t = c->token.text;

    code_next(c);
    while (code_take(c, "::")) {
        t = c->token.text;
        code_next(c);
    }
    return t;
}

/* ---- PHP --------------------------------------------------------------- */

static bool
starts(struct conf_text *t, const char *prefix)
{
    size_t n = strlen(prefix);

    if (t->len < n || memcmp(t->data, prefix, n) != 0)
        return false;
    *t = conf_part(t, n, t->len - n);
    return true;
}

static void
php_option(struct memc *m, struct conf_text name, struct conf_text value)
{
    if (conf_same(&name, "OPT_HASH")) {
        if (starts(&value, "HASH_"))
            memc_hash(m, &value);
        else
            not_plain(m, &value);
    } else if (conf_same(&name, "OPT_DISTRIBUTION")) {
        if (conf_same(&value, "DISTRIBUTION_CONSISTENT"))
            memc_distribution(m, MEMC_CONSISTENT, value.at);
        else if (conf_same(&value, "DISTRIBUTION_MODULA"))
            memc_distribution(m, MEMC_MODULA, value.at);
        else if (conf_same(&value, "DISTRIBUTION_VIRTUAL_BUCKET"))
            memc_distribution(m, MEMC_BUCKET, value.at);
        else
            not_plain(m, &value);
    } else if (conf_same(&name, "OPT_LIBKETAMA_COMPATIBLE")) {
        if (is_on(&value))
            memc_distribution(m, MEMC_WEIGHTED, value.at);
    } else if (conf_same(&name, "OPT_LIBKETAMA_HASH")) {
        conf_infer(m->b, name.at, "OPT_LIBKETAMA_HASH has no effect on where "
                   "keys go");
    } else if (conf_same(&name, "OPT_PREFIX_KEY")) {
        m->prefix = value;
    }
}

/* A plain value, past it; false: it is none. */
static bool
php_value(struct conf_code *c, struct conf_text *out)
{
    *out = c->token.text;
    if (c->token.kind == CODE_WORD || code_is(c, "\\")) {
        while (code_take(c, "\\"))
            continue;
        *out = constant(c);
    } else if (c->token.kind != CODE_END) {
        code_next(c);
    }
    return out->len > 0 && out->data[0] != '$'
        && (code_is(c, ",") || code_is(c, ")") || code_is(c, "]")
            || code_is(c, "=>"));
}

/* The bracket of an array: "[" or "array(". */
static bool
php_array(struct conf_code *c)
{
    if (code_take(c, "["))
        return true;
    return code_take(c, "array") && code_take(c, "(");
}

static void
php_server(struct memc *m, struct conf_code *c)
{
    struct conf_text part[3] = { { NULL, 0, { 0, 0, 0 } } };
    uint64_t number[3] = { 0, 11211, 0 };
    size_t n = 0, i;
    bool ok = true;

    while (n < 3 && c->token.kind != CODE_END && !code_is(c, ")")
           && !code_is(c, "]")) {
        ok &= php_value(c, &part[n++]);
        if (!code_take(c, ","))
            break;
    }
    for (i = 1; i < n && ok; i++)
        ok = str_uint(part[i].data, part[i].len, i == 1 ? 65535 : INT32_MAX,
                      &number[i]);
    if (!ok || n == 0)
        not_plain(m, n ? &part[0] : &c->token.text);
    else
        memc_server(m, &part[0], part[0].data[0] == '/' ? 0
                    : number[1] ? number[1] : 11211, number[2]);
}

static void
php_servers(struct memc *m, struct conf_code *c)
{
    if (!php_array(c)) {
        not_plain(m, &c->token.text);
        return;
    }
    while (c->token.kind != CODE_END && !code_is(c, "]")
           && !code_is(c, ")")) {
        if (php_array(c)) {
            php_server(m, c);
            code_skip_value(c);
            code_next(c);
        } else {
            not_plain(m, &c->token.text);
            code_skip_value(c);
        }
        if (!code_take(c, ","))
            break;
    }
}

static void
php_options(struct memc *m, struct conf_code *c)
{
    struct conf_text name, value;

    if (!php_array(c)) {
        not_plain(m, &c->token.text);
        return;
    }
    while (c->token.kind != CODE_END && !code_is(c, "]")
           && !code_is(c, ")")) {
        if (!php_value(c, &name) || !code_take(c, "=>")
            || !php_value(c, &value))
            not_plain(m, &name);
        else
            php_option(m, name, value);
        code_skip_value(c);
        if (!code_take(c, ","))
            break;
    }
}

static void
php_call(struct memc *m, struct conf_code *c, const struct conf_text *method)
{
    struct conf_text name, value;

    if (!code_take(c, "("))
        return;
    if (conf_same_nocase(method, "addServer")) {
        php_server(m, c);
    } else if (conf_same_nocase(method, "addServers")) {
        php_servers(m, c);
    } else if (conf_same_nocase(method, "setOptions")) {
        php_options(m, c);
    } else if (conf_same_nocase(method, "setOption")) {
        if (php_value(c, &name) && code_take(c, ",")
            && php_value(c, &value))
            php_option(m, name, value);
        else
            not_plain(m, &name);
    }
}

static bool
php_claims(const char *data, size_t len)
{
    struct conf_code c;

    code_init(&c, NULL, CODE_HASH | CODE_SLASHES, data, len);
    for (; c.token.kind != CODE_END; code_next(&c))
        if (code_take(&c, "->")
            && (code_is(&c, "addServer") || code_is(&c, "addServers")
                || code_is(&c, "setOption") || code_is(&c, "setOptions")))
            return true;
    return false;
}

static void
php_read(struct conf_build *b, const char *data, size_t len)
{
    struct conf_code c;
    struct memc m;

    memc_init(&m, b);
    code_init(&c, b, CODE_HASH | CODE_SLASHES, data, len);
    while (c.token.kind != CODE_END) {
        struct conf_text method;

        if (!code_take(&c, "->")) {
            code_next(&c);
            continue;
        }
        method = c.token.text;
        code_next(&c);
        php_call(&m, &c, &method);
    }
    memc_finish(&m);
}

const struct conf_format conf_format_php = {
    .name = "php-memcached",
    .summary = "options and servers of PHP's Memcached, plain calls",
    .claims = php_claims, .read = php_read
};

/* ---- php.ini ----------------------------------------------------------- */

/* "name = value" with or without quotes; comments begin with ';'. */
static bool
ini_line(const struct conf_text *line, struct conf_text *name,
         struct conf_text *value)
{
    const char *eq = memchr(line->data, '=', line->len);
    size_t i = 0, end;

    if (eq == NULL)
        return false;
    while (i < line->len && conf_any(line->data[i], " \t"))
        i++;
    for (end = (size_t)(eq - line->data);
         end > i && conf_any(line->data[end - 1], " \t"); end--)
        continue;
    *name = conf_part(line, i, end - i);
    i = (size_t)(eq - line->data) + 1;
    while (i < line->len && conf_any(line->data[i], " \t\"'"))
        i++;
    for (end = line->len;
         end > i && conf_any(line->data[end - 1], " \t\"'"); end--)
        continue;
    *value = conf_part(line, i, end - i);
    return name->len > 0 && name->data[0] != ';';
}

static bool
ini_claims(const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text line, name, value;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line))
        if (ini_line(&line, &name, &value)
            && starts(&name, "memcached.sess_"))
            return true;
    return false;
}

/* "host:port:weight, host, ..." */
static void
ini_servers(struct memc *m, const struct conf_text *path)
{
    size_t from = 0, end;
    struct conf_text one;

    for (; from <= path->len; from = end + 1) {
        while (from < path->len && conf_any(path->data[from], " ,"))
            from++;
        for (end = from; end < path->len && path->data[end] != ','; end++)
            continue;
        one = conf_part(path, from, end - from);
        if (one.len > 0 && !starts(&one, "persistent="))
            memc_server_text(m, &one);
    }
}

static void
ini_read(struct conf_build *b, const char *data, size_t len)
{
    struct conf_text line, name, value, path = { NULL, 0, { 0, 0, 0 } };
    struct conf_text type = path, on = path, prefix = path;
    bool old = b->version != NULL && b->version[0] < '3';
    enum memc_dist dist;
    struct conf_scan s;
    struct memc m;

    memc_init(&m, b);
    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line)) {
        if (!ini_line(&line, &name, &value))
            continue;
        if (conf_same(&name, "session.save_path"))
            path = value;
        else if (conf_same(&name, "memcached.sess_consistent_hash"))
            on = value;
        else if (conf_same(&name, "memcached.sess_consistent_hash_type"))
            type = value;
        else if (conf_same(&name, "memcached.sess_prefix"))
            prefix = value;
    }
    /* on is the default */
    if (on.data == NULL || is_on(&on)) {
        dist = old || conf_same(&type, "ketama") ? MEMC_CONSISTENT
            : MEMC_WEIGHTED;
        memc_distribution(&m, dist, on.data ? on.at : path.at);
        if (b->version == NULL && type.data == NULL)
            conf_warn(b, m.dist_at, "sessions of php-memcached 3.0 and later "
                      "(KETAMA_WEIGHTED); 2.x places them by KETAMA, "
                      "elsewhere: --program-version 2.2");
    }
    if (path.data == NULL)
        diag_error(b->diag, (struct diag_place){ 1, 1, 0 }, "there is no "
                   "\"session.save_path\" in it");
    else
        ini_servers(&m, &path);
    m.prefix = prefix;
    memc_finish(&m);
}

const struct conf_format conf_format_php_ini = {
    .name = "php-ini", .summary = "sessions of php-memcached, by php.ini",
    .claims = ini_claims, .read = ini_read
};

/* ---- pylibmc ----------------------------------------------------------- */

/* In the order in which pylibmc sets them, whatever that of the text is. */
enum { PY_HASH, PY_DISTRIBUTION, PY_KETAMA, PY_WEIGHTED, PY_NAMES };

static const char *const py_names[] = {
    "hash", "distribution", "ketama", "ketama_weighted"
};

static bool
py_claims(const char *data, size_t len)
{
    struct conf_code c;

    code_init(&c, NULL, CODE_HASH, data, len);
    for (; c.token.kind != CODE_END; code_next(&c))
        if (code_is(&c, "pylibmc.Client") || code_is(&c, "pylibmc"))
            return true;
    return false;
}

static void
py_distribution(struct memc *m, const struct conf_text *t)
{
    static const char *const words[] = {
        "modula", "consistent", "consistent_ketama", "consistent_weighted",
        "consistent_ketama_spy"
    };
    static const enum memc_dist dists[] = {
        MEMC_MODULA, MEMC_CONSISTENT, MEMC_CONSISTENT, MEMC_CONSISTENT,
        MEMC_SPY
    };
    size_t i = 0;

    while (i < 5 && !conf_same_nocase(t, words[i]))
        i++;
    if (i == 5)
        diag_error(m->b->diag, t->at, "unknown distribution \"%s\"",
                   conf_shown(m->b, t));
    else
        memc_distribution(m, dists[i], t->at);
}

/* {"ketama": True, ...}, at its "{". */
static void
py_behaviors(struct conf_code *c, struct conf_text *found, struct memc *m)
{
    if (!code_take(c, "{")) {
        not_plain(m, &c->token.text);
        return;
    }
    while (c->token.kind != CODE_END && !code_is(c, "}")) {
        struct conf_text name = c->token.text;
        size_t i = conf_word(&name, py_names, PY_NAMES);

        code_next(c);
        if (code_take(c, ":") && i < PY_NAMES)
            found[i] = c->token.text;
        code_skip_value(c);
        if (!code_take(c, ","))
            break;
    }
}

static void
py_set(struct memc *m, const struct conf_text *found)
{
    if (found[PY_HASH].data != NULL)
        memc_hash(m, &found[PY_HASH]);
    if (found[PY_DISTRIBUTION].data != NULL)
        py_distribution(m, &found[PY_DISTRIBUTION]);
    if (is_on(&found[PY_KETAMA]))
        memc_distribution(m, MEMC_CONSISTENT, found[PY_KETAMA].at);
    if (is_on(&found[PY_WEIGHTED]))
        memc_distribution(m, MEMC_WEIGHTED, found[PY_WEIGHTED].at);
}

/* ["host:port:weight", ...], at its "[". */
static void
py_servers(struct memc *m, struct conf_code *c)
{
    if (!code_take(c, "[")) {
        not_plain(m, &c->token.text);
        return;
    }
    while (c->token.kind != CODE_END && !code_is(c, "]")) {
        if (c->token.kind == CODE_STRING)
            memc_server_text(m, &c->token.text);
        else
            not_plain(m, &c->token.text);
        code_skip_value(c);
        if (!code_take(c, ","))
            break;
    }
}

static void
py_read(struct conf_build *b, const char *data, size_t len)
{
    struct conf_text found[PY_NAMES] = { { NULL, 0, { 0, 0, 0 } } };
    struct conf_code c, again;
    bool called = false;
    struct memc m;

    memc_init(&m, b);
    code_init(&c, b, CODE_HASH, data, len);
    again = c;
    while (c.token.kind != CODE_END) {
        if (code_take(&c, "pylibmc.Client") || code_take(&c, "Client")) {
            if (code_is(&c, "(") && !called) {
                called = true;
                again = c;
            }
        } else if (code_take(&c, "behaviors") && code_take(&c, "=")) {
            py_behaviors(&c, found, &m);
        } else {
            code_next(&c);
        }
    }
    /* behaviours are set before the servers are added */
    py_set(&m, found);
    if (!called) {
        diag_error(b->diag, (struct diag_place){ 1, 1, 0 }, "there is no "
                   "pylibmc.Client(...) in it");
    } else {
        code_next(&again);
        py_servers(&m, &again);
    }
    memc_finish(&m);
}

const struct conf_format conf_format_pylibmc = {
    .name = "pylibmc", .summary = "servers and behaviors of pylibmc.Client()",
    .claims = py_claims, .read = py_read
};
