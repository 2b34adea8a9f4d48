# SPDX-License-Identifier: Apache-2.0
"""The integer score of lib/core/score.h, slow and plain, for the scripts that
write golden files; xxh3 comes from libxxhash itself."""
import ctypes
import ctypes.util

M64 = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x):
    x &= M64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


def xxh3(data):
    lib = ctypes.CDLL(ctypes.util.find_library("xxhash"))
    lib.XXH3_64bits.restype = ctypes.c_uint64
    lib.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return lib.XXH3_64bits(data, len(data))


def _entry(i):
    y, r = (256 + i) << 23, 0
    for _ in range(40):
        y, r = y * y >> 31, r << 1
        if y >> 32:
            r, y = r | 1, y >> 1
    return r


T = [_entry(i) for i in range(256)] + [2**40]


def lg(x):
    e = x.bit_length() - 1
    f = (x << 63 - e) << 1 & M64
    i, g = f >> 56, f >> 32 & 0xFFFFFF
    return (e << 40) + T[i] + ((T[i + 1] - T[i]) * g >> 24)


def gum(r):
    return 40 * 2**24 - (lg(33 * 2**40 - lg(2 * r + 1)) >> 16)
