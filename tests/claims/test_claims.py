#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `clockwise claims` measures is what claims.tsv remembers.

    test_claims.py            compare; exit 1 on a difference
    test_claims.py --update   write what is measured into the table

The program never sees the last two columns, measured and verdict, as it
computes; that each of its figures is in the table, and each row of the table
is measured, is tested as well.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "claims.tsv")
TOOL = os.environ.get("CLOCKWISE") or os.path.join(
    HERE, "..", "..", "build", "bin", "clockwise")


def main():
    done = subprocess.run([TOOL, "claims", "-q"], text=True,
                          capture_output=True, timeout=250)
    if done.returncode or done.stderr:
        print("clockwise claims: exit %d\n%s" % (done.returncode,
                                                 done.stderr))
        return 1
    got = {}
    for line in done.stdout.splitlines():
        name, expected, measured, verdict, claim = line.split("\t")
        got[name] = (claim, expected, measured, verdict)

    bad, seen, lines = 0, set(), []
    with open(TABLE, encoding="utf-8") as f:
        for line in f.read().splitlines():
            if line.startswith("#"):
                lines.append(line)
                continue
            row = line.split("\t")
            have = got.get(row[0])
            seen.add(row[0])
            if have is None:
                print("%s: not measured" % row[0])
                bad += 1
            elif (row[1], row[3], row[7], row[8]) != have:
                print("%s: the table says %s, %s; measured %s, %s"
                      % (row[0], row[7], row[8], have[2], have[3]))
                bad += 1
            if have is not None:
                row[7:9] = have[2:4]
            lines.append("\t".join(row))
    for name in set(got) - seen:
        print("%s: measured, but not in the table" % name)
        bad += 1
    if "--update" in sys.argv[1:]:
        with open(TABLE, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        return 0
    print("%d claims, %d differences" % (len(seen), bad))
    return 1 if bad or not seen else 0


sys.exit(main())
