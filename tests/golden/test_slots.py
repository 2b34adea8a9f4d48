#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of tests/golden/slots are what tests/ref/slots_golden.py writes,
so that they come from a second implementation of the rule."""
import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def main():
    kept = TESTS / "golden" / "slots"
    with tempfile.TemporaryDirectory() as fresh:
        subprocess.run([sys.executable, "-B",
                        str(TESTS / "ref" / "slots_golden.py"), fresh],
                       check=True)
        names = sorted(os.listdir(fresh))
        missing = sorted(set(os.listdir(kept)) ^ set(names))
        same, differ, failed = filecmp.cmpfiles(kept, fresh, names, False)
    for name in missing + differ + failed:
        print(f"{name}: not as the reference writes it")
    print(f"{len(same)} files of tests/golden/slots are the reference's")
    return 1 if missing or differ or failed or not same else 0


if __name__ == "__main__":
    sys.exit(main())
