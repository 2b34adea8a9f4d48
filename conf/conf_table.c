/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conf/conf_model.h"
#include "conf/conf_rows.h"

#define DECLARE(id) extern const struct conf_format conf_format_##id;
#define ENTRY(id)   &conf_format_##id,

CONF_ROWS(DECLARE)

static const struct conf_format *const format_table[] = { CONF_ROWS(ENTRY) };

enum { FORMATS = sizeof format_table / sizeof *format_table };

const struct conf_format *
conf_format_at(size_t i)
{
    return i < FORMATS ? format_table[i] : NULL;
}

const struct conf_format *
conf_format_find(const char *name)
{
    size_t i;

    for (i = 0; i < FORMATS; i++)
        if (strcmp(format_table[i]->name, name) == 0)
            return format_table[i];
    return NULL;
}

const struct conf_format *
conf_format_of(const struct conf_source *source)
{
    size_t i;

    for (i = 0; i < FORMATS; i++) {
        const struct conf_format *f = format_table[i];

        if (source->root != NULL
            ? f->claims_tree != NULL && f->claims_tree(source->root)
            : f->claims != NULL && f->claims(source->data, source->len))
            return f;
    }
    return NULL;
}
