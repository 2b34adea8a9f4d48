#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/hash/*.txt from programs other than Clockwise.

usage: hash_golden.py DIRECTORY

Needs openssl (SipHash) and xxhsum (Debian: xxhash); md5, sha1 and crc32 are
Python's (OpenSSL, zlib). FNV and MurmurHash3 are written out below, slow and
plain, and checked against published values before anything is written.

A line is `input TAB value [TAB digest]`. The input is hex, or @N: the first N
bytes of a pattern (see pattern) that has every byte value.
"""
import hashlib
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

M32, M64 = 2**32 - 1, 2**64 - 1
KEY = bytes(range(16))
LENGTHS = list(range(301)) + [511, 512, 513, 1023, 1024, 1025, 2048, 4099]
WORDS = [b"a", b"b", b"abc", b"foobar", b"123456789", b"message digest",
         b"The quick brown fox jumps over the lazy dog", b"\0", b"\xff" * 5,
         "中".encode(), "本".encode(), "ключ".encode()]


def pattern(n):
    return bytes((i * 131 + (i >> 8) * 7 + 17) & 255 for i in range(n))


def fnv(data, bits, first_xor):
    h = {32: 0x811c9dc5, 64: 0xcbf29ce484222325}[bits]
    prime = {32: 0x01000193, 64: 0x100000001b3}[bits]
    for byte in data:
        if first_xor:
            h = (h ^ byte) * prime % 2**bits
        else:
            h = h * prime % 2**bits ^ byte
    return h


def fmix32(h):
    h = (h ^ h >> 16) * 0x85ebca6b & M32
    h = (h ^ h >> 13) * 0xc2b2ae35 & M32
    return h ^ h >> 16


def fmix64(h):
    h = (h ^ h >> 33) * 0xff51afd7ed558ccd & M64
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53 & M64
    return h ^ h >> 33


def splitmix64(x):
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & M64
    x = (x ^ x >> 27) * 0x94d049bb133111eb & M64
    return x ^ x >> 31


def rotl(x, n, bits):
    return (x << n | x >> bits - n) % 2**bits


def murmur3_32(data, seed=0):
    h = seed
    for i in range(0, len(data), 4):
        word = data[i:i + 4]
        k = int.from_bytes(word, "little") * 0xcc9e2d51 & M32
        h ^= rotl(k, 15, 32) * 0x1b873593 & M32
        if len(word) == 4:
            h = (rotl(h, 13, 32) * 5 + 0xe6546b64) & M32
    return fmix32(h ^ len(data))


def murmur3_128(data, seed=0):
    c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
    h1 = h2 = seed
    for i in range(0, len(data), 16):
        block = data[i:i + 16]
        k1 = int.from_bytes(block[:8], "little")
        k2 = int.from_bytes(block[8:], "little")
        h1 ^= rotl(k1 * c1 & M64, 31, 64) * c2 & M64
        if len(block) == 16:
            h1 = ((rotl(h1, 27, 64) + h2) * 5 + 0x52dce729) & M64
        h2 ^= rotl(k2 * c2 & M64, 33, 64) * c1 & M64
        if len(block) == 16:
            h2 = ((rotl(h2, 31, 64) + h1) * 5 + 0x38495ab5) & M64
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & M64
    h2 = (h2 + h1) & M64
    h1, h2 = fmix64(h1), fmix64(h2)
    h1 = (h1 + h2) & M64
    h2 = (h2 + h1) & M64
    return h1.to_bytes(8, "little") + h2.to_bytes(8, "little")


def smhasher_verification(hash_to_bytes):
    """SMHasher's one number for a hash: keys 00.., 0..255 long, seed 256-n."""
    hashes = b"".join(hash_to_bytes(bytes(range(n)), 256 - n)
                      for n in range(256))
    return int.from_bytes(hash_to_bytes(hashes, 0)[:4], "little")


