#!/usr/bin/env python3
"""JN07 (2.2), (3.4) with its variants, (6.1) and Sec. 7 with generalized-alpha parameters, written
down from the paper for forces f(t, y, z) + r(t, y, z, multipliers) with r != 0 without multipliers;
and the first step with a_0 = alpha f_1 + (1 - alpha) f_0 of Sec. 2. Its systems are those of
tests/scheme/test_hht_split.c. usage: hht_split.py > tests/data/hht_split.csv"""
import numpy as np
from numpy import array, concatenate, cos, exp, sin

STEPS = 12


class Holonomic:
    """y = (e^(t/2), e^-t), lambda = cos t."""
    name, m, l = "holonomic", 1, 0

    def guess(self, t, count):
        return np.full(count, cos(t))

    def f(self, t, y, z):
        c, s = cos(t), sin(t)
        return array([z[0] / 2 - c * exp(t / 2) - s * exp(-t) + y[0] * (z[1] + y[1]),
                      -z[1] - c * exp(-2 * t) - exp(t / 2) + y[1] * (2 * z[0] - y[0])])

    def r(self, t, y, z, x):
        return array([y[0] * x[0] + sin(t) * y[1], y[1] ** 2 * x[0] + y[0]])

    def constraints(self, t, y, z, h):
        return array([(y[0] ** 2 * y[1] - 1) / h ** 2,
                      (2 * y[0] * y[1] * z[0] + y[0] ** 2 * z[1]) / h])

    def exact(self, t):
        return (array([exp(t / 2), exp(-t)]), array([exp(t / 2) / 2, -exp(-t)]), array([cos(t)]))


class Nonholonomic:
    """The same motion, psi = cos t, led by a constraint that is nonlinear in z."""
    name, m, l = "nonholonomic", 0, 1
    guess = Holonomic.guess

    def f(self, t, y, z):
        c, s = cos(t), sin(t)
        return array([z[0] / 2 - c * exp(t / 2) / 2 - s * exp(-t) + y[0] * (z[1] + y[1]),
                      -z[1] + c * exp(t / 2) - exp(t / 2) + 0.2 * exp(-t / 2)
                      + y[1] * (2 * z[0] - y[0])])

    def r(self, t, y, z, x):
        return array([z[0] * x[0] + sin(t) * y[1], -y[0] * x[0] + y[0] + 0.2 * z[1] * y[0]])

    def constraints(self, t, y, z, h):
        return array([(z[0] ** 2 * z[1] + 0.25 + y[0] ** 2 * y[1] - 1) / h])

    exact = Holonomic.exact


class Free:
    """No constraints, no closed form."""
    name, m, l = "free", 0, 0
    guess = Holonomic.guess

    def f(self, t, y, z):
        return array([-4 * y[0] - 0.3 * z[0] * z[1] + y[1] ** 2 * sin(t),
                      -9 * y[1] + y[0] * z[0] - 0.2 * z[1] + cos(3 * t)])

    def exact(self, t):
        return array([1.0, 0.5]), array([0.3, -0.4]), array([])


def chung_hulbert(rho):
    am, af = (2 * rho - 1) / (1 + rho), rho / (1 + rho)
    return am, af, (1 - am + af) ** 2 / 4, 0.5 - am + af


def hht(alpha):
    return 0.0, -alpha, (1 - alpha) ** 2 / 4, 0.5 - alpha


def newton(residual, x):
    """Derivatives by the complex step, so that f, r and the constraints must be analytic."""
    for _ in range(30):
        value, matrix = residual(x), np.zeros((len(x), len(x)))
        for j in range(len(x)):
            moved = x.astype(complex)
            moved[j] += 1e-30j
            matrix[:, j] = residual(moved).imag / 1e-30
        change = np.linalg.solve(matrix, value)
        x = x - change
        if np.max(np.abs(change)) < 1e-15 * (1 + np.max(np.abs(x))):
            break
    return x


def reactions(system, variant, b, old, new, h, x):
    """What stands with h^2/2 in the position and with h in the velocity; x: the multipliers."""
    (t0, y0, z0), (t1, y1, z1) = old, new
    r, half = system.r, t0 + h / 2
    if system.l:  # Sec. 6
        middle = r(half, y0 + h / 2 * z0, (z0 + z1) / 2, x)
        return middle, middle
    first, second = x[:system.m], x[system.m:]
    begin = r(t0, y0, z0, first)
    if variant == "full":
        end = r(t1, y1, z1, second)
        return (1 - b) * begin + b * end, (begin + end) / 2
    if variant == "explicit":
        end = r(t1, y0 + h * z0, z1, second)
        return (1 - b) * begin + b * end, (begin + end) / 2
    if variant == "lunk-simeon":
        end = r(t1, y1, z1, second)
        return (1 - b) * begin + b * r(t1, y1, z1, first), (begin + end) / 2
    place = (y0 + y1) / 2 if variant == "midpoint" else y0 + h / 2 * z0
    return begin, r(half, place, (z0 + z1) / 2, second)


