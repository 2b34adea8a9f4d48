/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo_jumpback.c - jump hashing from the top down, in constant expected time.
 *
 * O. Ertl: JumpBackHash: Say goodbye to the modulo operation to distribute
 * keys uniformly to buckets (2024, arXiv 2403.18682). As "jump" the buckets
 * are the nodes in list order; the last one that a key jumps to below n is
 * found by walking back from the next power of two, so the time does not grow
 * with n. docs/formats/jumpback.md is the exact rule.
 */
#include "bucket_list.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static const struct cwi_option jumpback_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static uint32_t
highest_bit(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return x ^ x >> 1;
}

static unsigned
parity(uint32_t x)
{
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return 0x6996u >> (x & 15) & 1;
}

/*
 * In each range [q, 2q) of buckets, q a power of two, a key jumps with
 * probability 1/2: bit q of `ranges` says whether. If it does, its last jump
 * there is uniform in the range; the ones before that, going back, are found
 * by drawing from [0, 2q) until one is below n (that is it) or below q (the
 * key has no jump in this range below n).
 */
static uint32_t
jumpback(uint64_t hash, uint32_t n)
{
    uint64_t first = cwi_mix64(hash + STEP), state = hash + STEP;
    uint32_t ranges = (uint32_t)(first ^ first >> 32);

    if (n <= 1)
        return 0;
    ranges &= 2 * highest_bit(n - 1) - 1;
    while (ranges != 0) {
        uint32_t q = highest_bit(ranges);
        /* Bits of `first` that an odd or even number of jumps leaves free. */
        uint32_t draw = (uint32_t)(first >> 32 * parity(ranges));
        uint32_t bucket = q + (draw & (q - 1));

        while (bucket >= n) {
            uint64_t next = cwi_mix64(state += STEP);

            bucket = (uint32_t)next & (2 * q - 1);
            if (bucket < n)
                break;
            bucket = (uint32_t)(next >> 32) & (2 * q - 1);
        }
        if (bucket >= q)
            return bucket;
        ranges ^= q;
    }
    return 0;
}

static uint32_t
jumpback_find(const void *state, uint64_t at)
{
    return cwi_bucket_list_find(state, at, jumpback);
}

static void
jumpback_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    cwi_bucket_list_walk(state, at, w, jumpback);
}

const struct cwi_algo_ops cwi_algo_jumpback = {
    .name = "jumpback",
    .summary = "as jump, in constant time whatever the number of nodes",
    .source = "Ertl 2024 (arXiv 2403.18682)",
    .traits = 0,
    .options = jumpback_options,
    .plan = cwi_bucket_list_plan,
    .build = cwi_bucket_list_build,
    .find = jumpback_find,
    .walk = jumpback_walk,
    .check = cwi_bucket_list_check
};
