#!/usr/bin/env python3
"""lab/papers/prototypes.def, the rows of the experiment PROTO of `cardan papers`: single numbers of
runs of the built-in problems (problems.py) by the schemes of this directory. Says whether the
stored digits are still the same; if not, the file is written anew and the exit code is 1.
usage: make_rows.py lab/papers/prototypes.def"""
import os
import sys

import numpy as np

import parameters
from make_references import SCHEMES, norm_matrix, projection_of
from problems import PROBLEMS
from projection import after_step

OURS = ("MAGNUS", "STEP", "PROJ-2", "SPATIAL", "RK5")  # all else is a formula of a paper
DIGITS = 10  # of a printed number at most
# What both sides have right of a number, relative to the largest of its kind in the run: the bounds
# of test_references.c, which says where they come from.
ACCURACY = {"q": 1e-12, "v": 1e-11, "eta": 1e-12, "energy": 1e-12}
OTHERWISE = 1e-10

# Place of the formula | method problem parameters steps options | what is printed. An option that
# is not one of make_references.py is a parameter of the problem.
CASES = """
ACB15 (9) | ga3 pendulum ch:0.9 0.02x15 start=plain | v1 lambda1
ACB15 (9) | ga3 pendulum free:-0.2,0.3,0.6,1.0 0.02x20 start=plain | q1 vdot1 a2 lambda1
ACB15 (9) | ga3 driven_pendulum ch:0.4 0.02x20 | v2 lambda1
ACB15 (9) | ga3 heavy_top ch:0.6 0.001x20 start=plain | q1 v4 lambda3
ACB15 (9) | ga3 heavy_top_spatial wbz:-0.25 0.001x20 start=plain | v6 lambda2
ACB-R Sec. 4 | ga3 pendulum_massless ch:0.8 0.02x16 start=plain | v3 lambda1 lambda2
ACB15 (58) | ga2s pendulum ch:0.9 0.02x15 start=plain | v1 lambda1 eta1
ACB15 (58) | ga2s pendulum free:-0.2,0.3,0.6,1.0 0.02x20 start=plain | q2 vdot2 a1 lambda1
ACB15 (58) | ga2s heavy_top ch:0.6 0.001x20 start=plain | q2 v4 lambda3 eta1
ACB15 Sec. 2.2 | ga2s friction_slider ch:0.7 0.02x15 start=plain | v1 lambda1
ACB15 (58) | ga2s disk_on_platform ch:0.3 0.01x20 | v4 lambda1 psi1 eta1
ACB15 (58) | ga2s pendulum_massless ch:0.5 0.02x16 | v3 lambda1
ACB-R Sec. 3 | ga2 pendulum free:-0.2,0.3,0.6,1.0 0.02x20 start=plain | q1 v2 lambda1
ACB-R Sec. 3 | ga2 heavy_top ch:0.9 0.001x20 start=plain | q3 lambda3
ACB-R Sec. 3 | ga1 pendulum free:0.1,0.35,0.45,0.75 0.02x20 start=plain | q1 v2 lambda1
ACB-R Sec. 3 | ga1 heavy_top ch:0.9 0.001x20 start=plain | q3 lambda3
ACB15 (56), (57) | ga3 pendulum ch:0.9 0.02x1 start=perturbed | v1 a1 lambda1
ACB15 (56), (57) | ga3 pendulum free:-0.2,0.3,0.6,1.0 0.02x6 start=perturbed difference=forward | v2 lambda1
ACB15 (57) | ga3 pendulum ch:0.9 0.02x2 start=acceleration | v1 a1 lambda1
ACB15 (57) | ga3 pendulum ch:0.7 0.02x3 start=acceleration difference=forward | v1 a2 lambda1
ACB15 (17), (56) | ga3 heavy_top ch:0.9 0.001x4 start=perturbed | v5 a4 lambda3
ACB15 (17), (56) | ga3 heavy_top_spatial ch:0.6 0.001x4 start=perturbed difference=forward | v4 lambda3
ACB15 (57) | ga2s heavy_top ch:0.6 0.001x4 start=perturbed difference=forward | a4 lambda3
ACB15 (12), (52) | ga3 oscillator ch:0.3 0.2x12 start=plain | q1 a1
ACB15 (12), (52) | ga2s pendulum ch:0 0.02x10 start=plain | v1 lambda1
Jay11 Sec. 1 | ga3 oscillator hht:-0.2 0.2x12 start=plain | q1 a1
ACB15 (12) | ga3 oscillator wbz:-0.3 0.2x12 start=plain | q1 a1
Jay11 Sec. 1 | ga3 oscillator newmark:0.3025,0.6 0.2x12 start=plain | q1 v1
Jay11 Sec. 1 | ga3 oscillator trapezoidal 0.2x12 start=plain | q1 v1
Jay11 Sec. 1 | ga3 oscillator stoermer 0.2x12 start=plain | q1 v1
MAGNUS | ga3 heavy_top ch:0.9 0.001x20 update=magnus | v4 lambda3
MAGNUS | ga2s heavy_top_spatial ch:0.6 0.001x20 update=magnus start=plain | v4 lambda3
MAGNUS | ga2 heavy_top ch:0.6 0.001x12 update=magnus start=plain | q3 lambda3
MAGNUS | ga1 heavy_top ch:0.6 0.001x12 update=magnus start=plain | q3 lambda3
MAGNUS | nonholonomic disk_on_platform ch:0.6 0.01x12 update=magnus start=plain | q2 psi1
MAGNUS | hht free_body hht:-0.2 0.1x12 update=magnus start=plain | q2 v1
MAGNUS | hht3 heavy_top hht:-0.2 0.001x12 update=magnus start=plain | q1 lambda3
MAGNUS | hht2 steady_body hht:-0.2 0.1x12 update=magnus start=plain | q2 v1
MAGNUS | midpoint heavy_top - 0.001x12 update=magnus start=plain | q1 lambda3
SPATIAL | ga3 heavy_top_spatial ch:0.9 0.001x20 | v4 lambda3
SPATIAL | ga2s heavy_top_spatial ch:0.9 0.001x20 | v4 lambda3
STEP | ga3 pendulum ch:0.62 0.02x6,0.03x4,0.01x6 | v1 a1 lambda1
STEP | ga3 heavy_top ch:0.9 0.001x5,0.0015x5 | v4 a4 lambda3
STEP | ga3 pendulum ch:0.9 0.01x1,0.02x1,0.01x1,0.02x1,0.01x1,0.02x1 | v1 lambda1
JN07 (2.3) | ga3 pendulum ch:0.62 0.02x6,0.03x6 step_change=acceleration | v1 lambda1
ACB-R (7) | ga3 pendulum ch:0.62 0.02x6,0.03x6 step_change=projected | v1 lambda1
JN07 (2.3) | ga2s pendulum ch:0.62 0.02x6,0.03x4,0.01x6 | v1 a1 lambda1
Jay11 (2.3) | nonholonomic jay1 free:-0.2,0.3,0.6,1.0 0.05x16 start=plain | q1 v2 a2 psi1
Jay11 (2.3) | nonholonomic jay1 ch:0.2 0.05x16 start=plain mass=previous | q2 v1 a1 psi1
Jay11 (2.3) | nonholonomic jay1 ch:0.2 0.05x16 start=perturbed | q2 vdot1 a1 psi1
Jay11 (2.3) | nonholonomic rolling_disk ch:0.2 0.02x20 | v3 v4 psi1
Jay11 (2.3) | nonholonomic chaplygin_sleigh free:0.1,0.35,0.45,0.75 0.05x16 mass=previous | v1 psi1
Jay11 (2.3) | nonholonomic chaplygin_sleigh ch:0.5 0.05x6,0.03x6 mass=previous | v1 vdot3 psi1
Jay11 (2.3) | nonholonomic disk_on_platform ch:0.4 0.01x12 | v4 lambda1 psi1 eta1
Jay11 (2.3) | nonholonomic heavy_top_spatial ch:0.6 0.001x12 | v4 lambda3
JN07 (2.2) | hht oscillator hht:-0.15 0.2x12 damping=0.3 start=plain | q1 v1 a1
JN07 (2.2) | hht oscillator hht:-0.3 0.2x12 damping=0.1 start=perturbed | q1 a1
JN07 (2.3) | hht oscillator hht:-0.3 0.1x6,0.2x4,0.1x4 damping=0.1 start=plain | q1 a1
JN07 Sec. 2 | hht oscillator hht:-0.2 0.2x8 damping=0.1 start=trapezoidal | q1 a1
JN07 (2.2) | hht free_body hht:-0.1 0.1x12 start=plain | q2 v1
JN07 (3.4) | hht3 jn1 hht:-0.15 0.05x16 b=0.3 start=plain | q1 v2 a2 stage1 stage2
JN07 (3.4) | hht3 jn1 hht:-0.15 0.05x16 b=0.3 start=perturbed | v1 a2 lambda1
JN07 (3.4) | hht3 jn2 hht:-0.3 0.01x20 | v3 a3 lambda1
JN07 (3.4) | hht3 heavy_top hht:-0.2 0.001x12 b=-0.4 start=plain | q1 lambda3
JN07 (3.5) | hht3 jn1 hht:-0.15 0.05x16 variant=explicit b=0.3 start=plain | q1 v2 stage2
JN07 Sec. 7 | hht3 jn1 hht:-0.15 0.05x16 variant=midpoint start=plain | q1 v2 stage1 stage2
JN07 Sec. 7 | hht3 jn2 hht:-0.15 0.01x16 variant=midpoint start=plain | v3 lambda1
JN07 Sec. 7 | hht3 friction_slider hht:-0.15 0.02x12 variant=midpoint start=plain | v1 stage2
JN07 Sec. 7 | hht3 jn1 hht:-0.15 0.05x16 variant=midpoint-explicit start=plain | q1 v2 stage2
JN07 Sec. 7 | hht3 jn1 hht:-0.15 0.05x16 variant=lunk-simeon b=0.3 start=plain | q1 v2 stage1 stage2
JN07 Sec. 7 | hht3 jn1 ch:0.35 0.05x16 variant=lunk-simeon b=0.3 start=plain | v2 a2 stage1 stage2
JN07 Sec. 7 | hht3 jn1 free:-0.2,0.3,0.6,1.0 0.05x16 variant=lunk-simeon b=-0.6 start=plain | v2 a2 stage2
JN07 (2.3) | hht3 jn1 hht:-0.15 0.02x8,0.04x8,0.02x4 b=0.3 | v2 a2 lambda1
JN07 Sec. 2 | hht3 jn1 hht:-0.15 0.05x8 b=0.3 start=trapezoidal | v2 a2
JN07 Sec. 6 | hht2 jay1 hht:-0.2 0.05x16 start=plain | q1 v2 a1 psi1 stage1
JN07 Sec. 6 | hht2 jay1 hht:-0.3 0.05x8 start=perturbed | v1 a2 psi1
JN07 Sec. 6 | hht2 skate hht:-0.15 0.05x12 | q2 v1 psi1
JN07 Sec. 6 | hht2 rolling_disk hht:-0.15 0.02x16 start=plain | v3 v4 psi1
JN07 Sec. 6 | hht2 steady_body hht:-0.2 0.1x12 start=plain | q2 v1 psi1 stage1
JN07 Sec. 6 | hht2 chaplygin_sleigh hht:-0.2 0.05x8,0.08x8 | v1 a1 psi1
JN07 Sec. 2 | hht2 jay1 hht:-0.2 0.05x8 start=trapezoidal | v2 a2
GO10 (13) | midpoint two_particles - 0.04x20 start=plain | q1 v2 lambda1 stage1
GO10 (13) | midpoint jn2 - 0.01x16 c=0 | v3 stage1 dE_i
GO10 (13) | midpoint rolling_disk - 0.02x16 start=plain | v3 stage1
GO10 (13) | midpoint heavy_top - 0.001x12 | q1 lambda3
GO10 (13) | midpoint driven_pendulum - 0.02x12 | q1 stage1
GO10 (13) | midpoint jay1 - 0.05x8 start=plain | v1 psi1 stage1
GO10 (12) | trapezoidal two_particles - 0.04x12 start=plain | q1 v2 stage1 dE_i
GO10 (12) | trapezoidal jn2 - 0.01x12 c=0 | v3 lambda1 dE_i
GO10 (14) | conserving two_particles - 0.04x20 start=plain | q1 v2 stage1
GO10 (14) | conserving jn2 - 0.01x16 start=plain | v3 stage1 stage2
GO10 (14) | conserving jn2 - 0.01x16 penalty=1000 start=plain | v3
GO10 (14) | conserving wall_pendulum - 0.04x16 w=0.3 start=plain | q1 v2 stage1
GO10 (14) | conserving free_body - 0.1x12 | q2 v1
GO10 (14) | conserving heavy_top - 0.001x12 | q1 v4 stage3
GO10 (14) | conserving heavy_top_spatial - 0.001x12 | q1 v4 stage3
GO10 (14) | conserving driven_pendulum - 0.02x12 | q1 v2 stage1
ACB-R (6), (7) | ga2 pendulum ch:0.45 0.02x12 project=both start=plain | q1 v1 lambda1
ACB-R (6), (7) | ga1 heavy_top ch:0.9 0.001x12 project=both norm=identity start=plain | q1 v4 lambda3
ACB-R (7) | ga3 pendulum ch:0.9 0.02x12 project=velocity | v1 lambda1 dE_p
GO10 (2) | ga3 two_particles ch:0.8 0.04x12 project=velocity norm=diagonal | v1 lambda1 dE_p
GO10 (2) | ga3 two_particles ch:0.8 0.04x12 project=both norm=matrix | q1 v1 lambda1
GO10 (4) | conserving two_particles - 0.1x12 project=velocity penalty=1 start=plain | q1 v2 dE_p
GO10 (4), (21) | conserving two_particles - 0.1x12 project=velocity norm=diagonal penalty=0.7 start=plain | v2 dE_p dE_p_linear dE_p_quadratic
GO10 (4), (21) | conserving two_particles - 0.1x12 project=velocity norm=matrix penalty=3 | v1 dE_p_linear dE_p_quadratic
GO10 (4) | conserving two_particles - 0.1x12 project=velocity norm=identity penalty=2 start=plain | v1 dE_p
GO10 (4) | ga2 pendulum ch:0.62 0.02x12 project=both penalty=20 norm=identity | q1 v1
GO10 Sec. 3 | ga2 pendulum ch:0.62 0.02x12 project=both augmented=5 norm=diagonal | q1 v1
GO10 (6), (7) | ga3 pendulum ch:0.37 0.02x12 project=velocity accelerations=yes start=plain | vdot1 a1 lambda1
GO10 (6), (7) | ga3 two_particles ch:0.37 0.04x12 project=velocity norm=diagonal accelerations=yes | vdot1 a2
GO10 (6), (7) | ga3 pendulum ch:0.37 0.02x12 project=velocity penalty=3 accelerations=yes | vdot1 a1 lambda1
GO10 Sec. 1 | ga3 jn2 ch:0.62 0.01x12 project=velocity norm=tangent | v3 lambda1
GO10 Sec. 1 | ga2 jn2 ch:0.62 0.01x12 project=both norm=tangent damping=0.02 stiffness=0.003 start=plain | q3 v3
GO10 footnote 1 | ga3 two_particles ch:0.37 0.04x12 project=velocity accelerations=yes own_norm=matrix start=plain | vdot1 a2
GO10 footnote 1 | ga3 pendulum ch:0.37 0.02x12 project=velocity accelerations=yes own_norm=diagonal own_penalty=7 start=plain | vdot1 a2
PROJ-2 | ga3 pendulum ch:0.62 0.02x12 project=velocity target=settled | v1 lambda1
PROJ-2 | ga3 heavy_top ch:0.9 0.001x12 project=velocity target=settled | v4 lambda3
RK5 | rk5 driven_pendulum - 0.1x8 | q1 v2 lambda1
RK5 | rk5 disk_on_platform - 0.05x10 | q1 v4 psi1
RK5 | rk5 rolling_disk - 0.1x6 | v3 v4 psi1
"""


