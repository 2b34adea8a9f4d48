/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/conf_model.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static void
notes_free(struct conf_notes *n)
{
    size_t i;

    for (i = 0; i < n->count; i++)
        mem_free(n->list[i].text);
    mem_free(n->list);
}

static void
pool_free(struct conf_pool *p)
{
    size_t i;

    for (i = 0; i < p->setting_count; i++) {
        mem_free(p->settings[i].option);
        mem_free(p->settings[i].value);
    }
    mem_free(p->settings);
    mem_free(p->name);
    mem_free(p->refusal);
    mem_free(p->key);
    notes_free(&p->notes);
    cw_fleet_free(p->fleet);
    cw_placement_free(p->placement);
    cw_pins_free(p->pins);
}

void
conf_model_free(struct conf_model *m)
{
    size_t i;

    for (i = 0; i < m->pool_count; i++)
        pool_free(&m->pools[i]);
    mem_free(m->pools);
    notes_free(&m->notes);
    memset(m, 0, sizeof *m);
}

void
conf_model_choose(struct conf_model *m, size_t i)
{
    struct conf_pool chosen = m->pools[i];

    m->pools[i] = m->pools[0];
    m->pools[0] = chosen;
    for (i = 1; i < m->pool_count; i++)
        pool_free(&m->pools[i]);
    m->pool_count = 1;
}

bool
conf_check_text(struct conf_build *b, const struct conf_text *t,
                const char *what)
{
    size_t end = str_text_end(t->data, t->len);
    uint32_t code;

    if (t->len == 0) {
        diag_error(b->diag, t->at, "%s is empty", what);
    } else if (t->len > CW_NAME_MAX) {
        diag_error(b->diag, t->at, "%s has %zu bytes", what, t->len);
        diag_hint(b->diag, "expected: 1 to %u bytes", CW_NAME_MAX);
    } else if (end == t->len) {
        return true;
    } else if (str_utf8(t->data + end, t->len - end, &code) == 0) {
        diag_error(b->diag, t->at, "%s is not UTF-8: byte %zu is "
                   "0x%02x", what, end + 1,
                   (unsigned)(unsigned char)t->data[end]);
    } else {
        diag_error(b->diag, t->at, "%s has the control character U+%04X "
                   "as byte %zu", what, (unsigned)code, end + 1);
        diag_hint(b->diag, "expected: printable characters");
    }
    return false;
}

void
conf_fleet_name(struct conf_build *b, const struct conf_text *name)
{
    if (!conf_check_text(b, name, "the fleet's name"))
        return;
    mem_free(b->pool.name);
    b->pool.name = mem_alloc(name->len + 1, 1);
    memcpy(b->pool.name, name->data, name->len);
    b->pool.name[name->len] = '\0';
    b->pool.name_len = name->len;
}

/* Does the row in use take this option? Then its value is what is wrong. */
static bool
option_known(const struct conf_build *b, const char *option)
{
    cw_row_option o;
    unsigned i;

    if (strcmp(option, "algorithm") == 0 || strcmp(option, "compat") == 0)
        return true;
    for (i = 0; cw_table_row_option(b->table, b->row, i, &o) == CW_OK; i++)
        if (strcmp(o.name, option) == 0)
            return true;
    return false;
}

/* Remember which row "algorithm" or "compat" chose. */
static void
note_row(struct conf_build *b, const char *option, const char *name)
{
    cw_table table = strcmp(option, "compat") == 0 ? CW_TABLE_COMPAT
        : CW_TABLE_ALGORITHMS;
    cw_row row;
    unsigned i;

    for (i = 0; cw_table_row(table, i, &row) == CW_OK; i++) {
        if (strcmp(row.name, name) == 0) {
            b->table = table;
            b->row = i;
            return;
        }
    }
}

