/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jump.c - the function of the paper in exact integers.
 */
#include "core/jump.h"

#include "core/algo.h"

static unsigned
leading_zeros32(uint32_t x)
{
    unsigned n = 0;

#if defined(__GNUC__) || defined(__clang__)
    return x ? (unsigned)__builtin_clz(x) : 32u;
#endif
    while (n < 32 && !(x & (UINT32_C(0x80000000) >> n)))
        n++;
    return n;
}

/*
 * Both steps of the double expression round to 53 bits, half to even.
 *
 * First step. Let t = d << k with 2^31 <= t < 2^32. Then 2^31 / d is
 * 2^84 / t * 2^(k - 53), and 2^84 / t lies in (2^52, 2^53]: its 53-bit
 * rounding is m = round(2^84 / t). A tie would need 2^85 to be an odd
 * multiple of t, so t a power of two, but then the quotient is exact.
 *
 * Second step. The product b1 * m is exact here. If it has 53 + s bits, the
 * double rounds it to a multiple of 2^s, and then the fraction below bit
 * 53 - k is dropped. Rounding changes what remains only when it carries into
 * bit 53 - k, and then adding half = 2^(s - 1) carries as well; in a tie (the
 * low s bits are just half) a carry that far means that every kept bit
 * of the fraction is 1, the last one too, so half to even rounds up, as
 * adding half does. Where no bit of the fraction is kept, the result is
 * 2^52 or more, above every bucket number, and its last bit does not matter.
 */
static __attribute__((noinline)) uint64_t
next_rounded(uint32_t b1, uint32_t d)
{
    unsigned k = leading_zeros32(d);
    uint64_t t = (uint64_t)d << k;
    uint64_t high = (UINT64_C(1) << 63) / t;
    uint64_t rest = ((UINT64_C(1) << 63) % t) << 21;
    uint64_t m = (high << 21) + rest / t;
    cwi_u128 product;

    m += 2 * (rest % t) >= t;
    product = (cwi_u128)b1 * m;
    /* 53 + s bits: b1 * m lies between 2^(bits(b1) + 51) and 2^84. */
    if (product >> 53) {
        unsigned s = 32 - leading_zeros32((uint32_t)(product >> 53));

        product += (cwi_u128)1 << (s - 1);
    }
    return (uint64_t)(product >> (53 - k));
}

/*
 * As a rule the integers b1 * 2^31 / d tell: the double expression is away
 * from that by less than 2^-52 of it, its two roundings together by less than
 * num / 2^52 + 2^-44 over d. num is a multiple of 2^31, so that is below
 * (num >> 52) + 1; where the remainder is as far as that from 0 and d, both
 * have the same whole part. 1 draw in a million is not.
 */
static inline uint64_t
next_bucket(uint32_t b1, uint32_t d)
{
#ifndef CWI_SMALL
    uint64_t num = (uint64_t)b1 << 31, q = num / d, rest = num - q * d;
    uint64_t off = (num >> 52) + 1;

    if (rest >= off && d - rest >= off)
        return q;
#endif
    return next_rounded(b1, d);
}

uint64_t
cwi_jump_next(uint32_t b1, uint32_t d)
{
    return next_bucket(b1, d);
}

uint32_t
cwi_jump(uint64_t key, uint32_t n)
{
    uint32_t b = 0;
    uint64_t j = 0;

    while (j < n) {
        b = (uint32_t)j;
        key = key * UINT64_C(2862933555777941757) + 1;
        j = next_bucket(b + 1, (uint32_t)(key >> 33) + 1);
    }
    return b;
}
