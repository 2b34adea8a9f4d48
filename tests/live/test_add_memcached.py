#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten memcached, and an eleventh: what `plan` says is what happens.

Ten servers x 150 points are filled, each key at its owner. The eleventh joins.
All keys are then read by the new placement: the misses must be the keys that
`plan` counts, no more, and all of them at the newcomer; a miss is stored, so
the second pass misses nothing. On the same servers `hash % N` loses ten of
eleven.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    TOP, "build", "bin", "clockwise"))
KEYS = 22000
RING = ["--set", "algorithm=ring", "--set", "points=150"]
MODULO = ["--set", "algorithm=modulo"]


def clockwise(*words):
    return subprocess.run([TOOL, *words], stdout=subprocess.PIPE,
                          check=True).stdout


def homes(fleet, keys, placement):
    """address -> its keys"""
    found = {}
    for line in clockwise("route", "-a", "-f", fleet, "-k", keys,
                          *placement).splitlines():
        key, address = line.split(b"\t")
        found.setdefault(address, []).append(key)
    return found


class Fleet:
    def __init__(self, ports):
        self.clients = {b"127.0.0.1:%d" % p: servers.Memcached(p)
                        for p in ports}

    def close(self):
        for client in self.clients.values():
            client.close()

    def fill(self, where):
        for address, keys in where.items():
            self.clients[address].set_all(keys)

    def read(self, where):
        """All keys by this placement; misses are stored. address -> missed"""
        missed = {}
        for address, keys in where.items():
            there = self.clients[address].get_all(keys)
            lost = [k for k in keys if k not in there]
            self.clients[address].set_all(lost)
            if lost:
                missed[address] = len(lost)
        return missed

    def flush(self):
        for client in self.clients.values():
            client.socket.sendall(b"flush_all\r\n")
            assert client.file.readline() == b"OK\r\n"


def rate(missed):
    return 100 - 100 * sum(missed.values()) / KEYS


def story(fleet, ten, eleven, keys, placement):
    """Plan, fill, add, read twice: (plan, misses of the three passes)"""
    plan = json.loads(clockwise("plan", "--json", "-k", keys, *placement, ten,
                                eleven))
    before = homes(ten, keys, placement)
    after = homes(eleven, keys, placement)
    fleet.fill(before)
    return plan, fleet.read(before), fleet.read(after), fleet.read(after)


def show(what, plan, passes):
    print("%-8s moved %6.2f %%, ideal %5.2f %%; of the keys %5d; hit rate "
          "%6.2f %%, after the change %6.2f %%, refilled %6.2f %%"
          % (what, 100 * plan["moved"], 100 * plan["ideal"],
             plan["traffic"]["moved"]["keys"], *map(rate, passes)))


def near(count, share):
    """Within 5 standard deviations of a binomial count."""
    return abs(count - KEYS * share) <= 5 * math.sqrt(
        KEYS * share * (1 - share))


def check(work):
    with servers.Servers() as started:
        ports = [started.memcached() for _ in range(11)]
        keys = os.path.join(work, "keys")
        with open(keys, "w", encoding="ascii") as f:
            f.writelines("user:%d\n" % i for i in range(KEYS))
        files = []
        for count in (10, 11):
            files.append(os.path.join(work, "fleet-%d" % count))
            with open(files[-1], "w", encoding="ascii") as f:
                f.writelines("node-%d address=127.0.0.1:%d\n" % (i, port)
                             for i, port in enumerate(ports[:count]))
        fleet = Fleet(ports)

        plan, *passes = story(fleet, *files, keys, RING)
        show("ring", plan, passes)
        newcomer = b"127.0.0.1:%d" % ports[10]
        share = next(n["share_after"] for n in plan["nodes"]
                     if n["node"] == "node-10")
        assert passes[0] == {}, passes[0]
        assert set(passes[1]) == {newcomer}, passes[1]
        assert passes[1][newcomer] == plan["traffic"]["moved"]["keys"]
        assert passes[2] == {}, passes[2]
        assert plan["excess_churn"] == 0 and plan["basis"] == "exact"
        assert abs(plan["moved"] - share) < 1e-9, (plan["moved"], share)
        assert abs(plan["ideal"] - 1 / 11) < 1e-9, plan["ideal"]
        assert near(passes[1][newcomer], share), (passes[1], share)

        fleet.flush()
        plan, *passes = story(fleet, *files, keys, MODULO)
        show("modulo", plan, passes)
        assert passes[0] == {} and passes[2] == {}, passes
        lost = sum(passes[1].values())
        assert lost == plan["traffic"]["moved"]["keys"], lost
        assert near(lost, 10 / 11), lost
        fleet.close()


def main():
    with tempfile.TemporaryDirectory() as work:
        check(work)
    return 0


sys.exit(main())
