/* SPDX-License-Identifier: Apache-2.0 */
/* conf_yaml.c - YAML to tree; the only file that knows libyaml. */
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "conf/conf_tree.h"

struct anchor {
    struct anchor           *next;
    const char              *name;
    const struct conf_value *value;
};

/* A list or map that is not closed yet. */
struct level {
    struct conf_value       *value;
    const struct conf_value *key;       /* of a map: waits for its value */
};

struct reader {
    struct conf_tree *tree;
    struct diag      *diag;
    struct anchor    *anchors;
    struct level      open[CONF_DEPTH_MAX];
    unsigned          depth;
    unsigned          documents;
    bool              marked;
};

static struct diag_place
place(const yaml_mark_t *start, const yaml_mark_t *end)
{
    struct diag_place at = { (unsigned)start->line + 1,
                             (unsigned)start->column + 1, 1 };

    if (end->line == start->line && end->column > start->column)
        at.width = (unsigned)(end->column - start->column);
    return at;
}

static void
syntax_error(const yaml_parser_t *p, struct diag *d)
{
    struct diag_place at = place(&p->problem_mark, &p->problem_mark);

    if (p->error == YAML_MEMORY_ERROR)
        mem_fail();
    if (p->error == YAML_READER_ERROR)
        at = diag_place_of(d, p->problem_offset, 1);
    diag_error(d, at, "not YAML: %s",
               p->problem ? p->problem : "it cannot be read");
    if (p->context != NULL && p->error != YAML_READER_ERROR)
        diag_hint(d, "%s that begins in line %zu", p->context,
                  p->context_mark.line + 1);
    diag_hint(d, "what follows was not read");
}

/* Hang a finished value where it belongs; false: too many. */
static bool
attach(struct reader *r, const struct conf_value *v)
{
    struct level *top;
    struct conf_item *item;

    if (r->depth == 0) {
        r->tree->root = v;
        return true;
    }
    top = &r->open[r->depth - 1];
    top->value->size += v->size;
    if (top->value->size > CONF_VALUES_MAX) {
        diag_error(r->diag, v->at, "more than %d values, aliases written out",
                   CONF_VALUES_MAX);
        return false;
    }
    if (top->value->kind == CONF_MAP && top->key == NULL) {
        top->key = v;
        return true;
    }
    item = arena_alloc(&r->tree->arena, sizeof *item);
    item->key = top->key;
    item->value = v;
    top->key = NULL;
    if (top->value->last != NULL)
        top->value->last->next = item;
    else
        top->value->first = item;
    top->value->last = item;
    top->value->count++;
    return true;
}

static bool
check_tag(struct reader *r, const struct conf_value *v, const yaml_char_t *tag)
{
    if (tag == NULL || strcmp((const char *)tag, "!") == 0
        || strcmp((const char *)tag, "tag:yaml.org,2002:str") == 0)
        return true;
    diag_error(r->diag, v->at, "tags (\"!\") are not accepted here");
    return false;
}

static struct conf_value *
new_value(struct reader *r, const yaml_event_t *e, enum conf_kind kind,
          const yaml_char_t *anchor)
{
    struct conf_value *v = arena_alloc(&r->tree->arena, sizeof *v);

    v->kind = kind;
    v->size = 1;
    v->at = place(&e->start_mark, &e->end_mark);
    if (r->depth == 0 && r->marked)
        v->form |= CONF_MARKED;
    if (anchor != NULL) {
        const char *name = (const char *)anchor;
        struct anchor *a = arena_alloc(&r->tree->arena, sizeof *a);

        v->form |= CONF_ANCHORED;
        a->name = arena_copy(&r->tree->arena, name, strlen(name));
        a->value = v;
        a->next = r->anchors;
        r->anchors = a;
    }
    return v;
}

static bool
is_null(const struct conf_value *v)
{
    static const char *const words[] = { "", "~", "null", "Null", "NULL" };
    size_t i;

    for (i = 0; i < sizeof words / sizeof *words; i++)
        if (v->len == strlen(words[i])
            && memcmp(v->text, words[i], v->len) == 0)
            return true;
    return false;
}

