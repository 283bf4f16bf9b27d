"""Midpoint rule, GO10 (13); trapezoidal rule, (12); energy-conserving scheme, (14), with Gonzalez'
discrete gradient of V + lambda^T Phi (docs/methods/conserving.md), on vector spaces."""
from dataclasses import replace

import numpy as np

from ga import GeneralizedAlpha
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
    def middle(self, s, h, w, q, v, lam, psi):
        system, half, t = self.system, (s.q + q) / 2, s.t + h / 2
        nothing, vm = np.zeros(0), (s.v + v) / 2
        gradient = system.potential_dq(half) + system.b(half, t).T @ lam
        rise = system.potential(q) - system.potential(s.q) \
            + lam @ (system.phi(q, t) - system.phi(s.q, t))
        d = q - s.q
        gradient = gradient + (rise - gradient @ d) / (d @ d) * d
        other = system.g(half, vm, lam, nothing, t) - system.potential_dq(half)
        return system.mass(half, t), gradient + other

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
