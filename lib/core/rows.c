/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - the tables as the public sees them, and help that rows share. */
#include <string.h>

#include "core/compat.h"
#include "core/core.h"

cw_status
cwi_equal_weights(const struct cwi_algo_ops *self,
                  const struct cwi_nodes *nodes, cw_error *err)
{
    const struct cwi_node *first = NULL;

    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct cwi_node *n = &nodes->v[i];

        if (n->weight == 0)
            continue;
        if (!first)
            first = n;
        if (n->weight != first->weight)
            return cwi_fail(err, CW_EINVAL,
                            "\"%s\" takes no weights: node %n has %w, node "
                            "%n has %w", self->name, first->name,
                            (size_t)first->name_len, first->weight, n->name,
                            (size_t)n->name_len, n->weight);
    }
    return CW_OK;
}

static const struct cwi_algo_ops *
row_at(cw_table table, unsigned i)
{
    if (table == CW_TABLE_ALGORITHMS)
        return i < cwi_algo_count() ? cwi_algo_at(i) : NULL;
    if (table == CW_TABLE_COMPAT)
        return i < cwi_compat_count() ? cwi_compat_at(i) : NULL;
    return NULL;
}

static void
describe(const struct cwi_algo_ops *row, cw_row *out)
{
    memset(out, 0, sizeof *out);
    out->name = row->name;
    out->summary = row->summary;
    out->source = row->source;
    out->traits = row->traits;
    for (const struct cwi_option *o = row->options; o && o->name; o++)
        out->options++;
}

cw_status
cw_table_row(cw_table table, unsigned i, cw_row *out)
{
    const struct cwi_algo_ops *row = row_at(table, i);

    if (row) {
        describe(row, out);
        return CW_OK;
    }
    if (table != CW_TABLE_HASHES || i >= cwi_hash_count())
        return CW_ENOENT;
    memset(out, 0, sizeof *out);
    out->name = cwi_hash_at(i)->name;
    out->summary = cwi_hash_at(i)->summary;
    out->source = cwi_hash_at(i)->source;
    out->bits = cwi_hash_at(i)->bits;
    out->keyed = (cwi_hash_at(i)->traits & CWI_HASH_KEYED) != 0;
    return CW_OK;
}

cw_status
cw_table_row_option(cw_table table, unsigned i, unsigned j,
                    cw_row_option *out)
{
    static const char *const kinds[] = {
        [CWI_OPT_UINT] = "a whole number",
        [CWI_OPT_SIZE] = "2 to 2^64",
        [CWI_OPT_TEXT] = "bytes",
        [CWI_OPT_ENUM] = "a word",
        [CWI_OPT_HASH] = "a hash",
        [CWI_OPT_KEY]  = "32 hexadecimal digits"
    };
    const struct cwi_algo_ops *row = row_at(table, i);
    const struct cwi_option *o = row ? row->options : NULL;

    for (; o && o->name && j > 0; j--)
        o++;
    if (!o || !o->name)
        return CW_ENOENT;
    out->name = o->name;
    out->summary = o->summary;
    out->expected = o->choices ? o->choices : kinds[o->kind];
    out->fallback = o->fallback ? o->fallback : "";
    out->min = out->max = 0;
    if (o->kind == CWI_OPT_UINT || o->kind == CWI_OPT_TEXT) {
        out->min = o->min;
        out->max = o->max;
    }
    return CW_OK;
}

void
cw_map_row(const cw_map *map, cw_row *out)
{
    describe(map->p.algo, out);
}
