#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile and run every C sample of README.md, as it stands.

A sample with main() is a program. One without is what stands inside main():
its #include lines are moved to the front. When a ```text block follows
directly, that is what the sample must print.
"""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.environ.get("CW_SOURCE_DIR") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.environ.get("CW_BUILD_DIR") or os.path.join(TOP, "build")
BLOCK = re.compile(r"^```c\n(.*?)^```\n(?:\s*^```text\n(.*?)^```\n)?",
                   re.M | re.S)


def program(sample):
    if re.search(r"^(int\s+)?main\(", sample, re.M):
        return sample
    lines = sample.split("\n")
    head = [x for x in lines if x.startswith("#include")]
    body = [x for x in lines if not x.startswith("#include")]
    return "\n".join(head + ["int main(void)", "{"] + body
                     + ["    return 0;", "}", ""])


def run(number, sample, want):
    with tempfile.TemporaryDirectory() as work:
        source, binary = work + "/sample.c", work + "/sample"
        with open(source, "w", encoding="utf-8") as f:
            f.write(program(sample))
        done = subprocess.run(
            [os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra",
             "-Werror", "-I" + os.path.join(TOP, "include"), source,
             os.path.join(BUILD, "lib", "libclockwise.a"), "-lm",
             "-o", binary], text=True, capture_output=True)
        if done.returncode:
            return "does not compile:\n" + done.stderr
        done = subprocess.run([binary], text=True, capture_output=True,
                              timeout=60)
    if done.returncode:
        return "exits with %d\n%s" % (done.returncode, done.stderr)
    if want is not None and done.stdout != want:
        return "prints\n%s\nREADME.md says\n%s" % (done.stdout, want)
    return None


def main():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        samples = BLOCK.findall(f.read())
    bad = 0
    for number, (sample, want) in enumerate(samples, 1):
        why = run(number, sample, want or None)
        if why:
            bad += 1
            print("README.md, C sample %d: %s" % (number, why))
    print("README.md: %d C samples, %d wrong" % (len(samples), bad))
    return 1 if bad or not samples else 0


sys.exit(main())