# Place | form parameters power | entries (row, column) of that power of T_+^-1 T_0.
RECURSIONS = """
ACB15 (46)  | ga3 ch:0.9 14                  | 2,1 3,1 2,3
ACB15 (46)  | ga3 free:-0.2,0.3,0.6,0.9 3    | 1,1 2,1 2,2 2,3 3,3
ACB15 (59)  | ga2s ch:0.9 3                  | 1,1 1,2 2,2
ACB15 (59)  | ga2s free:-0.2,0.3,0.6,0.9 2   | 1,1 1,2 2,2
ACB-R (27)  | null ch:0.6 3                  | 1,1 1,2 2,1 2,2
ACB-R (27)  | null free:-0.2,0.3,0.6,0.9 2   | 1,1 1,2 2,1 2,2
"""


def recursion(form, p):
    """T_+ and T_0."""
    m, f = p.alpha_m, p.alpha_f
    if form == "ga3":
        return ([[0, 0, -p.beta], [1, 0, -p.gamma], [0, 1 - f, 1 - m]],
                [[1, 0, 0.5 - p.beta], [1, 0, 1 - p.gamma], [0, -f, -m]])
    if form == "ga2s":
        return [[0, -p.gamma], [1 - f, 1 - m]], [[0, 1 - p.gamma], [-f, -m]]
    return [[0, -p.beta], [1, -p.gamma]], [[1, 0.5 - p.beta], [1, 1 - p.gamma]]


