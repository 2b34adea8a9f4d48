#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jumpback as docs/formats/jumpback.md words it, in plain integers.

usage: jumpback.py BUCKETS HASH...
"""
import sys

from score import GOLDEN, M64, mix


def jumpback(h, n):
    first = mix(h + GOLDEN & M64)
    draws = (mix(h + i * GOLDEN & M64) for i in range(2, 1000))
    ranges = (first ^ first >> 32) % 2 ** (n - 1).bit_length()
    while ranges:
        q = 1 << ranges.bit_length() - 1
        half = first >> 32 if bin(ranges).count("1") % 2 else first
        bucket = q + half % q
        if bucket < n:
            return bucket
        stay = True
        while stay:
            draw = next(draws)
            for part in (draw, draw >> 32):
                bucket = part % (2 * q)
                if q <= bucket < n:
                    return bucket
                if bucket < q:
                    stay = False
                    break
        ranges ^= q
    return 0


if __name__ == "__main__":
    print(*(jumpback(int(h), int(sys.argv[1])) for h in sys.argv[2:]))
