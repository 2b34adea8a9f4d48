/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hash.c - every row of lib/hash, by loops over the table: a new row is
 * tested the day it appears, and fails without tests/golden/hash/NAME.txt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../lib/core/hash.h"

#ifndef CW_TEST_DIR
#error "define CW_TEST_DIR as the absolute path of tests/, in quotes"
#endif

#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define LEN_MAX     5000u   /* longest input of a golden file, bytes */
#define GOLDEN_MIN  300u    /* a file with fewer lines is cut short  */

/* Key 00 01 .. 0f, the one of the published SipHash table. */
static const struct cwi_hash_key test_key = {
    UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)
};

static uint64_t
hash_of(const struct cwi_hash_ops *ops, const void *data, size_t len)
{
    return ops->hash(data, len, &test_key);
}

static const struct cwi_hash_ops *
row(const char *name)
{
    const struct cwi_hash_ops *ops = cwi_hash_find(name, strlen(name));

    if (ops == NULL)
        fail_msg("no row %s", name);
    return ops;
}

/* Byte i of the inputs written @N; the same as in tests/ref/hash_golden.py. */
static void
pattern(uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(i * 131 + (i >> 8) * 7 + 17);
}

/* Bytes of a hex string of n digits; fails the test on any other character. */
static size_t
from_hex(const char *hex, size_t n, uint8_t *out)
{
    assert_true(n % 2 == 0 && n / 2 <= LEN_MAX);
    for (size_t i = 0; i < n; i += 2) {
        char two[3] = { hex[i], hex[i + 1], 0 };
        char *end;

        out[i / 2] = (uint8_t)strtoul(two, &end, 16);
        assert_ptr_equal(end, two + 2);
    }
    return n / 2;
}

static void
rows_are_sound_sorted_and_unique(void **state)
{
    (void)state;
    assert_true(cwi_hash_count() > 0);
    assert_null(cwi_hash_at(cwi_hash_count()));
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);

        assert_non_null(ops->hash);
        assert_true(strlen(ops->name) > 0);
        assert_int_equal(strspn(ops->name, "abcdefghijklmnopqrstuvwxyz"
                                           "0123456789_"), strlen(ops->name));
        assert_true(strlen(ops->summary) > 0 && strlen(ops->summary) < 70);
        assert_true(strlen(ops->source) > 0);
        assert_true(ops->bits == 32 || ops->bits == 64);
        assert_true((ops->traits | CWI_HASH_KEYED | CWI_HASH_WEAK) ==
                    (CWI_HASH_KEYED | CWI_HASH_WEAK));
        assert_true(ops->digest_len <= CWI_DIGEST_MAX);
        assert_true((ops->digest != NULL) == (ops->digest_len > 0));
        if (i > 0 && strcmp(cwi_hash_at(i - 1)->name, ops->name) >= 0)
            fail_msg("%s does not come after %s", ops->name,
                     cwi_hash_at(i - 1)->name);
    }
}

static void
find_takes_whole_names_only(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);
        size_t len = strlen(ops->name);
        char upper[64];

        assert_ptr_equal(cwi_hash_find(ops->name, len), ops);
        assert_ptr_not_equal(cwi_hash_find(ops->name, len - 1), ops);
        assert_null(cwi_hash_find(ops->name, len + 1));
        memcpy(upper, ops->name, len);
        upper[0] = (char)(upper[0] - 'a' + 'A');
        assert_null(cwi_hash_find(upper, len));
    }
    assert_null(cwi_hash_find("", 0));
    assert_null(cwi_hash_find("xxh46", 5));
}

