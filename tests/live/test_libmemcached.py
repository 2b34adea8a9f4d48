#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libmemcached itself against `clockwise` on the same configuration strings:
servers, weights, options in any order, and keys, drawn anew each run."""

import os
import subprocess
import sys

import live

STRINGS, KEYS = 60, 100


def string(rng):
    parts = []
    for _ in range(rng.randint(1, 6)):
        host = rng.choice(["10.0.0.%d" % rng.randint(1, 20),
                           "cache-%d.example" % rng.randint(1, 20)])
        parts.append("--SERVER=%s%s%s" % (
            host, rng.choice(["", ":11211", ":11212", ":0", ":22122"]),
            rng.choice(["", "", "/?1", "/?2", "/?10", "/?0"])))
    if rng.random() < 0.2:
        parts.append('--SOCKET="/tmp/s%d"%s' % (rng.randint(1, 9),
                                                rng.choice(["", "/?2"])))
    if rng.random() < 0.7:
        parts.append("--DISTRIBUTION=" + rng.choice(
            ["CONSISTENT", "consistent", "MODULA", "CONSISTENT,MD5"]))
    if rng.random() < 0.6:
        parts.append("--HASH=" + rng.choice(
            "MD5 CRC FNV1_64 FNV1A_64 FNV1_32 FNV1A_32 MURMUR JENKINS "
            "sha1".split()))
    for option in ("--SORT-HOSTS", '--NAMESPACE="ns"',
                   "--HASH-WITH-NAMESPACE", "--BINARY-PROTOCOL"):
        if rng.random() < 0.25:
            parts.append(option)
    rng.shuffle(parts)
    return " ".join(parts)


def owners(program, text, keys):
    done = subprocess.run([program, text], text=True, capture_output=True,
                          input="".join(k + "\n" for k in keys))
    if done.returncode != 0:
        return None
    pairs = [line.split("\t") for line in done.stdout.splitlines()]
    return ["unix:" + h if h.startswith("/") else "%s:%s" % (h, p)
            for h, p in pairs]


def main():
    rng = live.seeded()
    tally = live.Tally("libmemcached: random strings")
    passed_over = 0
    with live.folder() as work:
        program = os.path.join(work, "owner")
        subprocess.run([os.environ.get("CC", "cc"), "-o", program,
                        os.path.join(live.HERE, "owner_libmemcached.c"),
                        "-lmemcached"], check=True)
        path = os.path.join(work, "string")
        for i in range(STRINGS):
            text = string(rng)
            keys = [live.random_key(rng) for _ in range(KEYS)]
            with open(path, "w", encoding="utf-8") as f:
                f.write(text + "\n")
            real = owners(program, text, keys)
            ours = live.clockwise("check", path, status=None)
            if "not placed by keys: server" in ours.stdout:
                passed_over += 1    # a server twice, on a weighted ring
                continue
            tally.verdicts(text, real is not None, ours.returncode == 0,
                           ours.stderr)
            if real is not None and ours.returncode == 0:
                tally.compare(text, keys, real, live.route(path, keys))
    print("%d strings with a server twice say so" % passed_over)
    return 1 if tally.done() else 0


if __name__ == "__main__":
    sys.exit(main())
