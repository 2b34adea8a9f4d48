/* SPDX-License-Identifier: Apache-2.0 */
/* evidence_args.c - the options of commands that read evidence. */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/evidence/evidence.h"

/* A log by field or expression is an access log, whatever it looks like. */
static void
as_log(struct evidence_args *a)
{
    if (a->format == NULL)
        a->format = evidence_find("access");
}

static int
regex(struct cli *c, struct evidence_args *a, const char *value)
{
    char why[160];
    int code;

    if (a->by_regex)
        regfree(&a->regex);
    code = regcomp(&a->regex, value, REG_EXTENDED);
    a->by_regex = code == 0;
    if (code != 0) {
        regerror(code, &a->regex, why, sizeof why);
        return cli_usage(c, "--regex %s: %s; expected a POSIX extended "
                         "expression, whose first group is the key", value,
                         why);
    }
    as_log(a);
    return CLI_DONE;
}

static int
number(struct cli *c, const char *option, const char *value, uint64_t most,
       unsigned *out)
{
    uint64_t n;

    if (!str_uint(value, strlen(value), most, &n) || n == 0)
        return cli_usage(c, "--%s %s: expected 1 to %u", option, value,
                         (unsigned)most);
    *out = (unsigned)n;
    return CLI_DONE;
}

int
evidence_option(struct cli *c, struct evidence_args *a, int id)
{
    const char *value = c->opt.value;

    switch (id) {
    case EVIDENCE_FORMAT:
        a->format = evidence_find(value);
        return a->format != NULL ? CLI_DONE
            : cli_usage(c, "--format %s: unknown; clockwise list evidence "
                        "names them", value);
    case EVIDENCE_FIELD:
        as_log(a);
        return number(c, "field", value, 1000, &a->field);
    case EVIDENCE_REGEX:
        return regex(c, a, value);
    default:
        if (a->port_count == sizeof a->ports / sizeof *a->ports)
            return cli_usage(c, "--port %s: at most %u ports", value,
                             a->port_count);
        return number(c, "port", value, 65535, &a->ports[a->port_count++]);
    }
}

void
evidence_args_free(struct evidence_args *a)
{
    if (a->by_regex)
        regfree(&a->regex);
    a->by_regex = false;
}
