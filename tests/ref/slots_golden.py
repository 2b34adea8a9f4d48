#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/slots: the rule of docs/formats/slots.md in plain
integers, by sorting all pairs; prices rise one zone at a time, the last of
those over their limit first.

usage: slots_golden.py DIRECTORY
"""
import sys
from fractions import Fraction
from math import ceil, gcd, isqrt
from pathlib import Path

from score import GOLDEN, M64, gum, lg, mix

M32 = 2**32 - 1
ONE = 1000000
STEP = 2**14
PRICE_MAX = 2**30


def ident(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 & M64
    return mix(h)


class Node:
    def __init__(self, name, w, zone):
        self.name, self.w = name, w
        self.id = ident(name)
        z1 = mix(self.id ^ GOLDEN)
        z2 = mix(z1 + GOLDEN)
        z3 = mix(z2 + GOLDEN)
        self.a, self.m1 = z1 & M32, z1 >> 32 | 1
        self.m2, self.m3 = z2 & M32 | 1, z2 >> 32 | 1
        self.m4 = z3 & M32 | 1
        self.zone = (ident(zone or name), zone or name, not zone)

    def rank(self, s, k):
        mask, h = 2**k - 1, (k + 1) // 2
        x = (s + self.a & mask) * self.m1 & mask
        x ^= x >> h
        x = x * self.m2 & mask
        x ^= x >> h
        x = x * self.m3 & mask
        y = (s * 2654435761 + self.a) * self.m4 & M32
        y ^= y >> 15
        y = y * 0x85EBCA6B & M32
        return x << 32 - k | y >> k

    def pair(self, s, k):
        """Sorts before all worse pairs of slot s."""
        r = self.rank(s, k)
        return -(gum(r) + (lg(self.w) >> 16)), -r, self.id


def sqrt_cap(share):
    q = ceil(256 * share)
    return (2 * q + 3 * (isqrt(256 * q) + 1) + 511) // 512


def match(slots, nodes, room, k):
    """The pairs best first, accepted while slot and node have room."""
    got, load = {}, dict.fromkeys(nodes, 0)
    for _, s, n in sorted((n.pair(s, k), s, n) for s in slots for n in nodes):
        if s not in got and load[n] < room[n]:
            got[s] = n
            load[n] += 1
    return got


def targets(zones, copies, size):
    """Roles for each node and zone."""
    weight = {z: sum(n.w for n in nodes) for z, nodes in zones.items()}
    forced = []
    while True:
        rest = sum(w for z, w in weight.items() if z not in forced)
        left = copies - len(forced)
        over = [z for z in zones if z not in forced and weight[z] * left > rest]
        if not over:
            break
        forced += over
    per = {z: Fraction(size, weight[z]) if z in forced
           else Fraction(size * left, rest) for z in zones}
    return ({n: per[z] * n.w for z in zones for n in zones[z]},
            {z: per[z] * weight[z] for z in zones})


def choose_zones(owner, zones, limit, copies, k):
    value = {(s, z): max(-n.pair(s, k)[0] for n in zones[z])
             for s in owner for z in zones}
    order = sorted(zones)
    price = dict.fromkeys(order, 0)
    owned = {z: sum(n.zone == z for n in owner.values()) for z in order}

    def ranked(s):
        return sorted((z for z in order if z != owner[s].zone), key=lambda z:
                      (price[z] - value[s, z], order.index(z)))

    def load(z):
        return owned[z] + sum(z in ranked(s)[:copies - 1] for s in owner)

    while True:
        over = [z for z in order if load(z) > limit[z] and price[z] < PRICE_MAX]
        if not over:
            return {s: ranked(s)[:copies - 1] for s in owner}
        low, high = price[over[-1]] // STEP, PRICE_MAX // STEP
        while high - low > 1:
            price[over[-1]] = (low + high) // 2 * STEP
            if load(over[-1]) > limit[over[-1]]:
                low = (low + high) // 2
            else:
                high = (low + high) // 2
        price[over[-1]] = high * STEP


def place(fleet, k, copies, slack):
    size = 2**k
    unit = gcd(*(w for _, w, _ in fleet))
    nodes = sorted((Node(name, w // unit, zone) for name, w, zone in fleet
                    if w), key=lambda n: n.name)
    Node.__lt__ = lambda a, b: a.id < b.id
    total = sum(n.w for n in nodes)
    share = {n: Fraction(size * n.w, total) for n in nodes}
    cap = {n: sqrt_cap(share[n]) if slack is None
           else ceil(share[n] * (1000 + slack) / 1000) for n in nodes}
    owner = match(range(size), nodes, cap, k)
    if copies == 1:
        return [[owner[s].name] for s in range(size)], cap
    zones = {}
    for n in nodes:
        zones.setdefault(n.zone, []).append(n)
    target, zone_target = targets(zones, copies, size)
    role_cap = {n: max(sqrt_cap(target[n]), cap[n]) for n in nodes}
    held = {n: sum(o is n for o in owner.values()) for n in nodes}
    limit = {}
    for z, members in zones.items():
        most = 256 * sum(role_cap[n] for n in members)
        limit[z] = min(size, max(sum(held[n] for n in members),
                                 (ceil(256 * zone_target[z]) + most + 511)
                                 // 512))
    chosen = choose_zones(owner, zones, limit, copies, k)
    sets = {s: [] for s in range(size)}
    for z, members in zones.items():
        room = {n: role_cap[n] - held[n] for n in members}
        for s, n in match([s for s in chosen if z in chosen[s]], members,
                          room, k).items():
            sets[s].append(n)
    for s in sets:
        assert len(sets[s]) == copies - 1, "a slot is short of a replica"
        sets[s].sort(key=lambda n: n.pair(s, k))
    return ([[owner[s].name] + [n.name for n in sets[s]]
             for s in range(size)], role_cap)


def numbered(count, weights, zones):
    """node-0 ..; weights and zones go round, a zone of 0 is none."""
    return [(f"node-{i}", weights[i % len(weights)] * ONE,
             f"zone-{z}" if z else "")
            for i, z in zip(range(count), zones * count)]


SMALL = [("a", ONE, ""), ("b", ONE, ""), ("c", 2 * ONE, "")]
FOUR = SMALL + [("d", ONE, "")]
CASES = [
    # name, fleet, k, replicas, slack of a fixed cap
    ("one", FOUR, 6, 1, None),
    ("one-fixed", SMALL, 6, 1, 0),
    ("no-zones", FOUR, 6, 2, None),
    ("no-zones-3", numbered(12, [1, 2, 3], [0]), 8, 3, None),
    ("three-zones", numbered(9, [1], [1, 2, 3]), 7, 3, None),
    ("four-zones", numbered(13, [1, 2, 3, 4], [1, 2, 3, 4]), 8, 3, None),
    ("unequal-zones", numbered(20, [1],
                               [1] * 2 + [2] * 3 + [3] * 4 + [4] * 5 +
                               [5] * 6), 8, 3, None),
    ("forced-zone", numbered(20, [1, 2], [1] * 12 + [2] * 4 + [3] * 2 +
                             [4] * 2), 8, 3, None),
    ("some-without-zone", numbered(10, [3, 1], [1, 1, 2, 0, 2]), 7, 2, None),
    ("weight-0", FOUR + [("off", 0, "x"), ("e", ONE // 3, "x"),
                         ("f", 7 * ONE, "x")], 6, 3, None),
    ("fixed", numbered(8, [1, 1, 4], [1, 2, 3, 4]), 8, 2, 10),
    ("fixed-tight", numbered(15, [1], [1, 1, 2, 3, 4]), 8, 4, 0),
    ("few-slots", numbered(8, [1], [0]), 3, 4, None),
    ("eight-of-nine", numbered(9, [1, 2, 9], [0]), 6, 8, None),
]


def text(number):
    return f"{number // ONE}.{number % ONE:06}"


def write(where):
    lines = ["# written by tests/ref/slots_golden.py\n"]
    for name, fleet, k, copies, slack in CASES:
        sets, _ = place(fleet, k, copies, slack)
        options = f"algorithm=slots;slots={2**k};replicas={copies}"
        if slack is not None:
            options += f";cap=fixed;slack={slack}"
        nodes = " ".join(f"{n}|{n}|{text(w)}||{z}|" for n, w, z in fleet)
        lines.append(f"{name}\t{options}\t{nodes}\t{name}.tsv\t"
                     "position replicas\n")
        with open(where / f"{name}.tsv", "w") as out:
            for s, names in enumerate(sets if len(sets) > 8 else sets * 2):
                at = (s % len(sets) << 64 - k) + (2**(64 - k) - 1) * (s % 2)
                out.write("\t".join([str(at)] + names) + "\n")
    (where / "cases.tsv").write_text("".join(lines))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
