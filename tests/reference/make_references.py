#!/usr/bin/env python3
"""Runs all cases and says how much the numbers in DIRECTORY/NAME.csv differ from the new ones.
Files that agree stay as they are; others are written, and if there were other numbers or options
in them the exit code is 1. usage: make_references.py DIRECTORY [NAME...]"""
import os
import sys

import numpy as np

import parameters
from bdf import Bdf
from cases import cases
from ga import GeneralizedAlpha
from hht import Hht2, Hht3, HhtOde
from nonholonomic import Nonholonomic
from projection import Projection, after_step, project_acceleration, project_position, \
    project_velocity
from rk5 import Rk5
from systems import SYSTEMS
from undamped import Conserving, Midpoint, Trapezoidal

SCHEMES = {"ga3": GeneralizedAlpha, "ga2s": GeneralizedAlpha, "ga2": GeneralizedAlpha,
           "ga1": GeneralizedAlpha, "nonholonomic": Nonholonomic, "hht": HhtOde, "hht3": Hht3,
           "hht2": Hht2, "midpoint": Midpoint, "trapezoidal": Trapezoidal,
           "conserving": Conserving, "rk5": Rk5, "bdf": Bdf}
BEGIN = 0.1  # no function of time is zero or at an extremum there
AGREE = 1e-10


def norm_matrix(case, n):
    """A of a projection: numbers that have nothing to do with the mass."""
    kind = case.get("norm", "mass")
    if kind == "identity":
        return np.eye(n)
    if kind == "diagonal":
        return np.diag(1.0 + np.arange(n))
    if kind == "matrix":
        return np.eye(n) + np.array([[2.0 / (1 + i + j) for j in range(n)] for i in range(n)])
    return None


def projection_of(case, level, n, h):
    """The projection that a case asks for; `h`: the step of the tangent norm without weights. The
    limit of augmented Lagrangian steps is the exact projection."""
    tangent = own = None
    if case.get("norm") == "tangent":
        tangent = case.get("damping", h / 2), case.get("stiffness", h ** 2 / 4)
    if "own_norm" in case:
        own = Projection(matrix=norm_matrix({"norm": case["own_norm"]}, n),
                         penalty=case.get("own_penalty", 0.0))
    return Projection(level, case.get("target", "zero"), norm_matrix(case, n),
                      case.get("penalty", 0.0), "accelerations" in case, tangent=tangent, own=own)


def projected(case):
    """States off the constraints, farther and farther, and what is nearest to them; v' too."""
    system = SYSTEMS[case["system"]]
    n = system.group.dof
    project = projection_of(case, "both", n, 0.0)
    q, v = system.make_consistent(*system.initial(), BEGIN)
    vdot, _, _ = system.acceleration(q, v, BEGIN)
    away, states = np.array([np.sin(1.0 + 2.0 * i) for i in range(n)]), []
    for i in range(len(case["h"])):
        given = system.group.update(q, 0.04 * (i + 1) * away), v + 0.1 * (i + 1) * away[::-1], \
            vdot + (i + 1) * away
        place = project_position(system, project, given[0], given[1], BEGIN) if system.m else given[0]
        speed = project_velocity(system, project, place, given[1], BEGIN, np.zeros(system.m))
        rate, _ = project_acceleration(system, project.own or project, place, speed, BEGIN, given[2])
        states.append(np.concatenate([[BEGIN, 0], *given, place, speed, rate]))
    names = ["t", "h"]
    for key, size in (("q", len(q)), ("v", n), ("vdot", n)):
        names += ["given_%s%d" % (key, i) for i in range(size)]
    for key, size in (("q", len(q)), ("v", n), ("vdot", n)):
        names += ["%s%d" % (key, i) for i in range(size)]
    return names, np.array(states), q, v


def run(case):
    """The states of a run, the start first, and the initial values that it was given."""
    system = SYSTEMS[case["system"]]
    params = None if case["params"] == "-" else parameters.parse(case["params"])
    scheme = SCHEMES[case["method"]](system, case, params)
    q, v = system.make_consistent(*system.initial(), BEGIN)
    steps = case["h"]
    states = [scheme.start(BEGIN, q, v, steps[0])]
    project = None
    if "project" in case:
        project = projection_of(case, case["project"], system.group.dof, steps[0])
    for i, h in enumerate(steps):
        s = states[-1]
        if i and h != steps[i - 1]:
            s = scheme.change(s, h / steps[i - 1])
        new = scheme.step(s, h)
        if project:
            new = after_step(system, project, s, new, h, params.cq if params else 0,
                             case.get("update") != "magnus")
        states.append(new)
    return states, q, v


def table(states, steps):
    """Names of columns and rows."""
    last = states[-1]
    names = ["t", "h"]
    for key in ("q", "v", "vdot", "a", "lam", "psi", "eta", "stage"):
        names += ["%s%d" % (key, i) for i in range(len(getattr(last, key)))]
    rows = []
    for s, h in zip(states, [steps[0]] + steps):
        stage = s.stage if len(s.stage) else np.zeros(len(last.stage))
        rows.append(np.concatenate([[s.t, h], s.q, s.v, s.vdot, s.a, s.lam, s.psi, s.eta, stage]))
    return names, np.array(rows)


def difference(names, old, new):
    """Largest difference of a quantity, relative to its largest value (at least 1)."""
    kinds = [name.rstrip("0123456789") for name in names]
    worst = 0.0
    for kind in set(kinds):
        own = [i for i, k in enumerate(kinds) if k == kind]
        size = max(1.0, np.max(np.abs(new[:, own])))
        worst = max(worst, np.max(np.abs(old[:, own] - new[:, own])) / size)
    return worst


def heading(case, names, q, v):
    """Options as lines "# key value", then the columns' names."""
    lines = ["# made by tests/reference/make_references.py"]
    lines += ["# %s %s" % (key, value) for key, value in sorted(case.items()) if key != "h"]
    lines += ["# %s %s" % (key, " ".join("%.17g" % x for x in numbers))
              for key, numbers in (("q0", q), ("v0", v))]
    return "\n".join(lines + [",".join(names)]) + "\n"


def settle(path, head, names, rows):
    """Compares with the file, writes it if need be; a remark, and whether it was there otherwise."""
    note = None
    if os.path.exists(path):
        with open(path) as file:
            text = file.read()
        if not text.startswith(head):
            note = "had other options"
        else:
            stored = np.array([[float(x) for x in row.split(",")]
                               for row in text[len(head):].splitlines()])
            apart = difference(names, stored, rows) if stored.shape == rows.shape else np.inf
            if apart < AGREE:
                return "stored numbers differ by %.1e" % apart, False
            note = "stored numbers differed by %.1e: written anew" % apart
    with open(path, "w") as out:
        out.write(head)
        for row in rows:
            out.write(",".join("%.17g" % x for x in row) + "\n")
    return note or "new", note is not None


def main():
    directory, *chosen = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    known, failed = set(), 0
    for name, case in cases():
        known.add(name + ".csv")
        if chosen and name not in chosen:
            continue
        if case["method"] == "project":
            names, rows, q, v = projected(case)
        else:
            states, q, v = run(case)
            names, rows = table(states, case["h"])
        note, changed = settle(os.path.join(directory, name + ".csv"),
                               heading(case, names, q, v), names, rows)
        failed += changed
        print("%-28s %s" % (name, note), flush=True)
    for name in sorted(set(os.listdir(directory)) - known):
        print("%-28s belongs to no case" % name)
        failed += 1
    if failed:
        sys.exit("%d files were not as they should be (bound %g)" % (failed, AGREE))


if __name__ == "__main__":
    main()
