/* SPDX-License-Identifier: Apache-2.0 */
/* conf_inline.c - nodes on a command line: NAME or NAME=WEIGHT, commas
 * between them. It is no row of conf_rows.h: no file looks like this. */
#include <string.h>

#include "conf/conf_model.h"

void
conf_inline(struct conf_build *b, const char *data, size_t len)
{
    size_t start = 0, i;

    for (i = 0; i <= len; i++) {
        struct conf_node node = { .positions = NULL };
        size_t eq;

        if (i < len && data[i] != ',')
            continue;
        for (eq = i; eq > start && data[eq - 1] != '='; eq--)
            continue;
        node.name.data = data + start;
        node.name.len = i - start;
        if (eq > start) {
            node.name.len = eq - 1 - start;
            node.weight.data = data + eq;
            node.weight.len = i - eq;
            node.weight.at = diag_place_of(b->diag, eq, i - eq);
        }
        node.name.at = diag_place_of(b->diag, start, node.name.len);
        conf_add_node(b, &node);
        start = i + 1;
    }
}
