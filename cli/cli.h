/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what the commands of `clockwise` share.
 *
 * A command is one file cmd_NAME.c that defines `const struct cmd cmd_NAME`,
 * and one row in cmd_rows.h.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/opt.h"
#include "base/out.h"

/* Exit status; clockwise(1) describes them. */
enum {
    CLI_DONE  = 0,
    CLI_NO    = 1,          /* the answer is no, or the input is wrong      */
    CLI_USAGE = 2,
    CLI_IO    = 3
};

/* Where a fleet comes from: a file, or the nodes of --nodes. */
struct cli_source {
    bool        is_inline;
    const char *text;
    const char *pool;       /* of a file with several; NULL: there is one   */
    const char *version;    /* of the program whose file it is, or NULL     */
    const char *format;     /* a row of conf_rows.h; NULL: by its content   */
    bool        quiet;      /* without warnings                             */
    bool        again;      /* read before: its warnings have been said     */
};

struct cli {
    const struct cmd  *cmd;
    struct opt         opt;
    struct out         out;
    struct cli_source *sources;     /* -f and --nodes in the order given    */
    int                source_count;
    const char       **pools;       /* --pool: of the first file, ...       */
    int                pool_count;
    const char        *version;     /* --program-version, or NULL           */
    const char       **sets;        /* --set                                */
    int                set_count;
    const char       **args;        /* arguments of the command             */
    int                arg_count;
    bool               json;
    bool               quiet;
    bool               stop;        /* cli_next() gave OPT_ERROR            */
    int                status;      /* the program's, then                  */
};

struct cmd {
    const char            *name;
    const char            *summary;     /* one line                         */
    const char            *usage;       /* "[-n COUNT] [KEY ...]"           */
    const char            *help;        /* its options, a line each         */
    const struct opt_spec *options;     /* ids from CLI_OWN on; may be NULL */
    bool                   takes_files; /* arguments are fleet files        */
    int                  (*run)(struct cli *c);
};

enum { CLI_KEYS = 100, CLI_OWN = 200 };

extern const struct opt_spec cli_common[];

/*
 * The next option of the command itself, or OPT_END; common options and
 * arguments are put into c. OPT_ERROR: the command returns c->status.
 */
int cli_next(struct cli *c);

/* The same for commands without options of their own: true to go on. */
bool cli_no_options(struct cli *c);

/* "clockwise: ..." on standard error. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void cli_say(const char *format, ...);

/* The same, and where help is; returns CLI_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_usage(struct cli *c, const char *format, ...);

/* Source i as one would write it again on a command line, with its pool and
 * its program's version. */
void cli_source_words(const struct cli *c, int i, struct buf *b);

/*
 * The one fleet of a command, to be repeated in the commands that a remedy
 * names: with its settings for both placements of a plan (--set), and for the
 * old one alone (--set-old), where the new one has options of its own.
 */
struct cli_words {
    struct buf both;
    struct buf old;
};

void cli_words(const struct cli *c, struct cli_words *out);
void cli_words_free(struct cli_words *w);

/* "cannot read FILE: why; ..."; returns CLI_IO. */
int cli_cannot_read(const char *path, int error);

/*
 * A file made of what a command found: open it, write to out, and close it.
 * Closing tells the command's status and says when the file, also one that
 * was not opened, is not complete; what names it ("the report").
 */
void cli_file_open(struct out *out, const char *path);
int cli_file_close(struct out *out, const char *path, const char *what);

/* A command's help, or all of them (cmd_help.c). */
void cli_help(struct out *out, const struct cmd *cmd);

/* "unknown command ...", with the nearest one; returns CLI_USAGE. */
int cli_unknown_command(struct cli *c, const char *name);

/* Commands by number (NULL past the end) and by name. */
const struct cmd *cmd_at(unsigned i);
const struct cmd *cmd_find(const char *name);

#endif
