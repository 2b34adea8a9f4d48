#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""twemproxy itself against `clockwise` on the same nutcracker.yml: random
pools, servers, weights, names and keys, drawn anew each run; the files that
one refuses, the other refuses; what is exported runs and means the same."""

import os
import re
import socket
import subprocess
import sys

import live

HASHES = ("one_at_a_time md5 crc16 crc32 crc32a fnv1_64 fnv1a_64 fnv1_32 "
          "fnv1a_32 hsieh murmur jenkins").split()
POOLS, KEYS, BROKEN = 12, 400, 120


def pool(rng, backends, name, port, sockets):
    lines = ["%s:" % name, "  listen: 127.0.71.1:%d" % port,
             "  timeout: 5000"]
    if rng.random() < 0.9:
        lines.append("  hash: %s" % rng.choice(HASHES))
    if rng.random() < 0.9:
        lines.append("  distribution: %s" % rng.choice(["ketama", "ketama",
                                                        "modula"]))
    if rng.random() < 0.4:
        lines.append('  hash_tag: "%s"' % rng.choice(["{}", "$$", "[]"]))
    lines.append("  servers:")
    names = rng.random() < 0.5
    for i in range(rng.randint(1, 9)):
        weight = rng.choice([1, 1, 1, 2, 3, 10, 100])
        if rng.random() < 0.1:
            path = os.path.join(sockets, "%s-%d" % (name, i))
            server, address = path, "unix:" + path
        else:
            host = "127.0.71.%d" % (10 + i)
            address = "%s:%d" % (host, rng.choice(
                [11211, live.free_port(host)]))
            server = address
        if address not in backends.seen:
            backends.add(address, http=False)
            backends.seen.add(address)
        lines.append("   - %s:%d%s" % (server, weight, rng.choice(
            [" node-%d" % i, " n%d:11211" % i, " %d" % i]) if names else ""))
    return lines


def ask(port, keys):
    """Addresses that nutcracker sends the keys to."""
    with socket.create_connection(("127.0.71.1", port), 10) as s:
        f = s.makefile("rb")
        out = []
        for start in range(0, len(keys), 50):
            part = keys[start:start + 50]
            s.sendall(b"".join(b"get %s\r\n" % k.encode() for k in part))
            for _ in part:
                head = f.readline()
                if not head.startswith(b"VALUE"):
                    raise SystemExit("nutcracker answers %r" % head)
                out.append(f.readline().strip().decode())
                f.readline()
    return out


def accepts(nutcracker, path):
    return subprocess.run([nutcracker, "-t", "-c", path], stderr=-3,
                          stdout=-3).returncode == 0


def break_it(rng, text):
    """One change that may or may not matter."""
    lines = text.split("\n")
    i = rng.randrange(len(lines))
    line = lines[i]
    kind = rng.randrange(6)
    if "listen" in line and kind in (2, 3, 5):
        # nutcracker also refuses a name that does not resolve: only the port
        lines[i] = re.sub(r":\d+$", rng.choice([":0", ":99999", ":x", ":",
                          "", ":-1"]), line)
    elif kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(i, line)
    elif kind == 2 and re.search(r"\d+", line):
        lines[i] = re.sub(r"\d+", rng.choice(["0", "99999", "x", "", "-1"]),
                          line, count=1)
    elif kind == 3 and len(line) > 3:
        at = rng.randrange(3, len(line))
        lines[i] = line[:at] + line[at + 1:]
    elif kind == 4:
        lines[i] = line.replace(":", rng.choice(["", " :", ": :"]), 1)
    else:
        lines[i] = re.sub(r"[a-z_]{4,}", rng.choice(["word", "servers",
                          "true", "yes", "[a]", "{a: b}"]), line, count=1)
    return "\n".join(lines)


def main():
    nutcracker = live.need("nutcracker")
    rng = live.seeded()
    backends = live.Backends()
    backends.seen = set()
    tally = live.Tally("nutcracker: random pools")
    broken = live.Tally("nutcracker: files with a change")
    written = live.Tally("nutcracker: exported files")
    with live.folder() as work:
        path = os.path.join(work, "nutcracker.yml")
        pools = [("p%d" % i, live.free_port("127.0.71.1"))
                 for i in range(POOLS)]
        lines = []
        for name, port in pools:
            lines += pool(rng, backends, name, port, work)
        text = "\n".join(lines) + "\n"
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        running = live.Program(
            [nutcracker, "-c", path, "-v", "4", "-a", "127.0.71.1", "-s",
             str(live.free_port("127.0.71.1")), "-p",
             os.path.join(work, "pid")], ("127.0.71.1", pools[0][1]), work)
        try:
            for name, port in pools:
                keys = [live.random_key(rng) for _ in range(KEYS // 2)] + [
                    "a{%s}b$%s$" % (live.random_key(rng, "xyz"),
                                    live.random_key(rng, "xyz"))
                    for _ in range(KEYS // 2)]
                tally.compare("pool %s" % name, keys, ask(port, keys),
                              live.route(path, keys, "--pool", name))
        finally:
            running.stop()
        for name, _ in pools:
            out = os.path.join(work, "exported.yml")
            with open(out, "w", encoding="utf-8") as f:
                f.write(live.export("twemproxy", path, "--pool", name))
            same = accepts(nutcracker, out) and live.fingerprint(out) \
                == live.fingerprint(path, "--pool", name)
            written.verdicts("pool %s" % name, same, True)
        for i in range(BROKEN):
            changed = os.path.join(work, "changed.yml")
            part = "\n".join(lines[:rng.randint(8, len(lines))]) + "\n"
            with open(changed, "w", encoding="utf-8") as f:
                f.write(break_it(rng, part))
            with open(changed, encoding="utf-8") as f:
                shown = f.read()
            ours = live.clockwise("check", "-q", changed, status=None)
            broken.verdicts("change %d" % i, accepts(nutcracker, changed),
                            ours.returncode == 0,
                            shown[-1500:] + ours.stderr[:600])
    return 1 if tally.done() + written.done() + broken.done() else 0


if __name__ == "__main__":
    sys.exit(main())
