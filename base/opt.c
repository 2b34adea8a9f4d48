/* SPDX-License-Identifier: Apache-2.0 */
#include "base/opt.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

void
opt_init(struct opt *o, int argc, char **argv, int first,
         const struct opt_spec *a, const struct opt_spec *b)
{
    memset(o, 0, sizeof *o);
    o->tables[0] = a;
    o->tables[1] = b;
    o->argc = argc;
    o->argv = argv;
    o->at = first;
}

/* The value of option `shown`: here (rest of its word) or the next word. */
static int
take_value(struct opt *o, const struct opt_spec *spec, const char *here,
           const char *shown)
{
    if (here != NULL) {
        o->value = here;
        return spec->id;
    }
    if (o->at >= o->argc) {
        snprintf(o->error, sizeof o->error, "option %.40s needs a value: %s",
                 shown, spec->value);
        return OPT_ERROR;
    }
    o->value = o->argv[o->at++];
    return spec->id;
}

static int
unknown_option(struct opt *o, const char *word, size_t len)
{
    struct str_nearest near;
    struct buf text = { 0 };
    unsigned t;

    str_nearest_init(&near, word, len);
    for (t = 0; t < 2; t++) {
        const struct opt_spec *s = o->tables[t];

        for (; s != NULL && s->name != NULL; s++)
            str_nearest_try(&near, s->name);
    }
    str_escape(&text, word, len, 60);
    if (near.best != NULL)
        snprintf(o->error, sizeof o->error,
                 "unknown option --%s; did you mean --%s?", text.data,
                 near.best);
    else
        snprintf(o->error, sizeof o->error, "unknown option --%s",
                 text.len ? text.data : "");
    buf_free(&text);
    return OPT_ERROR;
}

static int
long_option(struct opt *o, const char *word)
{
    const char *eq = strchr(word, '=');
    size_t len = eq ? (size_t)(eq - word) : strlen(word);
    const struct opt_spec *found = NULL;
    unsigned t, fits = 0;

    for (t = 0; t < 2; t++) {
        const struct opt_spec *s = o->tables[t];

        for (; s != NULL && s->name != NULL; s++) {
            if (len == 0 || strncmp(s->name, word, len) != 0)
                continue;
            if (s->name[len] == '\0') {
                found = s;
                fits = 1;
                t = 2;
                break;
            }
            found = s;
            fits++;
        }
    }
    if (fits == 0)
        return unknown_option(o, word, len);
    if (fits > 1) {
        snprintf(o->error, sizeof o->error,
                 "option --%.40s is short for several; write it out", word);
        return OPT_ERROR;
    }
    if (found->value != NULL)
        return take_value(o, found, eq ? eq + 1 : NULL, o->argv[o->at - 1]);
    if (eq != NULL) {
        snprintf(o->error, sizeof o->error, "option --%s takes no value",
                 found->name);
        return OPT_ERROR;
    }
    return found->id;
}

static int
short_option(struct opt *o)
{
    char letter = *o->joined++;
    char shown[3] = { '-', letter, '\0' };
    unsigned t;

    for (t = 0; t < 2; t++) {
        const struct opt_spec *s = o->tables[t];

        for (; s != NULL && s->name != NULL; s++) {
            const char *here = o->joined;

            if (s->letter != letter)
                continue;
            if (s->value == NULL)
                return s->id;
            o->joined = NULL;
            return take_value(o, s, *here ? here : NULL, shown);
        }
    }
    if (letter > ' ' && letter < 127)
        snprintf(o->error, sizeof o->error, "unknown option -%c", letter);
    else
        snprintf(o->error, sizeof o->error, "unknown option -\\x%02x",
                 (unsigned)(unsigned char)letter);
    return OPT_ERROR;
}

int
opt_next(struct opt *o)
{
    const char *word;

    o->value = NULL;
    if (o->joined != NULL && *o->joined != '\0')
        return short_option(o);
    o->joined = NULL;
    if (o->at >= o->argc)
        return OPT_END;
    word = o->argv[o->at++];
    if (!o->ended && word[0] == '-' && word[1] != '\0') {
        if (word[1] != '-') {
            o->joined = word + 1;
            return short_option(o);
        }
        if (word[2] != '\0')
            return long_option(o, word + 2);
        o->ended = true;
        return opt_next(o);
    }
    o->value = word;
    return OPT_ARGUMENT;
}
