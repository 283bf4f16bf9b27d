"""JN07: HHT-alpha for overdetermined DAEs, (3.4), with its variants, and for constraints of index
2 (Sec. 6). v' = f + R, f the part of the forces without multipliers (less what the system counts
as r(t, y, 0)), R the rest.

HHT for ordinary differential equations, (2.2), is here too, in its own words."""
from dataclasses import replace

import numpy as np

from numerics import newton
from state import State
from state import start as generalized_start


class Parts:
    """f and r of (3.1) and (6.1)."""

    def __init__(self, system):
        self.system = system
        self.none = np.zeros(system.m), np.zeros(system.l)

    def f(self, q, v, t):
        system = self.system
        force = system.reacting(q, v, t) - system.g(q, v, *self.none, t)
        return np.linalg.solve(system.mass(q, t), force)

    def r(self, q, v, t, lam, psi):
        system = self.system
        force = system.g(q, v, *self.none, t) - system.load(q, v, t, lam, psi)
        force = force - system.reacting(q, v, t)
        return np.linalg.solve(system.mass(q, t), force)


class Hht:
    """What the three have in common: start and change of the step."""

    def __init__(self, system, case, params):
        self.system, self.case, self.p = system, case, params
        self.alpha = params.shift  # -alpha_f but for generalized-alpha parameters
        self.parts = Parts(system)

    def state(self, t, q, v, a, guess, stage):
        vdot, lam, psi = self.system.acceleration(q, v, t, *guess)
        return State(t, q, v, vdot, a, lam, psi, np.zeros(self.system.m), stage)

    def start(self, t, q, v, h):
        s = self.state(t, q, v, self.parts.f(q, v, t), (None, None), np.zeros(0))
        kind = self.case.get("start", "perturbed")
        if kind == "trapezoidal":
            return replace(s, own={"first": True})
        if kind == "plain":
            return s
        e = self.alpha * h  # a_0 = f(t_0 + alpha h), along the parabola of the initial values
        near = self.system.group.update(q, e * v + e ** 2 / 2 * s.vdot)
        return replace(s, a=self.parts.f(near, v + e * s.vdot, t + e))

    def change(self, s, ratio):
        """(2.3)."""
        if self.case.get("step_change", "settled") == "none":
            return s
        f = self.parts.f(s.q, s.v, s.t)
        return replace(s, a=f + ratio * (s.a - f))

    def before(self, s, a, f0):
        """a_0; in the first step after a trapezoidal start it is alpha f_1 + (1 - alpha) f_0 (Sec.
        2), with f_1 from a = (1 + alpha) f_1 - alpha f_0."""
        if "first" not in s.own:
            return s.a
        f1 = (a + self.alpha * f0) / (1 + self.alpha)
        return self.alpha * f1 + (1 - self.alpha) * f0

    def increment(self, s, a0, a, v, h, reaction):
        """(2.2a), (3.4a) with its bracket of reactions."""
        w = h * s.v + h ** 2 / 2 * ((1 - 2 * self.p.beta) * a0 + 2 * self.p.beta * a + reaction)
        if self.case.get("update") == "magnus":
            w = w + h ** 2 / 12 * self.system.group.bracket(s.v, v)
        return w

    def velocity(self, s, a0, a, h, reaction):
        """(2.2b), (3.4b) with half the sum of reactions."""
        return s.v + h * ((1 - self.p.gamma) * a0 + self.p.gamma * a) + h * reaction

    def average(self, a, a0, f1, f0):
        """Residual of (2.2c), (3.4c): alpha_f = -alpha, alpha_m = 0; Lunk and Simeon's method
        extends generalized-alpha with any of these (Sec. 7)."""
        p = self.p
        return (1 - p.alpha_m) * a + p.alpha_m * a0 - (1 - p.alpha_f) * f1 - p.alpha_f * f0


