#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Balance and movement of every placement, held against results.csv.

    test_results.py            compare; exit 1 where a figure differs
    test_results.py --update   write results.csv anew, for review

The figures come from `clockwise compare --no-times --json` on 10, 100 and
1,000 equal nodes. They are functions of the placements alone, so a difference
is a change of placement, or of how it is measured.
"""

import csv
import io
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "results.csv")
TOOL = os.environ.get("CLOCKWISE") or os.path.join(
    HERE, "..", "..", "build", "bin", "clockwise")
SIZES = (10, 100, 1000)
FIELDS = ("placement nodes basis max_avg min_avg cv add add_excess lose "
          "lose_excess worst_excess weight_excess points").split()


def per_ideal(move):
    return f"{move['excess'] / move['ideal']:.4f}" if move else ""


def rows():
    for nodes in SIZES:
        out = subprocess.run([TOOL, "compare", "--nodes", str(nodes),
                              "--no-times", "--json"], check=True,
                             stdout=subprocess.PIPE).stdout
        for r in json.loads(out)["placements"]:
            if r["placement"] == "directory":   # its entries decide
                continue
            yield [r["placement"], str(nodes), r["basis"],
                   f"{r['max_avg']:.4f}", f"{r['min_avg']:.4f}",
                   f"{r['cv']:.4f}", f"{r['add']['moved']:.5f}",
                   per_ideal(r["add"]), f"{r['lose']['moved']:.5f}",
                   per_ideal(r["lose"]), per_ideal(r["lose_worst"]),
                   per_ideal(r.get("weight_doubled")), str(r["points"])]


def main():
    found = [FIELDS] + sorted(rows(), key=lambda r: (r[0], int(r[1])))
    if sys.argv[1:] == ["--update"]:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(found)
        with open(FILE, "w", encoding="ascii") as f:
            f.write(text.getvalue())
        return 0
    with open(FILE, encoding="ascii") as f:
        kept = list(csv.reader(f))
    wrong = [r for r in found if r not in kept]
    gone = [r for r in kept if r not in found]
    for r in gone:
        print("expected", ",".join(r))
    for r in wrong:
        print("found   ", ",".join(r))
    print(f"{len(found) - 1} rows, {len(wrong)} differ")
    return 1 if wrong or gone else 0


if __name__ == "__main__":
    sys.exit(main())
