#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md shows is what its commands print.

Every ```console block is run, in a folder with the files of readme/: a line
that begins with "$ " is a command, what follows is its output.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    TOP, "build", "bin", "clockwise"))


def main():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        text = f.read()
    env = dict(os.environ, LC_ALL="C", TERM="dumb",
               PATH=os.path.dirname(TOOL) + ":/usr/bin:/bin")
    count = bad = 0
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, "tour")
        shutil.copytree(os.path.join(HERE, "readme"), folder)
        for block in re.findall(r"^```console\n(.*?)^```\n", text,
                                re.M | re.S):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, want = part.split("\n", 1)
                got = subprocess.run(
                    ["/bin/sh", "-c", command], cwd=folder, env=env,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True, timeout=60).stdout
                count += 1
                if got != want:
                    bad += 1
                    print("$ %s\nREADME.md says\n%s\nit prints\n%s"
                          % (command, want, got))
    print("README.md: %d commands, %d differences" % (count, bad))
    return 1 if bad or not count else 0


sys.exit(main())
