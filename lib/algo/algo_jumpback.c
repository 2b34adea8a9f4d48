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
#include "jumpback.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

static const struct cwi_option jumpback_options[] = {
    { "hash", "hash of the keys", CWI_OPT_HASH, 0, 0, 0, "xxh3", NULL },
    { "hash-key", "secret of a keyed hash", CWI_OPT_KEY, 0, 0, 0, NULL, NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

/* The highest 1 of x, which is not 0. */
static uint32_t
highest(uint32_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return UINT32_C(1) << (31 ^ __builtin_clz(x));
#else
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return x ^ x >> 1;
#endif
}

static uint32_t
parity(uint32_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_parity(x);
#else
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return UINT32_C(0x6996) >> (x & 15) & 1;
#endif
}

/* yes ? a : b, as arithmetic: gcc 12 makes a jump of ?: here. */
static uint32_t
choose(int yes, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0u - (uint32_t)yes));
}

/* The first bucket below n that further draws give. Out of line, so that the
 * usual way has registers enough. */
static __attribute__((noinline)) uint32_t
draw_on(uint64_t state, uint32_t n, uint32_t mask)
{
    uint32_t bucket;

    do {
        uint64_t next = cwi_mix64(state += STEP);

        bucket = (uint32_t)next & mask;
        if (bucket >= n)
            bucket = (uint32_t)(next >> 32) & mask;
    } while (bucket >= n);
    return bucket;
}

/*
 * In each range [q, 2q) of buckets, q a power of two, a key jumps with
 * probability 1/2: bit q of `ranges` says whether. If it does, its last jump
 * there is uniform in the range; the ones before that, going back, are found
 * by drawing from [0, 2q) until one is below n (that is it) or below q (the
 * key has no jump in this range below n).
 *
 * Only the range that n - 1 lies in has buckets of n and more: only there
 * must one go back, and when no jump of it counts, the last one of the range
 * below is the answer: *below. This is the first draw: the last jump of that
 * range, or a bucket below the range when the key does not jump there.
 */
static inline uint32_t
first_draw(uint64_t hash, uint32_t mask, uint32_t *below)
{
    uint64_t first = cwi_mix64(hash + STEP);
    uint32_t ranges = (uint32_t)(first ^ first >> 32);
    uint32_t low = ranges & mask >> 1, last = highest(low | 1);
    /* The half of `first` that an odd or even number of jumps leaves free;
     * with the highest range it is the other half. */
    uint32_t half = (uint32_t)first ^ (ranges & (0u - parity(low)));

    *below = (low & last) + (half & (last - 1));
    return ((half & mask >> 1) ^ ranges) & mask;
}

/* Both answers are computed and one is taken, because no processor can guess
 * which; so is the bucket of the first three draws, which is enough for 7
 * keys in 8 at least. */
static inline uint32_t
jumpback(uint64_t hash, uint32_t n, uint32_t mask)
{
    uint64_t state = hash + 2 * STEP, next = cwi_mix64(state);
    uint32_t below, bucket = first_draw(hash, mask, &below);
    uint32_t draw = (uint32_t)next & mask;

    draw = choose(draw < n, draw, (uint32_t)(next >> 32) & mask);
    bucket = choose(bucket < n, bucket, draw);
    if (bucket >= n)
        bucket = draw_on(state, n, mask);
    return choose(bucket > mask >> 1, bucket, below);
}

uint32_t
cwi_jumpback(uint64_t hash, uint32_t n)
{
    return jumpback(hash, n, cwi_bucket_mask(n));
}

/* Out of line, so that the usual way has registers enough. */
static __attribute__((noinline)) uint32_t
find_by_draws(const struct cwi_bucket_list *list, uint64_t at)
{
    return cwi_bucket_node(list, jumpback(at, list->n, list->mask));
}

/* A second draw that fewer than 1 key in 8 needs is cheaper jumped over. */
static uint32_t
jumpback_find(const void *state, uint64_t at)
{
    const struct cwi_bucket_list *list = state;
    uint32_t n = list->n, mask = list->mask, bucket, below;

    if (mask + 1 - n <= mask / 8) {
        bucket = first_draw(at, mask, &below);
        if (__builtin_expect(bucket < n, 1))
            return cwi_bucket_node(list, choose(bucket > mask >> 1, bucket,
                                                below));
    }
    return find_by_draws(list, at);
}

static void
jumpback_walk(const void *state, uint64_t at, struct cwi_walk *w)
{
    cwi_bucket_list_walk(state, at, w, cwi_jumpback);
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
    .check = CWI_UNLESS_PAGE(cwi_bucket_list_check)
};
