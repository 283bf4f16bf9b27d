"""NH: Jay11 (2.3), on a Lie group; holonomic constraints at both levels with eta, as in ACB15
(58)."""
from dataclasses import replace

import numpy as np

from numerics import newton
from state import State, start


class Nonholonomic:
    def __init__(self, system, case, params):
        self.system, self.case, self.p = system, case, params

    def start(self, t, q, v, h):
        return start(self.system, t, q, v, h, self.case, self.p.shift, self.p.cq, False)

    def mass_at(self, s, h, where):
        """M at t_0 + where h, y_0 + where h z_0."""
        return self.system.mass(self.system.group.update(s.q, where * h * s.v), s.t + where * h)

    def step(self, s, h):
        system, p, t = self.system, self.p, s.t + h
        group, n, m, l = system.group, system.group.dof, system.m, system.l
        after = self.mass_at(s, h, 1 + p.shift)
        before = self.mass_at(s, h, p.shift)
        if self.case.get("mass") == "previous" and "mass" in s.own:
            before = s.own["mass"]
        load0 = system.load(s.q, s.v, s.t, s.lam, s.psi)

        def parts(x):
            a, lam, psi, eta = np.split(x, [n, n + m, n + m + l])
            v = s.v + h * ((1 - p.gamma) * s.a + p.gamma * a)
            w = h * s.v + h ** 2 / 2 * ((1 - 2 * p.beta) * s.a + 2 * p.beta * a)
            if m:
                w = w - h * system.b(s.q, s.t).T @ eta
            if self.case.get("update") == "magnus":
                w = w + h ** 2 / 12 * group.bracket(s.v, v)
            return group.update(s.q, w), v, a, lam, psi, eta

        def residual(x):
            q, v, a, lam, psi, _ = parts(x)
            rows = [(1 - p.alpha_m) * after @ a + p.alpha_m * before @ s.a
                    + (1 - p.alpha_f) * system.load(q, v, t, lam, psi) + p.alpha_f * load0,
                    system.k(q, v, t) / h]
            if m:
                rows += [system.phi(q, t) / h ** 2, system.hidden(q, v, t) / h]
            return np.concatenate(rows)

        q, v, a, lam, psi, eta = parts(newton(residual, np.concatenate(
            [s.a, s.lam, s.psi, np.zeros(m)])))
        vdot = ((1 - p.alpha_m) * a + p.alpha_m * s.a - p.alpha_f * s.vdot) / (1 - p.alpha_f)
        return State(t, q, v, vdot, a, lam, psi, eta, own={"mass": after})

    def change(self, s, ratio):
        if self.case.get("step_change", "settled") == "none":
            return s
        return replace(s, a=s.vdot + ratio * (s.a - s.vdot), own={})