bool
conf_placement(struct conf_build *b, const struct conf_text *option,
               const struct conf_text *value)
{
    cw_error err;
    cw_status status;

    /* the library takes strings here: no NUL may hide the rest */
    if (!conf_check_text(b, option, "the option's name")
        || !conf_check_text(b, value, "the option's value"))
        return false;
    status = cw_placement_set(b->pool.placement, option->data, value->data,
                              &err);
    if (status == CW_OK) {
        if (strcmp(option->data, "algorithm") == 0
            || strcmp(option->data, "compat") == 0)
            note_row(b, option->data, value->data);
        conf_pool_setting(&b->pool, option->data, value->data);
        if (b->pool.placement_at.line == 0)
            b->pool.placement_at = option->at;
        return true;
    }
    if (status == CW_ENOMEM)
        mem_fail();
    diag_error(b->diag, option_known(b, option->data) ? value->at
               : option->at, "placement: %s", err.text);
    return false;
}

/* "host:port" or "[v6]:port": a name that says where the node is. */
static bool
is_host_port(const char *s, size_t len)
{
    size_t colon = len;
    uint64_t port;

    while (colon > 0 && s[colon - 1] != ':')
        colon--;
    if (colon < 2 || !str_uint(s + colon, len - colon, 65535, &port))
        return false;
    return memchr(s, ':', colon - 1) == NULL
        || (s[0] == '[' && s[colon - 2] == ']');
}

static cw_state
read_state(struct conf_build *b, const struct conf_text *t)
{
    static const char *const names[] = { "up", "down", "drain" };
    struct buf shown = { 0 };
    size_t i;

    if (t->data == NULL)
        return CW_UP;
    for (i = 0; i < 3; i++)
        if (t->len == strlen(names[i]) && memcmp(t->data, names[i], t->len)
            == 0)
            return (cw_state)i;
    str_escape(&shown, t->data, t->len, 80);
    diag_error(b->diag, t->at, "unknown state \"%s\"",
               shown.len ? shown.data : "");
    diag_hint(b->diag, "known: up, down, drain");
    buf_free(&shown);
    return CW_UP;
}

static uint64_t
read_weight(struct conf_build *b, const struct conf_text *t)
{
    uint64_t weight = CW_WEIGHT_ONE;
    struct buf shown = { 0 };

    if (t->data == NULL
        || cw_weight_parse(t->data, t->len, &weight, NULL) == CW_OK)
        return weight;
    str_escape(&shown, t->data, t->len, 80);
    diag_error(b->diag, t->at, "bad weight \"%s\"",
               shown.len ? shown.data : "");
    diag_hint(b->diag, "expected: %s", CONF_WEIGHT_EXPECTED);
    buf_free(&shown);
    return CW_WEIGHT_ONE;
}

static void
duplicate_node(struct conf_build *b, const struct conf_text *name)
{
    struct buf shown = { 0 };
    uint32_t i, n = cw_fleet_count(b->pool.fleet);
    cw_node node;

    str_escape(&shown, name->data, name->len, 80);
    diag_error(b->diag, name->at, "node \"%s\" is given twice", shown.data);
    buf_free(&shown);
    /* no message, no search: a hostile file may repeat itself a lot */
    if (b->diag->errors > DIAG_KEPT)
        return;
    for (i = 0; i < n; i++) {
        cw_fleet_node(b->pool.fleet, i, &node);
        if (node.name_len == name->len
            && memcmp(node.name, name->data, name->len) == 0)
            break;
    }
    if (i < n)
        diag_hint(b->diag, "the first one is in line %u, column %u",
                  b->places[i].line, b->places[i].column);
}

/* A set-call of the library on checked input fails for lack of memory only. */
static void
must(cw_status status)
{
    if (status != CW_OK)
        mem_fail();
}

