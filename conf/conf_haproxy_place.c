/* SPDX-License-Identifier: Apache-2.0 */
/* conf_haproxy_place.c - `balance`, `hash-type`, and the pool they make. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_haproxy.h"

/* ---- balance ----------------------------------------------------------- */

static bool
bad_balance(struct conf_build *b, const struct conf_text *w, const char *want)
{
    diag_error(b->diag, w->at, "balance: unexpected \"%s\"",
               conf_shown(b, w));
    diag_hint(b->diag, "expected: %s", want);
    return false;
}

static bool
read_uri(struct conf_build *b, const struct haproxy_line *l,
         struct haproxy_proxy *p)
{
    const char *want = "whole, path-only, len NUMBER or depth NUMBER";
    size_t i;

    for (i = 2; i < l->words; i++) {
        const struct conf_text *w = &l->word[i], *value = &l->word[i + 1];
        uint64_t *number = conf_same(w, "len") ? &p->uri_len : &p->uri_depth;

        if (conf_same(w, "whole")) {
            p->whole = true;
        } else if (conf_same(w, "path-only")) {
            p->path_only = true;
        } else if (conf_same(w, "len") || conf_same(w, "depth")) {
            if (value->len == 0 || !str_uint(value->data, value->len,
                                             1000000, number)
                || *number == 0)
                return bad_balance(b, value->len ? value : w,
                                   "a whole number above 0");
            i++;
        } else {
            return bad_balance(b, w, want);
        }
    }
    return true;
}

/* "hdr(name)" to its name; false: no such word. */
static bool
in_brackets(const struct conf_text *w, const char *word,
            struct conf_text *inside)
{
    size_t n = strlen(word);

    if (w->len < n + 2 || memcmp(w->data, word, n) != 0 || w->data[n] != '('
        || w->data[w->len - 1] != ')')
        return false;
    *inside = conf_part(w, n + 1, w->len - n - 2);
    return true;
}

bool
haproxy_balance(struct conf_build *b, const struct haproxy_line *l,
                struct haproxy_proxy *p)
{
    static const char *const others[] = {
        "roundrobin", "static-rr", "leastconn", "first", "random", "source",
        "rdp-cookie", "log-hash", "sticky", "log-sticky"
    };
    enum { OTHERS = sizeof others / sizeof *others };
    const struct conf_text *w = &l->word[1];
    struct conf_text inside;

    p->balance = *w;
    p->whole = p->path_only = false;
    p->uri_len = p->uri_depth = 0;
    if (conf_same(w, "uri"))
        return read_uri(b, l, p);
    if (conf_same(w, "url_param") || conf_same(w, "hash")) {
        p->argument = l->word[2];
        if (l->words < 3)
            return bad_balance(b, w, "what to take the key from behind it");
        return true;
    }
    if (in_brackets(w, "hdr", &p->argument)) {
        if (p->argument.len == 0)
            return bad_balance(b, w, "hdr(NAME)");
        if (conf_same(&l->word[2], "use_domain_only"))
            conf_warn(b, l->word[2].at, "use_domain_only: give the domain "
                      "alone as the key, it is not cut here");
        else if (l->words > 2)
            return bad_balance(b, &l->word[2], "use_domain_only, or nothing");
        return true;
    }
    if (conf_word(w, others, OTHERS) < OTHERS
        || in_brackets(w, "random", &inside)
        || in_brackets(w, "rdp-cookie", &inside))
        return true;
    return bad_balance(b, w, "roundrobin, static-rr, leastconn, first, "
                       "random, source, uri, url_param, hdr(NAME), hash or "
                       "rdp-cookie");
}

bool
haproxy_hash_type(struct conf_build *b, const struct haproxy_line *l,
                  struct haproxy_proxy *p)
{
    static const char *const functions[] = {
        "sdbm", "djb2", "wt6", "crc32", "none"
    };
    const struct conf_text *type = &l->word[1];

    p->type_at = l->word[0];
    p->consistent = conf_same(type, "consistent");
    p->avalanche = false;
    p->function = (struct conf_text){ NULL, 0, l->word[0].at };
    if (!p->consistent && !conf_same(type, "map-based")) {
        diag_error(b->diag, type->at, "hash-type: unknown method \"%s\"",
                   conf_shown(b, type));
        diag_hint(b->diag, "known: consistent, map-based");
        return false;
    }
    if (l->words < 3)
        return true;
    p->function = l->word[2];
    if (conf_word(&p->function, functions, 5) == 5) {
        diag_error(b->diag, p->function.at, "hash-type: unknown function "
                   "\"%s\"", conf_shown(b, &p->function));
        diag_hint(b->diag, "known: sdbm, djb2, wt6, crc32, none");
        return false;
    }
    p->avalanche = conf_same(&l->word[3], "avalanche");
    if (l->words > 3 && !p->avalanche) {
        diag_error(b->diag, l->word[3].at, "hash-type: unknown modifier "
                   "\"%s\"", conf_shown(b, &l->word[3]));
        diag_hint(b->diag, "known: avalanche");
        return false;
    }
    return true;
}

