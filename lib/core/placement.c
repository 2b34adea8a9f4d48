/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.c - algorithm, hash and options by name, checked against the
 * option table of the row that will read them.
 */
#include <string.h>

#include "core/compat.h"
#include "core/core.h"

/* ---- reading one value ------------------------------------------------- */

static int
parse_u64(const char *s, uint64_t *out)
{
    uint64_t v = 0;

    if (!*s)
        return 0;
    for (; *s; s++) {
        uint64_t d;

        if (*s < '0' || *s > '9')
            return 0;
        d = (uint64_t)(*s - '0');
        if (v > (UINT64_MAX - d) / 10)
            return 0;
        v = v * 10 + d;
    }
    *out = v;
    return 1;
}

static cw_status
set_uint(struct cwi_placement *p, const struct cwi_option *o,
         const char *value, cw_error *err)
{
    uint64_t v;

    if (!parse_u64(value, &v) || v < o->min || v > o->max)
        return cwi_fail(err, CW_EINVAL,
                        "%s %n: expected a whole number from %u to %u",
                        o->name, value, strlen(value), o->min, o->max);
    p->num[o->slot] = v;
    return CW_OK;
}

static cw_status
set_size(struct cwi_placement *p, const struct cwi_option *o,
         const char *value, cw_error *err)
{
    uint64_t v;

    if (strcmp(value, "18446744073709551616") == 0)
        v = 0;          /* 2^64, whose largest position is 2^64 - 1 */
    else if (!parse_u64(value, &v) || v < 2)
        return cwi_fail(err, CW_EINVAL,
                        "%s %n: expected a whole number from 2 to "
                        "18446744073709551616 (2^64)",
                        o->name, value, strlen(value));
    p->num[o->slot] = v - 1;
    return CW_OK;
}

static cw_status
set_text(struct cwi_placement *p, const struct cwi_option *o,
         const char *value, cw_error *err)
{
    size_t len = strlen(value);

    if (len < o->min || len > o->max || len > CWI_TEXT_MAX)
        return cwi_fail(err, CW_EINVAL,
                        "%s %n: expected %u to %u bytes", o->name, value, len,
                        o->min, o->max);
    memset(p->text[o->slot], 0, sizeof p->text[o->slot]);
    memcpy(p->text[o->slot], value, len);
    p->text_len[o->slot] = (uint8_t)len;
    return CW_OK;
}

/* Number of `word` in a space-separated list, or -1. */
static int
word_index(const char *list, const char *word)
{
    size_t len = strlen(word);
    int i = 0;

    while (*list) {
        size_t n = strcspn(list, " ");

        if (n == len && len && memcmp(list, word, n) == 0)
            return i;
        list += n;
        while (*list == ' ')
            list++;
        i++;
    }
    return -1;
}

static cw_status
set_enum(struct cwi_placement *p, const struct cwi_option *o,
         const char *value, cw_error *err)
{
    int i = word_index(o->choices, value);

    if (i < 0)
        return cwi_fail(err, CW_ENOENT, "%s %n: expected one of: %s", o->name,
                        value, strlen(value), o->choices);
    p->num[o->slot] = (uint64_t)i;
    return CW_OK;
}

/* ---- names that are nearly right --------------------------------------- */

/* Edit distance of two short names, with a swap of neighbours as one step;
 * names above 31 bytes never match. */
static unsigned
distance(const char *a, const char *b)
{
    enum { N = 32 };
    size_t la = strlen(a), lb = strlen(b);
    unsigned char d[N + 1][N + 1];

    if (la >= N || lb >= N)
        return N;
    for (size_t i = 0; i <= la; i++)
        d[i][0] = (unsigned char)i;
    for (size_t j = 0; j <= lb; j++)
        d[0][j] = (unsigned char)j;
    for (size_t i = 1; i <= la; i++) {
        for (size_t j = 1; j <= lb; j++) {
            unsigned v = d[i - 1][j - 1] + (unsigned)(a[i - 1] != b[j - 1]);

            if (v > d[i - 1][j] + 1u)
                v = d[i - 1][j] + 1u;
            if (v > d[i][j - 1] + 1u)
                v = d[i][j - 1] + 1u;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && v > d[i - 2][j - 2] + 1u)
                v = d[i - 2][j - 2] + 1u;
            d[i][j] = (unsigned char)v;
        }
    }
    return d[la][lb];
}

/* Collects the candidate nearest to a word. */
struct nearest {
    const char *word;
    const char *best;
    unsigned    distance;
};

static void
nearest_try(struct nearest *n, const char *candidate)
{
    unsigned d = distance(n->word, candidate);

    if (d <= 1 + strlen(n->word) / 4 && (!n->best || d < n->distance)) {
        n->best = candidate;
        n->distance = d;
    }
}

