#!/usr/bin/env python3
"""Independent prototype of `conserving` for the heavy top of ACB15 Sec. 5, in both trivialisations.

Written from docs/methods/conserving.md with numpy only: equations, constraints and the iteration are
its own. Every step is solved to rounding; the numbers printed are those of
tests/scheme/test_conserving_bodies.c.

    /usr/bin/python3 tests/reference/conserving_bodies.py [STEPS of a long run]
"""
import sys

import numpy as np
from numpy.linalg import inv, norm, solve

m, gravity, X = 15.0, 9.81, np.array([0.0, 1.0, 0.0])
J = np.diag([0.234375, 0.46875, 0.234375])
spin = np.array([0.0, 150.0, -4.61538])
I3 = np.eye(3)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def cayley(d):
    return inv(I3 - skew(d) / 2) @ (I3 + skew(d) / 2)


def half(d):
    """The rotation by half the angle of cayley(d)."""
    angle = 2 * np.arctan(norm(d) / 2)
    e = d / norm(d)
    return I3 + np.sin(angle / 2) * skew(e) + (1 - np.cos(angle / 2)) * skew(e) @ skew(e)


class Top:
    """v = (x', angular velocity in the body or in space)."""

    def __init__(self, spatial):
        self.spatial = spatial

    def turn(self, R, E):
        return E @ R if self.spatial else R @ E

    def inertia(self, R):
        return R @ J @ R.T if self.spatial else J

    def phi(self, x, R):
        return R @ X - x

    def torque_rows(self, R):
        return -skew(R @ X) if self.spatial else -R @ skew(X)

    def carried(self, E, w):
        return E @ w if self.spatial else w

    def secant(self, x0, R0, x1, R1, d):
        """Mean of both ends as forces in space, seen from the middle, and the part along d."""
        D = skew(d[3:]) / 2
        if self.spatial:
            E = half(d[3:])
            old, new = E.T @ (I3 + D), E @ (I3 - D)
        else:
            old, new = I3 + D, I3 - D
        rows = np.hstack([-I3, (self.torque_rows(R0) @ old + self.torque_rows(R1) @ new) / 2])
        rest = self.phi(x1, R1) - self.phi(x0, R0) - rows @ d
        return rows + np.outer(rest, d) / (d @ d)

    def step(self, x0, R0, v0, lam, h):
        d = h * v0
        for _ in range(100):
            E = half(d[3:])
            R, x1, R1 = self.turn(R0, E), x0 + d[:3], self.turn(R0, cayley(d[3:]))
            u0 = np.r_[v0[:3], self.carried(E, v0[3:])]
            v, rate = d / h, 2 * (d / h - u0) / h
            v1 = 2 * v - u0
            v1 = np.r_[v1[:3], self.carried(E, v1[3:])]
            Js = self.inertia(R)
            rows = self.secant(x0, R0, x1, R1, d)
            force = np.r_[m * rate[:3], Js @ rate[3:] + np.cross(v[3:], Js @ v[3:])]
            force[2] += m * gravity
            F = np.r_[h * h * (force + rows.T @ lam), 2 * self.phi(x1, R1)]
            w = v[3:]
            A = np.zeros((9, 9))
            A[:3, :3] = m * I3
            A[3:6, 3:6] = Js + h / 2 * (skew(w) @ Js - skew(Js @ w))
            A[:6, 6:] = rows.T
            ends = self.torque_rows(R1)
            A[6:, :6] = np.hstack([-I3, ends @ E if not self.spatial else ends])
            z = solve(A, -F)
            change = z[:6] / 2
            change[3:] = self.carried(E.T, change[3:])
            if norm(change) > 0.5 * getattr(self, "last", np.inf) and norm(change) < 1e-14:
                break
            self.last = norm(change)
            d, lam = d + change, lam + z[6:] / h**2
        self.last = np.inf
        return x1, R1, v1, lam


def run(spatial, h, steps):
    top, x, R, lam = Top(spatial), X.copy(), I3.copy(), np.zeros(3)
    v = np.r_[np.cross(spin, X), spin]

    def balance():
        p, L = m * v[:3], top.inertia(R) @ v[3:]
        energy = 0.5 * (p @ v[:3] + L @ v[3:]) + m * gravity * x[2]
        return energy, (np.cross(x, p) + (L if spatial else R @ L))[2]

    first, worst = balance(), [0.0, 0.0]
    for _ in range(steps):
        x, R, v, lam = top.step(x, R, v, lam, h)
        worst = [max(w, abs(b / f - 1)) for w, b, f in zip(worst, balance(), first)]
    return x, R.T @ v[3:] if spatial else v[3:], lam, worst


if __name__ == "__main__":
    for spatial in (False, True):
        x, omega, lam, worst = run(spatial, 1e-3, 200)
        print("spatial" if spatial else "body", "h 1e-3, t 0.2")
        for name, a in (("x", x), ("Omega", omega), ("lambda", lam)):
            print(" ", name, *("%.13g" % c for c in a))
        print("  energy, vertical momentum: relative change", *("%.1e" % w for w in worst))
    if len(sys.argv) > 1:
        print(sys.argv[1], "steps:", *("%.1e" % w for w in run(True, 1e-3, int(sys.argv[1]))[3]))
