/* SPDX-License-Identifier: Apache-2.0 */
/* candidates.c - rows of the tables with what their options can be. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/identify/identify.h"

enum { OPTIONS_MAX = 16, WORDS_MAX = 64, WORD_MAX = 32 };

/* Values that one option can have; [0] is its default. */
struct choice {
    char     name[WORD_MAX];
    char     word[WORDS_MAX][WORD_MAX];
    unsigned count;
    bool     secondary;     /* differs from its default in one candidate at
                               a time                                       */
};

struct trial {
    const cw_fleet               *fleets[IDENTIFY_LABELS];
    const struct identify_sample *sample;
    size_t                        least;
    struct identify_list         *out;
    const char                   *table;    /* "algorithm" or "compat"      */
    cw_row                        row;
    struct choice                 choices[OPTIONS_MAX];
    unsigned                      choice_count;
    unsigned                      pick[OPTIONS_MAX];
};

/* Options that seldom differ from their default. */
static bool
is_secondary(const char *name)
{
    static const char *const names[] = {
        "char", "sort-hosts", "weights", "point-hash", "empty-key",
        "routing-key", "key-tag", "keys", "filter", "port", "order", "bits",
        "search"
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void
add_word(struct choice *c, const char *word, size_t len)
{
    unsigned i;

    if (c->count == WORDS_MAX || len >= WORD_MAX)
        return;
    memcpy(c->word[c->count], word, len);
    c->word[c->count][len] = '\0';
    for (i = 0; i < c->count; i++)
        if (strcmp(c->word[i], c->word[c->count]) == 0)
            return;
    c->count++;
}

static void
add_words(struct choice *c, const char *words)
{
    while (*words != '\0') {
        size_t len = strcspn(words, " ");

        add_word(c, words, len);
        words += len + strspn(words + len, " ");
    }
}

/* What to try for an option; one word: leave it alone. */
static void
fill_choice(struct choice *c, const cw_row_option *o)
{
    cw_row hash;
    unsigned i;

    memset(c, 0, sizeof *c);
    memcpy(c->name, o->name, strlen(o->name) + 1);
    add_word(c, o->fallback, strlen(o->fallback));
    c->secondary = is_secondary(o->name);
    if (strcmp(o->expected, "a hash") == 0) {
        for (i = 0; cw_table_row(CW_TABLE_HASHES, i, &hash) == CW_OK; i++)
            if (!hash.keyed)
                add_word(c, hash.name, strlen(hash.name));
    } else if (strcmp(o->expected, "a whole number") == 0) {
        c->secondary = true;
        if (strcmp(o->name, "partitions") == 0)
            add_words(c, "8 16 32 64 128 256 512 1024");
        else if (strstr("points vnodes vnode-count obuckets", o->name))
            add_words(c, "40 50 100 128 150 160 200");
        else if (strcmp(o->name, "replicas") == 0
                 && strcmp(o->fallback, "1") != 0)  /* points, not copies */
            add_words(c, "1 2 3 4 67");
        else if (strcmp(o->name, "default-port") == 0)
            add_words(c, "11211");
    } else if (strcmp(o->name, "first") == 0) {
        c->secondary = true;
        add_words(c, "1");
    } else if (strcmp(o->name, "words") == 0) {
        c->secondary = true;
        add_words(c, "1");
    } else if (strcmp(o->name, "label") == 0) {
        add_words(c, "{name}{i} {name}:{i} {name}#{i} {name}_{i} {i}-{name} "
                  "{i}{name} {host}-{i}");
    } else if (strcmp(o->name, "hash-tag") == 0) {
        c->secondary = true;
        add_words(c, "{}");
    } else if (strchr(o->expected, ' ') != NULL
               && strstr(o->expected, " bytes") == NULL
               && strstr(o->expected, "digits") == NULL
               && strstr(o->expected, " to ") == NULL) {
        add_words(c, o->expected);
    }
}

/* ---- one candidate ------------------------------------------------------ */

static bool
set_all(cw_placement *p, const char *settings)
{
    struct buf word = { 0 };
    bool ok = true;

    while (ok && *settings != '\0') {
        size_t len = strcspn(settings, " "), name = strcspn(settings, "=");

        word.len = 0;
        buf_add(&word, settings, len);
        word.data[name] = '\0';
        ok = cw_placement_set(p, word.data, word.data + name + 1, NULL)
             == CW_OK;
        settings += len + strspn(settings + len, " ");
    }
    buf_free(&word);
    return ok;
}

static cw_map *
build(const cw_fleet *fleet, const char *settings)
{
    cw_placement *p = cw_placement_new(NULL);
    cw_map *map = NULL;

    if (p == NULL)
        mem_fail();
    if (!set_all(p, settings) || cw_map_build(fleet, p, &map, NULL) != CW_OK)
        map = NULL;
    cw_placement_free(p);
    return map;
}

/* Pairs of the sample that the map answers alike. */
static size_t
agree(const cw_map *map, const cw_fleet *fleet,
      const struct identify_sample *s)
{
    uint32_t n = cw_map_count(map), i, owner;
    uint32_t *number = mem_alloc(n + 1, sizeof *number);
    size_t right = 0, k;
    cw_node node;

    for (i = 0; i < n; i++) {
        cw_fleet_node(fleet, i, &node);
        number[i] = cw_map_find(map, node.name, node.name_len);
    }
    for (k = 0; k < s->count; k++)
        if (cw_map_owner(map, s->pairs[k].key, s->pairs[k].len, &owner)
            == CW_OK)
            right += owner == number[s->pairs[k].node];
    mem_free(number);
    return right;
}

static void
keep(struct identify_list *l, const struct identify_candidate *c)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->list = mem_resize(l->list, l->room, sizeof *l->list);
    }
    l->list[l->count++] = *c;
}

