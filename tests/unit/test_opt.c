/* SPDX-License-Identifier: Apache-2.0 */
/* test_opt.c - command lines, word by word. */
#include "base/opt.h"
#include "harness.h"

static const struct opt_spec own[] = {
    { 'n', "count", "COUNT", 1 },
    { '0', "null",  NULL,    2 },
    { 0,   "sets",  "X",     3 },
    { 0,   NULL,    NULL,    0 }
};

static const struct opt_spec common[] = {
    { 'q', "quiet",  NULL, 4 },
    { 0,   "set",    "X",  5 },
    { 0,   "colour", NULL, 6 },
    { 0,   NULL,     NULL, 0 }
};

/* What opt_next() gives, as "id=value" and "value" with blanks between; an
 * error ends it as "!text". */
static void
parse(char *line, char *out, size_t room)
{
    char *argv[16] = { line };
    struct opt o;
    int argc = 1, id;
    char *word;

    for (word = strtok(line, " "); word != NULL && argc < 16;
         word = strtok(NULL, " "))
        argv[argc++] = word;
    opt_init(&o, argc, argv, 1, own, common);
    *out = '\0';
    do {
        size_t used = strlen(out);

        id = opt_next(&o);
        if (id == OPT_ERROR)
            snprintf(out + used, room - used, "!%s", o.error);
        else if (id == OPT_ARGUMENT)
            snprintf(out + used, room - used, "%s ", o.value);
        else if (id != OPT_END)
            snprintf(out + used, room - used, "%d%s%s ", id,
                     o.value ? "=" : "", o.value ? o.value : "");
    } while (id != OPT_END && id != OPT_ERROR);
}

static const struct {
    const char *line;
    const char *want;
} cases[] = {
    { "a b", "a b " },
    { "-n 3 a", "1=3 a " },
    { "-n3 a", "1=3 a " },
    { "a -n 3", "a 1=3 " },
    { "--count=3 --count 4", "1=3 1=4 " },
    { "--count= x", "1= x " },
    { "-0q -q0n7", "2 4 4 2 1=7 " },
    { "-0n -q", "2 1=-q " },
    { "-", "- " },
    { "-- -n --count", "-n --count " },
    { "a -- --", "a -- " },
    { "--cou 3 --col", "1=3 6 " },
    { "--set x --sets y", "5=x 3=y " },
    { "--co 3", "!option --co is short for several; write it out" },
    { "-n", "!option -n needs a value: COUNT" },
    { "--count", "!option --count needs a value: COUNT" },
    { "--null=1", "!option --null takes no value" },
    { "-x", "!unknown option -x" },
    { "-0x", "2 !unknown option -x" },
    { "--nul1", "!unknown option --nul1; did you mean --null?" },
    { "--zzzzzz", "!unknown option --zzzzzz" },
    { "--=x", "!unknown option --" },
};

static void
command_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char line[80], got[256];

        snprintf(line, sizeof line, "%s", cases[i].line);
        parse(line, got, sizeof got);
        CHECK(strcmp(got, cases[i].want) == 0, "%s: \"%s\", not \"%s\"",
              cases[i].line, got, cases[i].want);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = { TEST(command_lines) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
