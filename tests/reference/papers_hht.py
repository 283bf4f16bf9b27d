#!/usr/bin/env python3
"""Errors of HHT, extended HHT, Lunk-Simeon's method (JN07) and of the generalized-alpha method with
averaged forces (Jay11 (2.3)) on the papers' own problems at one step size each, written down from
the papers: what `cardan papers` compares with where the papers print figures only.
usage: papers_hht.py > lab/papers/prototype_hht.def"""
import numpy as np
from numpy import array, concatenate, cos, exp, sin

from hht_split import chung_hulbert, hht, newton, step


class Jn1:
    """JN07 Sec. 5.1; with l = 1 its constraints at velocity level alone, Sec. 6, also with z_1 for
    y_1 in r, which is the same on the exact solution."""

    def __init__(self, nonholonomic=False, by_velocity=False):
        self.m, self.l = (0, 1) if nonholonomic else (1, 0)
        self.by_velocity = by_velocity

    def guess(self, t, count):
        return np.full(count, exp(-t))

    def f(self, t, y, z):
        return array([y[0] * z[1] + 2 * y[1] * z[0],
                      y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1]])

    def r(self, t, y, z, x):
        factor = z[0] if self.by_velocity else y[0]
        return array([exp(t) * factor * x[0], y[1] * x[0] ** 2])

    def constraints(self, t, y, z, h):
        hidden = (2 * y[0] * y[1] * z[0] + y[0] ** 2 * z[1]) / h
        return array([hidden] if self.l else [(y[0] ** 2 * y[1] - 1) / h ** 2, hidden])

    def exact(self, t):
        return array([exp(t), exp(-2 * t)]), array([exp(t), -2 * exp(-2 * t)])


