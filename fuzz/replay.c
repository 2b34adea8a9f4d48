/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - run a fuzz target over its corpus without a fuzzer.
 *
 *     fuzz_NAME CORPUS...
 *
 * Each argument is a file or a folder of files. Every input is run as it is,
 * then cut short at each of some places and with some bytes changed, so that
 * a corpus of a few inputs still reaches the error paths. All changes come
 * from a generator with a fixed seed: two runs do the same.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    INPUT_MOST = 1 << 20,    /* bytes                         */
    CUTS = 32,              /* shortened copies of an input  */
    CHANGES = 64            /* changed copies of an input    */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t
next_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A copy of its own, so that a read past the end is seen by a sanitizer. */
static void
run_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = calloc(size ? size : 1, 1);

    if (!copy) {
        fprintf(stderr, "replay: no memory for %zu bytes\n", size);
        exit(1);
    }
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void
run_changed(uint8_t *data, size_t size)
{
    uint64_t seed = size;

    for (size_t i = 0; i < CUTS && i < size; i++)
        run_copy(data, size <= CUTS ? i : size * i / CUTS);
    for (int i = 0; i < CHANGES && size; i++) {
        size_t at = (size_t)(next_random(&seed) % size);
        uint8_t old = data[at];

        data[at] = i & 1 ? (uint8_t)(old ^ 1u << (i / 2 & 7))
                         : (uint8_t)next_random(&seed);
        run_copy(data, size);
        data[at] = old;
    }
}

static int
run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data;
    size_t size;

    if (!f) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    data = malloc(INPUT_MOST);
    if (!data) {
        fprintf(stderr, "replay: no memory\n");
        exit(1);
    }
    size = fread(data, 1, INPUT_MOST, f);
    fclose(f);
    fprintf(stderr, "replay: %s (%zu bytes)\n", path, size);
    run_copy(data, size);
    run_changed(data, size);
    free(data);
    return 1;
}

static int
run_path(const char *path)
{
    struct dirent **entry;
    struct stat st;
    int n, count = 0;

    if (stat(path, &st)) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    if (!S_ISDIR(st.st_mode))
        return run_file(path);
    n = scandir(path, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char name[4096];

        snprintf(name, sizeof(name), "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            count += run_path(name);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return count;
}

int
main(int argc, char **argv)
{
    int count = 0;

    run_copy(NULL, 0);
    for (int i = 1; i < argc; i++)
        count += run_path(argv[i]);
    if (!count) {
        fprintf(stderr, "replay: the corpus is empty; expected at least one "
                "file in it\n");
        return 1;
    }
    printf("%d inputs and their variations\n", count);
    return 0;
}
