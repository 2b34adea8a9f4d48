#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command with files that cannot be read and output that is not taken.

    test_files.py               all commands

Each file that a command reads is in turn one that may not be read, such a
folder, and a folder: the command exits 3 and names it. Each command exits 3
when nobody takes its output, as text, as JSON, and in a file. Root may read
everything, so for root the programs run without that privilege.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    TOP, "build", "bin", "clockwise"))
PLAIN = (["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
         if os.geteuid() == 0 else [])

GOOD = {
    "fleet": "nodes: [a, b, {name: c, weight: 2}]\n",
    "keys": "key-1\nkey-2\nkey-3\n",
    "pairs": "key-1\ta\nkey-2\tb\n",
    "native": "p:\n  listen: 127.0.0.1:22121\n  hash: md5\n"
              "  servers:\n   - 10.0.0.1:11211:1\n   - 10.0.0.2:11211:1\n",
    "page": "",
}
# Of each command the ways to read and write files: @NAME is read, %page
# written. The first one of a command prints something.
WAYS = {
    "route": ["-f @fleet key", "--nodes a,b -k @keys",
              "--nodes a,b --set bound=125 --bound -k @keys"],
    "share": ["-f @fleet", "--nodes a,b -k @keys"],
    "diff": ["@fleet fleet", "fleet @fleet", "fleet fleet -k @keys"],
    "plan": ["@fleet fleet", "fleet @fleet", "fleet --add d -k @keys",
             "fleet --add d --report %page"],
    "draw": ["@fleet", "fleet @fleet", "fleet -k @keys", "fleet --svg %page"],
    "compare": ["-f @fleet --no-times",
                "--nodes a,b --no-times --report %page"],
    "bound": ["-f @fleet -k @keys --requests 10"],
    "verify": ["@fleet fleet", "fleet @fleet", "fleet --sample @pairs"],
    "advise": ["@fleet", "fleet @fleet", "fleet -k @keys"],
    "diagnose": ["-e @keys fleet", "-e keys @fleet", "--at a=@keys fleet",
                 "-e keys --before @keys fleet",
                 "-e keys --before keys --before-fleet @fleet fleet"],
    "top": ["--once -e @keys fleet", "--once -e keys @fleet"],
    "import": ["auto @native", "twemproxy @native"],
    "export": ["twemproxy -f @native"],
    "check": ["@fleet", "fleet @fleet", "-f @fleet"],
    "identify": ["--nodes a,b -s @pairs", "--nodes a,b --ask @keys"],
    "fingerprint": ["@fleet", "fleet @fleet"],
    "list": ["compat"],
    "chord": ["simulate --nodes 8 --lookups 10"],
    "claims": [""],
    "help": ["route"],
}


def run(command, stdout=subprocess.PIPE):
    return subprocess.run(
        PLAIN + [TOOL] + command, stdin=subprocess.DEVNULL, stdout=stdout,
        stderr=subprocess.PIPE, text=True, timeout=120,
        env=dict(os.environ, LC_ALL="C", TERM="dumb"))


SLOT = re.compile("[@%]([a-z]+)")
BAD = ("shut-file", "shut", "open")


def bad_lines(command, ways):
    """Command lines with one bad file, and that file; all kinds of them in the
    first way of a command."""
    for number, way in enumerate(ways):
        for slot in SLOT.finditer(way):
            paths = BAD if number == 0 else BAD[:1]
            if slot.group(0)[0] == "%":
                paths += ("/dev/full",)
            for path in paths:
                line = way[:slot.start()] + path + way[slot.end():]
                yield ([command] + SLOT.sub(r"\1", line).split(), path)


class Judge:
    def __init__(self):
        self.runs = self.wrong = 0

    def expect(self, done, command, path):
        self.runs += 1
        said = re.search("cannot (read|write) %s: " % re.escape(path),
                         done.stderr)
        if done.returncode != 3 or not said:
            self.wrong += 1
            print("clockwise %s: exit %d; expected 3, and that %s cannot be "
                  "read or written in: %s" % (" ".join(command),
                                              done.returncode, path,
                                              done.stderr.strip()))


def main():
    judge = Judge()
    rows = open(os.path.join(TOP, "cli", "cmd_rows.h"), encoding="utf-8")
    known = re.findall(r"^ {4}ROW\((\w+)\)", rows.read(), re.M)
    for name in sorted(set(known) ^ set(WAYS)):
        print("%s: a command without a row here, or the reverse" % name)
        judge.wrong += 1
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, text in GOOD.items():
            with open(name, "w", encoding="utf-8") as f:
                f.write(text)
        open("shut-file", "w", encoding="utf-8").close()
        for folder in ("shut", "open"):
            os.mkdir(folder)
        os.chmod("shut-file", 0)
        os.chmod("shut", 0)
        for command, ways in WAYS.items():
            for line, path in bad_lines(command, ways):
                judge.expect(run(line), line, path)
            for more in ([], ["--json"]):
                line = [command] + SLOT.sub(r"\1", ways[0]).split() + more
                with open("/dev/full", "w", encoding="utf-8") as full:
                    judge.expect(run(line, full), line, "standard output")
    print("%d runs, %d wrong" % (judge.runs, judge.wrong))
    return 1 if judge.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