class Jn2:
    """JN07 Sec. 5.2."""
    m, l = 2, 0
    mass, length, k, c, g = 5.0, 2.0, 3000.0, 100.0, 9.81
    start = array([0, -2.0, 3 * np.pi / 2]), array([20.0, 0, 10.0])

    def guess(self, t, count):
        return array([0.0, 1000.0] * (count // 2))

    def inertia(self, force):
        return force / array([self.mass, self.mass, self.mass * self.length ** 2 / 3])

    def f(self, t, y, z):
        return self.inertia(array([0 * z[0], 0 * z[0] - self.mass * self.g,
                                   -self.c * z[2] - self.k * (y[2] - 3 * np.pi / 2)]))

    def r(self, t, y, z, x):
        turn = self.length * (sin(y[2]) * x[0] - cos(y[2]) * x[1])
        return self.inertia(-array([x[0], x[1], turn]))

    def constraints(self, t, y, z, h):
        s, c = self.length * sin(y[2]), self.length * cos(y[2])
        return array([(y[0] - c) / h ** 2, (y[1] - s) / h ** 2,
                      (z[0] + s * z[2]) / h, (z[1] - c * z[2]) / h])


class Oscillator:
    """y'' = -y - y'/2, y(0) = 1, y'(0) = 0."""
    m = l = 0

    def guess(self, t, count):
        return np.zeros(0)

    def f(self, t, y, z):
        return -y - z / 2

    def exact(self, t):
        a, w = 0.25, np.sqrt(1 - 0.0625)
        return (array([exp(-a * t) * (cos(w * t) + a / w * sin(w * t))]),
                array([-exp(-a * t) * sin(w * t) / w]))


def run(system, p, variant, b, sizes, y, z, trapezoidal=False):
    """From t = 0 with a_0 = f_0, or with that of the trapezoidal start; (2.3) where the step
    changes."""
    t, a, before = 0.0, None if trapezoidal else system.f(0.0, y, z), None
    for h in sizes:
        if before is not None and h != before:
            f = system.f(t, y, z)
            a = f + h / before * (a - f)
        y, z, a, x = step(system, p, variant, b, t, y, z, a, h)
        t, before = t + h, h
    return y, z, a, x


def errors(system, p, variant, b, sizes, trapezoidal=False):
    y, z, a, _ = run(system, p, variant, b, sizes, *system.exact(0.0), trapezoidal)
    t = 1.0
    yt, zt = system.exact(t)
    s = t + (p[0] - p[1]) * sizes[-1]
    return [y - yt, z - zt, a - system.f(s, *system.exact(s))]


class Jay1:
    """Jay11 (7.1)."""

    def mass(self, t, y):
        return array([[y[0], y[1] - exp(-2 * t)], [sin(y[0] - exp(t)), y[0] * y[1]]])

    def f(self, t, y, z, psi):
        return array([exp(t) * (y[0] * z[1] + 2 * y[1] * z[0]) + exp(2 * t) * y[0] * psi,
                      exp(-t) * (y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1]
                                 + y[1] * psi ** 2)])

    def k(self, y, z):
        return z[0] ** 2 * z[1] + 6 * y[0] * y[1] * z[0] - 4

    def run(self, rho, previous, n):
        """Jay11 (2.3) from a_alpha = a_0."""
        am, af, beta, gamma = chung_hulbert(rho)
        alpha, h, t = am - af, 1.0 / n, 0.0
        y, z, a, psi = array([1.0, 1.0]), array([1.0, -2.0]), array([1.0, 4.0]), 1.0
        kept = None
        for i in range(n):
            ahead = self.mass(t + (1 + alpha) * h, y + h * (1 + alpha) * z)
            begin = self.mass(t + alpha * h, y + h * alpha * z)
            if previous and kept is not None:
                begin = kept
            f0 = self.f(t, y, z, psi)

            def residual(x, t=(i + 1) * h):
                y1, z1, a1, psi1 = x[:2], x[2:4], x[4:6], x[6]
                return concatenate([
                    y1 - y - h * z - h ** 2 / 2 * ((1 - 2 * beta) * a + 2 * beta * a1),
                    z1 - z - h * ((1 - gamma) * a + gamma * a1),
                    (1 - am) * ahead @ a1 + am * begin @ a
                    - (1 - af) * self.f(t, y1, z1, psi1) - af * f0,
                    [self.k(y1, z1) / h]])

            x = newton(residual, concatenate([y, z, a, [psi]]))
            y, z, a, psi, kept, t = x[:2], x[2:4], x[4:6], x[6], ahead, (i + 1) * h
        s = 1 + alpha * h
        return [y - [exp(1), exp(-2)], z - [exp(1), -2 * exp(-2)],
                a - [exp(s), 4 * exp(-2 * s)], array([psi - exp(-1)])]


def show(name, values, kinds="y z a psi"):
    rows = ['{"%s", "%.4e"}' % (k, np.linalg.norm(v)) for k, v in zip(kinds.split(), values)]
    print('PROTOTYPE("%s", %s)' % (name, ", ".join(rows)))


def main():
    print("/* Made by tests/reference/papers_hht.py: a case, and at its end the errors of y, z, a and "
          "psi; of\n * JN2 the values. */")
    p, steps = hht(-0.15), [1.0 / 16] * 16
    for variant, b in (("full", 0.3), ("explicit", 0.3), ("midpoint", 0.0),
                       ("midpoint-explicit", 0.0)):
        show("jn1 " + variant, errors(Jn1(), p, variant, b, steps))
    show("jn1 changing", errors(Jn1(), p, "full", 0.3, [1.0 / 48, 1.0 / 24] * 16))
    show("jn1 velocity level", errors(Jn1(True), p, "-", 0.0, steps))
    show("jn1 velocity level by z", errors(Jn1(True, True), p, "-", 0.0, steps))
    p = hht(-0.3)
    show("oscillator", errors(Oscillator(), p, "-", 0.0, [0.1] * 10))
    show("oscillator changing", errors(Oscillator(), p, "-", 0.0, [1.0 / 30, 2.0 / 30] * 10))
    show("oscillator trapezoidal", errors(Oscillator(), p, "-", 0.0, [0.1] * 10, True))
    # Where y and z are after a tenth of a second: the exact motion is no closed form.
    system = Jn2()
    y, z, a, x = run(system, chung_hulbert(0.4), "lunk-simeon", 0.3, [0.01] * 10, *system.start)
    show("jn2 lunk-simeon", [y[2:], z[2:], a[2:], x[3:]], "y3 z3 a3 Lambda_1")
    for previous in (False, True):
        show("jay1 previous" if previous else "jay1 predicted", Jay1().run(0.2, previous, 32))


if __name__ == "__main__":
    main()
