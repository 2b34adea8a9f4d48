/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors.c - answers of other programs, and of the reference ring, against
 * the library. It knows no program: every folder of tests/golden with a
 * cases.tsv is run. README.md there describes the file; adding a program
 * adds data only.
 */
#include <dirent.h>

#include "compat/compat_hashes.h"
#include "compat/compat_jump.h"
#include "compat/compat_mcrouter.h"
#include "core/jump.h"
#include "harness.h"

#define ROOT "tests/golden"

enum { NODE_FIELDS = 6, PATH = 512 };

struct tally {
    unsigned cases, refused, waiting;
    size_t   answers, wrong;
};

/* ---- nodes of a case --------------------------------------------------- */

/* %HH to bytes, in place; returns the length. */
static size_t
decode(char *text)
{
    char *out = text;

    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '%') {
            char digits[3] = { at[1], at[1] != '\0' ? at[2] : '\0', '\0' };
            char *end;
            unsigned long value = strtoul(digits, &end, 16);

            CHECK(end == digits + 2, "bad escape in '%s'", text);
            *out++ = (char)(unsigned char)value;
            at += 2;
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
    return (size_t)(out - text);
}

static void
set_positions(cw_fleet *fleet, const char *name, size_t len, char *list)
{
    uint64_t at[256];
    uint32_t n = 0;

    while (*list != '\0') {
        char *end;

        CHECK(n < COUNT(at), "too many positions");
        at[n++] = strtoull(list, &end, 10);
        CHECK(end != list && (*end == ',' || *end == '\0'), "position '%s'",
              list);
        list = *end == ',' ? end + 1 : end;
    }
    CHECK_OK(cw_fleet_set_positions(fleet, name, len, at, n, NULL));
}

/* name|label|weight|address|zone|positions, all but the first optional. */
static void
add_node(cw_fleet *fleet, char *text)
{
    char *field[NODE_FIELDS] = { NULL };
    size_t len[NODE_FIELDS] = { 0 };
    uint64_t weight = CW_WEIGHT_ONE;
    cw_error err = { CW_OK, "" };

    for (int i = 0; i < NODE_FIELDS && text != NULL; i++) {
        char *end = strchr(text, '|');

        if (end != NULL)
            *end++ = '\0';
        field[i] = text;
        len[i] = decode(text);
        text = end;
    }
    if (len[2] > 0)
        CHECK_OK(cw_weight_parse(field[2], len[2], &weight, NULL));
    CHECK(cw_fleet_add(fleet, field[0], len[0], weight, &err) == CW_OK, "%s",
          err.text);
    if (len[1] > 0)
        CHECK_OK(cw_fleet_set_label(fleet, field[0], len[0], field[1], len[1],
                                    NULL));
    if (len[3] > 0)
        CHECK_OK(cw_fleet_set_address(fleet, field[0], len[0], field[3],
                                      len[3], NULL));
    if (len[4] > 0)
        CHECK_OK(cw_fleet_set_zone(fleet, field[0], len[0], field[4], len[4],
                                   NULL));
    if (len[5] > 0)
        set_positions(fleet, field[0], len[0], field[5]);
}

static cw_fleet *
read_nodes(const char *list)
{
    cw_fleet *fleet = cw_fleet_new(NULL);
    size_t len = strlen(list);
    char *copy = must_alloc(len + 1), *word = copy;

    memcpy(copy, list, len + 1);
    while (*word != '\0') {
        char *end = strchr(word, ' ');

        if (end != NULL)
            *end++ = '\0';
        else
            end = word + strlen(word);
        add_node(fleet, word);
        word = end;
    }
    free(copy);
    return fleet;
}

/* ---- one answer -------------------------------------------------------- */