def recursion_lines():
    for line in RECURSIONS.strip().splitlines():
        place, what, wanted = (part.strip() for part in line.split("|"))
        form, params, power = what.split()
        plus, zero = recursion(form, parameters.parse(params))
        matrix = np.linalg.matrix_power(np.linalg.solve(plus, zero), int(power))
        for entry in wanted.split():
            row, column = (int(i) for i in entry.split(","))
            digits = printed(matrix[row - 1, column - 1], 1e-12 * np.max(np.abs(matrix)))
            yield 'RECURSION("%s", "%s", "%s", %s, %d, %d, "%s")' % (place, form, params, power, row,
                                                                    column, digits)


def cases():
    for line in CASES.strip().splitlines():
        place, run, wanted = (part.strip() for part in line.split("|"))
        yield place, run.split(), wanted.split()


def steps_of(text):
    """0.02x5,0.03x5"""
    return [float(h) for part in text.split(",") for h, n in [part.split("x")]
            for _ in range(int(n))]


KNOWN = ("start", "difference", "update", "step_change", "b", "variant", "mass", "project",
         "target", "norm", "penalty", "augmented", "accelerations", "own_norm", "own_penalty")
OF_NORM = "damping", "stiffness"  # options of projections, otherwise of the oscillator
NUMBERS = ("b", "penalty", "augmented", "own_penalty") + OF_NORM


