"""Midpoint rule, GO10 (13); trapezoidal rule, (12); energy-conserving scheme, (14), with Gonzalez'
discrete gradient (docs/methods/conserving.md)."""
from dataclasses import replace

import numpy as np
from scipy.linalg import expm

from ga import GeneralizedAlpha
from groups import hat
from numerics import newton
from parameters import Parameters
from state import State, least_change, start


class Undamped:
    """Both take q_1 = update(q_0, h (v_0 + v_1)/2) and one multiplier for the step."""

    def __init__(self, system, case, params):
        self.system, self.case = system, case

    def start(self, t, q, v, h):
        cq = Parameters(0, 0, 0.25, 0.5).cq  # that of the update
        return start(self.system, t, q, v, h, self.case, 0, cq, True)

    def step(self, s, h):
        system, group, t = self.system, self.system.group, s.t + h
        n, m = group.dof, system.m

        def parts(x):
            v = s.v + x[:n]
            w = h / 2 * (s.v + v)
            if self.case.get("update") == "magnus":
                w = w + h ** 2 / 12 * group.bracket(s.v, v)
            return v, w, group.update(s.q, w)

        def residual(x):
            v, w, q = parts(x)
            lam, psi = x[n:n + m], x[n + m:]
            mass, force = self.middle(s, h, w, q, v, lam, psi)
            return np.concatenate([mass @ x[:n] / h + force, system.phi(q, t) / h ** 2,
                                   system.k(q, v, t) / h])

        x = newton(residual, np.concatenate([h * s.vdot, s.lam, s.psi]))
        v, _, q = parts(x)
        vdot, lam, psi = system.acceleration(q, v, t, s.lam, s.psi)
        return State(t, q, v, vdot, vdot.copy(), lam, psi, np.zeros(m), x[n:])


class Midpoint(Undamped):
    def middle(self, s, h, w, q, v, lam, psi):
        half, t = self.system.group.update(s.q, w / 2), s.t + h / 2
        return self.system.mass(half, t), self.system.load(half, (s.v + v) / 2, t, lam, psi)

    def change(self, s, ratio):
        if self.case.get("step_change", "settled") != "settled" or self.system.m == 0:
            return s
        hidden = (ratio ** 2 - 1) * self.system.hidden(s.q, s.v, s.t)
        return replace(s, v=s.v + least_change(self.system, s.q, s.t, s.v, hidden))


class Conserving(Undamped):
    """The midpoint rule with Cayley's map for rotations and velocities carried into the middle of
    the step; constraint forces by discrete derivatives, in the middle or, with rotations, the mean
    of both ends carried there, and secants (docs/methods/conserving.md)."""

    def start(self, t, q, v, h):
        return start(self.system, t, q, v, h, self.case, 0, Parameters(0, 0, 0.25, 0.5).cq, True,
                     self.cayley_error)

    def rotations(self):
        return [(side, b) for kind, side, _, b in self.system.group.parts()
                if kind in ("so3", "s3")]

    def cayley_error(self, v, vdot):
        """What Cayley's map, and the mean of carried velocities, add to 6 l^q / h^3."""
        out = np.zeros(len(v))
        for side, b in self.rotations():
            out[b] = v[b] @ v[b] / 2 * v[b]
            if side == "right":
                out[b] += 1.5 * np.cross(v[b], vdot[b])
        return out

    def turn(self, d):
        """w with exp(w) = cay(d)."""
        w = np.array(d)
        for _, b in self.rotations():
            size = np.linalg.norm(d[b])
            w[b] = d[b] * (2 * np.arctan(size / 2) / size if size > 0 else 1)
        return w

    def carry(self, w, x):
        """A velocity of the inertial frame turned by exp(w); one of a body stays."""
        out = np.array(x)
        for side, b in self.rotations():
            if side == "right":
                out[b] = expm(hat(w[b])) @ x[b]
        return out

    def force_in_middle(self, d, w, end, force):
        """A force at q_n (end = -1) or q_{n+1} (1), so that its momentum is the same there:
        R_{n+1} J W_{n+1} - R_n J W_n = R_n (I - d~/2)^-1 (J (W_{n+1} - W_n) + d x J W)."""
        out = self.carry(-end * w / 2, force)
        for _, b in self.rotations():
            out[b] = out[b] + end * np.cross(d[b], out[b]) / 2
        group = self.system.group
        for kind, _, _, b in group.parts():
            if kind == "se3":  # the same with the bracket of SE(3)
                ad = np.array([group.bracket(d, e)[b] for e in np.eye(len(d))[b]]).T
                out[b] = out[b] - end * ad.T @ out[b] / 2
        return out

    def rows(self, d, w, b0, half, q, t):
        """B in the middle on linear spaces (Gonzalez), else the mean of both ends."""
        if all(kind == "rn" for kind, _ in self.system.group.factors):
            return self.system.b(half, t)
        return [(self.force_in_middle(d, w, -1, row0) + self.force_in_middle(d, w, 1, row1)) / 2
                for row0, row1 in zip(b0, self.system.b(q, t))]

    def step(self, s, h):
        system, group, t, middle = self.system, self.system.group, s.t + h, s.t + h / 2
        n, m, none = group.dof, system.m, np.zeros(0)
        phi0, b0 = system.phi(s.q, middle), system.b(s.q, middle)

        def parts(x):
            vm = x[:n]
            d = h * vm
            w = self.turn(d)
            before = self.carry(w / 2, s.v)
            v = self.carry(w / 2, 2 * vm - before)
            return d, w, before, v, group.update(s.q, w), group.update(s.q, w / 2)

        def residual(x):
            d, w, before, v, q, half = parts(x)
            vm, lam, along = x[:n], x[n:], d / (d @ d)
            force = system.mass(half, middle) @ (2 * (vm - before) / h) \
                + system.g(half, vm, lam, none, middle)
            if system.potential:
                rise = system.potential(q) - system.potential(s.q)
                force = force + (rise - system.potential_dq(half) @ d) * along
            for row, rise, load in zip(self.rows(d, w, b0, half, q, middle),
                                       system.phi(q, middle) - phi0, lam):
                force = force + load * (row + (rise - row @ d) * along)
            return np.concatenate([force, system.phi(q, t) / h ** 2])

        x = newton(residual, np.concatenate([s.v + h / 2 * s.vdot, s.lam]))
        _, _, _, v, q, _ = parts(x)
        vdot, lam, psi = system.acceleration(q, v, t, s.lam, s.psi)
        return State(t, q, v, vdot, vdot.copy(), lam, psi, np.zeros(m), x[n:])

    def change(self, s, ratio):
        return s


class Trapezoidal(GeneralizedAlpha):
    """ACB15 (9) with alpha_m = alpha_f = 0, beta = 1/4, gamma = 1/2. Reported are v', lambda of
    the acceleration level; the step's own are carried along."""

    def __init__(self, system, case, params):
        super().__init__(system, dict(case, method="ga3"), Parameters(0, 0, 0.25, 0.5))

    def step(self, s, h):
        own = super().step(s.own.get("state", s), h)
        vdot, lam, psi = self.system.acceleration(own.q, own.v, own.t, own.lam, own.psi)
        return replace(own, vdot=vdot, lam=lam, psi=psi, own={"state": own},
                       stage=np.concatenate([own.lam, own.psi]))
