#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What files of other programs mean: every pool as a fleet file, or why not.

    test_conf.py [FORMAT/NAME ...]            run all files, or these
    test_conf.py --update [FORMAT/NAME ...]   write what comes out as expected

conf/FORMAT/NAME is a file as its program has it (NAME without an ending
.out), NAME.out what `clockwise import` makes of it, pool by pool, and what
it says. A first line "# args: ..." of NAME.out holds further options. Each
row of `clockwise list formats` needs a file that is taken and one that is
refused; a file that is taken, imported and read again has the same
fingerprint.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CONF = os.path.join(HERE, "conf")
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    HERE, "..", "..", "build", "bin", "clockwise"))
# tested elsewhere: tests/cli
OURS = {"fleet", "lines"}


def clockwise(args, cwd, stdin=""):
    env = dict(os.environ, LC_ALL="C", TERM="dumb")
    return subprocess.run([TOOL] + args, cwd=cwd, env=env, input=stdin,
                          capture_output=True, text=True, timeout=60)


def import_pools(folder, name, args):
    """What is expected to be in NAME.out, and the pools that were placed."""
    checked = clockwise(["check", "--json", "-q", name] + args, folder)
    out, placed = [], 0
    if checked.returncode != 0:
        return "refused\n" + checked.stderr, 0
    for line in checked.stdout.splitlines():
        pool = json.loads(line)
        if "pool" in pool:
            out.append("== pool %s\n" % pool["pool"])
        if "not_placed" in pool:
            out.append("not placed by keys: %s\n" % pool["not_placed"])
            continue
        chosen = args + (["--pool", pool["pool"]] if "pool" in pool else [])
        done = clockwise(["import", "auto", name, "-q"] + chosen, folder)
        out.append(done.stdout + done.stderr)
        if done.returncode == 0:
            placed += 1
            same_again(folder, name, chosen, done.stdout)
    return "".join(out), placed


def same_again(folder, name, args, text):
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "fleet.yaml")
        with open(path, "w") as f:
            f.write(text)
        prints = [clockwise(["fingerprint", "-q", "-f", path], folder),
                  clockwise(["fingerprint", "-q", "-f", name] + args, folder)]
    if prints[0].stdout != prints[1].stdout or not prints[0].stdout:
        raise SystemExit("%s/%s: imported and read again it has another "
                         "fingerprint\n%s%s" % (folder, name,
                         prints[0].stderr, prints[1].stderr))


def recognised(folder, name, args):
    done = clockwise(["import", "auto", name] + args, folder)
    marks = [l for l in done.stdout.splitlines() if l.startswith("# From")]
    return marks[0].split('"')[1] if marks else None


def run_one(path, update):
    folder, name = os.path.split(os.path.join(CONF, path))
    expected = os.path.join(folder, name + ".out")
    want, args = "", []
    if os.path.exists(expected):
        with open(expected) as f:
            want = f.read()
        if want.startswith("# args: "):
            head, want = want.split("\n", 1)
            args = shlex.split(head[8:])
    got, placed = import_pools(folder, name, args)
    if update:
        with open(expected, "w") as f:
            f.write("# args: %s\n" % shlex.join(args) if args else "")
            f.write(got)
    elif got != want:
        print("%s: expected\n%s\ngot\n%s" % (path, want, got))
        return False, placed
    return True, placed


def main():
    update = "--update" in sys.argv
    wanted = [a for a in sys.argv[1:] if not a.startswith("--")]
    rows = clockwise(["list", "formats", "--json"], HERE)
    formats = [f["name"] for f in json.loads(rows.stdout)["formats"]]
    bad = files = pools = 0
    for fmt in formats:
        if fmt in OURS:
            continue
        folder = os.path.join(CONF, fmt)
        names = sorted(n for n in (os.listdir(folder) if os.path.isdir(folder)
                                   else []) if not n.endswith(".out"))
        taken = refused = 0
        for name in names:
            path = "%s/%s" % (fmt, name)
            if wanted and path not in wanted:
                continue
            ok, placed = run_one(path, update)
            bad += not ok
            files += 1
            pools += placed
            taken += placed > 0
            refused += placed == 0
        if not wanted and (taken == 0 or refused == 0):
            print("%s: has %d files that are taken and %d that are refused; "
                  "expected one of each" % (fmt, taken, refused))
            bad += 1
    print("%d formats, %d files, %d pools, %d wrong"
          % (len(formats), files, pools, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
