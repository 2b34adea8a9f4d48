/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/load_pool.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* More names than a message can show. */
enum { POOLS_SHOWN = 20 };

/* "a, b (not placed by keys), c": those that can be asked for. */
static void
list_pools(const struct conf_model *m, struct buf *out)
{
    size_t i;

    for (i = 0; i < m->pool_count && i < POOLS_SHOWN; i++) {
        const struct conf_pool *p = &m->pools[i];

        if (i > 0)
            buf_str(out, ", ");
        str_escape(out, p->name ? p->name : "(no name)",
                   p->name ? p->name_len : 9, 60);
        if (p->refusal != NULL)
            buf_str(out, " (not by keys)");
    }
    if (i < m->pool_count)
        buf_print(out, ", and %zu more", m->pool_count - i);
}

static size_t
find_pool(const struct conf_model *m, const char *name)
{
    size_t i;

    for (i = 0; i < m->pool_count; i++)
        if (m->pools[i].name != NULL
            && m->pools[i].name_len == strlen(name)
            && memcmp(m->pools[i].name, name, strlen(name)) == 0)
            break;
    return i;
}

/* The only pool whose keys can be placed; pool_count: none, or several. */
static size_t
only_pool(const struct conf_model *m)
{
    size_t i, found = m->pool_count;

    if (m->pool_count == 1)
        return 0;
    for (i = 0; i < m->pool_count; i++) {
        if (m->pools[i].refusal != NULL)
            continue;
        if (found < m->pool_count)
            return m->pool_count;
        found = i;
    }
    return found;
}

static void
unknown_pool(const struct cli_source *s, struct diag *d,
             const struct conf_model *m)
{
    static const struct diag_place nowhere;
    struct str_nearest near;
    struct buf names = { 0 };
    size_t i;

    list_pools(m, &names);
    if (s->pool == NULL) {
        diag_error(d, nowhere, "the file has %zu pools", m->pool_count);
        diag_hint(d, "expected: --pool NAME, one of: %s", names.data);
    } else {
        diag_error(d, nowhere, "there is no pool \"%s\"", s->pool);
        str_nearest_init(&near, s->pool, strlen(s->pool));
        for (i = 0; i < m->pool_count; i++)
            if (m->pools[i].name != NULL)
                str_nearest_try(&near, m->pools[i].name);
        if (near.best != NULL)
            diag_hint(d, "did you mean \"%s\"?  known: %s", near.best,
                      names.data);
        else
            diag_hint(d, "known: %s", names.data);
    }
    buf_free(&names);
}

bool
load_choose(const struct cli_source *s, struct diag *d, struct conf_model *m)
{
    size_t i = s->pool != NULL && !s->is_inline ? find_pool(m, s->pool)
        : only_pool(m);
    const struct conf_pool *p;

    if (i == m->pool_count) {
        unknown_pool(s, d, m);
        return false;
    }
    p = &m->pools[i];
    if (p->refusal != NULL) {
        if (p->name != NULL)
            diag_error(d, p->refusal_at, "pool \"%s\": %s", p->name,
                       p->refusal);
        else
            diag_error(d, p->refusal_at, "%s", p->refusal);
        return false;
    }
    conf_model_choose(m, i);
    return true;
}

static void
warn(const struct diag *d, const struct conf_notes *notes)
{
    size_t i;

    for (i = 0; i < notes->count; i++) {
        const struct conf_note *n = &notes->list[i];

        if (!n->warning)
            continue;
        if (n->at.line > 0)
            fprintf(stderr, "%s:%u:%u: warning: %s\n", d->file, n->at.line,
                    n->at.column, n->text);
        else
            fprintf(stderr, "%s: warning: %s\n", d->file, n->text);
    }
}

void
load_warn(const struct diag *d, const struct conf_model *m)
{
    size_t i;

    warn(d, &m->notes);
    for (i = 0; i < m->pool_count; i++)
        warn(d, &m->pools[i].notes);
}
