#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public case B47: a consistent hash over one name that has three addresses.
nginx sends one key to all three in turn; `import --resolve` says 1 node, 3
addresses. The name is in a hosts file of this test's own mount namespace;
where that is not allowed, only the count of a name that the machine knows is
compared, and that is said."""

import os
import socket
import subprocess
import sys

import live

NAME, PORT = "cluster.example", 8080
HOSTS = ["127.0.47.%d" % i for i in (1, 2, 3)]


def inside(work):
    """Run with the hosts file in place: argv[1:] is `inside WORK`."""
    conf = os.path.join(work, "nginx.conf")
    said = live.clockwise("import", "--resolve", "nginx", conf).stdout
    line = said.split("\n")[1]
    assert line.startswith("# %s:%d: 1 node of the ring, 3 addresses (" % (
        NAME, PORT)), said
    assert line.endswith("taken in turn: a key has no affinity among them")
    backends = live.Backends()
    for host in HOSTS:
        backends.add("%s:%d" % (host, PORT), http=True)
    program = live.Program([live.need("nginx"), "-p", work, "-c", conf],
                           ("127.0.47.9", PORT), work)
    try:
        client = live.Http(("127.0.47.9", PORT))
        got = [client.get("/key") for _ in range(9)]
        client.close()
    finally:
        program.stop()
    count = sorted(got.count("%s:%d" % (h, PORT)) for h in HOSTS)
    assert count == [3, 3, 3], got
    print("one key, 9 requests, one name: 3/3/3 over its addresses")


def main():
    with live.folder() as work:
        os.chmod(work, 0o755)
        with open(os.path.join(work, "nginx.conf"), "w") as f:
            f.write("""daemon off;
worker_processes 1;
pid pid;
error_log error.log;
events {}
http {
    access_log off;
    upstream cluster {
        hash $request_uri consistent;
        server %s:%d;
    }
    server {
        listen 127.0.47.9:%d;
        location / {
            proxy_pass http://cluster;
        }
    }
}
""" % (NAME, PORT, PORT))
        hosts = os.path.join(work, "hosts")
        with open(hosts, "w") as f:
            f.writelines("%s %s\n" % (h, NAME) for h in HOSTS)
        own = ["unshare", "-m" if os.getuid() == 0 else "-rm", "sh", "-c",
               'mount --bind "$0" /etc/hosts && exec "$@"', hosts]
        if subprocess.run(own + ["true"], capture_output=True).returncode:
            print("no mount namespace here: only localhost was counted")
            return counted(work)
        return subprocess.run(own + [sys.executable, __file__, "inside",
                                     work]).returncode


def counted(work):
    """localhost, as this machine knows it."""
    n = len({a[4][0] for a in socket.getaddrinfo(
        "localhost", None, type=socket.SOCK_STREAM)})
    path = os.path.join(work, "localhost.conf")
    with open(path, "w") as f:
        f.write("upstream u {\n hash $uri consistent;\n"
                " server localhost:80;\n}\n")
    said = live.clockwise("import", "--resolve", "nginx", path).stdout
    assert ("%d addresses" % n in said) == (n > 1), said
    return 0


if sys.argv[1:2] == ["inside"]:
    inside(sys.argv[2])
else:
    sys.exit(main())
