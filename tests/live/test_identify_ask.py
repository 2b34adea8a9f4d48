#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`identify --ask` against memcached and Redis servers: keys are stored where
twemproxy, and go-redis, would put them; the row must be found by asking the
servers alone. Keys of two nodes and of none are counted and left out, no item
is touched, and a node that is down is said. The seed is printed."""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import live  # noqa: E402
import servers  # noqa: E402


def identify(fleet, keys, *words):
    return subprocess.run(
        [live.TOOL, "--json", "identify", "-f", fleet, "--ask", "-", *words],
        input="".join(k + "\n" for k in keys), capture_output=True, text=True,
        timeout=250)


def write(path, ports, placement):
    with open(path, "w", encoding="ascii") as f:
        json.dump({"placement": placement,
                   "nodes": [{"name": "10.0.0.%d:22121" % i,
                              "address": "127.0.0.1:%d" % port}
                             for i, port in enumerate(ports)]}, f)


def check(kind, row, ports, clients, keys, work):
    fleet = os.path.join(work, kind)
    write(fleet, ports, {"compat": row})
    homes = [ports.index(int(a.rsplit(":", 1)[1]))
             for a in live.route(fleet, keys)]
    for i, client in enumerate(clients):
        client.set_all([k.encode() for k, h in zip(keys, homes) if h == i])
    write(fleet, ports, {"algorithm": "ring"})
    done = identify(fleet, keys)
    assert done.returncode == 0 and done.stderr == "", done
    found = json.loads(done.stdout)
    best = [b["placement"].split(" ")[0] for b in found["best"]]
    assert found["pairs"] == len(keys), found["pairs"]
    assert "compat=" + row in best, (row, best)

    print("%s: %d keys of %s found again" % (kind, len(keys), row))
    return fleet, homes


def copies_and_absent_keys(fleet, homes, clients, keys):
    for key in keys[:7]:
        clients[(homes[keys.index(key)] + 1) % len(clients)].set_all(
            [key.encode()])
    done = identify(fleet, keys + ["nowhere-%d" % i for i in range(5)])
    assert done.returncode == 0, done
    assert ("of %d keys no node holds 5 and several hold 7: left out"
            % (len(keys) + 5)) in done.stderr, done.stderr
    assert json.loads(done.stdout)["pairs"] == len(keys) - 7


def a_node_is_down(fleet, homes, ports, keys):
    write(fleet, ports[:-1] + [servers.free_port()], {"algorithm": "ring"})
    done = identify(fleet, keys)
    assert done.returncode == 0, done
    assert "what it holds is left out" in done.stderr, done.stderr
    assert json.loads(done.stdout)["pairs"] == sum(
        h != len(ports) - 1 for h in homes)


def untouched(client, keys):
    """memcached marks an item that was ever fetched: h1."""
    for key in keys:
        client.socket.sendall(b"mg %s h u\r\n" % key.encode())
        line = client.file.readline()
        assert line in (b"HD h0\r\n", b"EN\r\n"), (key, line)


def main():
    rng = live.seeded()
    keys = sorted({live.random_key(rng) for _ in range(400)})
    with tempfile.TemporaryDirectory() as work, servers.Servers() as started:
        ports = [started.memcached() for _ in range(4)]
        clients = [servers.Memcached(p) for p in ports]
        fleet, homes = check("memcached", "twemproxy-ketama", ports, clients,
                             keys, work)
        copies_and_absent_keys(fleet, homes, clients, keys)
        for client in clients:
            untouched(client, keys)
            client.close()
        ports = [started.redis() for _ in range(4)]
        clients = [servers.Redis(p) for p in ports]
        fleet, homes = check("redis", "go-redis", ports, clients, keys, work)
        a_node_is_down(fleet, homes, ports, keys)
        for client in clients:
            client.close()
    none = subprocess.run(
        [live.TOOL, "identify", "--nodes",
         "127.0.0.1:%d,127.0.0.1:%d" % (servers.free_port(),
                                        servers.free_port()),
         "--ask", "-"], input="a\n", capture_output=True, text=True)
    assert none.returncode == 3 and "no node answers" in none.stderr, none
    return 0


sys.exit(main())