def options_of(words):
    """Options of the run, and parameters of the problem."""
    case = dict(word.split("=") for word in words)
    case.update((key, float(case[key])) for key in NUMBERS if key in case)
    known = KNOWN + OF_NORM if "project" in case else KNOWN
    return ({key: value for key, value in case.items() if key in known},
            {key: float(value) for key, value in case.items() if key not in known})


def parameters_of(text):
    return parameters.parse("newmark:0,0.5" if text == "stoermer" else text)


def energy(system, s):
    potential = system.potential(s.q) if system.potential else 0.0
    return s.v @ system.mass(s.q, s.t) @ s.v / 2 + potential


class Ledger:
    """What steps and projections do to the energy, GO10 (9), (21)."""

    def __init__(self):
        self.sums = {"dE_i": 0.0, "dE_p": 0.0, "dE_p_linear": 0.0, "dE_p_quadratic": 0.0}

    def book(self, system, case, old, free, new):
        """`free`: the step before its projection."""
        self.sums["dE_i"] += energy(system, free) - energy(system, old)
        self.sums["dE_p"] += energy(system, new) - energy(system, free)
        if "project" not in case or not case.get("penalty"):
            return  # (21) is for penalties
        b, alpha, v = system.b(new.q, new.t), case["penalty"], new.v
        mass = system.mass(new.q, new.t)
        norm = norm_matrix(case, len(v))
        norm = mass if norm is None else norm
        push = mass @ np.linalg.solve(norm, b.T @ b)
        self.sums["dE_p_linear"] -= alpha * v @ (push + push.T) @ v / 2
        moved = np.linalg.solve(norm, b.T @ (b @ v))
        self.sums["dE_p_quadratic"] -= alpha ** 2 / 2 * moved @ mass @ moved


