/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_compat_functions.c - functions that only compat rows use: against
 * published vectors and each other.
 */
#include "harness.h"

#include "compat/compat_hashes.h"
#include "compat/compat_jump.h"
#include "core/jump.h"

static uint64_t
number(const struct tsv_line *line, unsigned field)
{
    return strtoull(line->field[field], NULL, 10);
}

/* Its answers themselves are in golden_vectors. */
static void
guava_rounds_once(void **state)
{
    struct tsv vectors;
    size_t unlike_the_paper = 0;

    (void)state;
    tsv_read(&vectors, "tests/golden/jump/guava.tsv", 0);
    CHECK(vectors.count >= 300, "%zu lines", vectors.count);
    for (size_t i = 0; i < vectors.count; i++) {
        const struct tsv_line *line = &vectors.lines[i];
        uint64_t key = number(line, 0);
        uint32_t n = (uint32_t)number(line, 1);

        unlike_the_paper += cwi_jump_guava(key, n) != cwi_jump(key, n);
    }
    CHECK(unlike_the_paper >= 20, "only %zu keys tell the two apart",
          unlike_the_paper);
    tsv_free(&vectors);
}

static void
hex_is(const uint8_t *digest, size_t n, const char *hex, size_t len)
{
    char text[129];

    for (size_t i = 0; i < n; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    CHECK(strcmp(text, hex) == 0, "%zu bytes: %s", len, text);
}

/* FIPS 180-4: "abc", and lengths around the ends of blocks. */
static void
sha2_has_its_published_values(void **state)
{
    uint8_t digest[64], a[200];

    (void)state;
    memset(a, 'a', sizeof a);
    cwi_sha256((const uint8_t *)"abc", 3, digest);
    hex_is(digest, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410"
           "ff61f20015ad", 3);
    cwi_sha256(a, 0, digest);
    hex_is(digest, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495"
           "991b7852b855", 0);
    cwi_sha256(a, 55, digest);
    hex_is(digest, 32, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925"
           "a5258e241c9f1e910f73"
           "4318", 55);
    cwi_sha256(a, 56, digest);
    hex_is(digest, 32, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f"
           "1bde7090ef7970686ec6"
           "738a", 56);
    cwi_sha256(a, 64, digest);
    hex_is(digest, 32, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851d"
           "b43d0ba5997337df1546"
           "68eb", 64);
    cwi_sha512((const uint8_t *)"abc", 3, digest);
    hex_is(digest, 64, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9e"
           "eee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9a"
           "c94fa54ca49f", 3);
    cwi_sha512(a, 111, digest);
    hex_is(digest, 64, "fa9121c7b32b9e01733d034cfc78cbf67f926c7e"
           "d83e82200ef868181969"
           "21760b4beff48404df811b953828274461673c68d04e297b0eb7b2b4d60f"
           "c6b566a2", 111);
    cwi_sha512(a, 112, digest);
    hex_is(digest, 64, "c01d080efd492776a1c43bd23dd99d0a2e626d48"
           "1e16782e75d54c2503b5"
           "dc32bd05f0f1ba33e568b88fd2d970929b719ecbb152f58f130a407c8830"
           "604b70ca", 112);
}

/* Two pieces hash as one, wherever they are cut. */
static void
pieces_hash_as_a_whole(void **state)
{
    uint8_t text[260];

    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * 131 + 17);
    for (size_t len = 0; len <= sizeof text; len += 1 + len / 9) {
        struct cwi_pieces whole = { text, text, len, 0 };

        for (size_t cut = 0; cut <= len; cut++) {
            struct cwi_pieces two = { text, text + cut, cut, len - cut };

            CHECK(cwi_spooky32(&two, 7) == cwi_spooky32(&whole, 7) &&
                  cwi_murmur64a_pieces(&two, 7) == cwi_murmur64a(text, len, 7),
                  "%zu bytes cut at %zu", len, cut);
        }
    }
}

/* The character's sign counts above 0x7f alone; "e4b8ad" is public case B04. */
static void
signed_bytes_are_told_apart(void **state)
{
    const uint8_t *zhong = (const uint8_t *)"\xe4\xb8\xad";

    (void)state;
    CHECK(cwi_fnv1a_64_low((const uint8_t *)"a", 1, CWI_SIGNED) ==
          UINT32_C(2248273036), "a");
    CHECK(cwi_fnv1a_64_low(zhong, 3, CWI_UNSIGNED) == UINT32_C(1737097940),
          "unsigned");
    CHECK(cwi_fnv1a_64_low(zhong, 3, CWI_SIGNED) == UINT32_C(330199508),
          "signed");
    CHECK(cwi_oaat(zhong, 3, CWI_SIGNED) != cwi_oaat(zhong, 3, CWI_UNSIGNED),
          "one at a time");
}

/* CRC-16/XMODEM bit by bit, in a register of `mask`. */
static uint32_t
crc16_by_bits(const uint8_t *p, size_t len, uint32_t mask)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < len; i++) {
        uint32_t t = ((crc >> 8 ^ p[i]) & 0xff) << 8;

        for (unsigned bit = 0; bit < 8; bit++)
            t = t & 0x8000 ? t << 1 ^ 0x1021 : t << 1;
        crc = (crc << 8 ^ (t & 0xffff)) & mask;
    }
    return crc;
}

/* Of all lengths around its steps; the check value of the catalogue. */
static void
crc16_of_any_length(void **state)
{
    struct rng rng = { test_seed() };
    uint8_t a[72];

    (void)state;
    CHECK(cwi_crc16((const uint8_t *)"123456789", 9, 0xffff) == 0x31c3,
          "123456789");
    for (unsigned turn = 0; turn < 200; turn++) {
        for (size_t i = 0; i < sizeof a; i++)
            a[i] = (uint8_t)rng_next(&rng);
        for (size_t len = 0; len <= sizeof a; len++) {
            CHECK(cwi_crc16(a, len, 0xffff) ==
                  crc16_by_bits(a, len, 0xffff), "%zu bytes", len);
            CHECK(cwi_crc16(a, len, UINT32_MAX) ==
                  crc16_by_bits(a, len, UINT32_MAX), "%zu bytes, wide", len);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(guava_rounds_once),
        TEST(sha2_has_its_published_values),
        TEST(pieces_hash_as_a_whole),
        TEST(signed_bytes_are_told_apart),
        TEST(crc16_of_any_length),
    };

    return cmocka_run_group_tests_name("compat_functions", tests, NULL, NULL);
}
