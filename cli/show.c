/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/width.h"

char *
show_weight(uint64_t weight, char out[32])
{
    size_t len;

    snprintf(out, 32, "%" PRIu64 ".%06" PRIu64, weight / CW_WEIGHT_ONE,
             weight % CW_WEIGHT_ONE);
    len = strlen(out);
    while (out[len - 1] == '0')
        len--;
    if (out[len - 1] == '.')
        len--;
    out[len] = '\0';
    return out;
}

int
show_cut(struct buf *b, const char *s, size_t len, int columns)
{
    size_t most = columns > 0 ? (size_t)columns : 0, used, end;
    struct buf text = { 0 };

    str_escape(&text, s, len, len);
    end = text.len;
    used = width_text(text.data, end);
    if (used > most) {
        end = width_cut(text.data, end, most > 0 ? most - 1 : 0);
        used = width_text(text.data, end) + 1;
    }
    if (end > 0)
        buf_add(b, text.data, end);
    if (end < text.len)
        buf_char(b, '~');
    buf_free(&text);
    return (int)used;
}

void
show_padded(struct buf *b, const char *s, size_t len, int columns)
{
    int used = show_cut(b, s, len, columns);

    while (used++ < columns)
        buf_char(b, ' ');
}

const char *
show_basis(cw_basis basis)
{
    switch (basis) {
    case CW_EXACT:       return "exact";
    case CW_INDEPENDENT: return "independent";
    case CW_SAMPLED:     return "sampled";
    case CW_EXPECTED:    return "expected";
    }
    return "unknown";
}