def run(method, problem, params, steps, options):
    """The last state, its energies, and the largest number of each kind on the way."""
    case, settings = options_of(options)
    case.update(method=method)
    system = PROBLEMS[problem]()
    params = None if params == "-" else parameters_of(params)
    scheme = SCHEMES[method](system, case, params)
    q, v = system.initial(**settings)
    s = scheme.start(0.0, q, v, steps[0])
    project = projection_of(case, case["project"], len(v), steps[0]) if "project" in case else None
    ledger, largest = Ledger(), {}
    for i, h in enumerate(steps):
        if i and h != steps[i - 1]:
            s = scheme.change(s, h / steps[i - 1])
        old, s = s, scheme.step(s, h)
        free = s
        if project:
            s = after_step(system, project, old, s, h, params.cq if params else 0,
                           case.get("update") != "magnus")
        ledger.book(system, case, old, free, s)
        for name, values in parts(s).items():
            largest[name] = max(largest.get(name, 0.0), np.max(np.abs(values), initial=0.0))
    return s, ledger.sums, largest


def parts(s):
    return {"q": s.q, "v": s.v, "vdot": s.vdot, "a": s.a, "lambda": s.lam, "psi": s.psi,
            "eta": s.eta, "stage": s.stage}


def decimal(value, digits):
    after_point = digits - 1 - int(np.floor(np.log10(abs(value))))
    if abs(value) < 1e-3 or after_point < 0:
        return "%.*e" % (digits - 1, value)
    return "%.*f" % (after_point, value)