static void
try_one(struct trial *t)
{
    struct buf text = { 0 };
    unsigned i, count = 0;
    int label;

    buf_print(&text, "%s=%s", t->table, t->row.name);
    for (i = 0; i < t->choice_count; i++) {
        const struct choice *c = &t->choices[i];

        if (t->pick[i] == 0)
            continue;
        count++;
        buf_print(&text, " %s=%s", c->name, c->word[t->pick[i]]);
        if (strcmp(c->name, "filter") == 0)
            buf_str(&text, " filter-conf={}");
    }
    for (label = 0; label < IDENTIFY_LABELS; label++) {
        struct identify_candidate c = {
            NULL, strlen(t->table) + 1 + strlen(t->row.name), count,
            (enum identify_label)label, 0
        };
        cw_map *map;

        if (t->fleets[label] == NULL)
            continue;
        map = build(t->fleets[label], text.data);
        if (map == NULL)
            continue;
        t->out->tried++;
        c.right = agree(map, t->fleets[label], t->sample);
        cw_map_unref(map);
        if (c.right < t->least)
            continue;
        c.settings = mem_alloc(text.len + 1, 1);
        memcpy(c.settings, text.data, text.len + 1);
        keep(t->out, &c);
    }
    buf_free(&text);
}

/* Every combination of the primary options from number i on, each with at
 * most one secondary option that is not at its default. */
static void
cross(struct trial *t, unsigned i, bool secondary_used)
{
    const struct choice *c = &t->choices[i];
    unsigned k;

    if (i == t->choice_count) {
        try_one(t);
        return;
    }
    for (k = 0; k < c->count; k++) {
        if (k > 0 && c->secondary && secondary_used)
            break;
        t->pick[i] = k;
        cross(t, i + 1, secondary_used || (k > 0 && c->secondary));
    }
    t->pick[i] = 0;
}

static void
try_table(struct trial *t, cw_table table)
{
    unsigned row, i;
    cw_row_option o;

    for (row = 0; cw_table_row(table, row, &t->row) == CW_OK; row++) {
        t->choice_count = 0;
        for (i = 0; cw_table_row_option(table, row, i, &o) == CW_OK; i++) {
            fill_choice(&t->choices[t->choice_count], &o);
            if (t->choices[t->choice_count].count > 1
                && t->choice_count + 1 < OPTIONS_MAX)
                t->choice_count++;
        }
        memset(t->pick, 0, sizeof t->pick);
        cross(t, 0, false);
    }
}

static int
better(const void *a, const void *b)
{
    const struct identify_candidate *x = a, *y = b;

    if (x->right != y->right)
        return x->right > y->right ? -1 : 1;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return strcmp(x->settings, y->settings);
}

/* ---- labels ------------------------------------------------------------- */

cw_fleet *
identify_fleet(const cw_fleet *fleet, enum identify_label label)
{
    cw_fleet *copy = cw_fleet_copy(fleet);
    uint32_t n = cw_fleet_count(fleet), i;
    bool other = label == IDENTIFY_AS_IT_IS;
    cw_node node;

    if (copy == NULL)
        mem_fail();
    for (i = 0; i < n && label != IDENTIFY_AS_IT_IS; i++) {
        const char *text;
        size_t len;

        cw_fleet_node(fleet, i, &node);
        text = label == IDENTIFY_ADDRESS ? node.address : node.label;
        len = label == IDENTIFY_ADDRESS ? node.address_len : node.label_len;
        if (label == IDENTIFY_NO_PORT) {
            while (len > 0 && text[len - 1] >= '0' && text[len - 1] <= '9')
                len--;
            len = len > 1 && text[len - 1] == ':' ? len - 1 : node.label_len;
        }
        if (len == 0 || (len == node.label_len
                         && memcmp(text, node.label, len) == 0))
            continue;
        other = true;
        if (cw_fleet_set_label(copy, node.name, node.name_len, text, len,
                               NULL) != CW_OK)
            mem_fail();
    }
    if (other)
        return copy;
    cw_fleet_free(copy);
    return NULL;
}

const char *
identify_label_text(enum identify_label label)
{
    static const char *const texts[] = {
        "", "labels without the port", "labels are the addresses"
    };

    return texts[label];
}

/* ---- all ---------------------------------------------------------------- */

void
identify_try_all(const cw_fleet *fleet, const struct identify_sample *s,
                 size_t least, struct identify_list *out)
{
    struct trial *t = mem_alloc(1, sizeof *t);
    int label;

    memset(t, 0, sizeof *t);
    t->sample = s;
    t->least = least;
    t->out = out;
    for (label = 0; label < IDENTIFY_LABELS; label++)
        t->fleets[label] = identify_fleet(fleet, (enum identify_label)label);
    t->table = "compat";
    try_table(t, CW_TABLE_COMPAT);
    t->table = "algorithm";
    try_table(t, CW_TABLE_ALGORITHMS);
    for (label = 0; label < IDENTIFY_LABELS; label++)
        cw_fleet_free((cw_fleet *)t->fleets[label]);
    if (out->count > 0)
        qsort(out->list, out->count, sizeof *out->list, better);
    mem_free(t);
}

void
identify_list_free(struct identify_list *l)
{
    size_t i;

    for (i = 0; i < l->count; i++)
        mem_free(l->list[i].settings);
    mem_free(l->list);
}

cw_map *
identify_map(const cw_fleet *fleet, const struct identify_candidate *c)
{
    cw_fleet *labelled = identify_fleet(fleet, c->label);
    cw_map *map = labelled ? build(labelled, c->settings) : NULL;

    cw_fleet_free(labelled);
    return map;
}
