/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of other programs: byte 0 chooses the format (conf_rows.h, or by the
 * content), byte 1 what is said of the program's version. A file is refused
 * with messages of printable words, or taken; each pool whose keys can be
 * placed is then written as a fleet file, which must mean the same; and what
 * the format itself can say of it, read back, must mean the same too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "conf/conf_model.h"
#include "conf/conf_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(holds, what)                                      \
    do {                                                        \
        if (!(holds)) {                                         \
            fprintf(stderr, "conf: %s\n", what);                \
            abort();                                            \
        }                                                       \
    } while (0)

/* Sum of weights and number of options above which no map is built. */
static const uint64_t weight_limit = 3000 * CW_WEIGHT_ONE;

static const char *const versions[] = { NULL, "3.2.0", "2.2" };

static void
check_text(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len) {
        at += str_text_end(text + at, len - at);
        CHECK(at >= len || text[at] == '\n',
              "a message holds a control character or bad UTF-8");
        at++;
    }
}

static bool
cheap(const struct conf_pool *pool)
{
    uint32_t i, n = cw_fleet_count(pool->fleet);
    uint64_t sum = 0;
    size_t k;

    for (i = 0; i < n; i++) {
        cw_node node;

        cw_fleet_node(pool->fleet, i, &node);
        sum += node.weight;
        if (sum > weight_limit)
            return false;
    }
    for (k = 0; k < pool->setting_count; k++)
        if (strlen(pool->settings[k].value) > 4
            && pool->settings[k].value[0] >= '0'
            && pool->settings[k].value[0] <= '9')
            return false;       /* a large table or ring */
    return true;
}

/* 0 when no map can be built within the limits of this test. */
static uint64_t
fingerprint(const struct conf_pool *pool)
{
    cw_map *map = NULL;
    uint64_t result;
    cw_error err;

    if (!cheap(pool)
        || cw_map_build(pool->fleet, pool->placement, &map, &err) != CW_OK)
        return 0;
    CHECK(cw_map_check(map, &err) == CW_OK, err.text);
    result = cw_map_fingerprint(map);
    cw_map_unref(map);
    return result;
}

/* Read what was written of a pool with this fingerprint. */
static void
check_written(const struct conf_ask *ask, const struct buf *text,
              uint64_t want, bool must)
{
    struct conf_model m;
    struct diag d;

    diag_init(&d, "written", text->data, text->len);
    if (conf_read_asked(ask, text->data, text->len, &d, &m)) {
        CHECK(m.pool_count == 1, "one pool was written, others were read");
        if (want != 0 && must)
            CHECK(fingerprint(&m.pools[0]) == want,
                  "what was written has another fingerprint");
        conf_model_free(&m);
    } else if (must) {
        struct buf message = { 0 };

        diag_print(&d, &message, false);
        fprintf(stderr, "%s%s", text->data, message.data);
        CHECK(false, "what was written is refused");
    }
    diag_free(&d);
}

static void
check_pool(const struct conf_format *format, const struct conf_ask *ask,
           const struct conf_model *m, const struct conf_pool *pool)
{
    static const struct conf_ask nothing;
    struct conf_ask native = { format, ask->version };
    struct buf text = { 0 }, why = { 0 };
    uint64_t sum;
    size_t i;

    for (i = 0; i < pool->notes.count; i++)
        check_text(pool->notes.list[i].text,
                   strlen(pool->notes.list[i].text));
    if (pool->refusal != NULL) {
        check_text(pool->refusal, strlen(pool->refusal));
        return;
    }
    sum = fingerprint(pool);
    conf_write_fleet(pool, &m->notes, &text);
    check_text(text.data, text.len);
    check_written(&nothing, &text, sum, true);
    text.len = 0;
    if (format != NULL && format->write != NULL) {
        if (format->write(pool, &text, &why))
            check_written(&native, &text, sum, false);
        else
            check_text(why.data, why.len);
    }
    buf_free(&text);
    buf_free(&why);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct conf_format *format;
    struct conf_ask ask = { NULL, NULL };
    struct conf_model m;
    struct diag d;
    size_t rows = 0, i;

    if (size < 2)
        return 0;
    while (conf_format_at(rows) != NULL)
        rows++;
    format = conf_format_at(data[0] % (rows + 1));
    ask.format = format;
    ask.version = versions[data[1] % 3];
    diag_init(&d, "fuzz", (const char *)data + 2, size - 2);
    if (conf_read_asked(&ask, (const char *)data + 2, size - 2, &d, &m)) {
        CHECK(m.pool_count > 0, "taken without a pool");
        for (i = 0; i < m.pool_count; i++)
            check_pool(format, &ask, &m, &m.pools[i]);
        conf_model_free(&m);
    } else {
        struct buf text = { 0 };

        CHECK(d.errors > 0, "refused without an error");
        diag_print(&d, &text, false);
        check_text(text.data, text.len);
        buf_free(&text);
    }
    diag_free(&d);
    return 0;
}
