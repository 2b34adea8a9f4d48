/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_haproxy.c - `backend` and `listen` sections of an HAProxy
 * configuration. docs/formats/files.md tells what is made of them.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_haproxy.h"
#include "conf/conf_native.h"

/* Sections that begin a line; the first ones hold what is read here. */
static const char *const sections[] = {
    "defaults", "backend", "listen", "frontend", "global", "peers",
    "resolvers", "userlist", "mailers", "program", "cache", "ring",
    "http-errors", "fcgi-app", "log-forward", "log-profile", "traces",
    "crt-store", "acme", "namespace_list"
};

enum { DEFAULTS, BACKEND, LISTEN, OTHER,
       SECTIONS = sizeof sections / sizeof *sections };

/* Settings of a defaults section that has a name. */
struct named {
    struct named        *next;
    struct conf_text     name;
    struct haproxy_proxy proxy;
};

struct haproxy {
    struct conf_build   *b;
    struct conf_scan     scan;
    struct haproxy_line  line;
    size_t               section;
    struct haproxy_proxy defaults;      /* the last ones                    */
    struct named        *named;
    struct haproxy_proxy proxy;         /* of the section in hand           */
    bool                 open;          /* proxy is a pool, not yet placed  */
    cw_fleet            *names;         /* of sections, to find a second    */
};

/* ---- words ------------------------------------------------------------- */

/* One word from s->at on, quotes and backslashes taken away. */
static bool
read_word(struct conf_build *b, struct conf_scan *s, struct buf *out)
{
    char quote = 0;

    for (; s->at < s->len && s->data[s->at] != '\n'; s->at++) {
        char c = s->data[s->at];

        if (quote == 0 && (c == ' ' || c == '\t' || c == '#' || c == '\r'))
            break;
        if (quote == 0 ? c == '"' || c == '\'' : c == quote) {
            quote = quote ? 0 : c;
            continue;
        }
        if (c == '\\' && quote != '\'' && s->at + 1 < s->len
            && s->data[s->at + 1] != '\n')
            c = s->data[++s->at];
        else if (c == '$' && quote == '"' && b != NULL)
            conf_warn(b, conf_scan_place(s, s->at, s->at + 1), "a variable "
                      "of the environment is not replaced here");
        buf_char(out, c);
    }
    return quote == 0;
}

bool
haproxy_line(struct conf_build *b, struct conf_scan *s,
             struct haproxy_line *line)
{
    memset(line, 0, sizeof *line);
    if (s->at >= s->len)
        return false;
    for (;;) {
        struct buf text = { 0 };
        size_t from;

        while (s->at < s->len && (s->data[s->at] == ' '
               || s->data[s->at] == '\t' || s->data[s->at] == '\r'))
            s->at++;
        from = s->at;
        if (s->at >= s->len || conf_any(s->data[s->at], "\n#"))
            break;
        if (!read_word(b, s, &text)) {
            diag_error(b->diag, conf_scan_place(s, from, s->at), "a quote "
                       "is not closed");
            line->words = 0;
            buf_free(&text);
            break;
        }
        if (line->words == HAPROXY_WORDS) {
            diag_error(b->diag, conf_scan_place(s, from, s->at), "more than "
                       "%d words in a line", HAPROXY_WORDS);
            line->words = 0;
            buf_free(&text);
            break;
        }
        line->word[line->words].at = conf_scan_place(s, from, s->at);
        line->word[line->words].data = arena_copy(&b->arena, text.data
                                                  ? text.data : "", text.len);
        line->word[line->words++].len = text.len;
        buf_free(&text);
    }
    while (s->at < s->len && s->data[s->at] != '\n')
        s->at++;
    s->at += s->at < s->len;
    if (line->words > 0 && line->words <= HAPROXY_WORDS)
        line->word[line->words].at = line->word[line->words - 1].at;
    return true;
}

/* ---- sections ---------------------------------------------------------- */

static void
close_section(struct haproxy *x)
{
    struct named *n;

    if (x->open) {
        haproxy_place(x->b, &x->proxy);
        mem_free(x->proxy.servers);
    } else if (x->section == DEFAULTS) {
        x->defaults = x->proxy;
        if (x->proxy.name.len > 0) {
            n = arena_alloc(&x->b->arena, sizeof *n);
            n->name = x->proxy.name;
            n->proxy = x->proxy;
            n->next = x->named;
            x->named = n;
        }
    }
    x->open = false;
    memset(&x->proxy, 0, sizeof x->proxy);
}

