#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/rendezvous/*.tsv: the rule of docs/formats/rendezvous.md
in plain integers, all scores sorted.

usage: rendezvous_golden.py DIRECTORY

First lines: `node TAB name TAB weight in millionths`; then `hash TAB names in
order, comma-separated`.
"""
import sys
from pathlib import Path

from score import GOLDEN, gum, lg, mix, xxh3

M32 = 2**32 - 1


def draw_upper(k, node):
    x = ((k ^ node) & M32) * 0xED5AD4BB & M32
    x ^= x >> 15
    return (x + (k >> 32 ^ node >> 32)) * 0xAC4C1B51 & M32


def draw(key_hash, name):
    k, node = mix(key_hash + GOLDEN), mix(xxh3(name.encode()))
    return draw_upper(k, node), mix(k ^ node) & M32


def order(nodes, key_hash):
    names = sorted(nodes)
    ranked = []
    for number, name in enumerate(names):
        if nodes[name] == 0:
            continue
        r, lower = draw(key_hash, name)
        v = gum(r) + (lg(nodes[name]) >> 16)
        ranked.append((-v, -r, -lower, number))
    return [names[number] for _, _, _, number in sorted(ranked)]


def write(path, nodes, hashes):
    with open(path, "w") as out:
        for name, weight in nodes.items():
            out.write(f"node\t{name}\t{weight}\n")
        for h in hashes:
            out.write(f"{h}\t{','.join(order(nodes, h))}\n")


def main():
    where = Path(sys.argv[1])
    hashes = [0, 1, 2**32 - 1, 2**63, 2**64 - 1]
    hashes += [mix((i + 1) * GOLDEN) for i in range(300)]
    one = 1000000
    write(where / "equal.tsv",
          {f"cache-{c}": one for c in "hgfedcba"}, hashes)
    write(where / "weights.tsv",
          {"a": one, "b": one, "c": 2 * one, "off": 0, "d": 5 * one // 2,
           "e": 1, "f": 10**12, "g": 3 * one, "h": 2 * one}, hashes)
    write(where / "all-different.tsv",
          {f"10.0.0.{i}:11211": one * (i + 1) + i for i in range(40)},
          hashes[:100])
    write(where / "one.tsv", {"only": 7}, hashes[:5])


if __name__ == "__main__":
    main()
