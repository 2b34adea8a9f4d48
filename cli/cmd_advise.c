/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_advise.c - the design checklist of a hashed fleet, measured. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/advise/advise.h"

enum { REPLICAS = CLI_OWN, BATCH = 256 };

static const struct opt_spec options[] = {
    { 'k', "keys",     "FILE",  CLI_KEYS },
    { 'r', "replicas", "COUNT", REPLICAS },
    { 0,   NULL,       NULL,    0 }
};

struct args {
    struct cli   *c;
    const char   *keys;
    struct advise a;
};

static void
take_key(struct advise *a, const struct lines_record *r, uint64_t requests,
         size_t len)
{
    struct advise_keys *k = &a->keys;
    struct buf name = { 0 };
    uint64_t hash;
    uint32_t owner = 0;

    k->keys++;
    k->requests += requests;
    if (cw_map_owner(a->fleet->map, r->data, len, &owner) == CW_OK)
        k->of_node[owner] += requests;
    if (cw_map_hash(a->fleet->map, r->data, len, &hash) == CW_OK) {
        double turn = (double)cw_map_position(a->fleet->map, hash)
                      / ((double)cw_map_top(a->fleet->map) + 1);

        k->parts[(unsigned)(turn * 64) % 64]++;
    }
    if (requests > k->hottest) {
        k->hottest = requests;
        str_escape(&name, r->data, len, 60);
        mem_free(k->hottest_key);
        if (name.data == NULL)
            buf_str(&name, "");
        k->hottest_key = name.data;
        k->hottest_node = owner;
    }
}

/* Lines of key or key TAB requests. */
static int
read_keys(struct args *x)
{
    struct advise *a = &x->a;
    int fd = file_open(x->keys);
    struct lines_record record[BATCH];
    struct lines lines;
    size_t n = cw_map_count(a->fleet->map), got, i;
    int status = CLI_DONE;

    if (fd < 0)
        return cli_cannot_read(x->keys, errno);
    a->keys.given = true;
    a->keys.of_node = mem_alloc(n ? n : 1, sizeof *a->keys.of_node);
    memset(a->keys.of_node, 0, n * sizeof *a->keys.of_node);
    lines_init(&lines, fd, '\n');
    while (status == CLI_DONE
           && (got = lines_next(&lines, record, BATCH)) > 0) {
        for (i = 0; i < got && status == CLI_DONE; i++) {
            const char *tab = memchr(record[i].data, '\t', record[i].len);
            size_t len = tab ? (size_t)(tab - record[i].data)
                             : record[i].len, digits;
            uint64_t requests = 1;

            digits = tab ? strcspn(tab + 1, "\t\n") : 0;
            digits = digits > record[i].len - len ? record[i].len - len - 1
                                                  : digits;
            if (tab && !str_uint(tab + 1, digits, UINT64_MAX, &requests)) {
                cli_say("%s: line %llu: expected key or key TAB requests; "
                        "stopped", x->keys,
                        (unsigned long long)a->keys.keys + 1);
                status = CLI_NO;
            } else {
                take_key(a, &record[i], requests, len);
            }
        }
    }
    if (lines.error != 0)
        status = cli_cannot_read(x->keys, lines.error);
    lines_free(&lines);
    if (fd != STDIN_FILENO)
        close(fd);
    return status;
}

static const char *
word(enum verdict v)
{
    static const char *const words[] = { "pass", "warn", "fail", "unknown" };

    return words[v];
}

static void
print(struct cli *c, struct json *j, const struct advise_check *check,
      struct finding *f)
{
    const char *remedy = f->remedy.data ? f->remedy.data : "";

    if (c->json) {
        json_open(j, '{');
        json_pair(j, "check", check->id, strlen(check->id));
        json_pair(j, "question", check->question, strlen(check->question));
        json_pair(j, "verdict", word(f->verdict), strlen(word(f->verdict)));
        json_pair(j, "figure", f->figure.data, f->figure.len);
        json_pair(j, "remedy", remedy, strlen(remedy));
        json_close(j, '}');
        return;
    }
    out_print(&c->out, "%s\t%s\t%s\n", word(f->verdict), check->id,
              f->figure.data);
    if (*remedy && !c->quiet)
        out_print(&c->out, "\t\t%s: %s\n", f->verdict == UNKNOWN
                  ? "to measure" : "remedy", remedy);
}