static bool
scalar(struct reader *r, const yaml_event_t *e)
{
    struct conf_value *v = new_value(r, e, CONF_SCALAR,
                                     e->data.scalar.anchor);

    v->text = arena_copy(&r->tree->arena, e->data.scalar.value,
                         e->data.scalar.length);
    v->len = e->data.scalar.length;
    v->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE
        || e->data.scalar.tag != NULL;
    if (e->data.scalar.tag != NULL)
        v->form |= CONF_TAGGED;
    if (!v->quoted && is_null(v))
        v->kind = CONF_NULL;
    return check_tag(r, v, e->data.scalar.tag) && attach(r, v);
}

static bool
alias(struct reader *r, const yaml_event_t *e)
{
    const char *name = (const char *)e->data.alias.anchor;
    struct diag_place at = place(&e->start_mark, &e->end_mark);
    const struct anchor *a = r->anchors;
    unsigned i;

    while (a != NULL && strcmp(a->name, name) != 0)
        a = a->next;
    if (a == NULL) {
        diag_error(r->diag, at, "there is no anchor \"&%.80s\" before this "
                   "alias", name);
        return false;
    }
    for (i = 0; i < r->depth; i++) {
        if (r->open[i].value == a->value) {
            diag_error(r->diag, at, "the alias \"*%.80s\" is part of what it "
                       "stands for", name);
            return false;
        }
    }
    return attach(r, a->value);
}

static bool
open_level(struct reader *r, const yaml_event_t *e)
{
    bool map = e->type == YAML_MAPPING_START_EVENT;
    struct conf_value *v = new_value(r, e, map ? CONF_MAP : CONF_LIST,
        map ? e->data.mapping_start.anchor : e->data.sequence_start.anchor);

    if (r->depth == CONF_DEPTH_MAX) {
        diag_error(r->diag, v->at, "more than %d lists and mappings in each "
                   "other", CONF_DEPTH_MAX);
        return false;
    }
    if (map ? e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
        : e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)
        v->form |= CONF_FLOW;
    if (map ? e->data.mapping_start.tag != NULL
        : e->data.sequence_start.tag != NULL)
        v->form |= CONF_TAGGED;
    r->open[r->depth].value = v;
    r->open[r->depth].key = NULL;
    r->depth++;
    return check_tag(r, v, map ? e->data.mapping_start.tag
                               : e->data.sequence_start.tag);
}

static bool
event(struct reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        r->marked = !e->data.document_start.implicit;
        if (r->documents++ == 0)
            return true;
        diag_error(r->diag, place(&e->start_mark, &e->end_mark),
                   "a second document begins here; expected one in a file");
        return false;
    case YAML_SCALAR_EVENT:
        return scalar(r, e);
    case YAML_ALIAS_EVENT:
        return alias(r, e);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return open_level(r, e);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        r->depth--;
        return attach(r, r->open[r->depth].value);
    default:
        return true;
    }
}

bool
conf_yaml_read(struct conf_tree *t, const char *data, size_t len,
               struct diag *d)
{
    struct reader r = { .tree = t, .diag = d };
    yaml_parser_t parser;
    yaml_event_t e;
    bool ok = true, end = false;
    char *plain;

    memset(t, 0, sizeof *t);
    plain = arena_copy(&t->arena, data, len);
    if (!conf_json_plain(plain, len, d)) {
        diag_hint(d, "what follows was not read");
        return false;
    }
    if (!yaml_parser_initialize(&parser))
        mem_fail();
    /* else a file of another encoding would be shown with false places */
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)plain, len);
    while (ok && !end) {
        if (!yaml_parser_parse(&parser, &e)) {
            syntax_error(&parser, d);
            ok = false;
            break;
        }
        end = e.type == YAML_STREAM_END_EVENT;
        ok = event(&r, &e);
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&parser);
    return ok;
}
