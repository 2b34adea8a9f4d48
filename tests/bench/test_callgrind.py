#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions and cache misses of a look-up, counted by callgrind.

They do not depend on how busy the machine is, so they hold without exception,
with the call of the function in the library, which compilers leave out:
inside the look-up function, at 1,000 nodes of 160 points, caches of 32 KiB
and 512 KiB (PERFORMANCE goal G18):

    ready hash       at most 26 instructions, 1.25 L1 and 1.1 L2 misses
    key of 16 bytes  at most 52 instructions, its hash included

The processor must have AVX2, which these numbers are for.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
BUILD = os.environ.get("CW_BUILD_DIR", os.path.join(TOP, "build"))
COUNT = 100000

# what, function, instructions, L1 misses, L2 misses; None: no goal
GOALS = [
    ("hash", "cw_map_pick_hash", 26.0, 1.25, 1.1),
    ("key", "cw_map_pick", 52.0, None, None),
]


def program(folder):
    path = os.path.join(folder, "lookup")
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c11", "-O2",
         "-I" + os.path.join(TOP, "include"),
         os.path.join(HERE, "callgrind_lookup.c"), "-o", path,
         "-L" + os.path.join(BUILD, "lib"), "-lclockwise",
         "-Wl,-rpath," + os.path.abspath(os.path.join(BUILD, "lib"))],
        check=True)
    return path


def count(path, folder, what, function):
    out = os.path.join(folder, what)
    subprocess.run(
        ["valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes",
         "--D1=32768,8,64", "--LL=524288,8,64", "--collect-atstart=no",
         "--toggle-collect=" + function, "--callgrind-out-file=" + out,
         path, what, str(COUNT)], check=True, stdout=subprocess.DEVNULL)
    text = open(out, encoding="utf-8").read()
    events = re.search(r"^events: (.*)$", text, re.M).group(1).split()
    totals = re.search(r"^(?:totals|summary): (.*)$", text, re.M)
    # callgrind leaves zeros at the end out
    numbers = totals.group(1).split() + ["0"] * len(events)
    per = {e: int(v) / COUNT for e, v in zip(events, numbers)}
    return (per["Ir"], per["D1mr"] + per["D1mw"], per["DLmr"] + per["DLmw"])


def main():
    if " avx2 " not in open("/proc/cpuinfo", encoding="utf-8").read():
        print("NOT COUNTED: this processor has no AVX2")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = program(folder)
        for what, function, *goals in GOALS:
            counts = count(path, folder, what, function)
            for name, got, goal in zip(
                    ("instructions", "L1 misses", "L2 misses"), counts,
                    goals):
                ok = goal is None or 0.5 < got <= goal
                print("%-4s %-12s %6.2f%s" % (
                    what, name, got, "" if goal is None else
                    "  at most %g  %s" % (goal, "ok" if ok else "TOO MANY")))
                failed += not ok
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