/* The settings to begin with: those of "from NAME", else the last ones. */
static void
inherit(struct haproxy *x, size_t from)
{
    const struct named *n = x->named;
    const struct conf_text *name;

    if (x->section != DEFAULTS)
        x->proxy = x->defaults;
    else
        x->proxy.defaults.weight = 1;
    if (!conf_same(&x->line.word[from], "from"))
        return;
    name = &x->line.word[from + 1];
    while (n != NULL && (n->name.len != name->len
                         || memcmp(n->name.data, name->data, name->len) != 0))
        n = n->next;
    if (n == NULL)
        diag_error(x->b->diag, name->at, "there is no defaults section "
                   "\"%s\" before this line", conf_shown(x->b, name));
    else
        x->proxy = n->proxy;
}

static void
open_section(struct haproxy *x)
{
    const struct conf_text *name = &x->line.word[1];
    bool pool;

    close_section(x);
    x->section = conf_word(&x->line.word[0], sections, SECTIONS);
    pool = x->section == BACKEND || x->section == LISTEN;
    if (pool && name->len == 0) {
        diag_error(x->b->diag, x->line.word[0].at, "a %s section has no "
                   "name", sections[x->section]);
        pool = false;
    }
    if (x->section > LISTEN)
        return;
    if (x->section == DEFAULTS && conf_same(name, "from")) {
        inherit(x, 1);
        return;
    }
    inherit(x, 2);
    x->proxy.name = *name;
    x->proxy.servers = NULL;
    x->proxy.server_count = 0;
    if (!pool)
        return;
    x->open = true;
    conf_pool_begin(x->b, name);
    if (name->len <= CW_NAME_MAX
        && cw_fleet_add(x->names, name->data, name->len, CW_WEIGHT_ONE, NULL)
        == CW_EEXIST)
        diag_error(x->b->diag, name->at, "two sections have the name \"%s\"",
                   conf_shown(x->b, name));
}

/* ---- lines of a section ------------------------------------------------ */

static void
keep_server(struct haproxy *x, const struct haproxy_server *s)
{
    struct haproxy_proxy *p = &x->proxy;

    p->servers = mem_resize(p->servers, p->server_count + 1,
                            sizeof *p->servers);
    p->servers[p->server_count++] = *s;
}

static void
read_server(struct haproxy *x)
{
    const struct haproxy_line *l = &x->line;
    struct haproxy_server s = x->proxy.defaults;
    bool ok;

    s.name = l->word[1];
    s.at = l->word[0];
    if (l->words < 3) {
        diag_error(x->b->diag, l->word[0].at, "\"server\" has no %s",
                   l->words < 2 ? "name" : "address");
        diag_hint(x->b->diag, "expected: server NAME ADDRESS[:PORT]");
        return;
    }
    if (memchr(s.name.data, '/', s.name.len) != NULL) {
        diag_error(x->b->diag, s.name.at, "a server's name has no \"/\"");
        return;
    }
    ok = haproxy_address(x->b, &l->word[2], &s);
    if (haproxy_parameters(x->b, l, 3, &s) && ok)
        keep_server(x, &s);
}

/* "3" is 1-3; false: neither a number nor two. */
static bool
read_range(const struct conf_text *w, uint64_t *low, uint64_t *high)
{
    const char *dash = memchr(w->data, '-', w->len);
    size_t n = dash ? (size_t)(dash - w->data) : w->len;

    *low = 1;
    if (dash == NULL)
        return n > 0 && str_uint(w->data, n, 100000, high) && *high > 0;
    return n > 0 && n + 1 < w->len && str_uint(w->data, n, 100000, low)
        && str_uint(dash + 1, w->len - n - 1, 100000, high)
        && *low <= *high;
}

static void
read_template(struct haproxy *x)
{
    const struct haproxy_line *l = &x->line;
    struct haproxy_server s = x->proxy.defaults;
    uint64_t low, high, i, id;
    bool ok;

    s.at = l->word[0];
    if (l->words < 4 || !read_range(&l->word[2], &low, &high)) {
        diag_error(x->b->diag, l->word[0].at, "bad \"server-template\"");
        diag_hint(x->b->diag, "expected: server-template PREFIX NUMBER "
                  "ADDRESS:PORT; the number as 3 or 1-3");
        return;
    }
    ok = haproxy_address(x->b, &l->word[3], &s);
    if (!haproxy_parameters(x->b, l, 4, &s) || !ok)
        return;
    id = s.id;
    for (i = low; i <= high; i++) {
        s.name = conf_format_text(x->b, l->word[1].at, "%s%llu",
                                  l->word[1].data, (unsigned long long)i);
        s.id = id ? id + (i - low) : 0;
        keep_server(x, &s);
    }
    conf_warn(x->b, l->word[0].at, "server-template: which machine %s%llu "
              "is, is decided when its name is resolved",
              conf_shown(x->b, &l->word[1]), (unsigned long long)low);
}

