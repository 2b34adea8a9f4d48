#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md and the pages under docs/ show is what their commands print.

    test_console.py [PAGE ...]            run all pages, or these
    test_console.py --update [PAGE ...]   write what comes out into the pages

Every ```console block of a page is run, in one folder for the page: a line
that begins with "$ " is a command, with "> " the next line of it, what follows
is its output and that of its errors. README.md's folder holds the files of
readme/; those of other pages are empty, and the pages make their files.

Comments of a page set the stage, in the order of the page:

    <!-- servers: memcached 11211 11212 -->    servers at 127.0.0.1, these
        ports; the test takes free ones and writes them as these
    <!-- fill: FLEET KEYS -->    every key is stored where FLEET puts it
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.path.join(HERE, "..", ".."))
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    TOP, "build", "bin", "clockwise"))
sys.path.insert(0, os.path.join(HERE, "..", "live"))
import servers  # noqa: E402

PARTS = re.compile(r"^```console\n(?P<block>.*?)^```\n"
                   r"|^<!-- (?P<word>servers|fill): (?P<rest>.*?) -->\n",
                   re.M | re.S)
ENV = {k: v for k, v in os.environ.items()
       if k in ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
ENV.update(LC_ALL="C", TERM="dumb",
           PATH=os.path.dirname(TOOL) + ":/usr/bin:/bin")


class Page:
    def __init__(self, path, folder, fleet_servers):
        self.path, self.folder = path, folder
        self.servers = fleet_servers
        self.ports = {}             # as written in the page -> as started
        self.commands = self.bad = 0

    def sh(self, command):
        for written, started in self.ports.items():
            command = command.replace("127.0.0.1:" + written,
                                      "127.0.0.1:" + started)
        out = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.folder, env=ENV,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=100).stdout
        out = out.decode("utf-8", "backslashreplace")
        for written, started in self.ports.items():
            out = out.replace("127.0.0.1:" + started, "127.0.0.1:" + written)
        return out

    def block(self, text):
        """Run a block; give it as it should be."""
        shown = ""
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            lines = part.splitlines(keepends=True)
            command = lines.pop(0)
            shown += "$ " + command
            while lines and lines[0].startswith("> "):
                shown += lines[0]
                command += lines.pop(0)[2:]
            want, got = "".join(lines), self.sh(command)
            self.commands += 1
            if got != want:
                self.bad += 1
                print("%s: $ %sthe page says\n%s\nit prints\n%s"
                      % (os.path.relpath(self.path, TOP), command, want, got))
            shown += got
        return shown

    def stage(self, word, rest):
        if word == "servers":
            kind, *ports = rest.split()
            for port in ports:
                self.ports[port] = str(getattr(self.servers, kind)())
            return
        fleet, keys = rest.split()
        done = subprocess.run(
            [TOOL, "route", "-a", "-f", fleet, "-k", keys], cwd=self.folder,
            env=ENV, stdout=subprocess.PIPE, check=True).stdout
        homes = {}
        for line in done.splitlines():
            key, address = line.split(b"\t")
            homes.setdefault(address, []).append(key)
        for address, owned in homes.items():
            server = servers.Memcached(int(address.rsplit(b":", 1)[1]))
            server.set_all(owned, b"v" * 100)
            server.close()

    def run(self, update):
        with open(self.path, encoding="utf-8") as f:
            text = f.read()

        def one(match):
            if match["block"] is None:
                self.stage(match["word"], match["rest"])
                return match[0]
            return "```console\n" + self.block(match["block"]) + "```\n"

        shown = PARTS.sub(one, text)
        if update and shown != text:
            with open(self.path, "w", encoding="utf-8") as f:
                f.write(shown)


def main():
    words = sys.argv[1:]
    update = "--update" in words
    pages = [w for w in words if not w.startswith("-")] or (
        [os.path.join(TOP, "README.md")]
        + sorted(glob.glob(os.path.join(TOP, "docs", "**", "*.md"),
                           recursive=True)))
    commands = bad = 0
    for path in pages:
        with tempfile.TemporaryDirectory() as work, \
                servers.Servers() as started:
            folder = os.path.join(work, "tour")
            if os.path.abspath(path) == os.path.join(TOP, "README.md"):
                shutil.copytree(os.path.join(HERE, "readme"), folder)
            else:
                os.mkdir(folder)
            page = Page(path, folder, started)
            page.run(update)
            commands += page.commands
            bad += page.bad
    print("%d pages, %d commands, %d differences"
          % (len(pages), commands, bad))
    return 1 if (bad and not update) or not commands else 0


sys.exit(main())
