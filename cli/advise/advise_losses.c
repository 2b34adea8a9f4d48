/* SPDX-License-Identifier: Apache-2.0 */
/* advise_losses.c - what the loss of any one node does. */
#include <string.h>

#include "base/mem.h"
#include "cli/advise/advise.h"

static void
weigh(const cw_diff *d, struct advise_losses *out)
{
    uint32_t k;

    out->tried++;
    out->moved = d->moved > out->moved ? d->moved : out->moved;
    out->excess = d->excess_churn > out->excess ? d->excess_churn
                                                : out->excess;
    for (k = 0; k < d->node_count; k++) {
        const cw_diff_node *x = &d->nodes[k];

        if (x->new_index == CW_NONE)
            out->receivers = x->receivers < out->receivers ? x->receivers
                                                           : out->receivers;
        else if (x->old_share > 0 && x->new_share / x->old_share
                                     > out->survivor)
            out->survivor = x->new_share / x->old_share;
    }
}

static void
lose(struct loaded *fleet, const cw_node *node, struct advise_losses *out)
{
    const struct conf_pool *pool = fleet->model.pools;
    cw_fleet *without = cw_fleet_copy(pool->fleet);
    cw_map *map = NULL;
    cw_diff *d;

    if (without == NULL)
        mem_fail();
    cw_fleet_remove(without, node->name, node->name_len, NULL);
    if (cw_map_build(without, pool->placement, &map, NULL) == CW_OK) {
        if (cw_diff_new(fleet->map, map, &d) != CW_OK)
            mem_fail();
        weigh(d, out);
        cw_diff_free(d);
    }
    cw_map_unref(map);
    cw_fleet_free(without);
}

void
advise_losses(struct loaded *fleet, struct advise_losses *out)
{
    const cw_fleet *of = fleet->model.pools[0].fleet;
    uint32_t n = cw_fleet_count(of), i;
    cw_node node;

    memset(out, 0, sizeof *out);
    out->receivers = UINT32_MAX;
    out->partly = n > LOSSES_TRIED;
    for (i = 0; i < n && i < LOSSES_TRIED && n > 1; i++) {
        cw_fleet_node(of, i, &node);
        if (node.weight > 0)
            lose(fleet, &node, out);
    }
}
