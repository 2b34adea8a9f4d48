/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

enum { FLEET = 1, NODES, POOL, PROGRAM, SET, JSON, QUIET, HELP, VERSION };

const struct opt_spec cli_common[] = {
    { 'f', "fleet",   "FILE",         FLEET },
    { 0,   "nodes",   "LIST",         NODES },
    { 0,   "pool",    "NAME",         POOL },
    { 0,   "program-version", "X.Y.Z", PROGRAM },
    { 0,   "set",     "OPTION=VALUE", SET },
    { 0,   "json",    NULL,           JSON },
    { 'q', "quiet",   NULL,           QUIET },
    { 'h', "help",    NULL,           HELP },
    { 'V', "version", NULL,           VERSION },
    { 0,   NULL,      NULL,           0 }
};

void
cli_say(const char *format, ...)
{
    struct buf b = { 0 };
    va_list args;

    buf_str(&b, "clockwise: ");
    va_start(args, format);
    buf_vprint(&b, format, args);
    va_end(args);
    buf_char(&b, '\n');
    fputs(b.data, stderr);
    buf_free(&b);
}

int
cli_usage(struct cli *c, const char *format, ...)
{
    struct buf b = { 0 };
    va_list args;

    va_start(args, format);
    buf_vprint(&b, format, args);
    va_end(args);
    if (c->cmd != NULL)
        cli_say("%s: %s; see: clockwise help %s", c->cmd->name, b.data,
                c->cmd->name);
    else
        cli_say("%s; see: clockwise --help", b.data);
    buf_free(&b);
    c->status = CLI_USAGE;
    return CLI_USAGE;
}

int
cli_cannot_read(const char *path, int error)
{
    cli_say("cannot read %s: %s; nothing more is taken from it",
            strcmp(path, "-") == 0 ? "standard input" : path,
            strerror(error));
    return CLI_IO;
}

void
cli_source_words(const struct cli *c, int i, struct buf *b)
{
    const struct cli_source *s = &c->sources[i];

    if (s->is_inline)
        buf_str(b, "--nodes ");
    str_shell(b, s->text, strlen(s->text));
    if (s->pool != NULL && !s->is_inline) {
        buf_str(b, " --pool ");
        str_shell(b, s->pool, strlen(s->pool));
    }
    if (s->version != NULL && i == 0) {
        buf_str(b, " --program-version ");
        str_shell(b, s->version, strlen(s->version));
    }
}

void
cli_words(const struct cli *c, struct cli_words *out)
{
    int i;

    memset(out, 0, sizeof *out);
    cli_source_words(c, 0, &out->both);
    buf_str(&out->old, out->both.data);
    for (i = 0; i < c->set_count; i++) {
        buf_str(&out->both, " --set ");
        str_shell(&out->both, c->sets[i], strlen(c->sets[i]));
        buf_str(&out->old, " --set-old ");
        str_shell(&out->old, c->sets[i], strlen(c->sets[i]));
    }
}

void
cli_words_free(struct cli_words *w)
{
    buf_free(&w->both);
    buf_free(&w->old);
}

void
cli_file_open(struct out *out, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    out_init(out, fd);
    if (fd < 0)
        out->error = errno;
}

int
cli_file_close(struct out *out, const char *path, const char *what)
{
    int fd = out->fd, error;

    error = out_close(out) ? 0 : out->error;
    if (fd >= 0 && close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0)
        return CLI_DONE;
    cli_say("cannot write %s: %s; %s is not complete", path, strerror(error),
            what);
    return CLI_IO;
}

static void
add_source(struct cli *c, bool is_inline, const char *text)
{
    c->sources = mem_resize(c->sources, (size_t)c->source_count + 1,
                            sizeof *c->sources);
    c->sources[c->source_count++] = (struct cli_source){
        .is_inline = is_inline, .text = text
    };
}

/* OPT_ERROR ends the command. */
static int
common_option(struct cli *c, int id)
{
    const char *value = c->opt.value;
    size_t len;

    switch (id) {
    case FLEET:
    case NODES:
        add_source(c, id == NODES, value);
        return id;
    case POOL:
        c->pools = mem_resize(c->pools, (size_t)c->pool_count + 1,
                              sizeof *c->pools);
        c->pools[c->pool_count++] = value;
        return id;
    case PROGRAM:
        c->version = value;
        return id;
    case SET:
        if (!str_assignment(value, &len)) {
            cli_usage(c, "--set %s: expected OPTION=VALUE", value);
            return OPT_ERROR;
        }
        c->sets = mem_resize(c->sets, (size_t)c->set_count + 1,
                             sizeof *c->sets);
        c->sets[c->set_count++] = value;
        return id;
    case JSON:
        c->json = true;
        return id;
    case QUIET:
        c->quiet = true;
        return id;
    case HELP:
        cli_help(&c->out, c->cmd);
        break;
    case VERSION:
        out_print(&c->out, "clockwise %s\n", CLOCKWISE_VERSION);
        break;
    default:
        break;
    }
    c->status = CLI_DONE;
    return OPT_ERROR;
}

/* What the options say of all files: the n-th --pool is of the n-th file,
 * the last one of all behind it. */
static void
complete_sources(struct cli *c)
{
    int i, pool;

    for (i = 0; i < c->source_count; i++) {
        pool = i < c->pool_count ? i : c->pool_count - 1;
        c->sources[i].pool = pool >= 0 ? c->pools[pool] : NULL;
        c->sources[i].version = c->version;
        c->sources[i].quiet = c->quiet;
    }
}

int
cli_next(struct cli *c)
{
    for (;;) {
        int id = opt_next(&c->opt);

        if (id == OPT_ERROR) {
            cli_usage(c, "%s", c->opt.error);
            c->stop = true;
            return id;
        }
        if (id == OPT_ARGUMENT) {
            if (c->cmd == NULL)
                return id;      /* main() looks for the command */
            if (c->cmd->takes_files) {
                add_source(c, false, c->opt.value);
                continue;
            }
            c->args = mem_resize(c->args, (size_t)c->arg_count + 1,
                                 sizeof *c->args);
            c->args[c->arg_count++] = c->opt.value;
        } else if (id == OPT_END || id >= CLI_KEYS) {
            if (id == OPT_END)
                complete_sources(c);
            return id;
        } else if (common_option(c, id) == OPT_ERROR) {
            c->stop = true;
            return OPT_ERROR;
        }
    }
}

bool
cli_no_options(struct cli *c)
{
    return cli_next(c) == OPT_END;
}
