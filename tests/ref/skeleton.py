#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Skeleton as docs/formats/skeleton.md words it, in plain integers.

usage: skeleton.py NODE=WEIGHT[,NODE=WEIGHT...] HASH...

Weights are whole numbers. Prints the owner of each hash.
"""
import sys

from rendezvous_golden import draw_upper
from score import GOLDEN, M64, gum, lg, mix, xxh3


def branches(nodes, level):
    """The branches of a place: (id, weight, nodes behind it, next level)."""
    while level < 10:
        shift = 64 - 6 * (level + 1)
        ways = sorted({i >> shift for i, _, _ in nodes})
        if len(ways) > 1:
            return [(mix((w << shift) + level),
                     [n for n in nodes if n[0] >> shift == w], level + 1)
                    for w in ways]
        level += 1
    return [(mix(n[0] + 11 + k * GOLDEN & M64), [n], level)
            for k, n in enumerate(nodes)]


def owner(fleet, key_hash):
    key = mix(key_hash + GOLDEN & M64)
    nodes = sorted((mix(xxh3(name.encode())), name, weight)
                   for name, weight in fleet.items() if weight)
    level = 0
    while len(nodes) > 1:
        ranked = []
        for place, (ident, behind, down) in enumerate(branches(nodes, level)):
            lift = lg(sum(n[2] for n in behind)) >> 16
            r = draw_upper(key, ident)
            ranked.append((gum(r) + lift, r, lift, -place, behind, down))
        *_, nodes, level = max(ranked, key=lambda b: b[:4])
    return nodes[0][1]


if __name__ == "__main__":
    given = dict(n.split("=") for n in sys.argv[1].split(","))
    given = {name: int(w) * 1000000 for name, w in given.items()}
    print(*(owner(given, int(h)) for h in sys.argv[2:]))