static int
run_checks(struct args *x)
{
    struct cli *c = x->c;
    struct json j = { &c->out, false };
    int count[4] = { 0 };
    size_t i;

    if (c->json) {
        json_open(&j, '{');
        json_key(&j, "checks");
        json_open(&j, '[');
    }
    for (i = 0; i < advise_check_count; i++) {
        struct finding f = { .verdict = PASS };

        advise_checks[i].run(&x->a, &f);
        count[f.verdict]++;
        print(c, &j, &advise_checks[i], &f);
        buf_free(&f.figure);
        buf_free(&f.remedy);
    }
    if (c->json) {
        json_close(&j, ']');
        json_close(&j, '}');
        json_end(&j, '\n');
    } else if (!c->quiet) {
        out_print(&c->out, "# %d pass, %d warn, %d fail, %d unknown\n",
                  count[PASS], count[WARN], count[FAIL], count[UNKNOWN]);
    }
    return count[FAIL] > 0 ? CLI_NO : CLI_DONE;
}

static int
read_options(struct args *x)
{
    struct cli *c = x->c;
    uint64_t n;
    int id;

    while ((id = cli_next(c)) != OPT_END) {
        if (id == OPT_ERROR)
            return c->status;
        if (id == CLI_KEYS)
            x->keys = c->opt.value;
        else if (str_uint(c->opt.value, strlen(c->opt.value), 1000, &n)
                 && n > 0)
            x->a.replicas = (uint32_t)n;
        else
            return cli_usage(c, "--replicas %s: expected 1 to 1000",
                             c->opt.value);
    }
    if (c->source_count == 0)
        return cli_usage(c, "no fleet is given; expected FLEET [OTHER ...]");
    return CLI_DONE;
}

static int
advise(struct args *x, struct loaded *fleets, int count)
{
    struct advise *a = &x->a;
    struct cli_words words;
    int status = CLI_DONE;

    cli_words(x->c, &words);
    a->words = words.both.data;
    a->old_words = words.old.data;
    a->fleet = &fleets[0];
    a->others = fleets + 1;
    a->other_count = count - 1;
    cw_map_row(fleets[0].map, &a->row);
    advise_losses(&fleets[0], &a->losses);
    if (cw_shares_new(fleets[0].map, &a->shares) != CW_OK)
        mem_fail();
    if (x->keys != NULL)
        status = read_keys(x);
    if (status == CLI_DONE)
        status = run_checks(x);
    cw_shares_free(a->shares);
    mem_free(a->keys.of_node);
    mem_free(a->keys.hottest_key);
    cli_words_free(&words);
    return status;
}

static int
run(struct cli *c)
{
    struct args x = { .c = c };
    struct load_sets none = { NULL, 0 };
    struct loaded *fleets;
    int status = read_options(&x), n = 0, i;
    struct load_sets sets = { c->sets, c->set_count };

    if (status != CLI_DONE || c->stop)
        return c->status;
    fleets = mem_alloc((size_t)c->source_count, sizeof *fleets);
    while (n < c->source_count && status == CLI_DONE)
        if ((status = load_source(&c->sources[n], sets, none, &fleets[n]))
            == CLI_DONE)
            n++;
    if (status == CLI_DONE)
        status = advise(&x, fleets, n);
    for (i = 0; i < n; i++)
        load_free(&fleets[i]);
    mem_free(fleets);
    return status;
}

const struct cmd cmd_advise = {
    "advise", "go through the design checklist of a hashed fleet",
    "[-k FILE] [-r COPIES] FLEET [OTHER ...]",
    "  A row a check: pass, warn, fail, or unknown with the command that "
    "would\n"
    "  measure it; never pass without a measurement. Exits 1 when one fails.\n"
    "  -k, --keys FILE  keys in use: key, or key TAB requests\n"
    "  -r, --replicas COPIES  copies that are kept of a key\n"
    "  OTHER          the fleet files of other clients\n",
    options, true, run
};
