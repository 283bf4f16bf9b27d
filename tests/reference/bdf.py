"""BDF with given steps, docs/methods/bdf.md: theta = log(q_n^-1 q) from the last state, polynomials
through values at their own times, position and velocity constraints. `own` of a state holds those
before it, the newest first."""
from dataclasses import replace

import numpy as np

from numerics import complex_step, newton
from rk5 import tangent_inverse
from state import State, start

LEVELS, EACH = 14, 6  # of the start of order 3 and more


def coordinates(group, base, q):
    """theta with update(base, theta) = q."""
    theta = np.zeros(group.dof)
    for _ in range(12):
        matrix = complex_step(lambda w: group.update(base, w), theta)
        theta = theta + np.linalg.lstsq(matrix, q - group.update(base, theta), rcond=None)[0]
    return theta


def derivative_weights(times, t):
    """w with sum w_i x(t_i) = x'(t) for all polynomials that the values determine."""
    unit = np.max(np.abs(times - t))
    x = (times - t) / unit
    powers = np.vander(x, increasing=True).T
    right = np.zeros(len(x))
    right[1] = 1.0 / unit
    return np.linalg.solve(powers, right)


def extrapolate(times, values, t):
    """The value at t of the polynomial through the values."""
    x = (times - t) / np.max(np.abs(times - t))
    powers = np.vander(x, increasing=True).T
    return np.linalg.solve(powers, np.eye(len(x))[0]) @ values


class Bdf:
    def __init__(self, system, case, params):
        self.system, self.order = system, int(case.get("order", 2))

    def start(self, t, q, v, h):
        self.begin = t
        s = start(self.system, t, q, v, h, {"start": "plain"}, 0, 0, False)
        return replace(s, own={"past": []})

    def size(self, t, h):
        """From order 3 on steps begin with h / 2^14 and double every six steps, h from 6 h on."""
        for level in range(LEVELS if self.order > 2 else 0):
            if t - self.begin < EACH * h * 2.0 ** (level + 1 - LEVELS) * (1 - 1e-9):
                return h * 2.0 ** (level - LEVELS)
        return h

    def formula(self, s, t, states, thetas):
        """e, v_past, theta_past, and theta as predicted. An order needs one state more than its
        formula has, but for order 2 in the second step."""
        if len(states) == 1:
            e = (t - s.t) / 2
            return e, s.v + e * s.vdot, e * s.v, 2 * e * s.v + 2 * e ** 2 * s.vdot
        order = min(self.order, len(states) - 1 if len(states) > 2 else 2)
        times = np.array([x.t for x in states])
        w = derivative_weights(np.concatenate([[t], times[:order]]), t)
        past = [-sum(a * x for a, x in zip(w[1:], values)) / w[0]
                for values in ([x.v for x in states], thetas)]
        known = slice(0, order + 1)
        return 1 / w[0], past[0], past[1], extrapolate(times[known], np.array(thetas[known]), t)

    def step(self, s, h):
        """To s.t + h, which is the end of a step; smaller ones after the start are left out."""
        end = s.t + h
        while s.t < end - 1e-6 * h:
            s = self.one_step(s, s.t + self.size(s.t, h))
        return s

    def one_step(self, s, t):
        system, group = self.system, self.system.group
        n, m, l = group.dof, system.m, system.l
        states = [s] + s.own["past"]
        thetas = [coordinates(group, s.q, x.q) for x in states]
        e, v_past, theta_past, predicted = self.formula(s, t, states, thetas)
        pull = system.b(s.q, s.t).T

        def parts(x):
            v, lam, psi, eta = np.split(x, [n, n + m, n + m + l])
            theta = predicted
            for _ in range(2):  # part of the method: "evaluated twice per iteration"
                theta = theta_past + e * tangent_inverse(group, theta, v) - pull @ eta
            return group.update(s.q, theta), v, (v - v_past) / e, lam / e, psi / e, eta / e

        def residual(x):
            q, v, vdot, lam, psi, _ = parts(x)
            rows = [e * (system.mass(q, t) @ vdot + system.load(q, v, t, lam, psi)),
                    system.phi(q, t), system.k(q, v, t)]
            if m:
                rows.append(system.hidden(q, v, t))
            return np.concatenate(rows)

        guess = np.concatenate([v_past + e * s.vdot, e * s.lam, e * s.psi, np.zeros(m)])
        q, v, vdot, lam, psi, eta = parts(newton(residual, guess))
        past = [replace(x, own={}) for x in states[:6]]
        return State(t, q, v, vdot, vdot.copy(), lam, psi, eta, own={"past": past})

    def change(self, s, ratio):
        return s
