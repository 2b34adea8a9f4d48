#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples against real memcached servers.

Three servers on free ports of the loopback; the client example stores keys and
finds them; each key is then looked for on every server directly: it must be
on one, and on the one that `clockwise route` names. A server is taken out of
the list: its keys miss, all others are found. Without memcached this fails.
"""

import collections
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.environ.get("CW_SOURCE_DIR") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.environ.get("CW_BUILD_DIR") or os.path.join(TOP, "build")
CLOCKWISE = os.environ.get("CLOCKWISE") or os.path.join(BUILD, "bin",
                                                        "clockwise")
CLIENT = os.path.join(BUILD, "examples", "memcached_client")
LIVE = os.path.join(BUILD, "examples", "live_map")
SHARED = os.path.join(BUILD, "examples", "shared_view")
NAMES = ["cache-a", "cache-b", "cache-c"]
KEYS = ["user:%d" % i for i in range(150)]


def fail(text):
    sys.exit("test_example_memcached: " + text)


def check(condition, text):
    if not condition:
        fail(text)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, server):
    for _ in range(500):
        if server.poll() is not None:
            return False
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.02)
    return False


def start_server(program, running):
    """A server on a free port; another port when somebody was faster."""
    for _ in range(5):
        port = free_port()
        command = [program, "-l", "127.0.0.1", "-p", str(port), "-U", "0",
                   "-m", "16", "-t", "1"]
        if os.geteuid() == 0:
            command += ["-u", "root"]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        running.append(server)
        if wait_for(port, server):
            return port
    fail("memcached does not answer on any port")


def direct_get(port, key):
    with socket.create_connection(("127.0.0.1", port), 10) as s:
        s.sendall(b"get %s\r\n" % key.encode())
        got = b""
        while not got.endswith(b"END\r\n"):
            part = s.recv(4096)
            check(part, "server on port %d closed" % port)
            got += part
    return got.split(b"\r\n")[1].decode() if got != b"END\r\n" else None


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    check(done.returncode in (0, 1), "%s: status %d, %s" % (
        " ".join(command), done.returncode, done.stderr))
    return done.returncode, done.stdout


def write_fleet(path, ports, names):
    with open(path, "w") as f:
        f.write("# one node a line\n")
        for name in names:
            f.write("%s address=127.0.0.1:%d\n" % (name, ports[name]))


def routes(fleet):
    done = subprocess.run([CLOCKWISE, "route", "-f", fleet], text=True,
                          input="".join(k + "\n" for k in KEYS),
                          capture_output=True, timeout=60)
    check(done.returncode == 0, "clockwise route: " + done.stderr)
    return dict(line.split("\t") for line in done.stdout.splitlines())


def keys_are_where_they_should(fleet, ports):
    owners = routes(fleet)
    check(len(set(owners.values())) == 3, "a server without keys")
    for key in KEYS:
        status, out = run(CLIENT, fleet, "set", key, "value of " + key)
        check(status == 0 and out == "%s\tSTORED\n" % owners[key],
              "set %s: %r, %s expected" % (key, out, owners[key]))
    for key in KEYS:
        status, out = run(CLIENT, fleet, "get", key)
        check((status, out) == (0, "%s\tvalue of %s\n" % (owners[key], key)),
              "get %s: %r" % (key, out))
        for name in NAMES:
            want = "value of " + key if name == owners[key] else None
            check(direct_get(ports[name], key) == want,
                  "%s on %s" % (key, name))
    return owners


def only_the_lost_keys_miss(fleet, ports, owners):
    write_fleet(fleet, ports, ["cache-c", "cache-a"])   # another order, too
    missed = 0
    for key in KEYS:
        status, out = run(CLIENT, fleet, "get", key)
        lost = owners[key] == "cache-b"
        check(status == (1 if lost else 0),
              "get %s without cache-b: %r" % (key, out))
        missed += lost
    print("%d keys on 3 servers; without cache-b %d miss" % (len(KEYS),
                                                            missed))


def late_reload(fleet, ports):
    write_fleet(fleet, ports, NAMES)
    status, out = run(SHARED, fleet, "cache-d address=127.0.0.1:1")
    lines = out.splitlines()
    check(status == 0 and len(lines) == 3, "shared_view: %r" % out)
    parts = [float(line.split("%")[0].split()[-1]) for line in lines]
    equal = [line.endswith("equal") for line in lines]
    check(parts[0] == 0 and parts[2] == 0, "views differ: %r" % out)
    check(15 < parts[1] < 35, "a quarter is due to the fourth node: %r" % out)
    check(equal == [True, False, True], "fingerprints: %r" % out)
    print(out, end="")


def change_under_readers():
    """Both threads end with the map that the program builds of the rest."""
    status, out = run(LIVE)
    keys = "".join("user:%d\n" % i for i in range(10000))
    routed = subprocess.run([CLOCKWISE, "route", "--nodes",
                             "cache-b,cache-c,cache-d"], input=keys, text=True,
                            capture_output=True, check=True).stdout
    want = collections.Counter(line.split("\t")[1]
                               for line in routed.splitlines())
    got = sorted(out.splitlines())
    check(status == 0 and got == sorted(2 * ["%s\t%d" % x
                                             for x in want.items()]),
          "live_map: %r, wanted %r twice" % (out, want))


def main():
    program = shutil.which("memcached")
    check(program, "memcached is not installed (Debian package memcached; "
                   "scripts/setup installs it)")
    change_under_readers()
    running = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            fleet = os.path.join(folder, "fleet")
            ports = {name: start_server(program, running) for name in NAMES}
            write_fleet(fleet, ports, NAMES)
            owners = keys_are_where_they_should(fleet, ports)
            only_the_lost_keys_miss(fleet, ports, owners)
            late_reload(fleet, ports)
    finally:
        for server in running:
            server.terminate()
        for server in running:
            server.wait()


if __name__ == "__main__":
    main()
