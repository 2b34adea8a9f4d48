/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points_lanes.h - one value into or out of the 16 fractions or owners of a
 * line: all lanes at once, without a branch on the place, which nobody
 * foresees.
 */
#ifndef CWI_POINTS_LANES_H
#define CWI_POINTS_LANES_H

#include <stdint.h>
#include <string.h>

typedef int16_t cwi_eight __attribute__((vector_size(16)));
typedef int16_t cwi_sixteen __attribute__((vector_size(32)));

#define CWI_LANES static inline __attribute__((always_inline))

/* Lane i of the one is lane i - 1, of the other lane i + 1; a lane at the end
 * stays. Not by a load beside the line: that is another cache line. */
#define CWI_NUMBERS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define CWI_UP      0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
#define CWI_DOWN    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15
#ifdef __clang__
#define CWI_SHUFFLE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define CWI_SHUFFLE(v, ...) __builtin_shuffle(v, (cwi_sixteen){ __VA_ARGS__ })
#endif

CWI_LANES void
cwi_sixteen_in(int16_t *v, int16_t k, int16_t value)
{
    const cwi_sixteen n = { CWI_NUMBERS };
    cwi_sixteen old, moved;

    memcpy(&old, v, sizeof(old));
    moved = CWI_SHUFFLE(old, CWI_UP);
    old = ((n > k) & moved) | ((n == k) & value) | ((n < k) & old);
    memcpy(v, &old, sizeof(old));
}

CWI_LANES void
cwi_sixteen_out(int16_t *v, int16_t k)
{
    const cwi_sixteen n = { CWI_NUMBERS };
    cwi_sixteen old, moved;

    memcpy(&old, v, sizeof(old));
    moved = CWI_SHUFFLE(old, CWI_DOWN);
    old = ((n < k) & old) | ((n >= k) & moved);
    memcpy(v, &old, sizeof(old));
}

/* Half of the lanes; k may be in the other half. The lane before v, or behind
 * these, is read: a table goes on there. */
CWI_LANES void
cwi_eight_in(int16_t *v, int16_t k, int16_t value)
{
    const cwi_eight n = { 0, 1, 2, 3, 4, 5, 6, 7 };
    cwi_eight old, moved;

    memcpy(&old, v, sizeof(old));
    memcpy(&moved, v - 1, sizeof(moved));
    old = ((n > k) & moved) | ((n == k) & value) | ((n < k) & old);
    memcpy(v, &old, sizeof(old));
}

CWI_LANES void
cwi_eight_out(int16_t *v, int16_t k)
{
    const cwi_eight n = { 0, 1, 2, 3, 4, 5, 6, 7 };
    cwi_eight old, moved;

    memcpy(&old, v, sizeof(old));
    memcpy(&moved, v + 1, sizeof(moved));
    old = ((n < k) & old) | ((n >= k) & moved);
    memcpy(v, &old, sizeof(old));
}

/*
 * Put a value before lane k of 16, the last of which is lost; take lane k
 * out, so that the last one is of no meaning. In vectors that the processor
 * has: wider ones gcc 12 takes apart lane by lane.
 */
CWI_LANES void
cwi_lane_in(int avx2, int16_t *v, uint32_t k, int16_t value)
{
    if (avx2) {
        cwi_sixteen_in(v, (int16_t)k, value);
        return;
    }
    cwi_eight_in(v + 8, (int16_t)((int16_t)k - 8), value);
    cwi_eight_in(v, (int16_t)k, value);
}

CWI_LANES void
cwi_lane_out(int avx2, int16_t *v, uint32_t k)
{
    if (avx2) {
        cwi_sixteen_out(v, (int16_t)k);
        return;
    }
    cwi_eight_out(v, (int16_t)k);
    cwi_eight_out(v + 8, (int16_t)((int16_t)k - 8));
}

#endif
