/* SPDX-License-Identifier: Apache-2.0 */
/* verify_views.c - several fleet files: one view, or which share of the keys
 * do two of them send to different nodes? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "cli/show.h"
#include "cli/verify/verify.h"

/* The first fleet with the same fingerprint. */
static int
first_alike(struct loaded *fleets, int i)
{
    int k = 0;

    while (cw_map_fingerprint(fleets[k].map)
           != cw_map_fingerprint(fleets[i].map))
        k++;
    return k;
}

static void
text_pair(struct cli *c, const struct cli_source *a,
          const struct cli_source *b, const cw_diff *d)
{
    uint32_t i;

    out_print(&c->out, "%s and %s place %.4f %% of the keys differently "
              "(%s)\n", load_name(a), load_name(b), 100 * d->moved,
              show_basis(d->basis));
    for (i = 0; i < d->flow_count && i < 5; i++) {
        const cw_flow *f = &d->flows[i];

        out_print(&c->out, "  %.4f %%\t%s\t%s\n", 100 * f->part,
                  f->from == CW_NONE ? "(none)" : d->nodes[f->from].node.name,
                  f->to == CW_NONE ? "(none)" : d->nodes[f->to].node.name);
    }
    if (d->flow_count > 5)
        out_print(&c->out, "  and %" PRIu32 " smaller flows\n",
                  d->flow_count - 5);
}

static void
json_pair_of(struct json *j, const char *a, const char *b, const cw_diff *d)
{
    json_open(j, '{');
    json_pair(j, "a", a, strlen(a));
    json_pair(j, "b", b, strlen(b));
    json_pair_double(j, "differs", d->moved);
    json_pair(j, "basis", show_basis(d->basis),
              strlen(show_basis(d->basis)));
    json_close(j, '}');
}

/* Every pair of different views, each view by the first that has it. */
static void
pairs(struct cli *c, struct loaded *fleets, int count, struct json *j)
{
    int i, k;

    for (i = 0; i < count; i++) {
        if (first_alike(fleets, i) != i)
            continue;
        for (k = i + 1; k < count; k++) {
            cw_diff *d;

            if (first_alike(fleets, k) != k)
                continue;
            if (cw_diff_new(fleets[i].map, fleets[k].map, &d) != CW_OK)
                mem_fail();
            if (j != NULL)
                json_pair_of(j, load_name(&c->sources[i]),
                             load_name(&c->sources[k]), d);
            else
                text_pair(c, &c->sources[i], &c->sources[k], d);
            cw_diff_free(d);
        }
    }
}

int
verify_views(struct cli *c, struct loaded *fleets, int count)
{
    struct json j = { &c->out, false };
    int views = 0, i;
    char text[17];

    for (i = 0; i < count; i++)
        views += first_alike(fleets, i) == i;
    if (c->json) {
        json_open(&j, '{');
        json_pair_uint(&j, "views", (uint64_t)views);
        json_key(&j, "fleets");
        json_open(&j, '[');
    }
    for (i = 0; i < count; i++) {
        const char *name = load_name(&c->sources[i]);

        snprintf(text, sizeof text, "%016" PRIx64,
                 cw_map_fingerprint(fleets[i].map));
        if (!c->json) {
            out_print(&c->out, "%s\t%s\n", text, name);
            continue;
        }
        json_open(&j, '{');
        json_bytes(&j, "file", name, strlen(name));
        json_pair(&j, "fingerprint", text, 16);
        json_close(&j, '}');
    }
    if (c->json) {
        json_close(&j, ']');
        json_key(&j, "pairs");
        json_open(&j, '[');
        pairs(c, fleets, count, &j);
        json_close(&j, ']');
        json_close(&j, '}');
        json_end(&j, '\n');
    } else {
        out_print(&c->out, views == 1 ? "one view: every key has one owner\n"
                  : "%d views\n", views);
        pairs(c, fleets, count, NULL);
    }
    return views == 1 ? CLI_DONE : CLI_NO;
}