/* One line of a golden file: input TAB value [TAB digest]. */
static void
check_golden_line(const struct cwi_hash_ops *ops, char *line)
{
    static uint8_t input[LEN_MAX];
    uint8_t want[LEN_MAX], got[CWI_DIGEST_MAX];
    char *tab = strchr(line, '\t');
    char *end;
    size_t len;
    uint64_t value;

    line[strcspn(line, "\n")] = 0;
    if (tab == NULL)
        fail_msg("%s.txt: no tab in: %s", ops->name, line);
    if (line[0] == '@') {
        len = strtoul(line + 1, &end, 10);
        assert_true(end == tab && len <= LEN_MAX);
        pattern(input, len);
    } else {
        len = from_hex(line, (size_t)(tab - line), input);
    }
    value = strtoull(tab + 1, &end, 16);
    assert_int_equal(end - (tab + 1), ops->bits / 4);
    if (hash_of(ops, input, len) != value)
        fail_msg("%s: got %0*llx, want: %s", ops->name, (int)ops->bits / 4,
                 (unsigned long long)hash_of(ops, input, len), line);
    if (ops->digest_len == 0) {
        assert_int_equal(*end, 0);
        return;
    }
    assert_int_equal(*end, '\t');
    assert_int_equal(from_hex(end + 1, strlen(end + 1), want),
                     ops->digest_len);
    ops->digest(input, len, got);
    if (memcmp(got, want, ops->digest_len) != 0)
        fail_msg("%s: wrong digest, want: %s", ops->name, line);
}

static void
every_row_gives_its_golden_values(void **state)
{
    static char line[2 * LEN_MAX];

    (void)state;
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);
        unsigned lines = 0;
        char path[1024];
        FILE *f;

        snprintf(path, sizeof path, "%s/golden/hash/%s.txt", CW_TEST_DIR,
                 ops->name);
        f = fopen(path, "r");
        if (f == NULL)
            fail_msg("%s: cannot open %s", ops->name, path);
        if (fgets(line, sizeof line, f) == NULL || line[0] != '#')
            fail_msg("%s: the first line must be # and the origin", path);
        while (fgets(line, sizeof line, f) != NULL) {
            check_golden_line(ops, line);
            lines++;
        }
        fclose(f);
        if (lines < GOLDEN_MIN)
            fail_msg("%s: only %u lines", path, lines);
    }
}

/* Printed by the authors of the functions, not computed by us. */
static const struct {
    const char *name, *input;
    uint64_t    value;
} published[] = {
    /* catalogue of parametrised CRC algorithms, CRC-32/ISO-HDLC, check */
    { "crc32", "123456789", 0xcbf43926 },
    /* draft-eastlake-fnv; test_fnv.c of Landon Curt Noll */
    { "fnv1_32",  "",       0x811c9dc5 },
    { "fnv1_32",  "a",      0x050c5d7e },
    { "fnv1_32",  "foobar", 0x31f0b262 },
    { "fnv1_64",  "",       UINT64_C(0xcbf29ce484222325) },
    { "fnv1_64",  "a",      UINT64_C(0xaf63bd4c8601b7be) },
    { "fnv1_64",  "foobar", UINT64_C(0x340d8765a4dda9c2) },
    { "fnv1a_32", "",       0x811c9dc5 },
    { "fnv1a_32", "a",      0xe40c292c },
    { "fnv1a_32", "foobar", 0xbf9cf968 },
    { "fnv1a_64", "",       UINT64_C(0xcbf29ce484222325) },
    { "fnv1a_64", "a",      UINT64_C(0xaf63dc4c8601ec8c) },
    { "fnv1a_64", "foobar", UINT64_C(0x85944171f73967e8) },
    /* RFC 1321, A.5: 900150983cd24fb0 d6963f7d28e17f72 */
    { "md5", "abc", UINT64_C(0xb04fd23c98500190) },
    { "md5", "",    UINT64_C(0x04b2008fd98c1dd4) },
    /* FIPS 180-2, A.1: a9993e36 4706816a ba3e2571 7850c26c 9cd0d89d */
    { "sha1", "abc", UINT64_C(0xa9993e364706816a) },
    { "sha1", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      UINT64_C(0x84983e441c3bd26e) },
    { "murmur3_32",  "", 0 },
    { "murmur3_128", "", 0 },
    /* xxHash, tests/sanity_test */
    { "xxh64", "", UINT64_C(0xef46db3751d8e999) },
    { "xxh3",  "", UINT64_C(0x2d06800538d394c2) },
};

static void
published_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(published); i++) {
        const struct cwi_hash_ops *ops = row(published[i].name);
        const char *input = published[i].input;
        uint64_t got = hash_of(ops, input, strlen(input));

        if (got != published[i].value)
            fail_msg("%s of \"%s\": got %llx", ops->name, input,
                     (unsigned long long)got);
    }
}