def check_published():
    def want(what, got, value):
        if got != value:
            sys.exit(f"{what}: got {got:x}, published {value:x}; "
                     "nothing is written")

    want("murmur3_32, SMHasher main.cpp", smhasher_verification(
        lambda d, s: murmur3_32(d, s).to_bytes(4, "little")), 0xB0F57EE3)
    want("murmur3_128, SMHasher main.cpp",
         smhasher_verification(murmur3_128), 0x6384BA69)
    # draft-eastlake-fnv, appendix "A few test vectors"; Noll's test_fnv.c
    want("fnv1_32", fnv(b"foobar", 32, False), 0x31f0b262)
    want("fnv1a_32", fnv(b"foobar", 32, True), 0xbf9cf968)
    want("fnv1_64", fnv(b"foobar", 64, False), 0x340d8765a4dda9c2)
    want("fnv1a_64", fnv(b"foobar", 64, True), 0x85944171f73967e8)


def from_program(command, inputs, parse):
    """What a program prints for each input, given as a file."""
    values = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        for data in inputs:
            path.write_bytes(data)
            run = subprocess.run([*command, path], check=True,
                                 capture_output=True, text=True)
            values.append(parse(run.stdout))
    return values


def siphash(inputs):
    return from_program(
        ["sh", "-c", 'exec openssl mac -macopt hexkey:%s -macopt size:8 '
         '-in "$0" SIPHASH' % KEY.hex()], inputs,
        lambda out: int.from_bytes(bytes.fromhex(out), "little"))


def write(folder, name, origin, bits, inputs, values, digests=None):
    lines = [f"# {name}: {origin}\n"]
    for i, (label, value) in enumerate(zip(inputs, values)):
        line = f"{label}\t{value:0{bits // 4}x}"
        lines.append(line + (f"\t{digests[i].hex()}\n" if digests else "\n"))
    (folder / f"{name}.txt").write_text("".join(lines))


def main():
    folder = Path(sys.argv[1])
    check_published()
    labels = [w.hex() for w in WORDS] + [f"@{n}" for n in LENGTHS]
    data = WORDS + [pattern(n) for n in LENGTHS]

    def plain(name, origin, bits, function):
        write(folder, name, origin, bits, labels, map(function, data))

    def digest(name, origin, function, order):
        digests = [function(d) for d in data]
        write(folder, name, origin, 64, labels,
              [int.from_bytes(d[:8], order) for d in digests], digests)

    plain("crc32", "zlib.crc32 of Python, zlib", 32, zlib.crc32)
    for a, first_xor in (("", False), ("a", True)):
        for bits, mix in ((32, fmix32), (64, splitmix64)):
            name = f"fnv1{a}_{bits}"
            origin = "tests/ref/hash_golden.py, after draft-eastlake-fnv"
            plain(name, origin, bits, lambda d: fnv(d, bits, first_xor))
            plain(f"{name}_avalanche", f"{origin}; then {mix.__name__}", bits,
                  lambda d: mix(fnv(d, bits, first_xor)))
    digest("md5", "hashlib of Python, OpenSSL",
           lambda d: hashlib.md5(d).digest(), "little")
    digest("sha1", "hashlib of Python, OpenSSL",
           lambda d: hashlib.sha1(d).digest(), "big")
    origin = "tests/ref/hash_golden.py, checked by SMHasher's verification"
    plain("murmur3_32", f"{origin} value B0F57EE3", 32, murmur3_32)
    digest("murmur3_128", f"{origin} value 6384BA69", murmur3_128, "little")

    official = [bytes(range(n)) for n in range(64)]
    write(folder, "siphash", "openssl mac SIPHASH (2-4, 8 bytes), key 00..0f; "
          "the first 64 lines are the table of the reference code", 64,
          [d.hex() for d in official] + labels[len(WORDS):],
          siphash(official) + siphash(data[len(WORDS):]))
    write(folder, "xxh3", "xxhsum -H3 0.8.1", 64, labels, from_program(
        ["xxhsum", "-H3"], data, lambda out: int(out.split()[-1], 16)))
    write(folder, "xxh64", "xxhsum -H1 0.8.1", 64, labels, from_program(
        ["xxhsum", "-H1"], data, lambda out: int(out.split()[0], 16)))


if __name__ == "__main__":
    main()
