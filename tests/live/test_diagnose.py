#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The four stories of a hot node, on eight real memcached: one node of 150
points among seven of 50, one of 50 among seven of 150, a hot key, and none of
these. What `watch fetchers` of the servers says is the evidence; `clockwise
diagnose` must tell them apart, from `stats` before and after as well (but for
the hot key, which counters do not name), and verify the mend."""

import bisect
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TOOL = os.environ["CLOCKWISE"]
NODES = 8
REQUESTS = 6000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self):
        self.port = free_port()
        self.process = subprocess.Popen(
            ["memcached", "-u", "root", "-l", "127.0.0.1", "-p",
             str(self.port), "-m", "16"], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.client = socket.create_connection(
                    ("127.0.0.1", self.port))
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("memcached did not start")

    def ask(self, data):
        self.client.sendall(data)
        answer = b""
        while not answer.endswith(b"\r\n"):
            answer += self.client.recv(65536)
        return answer

    def stats(self):
        self.client.sendall(b"stats\r\n")
        answer = b""
        while not answer.endswith(b"END\r\n"):
            answer += self.client.recv(65536)
        return answer

    def watch(self):
        w = socket.create_connection(("127.0.0.1", self.port))
        w.sendall(b"watch fetchers\n")
        assert w.recv(100).startswith(b"OK")
        return w

    def stop(self):
        self.process.terminate()
        self.process.wait()


def drain(watcher, log, lines=None):
    """What has come into log, and how many lines that is. Given lines, that
    many are waited for: the server writes them when its logger gets to it."""
    watcher.settimeout(0.0 if lines is None else 60.0)
    got = 0
    try:
        while lines is None or got < lines:
            more = watcher.recv(1 << 16)
            if not more:
                break
            log.write(more)
            got += more.count(b"\n")
    except BlockingIOError:
        pass
    return got


def fleet(path, servers, weights, points):
    with open(path, "w") as f:
        f.write("placement: {algorithm: ring, points: %d}\nnodes:\n" % points)
        for i, s in enumerate(servers):
            f.write("  - {name: s%d, address: '127.0.0.1:%d', weight: %d}\n"
                    % (i + 1, s.port, weights[i]))


def zipf(rng, n, exponent):
    sums, total = [], 0.0
    for i in range(n):
        total += 1 / (i + 1) ** exponent
        sums.append(total)
    return lambda: bisect.bisect(sums, rng.random() * total)


def story(work, servers, weights, points, exponent, rng):
    """Run a load through the fleet and read what the servers saw of it."""
    work = tempfile.mkdtemp(dir=work)
    path = os.path.join(work, "fleet.yaml")
    fleet(path, servers, weights, points)
    draw = zipf(rng, 4000, exponent)
    keys = ["key:%d" % draw() for _ in range(REQUESTS)]
    routed = subprocess.run([TOOL, "route", "-f", path, "--owner"],
                            input="\n".join(keys) + "\n", text=True,
                            capture_output=True, check=True).stdout
    paths = [os.path.join(work, "s%d.log" % (i + 1)) for i in range(NODES)]
    counts = [s.stats() for s in servers]
    logs = [(s.watch(), open(p, "wb")) for s, p in zip(servers, paths)]
    missing = [0] * NODES
    for count, line in enumerate(routed.splitlines()):
        key, node = line.split("\t")
        i = int(node[1:]) - 1
        servers[i].ask(b"mg %s v\r\n" % key.encode())
        missing[i] += 1
        if count % 50 == 0:         # a log that is not read drops lines
            for i, (w, log) in enumerate(logs):
                missing[i] -= drain(w, log)
    for i, (w, log) in enumerate(logs):
        drain(w, log, missing[i])
        w.close()
        log.close()
    args, counted = [], []
    for i, p in enumerate(paths):
        args += ["--at", "s%d=%s" % (i + 1, p)]
        with open(p + ".stats", "wb") as f:
            f.write(counts[i] + servers[i].stats())
        counted += ["--at", "s%d=%s.stats" % (i + 1, p)]
    return {"fleet": path, "logs": paths, "at": args,
            "watch": diagnose(path, args), "stats": diagnose(path, counted)}


def diagnose(path, args):
    out = subprocess.run([TOOL, "diagnose", "--json", path] + args,
                         text=True, capture_output=True)
    assert out.returncode == 0, out.stderr
    return json.loads(out.stdout)


def mended(before, after):
    """The same command, given both loads: max/avg then and now."""
    words = [TOOL, "diagnose", "-q", after["fleet"]] + after["at"]
    for p in before["logs"]:
        words += ["--before", p]
    out = subprocess.run(words + ["--before-fleet", before["fleet"]],
                         text=True, capture_output=True)
    assert out.returncode == 0, out.stderr
    last = out.stdout.splitlines()[-1]
    print("mended:", last[2:])
    found = re.match(r"# max/avg before ([0-9.]+), now ([0-9.]+)$", last)
    assert float(found[1]) > 2 > 1.5 > float(found[2]), last


def check(name, story, verdict, cause, node=None):
    if cause != "hot-key":
        counted = story["stats"]
        assert counted["basis"] == "counters", counted["basis"]
        assert counted["requests"] == REQUESTS, counted["requests"]
        assert counted["verdict"] == verdict, counted
        assert counted["findings"][0]["cause"] == cause, counted["findings"]
        assert not node or counted["node"] == node, counted["node"]
    got = story["watch"]
    assert got["basis"] == "nodes", got["basis"]
    causes = [f["cause"] for f in got["findings"]]
    print("%s: %s, %s, %s, %.2f %% of %d requests"
          % (name, got["verdict"], got["node"], causes, 100 * got["load"],
             got["requests"]))
    assert got["requests"] == REQUESTS, got["requests"]
    assert got["verdict"] == verdict, got
    assert causes[0] == cause, got
    if node:
        assert got["node"] == node, got


def main():
    if not shutil.which("memcached"):
        sys.exit("memcached is not installed: scripts/setup installs it")
    seed = int(os.environ.get("CW_TEST_SEED", "7"))
    print("seed %d" % seed)
    rng = random.Random(seed)
    servers = [Server() for _ in range(NODES)]
    try:
        with tempfile.TemporaryDirectory() as work:
            got = story(work, servers, [1] * 8, 600, 0, rng)
            check("even", got, "even", "chance")
            got = story(work, servers, [3] + [1] * 7, 50, 0, rng)
            check("one of 150 among 50", got, "hot", "weight", "s1")
            assert len(got["watch"]["remedies"]) >= 2
            mended(got, story(work, servers, [1] * 8, 50, 0, rng))
            got = story(work, servers, [1] + [3] * 7, 50, 0, rng)
            check("one of 50 among 150", got, "cold", "weight", "s1")
            got = story(work, servers, [1] * 8, 600, 1.4, rng)
            check("a hot key", got, "hot", "hot-key")
    finally:
        for s in servers:
            s.stop()


main()
