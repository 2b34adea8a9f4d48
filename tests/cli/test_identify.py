#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clockwise identify finds the program that gave the answers of
tests/golden: its row is among the best, and they explain every pair.

    test_identify.py            one case of some programs
    test_identify.py --all      one case of each
"""

import json
import os
import subprocess
import sys
import tempfile
from urllib.parse import unquote

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "golden")
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    HERE, "..", "..", "build", "bin", "clockwise"))
SOME = ("cassandra", "dalli", "groupcache", "haproxy", "libmemcached",
        "memcached-proxy", "nginx", "pymemcache", "twemproxy", "uhashring")
# no program of their own, or (npm-hash-ring) a program with one answer only
NOT = ("custom-ring", "npm-hash-ring", "ring", "ties")


def fleet(nodes):
    """A fleet file of a case's nodes."""
    out = []
    for node in nodes.split(" "):
        field = [unquote(f) for f in node.split("|")] + [""] * 6
        entry = {"name": field[0]}
        if field[1]:
            entry["label"] = field[1]
        if field[2]:
            entry["weight"] = float(field[2])
        if field[5]:
            entry["positions"] = [int(x) for x in field[5].split(",")]
        out.append(entry)
    return {"placement": {"algorithm": "ring"}, "nodes": out}


def identify(folder, line, work):
    case, placement, nodes, vectors, columns = line.split("\t")
    row = placement.split(";")[0]
    with open(os.path.join(work, "fleet.json"), "w") as f:
        json.dump(fleet(nodes), f)
    with open(os.path.join(GOLDEN, folder, vectors), "rb") as f:
        pairs = [x.split(b"\t")[:2] for x in f.read().split(b"\n") if x]
    with open(os.path.join(work, "sample"), "wb") as f:
        f.write(b"".join(b"\t".join(p) + b"\n" for p in pairs))
    done = subprocess.run(
        [TOOL, "--json", "identify", "-f", "fleet.json", "-s", "sample"],
        cwd=work, capture_output=True, text=True, timeout=250)
    if done.returncode:
        return "%s/%s: status %d: %s%s" % (folder, case, done.returncode,
                                           done.stdout[:300], done.stderr)
    found = json.loads(done.stdout)
    best = [b["placement"].split(" ")[0] for b in found["best"]]
    if row not in best or found["best"][0]["agree"] != len(pairs):
        return "%s/%s: %s is not among %s" % (folder, case, row, best)
    print("%-22s %5d pairs, %d tried: %s" % (
        folder, len(pairs), found["tried"],
        ", ".join(dict.fromkeys(b.split("=")[1] for b in best))))
    return ""


def main():
    wrong = count = 0
    every = sys.argv[1:] == ["--all"]
    with tempfile.TemporaryDirectory() as work:
        for folder in sorted(os.listdir(GOLDEN)) if every else SOME:
            cases = os.path.join(GOLDEN, folder, "cases.tsv")
            if not os.path.exists(cases) or folder in NOT:
                continue
            with open(cases, encoding="utf-8", errors="replace") as f:
                lines = [x.rstrip("\n") for x in f if x[0] != "#"]
            line = next((x for x in lines if x.endswith("\tkey owner")
                         and "\tcompat=" in x and " " in x.split("\t")[2]),
                        None)
            if line is None:
                continue
            text = identify(folder, line, work)
            count += 1
            wrong += bool(text)
            if text:
                print(text)
    print("%d programs, %d not found" % (count, wrong))
    return 1 if wrong or not count else 0


sys.exit(main())