def step(system, p, variant, b, t0, y0, z0, a0, h):
    """a0 = None: the first step. Returns y1, z1, a1 and the multipliers of the step."""
    am, af, beta, gamma = p
    alpha, t1, f0 = am - af, t0 + h, system.f(t0, y0, z0)
    count, n = 2 * system.m + system.l, len(y0)

    def parts(x):
        y1, z1, a1 = x[:n], x[n:2 * n], x[2 * n:3 * n]
        f1 = system.f(t1, y1, z1)
        return y1, z1, a1, f1, alpha * f1 + (1 - alpha) * f0 if a0 is None else a0, x[3 * n:]

    def residual(x):
        y1, z1, a1, f1, begin, multipliers = parts(x)
        position = velocity = 0
        if count:
            position, velocity = reactions(system, variant, b, (t0, y0, z0), (t1, y1, z1), h,
                                           multipliers)
        rows = [y1 - y0 - h * z0 - h ** 2 / 2 * ((1 - 2 * beta) * begin + 2 * beta * a1 + position),
                z1 - z0 - h * ((1 - gamma) * begin + gamma * a1 + velocity),
                (1 - am) * a1 + am * begin - (1 - af) * f1 - af * f0]
        if count:
            rows.append(system.constraints(t1, y1, z1, h))
        return concatenate(rows)

    y1, z1, a1, _, _, x = parts(newton(residual, concatenate(
        [y0 + h * z0, z0, f0, system.guess(t0, count)])))
    return y1, z1, a1, x


CASES = [  # system, method, variant, b, parameters as the library names them, start
    (Holonomic(), "hht3", "full", 0.3, "hht:-0.2", "plain"),
    (Holonomic(), "hht3", "explicit", -0.4, "hht:-0.3", "plain"),
    (Holonomic(), "hht3", "midpoint", 0.0, "hht:-0.1", "plain"),
    (Holonomic(), "hht3", "midpoint-explicit", 0.0, "hht:-0.25", "plain"),
    (Holonomic(), "hht3", "lunk-simeon", 0.8, "hht:-0.2", "plain"),
    (Holonomic(), "hht3", "lunk-simeon", 0.3, "ch:0.35", "plain"),
    (Holonomic(), "hht3", "lunk-simeon", -0.6, "free:-0.2,0.3,0.6,1.0", "plain"),
    (Holonomic(), "hht3", "lunk-simeon", 0.3, "ch:0", "plain"),
    (Holonomic(), "hht3", "full", 0.3, "hht:-0.2", "trapezoidal"),
    (Holonomic(), "hht3", "midpoint", 0.0, "hht:-0.3", "trapezoidal"),
    (Holonomic(), "hht3", "lunk-simeon", 0.3, "ch:0.35", "trapezoidal"),
    (Nonholonomic(), "hht2", "-", 0.0, "hht:-0.2", "plain"),
    (Nonholonomic(), "hht2", "-", 0.0, "hht:-0.3", "trapezoidal"),
    (Free(), "hht", "-", 0.0, "hht:-0.25", "plain"),
    (Free(), "hht", "-", 0.0, "hht:-0.25", "trapezoidal"),
]


def parameters(text):
    kind, values = text.split(":")
    if kind == "ch":
        return chung_hulbert(float(values))
    return hht(float(values)) if kind == "hht" else tuple(float(v) for v in values.split(","))


def main():
    print("# made by tests/reference/hht_split.py: case, step, t, y1, y2, z1, z2, a1, a2, "
          "multipliers of the step")
    for number, (system, _, variant, b, params, start) in enumerate(CASES):
        p, h, t = parameters(params), 0.05, 0.2
        y, z, _ = system.exact(t)
        a = None if start == "trapezoidal" else system.f(t, y, z)
        for n in range(STEPS):
            y, z, a, x = step(system, p, variant, b, t, y, z, a, h)
            t = 0.2 + (n + 1) * h
            x = concatenate([x, np.full(2 - len(x), np.nan)])
            print(",".join([str(number), str(n + 1)] +
                           ["%.17g" % v for v in concatenate([[t], y, z, a, x])]))


if __name__ == "__main__":
    main()
