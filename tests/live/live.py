# SPDX-License-Identifier: Apache-2.0
"""What the live tests share: the tool, real programs, backends that say who
they are. Python's standard library only."""

import asyncio
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    HERE, "..", "..", "build", "bin", "clockwise"))


def seeded():
    """Random numbers of this run; CW_TEST_SEED repeats one."""
    seed = int(os.environ.get("CW_TEST_SEED") or random.randrange(1 << 32))
    print("seed %d (CW_TEST_SEED=%d repeats this run)" % (seed, seed))
    return random.Random(seed)


def need(program):
    path = shutil.which(program, path=os.environ.get("PATH", "")
                        + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        sys.exit("%s is not installed; scripts/setup installs it" % program)
    return path


def clockwise(*args, stdin="", status=0):
    done = subprocess.run([TOOL] + list(args), input=stdin, text=True,
                          capture_output=True, timeout=60,
                          env=dict(os.environ, LC_ALL="C", TERM="dumb"))
    if status is not None and done.returncode != status:
        sys.exit("clockwise %s: exit status %d\n%s" % (
            " ".join(args), done.returncode, done.stderr))
    return done


def route(path, keys, *args):
    """Addresses of the keys, in order."""
    out = clockwise("route", "-q", "--address", "-f", path, *args,
                    stdin="".join(k + "\n" for k in keys)).stdout
    return [line.rsplit("\t", 1)[1] for line in out.split("\n")[:-1]]


def free_port(address):
    with socket.socket() as s:
        s.bind((address, 0))
        return s.getsockname()[1]


def wait_for(address, process, log):
    for _ in range(200):
        if process.poll() is not None:
            break
        try:
            socket.create_connection(address, 1).close()
            return
        except OSError:
            time.sleep(0.05)
    process.kill()
    with open(log, encoding="utf-8", errors="replace") as f:
        sys.exit("%s does not listen at %s:%d\n%s" % (
            (process.args[0],) + address + (f.read()[-3000:],)))


class Backends:
    """Servers at many addresses: each answers memcached's get, or an HTTP
    request, with its own address. Sockets: "unix:/path"."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever,
                                       daemon=True)
        self.thread.start()

    def add(self, address, http):
        async def serve(reader, writer):
            try:
                while True:
                    line = await reader.readline()
                    if not line:
                        break
                    if http:
                        while (await reader.readline()) not in (b"\r\n", b""):
                            pass
                        body = address.encode()
                        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d"
                                     b"\r\n\r\n%s" % (len(body), body))
                    else:
                        for key in line.split()[1:]:
                            value = address.encode()
                            writer.write(b"VALUE %s 0 %d\r\n%s\r\n" % (
                                key, len(value), value))
                        writer.write(b"END\r\n")
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()

        async def start():
            if address.startswith("unix:"):
                await asyncio.start_unix_server(serve, address[5:])
                os.chmod(address[5:], 0o777)
            else:
                host, port = address.rsplit(":", 1)
                await asyncio.start_server(serve, host.strip("[]"), int(port))

        asyncio.run_coroutine_threadsafe(start(), self.loop).result(10)


class Program:
    """A real program, running on a configuration of a folder of its own."""

    def __init__(self, args, address, folder):
        self.log = os.path.join(folder, "log")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(args, cwd=folder, stdout=log,
                                            stderr=log,
                                            stdin=subprocess.DEVNULL)
        wait_for(address, self.process, self.log)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Http:
    """A client connection; source: the address it comes from."""

    def __init__(self, address, source=None):
        self.socket = socket.create_connection(
            address, 10, source_address=(source, 0) if source else None)
        self.file = self.socket.makefile("rb")

    def get(self, target="/", key=None):
        head = "GET %s HTTP/1.1\r\nHost: x\r\n" % target
        if key is not None:
            head += "X-K: %s\r\n" % key
        self.socket.sendall((head + "\r\n").encode("utf-8"))
        status = self.file.readline()
        length = 0
        while True:
            line = self.file.readline().strip().lower()
            if not line:
                break
            if line.startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        body = self.file.read(length).decode()
        if b" 200 " not in status:
            raise SystemExit("%s: %r %s" % (target, status, body))
        return body

    def close(self):
        self.file.close()
        self.socket.close()


class Tally:
    def __init__(self, what):
        self.what = what
        self.keys = self.wrong = self.cases = 0

    def compare(self, case, keys, real, ours):
        self.cases += 1
        self.keys += len(keys)
        bad = [i for i in range(len(keys)) if real[i] != ours[i]]
        if len(real) != len(keys) or len(ours) != len(keys) or bad:
            self.wrong += max(1, len(bad))
            i = bad[0] if bad else 0
            print("%s: %d of %d keys differ; %r: the program %s, clockwise %s"
                  % (case, len(bad), len(keys), keys[i], real[i], ours[i]))

    def verdicts(self, case, real, ours, detail=""):
        """Both must accept it, or both refuse."""
        self.cases += 1
        if real != ours:
            self.wrong += 1
            print("%s: the program %s it, clockwise %s it\n%s" % (
                case, "takes" if real else "refuses",
                "takes" if ours else "refuses", detail))

    def done(self):
        print("%s: %d cases, %d keys, %d differences" % (
            self.what, self.cases, self.keys, self.wrong))
        return self.wrong


def random_key(rng, letters="abcdefghijklmnopqrstuvwxyz0123456789:._-"):
    return "".join(rng.choice(letters) for _ in range(rng.randint(1, 24)))


def folder():
    return tempfile.TemporaryDirectory(prefix="clockwise-live-")


def export(fmt, path, *args):
    return clockwise("export", fmt, "-f", path, "-q", *args).stdout


def fingerprint(path, *args):
    return clockwise("fingerprint", "-q", "-f", path, *args).stdout.split()[0]
