/* SPDX-License-Identifier: Apache-2.0 */
/* conf_note.c - what a reader inferred, and what it could not take over. */
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "conf/conf_model.h"

static char *
copy(const char *text, size_t len)
{
    char *p = mem_alloc(len + 1, 1);

    memcpy(p, text, len);
    p[len] = '\0';
    return p;
}

static char *
format_copy(const char *format, va_list args)
{
    struct buf b = { 0 };
    char *p;

    buf_vprint(&b, format, args);
    p = copy(b.data ? b.data : "", b.len);
    buf_free(&b);
    return p;
}

static void
add(struct conf_build *b, struct diag_place at, bool warning, char *text)
{
    struct conf_notes *n = b->begun > 0 ? &b->pool.notes : &b->notes;

    n->list = mem_resize(n->list, n->count + 1, sizeof *n->list);
    n->list[n->count++] = (struct conf_note){ at, warning, text };
}

void
conf_infer(struct conf_build *b, struct diag_place at, const char *format,
           ...)
{
    va_list args;

    va_start(args, format);
    add(b, at, false, format_copy(format, args));
    va_end(args);
}

void
conf_warn(struct conf_build *b, struct diag_place at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add(b, at, true, format_copy(format, args));
    va_end(args);
}

void
conf_key_from(struct conf_build *b, const char *format, ...)
{
    va_list args;

    mem_free(b->pool.key);
    va_start(args, format);
    b->pool.key = format_copy(format, args);
    va_end(args);
    if (str_text_end(b->pool.key, strlen(b->pool.key))
        != strlen(b->pool.key)) {
        mem_free(b->pool.key);      /* it could not be written down */
        b->pool.key = NULL;
    }
}

void
conf_unplaced(struct conf_build *b, struct diag_place at, const char *format,
              ...)
{
    va_list args;

    if (b->pool.refusal != NULL)
        return;
    va_start(args, format);
    b->pool.refusal = format_copy(format, args);
    va_end(args);
    b->pool.refusal_at = at;
}

static void
setting_free(struct conf_setting *s)
{
    mem_free(s->option);
    mem_free(s->value);
}

void
conf_pool_setting(struct conf_pool *p, const char *option, const char *value)
{
    size_t i;

    if (strcmp(option, "algorithm") == 0 || strcmp(option, "compat") == 0) {
        for (i = 0; i < p->setting_count; i++)
            setting_free(&p->settings[i]);
        p->setting_count = 0;
    }
    for (i = 0; i < p->setting_count; i++)
        if (strcmp(p->settings[i].option, option) == 0)
            break;
    if (i == p->setting_count)
        p->settings = mem_resize(p->settings, ++p->setting_count,
                                 sizeof *p->settings);
    else
        setting_free(&p->settings[i]);
    p->settings[i].option = copy(option, strlen(option));
    p->settings[i].value = copy(value, strlen(value));
}

const char *
conf_pool_value(const struct conf_pool *p, const char *option)
{
    size_t i;

    for (i = 0; i < p->setting_count; i++)
        if (strcmp(p->settings[i].option, option) == 0)
            return p->settings[i].value;
    return NULL;
}

struct conf_text
conf_format_text(struct conf_build *b, struct diag_place at,
                 const char *format, ...)
{
    struct conf_text t = { NULL, 0, at };
    struct buf out = { 0 };
    va_list args;

    va_start(args, format);
    buf_vprint(&out, format, args);
    va_end(args);
    t.data = arena_copy(&b->arena, out.data ? out.data : "", out.len);
    t.len = out.len;
    buf_free(&out);
    return t;
}

bool
conf_set(struct conf_build *b, struct diag_place at, const char *option,
         const char *value)
{
    struct conf_text o = { option, strlen(option), at };
    struct conf_text v = { value, strlen(value), at };

    return conf_placement(b, &o, &v);
}
