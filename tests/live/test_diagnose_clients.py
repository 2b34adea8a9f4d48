#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Real clients, as Debian has them (so its Python as well): `diagnose` on what
real servers say of their traffic.

Redis: python3-redis sends each command to the owner that `clockwise` names; the
evidence is what redis-cli prints of MONITOR, INFO commandstats and --scan. The
hot key must be named, and none where there is none.

memcached: pymemcache's HashClient places the keys itself; with its row the
fleet is sound, with another placement `diagnose` says that a client has
another one. So does libmemcached, with its own configuration string as the
fleet file. The seed is printed."""

import bisect
import collections
import ctypes
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import live  # noqa: E402
import servers  # noqa: E402

try:
    import pymemcache
    import redis
except ImportError as missing:
    sys.exit("%s; scripts/setup installs it" % missing)

NODES = 6
KEYS = 20000


def load(rng, exponent, requests):
    """By Zipf's law, or evenly when the exponent is 0."""
    sums, total = [], 0.0
    for i in range(KEYS):
        total += 1 / (i + 1) ** exponent
        sums.append(total)
    return ["user:%d" % bisect.bisect(sums, rng.random() * total)
            for _ in range(requests)]


def write_fleet(path, ports, placement):
    with open(path, "w", encoding="ascii") as f:
        json.dump({"placement": placement, "nodes": [
            {"name": "127.0.0.1:%d" % port} for port in ports]}, f)


def diagnose(fleet, ports, pattern):
    words = []
    for port in ports:
        words += ["--at", "127.0.0.1:%d=%s" % (port, pattern % port)]
    got = json.loads(live.clockwise("diagnose", "--json", fleet,
                                    *words).stdout)
    got["causes"] = [f["cause"] for f in got["findings"]]
    return got


def no_hot_key(got, what):
    assert "hot-key" not in got["causes"], (what, got)


def hot_key(got, keys, what):
    """The key that was asked for most, and its true count, at its owner."""
    (key, count), = collections.Counter(keys).most_common(1)
    text = [f["text"] for f in got["findings"] if f["cause"] == "hot-key"]
    assert text and text[0].startswith("hot key: %s is %.2f %% of all" % (
        key, 100 * count / len(keys))), (what, key, got)
    assert got["verdict"] == "hot", (what, got)
    return key


# ---- Redis ----------------------------------------------------------------

def cli(port, *words):
    return subprocess.run(["redis-cli", "-p", str(port), *words], check=True,
                          stdout=subprocess.PIPE, timeout=60).stdout


def wait_for(path, text):
    for _ in range(3000):
        with open(path, "rb") as f:
            if text in f.read():
                return
        time.sleep(0.02)
    sys.exit("%s: %r did not come" % (path, text))


class Monitors:
    """redis-cli monitor of each server, into a file; complete when left."""

    def __init__(self, ports, pattern):
        self.ports, self.pattern, self.running = ports, pattern, []

    def __enter__(self):
        for port in self.ports:
            with open(self.pattern % port, "wb") as f:
                self.running.append(subprocess.Popen(
                    ["redis-cli", "-p", str(port), "monitor"], stdout=f))
        for port in self.ports:
            wait_for(self.pattern % port, b"OK\n")

    def __exit__(self, failed, *_):
        try:
            for port in self.ports if not failed else []:
                cli(port, "echo", "the end")
                wait_for(self.pattern % port, b'"echo" "the end"')
        finally:
            for process in self.running:
                process.terminate()
                process.wait()


def redis_load(clients, keys, owners):
    """A read of each key, every tenth request a write; pipelines of 50."""
    pipes = {owner: c.pipeline(transaction=False)
             for owner, c in clients.items()}
    for count, key in enumerate(keys):
        pipe = pipes[owners[key]]
        if count % 10 == 0:
            pipe.set(key, "value")
        else:
            pipe.get(key)
        if len(pipe) >= 50:
            pipe.execute()
    for pipe in pipes.values():
        pipe.execute()


def redis_story(work, clients, keys):
    """Diagnoses by MONITOR, by commandstats and by the keys held."""
    ports = [int(owner.rsplit(":", 1)[1]) for owner in clients]
    fleet = os.path.join(work, "redis")
    write_fleet(fleet, ports, {"algorithm": "slots"})
    names = sorted(set(keys))
    owners = dict(zip(names, live.route(fleet, names)))
    monitor, info, scan = (os.path.join(work, "%d." + kind)
                           for kind in ("monitor", "info", "scan"))
    for port in ports:
        with open(info % port, "wb") as f:
            f.write(cli(port, "info", "commandstats"))
    with Monitors(ports, monitor):
        redis_load(clients, keys, owners)
    held = 0
    for port in ports:
        with open(info % port, "ab") as f:
            f.write(cli(port, "info", "commandstats"))
        with open(scan % port, "wb") as f:
            f.write(cli(port, "--scan"))
        with open(scan % port, "rb") as f:
            held += f.read().count(b"\n")
    got = [diagnose(fleet, ports, p) for p in (monitor, info, scan)]
    assert [g["basis"] for g in got] == ["nodes", "counters", "nodes"], got
    assert [g["requests"] for g in got] == [len(keys), len(keys), held], got
    for g in got:
        assert "view" not in g["causes"], g
    # Counters and the servers' own logs tell of the same requests.
    assert [n["requests"] for n in got[0]["nodes"]] \
        == [n["requests"] for n in got[1]["nodes"]], got
    assert held == len(set(keys[::10])), held
    no_hot_key(got[1], "counters name no key")
    no_hot_key(got[2], "a key is held once")
    return got


