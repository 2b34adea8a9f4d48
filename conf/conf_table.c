/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conf/conf_model.h"
#include "conf/conf_rows.h"

#define DECLARE(id) extern const struct conf_format conf_format_##id;
#define ENTRY(id)   &conf_format_##id,

CONF_ROWS(DECLARE)

static const struct conf_format *const format_table[] = { CONF_ROWS(ENTRY) };

enum { FORMATS = sizeof format_table / sizeof *format_table };

bool
conf_read(const char *data, size_t len, struct diag *d,
          struct conf_model *out)
{
    size_t i = 0;

    if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;      /* a byte order mark is not part of the first line */
        len -= 3;
        d->text = data;
        d->len = len;
    }
    while (i + 1 < FORMATS && !format_table[i]->claims(data, len))
        i++;
    return conf_read_as(format_table[i], data, len, d, out);
}