/* The self-test of xxHash 0.8.1 (sanityCheck in cli/xsum_sanity_check.c). */
static const struct {
    const char *name;
    size_t      len;
    uint64_t    value;
} xxhash_published[] = {
    { "xxh64",    1, UINT64_C(0xe934a84adb052768) },
    { "xxh64",    4, UINT64_C(0x9136a0dca57457ee) },
    { "xxh64",   14, UINT64_C(0x8282dcc4994e35c8) },
    { "xxh64",  222, UINT64_C(0xb641ae8cb691c174) },
    { "xxh3",     1, UINT64_C(0xc44bdff4074eecdb) },
    { "xxh3",     6, UINT64_C(0x27b56a84cd2d7325) },
    { "xxh3",    12, UINT64_C(0xa713daf0dfbb77e7) },
    { "xxh3",    24, UINT64_C(0xa3fe70bf9d3510eb) },
    { "xxh3",    48, UINT64_C(0x397da259ecba1f11) },
    { "xxh3",    80, UINT64_C(0xbcdefbbb2c47c90a) },
    { "xxh3",   195, UINT64_C(0xcd94217ee362ec3a) },
    { "xxh3",   403, UINT64_C(0xcdeb804d65c6dea4) },
    { "xxh3",  2367, UINT64_C(0xcb37aeb9e5d361ed) },
};

static void
xxhash_self_test_values(void **state)
{
    static uint8_t buffer[2367];
    uint64_t gen = UINT64_C(2654435761);

    (void)state;
    for (size_t i = 0; i < sizeof buffer; i++) {
        buffer[i] = (uint8_t)(gen >> 56);
        gen *= UINT64_C(11400714785074694797);
    }
    for (size_t i = 0; i < COUNT(xxhash_published); i++) {
        size_t len = xxhash_published[i].len;
        uint64_t got = hash_of(row(xxhash_published[i].name), buffer, len);

        if (got != xxhash_published[i].value)
            fail_msg("%s, %zu bytes: got %llx", xxhash_published[i].name,
                     len, (unsigned long long)got);
    }
}

/*
 * The copy ends where its allocation ends, so that the address sanitizer
 * sees a read past the input at any of the offsets.
 */
static void
alignment_does_not_matter(void **state)
{
    uint8_t input[301];

    (void)state;
    pattern(input, sizeof input);
    for (size_t len = 0; len < sizeof input; len++)
        for (size_t at = 0; at < 16; at++) {
            uint8_t *copy = malloc(at + len > 0 ? at + len : 1);

            assert_non_null(copy);
            memcpy(copy + at, input, len);
            for (unsigned i = 0; i < cwi_hash_count(); i++) {
                const struct cwi_hash_ops *ops = cwi_hash_at(i);

                if (hash_of(ops, copy + at, len) != hash_of(ops, input, len))
                    fail_msg("%s, %zu bytes: offset %zu gives another value",
                             ops->name, len, at);
            }
            free(copy);
        }
}

/* Values fit in `bits`, and need all of them: no row states a false range. */
static void
values_fill_their_range(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);
        uint64_t ones = 0, zeros = 0;
        uint64_t all = UINT64_MAX >> (64 - ops->bits);

        for (unsigned n = 0; n < 1000; n++) {
            char name[32];
            int len = snprintf(name, sizeof name, "%u:node-%u", n * 7919, n);
            uint64_t h = hash_of(ops, name, (size_t)len);

            ones |= h;
            zeros |= ~h & all;
        }
        if (ones != all || zeros != all)
            fail_msg("%s: %u bits, but the values have ones in %llx and "
                     "zeros in %llx", ops->name, ops->bits,
                     (unsigned long long)ones, (unsigned long long)zeros);
    }
}

static void
no_data_is_the_empty_input(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);
        uint8_t a[CWI_DIGEST_MAX], b[CWI_DIGEST_MAX];

        if (hash_of(ops, NULL, 0) != hash_of(ops, "x", 0))
            fail_msg("%s: NULL and \"\" differ", ops->name);
        if (ops->digest == NULL)
            continue;
        ops->digest(NULL, 0, a);
        ops->digest("x", 0, b);
        assert_memory_equal(a, b, ops->digest_len);
    }
}