def printed(value, error):
    """As many digits of `value` as are certain, at most DIGITS."""
    for digits in range(DIGITS, 4, -1):
        near = {decimal(value + e, digits) for e in (-error, 0, error)}
        if len(near) == 1 and abs(value) > 10.0 ** (digits - 1) * error:
            return near.pop()
    raise RuntimeError("%g +- %g has too few digits" % (value, error))


def look_up(name, s, sums, largest):
    """A quantity by its name in CASES: its digits."""
    if name in sums:
        return printed(sums[name], ACCURACY["energy"])
    kind = name.rstrip("0123456789")
    error = ACCURACY.get(kind, OTHERWISE) * max(largest[kind], 1.0)
    return printed(parts(s)[kind][int(name[len(kind):]) - 1], error)


def lines():
    yield "/* Made by tests/reference/make_rows.py; lab/papers/proto.c says what the fields are. */"
    for place, (method, problem, params, steps, *options), wanted in cases():
        found = run(method, problem, params, steps_of(steps), options)
        for name in wanted:
            digits = look_up(name, *found)
            origin = "OURS" if place in OURS else "DERIVED"
            fields = [place, method, problem, params, steps, " ".join(options), name, digits]
            yield "PROTOTYPE(PAPERS_%s, %s)" % (origin, ", ".join('"%s"' % f for f in fields))
    yield from recursion_lines()


def main():
    path = sys.argv[1]
    stored = open(path).read().splitlines() if os.path.exists(path) else []
    made = list(lines())
    changed = [line for line in made if line not in stored]
    gone = [line for line in stored if line not in made]
    print("%s: %d rows, %d changed or new, %d gone" % (path, len(made) - 1, len(changed), len(gone)))
    if changed or gone:
        with open(path, "w") as out:
            out.write("\n".join(made) + "\n")
        for line in gone + changed:
            print("  " + line)
        sys.exit(1)


if __name__ == "__main__":
    main()
