/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_refused.c - programs that are known and are no placement: there is
 * nothing to agree with, and whoever names one is told why.
 */
#include <string.h>

#include "core/compat.h"

static const struct {
    const char *name;
    const char *why;
} refused[] = {
    { "npm-hash-ring",
      "npm's hash-ring is defective: it compares the key itself, not its "
      "hash, with the points, so one node gets every key. Use another row; "
      "npm's hashring is \"npm-hashring\"" },
};

const char *
cwi_compat_refused(const char *name)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (strcmp(refused[i].name, name) == 0)
            return refused[i].why;
    }
    return NULL;
}
