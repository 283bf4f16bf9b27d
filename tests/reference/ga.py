"""GA3, ACB15 (9); GA2S, (58); GA2 and GA1, ACB-R Sec. 3: the constraint at velocity and at
acceleration level only."""
from dataclasses import replace

import numpy as np

from numerics import newton
from state import State, least_change, start


class GeneralizedAlpha:
    def __init__(self, system, case, params):
        self.system, self.case, self.p = system, case, params
        self.form = case["method"]

    def start(self, t, q, v, h):
        return start(self.system, t, q, v, h, self.case, self.p.shift, self.p.cq,
                     self.form == "ga3")

    def increment(self, s, a1, v1, eta, h):
        """h dq, (9b) or (58a), and the commutator of the magnus update."""
        p, group = self.p, self.system.group
        dq = s.v + (0.5 - p.beta) * h * s.a + p.beta * h * a1
        if self.form == "ga2s" and self.system.m:
            dq = dq - self.system.b(s.q, s.t).T @ eta
        w = h * dq
        if self.case.get("update") == "magnus":
            w = w + h ** 2 / 12 * group.bracket(s.v, v1)
        return w

    def velocity(self, s, a1, h):
        return s.v + (1 - self.p.gamma) * h * s.a + self.p.gamma * h * a1

    def step(self, s, h):
        system, p, t = self.system, self.p, s.t + h
        n, m, l = system.group.dof, system.m, system.l
        stabilised = self.form == "ga2s"

        def parts(x):
            a1, vdot1, lam, psi = np.split(x[:2 * n + m + l], [n, 2 * n, 2 * n + m])
            eta = x[2 * n + m + l:]
            v1 = self.velocity(s, a1, h)
            return system.group.update(s.q, self.increment(s, a1, v1, eta, h)), v1, a1, vdot1, \
                lam, psi, eta

        def residual(x):
            q, v, a, vdot, lam, psi, _ = parts(x)
            rows = [(1 - p.alpha_m) * a + p.alpha_m * s.a
                    - (1 - p.alpha_f) * vdot - p.alpha_f * s.vdot,
                    system.mass(q, t) @ vdot + system.load(q, v, t, lam, psi)]
            if self.form in ("ga3", "ga2s"):
                rows.append(system.phi(q, t) / h ** 2)
            if m and self.form in ("ga2", "ga2s"):
                rows.append(system.hidden(q, v, t) / h)
            if m and self.form == "ga1":
                rows.append(system.b(q, t) @ vdot + system.bias(q, v, t))
            rows.append(system.k(q, v, t) / h)
            return np.concatenate(rows)

        guess = np.concatenate([s.a, s.vdot, s.lam, s.psi, np.zeros(m if stabilised else 0)])
        q, v, a, vdot, lam, psi, eta = parts(newton(residual, guess))
        return State(t, q, v, vdot, a, lam, psi, eta if stabilised else np.zeros(m))

    def change(self, s, ratio):
        """STEP: from h to ratio h (docs/methods/step.md; JN07 (2.3))."""
        policy = self.case.get("step_change", "settled")
        if policy == "none":
            return s
        a, v = s.vdot + ratio * (s.a - s.vdot), s.v
        if self.form == "ga3" and self.system.m and policy != "acceleration":
            factor = ratio ** 2 - 1 if policy == "settled" else -1
            hidden = self.system.hidden(s.q, s.v, s.t)
            v = v + least_change(self.system, s.q, s.t, s.v, factor * hidden)
        return replace(s, a=a, v=v)