/* ---- the pool ---------------------------------------------------------- */

static int
by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/*
 * Ids as HAProxy gives them: a counter rises by one a server and skips what
 * was given by hand, or before.
 */
static void
number_servers(struct conf_build *b, struct haproxy_proxy *p)
{
    uint64_t *given = mem_alloc(p->server_count + 1, sizeof *given);
    size_t n = 0, i;
    uint64_t next = 1, slot;

    for (i = 0; i < p->server_count; i++)
        if (p->servers[i].id != 0)
            given[n++] = p->servers[i].id;
    qsort(given, n, sizeof *given, by_number);
    for (i = 1; i < n; i++)
        if (given[i] == given[i - 1])
            break;
    slot = i < n ? given[i] : 0;
    for (i = 0; i < p->server_count; i++) {
        struct haproxy_server *s = &p->servers[i];

        if (slot != 0 && s->id == slot)
            diag_error(b->diag, s->name.at, "server \"%s\": id %llu is "
                       "given twice", conf_shown(b, &s->name),
                       (unsigned long long)slot);
        s->own_id = s->id != 0;
        if (s->id == 0) {
            while (bsearch(&next, given, n, sizeof next, by_number) != NULL)
                next++;
            s->id = next;
        }
        next++;
    }
    mem_free(given);
}

/* What the points come from; false: the servers disagree. */
static bool
common_hash_key(struct conf_build *b, const struct haproxy_proxy *p,
                struct conf_text *out)
{
    static const char *const known[] = { "id", "addr", "addr-port" };
    size_t i;

    *out = (struct conf_text){ "id", 2, p->name.at };
    for (i = 0; i < p->server_count; i++) {
        struct conf_text key = p->servers[i].hash_key;

        if (key.data == NULL)
            key = (struct conf_text){ "id", 2, p->servers[i].name.at };
        else if (conf_word(&key, known, 3) == 3) {
            diag_error(b->diag, key.at, "unknown hash-key \"%s\"",
                       conf_shown(b, &key));
            diag_hint(b->diag, "known: id, addr, addr-port");
            return false;
        }
        if (i > 0 && !conf_same(&key, out->data)) {
            conf_unplaced(b, key.at, "its servers have different hash-keys; "
                          "one for all can be placed");
            return false;
        }
        *out = key;
    }
    return true;
}

/*
 * 3.0 to 3.2 before the repair, which is in 3.2.7: 1, another version: 0, none
 * given: -1.
 */
static int
is_3_0(const struct conf_build *b)
{
    const char *v = b->version;
    uint64_t point = 0;

    if (v == NULL)
        return -1;
    if (v[0] != '3' || v[1] != '.' || v[2] < '0' || v[2] > '2'
        || (v[3] != '\0' && v[3] != '.'))
        return 0;
    return v[2] != '2' || v[3] == '\0'
        || !str_uint(v + 4, strlen(v + 4), UINT64_MAX, &point) || point < 7;
}

/* Which releases of 3.0 and 3.1 have the repair is not known here. */
static bool
is_unsure(const struct conf_build *b)
{
    return is_3_0(b) == 1 && b->version[2] != '2' && b->version[3] == '.'
        && strcmp(b->version + 4, "0") != 0;
}

static void
set_row(struct conf_build *b, const struct haproxy_proxy *p,
        const struct conf_text *key)
{
    struct diag_place at = p->type_at.data ? p->type_at.at : p->name.at;
    bool by_id = conf_same(key, "id");
    int late = is_3_0(b);

    if (!p->consistent) {
        conf_set(b, at, "compat", "haproxy-map-based");
    } else if (!by_id || late == 1) {
        conf_set(b, at, "compat", "haproxy-consistent-3-0");
        conf_set(b, key->at, "hash-key", key->data);
        if (by_id && is_unsure(b))
            conf_warn(b, at, "read as HAProxy before the repair of October "
                      "2025; a release of 3.0 or 3.1 that has it places as "
                      "2.x and 3.2.7 do: --program-version 3.2.7");
    } else {
        conf_set(b, at, "compat", "haproxy-consistent");
        if (late < 0)
            conf_warn(b, at, "read as the ring of HAProxy 2.x and of "
                      "repaired 3.x; 3.0, 3.1 and 3.2 before the repair "
                      "place by other points: --program-version 3.2.0");
    }
    if (p->function.data != NULL)
        conf_set(b, p->function.at, "hash", p->function.data);
    if (p->avalanche)
        conf_set(b, p->function.at, "avalanche", "yes");
}

