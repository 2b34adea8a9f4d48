/* SPDX-License-Identifier: Apache-2.0 */
/* verify_keys.c - are keys on the node that owns them: from a list of pairs,
 * or by asking the nodes. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/ask/ask.h"
#include "cli/verify/verify.h"

enum { SHOWN = 10, BATCH = 256 };

/* What one node holds. */
struct holding {
    uint64_t keys;
    uint64_t bytes;
    uint64_t strays;
    uint64_t stray_bytes;
    uint64_t removed;
};

static void
row(struct cli *c, struct json *j, const cw_node *node,
    const struct holding *h)
{
    if (!c->json) {
        out_add(&c->out, node->name, node->name_len);
        out_print(&c->out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                  "\n", h->keys, h->bytes, h->strays, h->stray_bytes);
        return;
    }
    json_open(j, '{');
    json_bytes(j, "node", node->name, node->name_len);
    json_pair_uint(j, "keys", h->keys);
    json_pair_uint(j, "bytes", h->bytes);
    json_pair_uint(j, "strays", h->strays);
    json_pair_uint(j, "stray_bytes", h->stray_bytes);
    json_pair_uint(j, "removed", h->removed);
    json_close(j, '}');
}

static int
totals(struct cli *c, const cw_map *map, const struct holding *of)
{
    struct json j = { &c->out, false };
    struct holding sum = { 0 };
    uint32_t i;
    cw_node node;

    if (c->json) {
        json_open(&j, '{');
        json_key(&j, "nodes");
        json_open(&j, '[');
    } else {
        out_str(&c->out, "# node\tkeys\tbytes\tstrays\tstray bytes\n");
    }
    for (i = 0; i < cw_map_count(map); i++) {
        cw_map_node(map, i, &node);
        row(c, &j, &node, &of[i]);
        sum.keys += of[i].keys;
        sum.strays += of[i].strays;
        sum.stray_bytes += of[i].stray_bytes;
        sum.removed += of[i].removed;
    }
    if (c->json) {
        json_close(&j, ']');
        json_pair_uint(&j, "keys", sum.keys);
        json_pair_uint(&j, "strays", sum.strays);
        json_close(&j, '}');
        json_end(&j, '\n');
    } else {
        out_print(&c->out, "# %" PRIu64 " of %" PRIu64 " keys are strays "
                  "(%" PRIu64 " bytes)", sum.strays, sum.keys,
                  sum.stray_bytes);
        if (sum.removed > 0)
            out_print(&c->out, "; %" PRIu64 " were removed", sum.removed);
        out_char(&c->out, '\n');
    }
    return sum.strays > sum.removed ? CLI_NO : CLI_DONE;
}

/* ---- a list of pairs ---------------------------------------------------- */

/* One "key TAB node"; false when it is none, or the node is unknown. */
static bool
one_pair(const cw_map *map, const struct lines_record *r,
         struct holding *of, uint64_t *unknown)
{
    const char *tab = memchr(r->data, '\t', r->len);
    uint32_t node, owner;

    if (tab == NULL)
        return false;
    node = cw_map_find(map, tab + 1, r->len - (size_t)(tab + 1 - r->data));
    if (node == CW_NONE) {
        (*unknown)++;
        return true;
    }
    of[node].keys++;
    if (cw_map_owner(map, r->data, (size_t)(tab - r->data), &owner) != CW_OK
        || owner != node)
        of[node].strays++;
    return true;
}

int
verify_sample(struct cli *c, const struct verify_ask *a, struct loaded *fleet)
{
    int fd = file_open(a->sample);
    size_t n = cw_map_count(fleet->map), got, i;
    struct lines_record record[BATCH];
    struct holding *of;
    struct lines lines;
    uint64_t line = 0, unknown = 0;
    int status = CLI_DONE;

    if (fd < 0)
        return cli_cannot_read(a->sample, errno);
    of = mem_alloc(n ? n : 1, sizeof *of);
    memset(of, 0, n * sizeof *of);
    lines_init(&lines, fd, '\n');
    while (status == CLI_DONE
           && (got = lines_next(&lines, record, BATCH)) > 0) {
        for (i = 0; i < got && status == CLI_DONE; i++) {
            line++;
            if (!one_pair(fleet->map, &record[i], of, &unknown)) {
                cli_say("%s:%" PRIu64 ": expected key TAB node; stopped",
                        a->sample, line);
                status = CLI_NO;
            }
        }
    }
    if (lines.error != 0)
        status = cli_cannot_read(a->sample, lines.error);
    lines_free(&lines);
    if (fd != STDIN_FILENO)
        close(fd);
    if (status == CLI_DONE)
        status = totals(c, fleet->map, of);
    if (unknown > 0) {
        cli_say("%" PRIu64 " keys are on nodes that the fleet does not have",
                unknown);
        status = status == CLI_DONE ? CLI_NO : status;
    }
    mem_free(of);
    return status;
}

