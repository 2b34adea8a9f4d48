#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`verify --holders` and `--delete-strays` against memcached and Redis.

Some keys are stored at their owners, some at other nodes. The strays must be
counted, listed, left alone without --apply, and removed with it; the others
must stay. One node is down in the last part: that is said, and is an error.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    TOP, "build", "bin", "clockwise"))
# blanks and bytes above 127 go through the escapes of metadump and of SCAN
KEYS = [b"user:%d" % i for i in range(500)] + [
    b"percent%25", b"caf\xc3\xa9", b"\xff\xfe", b"k" * 250]


def verify(fleet, *words):
    done = subprocess.run([TOOL, "verify", "--holders", fleet, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60)
    return done.returncode, done.stdout, done.stderr


def owners(fleet, keys):
    """key -> number of its node"""
    out = subprocess.run([TOOL, "route", "-0", "-f", fleet],
                         input=b"".join(k + b"\0" for k in keys),
                         stdout=subprocess.PIPE, check=True).stdout
    pairs = [r.rsplit(b"\t", 1) for r in out.split(b"\0")[:-1]]
    assert [p[0] for p in pairs] == keys
    return {key: int(name[1:]) for key, name in pairs}


def check(kind, ports, clients, work):
    fleet = os.path.join(work, kind)
    with open(fleet, "w", encoding="ascii") as f:
        f.writelines("n%d address=127.0.0.1:%d\n" % (i, p)
                     for i, p in enumerate(ports))
    home = owners(fleet, KEYS)
    strays = KEYS[::7] + KEYS[-4:]
    strays = sorted(set(strays))
    held = [[k for k in KEYS if home[k] == i] for i in range(len(ports))]
    lost = [[k for k in strays if (home[k] + 1) % len(ports) == i]
            for i in range(len(ports))]
    for i, client in enumerate(clients):
        client.set_all(held[i])

    status, out, err = verify(fleet)
    assert status == 0 and err == b"", (status, out, err)
    assert b"# 0 of %d keys are strays" % len(KEYS) in out, out

    for i, client in enumerate(clients):
        client.set_all(lost[i])
    total = len(KEYS) + len(strays)
    status, out, err = verify(fleet)
    assert status == 1, (status, out, err)
    assert b"# %d of %d keys are strays" % (len(strays), total) in out, out
    for i, line in enumerate(out.splitlines()[1:1 + len(ports)]):
        words = line.split(b"\t")
        assert words[0] == b"n%d" % i, line
        assert int(words[1]) == len(held[i]) + len(lost[i]), line
        assert int(words[3]) == len(lost[i]), line
        assert (int(words[4]) > 0) == (len(lost[i]) > 0), line

    status, out, err = verify(fleet, "--delete-strays")
    assert status == 1, (status, out, err)
    assert out.count(b"stray\t") == len(strays), out
    assert [c.get_all(KEYS) for c in clients] == [
        set(held[i]) | set(lost[i]) for i in range(len(ports))]

    status, out, err = verify(fleet, "--delete-strays", "--apply")
    assert b"%d were removed" % len(strays) in out, (status, out, err)
    assert [c.get_all(KEYS) for c in clients] == [set(h) for h in held]
    status, out, err = verify(fleet)
    assert status == 0, (status, out, err)
    print("%s: %d keys, %d strays found, listed, removed"
          % (kind, len(KEYS), len(strays)))


def gone(work, port):
    """A node that does not answer."""
    fleet = os.path.join(work, "gone")
    with open(fleet, "w", encoding="ascii") as f:
        f.write("here address=127.0.0.1:%d\n" % port)
        f.write("gone address=127.0.0.1:%d\n" % servers.free_port())
    status, out, err = verify(fleet)
    assert status != 0 and b"gone" in err, (status, out, err)


def main():
    with tempfile.TemporaryDirectory() as work, servers.Servers() as started:
        for kind, start, client in (
                ("memcached", started.memcached, servers.Memcached),
                ("redis", started.redis, servers.Redis)):
            ports = [start() for _ in range(3)]
            clients = [client(p) for p in ports]
            check(kind, ports, clients, work)
            gone(work, ports[0])
            for c in clients:
                c.close()
    return 0


sys.exit(main())
