/* SPDX-License-Identifier: Apache-2.0 */
/* conf_read.c - a file of any format: finds the format, makes the tree. */
#include <string.h>

#include "conf/conf_model.h"
#include "conf/conf_tree.h"

static const struct conf_ask nothing_asked;

/* Of a tree that nobody claims we say what our own file should hold. */
static bool
read_tree(const struct conf_ask *ask, const char *data, size_t len,
          struct diag *d, struct conf_model *out)
{
    const struct conf_format *format = ask->format;
    struct conf_source source = { data, len, NULL };
    struct conf_value nothing = { .kind = CONF_NULL, .at = { 1, 1, 0 } };
    struct conf_tree tree;
    bool ok = false;

    if (conf_yaml_read(&tree, data, len, d)) {
        source.root = tree.root != NULL ? tree.root : &nothing;
        if (format == NULL)
            format = conf_format_of(&source);
        if (format == NULL)
            format = conf_format_find("fleet");
        ok = conf_run(format, ask, &source, d, out);
    }
    conf_tree_free(&tree);
    return ok;
}

bool
conf_read_asked(const struct conf_ask *ask, const char *data, size_t len,
                struct diag *d, struct conf_model *out)
{
    const struct conf_format *format = ask->format;
    struct conf_source source;

    if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;      /* a byte order mark is not part of the first line */
        len -= 3;
        d->text = data;
        d->len = len;
    }
    source = (struct conf_source){ data, len, NULL };
    if (format == NULL)
        format = conf_format_of(&source);
    if (format == NULL && !conf_is_tree(data, len))
        format = conf_format_find("lines");
    if (format == NULL || format->read == NULL)
        return read_tree(ask, data, len, d, out);
    return conf_run(format, ask, &source, d, out);
}

bool
conf_read(const char *data, size_t len, struct diag *d,
          struct conf_model *out)
{
    return conf_read_asked(&nothing_asked, data, len, d, out);
}

static const struct conf_format format_inline = {
    .name = "inline", .summary = "nodes on a command line",
    .read = conf_inline
};

bool
conf_read_inline(const char *data, size_t len, struct diag *d,
                 struct conf_model *out)
{
    struct conf_source source = { data, len, NULL };

    return conf_run(&format_inline, &nothing_asked, &source, d, out);
}
