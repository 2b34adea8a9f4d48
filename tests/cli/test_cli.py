#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as its users see it: exact output, exact exit status.

    test_cli.py [CASE ...]            run all cases, or these
    test_cli.py --update [CASE ...]   write what comes out as what is expected

A case is a folder here:

    cmd            a shell script; `clockwise` is on its PATH, it runs in an
                   empty folder that holds a copy of the case's other files,
                   $DATA is the folder data/ and $SOURCE the source tree
    stdout.exact   what it prints; absent: nothing
    stderr.exact   likewise
    exit           its status; absent: 0
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    HERE, "..", "..", "build", "bin", "clockwise"))
EXPECTED = ("stdout.exact", "stderr.exact", "exit")


def read(path, default):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return default


def run(case):
    env = {k: v for k, v in os.environ.items()
           if k in ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    env.update(PATH=os.path.dirname(TOOL) + ":/usr/bin:/bin", LC_ALL="C",
               DATA=os.path.join(HERE, "data"), TERM="dumb",
               SOURCE=os.path.join(HERE, "..", ".."))
    with tempfile.TemporaryDirectory() as work:
        for name in os.listdir(case):
            if name not in EXPECTED:
                shutil.copy(os.path.join(case, name), work)
        done = subprocess.run(["/bin/sh", "cmd"], cwd=work, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120)
    return (done.stdout, done.stderr, b"%d\n" % done.returncode)


def update(case, got):
    for name, bytes_, absent in zip(EXPECTED, got, (b"", b"", b"0\n")):
        path = os.path.join(case, name)
        if bytes_ != absent:
            with open(path, "wb") as f:
                f.write(bytes_)
        elif os.path.exists(path):
            os.remove(path)


def main():
    words = sys.argv[1:]
    rewrite = "--update" in words
    names = [w for w in words if not w.startswith("-")] or sorted(
        n for n in os.listdir(HERE)
        if os.path.exists(os.path.join(HERE, n, "cmd")))
    bad = 0
    for name in names:
        case = os.path.join(HERE, name)
        got = run(case)
        if rewrite:
            update(case, got)
            continue
        want = (read(os.path.join(case, EXPECTED[0]), b""),
                read(os.path.join(case, EXPECTED[1]), b""),
                read(os.path.join(case, EXPECTED[2]), b"0\n"))
        for what, a, b in zip(EXPECTED, want, got):
            if a != b:
                bad += 1
                print("%s: %s\n  expected %r\n  got      %r"
                      % (name, what, a[:2000], b[:2000]))
    print("%d cases, %d differences" % (len(names), bad))
    return 1 if bad or not names else 0


sys.exit(main())
