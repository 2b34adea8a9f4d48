/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_claims.c - the claims of text-books, measured now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "cli/claims/claims.h"
#include "cli/cli.h"

/* Columns of tests/claims/claims.tsv. The last two are for the test alone:
 * what was measured when the table was written, and the verdict. */
enum { ID, CLAIM, SCOPE, EXPECTED, LOW, HIGH, DECIMALS, COLUMNS };

struct row {
    char *column[COLUMNS];
    char  measured[96];
    bool  within;
};

static const struct claim_row *
find_row(const char *id)
{
    static const struct claim_row *const tables[] = {
        claims_text_rings, claims_moves, claims_spreads
    };
    const struct claim_row *row;
    size_t t;

    for (t = 0; t < sizeof tables / sizeof *tables; t++)
        for (row = tables[t]; row->id != NULL; row++)
            if (strcmp(row->id, id) == 0)
                return row;
    return NULL;
}

/* Measure, round as the table says, compare. A row with LOW "=" compares
 * text. */
static void
measure(const struct claim_row *found, struct row *row)
{
    struct measured m = { 0, "" };

    found->measure(&m, found->variant);
    if (m.text[0] != '\0')
        snprintf(row->measured, sizeof row->measured, "%s", m.text);
    else
        snprintf(row->measured, sizeof row->measured, "%.*f",
                 atoi(row->column[DECIMALS]), m.value);
    if (strcmp(row->column[LOW], "=") == 0)
        row->within = strcmp(row->measured, row->column[EXPECTED]) == 0;
    else
        row->within = m.value >= strtod(row->column[LOW], NULL)
            && m.value <= strtod(row->column[HIGH], NULL);
}

static const char *
verdict(const struct row *row)
{
    if (!row->within)
        return "does not hold";
    return strcmp(row->column[SCOPE], "hash") == 0 ? "holds for this hash"
                                                   : "holds";
}

static void
print_row(struct cli *c, const struct row *row)
{
    struct json j = { &c->out, false };

    if (!c->json) {
        out_print(&c->out, "%s\t%s\t%s\t%s\t%s\n", row->column[ID],
                  row->column[EXPECTED], row->measured, verdict(row),
                  row->column[CLAIM]);
        return;
    }
    json_open(&j, '{');
    json_pair(&j, "id", row->column[ID], strlen(row->column[ID]));
    json_pair(&j, "claim", row->column[CLAIM], strlen(row->column[CLAIM]));
    json_pair(&j, "expected", row->column[EXPECTED],
              strlen(row->column[EXPECTED]));
    json_pair(&j, "measured", row->measured, strlen(row->measured));
    json_pair(&j, "verdict", verdict(row), strlen(verdict(row)));
    json_close(&j, '}');
    json_end(&j, '\n');
}

/* A line of the table, cut in place; CLI_NO when it is none of ours. */
static int
claim(struct cli *c, char *line)
{
    const struct claim_row *found;
    struct row row;
    int i;

    for (i = 0; i < COLUMNS; i++) {
        row.column[i] = line;
        line = strchr(line, '\t');
        if (line == NULL)
            break;
        *line++ = '\0';
    }
    found = i == COLUMNS ? find_row(row.column[ID]) : NULL;
    if (found == NULL) {
        cli_say("claims: nothing measures \"%s\"", row.column[ID]);
        return CLI_NO;
    }
    measure(found, &row);
    print_row(c, &row);
    return CLI_DONE;
}

static int
run(struct cli *c)
{
    struct buf table = { 0 };
    char *line, *rest = NULL;
    int status = CLI_DONE, one;

    if (!cli_no_options(c))
        return c->status;
    if (c->arg_count > 0)
        return cli_usage(c, "unexpected argument \"%s\"", c->args[0]);
    if (!c->json && !c->quiet)
        out_str(&c->out, "# id\texpected\tmeasured\tverdict\tclaim\n");
    buf_add(&table, claims_data, claims_data_len);
    for (line = strtok_r(table.data, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        one = claim(c, line);
        status = one > status ? one : status;
    }
    buf_free(&table);
    return status;
}

const struct cmd cmd_claims = {
    "claims", "measure what text-books say of consistent hashing",
    "",
    "  A row a claim: id, what is expected, what was measured just now, "
    "verdict\n"
    "  (holds, holds for this hash, does not hold), the claim. Exits 0 "
    "whatever the\n"
    "  verdicts.\n",
    NULL, false, run
};