/* The value is 8 bytes of the digest: the first ones, in either order. */
static void
value_is_the_head_of_the_digest(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);
        uint8_t out[CWI_DIGEST_MAX + 1];
        uint64_t little, big;

        if (ops->digest == NULL)
            continue;
        memset(out, 0xa5, sizeof out);
        ops->digest("node-1", 6, out);
        assert_int_equal(out[ops->digest_len], 0xa5);
        little = cwi_load64le(out);
        big = 0;
        for (unsigned b = 0; b < 8; b++)
            big = big << 8 | out[b];
        if (hash_of(ops, "node-1", 6) != little &&
            hash_of(ops, "node-1", 6) != big)
            fail_msg("%s: the value is not the head of the digest",
                     ops->name);
    }
}

static void
only_keyed_rows_read_the_key(void **state)
{
    const struct cwi_hash_key other[] = {
        { test_key.k0 ^ 1, test_key.k1 }, { test_key.k0, test_key.k1 ^ 1 }
    };

    (void)state;
    for (unsigned i = 0; i < cwi_hash_count(); i++) {
        const struct cwi_hash_ops *ops = cwi_hash_at(i);
        bool keyed = (ops->traits & CWI_HASH_KEYED) != 0;

        for (size_t k = 0; k < COUNT(other); k++)
            if (keyed != (ops->hash("key", 3, &other[k]) !=
                          hash_of(ops, "key", 3)))
                fail_msg("%s: half %zu of the key %s", ops->name, k,
                         keyed ? "is not read" : "changes the value");
    }
}

static void
primitives_are_their_rows(void **state)
{
    uint8_t input[301], a[CWI_DIGEST_MAX], b[CWI_DIGEST_MAX];

    (void)state;
    pattern(input, sizeof input);
    for (size_t len = 0; len < sizeof input; len++) {
        assert_true(cwi_xxh3(input, len) == hash_of(row("xxh3"), input, len));
        assert_true(cwi_fnv1a_64(input, len) ==
                    hash_of(row("fnv1a_64"), input, len));
        assert_true(cwi_fnv1a_32(input, len) ==
                    hash_of(row("fnv1a_32"), input, len));
        assert_true(cwi_crc32(0, input, len) ==
                    hash_of(row("crc32"), input, len));
        cwi_md5(input, len, a);
        row("md5")->digest(input, len, b);
        assert_memory_equal(a, b, 16);
        cwi_sha1(input, len, a);
        row("sha1")->digest(input, len, b);
        assert_memory_equal(a, b, 20);
    }
}

static void
crc32_chains_at_every_cut(void **state)
{
    uint8_t input[40];

    (void)state;
    pattern(input, sizeof input);
    for (size_t cut = 0; cut <= sizeof input; cut++) {
        uint32_t head = cwi_crc32(0, input, cut);

        assert_int_equal(cwi_crc32(head, input + cut, sizeof input - cut),
                         cwi_crc32(0, input, sizeof input));
    }
}

/*
 * Case B04: bytes of 0x80 and more. The numbers are the low words of the true
 * FNV-1a; a reading as signed char gives 330199508 and 500826953 instead.
 */
static void
fnv_reads_bytes_as_unsigned(void **state)
{
    (void)state;
    assert_int_equal((uint32_t)cwi_fnv1a_64("a", 1), 2248273036u);
    assert_int_equal((uint32_t)cwi_fnv1a_64("\xe4\xb8\xad", 3), 1737097940u);
    assert_int_equal((uint32_t)cwi_fnv1a_64("\xe6\x9c\xac", 3), 1953828425u);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sound_sorted_and_unique),
        cmocka_unit_test(find_takes_whole_names_only),
        cmocka_unit_test(every_row_gives_its_golden_values),
        cmocka_unit_test(published_values),
        cmocka_unit_test(xxhash_self_test_values),
        cmocka_unit_test(alignment_does_not_matter),
        cmocka_unit_test(values_fill_their_range),
        cmocka_unit_test(no_data_is_the_empty_input),
        cmocka_unit_test(value_is_the_head_of_the_digest),
        cmocka_unit_test(only_keyed_rows_read_the_key),
        cmocka_unit_test(primitives_are_their_rows),
        cmocka_unit_test(crc32_chains_at_every_cut),
        cmocka_unit_test(fnv_reads_bytes_as_unsigned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
