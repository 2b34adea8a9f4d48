/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness_file.c - files of the source folder, whole or as fields.
 */
#include "harness.h"

#ifndef CW_SOURCE_DIR
#error "CW_SOURCE_DIR must name the source folder"
#endif

char *
file_read(const char *path, size_t *len)
{
    char full[1024];
    size_t room = 1 << 16;
    char *bytes = must_alloc(room);
    FILE *file;

    CHECK((size_t)snprintf(full, sizeof full, "%s/%s", CW_SOURCE_DIR, path) <
          sizeof full, "path too long: %s", path);
    file = fopen(full, "rb");
    CHECK(file != NULL, "cannot open %s", full);
    for (*len = 0;;) {
        size_t n = fread(bytes + *len, 1, room - *len - 1, file);

        if (n == 0)
            break;
        *len += n;
        if (room - *len > 1)
            continue;
        room *= 2;
        bytes = realloc(bytes, room);
        CHECK(bytes != NULL, "no memory");
    }
    CHECK(!ferror(file), "cannot read %s", full);
    (void)fclose(file);
    bytes[*len] = '\0';
    return bytes;
}

static void
split(struct tsv_line *line, char *at, const char *path)
{
    line->count = 0;
    for (;;) {
        char *end = strchr(at, '\t');

        CHECK(line->count < TSV_FIELDS, "%s:%u: too many fields", path,
              line->number);
        if (end != NULL)
            *end = '\0';
        line->field[line->count] = at;
        line->len[line->count++] = strlen(at);
        if (end == NULL)
            return;
        at = end + 1;
    }
}

void
tsv_read(struct tsv *tsv, const char *path, int comments)
{
    size_t len, lines = 0;
    unsigned number = 0;
    char *at;

    tsv->bytes = file_read(path, &len);
    CHECK(len > 0 && tsv->bytes[len - 1] == '\n' &&
          strlen(tsv->bytes) == len, "%s: not a file of lines", path);
    for (size_t i = 0; i < len; i++)
        lines += tsv->bytes[i] == '\n';
    tsv->lines = must_alloc(lines * sizeof *tsv->lines);
    tsv->count = 0;
    for (at = tsv->bytes; *at != '\0';) {
        char *end = strchr(at, '\n');
        struct tsv_line *line = &tsv->lines[tsv->count];

        *end = '\0';
        line->number = ++number;
        if (!comments || *at != '#') {
            split(line, at, path);
            tsv->count++;
        }
        at = end + 1;
    }
}

void
tsv_free(struct tsv *tsv)
{
    free(tsv->lines);
    free(tsv->bytes);
}