def redis_stories(work, started, rng):
    clients = {}
    for _ in range(NODES):
        port = started.redis()
        clients["127.0.0.1:%d" % port] = redis.Redis(port=port)
    keys = load(rng, 0, 8000)
    got = redis_story(work, clients, keys)
    no_hot_key(got[0], "an even load")
    assert got[0]["verdict"] == "even", got[0]
    for client in clients.values():
        client.flushall()
    keys = load(rng, 1.3, 8000)
    got = redis_story(work, clients, keys)
    key = hot_key(got[0], keys, "MONITOR")
    assert got[1]["verdict"] == "hot", got[1]
    assert got[1]["node"] == got[0]["node"], got
    print("redis: %s named, by MONITOR of %d servers" % (key, NODES))


# ---- memcached ------------------------------------------------------------

def watch(port):
    watcher = servers.Connection(port)
    watcher.socket.sendall(b"watch fetchers mutations\r\n")
    assert watcher.file.readline() == b"OK\r\n"
    return watcher


class HashClient(pymemcache.HashClient):
    def put(self, key):
        self.set(key, "value", noreply=False)


class Libmemcached:
    """The C library, set up by a configuration string."""

    def __init__(self, string):
        lib = self.lib = ctypes.CDLL("libmemcached.so.11")
        lib.memcached.restype = lib.memcached_get.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(lib.memcached(
            string, ctypes.c_size_t(len(string))))
        assert self.handle, string

    def put(self, key):
        key = key.encode()
        failed = self.lib.memcached_set(
            self.handle, key, ctypes.c_size_t(len(key)), b"value",
            ctypes.c_size_t(5), ctypes.c_long(0), ctypes.c_uint32(0))
        assert not failed, (key, failed)

    def get(self, key):
        key, size = key.encode(), ctypes.c_size_t()
        flags, failed = ctypes.c_uint32(), ctypes.c_int()
        value = self.lib.memcached_get(
            self.handle, key, ctypes.c_size_t(len(key)), ctypes.byref(size),
            ctypes.byref(flags), ctypes.byref(failed))
        if value:
            ctypes.CDLL(None).free(ctypes.c_void_p(value))
        assert failed.value in (0, 16), (key, failed)   # 16: not found

    def close(self):
        self.lib.memcached_free(self.handle)


def memcached_load(work, ports, client, keys):
    """By a client; the logs of the servers, in work/PORT.watch."""
    watchers = [watch(port) for port in ports]
    for count, key in enumerate(keys):
        if count % 10 == 0:
            client.put(key)
        else:
            client.get(key)
    # The last line of each log: a key that is asked of this server alone.
    for port, watcher in zip(ports, watchers):
        servers.Memcached(port).get_all([b"the-end"])
        with open(os.path.join(work, "%d.watch" % port), "wb") as f:
            for line in iter(watcher.file.readline, b""):
                if b" key=the-end " in line:
                    break
                f.write(line)
        watcher.close()
    client.close()
    return os.path.join(work, "%d.watch")


def memcached_stories(work, ports, rng, right, client, name):
    """right: the fleet file with the client's own placement."""
    wrong = os.path.join(work, "wrong")
    write_fleet(wrong, ports, {"algorithm": "ring", "points": 600})
    for exponent in 0, 1.3:
        keys = load(rng, exponent, 3000)
        logs = memcached_load(work, ports, client(), keys)
        got, other = (diagnose(f, ports, logs) for f in (right, wrong))
        for g in got, other:
            assert g["basis"] == "nodes" and g["requests"] == len(keys), g
        assert "view" not in got["causes"], got
        assert other["causes"][0] == "view", other
        assert "does not own their key" in other["findings"][0]["text"]
        for g in got, other:
            if exponent:
                hot_key(g, keys, name)
            else:
                no_hot_key(g, name + ", an even load")
    assert got["nodes"] != other["nodes"]
    print("memcached: %s's placement told from another; %s"
          % (name, other["findings"][0]["text"]))


def hash_client(work, ports, rng):
    right = os.path.join(work, "pymemcache")
    write_fleet(right, ports, {"compat": "pymemcache"})
    memcached_stories(
        work, ports, rng, right,
        lambda: HashClient([("127.0.0.1", port) for port in ports]),
        "HashClient")


def libmemcached(work, ports, rng):
    string = " ".join("--SERVER=127.0.0.1:%d" % port for port in ports)
    string += " --DISTRIBUTION=consistent"
    right = os.path.join(work, "libmemcached")
    with open(right, "w", encoding="ascii") as f:
        f.write(string + "\n")
    memcached_stories(work, ports, rng, right,
                      lambda: Libmemcached(string.encode()), "libmemcached")


def main():
    live.need("memcached")
    live.need("redis-server")
    rng = live.seeded()
    with servers.Servers() as started, live.folder() as work:
        redis_stories(work, started, rng)
        ports = [started.memcached() for _ in range(NODES)]
        hash_client(work, ports, rng)
        libmemcached(work, ports, rng)


main()