static void
read_factor(struct haproxy *x)
{
    struct conf_text *w = &x->line.word[1];

    if (w->len == 0 || !str_uint(w->data, w->len, INT32_MAX,
                                 &x->proxy.factor)
        || (x->proxy.factor > 0 && x->proxy.factor <= 100)) {
        diag_error(x->b->diag, w->at, "hash-balance-factor is \"%s\"",
                   conf_shown(x->b, w));
        diag_hint(x->b->diag, "expected: 0, or a percentage above 100");
    }
    x->proxy.factor_at = x->line.word[0];
}

static void
read_line(struct haproxy *x)
{
    static const char *const overrides[] = {
        "use-server", "stick", "stick-table", "cookie", "force-persist",
        "appsession"
    };
    const struct conf_text *w = &x->line.word[0];

    if (conf_same(w, "balance")) {
        haproxy_balance(x->b, &x->line, &x->proxy);
    } else if (conf_same(w, "hash-type")) {
        haproxy_hash_type(x->b, &x->line, &x->proxy);
    } else if (conf_same(w, "hash-balance-factor")) {
        read_factor(x);
    } else if (conf_same(w, "mode")) {
        x->proxy.tcp = conf_same(&x->line.word[1], "tcp");
    } else if (conf_same(w, "default-server")) {
        haproxy_parameters(x->b, &x->line, 1, &x->proxy.defaults);
    } else if (x->open && conf_same(w, "server")) {
        read_server(x);
    } else if (x->open && conf_same(w, "server-template")) {
        read_template(x);
    } else if (x->open && conf_word(w, overrides, 6) < 6
               && !conf_same(w, "stick-table")) {
        conf_warn(x->b, w->at, "\"%s\" sends some requests elsewhere, "
                  "whatever their key", conf_shown(x->b, w));
    }
}

static void
read_file(struct conf_build *b, const char *data, size_t len)
{
    struct haproxy *x = arena_alloc(&b->arena, sizeof *x);

    x->b = b;
    x->section = SECTIONS;
    x->defaults.defaults.weight = 1;
    x->names = cw_fleet_new(NULL);
    conf_scan_init(&x->scan, data, len);
    while (x->names != NULL && haproxy_line(b, &x->scan, &x->line)) {
        if (x->line.words == 0)
            continue;
        if (x->line.word[0].len > 0 && x->line.word[0].data[0] == '.')
            diag_error(b->diag, x->line.word[0].at, "conditions (\"%s\") "
                       "are not followed here; give a file without them",
                       conf_shown(b, &x->line.word[0]));
        else if (conf_word(&x->line.word[0], sections, SECTIONS) < SECTIONS)
            open_section(x);
        else if (x->section == SECTIONS)
            diag_error(b->diag, x->line.word[0].at, "\"%s\" stands before "
                       "the first section", conf_shown(b, &x->line.word[0]));
        else if (x->section <= LISTEN)
            read_line(x);
    }
    close_section(x);
    cw_fleet_free(x->names);
    if (b->begun == 0 && b->diag->errors == 0) {
        struct diag_place at = { 1, 1, 0 };

        diag_error(b->diag, at, "there is no \"backend\" or \"listen\" "
                   "section in it");
    }
}

/* The first words are those of a section, and no "{" or ":" is behind. */
static bool
claims(const char *data, size_t len)
{
    struct conf_scan s;
    struct conf_text line, word, next;
    size_t at, i;

    conf_scan_init(&s, data, len);
    while (conf_scan_line(&s, &line)) {
        at = 0;
        if (!conf_scan_word(&line, &at, &word) || word.data[0] == '#')
            continue;
        i = conf_word(&word, sections, SECTIONS);
        if (i == SECTIONS)
            return false;
        if (!conf_scan_word(&line, &at, &next) || next.data[0] == '#')
            return i == DEFAULTS || conf_same(&word, "global");
        return next.data[0] != '=' && memchr(line.data, '{', line.len)
            == NULL && memchr(next.data, '=', next.len) == NULL;
    }
    return false;
}

const struct conf_format conf_format_haproxy = {
    .name = "haproxy", .summary = "backends of an HAProxy configuration",
    .claims = claims, .read = read_file,
    .write = CONF_WRITER(conf_haproxy_write)
};