static cw_status
unknown(const char *what, const struct nearest *n, const char *list,
        cw_error *err)
{
    size_t len = strlen(n->word);

    if (n->best)
        return cwi_fail(err, CW_ENOENT,
                        "unknown %s %n; did you mean \"%s\"?", what, n->word,
                        len, n->best);
    return cwi_fail(err, CW_ENOENT, "unknown %s %n; see: clockwise list %s",
                    what, n->word, len, list);
}

static cw_status
set_hash(struct cwi_placement *p, const struct cwi_option *o,
         const char *value, cw_error *err)
{
    const struct cwi_hash_ops *h = cwi_hash_find(value, strlen(value));
    struct nearest n = { value, NULL, 0 };

    if (h && o->choices && word_index(o->choices, value) < 0)
        return cwi_fail(err, CW_EINVAL,
                        "%s %n: \"%s\" takes one of: %s", o->name, value,
                        strlen(value), p->algo->name, o->choices);
    if (h) {
        p->hash = h;
        return CW_OK;
    }
    for (unsigned i = 0; i < cwi_hash_count(); i++)
        nearest_try(&n, cwi_hash_at(i)->name);
    return unknown("hash", &n, "hashes", err);
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static cw_status
set_key(struct cwi_placement *p, const struct cwi_option *o,
        const char *value, cw_error *err)
{
    uint8_t key[16];

    for (size_t i = 0; i < 32; i++) {
        int d = hex_digit(value[i]);    /* the NUL is no digit */

        if (d < 0)
            break;
        key[i / 2] = (uint8_t)(i % 2 ? key[i / 2] | d : d << 4);
        if (i == 31 && !value[32]) {
            p->hash_key.k0 = cwi_load64le(key);
            p->hash_key.k1 = cwi_load64le(key + 8);
            return CW_OK;
        }
    }
    return cwi_fail(err, CW_EINVAL,
                    "%s: expected 32 hexadecimal digits (16 bytes)", o->name);
}

static cw_status
set_option(struct cwi_placement *p, const struct cwi_option *o,
           const char *value, cw_error *err)
{
    switch (o->kind) {
    case CWI_OPT_UINT: return set_uint(p, o, value, err);
    case CWI_OPT_SIZE: return set_size(p, o, value, err);
    case CWI_OPT_TEXT: return set_text(p, o, value, err);
    case CWI_OPT_ENUM: return set_enum(p, o, value, err);
    case CWI_OPT_HASH: return set_hash(p, o, value, err);
    case CWI_OPT_KEY:  return set_key(p, o, value, err);
    }
    return CW_EINVAL;
}

/* ---- placements -------------------------------------------------------- */

/* The row with all its defaults. */
static void
start(struct cwi_placement *p, const struct cwi_algo_ops *row)
{
    memset(p, 0, sizeof *p);
    p->algo = row;
    p->hash = cwi_hash_find("xxh3", 4);
    for (const struct cwi_option *o = row->options; o && o->name; o++) {
        if (o->fallback)
            set_option(p, o, o->fallback, NULL);
    }
}

void
cwi_placement_default(struct cwi_placement *p)
{
    start(p, cwi_algo_find("ring", 4));
}

cw_placement *
cw_placement_new(const cw_allocator *allocator)
{
    cw_allocator a = cwi_allocator(allocator);
    cw_placement *p = cwi_alloc(&a, 1, sizeof *p);

    if (p) {
        p->alloc = a;
        cwi_placement_default(&p->p);
    }
    return p;
}

void
cw_placement_free(cw_placement *p)
{
    cw_allocator a;

    if (!p)
        return;
    a = p->alloc;
    cw_pins_free(p->p.pins);
    cwi_free(&a, p);
}

void
cw_placement_pin(cw_placement *placement, cw_pins *pins)
{
    cw_pins *held = placement->p.pins;

    placement->p.pins = cwi_pins_ref(pins);
    cw_pins_free(held);
}

static cw_status
choose_row(struct cwi_placement *p, int compat, const char *value,
           cw_error *err)
{
    size_t len = strlen(value);
    cw_pins *pins = p->pins;
    const struct cwi_algo_ops *row =
        compat ? cwi_compat_find(value, len) : cwi_algo_find(value, len);
    struct nearest n = { value, NULL, 0 };

    if (row) {
        start(p, row);
        p->pins = pins;
        return CW_OK;
    }
    if (compat && cwi_compat_refused(value))
        return cwi_fail(err, CW_ENOTSUP, "compat %n: %s", value, len,
                        cwi_compat_refused(value));
    if (compat) {
        for (unsigned i = 0; i < cwi_compat_count(); i++)
            nearest_try(&n, cwi_compat_at(i)->name);
        return unknown("compat placement", &n, "compat", err);
    }
    for (unsigned i = 0; i < cwi_algo_count(); i++)
        nearest_try(&n, cwi_algo_at(i)->name);
    return unknown("algorithm", &n, "algorithms", err);
}

/* "a, b, c": the options of a row, for a message. */
static cw_status
unknown_option(const struct cwi_algo_ops *row, const char *option,
               cw_error *err)
{
    char known[160];
    size_t at = 0;
    struct nearest n = { option, NULL, 0 };

    for (const struct cwi_option *o = row->options; o && o->name; o++) {
        size_t len = strlen(o->name);

        nearest_try(&n, o->name);
        if (at + len + 3 > sizeof known)
            break;
        if (at) {
            memcpy(known + at, ", ", 2);
            at += 2;
        }
        memcpy(known + at, o->name, len);
        at += len;
    }
    known[at] = '\0';
    if (n.best)
        return cwi_fail(err, CW_ENOENT,
                        "unknown option %n of \"%s\"; did you mean \"%s\"?",
                        option, strlen(option), row->name, n.best);
    return cwi_fail(err, CW_ENOENT, "unknown option %n of \"%s\"; it takes: %s",
                    option, strlen(option), row->name,
                    at ? known : "none");
}

cw_status
cw_placement_set(cw_placement *placement, const char *option,
                 const char *value, cw_error *err)
{
    struct cwi_placement p = placement->p;      /* tried on a copy */
    const struct cwi_option *o = p.algo->options;
    cw_status st;

    if (strcmp(option, "algorithm") == 0 || strcmp(option, "compat") == 0) {
        st = choose_row(&p, option[0] == 'c', value, err);
    } else {
        while (o && o->name && strcmp(o->name, option) != 0)
            o++;
        if (!o || !o->name)
            return unknown_option(p.algo, option, err);
        st = set_option(&p, o, value, err);
        p.given |= 1u << (o - p.algo->options);
    }
    if (st == CW_OK)
        placement->p = p;
    return st;
}

cw_status
cwi_placement_complete(const struct cwi_placement *p, cw_error *err)
{
    const struct cwi_option *o = p->algo->options;

    for (unsigned j = 0; o && o[j].name; j++) {
        if (o[j].kind == CWI_OPT_KEY && (p->hash->traits & CWI_HASH_KEYED) &&
            !(p->given & 1u << j))
            return cwi_fail(err, CW_EINVAL,
                            "hash \"%s\" needs a secret: set %s to 32 "
                            "hexadecimal digits", p->hash->name, o[j].name);
        if (o[j].kind == CWI_OPT_KEY && (p->given & 1u << j) &&
            !(p->hash->traits & CWI_HASH_KEYED))
            return cwi_fail(err, CW_EINVAL,
                            "hash \"%s\" takes no %s", p->hash->name,
                            o[j].name);
    }
    return CW_OK;
}

enum { PROBES = 48, PROBES_LONG = 8, PROBE_LONG = 512 };

/*
 * Do two rows with functions of their own hash keys alike? They are asked:
 * short keys of every length, long ones of all bytes, and what programs take
 * for a tag. Two functions that differ agree on all of them by chance only,
 * one in 2^32 for a single key.
 */
static int
same_answers(const struct cwi_placement *a, const struct cwi_placement *b)
{
    static const char *const tags[] = {
        "{a}b", "a{b}c", "a{}b", "a|#|b", "user:1", "a/b?c=d", "127.0.0.1:1"
    };
    unsigned char key[PROBE_LONG];
    uint64_t x = 1;

    for (unsigned i = 0; i < sizeof tags / sizeof *tags; i++)
        if (cwi_key_hash(a, tags[i], strlen(tags[i])) !=
            cwi_key_hash(b, tags[i], strlen(tags[i])))
            return 0;
    for (unsigned i = 0; i < PROBES; i++) {
        size_t len = i < PROBES - PROBES_LONG ? i : PROBE_LONG;

        for (size_t j = 0; j < len; j++) {
            x = x * UINT64_C(6364136223846793005) +
                UINT64_C(1442695040888963407);
            key[j] = (unsigned char)(x >> 56);
        }
        if (cwi_key_hash(a, key, len) != cwi_key_hash(b, key, len))
            return 0;
    }
    return 1;
}

int
cwi_same_key_hash(const struct cwi_placement *a,
                  const struct cwi_placement *b)
{
    if (a->algo->owner_key || b->algo->owner_key)
        return 0;
    if (a->algo->hash_key != b->algo->hash_key)
        return same_answers(a, b);
    for (unsigned i = 0; i < CWI_OPTION_MAX; i++) {
        if (!((a->algo->hash_reads | b->algo->hash_reads) & 1u << i))
            continue;
        if (a->num[i] != b->num[i] ||
            memcmp(a->text[i], b->text[i], sizeof a->text[i]) != 0)
            return 0;
    }
    return a->hash == b->hash && a->hash_key.k0 == b->hash_key.k0 &&
           a->hash_key.k1 == b->hash_key.k1;
}
