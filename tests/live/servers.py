# SPDX-License-Identifier: Apache-2.0
"""memcached and Redis servers for a test: on free loopback ports, always
ended, also when the test fails."""

import os
import shutil
import socket
import subprocess
import tempfile
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Servers:
    """Started by memcached() and redis(); used in a `with` statement."""

    def __init__(self):
        self.started = []
        self.folder = tempfile.mkdtemp()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.terminate()
        for process in self.started:
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder)

    def _start(self, words):
        """Another program may take the port before the server does: then
        the server ends at once and the next port is tried."""
        for _ in range(20):
            port = free_port()
            process = subprocess.Popen(
                words + ["-p" if words[0] == "memcached" else "--port",
                         str(port)],
                cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.started.append(process)
            for _ in range(1000):
                if process.poll() is not None:
                    break
                try:
                    socket.create_connection(("127.0.0.1", port), 5).close()
                    return port
                except ConnectionRefusedError:
                    time.sleep(0.02)
        raise RuntimeError("%s does not start" % words[0])

    def memcached(self):
        # Without the maintainer of its LRU lists, which moves an item past
        # the crawler now and then, so that a dump of the keys misses it.
        words = ["memcached", "-l", "127.0.0.1", "-U", "0", "-m", "64",
                 "-t", "1", "-o", "no_lru_maintainer"]
        return self._start(words + (["-u", "nobody"] if os.getuid() == 0
                                    else []))

    def redis(self):
        return self._start(["redis-server", "--bind", "127.0.0.1",
                            "--save", "", "--appendonly", "no"])


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 30)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()


class Memcached(Connection):
    """The few words of the text protocol that the tests need."""

    def set_all(self, keys, value=b"v"):
        """Store the keys, a hundred a write; each must be stored."""
        for at in range(0, len(keys), 100):
            part = keys[at:at + 100]
            self.socket.sendall(b"".join(
                b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value)
                for key in part))
            for key in part:
                answer = self.file.readline()
                assert answer == b"STORED\r\n", (key, answer)

    def get_all(self, keys):
        """The keys that are there."""
        found = set()
        for at in range(0, len(keys), 50):
            self.socket.sendall(b"get " + b" ".join(keys[at:at + 50])
                                + b"\r\n")
            while True:
                words = self.file.readline().split()
                if words == [b"END"]:
                    break
                assert words[:1] == [b"VALUE"], words
                found.add(words[1])
                self.file.read(int(words[3]) + 2)
        return found


class Redis(Connection):
    """Likewise of Redis's protocol."""

    def ask(self, *words):
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(
            b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return self.file.readline()

    def set_all(self, keys):
        for key in keys:
            assert self.ask(b"SET", key, b"v") == b"+OK\r\n"

    def get_all(self, keys):
        return {k for k in keys if self.ask(b"EXISTS", k) == b":1\r\n"}
