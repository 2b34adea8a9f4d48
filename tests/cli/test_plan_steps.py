#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `plan` says of random changes, checked by making them.

The figures must be those of `diff`; each step, made alone on a fleet file,
must move what the plan says and leave the balance it says; after the last one
the fleet is the new one. The command of each remedy must plan what the remedy
promises. The limits must refuse exactly what is above them.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOL = os.path.abspath(os.environ.get("CLOCKWISE") or os.path.join(
    TOP, "build", "bin", "clockwise"))
PLACEMENTS = ["algorithm=ring", "algorithm=slots", "algorithm=rendezvous",
              "algorithm=jump", "algorithm=modulo", "compat=ketama160",
              "compat=libmemcached-ketama-weighted"]
EPSILON = 1e-6


def run(work, *words):
    done = subprocess.run([TOOL, *words], cwd=work, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=100, check=False)
    assert done.returncode in (0, 1), (words, done)
    return done.returncode, done.stdout


def ask(work, *words):
    return json.loads(run(work, *words)[1])


def near(a, b, what):
    assert abs(a - b) <= EPSILON, (what, a, b)


def write(work, name, fleet):
    with open(os.path.join(work, name), "w", encoding="ascii") as f:
        f.writelines("%s weight=%s\n" % pair for pair in fleet.items())
    return name


def change(rng, fleet, weighted):
    """Another fleet: one to three nodes added, removed, re-weighted."""
    new = dict(fleet)
    for number in range(rng.randint(1, 3)):
        kind = rng.choice(("add", "remove", "weight"))
        if kind == "add":
            new["new-%d" % number] = rng.randint(1, 3) if weighted else 1
        elif kind == "remove" and len(new) > 2:
            del new[rng.choice(sorted(new))]
        elif weighted:
            name = rng.choice(sorted(new))
            new[name] = new[name] % 4 + 1
    return new


def step(fleet, text):
    """Make the change that a step's text names: (fleet, takes room away)."""
    new = dict(fleet)
    found = re.fullmatch(r"add (\S+), weight (\d+)", text)
    if found:
        assert found[1] not in fleet, text
        new[found[1]] = int(found[2])
        return new, False
    found = re.fullmatch(r"remove (\S+), weight (\d+)", text)
    if found:
        assert fleet[found[1]] == int(found[2]), text
        del new[found[1]]
        return new, True
    found = re.fullmatch(r"weight of (\S+) from (\d+) to (\d+)", text)
    assert found and fleet[found[1]] == int(found[2]), text
    new[found[1]] = int(found[3])
    return new, int(found[3]) < int(found[2])


def check_steps(work, placement, old, new, plan):
    at, taken = dict(old), False
    for number, said in enumerate(plan["steps"]):
        following, takes = step(at, said["text"])
        assert takes or not taken, ("room is taken first", plan["steps"])
        taken = takes
        a = write(work, "at", at)
        b = write(work, "following", following)
        real = ask(work, "diff", "--json", "--set", placement, a, b)
        near(said["moved"], real["moved"], ("step", number, said["text"]))
        near(said["excess_churn"], real["excess_churn"], said["text"])
        shares = ask(work, "share", "--json", "--set", placement, "-f", b)
        near(said["max_avg"], shares["max_avg"], said["text"])
        at = following
    if plan["steps"]:
        assert at == new, (at, new)
    return len(plan["steps"])


def check_remedies(work, plan):
    for said in plan["remedies"]:
        words = said["command"].split()
        assert words[:2] == ["clockwise", "plan"], said
        real = ask(work, "plan", "--json", *words[2:])
        near(said["moved"], real["moved"], said["command"])
        near(said["excess_churn"], real["excess_churn"], said["command"])
        near(said["max_avg"], real["after"]["max_avg"], said["command"])
        assert real["moved"] < plan["moved"], said
    return len(plan["remedies"])


def check(work, rng, placement):
    weighted = placement.split("=")[1] not in ("jump", "modulo")
    old = {"n%d" % i: rng.randint(1, 3) if weighted else 1
           for i in range(rng.randint(2, 9))}
    new = change(rng, old, weighted)
    words = ["--set", placement, write(work, "old", old),
             write(work, "new", new)]
    plan = ask(work, "plan", "--json", *words)
    diff = ask(work, "diff", "--json", *words)
    for member in ("moved", "ideal", "excess_churn"):
        near(plan[member], diff[member], member)
    near(sum(f["share"] for f in plan["flows"]), plan["moved"], "flows")
    if plan["excess_churn"] > 1e-9:
        assert plan["reasons"], (placement, plan)
    if plan["moved"] > 0:
        for limit, status in ((plan["moved"] * 100 + 0.001, 0),
                              (plan["moved"] * 100 - 0.001, 1)):
            if 0 < limit < 100:
                got = run(work, "plan", "--max-moved", "%.4f%%" % limit,
                          *words)[0]
                assert got == status, (limit, plan["moved"], got)
    return (check_steps(work, placement, old, new, plan),
            check_remedies(work, plan))


def main():
    rng = random.Random(8)
    steps = remedies = 0
    with tempfile.TemporaryDirectory() as work:
        for placement in PLACEMENTS * 3:
            got = check(work, rng, placement)
            steps += got[0]
            remedies += got[1]
    print("%d plans, %d steps, %d remedies" % (3 * len(PLACEMENTS), steps,
                                               remedies))
    return 0 if steps > 20 and remedies > 20 else 1


sys.exit(main())
