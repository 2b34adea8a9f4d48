/* SPDX-License-Identifier: Apache-2.0 */
/* test_algo_jumpback.c - the row "jumpback": even, and only up as it grows. */
#include "algo_rig.h"
#include "algo/jumpback.h"

#include <math.h>

static const char *const options[] = { "algorithm", "jumpback", NULL };

static void
even_shares(void **state)
{
    static const uint32_t sizes[] = { 1, 2, 3, 7, 8, 9, 100, 129 };
    unsigned              s, i;

    (void)state;
    for (s = 0; s < 8; s++) {
        uint32_t n = sizes[s];
        cw_map  *map = rig_map(rig_numbered(n, 1), options);
        unsigned got[129] = { 0 };
        double   fair = 200000.0 / n, chi = 0;

        for (i = 0; i < 200000; i++)
            got[rig_find(map, rig_hash(i))]++;
        for (i = 0; i < n; i++)
            chi += (got[i] - fair) * (got[i] - fair) / fair;
        /* Mean n - 1, deviation sqrt(2 (n - 1)); fixed keys, so no chance. */
        assert_true(chi < n - 1 + 5 * sqrt(2.0 * n));
        cw_map_unref(map);
    }
}

/* From n to n + 1 a key stays or goes to the new bucket; so over any step. */
static void
keys_only_jump_to_the_new_bucket(void **state)
{
    enum { KEYS = 20000 };
    static uint32_t before[KEYS];
    uint32_t        n, i;

    (void)state;
    for (n = 1; n <= 140; n++) {
        cw_map  *map = rig_map(rig_numbered(n, 1), options);
        unsigned moved = 0;

        for (i = 0; i < KEYS; i++) {
            uint32_t owner = rig_find(map, rig_hash(i));

            if (n > 1 && owner != before[i]) {
                assert_int_equal(owner, n - 1);
                moved++;
            }
            before[i] = owner;
        }
        if (n > 1)
            assert_true(fabs(moved - (double)KEYS / n) <
                        6 * sqrt((double)KEYS / n));
        cw_map_unref(map);
    }
}

static void
orders(void **state)
{
    cw_map *map = rig_map(rig_numbered(300, 1), options);

    (void)state;
    rig_check_orders(map, 50);
    cw_map_unref(map);
}

/* docs/formats/jumpback.md */
static void
vectors(void **state)
{
    static const uint64_t hashes[] = { 0, 1, 2, 42, UINT64_MAX };
    static const uint32_t of_10[] = { 7, 5, 0, 3, 7 };
    static const uint32_t of_1000[] = { 313, 492, 990, 166, 288 };
    cw_map               *ten = rig_map(rig_numbered(10, 1), options);
    cw_map               *more = rig_map(rig_numbered(1000, 1), options);
    unsigned              i;

    (void)state;
    for (i = 0; i < 5; i++) {
        assert_int_equal(rig_find(ten, hashes[i]), of_10[i]);
        assert_int_equal(rig_find(more, hashes[i]), of_1000[i]);
    }
    cw_map_unref(ten);
    cw_map_unref(more);
}

/* ---- the author's vectors ---------------------------------------------- */

/* Java's SplittableRandom: the next state. */
static uint64_t
java_next(uint64_t *state)
{
    return *state += UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t
java_int(uint64_t *state)
{
    uint64_t z = java_next(state);

    z = (z ^ z >> 33) * UINT64_C(0x62a9d9ed799705f5);
    return (uint32_t)((z ^ z >> 28) * UINT64_C(0xcb24d0a5c88c35b3) >> 32);
}

/* One multiplication of komihash: low half to *low, high half to *sum. */
static void
komi_multiply(uint64_t *low, uint64_t *sum, uint64_t a, uint64_t b)
{
    cwi_u128 product = (cwi_u128)(*low ^ a) * (*sum ^ b);

    *low = (uint64_t)product;
    *sum += (uint64_t)(product >> 64);
}

/* komihash 5 of whole blocks of 16 words, at least one, little-endian. */
static uint64_t
komihash(const uint32_t *word, size_t blocks)
{
    /* The first eight words of pi's fraction, mixed once. */
    static const uint64_t pi[8] = {
        UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344),
        UINT64_C(0xa4093822299f31d0), UINT64_C(0x082efa98ec4e6c89),
        UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c),
        UINT64_C(0xc0ac29b7c97c50dd), UINT64_C(0x3f84d5b5b5470917)
    };
    uint64_t s[8];
    unsigned i;

    memcpy(s, pi, sizeof s);
    komi_multiply(&s[0], &s[4], 0, 0);
    s[0] ^= s[4];
    for (i = 1; i < 4; i++) {
        s[i] ^= s[0];
        s[i + 4] ^= s[4];
    }
    for (; blocks > 0; blocks--, word += 16) {
        uint64_t first;

        for (i = 0; i < 4; i++)
            komi_multiply(&s[i], &s[i + 4],
                          word[2 * i] | (uint64_t)word[2 * i + 1] << 32,
                          word[2 * i + 8] | (uint64_t)word[2 * i + 9] << 32);
        first = s[0] ^ s[7];
        for (i = 3; i > 0; i--)
            s[i] ^= s[i + 3];
        s[0] = first;
    }
    s[4] ^= s[5] ^ s[6] ^ s[7];
    s[0] ^= s[1] ^ s[2] ^ s[3];
    komi_multiply(&s[0], &s[4], 1, 0);
    s[0] ^= s[4];
    komi_multiply(&s[0], &s[4], 0, 0);
    return s[0] ^ s[4];
}

/* The check sum of a million buckets in the tests of the author's library:
 * hash4j, ConsistentJumpBackBucketHasherSplitMix64Test. */
static void
author_s_check_sum(void **state)
{
    enum { TIMES = 1000000 };
    uint32_t *bucket = malloc(TIMES * sizeof *bucket);
    uint64_t  random = UINT64_C(0x0a55871a9d9103b7);
    unsigned  i;

    (void)state;
    assert_non_null(bucket);
    for (i = 0; i < TIMES; i++) {
        uint32_t n = java_int(&random) >> 1;

        n >>= java_int(&random) & 31;
        bucket[i] = cwi_jumpback(cwi_mix64(java_next(&random)), n ? n : 1);
    }
    assert_int_equal(komihash(bucket, TIMES / 16),
                     UINT64_C(0x23d7a0d288cd67e7));
    free(bucket);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_shares),
        cmocka_unit_test(keys_only_jump_to_the_new_bucket),
        cmocka_unit_test(orders),
        cmocka_unit_test(vectors),
        cmocka_unit_test(author_s_check_sum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
