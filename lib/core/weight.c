/* SPDX-License-Identifier: Apache-2.0 */
/* weight.c - weights as decimals with six places, held in millionths. */
#include "core/algo.h"

enum { PLACES = 6 };

static int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static cw_status
bad_weight(const char *text, size_t len, cw_error *err)
{
    return cwi_fail(err, CW_EINVAL,
                    "weight %n: expected a decimal from 0 to 1000000 with at "
                    "most 6 places, such as 2 or 0.5", text, len);
}

cw_status
cw_weight_parse(const char *text, size_t len, uint64_t *out, cw_error *err)
{
    uint64_t v = 0;
    size_t i = 0;
    unsigned places = 0;

    for (; i < len && is_digit(text[i]); i++) {
        v = v * 10 + (uint64_t)(text[i] - '0');
        if (v > CW_WEIGHT_MAX / CW_WEIGHT_ONE)
            return bad_weight(text, len, err);
    }
    if (i == 0)
        return bad_weight(text, len, err);
    if (i < len && text[i] == '.') {
        for (i++; i < len && is_digit(text[i]); i++) {
            /* "0.5000000" is the decimal 0.5: zeros past the sixth place
             * say nothing, other digits would be lost. */
            if (places == PLACES) {
                if (text[i] != '0')
                    return bad_weight(text, len, err);
                continue;
            }
            v = v * 10 + (uint64_t)(text[i] - '0');
            places++;
        }
        if (text[i - 1] == '.')
            return bad_weight(text, len, err);
    }
    for (; places < PLACES; places++)
        v *= 10;
    if (i != len || v > CW_WEIGHT_MAX)
        return bad_weight(text, len, err);
    *out = v;
    return CW_OK;
}

cw_status
cw_weight_from_double(double weight, uint64_t *out, cw_error *err)
{
    uint64_t v;

    /* The comparison is false for NaN as well. */
    if (!(weight >= 0.0 && weight <= 1000000.0))
        return cwi_fail(err, CW_EINVAL,
                        "weight: expected a number from 0 to 1000000");
    v = (uint64_t)(weight * 1000000.0 + 0.5);
    if ((double)v / 1000000.0 != weight)
        return cwi_fail(err, CW_EINVAL,
                        "weight: expected at most 6 decimal places; the "
                        "nearest are %w", v);
    *out = v;
    return CW_OK;
}