static void
add_details(struct conf_build *b, const struct conf_node *n)
{
    cw_fleet *fleet = b->pool.fleet;
    const char *name = n->name.data;
    size_t len = n->name.len;

    if (n->address.data != NULL) {
        if (conf_check_text(b, &n->address, "the address"))
            must(cw_fleet_set_address(fleet, name, len, n->address.data,
                                      n->address.len, NULL));
    } else if (is_host_port(name, len)) {
        must(cw_fleet_set_address(fleet, name, len, name, len, NULL));
    }
    if (n->zone.data != NULL && conf_check_text(b, &n->zone, "the zone"))
        must(cw_fleet_set_zone(fleet, name, len, n->zone.data, n->zone.len,
                               NULL));
    if (n->label.data != NULL && conf_check_text(b, &n->label, "the label"))
        must(cw_fleet_set_label(fleet, name, len, n->label.data,
                                n->label.len, NULL));
    if (n->position_count > 0)
        must(cw_fleet_set_positions(fleet, name, len, n->positions,
                                    (uint32_t)n->position_count, NULL));
}

void
conf_add_node(struct conf_build *b, const struct conf_node *n)
{
    uint64_t weight = read_weight(b, &n->weight);
    cw_state state = read_state(b, &n->state);
    uint32_t count = cw_fleet_count(b->pool.fleet);
    cw_status status;

    if (!conf_check_text(b, &n->name, "the node's name"))
        return;
    status = cw_fleet_add(b->pool.fleet, n->name.data, n->name.len, weight,
                          NULL);
    if (status == CW_EEXIST) {
        duplicate_node(b, &n->name);
        return;
    }
    must(status);
    if (count == b->place_cap) {
        b->place_cap = b->place_cap ? b->place_cap * 2 : 16;
        b->places = mem_resize(b->places, b->place_cap, sizeof *b->places);
    }
    b->places[count] = n->name.at;
    must(cw_fleet_set_state(b->pool.fleet, n->name.data, n->name.len, state,
                            NULL));
    add_details(b, n);
}

static void
pool_init(struct conf_build *b)
{
    memset(&b->pool, 0, sizeof b->pool);
    b->pool.fleet = cw_fleet_new(NULL);
    b->pool.placement = cw_placement_new(NULL);
    if (b->pool.fleet == NULL || b->pool.placement == NULL)
        mem_fail();
    note_row(b, "algorithm", "ring");
}

static void
pool_done(struct conf_build *b)
{
    conf_pins_done(b);
    b->done = mem_resize(b->done, b->done_count + 1, sizeof *b->done);
    b->done[b->done_count++] = b->pool;
}

void
conf_pool_begin(struct conf_build *b, const struct conf_text *name)
{
    if (b->begun++ > 0) {
        pool_done(b);
        pool_init(b);
    }
    b->pool.at = name->at;
    if (name->data != NULL)
        conf_fleet_name(b, name);
}

static void
build_begin(struct conf_build *b, const struct conf_ask *ask, struct diag *d)
{
    memset(b, 0, sizeof *b);
    b->diag = d;
    b->version = ask->version;
    pool_init(b);
}

/* Nothing to place keys on: an error when no other pool is in the file. */
static void
check_nodes(struct conf_build *b)
{
    static const struct diag_place nowhere;
    size_t i;

    for (i = 0; i < b->done_count; i++)
        if (cw_fleet_count(b->done[i].fleet) == 0
            && b->done[i].refusal == NULL)
            break;
    if (b->diag->errors > 0 || i == b->done_count)
        return;
    diag_error(b->diag, b->begun ? b->done[i].at : nowhere,
               b->begun ? "there is no node in this pool"
               : "there is no node in it");
    diag_hint(b->diag, "expected: at least one");
}

static bool
build_end(struct conf_build *b, const char *format, struct conf_model *out)
{
    struct conf_model m = { .format = format };

    pool_done(b);
    check_nodes(b);
    mem_free(b->places);
    arena_free(&b->arena);
    m.pools = b->done;
    m.pool_count = b->done_count;
    m.notes = b->notes;
    if (b->diag->errors > 0) {
        conf_model_free(&m);
        return false;
    }
    *out = m;
    return true;
}

bool
conf_run(const struct conf_format *format, const struct conf_ask *ask,
           const struct conf_source *source, struct diag *d,
           struct conf_model *out)
{
    struct conf_build b;

    build_begin(&b, ask, d);
    if (format->read != NULL)
        format->read(&b, source->data, source->len);
    else
        format->read_tree(&b, source->root);
    return build_end(&b, format->name, out);
}
