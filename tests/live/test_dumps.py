#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a memcached prints of itself, read by `diagnose`: the keys that it holds
(lru_crawler metadump and mgdump), `stats`, `stats items` and `stats detail
dump`; with bytes in the keys that a dump has to escape. The counts must be
those of the requests made here."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import live  # noqa: E402
import servers  # noqa: E402

FLEET = "placement: {algorithm: ring, points: 100}\nnodes: [s1, s2]\n"
PLAIN = ["user:%d" % i for i in range(300)]
ODD = ["a%20b", "a+b", "caf\u00e9:1", "100%", "k=v&w", "\u5b57"]
RAW = (b"AAEg/w==", "\\x00\\x01 \\xff")        # bytes by base64, as shown


def ask(client, line, end):
    """The answer's lines, its last included."""
    client.socket.sendall(line + b"\r\n")
    lines = []
    while not lines or lines[-1].rstrip() not in (end, b"ERROR"):
        lines.append(client.file.readline())
        assert lines[-1], (line, lines[-3:])
    return lines


class Case:
    def __init__(self, work, client):
        self.work, self.client = work, client
        self.fleet = os.path.join(work, "fleet")
        with open(self.fleet, "w", encoding="ascii") as f:
            f.write(FLEET)

    def words(self, lines):
        path = os.path.join(self.work, "evidence")
        with open(path, "wb") as f:
            f.write(b"".join(lines))
        return ["diagnose", self.fleet, "--at", "s1=" + path]

    def read(self, lines, name):
        """The diagnosis as text; its format, all of it understood."""
        done = live.clockwise(*self.words(lines))
        assert ": %s, %d lines, 100.00 %% understood\n" % (
            name, len(lines)) in done.stderr, done
        return done.stdout

    def requests(self, lines):
        done = live.clockwise("--json", *self.words(lines))
        return json.loads(done.stdout)["requests"]

    def hottest(self, lines, name):
        """Keys as the table of the hottest shows them; requests."""
        out = self.read(lines, name).split("# hottest key")[1]
        rows = [row.split("\t") for row in out.split("\n")[1:]]
        return {r[0]: int(r[1]) for r in rows if len(r) == 4}


def keys_held(case):
    case.client.set_all([k.encode() for k in PLAIN])
    for what in b"all", b"hash":
        dump = ask(case.client, b"lru_crawler metadump " + what, b"END")
        case.read(dump, "metadump")
        assert case.requests(dump) == len(PLAIN), len(dump)


def escaped_keys(case):
    case.client.set_all([k.encode() for k in ODD])
    case.client.socket.sendall(b"ms %s 2 b\r\nhi\r\n" % RAW[0])
    assert case.client.file.readline() == b"HD\r\n"
    dump = ask(case.client, b"lru_crawler metadump all", b"END")
    # The table of the hottest keys has ten.
    dump = [line for line in dump if b"user%3A" not in line]
    got = case.hottest(dump, "metadump")
    assert got == dict.fromkeys(ODD + [RAW[1]], 1), got


def mgdump(case):
    """Debian 12's memcached, 1.6.18, does not know it yet: then its refusal
    is checked, and tests/cli/diagnose-mgdump reads the format alone."""
    dump = ask(case.client, b"lru_crawler mgdump hash", b"EN")
    if dump == [b"ERROR\r\n"]:
        case.client.socket.sendall(b"version\r\n")
        version = case.client.file.readline().split()[1].decode()
        assert [int(n) for n in version.split(".")] < [1, 6, 20], version
        return "memcached %s has no mgdump" % version
    case.read(dump, "mgdump")
    assert case.requests(dump) == len(PLAIN) + len(ODD) + 1, len(dump)
    return "mgdump read"


def counters(case):
    before = ask(case.client, b"stats", b"END")
    case.client.get_all([k.encode() for k in PLAIN] + [b"absent"] * 5)
    both = before + ask(case.client, b"stats", b"END")
    case.read(both, "stats")
    assert case.requests(both) == len(PLAIN) + 5
    items = ask(case.client, b"stats items", b"END")
    out = case.read(both + items, "stats")
    row = [line for line in out.split("\n") if line.startswith("s1\t")][-1]
    hits, misses, _, held = row.split("\t")[3:7]
    assert [hits, misses] == [str(len(PLAIN)), "5"], row
    assert held == str(len(PLAIN) + len(ODD) + 1), row
    # The items of all slab classes, where stats does not give their sum.
    case.client.set_all([b"large"], b"v" * 5000)
    items = ask(case.client, b"stats items", b"END")
    assert len({line.split(b":")[1] for line in items[:-1]}) > 1, items
    both = [line for line in both if b" curr_items " not in line]
    row = case.read(both + items, "stats").split("by its counters")[1]
    assert row.split("\n")[1].split("\t")[6] == str(int(held) + 1), row


def detail(case):
    """Requests by prefix: at their node, and no keys that could be hot."""
    case.client.socket.sendall(b"stats detail on\r\n")
    assert case.client.file.readline() == b"OK\r\n"
    case.client.get_all([k.encode() for k in PLAIN])
    case.client.set_all([b"item:%d" % i for i in range(40)])
    case.client.get_all([b"absent:1"] * 3)
    dump = ask(case.client, b"stats detail dump", b"END")
    out = case.read(dump, "stats")
    assert "hot key:" not in out and "another view:" not in out, out
    rows = out.split("# prefix of keys")[1].split("\n")[1:-1]
    assert [r.split("\t")[:2] for r in rows] == [
        ["user", "300"], ["item", "40"], ["absent", "3"]], rows
    assert case.requests(dump) == 343


def main():
    live.need("memcached")
    with servers.Servers() as started, live.folder() as work:
        case = Case(work, servers.Memcached(started.memcached()))
        keys_held(case)
        escaped_keys(case)
        said = mgdump(case)
        counters(case)
        detail(case)
        print("metadump, stats, stats items, stats detail dump read; " + said)


main()