static void
set_uri(struct conf_build *b, const struct haproxy_proxy *p)
{
    struct diag_place at = p->balance.at;

    conf_set(b, at, "key", p->whole ? "uri-whole" : "uri");
    if (p->uri_len > 0)
        conf_set(b, at, "uri-len", conf_format_text(b, at, "%llu",
                 (unsigned long long)p->uri_len).data);
    if (p->uri_depth > 0)
        conf_set(b, at, "uri-depth", conf_format_text(b, at, "%llu",
                 (unsigned long long)p->uri_depth).data);
    conf_infer(b, at, "a key is the request target%s, cut as \"balance "
               "uri\" says", p->path_only ? " from its path on" : "");
}

static void
add_servers(struct conf_build *b, const struct haproxy_proxy *p,
            bool by_address)
{
    bool consistent = p->consistent;
    size_t i;

    for (i = 0; i < p->server_count; i++) {
        const struct haproxy_server *s = &p->servers[i];
        struct conf_node node = { .name = s->name, .address = s->address };
        const char *why = s->backup ? "a backup" : s->disabled ? "disabled"
            : NULL;

        node.weight = conf_format_text(b, s->name.at, "%llu",
                                       why ? 0
                                       : (unsigned long long)s->weight);
        if (why != NULL)
            conf_warn(b, s->name.at, "server \"%s\" is %s: it owns no key",
                      conf_shown(b, &s->name), why);
        if (by_address)
            node.label = s->address;
        else if (consistent && s->own_id)
            node.label = conf_format_text(b, s->name.at, "id=%llu",
                                          (unsigned long long)s->id);
        conf_add_node(b, &node);
    }
}

static bool
is_hashed(struct conf_build *b, const struct haproxy_proxy *p)
{
    const struct conf_text *w = &p->balance;
    bool http = conf_same(w, "uri") || conf_same(w, "url_param")
        || (w->data != NULL && w->len > 4 && memcmp(w->data, "hdr(", 4) == 0);

    if (w->data == NULL)
        conf_unplaced(b, p->name.at, "it has no \"balance\": HAProxy gives "
                      "its servers requests in turn or at random");
    else if (http && p->tcp)
        conf_unplaced(b, w->at, "\"balance %s\" needs mode http; HAProxy "
                      "falls back to round robin", conf_shown(b, w));
    else if (!http && !conf_same(w, "source") && !conf_same(w, "hash"))
        conf_unplaced(b, w->at, "\"balance %s\" does not choose servers by "
                      "the hash of a key", conf_shown(b, w));
    else
        return true;
    return false;
}

static void
describe_key(struct conf_build *b, const struct haproxy_proxy *p)
{
    const struct conf_text *w = &p->balance;
    const char *argument = conf_shown(b, &p->argument);

    if (!conf_same(w, "uri") && !conf_same(w, "source"))
        conf_key_from(b, "%s%s%s", w->data, p->argument.data
                      && w->data[w->len - 1] != ')' ? " " : "",
                      p->argument.data && w->data[w->len - 1] != ')'
                      ? p->argument.data : "");
    if (conf_same(w, "uri")) {
        set_uri(b, p);
    } else if (conf_same(w, "source")) {
        conf_set(b, w->at, "key", "source");
        conf_infer(b, w->at, "a key is the client's address, as 10.1.2.3");
    } else if (conf_same(w, "url_param")) {
        conf_infer(b, w->at, "a key is the value of the URL's parameter "
                   "\"%s\", as sent", argument);
    } else if (conf_same(w, "hash")) {
        conf_infer(b, w->at, "a key is the value of %s, byte for byte",
                   argument);
    } else {
        conf_infer(b, w->at, "a key is the value of the header \"%s\" up to "
                   "the first comma", argument);
    }
    if (p->factor > 0 && p->consistent)
        conf_bound_of(b, p->factor_at.at, "hash-balance-factor", p->factor);
}

void
haproxy_place(struct conf_build *b, struct haproxy_proxy *p)
{
    struct conf_text key;
    size_t i, active = 0;
    bool by_address;

    number_servers(b, p);
    for (i = 0; i < p->server_count; i++)
        active += !p->servers[i].backup;
    if (p->server_count == 0)
        conf_unplaced(b, p->name.at, "it has no server");
    else if (active == 0)
        conf_unplaced(b, p->name.at, "all its servers are backups");
    by_address = common_hash_key(b, p, &key) && p->consistent
        && !conf_same(&key, "id");
    by_address = is_hashed(b, p) && by_address;
    if (b->pool.refusal == NULL && b->diag->errors == 0) {
        set_row(b, p, &key);
        describe_key(b, p);
    }
    add_servers(b, p, by_address);
}
