#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nginx and HAProxy themselves against `clockwise` on the same file: random
upstreams and backends, weights and keys, drawn anew each run; lines that one
refuses, the other refuses; exported files run and mean the same; and session
affinity: 1,000 client addresses, then a machine more."""

import os
import subprocess
import sys

import live

POOLS, KEYS, CLIENTS = 8, 250, 1000
FRONT = "127.0.72.1"

NGINX = """daemon off;
pid %(work)s/pid;
error_log %(work)s/error.log;
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path %(work)s/b;
    proxy_temp_path %(work)s/p;
    fastcgi_temp_path %(work)s/f;
    uwsgi_temp_path %(work)s/u;
    scgi_temp_path %(work)s/s;
    keepalive_requests 100000;
%(pools)s
}
"""

HAPROXY = """global
    maxconn 4000
defaults
    mode http
    timeout client 30s
    timeout server 30s
    timeout connect 5s
%(pools)s
"""


class Nginx:
    name = "nginx"

    def __init__(self):
        self.program = live.need("nginx")

    def text(self, work, pools):
        return NGINX % {"work": work, "pools": "\n".join(
            "    server { listen %s:%d; location / { proxy_pass "
            "http://%s; } }" % (FRONT, port, name)
            for name, port, _ in pools) + "\n" + "\n".join(
            text for _, _, text in pools)}

    def args(self, path):
        return [self.program, "-p", os.path.dirname(path), "-c", path]

    def accepts(self, path):
        return subprocess.run(self.args(path) + ["-t", "-q"], stdout=-3,
                              stderr=-3).returncode == 0

    def pool(self, rng, name, servers):
        lines = ["    upstream %s {" % name, "        hash $http_x_k%s;"
                 % rng.choice([" consistent", " consistent", ""])]
        for address in servers:
            weight = rng.choice([1, 1, 2, 3, 7, 20])
            lines.append("        server %s%s;" % (
                address, " weight=%d" % weight if weight > 1 else ""))
        return "\n".join(lines + ["    }"])

    def by_client(self, name, servers):
        return "    upstream %s {\n        hash $remote_addr consistent;\n" \
            "%s\n    }" % (name, "\n".join("        server %s;" % s
                                           for s in servers))

    def one_line(self, line):
        return "    upstream x {\n        hash $uri consistent;\n" \
            "        server 10.0.0.1;\n        %s\n    }" % line

    lines = """server 10.0.0.2;|server 10.0.0.2:80 weight=3;|server [::1]:80;
server [::1];|server unix:/tmp/x;|server unix:;|server 10.0.0.2:0;
server 10.0.0.2:99999;|server 10.0.0.2:x;|server 10.0.0.2:;|server [::1;
server 10.0.0.2 weight=0;|server 10.0.0.2 weight=x;|server 10.0.0.2 weight=;
server 10.0.0.2 wight=2;|server 10.0.0.2 backup;|server 10.0.0.2 down;
server 10.0.0.2 max_fails=x;|server 10.0.0.2 max_fails=3 fail_timeout=10s;
server 10.0.0.2 fail_timeout=abc;|server;|server 10.0.0.2/x;|hash;
hash $uri consistently;|hash $uri a b;|hash "$uri" consistent;|keepalive 3;
server 10.0.0.2 # no end|server "10.0.0.2";|server 10.0.0.1;
server '10.0.0.2' weight=2;|server :80;|server 10.0.0.2:80:90;}|}
server 10.0.0.2 max_conns=5;|server 10.0.0.2 slow;|zone z 64k;"""


class Haproxy:
    name = "haproxy"

    def __init__(self):
        self.program = live.need("haproxy")

    def text(self, work, pools):
        return HAPROXY % {"pools": "\n".join(
            "frontend f_%s\n    bind %s:%d\n    default_backend %s\n%s"
            % (name, FRONT, port, name, text) for name, port, text in pools)}

    def args(self, path):
        return [self.program, "-f", path]

    def accepts(self, path):
        return subprocess.run(self.args(path) + ["-c", "-q"], stdout=-3,
                              stderr=-3).returncode in (0, 2)

    def pool(self, rng, name, servers):
        lines = ["backend %s" % name, "    balance %s" % rng.choice(
            ["hdr(x-k)", "hash req.fhdr(x-k)"])]
        kind = rng.choice(["", "consistent", "consistent", "map-based"])
        if kind:
            lines.append("    hash-type %s%s" % (kind, rng.choice(
                ["", " sdbm", " djb2", " wt6 avalanche", " crc32",
                 " crc32 avalanche"])))
        ids = rng.sample(range(1, 500), len(servers))
        for i, address in enumerate(servers):
            lines.append("    server s%d %s weight %d%s%s" % (
                i, address, rng.choice([1, 1, 2, 3, 10, 20]),
                " id %d" % ids[i] if rng.random() < 0.3 else "",
                " disabled" if i > 1 and rng.random() < 0.1 else ""))
        return "\n".join(lines)

    def by_client(self, name, servers):
        return "backend %s\n    balance source\n    hash-type consistent\n" \
            "%s" % (name, "\n".join("    server s%d %s id %d" % (
                i, s, i + 1) for i, s in enumerate(servers)))

    def one_line(self, line):
        return "backend x\n    balance uri\n    server a 10.0.0.1:80\n" \
            "    %s" % line

    lines = """server b 10.0.0.2:80|server b 10.0.0.2|server b ::1:80