/* ---- the nodes themselves ----------------------------------------------- */

struct stray {
    char  *key;
    size_t len;
};

struct asking {
    const struct verify_ask *ask;
    struct cli              *c;
    const cw_map            *map;
    uint32_t                 node;
    struct holding          *of;        /* of this node                     */
    struct stray            *strays;    /* all, when they are to go         */
    size_t                   stray_count;
};

static void
keep_stray(struct asking *q, const struct ask_key *key)
{
    struct stray *s;

    if (!q->ask->delete_strays)
        return;
    q->strays = mem_resize(q->strays, q->stray_count + 1, sizeof *q->strays);
    s = &q->strays[q->stray_count++];
    s->key = mem_alloc(key->len + 1, 1);
    s->len = key->len;
    memcpy(s->key, key->key, key->len);
}

static bool
one_key(void *context, const struct ask_key *key)
{
    struct asking *q = context;
    uint32_t owner = CW_NONE;

    q->of->keys++;
    q->of->bytes += key->bytes;
    if (cw_map_owner(q->map, key->key, key->len, &owner) == CW_OK
        && owner == q->node)
        return true;
    q->of->strays++;
    q->of->stray_bytes += key->bytes;
    keep_stray(q, key);
    return true;
}

/* List them, and with --apply remove them. */
static bool
remove_strays(struct asking *q, struct ask *a, const cw_node *node)
{
    bool ok = true, removed;
    size_t i;

    for (i = 0; i < q->stray_count; i++) {
        if (q->ask->apply && ok) {
            ok = ask_delete(a, q->strays[i].key, q->strays[i].len, &removed);
            q->of->removed += ok && removed;
        } else if (!q->ask->apply && !q->c->json) {
            out_str(&q->c->out, "stray\t");
            out_add(&q->c->out, node->name, node->name_len);
            out_char(&q->c->out, '\t');
            out_add(&q->c->out, q->strays[i].key, q->strays[i].len);
            out_char(&q->c->out, '\n');
        }
        mem_free(q->strays[i].key);
    }
    mem_free(q->strays);
    return ok;
}

static int
one_node(struct cli *c, const struct verify_ask *ask, const cw_map *map,
         uint32_t i, struct holding *of)
{
    struct asking q = {
        .ask = ask, .c = c, .map = map, .node = i, .of = of
    };
    const char *address;
    struct ask a;
    cw_node node;
    bool ok;

    cw_map_node(map, i, &node);
    address = node.address_len ? node.address : node.name;
    ok = ask_open(&a, address, ask->port)
         && ask_keys(&a, ask->most, one_key, &q);
    ok = remove_strays(&q, &a, &node) && ok;
    if (!ok)
        cli_say("node %s at %s: %s; its keys are not all counted", node.name,
                address, a.error);
    ask_close(&a);
    return ok ? CLI_DONE : CLI_IO;
}

int
verify_holders(struct cli *c, const struct verify_ask *a,
               struct loaded *fleet)
{
    uint32_t n = cw_map_count(fleet->map), i;
    struct holding *of = mem_alloc(n ? n : 1, sizeof *of);
    int status = CLI_DONE, one;

    memset(of, 0, n * sizeof *of);
    for (i = 0; i < n; i++) {
        one = one_node(c, a, fleet->map, i, &of[i]);
        status = one > status ? one : status;
    }
    one = totals(c, fleet->map, of);
    mem_free(of);
    return one > status ? one : status;
}
