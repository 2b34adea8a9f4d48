/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fleet file is taken whole or refused: a file that is refused leaves the
 * caller's model alone and says why in printable text, whatever bytes it
 * holds; one that is taken has nodes, and taken twice gives the same
 * fingerprint. Byte 0 chooses a file or the nodes of a command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "conf/conf_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(holds, what)                                      \
    do {                                                        \
        if (!(holds)) {                                         \
            fprintf(stderr, "fleet_file: %s\n", what);          \
            abort();                                            \
        }                                                       \
    } while (0)

/* Sum of weights above which no map is built: points take memory. */
static const uint64_t weight_limit = 10000 * CW_WEIGHT_ONE;

static bool
read_once(bool is_inline, const char *text, size_t len, struct diag *d,
          struct conf_model *out)
{
    diag_init(d, "fuzz", text, len);
    return is_inline ? conf_read_inline(text, len, d, out)
                     : conf_read(text, len, d, out);
}

static void
check_refused(struct diag *d)
{
    struct buf text = { 0 };
    size_t at = 0;

    CHECK(d->errors > 0, "refused without an error");
    diag_print(d, &text, false);
    while (at < text.len) {
        at += str_text_end(text.data + at, text.len - at);
        CHECK(at == text.len || text.data[at] == '\n',
              "a message holds a control character or bad UTF-8");
        at++;
    }
    buf_free(&text);
}

/* 0 when no map can be built within the limits of this test. */
static uint64_t
fingerprint(const struct conf_pool *pool)
{
    uint64_t sum = 0, result;
    uint32_t i, n = cw_fleet_count(pool->fleet);
    cw_map *map = NULL;
    cw_error err;

    for (i = 0; i < n; i++) {
        cw_node node;

        cw_fleet_node(pool->fleet, i, &node);
        CHECK(node.name_len > 0, "a node without a name");
        sum += node.weight;
        if (sum > weight_limit)
            return 0;
    }
    cw_placement_set(pool->placement, "points", "3", NULL);
    if (cw_map_build(pool->fleet, pool->placement, &map, &err) != CW_OK)
        return 0;
    CHECK(cw_map_count(map) == n, "the map has other nodes than the file");
    CHECK(cw_map_check(map, &err) == CW_OK, err.text);
    result = cw_map_fingerprint(map);
    cw_map_unref(map);
    return result;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct conf_model model[2], untouched;
    struct diag d[2];
    bool taken[2], is_inline;
    int i;

    if (size == 0)
        return 0;
    is_inline = data[0] % 2 == 1;
    memset(&untouched, 0x5a, sizeof untouched);
    for (i = 0; i < 2; i++) {
        memcpy(&model[i], &untouched, sizeof untouched);
        taken[i] = read_once(is_inline, (const char *)data + 1, size - 1,
                             &d[i], &model[i]);
        if (!taken[i]) {
            CHECK(memcmp(&model[i], &untouched, sizeof untouched) == 0,
                  "a refused file changed the model");
            check_refused(&d[i]);
        }
    }
    CHECK(taken[0] == taken[1], "taken once, refused once");
    if (taken[0]) {
        CHECK(d[0].errors == 0, "taken with errors");
        CHECK(model[0].pool_count > 0
              && (model[0].pools[0].refusal != NULL
                  || cw_fleet_count(model[0].pools[0].fleet) > 0), "no node");
        CHECK(fingerprint(&model[0].pools[0])
              == fingerprint(&model[1].pools[0]),
              "two readings, two fingerprints");
    }
    for (i = 0; i < 2; i++) {
        diag_free(&d[i]);
        if (taken[i])
            conf_model_free(&model[i]);
    }
    return 0;
}