server b [::1]:80|server b /tmp/x|server b unix@/tmp/x|server a 10.0.0.2:80
server b 10.0.0.2:99999|server b 10.0.0.2:80-90|server b 10.0.0.2:x
server b|server|server b 10.0.0.2:80 weight 257|server b 10.0.0.2:80 weight 0
server b 10.0.0.2:80 wieght 3|server b 10.0.0.2:80 id 0|server b/c 10.0.0.2:80
server b 10.0.0.2:80 id 1|server b 10.0.0.2:80 backup|balance uri depth 2
balance uri depth x|balance uri len 0|balance uri whole|balance foo
balance url_param|balance hdr()|balance hdr(x)|hash-type consistent
hash-type consistent sdbm avalanche|hash-type consistent md5
hash-type ring|hash-type consistent sdbm avalance|hash-balance-factor 90
hash-balance-factor 150|hash-balance-factor 0|server b 10.0.0.2:80 check
server b "10.0.0.2:80|server b 10.0.0.2:80 # comment|balance roundrobin
server b 10.0.0.2:80 check inter 2s rise 3 fall 2 maxconn 30 cookie b
server b 10.0.0.2:80 weight|server b 10.0.0.2:80 weight 3x
server b 10.0.0.2:80 weight x|server-template t 3 10.0.0.3:80 weight 2
server-template t x 10.0.0.3:80|balance url_param id|balance source"""


def servers_of(rng, backends, work, many, sockets):
    out = []
    for i in range(many):
        if sockets and rng.random() < 0.1:
            address = "unix:%s/s%d" % (work, rng.randrange(1 << 30))
        else:
            host = "127.0.72.%d" % (10 + i)
            address = "%s:%d" % (host, live.free_port(host))
        backends.add(address, http=True)
        out.append(address)
    return out


def run_file(p, work, pools):
    path = os.path.join(work, "%s-%d.conf" % (p.name, pools[0][1]))
    with open(path, "w", encoding="utf-8") as f:
        f.write(p.text(work, pools))
    return path, live.Program(p.args(path), (FRONT, pools[0][1]), work)


def random_pools(p, rng, backends, work):
    tally = live.Tally("%s: random pools" % p.name)
    written = live.Tally("%s: exported files" % p.name)
    pools = []
    for i in range(POOLS):
        servers = servers_of(rng, backends, work, rng.randint(2, 9),
                             p.name == "nginx")
        pools.append(("p%d" % i, live.free_port(FRONT),
                      p.pool(rng, "p%d" % i, servers)))
    path, running = run_file(p, work, pools)
    try:
        for name, port, _ in pools:
            keys = [live.random_key(rng) for _ in range(KEYS)]
            client = live.Http((FRONT, port))
            real = [client.get(key=k) for k in keys]
            client.close()
            tally.compare("pool %s" % name, keys, real, live.route(
                path, keys, "-q", "--pool", name))
    finally:
        running.stop()
    for name, _, _ in pools:
        out = os.path.join(work, "exported")
        with open(out, "w", encoding="utf-8") as f:
            f.write(p.text(work, [(name, live.free_port(FRONT), live.export(
                p.name, path, "--pool", name))]))
        written.verdicts("pool %s" % name, p.accepts(out)
                         and live.fingerprint(out)
                         == live.fingerprint(path, "--pool", name), True)
    return tally.done() + written.done()


def lines(p, work):
    tally = live.Tally("%s: lines" % p.name)
    path = os.path.join(work, "line")
    for line in p.lines.replace("\n", "|").split("|"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(p.text(work, [("x", 9, p.one_line(line))]))
        ours = live.clockwise("check", "-q", path, status=None)
        tally.verdicts(repr(line), p.accepts(path), ours.returncode == 0,
                       ours.stderr)
    return tally.done()


def affinity(p, rng, backends, work):
    """Clients by their addresses: a fleet, and the same with one more."""
    servers = servers_of(rng, backends, work, 8, False)
    clients = ["127.%d.%d.%d" % tuple(rng.randint(1, 254) for _ in range(3))
               for _ in range(CLIENTS)]
    seen, paths = [], []
    for many in (7, 8):
        port = live.free_port(FRONT)
        path, running = run_file(p, work, [("c", port, p.by_client(
            "c", servers[:many]))])
        paths.append(path)
        try:
            now = []
            for source in clients:
                client = live.Http((FRONT, port), source)
                now.append(client.get())
                client.close()
            seen.append(now)
        finally:
            running.stop()
    tally = live.Tally("%s: clients" % p.name)
    for path, now in zip(paths, seen):
        tally.compare(path, clients, now, live.route(path, clients, "-q"))
    moved = [(a, b) for a, b in zip(*seen) if a != b]
    rows = dict(line.split("\t")[:2] for line in live.clockwise(
        "diff", "-q", *paths).stdout.splitlines() if line.count("\t") == 1)
    share = float(rows["moved"]) / 100
    error = (share * (1 - share) / CLIENTS) ** 0.5
    print("%s: a machine more moves %.4f of the clients, %.4f +- %.4f are due"
          % (p.name, len(moved) / CLIENTS, share, error))
    if abs(len(moved) / CLIENTS - share) > 4.5 * error:
        tally.wrong += 1
        print("that is no such share")
    between = [m for m in moved if m[1] != servers[7]]
    if between:
        tally.wrong += len(between)
        print("%d clients move between old machines: %s -> %s"
              % (len(between), between[0][0], between[0][1]))
    return tally.done()


def main():
    rng = live.seeded()
    backends = live.Backends()
    wrong = 0
    for p in (Nginx(), Haproxy()):
        with live.folder() as work:
            os.chmod(work, 0o755)
            wrong += random_pools(p, rng, backends, work)
            wrong += lines(p, work)
            wrong += affinity(p, rng, backends, work)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