class HhtOde(Hht):
    def start(self, t, q, v, h):
        s = super().start(t, q, v, h)
        if self.case.get("start", "perturbed") in ("plain", "trapezoidal"):
            return s
        # hht is generalized-alpha with these parameters: a_0 = v' + alpha h v'', (57)
        return generalized_start(self.system, t, q, v, h, self.case, self.alpha, 0, False)

    def step(self, s, h):
        system, t = self.system, s.t + h
        f0 = self.parts.f(s.q, s.v, s.t)

        def parts(a):
            a0 = self.before(s, a, f0)
            v = self.velocity(s, a0, a, h, 0)
            return system.group.update(s.q, self.increment(s, a0, a, v, h, 0)), v

        def residual(a):
            q, v = parts(a)
            return self.average(a, self.before(s, a, f0), self.parts.f(q, v, t), f0)

        a = newton(residual, s.a)
        return self.state(t, *parts(a), a, (None, None), np.zeros(0))


class Hht3(Hht):
    def step(self, s, h):
        system, group, t = self.system, self.system.group, s.t + h
        n, m, empty = group.dof, system.m, np.zeros(0)
        variant, b = self.case.get("variant", "full"), self.case.get("b", 0.0)
        midpoint = variant.startswith("midpoint")
        f0, r = self.parts.f(s.q, s.v, s.t), self.parts.r

        def parts(x):
            """x: a_1, the second reaction R (R_1 or R_{1/2}), that of Lunk and Simeon, Lambdas."""
            a, second, other = x[:n], x[n:2 * n], x[2 * n:3 * n]
            a0 = self.before(s, a, f0)
            first = r(s.q, s.v, s.t, x[3 * n:3 * n + m], empty)
            v = self.velocity(s, a0, a, h, second if midpoint else (first + second) / 2)
            at_end = other if variant == "lunk-simeon" else second
            w = self.increment(s, a0, a, v, h, first if midpoint else (1 - b) * first + b * at_end)
            return a, second, other, w, group.update(s.q, w), v

        def residual(x):
            a, second, other, w, q, v = parts(x)
            lam0, lam1 = x[3 * n:3 * n + m], x[3 * n + m:]
            if midpoint:
                half = h * s.v / 2 if variant == "midpoint-explicit" else w / 2
                place = group.update(s.q, half), (s.v + v) / 2, s.t + h / 2
            elif variant == "explicit":
                place = group.update(s.q, h * s.v), v, t
            else:
                place = q, v, t
            rows = [self.average(a, self.before(s, a, f0), self.parts.f(q, v, t), f0),
                    second - r(*place, lam1, empty)]
            rows += [other - r(q, v, t, lam0, empty) if variant == "lunk-simeon" else other]
            rows += [system.phi(q, t) / h ** 2, system.hidden(q, v, t) / h]
            return np.concatenate(rows)

        reaction = r(s.q, s.v, s.t, s.lam, empty)
        guess = np.concatenate([s.a, reaction, 0 * reaction, s.lam, s.lam])
        x = newton(residual, guess)
        a, _, _, _, q, v = parts(x)
        return self.state(t, q, v, a, (s.lam, None), x[3 * n:])


class Hht2(Hht):
    def step(self, s, h):
        system, group, t = self.system, self.system.group, s.t + h
        n, empty = group.dof, np.zeros(0)
        f0 = self.parts.f(s.q, s.v, s.t)
        middle = group.update(s.q, h / 2 * s.v)

        def parts(x):
            a, reaction = x[:n], x[n:2 * n]
            a0 = self.before(s, a, f0)
            v = self.velocity(s, a0, a, h, reaction)
            return a, reaction, group.update(s.q, self.increment(s, a0, a, v, h, reaction)), v

        def residual(x):
            a, reaction, q, v = parts(x)
            return np.concatenate([
                self.average(a, self.before(s, a, f0), self.parts.f(q, v, t), f0),
                reaction - self.parts.r(middle, (s.v + v) / 2, s.t + h / 2, empty, x[2 * n:]),
                system.k(q, v, t) / h])

        reaction = self.parts.r(s.q, s.v, s.t, empty, s.psi)
        x = newton(residual, np.concatenate([s.a, reaction, s.psi]))
        a, _, q, v = parts(x)
        return self.state(t, q, v, a, (None, s.psi), x[2 * n:])
