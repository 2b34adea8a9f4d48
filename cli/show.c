/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
