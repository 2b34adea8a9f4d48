/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_check.c - every problem of a fleet file. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "cli/load_fleet.h"
#include "cli/pins_note.h"

/* Positions that several nodes hold: one of them owns it, on every machine,
 * but hardly anybody means that. */
struct shared {
    struct cli   *c;
    const cw_map *map;
    const char   *name;
    uint64_t      position;
    uint32_t      node;         /* the first one there; CW_NONE: none yet   */
    uint64_t      count;
};

enum { SHARED_TOLD = 10 };

static int
shared_point(void *context, uint64_t position, uint32_t node)
{
    struct shared *s = context;
    cw_node first, other;

    if (s->node == CW_NONE || position != s->position) {
        s->position = position;
        s->node = node;
        return 0;
    }
    if (node == s->node || ++s->count > SHARED_TOLD || s->c->quiet
        || s->c->json)
        return 0;
    cw_map_node(s->map, s->node, &first);
    cw_map_node(s->map, node, &other);
    out_print(&s->c->out, "%s: warning: position %" PRIu64 " is held by ",
              s->name, position);
    out_add(&s->c->out, first.name, first.name_len);
    out_str(&s->c->out, " and ");
    out_add(&s->c->out, other.name, other.name_len);
    out_str(&s->c->out, "; the first owns it\n");
    return 0;
}

static uint64_t
shared_points(struct cli *c, const char *name, const cw_map *map)
{
    struct shared s = { c, map, name, 0, CW_NONE, 0 };

    cw_map_each_point(map, shared_point, &s, NULL);
    if (s.count > SHARED_TOLD && !c->quiet && !c->json)
        out_print(&c->out, "%s: warning: so are %" PRIu64 " more\n", name,
                  s.count - SHARED_TOLD);
    return s.count;
}

/* Pools are told by name where a program's file may hold several. */
static const struct conf_pool *
named_pool(const struct loaded *l)
{
    const struct conf_pool *pool = l->model.pools;

    return pool->name != NULL && strcmp(l->model.format, "fleet") != 0
        ? pool : NULL;
}

static void
print_name(struct cli *c, const char *name, const struct loaded *l)
{
    const struct conf_pool *pool = named_pool(l);

    out_print(&c->out, "%s: ", name);
    if (pool == NULL)
        return;
    out_str(&c->out, "pool \"");
    out_add(&c->out, pool->name, pool->name_len);
    out_str(&c->out, "\": ");
}

static void
json_pool(struct json *j, const struct loaded *l)
{
    const struct conf_pool *pool = named_pool(l);

    if (pool != NULL)
        json_bytes(j, "pool", pool->name, pool->name_len);
}

/* A pool that is sound for its program, which does not hash keys. */
static void
print_unplaced(struct cli *c, const char *name, const struct loaded *l)
{
    const struct conf_pool *pool = l->model.pools;
    struct json j = { &c->out, false };

    if (c->json) {
        json_open(&j, '{');
        json_bytes(&j, "file", name, strlen(name));
        json_pool(&j, l);
        json_pair_bool(&j, "sound", true);
        json_pair(&j, "not_placed", pool->refusal, strlen(pool->refusal));
        json_close(&j, '}');
        json_end(&j, '\n');
    } else if (!c->quiet) {
        print_name(c, name, l);
        out_print(&c->out, "not placed by keys: %s\n", pool->refusal);
    }
}

static void
print_sound(struct cli *c, const char *name, const struct loaded *l)
{
    uint32_t n = cw_map_count(l->map);
    uint64_t shared = shared_points(c, name, l->map);
    const cw_pins *has = cw_map_pins(l->map);
    size_t pins = has ? cw_pins_count(has) : 0;
    struct json j = { &c->out, false };
    cw_row row;

    cw_map_row(l->map, &row);
    if (c->json) {
        json_open(&j, '{');
        json_bytes(&j, "file", name, strlen(name));
        json_pool(&j, l);
        json_pair_bool(&j, "sound", true);
        json_pair_uint(&j, "nodes", n);
        json_pair(&j, "placement", row.name, strlen(row.name));
        json_pair_uint(&j, "shared_positions", shared);
        if (pins > 0)
            pins_note_json(&j, cw_map_pins(l->map));
        json_close(&j, '}');
        json_end(&j, '\n');
    } else if (!c->quiet) {
        print_name(c, name, l);
        out_print(&c->out, "sound: %" PRIu32 " node%s, %s, %" PRIu64
                  " points", n, n == 1 ? "" : "s", row.name,
                  cw_map_points(l->map));
        if (pins > 0)
            out_print(&c->out, ", %zu pin%s", pins, pins == 1 ? "" : "s");
        out_char(&c->out, '\n');
    }
}

struct check {
    struct cli *c;
    const char *name;
};

static int
check_pool(void *context, const struct loaded *l)
{
    const struct check *k = context;
    cw_error err;

    if (l->map == NULL) {
        print_unplaced(k->c, k->name, l);
    } else if (cw_map_check(l->map, &err) != CW_OK) {
        cli_say("%s: the map built from it is not sound: %s; please report "
                "this", k->name, err.text);
        return CLI_NO;
    } else {
        print_sound(k->c, k->name, l);
    }
    return CLI_DONE;
}

static int
check(struct cli *c, const struct cli_source *s)
{
    struct load_sets sets = { c->sets, c->set_count };
    struct check k = { c, load_name(s) };

    return load_each(s, sets, check_pool, &k);
}

static int
run(struct cli *c)
{
    int status = CLI_DONE, one, i;

    if (!cli_no_options(c))
        return c->status;
    if (c->source_count == 0)
        return cli_usage(c, "no FILE is given");
    for (i = 0; i < c->source_count; i++) {
        one = check(c, &c->sources[i]);
        status = one > status ? one : status;
    }
    return status;
}

const struct cmd cmd_check = {
    "check", "print every problem of a fleet file; exit 1 if there is one",
    "FILE ...",
    "  Prints one line for a file that is sound, or one a pool. -q prints "
    "nothing\n"
    "  then.\n",
    NULL, true, run
};