static size_t
hex_key(const struct tsv_line *line, unsigned char *key, size_t room)
{
    size_t len = line->len[0] / 2;

    CHECK(len <= room, "key too long");
    for (size_t i = 0; i < len; i++) {
        char digits[3] = { line->field[0][2 * i], line->field[0][2 * i + 1],
                           '\0' };

        key[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return len;
}

/* The first column, by its title. */
static uint32_t
answer(const cw_map *map, const char *title, const struct tsv_line *line,
       uint32_t *out, uint32_t n)
{
    if (strcmp(title, "key") == 0)
        return cw_map_order(map, line->field[0], line->len[0], out, n);
    if (strcmp(title, "hexkey") == 0) {
        unsigned char key[1024];
        size_t len = hex_key(line, key, sizeof key);

        return cw_map_order(map, key, len, out, n);
    }
    if (strcmp(title, "hash") == 0)
        return cw_map_order_hash(map, strtoull(line->field[0], NULL, 10), out,
                                 n);
    CHECK(strcmp(title, "position") == 0, "unknown column '%s'", title);
    return cw_map_order_position(map, strtoull(line->field[0], NULL, 10), out,
                                 n);
}

/* The owner as a plain look-up gives it, which must begin every list. */
static uint32_t
plain_owner(const cw_map *map, const char *title, const struct tsv_line *line,
            uint32_t first)
{
    uint32_t owner = CW_NONE;

    if (strcmp(title, "key") == 0)
        CHECK_OK(cw_map_owner(map, line->field[0], line->len[0], &owner));
    else if (strcmp(title, "position") == 0)
        CHECK_OK(cw_map_owner_position(map,
                     strtoull(line->field[0], NULL, 10), &owner));
    else
        owner = first;
    return owner;
}

static int
right(const cw_map *map, const char *title, const struct tsv_line *line)
{
    uint32_t out[TSV_FIELDS] = { 0 };
    uint32_t want = line->count - 1;
    uint32_t n = answer(map, title, line, out, want);

    if (n != want || plain_owner(map, title, line, out[0]) != out[0])
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(node_name(map, out[i]), line->field[i + 1]) != 0)
            return 0;
    return 1;
}

/* Columns "key hash": what the row makes of a key, where the program answers
 * with a number and not with a node. */
static int
right_hash(const cw_map *map, const char *title, const struct tsv_line *line)
{
    unsigned char bytes[1024];
    const void *key = line->field[0];
    size_t len = line->len[0];
    uint64_t hash;

    if (strcmp(title, "hexkey") == 0) {
        len = hex_key(line, bytes, sizeof bytes);
        key = bytes;
    }
    CHECK_OK(cw_map_hash(map, key, len, &hash));
    return hash == strtoull(line->field[1], NULL, 10);
}

/* ---- functions of a number of buckets ---------------------------------- */

/*
 * Columns "hash buckets bucket" and "key bucket": jump and Ch3 over more
 * buckets than a fleet has nodes, so that the function is asked.
 */
static int
right_bucket(const char *placement, const struct tsv_line *line)
{
    uint64_t a = strtoull(line->field[0], NULL, 10), bucket;
    uint64_t b = strtoull(line->field[1], NULL, 10);

    if (strcmp(placement, "algorithm=jump") == 0)
        bucket = cwi_jump(a, (uint32_t)b);
    else if (strcmp(placement, "compat=jump-guava") == 0)
        bucket = cwi_jump_guava(a, (uint32_t)b);
    else
        return cwi_furc(cwi_murmur64a((const uint8_t *)line->field[0],
                                      line->len[0], CWI_MCROUTER_SEED),
                        CWI_MCROUTER_POOL_MAX) == b;
    return bucket == strtoull(line->field[2], NULL, 10);
}

static size_t
run_buckets(const char *placement, const char *path,
            const struct tsv *vectors)
{
    size_t wrong = 0;

    for (size_t i = 0; i < vectors->count; i++) {
        if (right_bucket(placement, &vectors->lines[i]))
            continue;
        if (wrong++ == 0)
            print_error("%s:%u: differs\n", path, vectors->lines[i].number);
    }
    return wrong;
}

/* ---- programs that are no placement ------------------------------------ */

/* Is the row refused with a reason? Then all its keys are on one node. */
static int
is_refused(const char *options)
{
    cw_placement *placement = cw_placement_new(NULL);
    cw_error err = { CW_OK, "" };
    int refused = placement_try(placement, options, &err) == CW_ENOTSUP;

    CHECK(!refused || strstr(err.text, "defective") != NULL, "%s: %s",
          options, err.text);
    cw_placement_free(placement);
    return refused;
}

static size_t
run_refused(const struct tsv *vectors)
{
    size_t other = 0;

    for (size_t i = 1; i < vectors->count; i++)
        other += strcmp(vectors->lines[i].field[1],
                        vectors->lines[0].field[1]) != 0;
    return other;
}

/* ---- cases ------------------------------------------------------------- */

/* Answers of a fleet that differ. */
static size_t
run_fleet(const struct tsv_line *line, const char *path,
          const struct tsv *vectors)
{
    char title[32] = "", second[32] = "";
    cw_fleet *fleet = read_nodes(line->field[2]);
    cw_placement *placement = placement_of(line->field[1]);
    cw_map *map = map_of(fleet, placement);
    size_t wrong = 0;

    CHECK(sscanf(line->field[4], "%31s %31s", title, second) == 2,
          "no columns");
    for (size_t i = 0; i < vectors->count; i++) {
        CHECK(vectors->lines[i].count >= 2, "%s:%u: no answer", path,
              vectors->lines[i].number);
        if (strcmp(second, "hash") == 0
                ? right_hash(map, title, &vectors->lines[i])
                : right(map, title, &vectors->lines[i]))
            continue;
        if (wrong++ == 0)
            print_error("%s:%u: %s '%s': not %s\n", path,
                        vectors->lines[i].number, title,
                        vectors->lines[i].field[0],
                        vectors->lines[i].field[1]);
    }
    cw_map_unref(map);
    cw_placement_free(placement);
    cw_fleet_free(fleet);
    return wrong;
}

static void
run_case(const char *folder, const struct tsv_line *line, struct tally *tally)
{
    char path[PATH];
    struct tsv vectors;
    size_t wrong;

    (void)snprintf(path, sizeof path, ROOT "/%s/%s", folder, line->field[3]);
    tsv_read(&vectors, path, 0);
    CHECK(vectors.count >= 10, "%s: only %zu lines", path, vectors.count);
    if (is_refused(line->field[1])) {
        wrong = run_refused(&vectors);
        tally->refused++;
    } else if (strstr(line->field[4], "bucket") != NULL) {
        wrong = run_buckets(line->field[1], path, &vectors);
    } else {
        wrong = run_fleet(line, path, &vectors);
    }
    tally->cases++;
    tally->answers += vectors.count;
    tally->wrong += wrong;
    if (wrong > 0)
        print_error("%s/%s: %zu of %zu differ\n", folder, line->field[0],
                    wrong, vectors.count);
    tsv_free(&vectors);
}

/* ---- folders ----------------------------------------------------------- */

static DIR *
open_folder(const char *name)
{
    char path[PATH];
    DIR *dir;

    (void)snprintf(path, sizeof path, "%s/" ROOT "/%s", CW_SOURCE_DIR, name);
    dir = opendir(path);
    return dir;
}

/* Every .tsv of the folder is named by a case: data nobody runs is no test. */
static void
no_file_is_left_over(const char *folder, const struct tsv *cases)
{
    DIR *dir = open_folder(folder);
    const struct dirent *entry;

    CHECK(dir != NULL, "cannot list %s", folder);
    while ((entry = readdir(dir)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        int named = 0;

        if (end == NULL || strcmp(end, ".tsv") != 0 ||
            strcmp(entry->d_name, "cases.tsv") == 0)
            continue;
        for (size_t i = 0; i < cases->count; i++)
            named |= strcmp(cases->lines[i].field[3], entry->d_name) == 0;
        CHECK(named, "%s/%s is in no case", folder, entry->d_name);
    }
    (void)closedir(dir);
}

static struct tally
run_folder(const char *folder)
{
    struct tally tally = { 0, 0, 0, 0, 0 };
    char path[PATH];
    struct tsv cases;

    (void)snprintf(path, sizeof path, ROOT "/%s/cases.tsv", folder);
    tsv_read(&cases, path, 1);
    CHECK(cases.count > 0, "%s: no case", path);
    for (size_t i = 0; i < cases.count; i++) {
        const struct tsv_line *line = &cases.lines[i];

        CHECK(line->count == 5, "%s:%u: %u fields, not 5", path, line->number,
              line->count);
        if (strcmp(line->field[1], "-") == 0)
            tally.waiting++;
        else
            run_case(folder, line, &tally);
    }
    no_file_is_left_over(folder, &cases);
    tsv_free(&cases);
    print_message("%-22s %3u cases %6zu keys  %zu differences", folder,
                  tally.cases, tally.answers, tally.wrong);
    if (tally.refused > 0)
        print_message("; defective: one node has all keys, and it is refused");
    if (tally.waiting > 0)
        print_message("; %u wait for their row", tally.waiting);
    print_message("\n");
    return tally;
}

static int
has_cases(const struct dirent *entry)
{
    char path[PATH];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/" ROOT "/%s/cases.tsv",
                   CW_SOURCE_DIR, entry->d_name);
    file = fopen(path, "r");
    if (file != NULL)
        (void)fclose(file);
    return file != NULL;
}

static void
every_answer_is_the_program_s_own(void **state)
{
    struct tally all = { 0, 0, 0, 0, 0 };
    struct dirent **folders;
    int n = scandir(CW_SOURCE_DIR "/" ROOT, &folders, has_cases, alphasort);

    (void)state;
    CHECK(n >= 0, "cannot list " ROOT);
    for (int i = 0; i < n; i++) {
        struct tally tally = run_folder(folders[i]->d_name);

        all.cases += tally.cases;
        all.answers += tally.answers;
        all.wrong += tally.wrong;
        free(folders[i]);
    }
    free(folders);
    print_message("%-22s %3u cases %6zu keys  %zu differences\n", "all",
                  all.cases, all.answers, all.wrong);
    CHECK(n >= 3 && all.answers > 10000, "%d folders, %zu answers", n,
          all.answers);
    CHECK(all.wrong == 0, "%zu of %zu answers differ", all.wrong,
          all.answers);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_answer_is_the_program_s_own),
    };

    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
